//! Leaving: asks first when sessions still run. (Only its place is made so far.)

use super::model::App;

/// The person wants to leave.
pub(super) fn ask(app: &mut App) {
    app.done = true;
}
