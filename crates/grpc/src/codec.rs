//! Messages on the wire: as tonic's own codec, but a message that can't be read is the sender's fault.

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
pub struct Codec<T, U>(PhantomData<(T, U)>);

impl<T, U> Default for Codec<T, U> {
    fn default() -> Self {
        Codec(PhantomData)
    }
}

impl<T, U> tonic::codec::Codec for Codec<T, U>
where
    T: Message + Send + 'static,
    U: Message + Default + Send + 'static,
{
    type Encode = T;
    type Decode = U;
    type Encoder = Writer<T>;
    type Decoder = Reader<U>;

    fn encoder(&mut self) -> Writer<T> {
        Writer(PhantomData)
    }

    fn decoder(&mut self) -> Reader<U> {
        Reader(PhantomData)
    }
}

#[derive(Debug)]
pub struct Writer<T>(PhantomData<T>);

impl<T: Message> Encoder for Writer<T> {
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
pub struct Reader<U>(PhantomData<U>);

impl<U: Message + Default> Decoder for Reader<U> {
    type Item = U;
    type Error = Status;

    fn decode(&mut self, from: &mut DecodeBuf<'_>) -> Result<Option<U>, Status> {
        // All of it is there, in one piece: reading a slice takes a fraction of what reading a buffer byte by byte does.
        let message = from.copy_to_bytes(from.remaining());
        U::decode(message.as_ref()).map(Some).map_err(|error| {
            let error = OpError::invalid_args(format!("the message can't be read ({error})"));
            failure::status(error.with_hint("send what proto/vtr.proto says; text must be UTF-8"))
        })
    }
}
