//! Many sessions at once, each in a tile: where the tiles are, and how one goes about them.

use tui::Rect;
use vt::Size;

use crate::layout::PaneDirection;

/// What a tile needs, its heading included.
pub const SMALLEST_TILE: Size = Size { cols: 20, rows: 5 };

/// The keys that open tiles, in their order.
pub const TILE_KEYS: &str = "123456789abcdefghijklmnopqrstuvwxyz";

/// The tiles of `count` sessions in an area.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TileGrid {
    area: Rect,
    count: usize,
    across: usize,
    down: usize,
}

impl TileGrid {
    /// As many columns of tiles as show most of each session's screen.
    pub fn new(area: Rect, count: usize) -> Self {
        let most_across = usize::from(area.cols / SMALLEST_TILE.cols).max(1);
        let most_down = usize::from(area.rows / SMALLEST_TILE.rows).max(1);
        let all =
            (1..=most_across.min(count.max(1))).map(|across| (across, count.div_ceil(across).clamp(1, most_down)));
        // A tile is as good as what it shows of 80x24 in its worse direction; of equal ones, more on a page.
        let worth = |&(across, down): &(usize, usize)| {
            let (cols, rows) = (usize::from(area.cols) / across, usize::from(area.rows) / down);
            ((across * down).min(count), (cols * 24).min(rows * 80))
        };
        let (across, down) = all.max_by_key(worth).unwrap_or((1, 1));
        TileGrid { area, count, across, down }
    }

    /// The sessions on the page of the one at `cursor`, by their numbers, and where they are.
    pub fn page(&self, cursor: usize) -> Vec<(usize, Rect)> {
        let per_page = self.across * self.down;
        let first = cursor.min(self.count.saturating_sub(1)) / per_page * per_page;
        let last = (first + per_page).min(self.count);
        (first..last).map(|index| (index, self.tile(index - first))).collect()
    }

    /// How many sessions are on other pages.
    pub fn hidden(&self, cursor: usize) -> usize {
        self.count - self.page(cursor).len()
    }

    /// What a cursor moves to; it stays where there is nothing in that direction.
    pub fn moved(&self, cursor: usize, direction: PaneDirection) -> usize {
        let next = match direction {
            PaneDirection::Left => cursor.checked_sub(1),
            PaneDirection::Right => cursor.checked_add(1),
            PaneDirection::Up => cursor.checked_sub(self.across),
            PaneDirection::Down => cursor.checked_add(self.across),
        };
        next.filter(|next| *next < self.count).unwrap_or(cursor)
    }

    /// The session that a key opens, of those on the page of `cursor`.
    pub fn by_key(&self, cursor: usize, key: char) -> Option<usize> {
        let place = TILE_KEYS.chars().position(|known| known == key)?;
        self.page(cursor).get(place).map(|(index, _)| *index)
    }

    /// Tiles share the area without a gap; the last ones take what is left over.
    fn tile(&self, place: usize) -> Rect {
        let (across, down) = (place % self.across, place / self.across);
        let edge = |room: u16, parts: usize, part: usize| (usize::from(room) * part / parts) as u16;
        let (left, right) = (edge(self.area.cols, self.across, across), edge(self.area.cols, self.across, across + 1));
        let (top, bottom) = (edge(self.area.rows, self.down, down), edge(self.area.rows, self.down, down + 1));
        Rect::new(self.area.col + left, self.area.row + top, right - left, bottom - top)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const AREA: Rect = Rect::new(0, 1, 160, 46);

    fn shape(area: Rect, count: usize) -> (usize, usize) {
        let grid = TileGrid::new(area, count);
        (grid.across, grid.down)
    }

    #[test]
    fn tiles_are_shaped_like_terminals() {
        assert_eq!(shape(AREA, 1), (1, 1));
        assert_eq!(shape(AREA, 4), (2, 2));
        assert_eq!(shape(AREA, 6), (3, 2));
        assert_eq!(shape(Rect::new(0, 1, 80, 22), 2), (2, 1));
        assert_eq!(shape(Rect::new(0, 1, 40, 10), 9), (2, 2));
        assert_eq!(shape(Rect::new(0, 0, 5, 2), 3), (1, 1), "never none");
    }

    #[test]
    fn tiles_cover_the_area() {
        for count in 1..40 {
            let page = TileGrid::new(AREA, count).page(0);
            assert_eq!(page[0].1.col, AREA.col);
            assert!(page.iter().all(|(_, tile)| tile.cols >= SMALLEST_TILE.cols && tile.rows >= SMALLEST_TILE.rows));
            let ends = page.iter().map(|(_, tile)| (tile.right(), tile.bottom()));
            assert!(ends.max() <= Some((AREA.right(), AREA.bottom())), "{count}");
        }
    }

    #[test]
    fn what_has_no_room_is_on_the_next_page() {
        let grid = TileGrid::new(Rect::new(0, 0, 40, 10), 9);
        let numbers = |cursor| grid.page(cursor).iter().map(|(index, _)| *index).collect::<Vec<_>>();
        assert_eq!((numbers(0), numbers(3)), (vec![0, 1, 2, 3], vec![0, 1, 2, 3]));
        assert_eq!((numbers(4), numbers(8), numbers(99)), (vec![4, 5, 6, 7], vec![8], vec![8]));
        assert_eq!((grid.hidden(0), grid.hidden(8)), (5, 8));
        assert_eq!((grid.by_key(4, '2'), grid.by_key(8, '2'), grid.by_key(0, '!')), (Some(5), None, None));
        assert!(TileGrid::new(AREA, 0).page(0).is_empty());
    }

    #[test]
    fn arrows_go_about_the_tiles() {
        use PaneDirection::{Down, Left, Right, Up};
        let grid = TileGrid::new(AREA, 5);
        assert_eq!(grid.across, 3);
        assert_eq!((grid.moved(0, Right), grid.moved(0, Down), grid.moved(4, Up)), (1, 3, 1));
        assert_eq!((grid.moved(0, Left), grid.moved(2, Down), grid.moved(4, Right), grid.moved(1, Up)), (0, 2, 4, 1));
    }
}
