//! Writes a file completely or not at all. Its content may be secret, so only its owner can read it.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, BufWriter, Write},
    os::unix::fs::OpenOptionsExt,
    path::{Path, PathBuf},
};

/// Calls `fill` to write the file, and returns its size. With `over`, an existing file is replaced once the new one is
/// complete; without, an existing file is an error and stays unchanged.
pub(crate) fn write(path: &Path, over: bool, fill: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<u64> {
    match fs::metadata(path) {
        Ok(there) if over && there.is_file() => {
            // If the path is a link, its target is replaced.
            let path = fs::canonicalize(path)?;
            let beside = beside(&path);
            let bytes = create(&beside, fill)?;
            fs::rename(&beside, &path).inspect_err(|_| drop(fs::remove_file(&beside)))?;
            Ok(bytes)
        }
        // A pipe or a device can't be replaced, and must not be removed.
        Ok(_) if over => into(OpenOptions::new().write(true).open(path)?, fill),
        _ => create(path, fill),
    }
}

fn beside(path: &Path) -> PathBuf {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    path.with_file_name(format!(".{name}.{}", std::process::id()))
}

fn create(path: &Path, fill: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<u64> {
    let file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)?;
    into(file, fill).inspect_err(|_| drop(fs::remove_file(path)))
}

fn into(file: File, fill: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<u64> {
    let mut sink = BufWriter::new(file);
    fill(&mut sink)?;
    let file = sink.into_inner().map_err(io::IntoInnerError::into_error)?;
    Ok(file.metadata()?.len())
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn a_file_is_whole_or_not_there() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out.txt");
        let names = || {
            let names = fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name());
            names.collect::<Vec<_>>()
        };
        let full = |sink: &mut dyn Write| {
            sink.write_all(b"half")?;
            Err(io::Error::from(io::ErrorKind::StorageFull))
        };
        assert_eq!(write(&path, false, full).unwrap_err().kind(), io::ErrorKind::StorageFull);
        assert!(names().is_empty());

        assert_eq!(write(&path, false, |sink| sink.write_all(b"first")).unwrap(), 5);
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        let again = write(&path, false, |sink| sink.write_all(b"second"));
        assert_eq!(again.unwrap_err().kind(), io::ErrorKind::AlreadyExists);
        assert_eq!(write(&path, true, full).unwrap_err().kind(), io::ErrorKind::StorageFull);
        assert_eq!(fs::read(&path).unwrap(), b"first");

        // Through a link, which stays a link.
        let link = folder.path().join("link.txt");
        std::os::unix::fs::symlink(&path, &link).unwrap();
        write(&link, true, |sink| sink.write_all(b"second")).unwrap();
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!((fs::read(&path).unwrap(), names().len()), (b"second".to_vec(), 2));
        // Anything but a regular file is written to directly.
        let error = write(Path::new("/dev/full"), true, |sink| sink.write_all(b"x")).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::StorageFull);
        assert!(Path::new("/dev/full").exists());
    }
}
