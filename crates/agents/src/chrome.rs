//! Removes what a program draws around the conversation from a grid.

use crate::preset::TrimHint;

/// Removes the rows that a hint names. Ranges refer to the rows of the original grid.
pub fn trim(grid: &str, hints: &[TrimHint]) -> String {
    if hints.is_empty() {
        return grid.to_owned();
    }
    let rows: Vec<&str> = grid.lines().collect();
    let mut out = String::with_capacity(grid.len());
    for (index, row) in rows.iter().enumerate() {
        if hints.iter().any(|hint| names_row(hint, row, index, rows.len())) {
            continue;
        }
        out.push_str(row);
        out.push('\n');
    }
    out
}

fn names_row(hint: &TrimHint, row: &str, index: usize, count: usize) -> bool {
    match hint {
        TrimHint::Matching(expression) => expression.is_match(row),
        TrimHint::Rows(range) => {
            let absolute = |at: i32| if at < 0 { i64::from(at) + count as i64 } else { i64::from(at) };
            (absolute(range.from_row)..=absolute(range.to_row)).contains(&(index as i64))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::preset::{Expression, RowRange};
    use proptest::prelude::*;

    fn rows(from_row: i32, to_row: i32) -> TrimHint {
        TrimHint::Rows(RowRange { from_row, to_row })
    }

    fn matching(text: &str) -> TrimHint {
        TrimHint::Matching(Expression::new(text).unwrap())
    }

    #[test]
    fn rows_go_by_expression_and_by_place() {
        let grid = "banner\nhello\n──────\n❯ \n──────\n? for shortcuts\n";
        assert_eq!(trim(grid, &[]), grid);
        assert_eq!(trim(grid, &[matching("^─+$"), matching("shortcuts")]), "banner\nhello\n❯ \n");
        assert_eq!(trim(grid, &[rows(0, 0), rows(-4, -1)]), "hello\n");
        assert_eq!(trim(grid, &[rows(-1, 100)]), "banner\nhello\n──────\n❯ \n──────\n");
        assert_eq!(trim(grid, &[rows(3, 2), rows(-100, -90)]), grid);
    }

    proptest! {
        #[test]
        fn what_remains_are_rows_of_the_grid_in_their_order(
            grid in "([a-c]{0,3}\n){0,8}", from in -9..9, to in -9..9,
        ) {
            let trimmed = trim(&grid, &[rows(from, to), matching("^b")]);
            let mut rest = grid.lines();
            for row in trimmed.lines() {
                prop_assert!(rest.any(|original| original == row));
                prop_assert!(!row.starts_with('b'));
            }
        }
    }
}
