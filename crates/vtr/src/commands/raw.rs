//! `vtr raw`

use fleet::SessionAddress;
use grpc::proto::SendBytesRequest;
use program::{Exit, Failure, Outcome};

use super::{done, send::from_stdin};
use crate::invocation::Invocation;

/// Send bytes unchanged, written in hex
#[derive(Debug, clap::Args)]
pub(crate) struct RawArgs {
    #[arg(value_name = "SESSION")]
    session: SessionAddress,
    /// For example 1b5b41 or "1b 5b 41", at most 1 MiB; "-" reads it from standard input
    #[arg(value_name = "HEX", allow_hyphen_values = true)]
    hex: String,
}

impl RawArgs {
    pub(crate) async fn run(self, invocation: &mut Invocation) -> Outcome {
        let hex = if self.hex == "-" { from_stdin()? } else { self.hex };
        let data = bytes(&hex).map_err(|what| Failure::usage(what).with_hint("write two hex digits for each byte"))?;
        let target = invocation.target(&self.session).await?;
        let request = SendBytesRequest { name: target.session.clone(), data };
        target.client.vtr().send_bytes(request).await.map_err(|status| target.failure(&status))?;
        invocation.output.answer(&done(&target), "")?;
        Ok(Exit::Done)
    }
}

fn bytes(hex: &str) -> Result<Vec<u8>, String> {
    let digits: Vec<u8> = hex
        .chars()
        .filter(|c| !c.is_whitespace())
        .map(|c| c.to_digit(16).map(|digit| digit as u8).ok_or_else(|| format!("{c:?} is not a hex digit")))
        .collect::<Result<_, _>>()?;
    if digits.len() % 2 == 1 {
        return Err(format!("{} hex digits don't make whole bytes", digits.len()));
    }
    Ok(digits.chunks_exact(2).map(|pair| pair[0] << 4 | pair[1]).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hex() {
        assert_eq!(bytes("1b5B 0a\n"), Ok(vec![0x1b, 0x5b, 0x0a]));
        assert_eq!(bytes(""), Ok(vec![]));
        assert!(bytes("1").unwrap_err().contains("whole"));
        assert!(bytes("zz").unwrap_err().contains("'z'"));
    }
}
