//! Tab stops.

/// Distance of the stops a fresh terminal has.
const INTERVAL: u16 = 8;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TabStops {
    stops: Vec<bool>,
}

impl TabStops {
    pub(crate) fn new(cols: u16) -> Self {
        TabStops { stops: (0..cols).map(|col| col % INTERVAL == 0).collect() }
    }

    pub(crate) fn resize(&mut self, cols: u16) {
        let old = self.stops.len() as u16;
        self.stops.truncate(usize::from(cols));
        self.stops.extend((old..cols).map(|col| col % INTERVAL == 0));
    }

    pub(crate) fn set(&mut self, col: u16) {
        self.stops[usize::from(col)] = true;
    }

    pub(crate) fn clear(&mut self, col: u16) {
        self.stops[usize::from(col)] = false;
    }

    pub(crate) fn clear_all(&mut self) {
        self.stops.fill(false);
    }

    /// The next stop right of `col`, or `last`.
    pub(crate) fn after(&self, col: u16, last: u16) -> u16 {
        (col + 1..last).find(|&col| self.stops[usize::from(col)]).unwrap_or(last)
    }

    /// The next stop left of `col`, or `first`.
    pub(crate) fn before(&self, col: u16, first: u16) -> u16 {
        (first..col).rev().find(|&col| self.stops[usize::from(col)]).unwrap_or(first)
    }

    pub(crate) fn is_default(&self) -> bool {
        self.stops.iter().enumerate().all(|(col, &stop)| stop == (col % usize::from(INTERVAL) == 0))
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = u16> {
        self.stops.iter().enumerate().filter(|&(_, &stop)| stop).map(|(col, _)| col as u16)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stops() {
        let mut tabs = TabStops::new(20);
        assert_eq!(tabs.after(0, 19), 8);
        assert_eq!(tabs.after(16, 19), 19);
        assert_eq!(tabs.before(8, 0), 0);
        tabs.clear_all();
        tabs.set(3);
        assert_eq!((tabs.after(0, 19), tabs.after(3, 19), tabs.before(9, 5)), (3, 19, 5));
        tabs.resize(40);
        assert_eq!(tabs.after(19, 39), 24);
    }
}
