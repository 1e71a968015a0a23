//! Reads a short file written by a person, whatever kind of file its name leads to.

use std::{
    fs::OpenOptions,
    io::{self, Read},
    os::unix::fs::{FileTypeExt, OpenOptionsExt},
    path::Path,
};

use rustix::fs::OFlags;

/// Far more than anybody writes by hand.
const MOST_BYTES: u64 = 1 << 20;

/// Reads at most 1 MiB. Devices are read like files, for the sake of /dev/null; pipes are refused, since they might
/// block for ever.
pub fn read_short_file(file: &Path) -> io::Result<String> {
    let opened = OpenOptions::new().read(true).custom_flags(OFlags::NONBLOCK.bits().cast_signed()).open(file)?;
    let kind = opened.metadata()?.file_type();
    if !kind.is_file() && !kind.is_char_device() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is not a plain file"));
    }
    let mut text = String::new();
    if opened.take(MOST_BYTES + 1).read_to_string(&mut text)? as u64 > MOST_BYTES {
        return Err(io::Error::new(
            io::ErrorKind::InvalidData,
            "it is longer than 1 MiB, too long to be written by hand",
        ));
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_plain_files_of_a_bounded_length_are_read() {
        let root = tempfile::tempdir().unwrap();
        let file = root.path().join("a.toml");
        std::fs::write(&file, "x = 1").unwrap();
        assert_eq!(read_short_file(&file).unwrap(), "x = 1");
        assert_eq!(read_short_file(Path::new("/dev/null")).unwrap(), "");
        assert!(read_short_file(Path::new("/dev/zero")).unwrap_err().to_string().contains("1 MiB"));
        let pipe = root.path().join("pipe");
        let mode = rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR;
        rustix::fs::mknodat(rustix::fs::CWD, &pipe, rustix::fs::FileType::Fifo, mode, 0).unwrap();
        assert!(read_short_file(&pipe).unwrap_err().to_string().contains("plain file"));
        assert!(read_short_file(root.path()).is_err());
        assert_eq!(read_short_file(&root.path().join("none")).unwrap_err().kind(), io::ErrorKind::NotFound);
    }
}
