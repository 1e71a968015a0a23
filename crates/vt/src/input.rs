//! Input encoders: pure functions of [`InputModes`](crate::InputModes).
