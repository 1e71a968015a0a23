//! Encodes and decodes messages: like tonic's own codec, but a message that can't be decoded is reported as the
//! sender's fault.

use std::marker::PhantomData;

use bytes::Buf;
use ops::OpError;
use prost::Message;
use tonic::{
    Status,
    codec::{BufferSettings, DecodeBuf, Decoder, EncodeBuf, Encoder},
};

use crate::failure;

#[derive(Debug)]
pub struct VtrCodec<T, U>(PhantomData<(T, U)>);

impl<T, U> Default for VtrCodec<T, U> {
    fn default() -> Self {
        VtrCodec(PhantomData)
    }
}

impl<T, U> tonic::codec::Codec for VtrCodec<T, U>
where
    T: Message + Send + 'static,
    U: Message + Default + Send + 'static,
{
    type Encode = T;
    type Decode = U;
    type Encoder = MessageWriter<T>;
    type Decoder = MessageReader<U>;

    fn encoder(&mut self) -> MessageWriter<T> {
        MessageWriter(PhantomData)
    }

    fn decoder(&mut self) -> MessageReader<U> {
        MessageReader(PhantomData)
    }
}

#[derive(Debug)]
pub struct MessageWriter<T>(PhantomData<T>);

impl<T: Message> Encoder for MessageWriter<T> {
    type Item = T;
    type Error = Status;

    fn encode(&mut self, item: T, into: &mut EncodeBuf<'_>) -> Result<(), Status> {
        // One allocation for a whole screen.
        into.reserve(item.encoded_len());
        item.encode_raw(into);
        Ok(())
    }

    fn buffer_settings(&self) -> BufferSettings {
        BufferSettings::default()
    }
}

#[derive(Debug)]
pub struct MessageReader<U>(PhantomData<U>);

impl<U: Message + Default> Decoder for MessageReader<U> {
    type Item = U;
    type Error = Status;

    fn decode(&mut self, from: &mut DecodeBuf<'_>) -> Result<Option<U>, Status> {
        // The buffer is contiguous, and decoding a slice takes a fraction of the time of decoding a buffer byte by
        // byte.
        let message = from.copy_to_bytes(from.remaining());
        U::decode(message.as_ref()).map(Some).map_err(|error| {
            let error = OpError::invalid_args(format!("the message can't be read ({error})"));
            failure::status(error.with_hint("send what proto/vtr.proto says; text must be UTF-8"))
        })
    }
}
