//! Parts of a grid that rules use.

use crate::preset::Region;

impl Region {
    /// The region's part of `grid`. Rows are lines of `grid`.
    pub(crate) fn of<'a>(&self, grid: &'a str) -> &'a str {
        let mut rows: Vec<&str> = grid.split_inclusive('\n').collect();
        let count = rows.len() as i64;
        let absolute = |at: i32| if at < 0 { i64::from(at) + count } else { i64::from(at) };
        let clamp = |at: i64| usize::try_from(at.clamp(0, count)).unwrap_or(0);
        let end = clamp(self.to_row.map_or(count, |row| absolute(row) + 1));
        let start = clamp(self.from_row.map_or(0, absolute)).min(end);
        let mut offset: usize = rows[..start].iter().map(|row| row.len()).sum();
        rows = rows[start..end].to_vec();
        if let Some(below) = &self.below {
            let Some(last) = rows.iter().rposition(|row| below.is_match(row.trim_end_matches('\n'))) else {
                return "";
            };
            offset += rows[..=last].iter().map(|row| row.len()).sum::<usize>();
            rows.drain(..=last);
        }
        if let Some(wanted) = self.last_rows {
            let mut left = usize::from(wanted);
            let mut first = rows.len();
            while left > 0 && first > 0 {
                first -= 1;
                left -= usize::from(!rows[first].trim().is_empty());
            }
            offset += rows[..first].iter().map(|row| row.len()).sum::<usize>();
            rows.drain(..first);
        }
        let length: usize = rows.iter().map(|row| row.len()).sum();
        &grid[offset..offset + length]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::preset::Expression;
    use proptest::prelude::*;

    const GRID: &str = "one\ntwo\n─────\n❯ typed\n─────\n\n  footer\n\n\n";

    #[test]
    fn regions_narrow_step_by_step() {
        let all = Region::default();
        assert_eq!(all.of(GRID), GRID);
        assert_eq!(Region { from_row: Some(1), to_row: Some(1), ..all.clone() }.of(GRID), "two\n");
        assert_eq!(Region { from_row: Some(-3), ..all.clone() }.of(GRID), "  footer\n\n\n");
        assert_eq!(Region { last_rows: Some(1), ..all.clone() }.of(GRID), "  footer\n\n\n");
        assert_eq!(Region { last_rows: Some(2), ..all.clone() }.of(GRID), "─────\n\n  footer\n\n\n");
        let below = Region { below: Some(Expression::new("^─+$").unwrap()), ..all.clone() };
        assert_eq!(below.of(GRID), "\n  footer\n\n\n");
        assert_eq!(Region { to_row: Some(3), ..below.clone() }.of(GRID), "❯ typed\n");
        assert_eq!(Region { to_row: Some(1), ..below }.of(GRID), "");
        assert_eq!(Region { from_row: Some(5), to_row: Some(2), ..all }.of(GRID), "");
    }

    proptest! {
        #[test]
        fn every_region_is_a_part_of_the_grid(
            grid in "([aé ]{0,3}\n){0,6}[a]{0,2}",
            from_row in proptest::option::of(-8..8), to_row in proptest::option::of(-8..8),
            last_rows in proptest::option::of(0u16..8), below in proptest::option::of("[aé]"),
        ) {
            let below = below.map(|text| Expression::new(&text).unwrap());
            let region = Region { from_row, to_row, below, last_rows };
            prop_assert!(grid.contains(region.of(&grid)));
        }
    }
}
