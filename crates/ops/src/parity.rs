//! Compares a face with the operations that the table declares for it.

use std::collections::BTreeSet;

use crate::{call::Context, operation::Faces, table::Table};

/// Where a face and the table disagree.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "the face and the table disagree: declared and not offered {missing:?}, offered and not declared {undeclared:?}: \
     offer it, or change the operation's faces"
)]
pub struct ParityError {
    pub missing: Vec<String>,
    pub undeclared: Vec<String>,
}

impl<C: Context> Table<C> {
    /// Names of the operations that declare this face, for any role.
    pub fn declared(&self, face: Faces) -> BTreeSet<&'static str> {
        self.entries().iter().filter(|entry| entry.traits.faces.contains(face)).map(|entry| entry.name()).collect()
    }

    /// For the tests of faces: `offered` are the names of the operations that the face can run.
    pub fn check_face<'a>(&self, face: Faces, offered: impl IntoIterator<Item = &'a str>) -> Result<(), ParityError> {
        let declared = self.declared(face);
        let offered: BTreeSet<&str> = offered.into_iter().collect();
        let names =
            |set: &BTreeSet<&str>, other: &BTreeSet<&str>| set.difference(other).map(ToString::to_string).collect();
        let error = ParityError { missing: names(&declared, &offered), undeclared: names(&offered, &declared) };
        if error.missing.is_empty() && error.undeclared.is_empty() { Ok(()) } else { Err(error) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SessionContext;

    #[test]
    fn a_face_that_lacks_or_adds_something_is_told_what() {
        let table = Table::<SessionContext>::new(crate::operations::entries());
        let declared = table.declared(Faces::GRPC);
        assert!(declared.contains("get_screen") && !declared.contains("whoami"), "{declared:?}");
        assert_eq!(table.check_face(Faces::GRPC, declared.iter().copied()), Ok(()));
        let changed = declared.iter().copied().filter(|name| *name != "get_screen").chain(["dance"]);
        let error = table.check_face(Faces::GRPC, changed).unwrap_err();
        assert_eq!(error, ParityError { missing: vec!["get_screen".into()], undeclared: vec!["dance".into()] });
    }
}
