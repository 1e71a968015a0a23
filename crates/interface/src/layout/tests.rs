//! Panes without a terminal: splits, sizes, the keyboard, and what goes.

use proptest::prelude::*;

use super::*;

const AREA: Rect = Rect::new(0, 1, 81, 24);

/// `a` with `b` to its right and `c` below `b`; `c` has the keyboard.
fn three() -> PaneTree<char> {
    let mut tree = PaneTree::new('a');
    tree.split(SplitAxis::Columns, 'b', AREA).unwrap();
    tree.split(SplitAxis::Rows, 'c', AREA).unwrap();
    tree
}

fn area_of(tree: &PaneTree<char>, session: char) -> Rect {
    tree.solve(AREA).of(session).unwrap().area()
}

#[test]
fn one_pane_has_everything_and_no_heading() {
    let tree = PaneTree::new('a');
    let places = tree.solve(AREA);
    assert_eq!(places.panes, [PanePlace { session: 'a', heading: None, body: AREA }]);
    assert!(places.borders.is_empty() && tree.is_single());
}

#[test]
fn a_split_halves_and_gets_the_keyboard() {
    let tree = three();
    assert_eq!(tree.focused(), 'c');
    assert_eq!(tree.sessions(), ['a', 'b', 'c']);
    assert_eq!(area_of(&tree, 'a'), Rect::new(0, 1, 40, 24));
    assert_eq!(area_of(&tree, 'b'), Rect::new(41, 1, 40, 12));
    assert_eq!(area_of(&tree, 'c'), Rect::new(41, 13, 40, 12));
    let c = tree.solve(AREA).of('c').unwrap();
    assert_eq!((c.heading, c.body), (Some(Rect::new(41, 13, 40, 1)), Rect::new(41, 14, 40, 11)));
}

#[test]
fn borders_are_a_column_or_the_heading_below() {
    let places = three().solve(AREA);
    let at = |col, row| places.border_at(Position { row, col }).map(|border| border.axis);
    assert_eq!(at(40, 5), Some(SplitAxis::Columns));
    assert_eq!(at(60, 13), Some(SplitAxis::Rows));
    assert_eq!((at(60, 12), at(10, 13), at(41, 1)), (None, None, None));
    assert_eq!(places.pane_at(Position { row: 13, col: 50 }).unwrap().session, 'c');
    assert_eq!(places.pane_at(Position { row: 5, col: 40 }), None);
}

#[test]
fn what_is_in_sight_is_not_split_off_twice() {
    let mut tree = three();
    tree.split(SplitAxis::Rows, 'a', AREA).unwrap();
    assert_eq!((tree.sessions().len(), tree.focused()), (3, 'a'));
}

#[test]
fn a_split_without_room_is_refused_and_changes_nothing() {
    let narrow = Rect::new(0, 0, 20, 24);
    let mut tree = PaneTree::new('a');
    assert!(!tree.has_room(SplitAxis::Columns, narrow) && tree.has_room(SplitAxis::Rows, narrow));
    assert_eq!(tree.split(SplitAxis::Columns, 'b', narrow), Err(NoRoom));
    assert_eq!(tree, PaneTree::new('a'));
    assert_eq!(tree.split(SplitAxis::Columns, 'b', Rect::new(0, 0, 21, 3)), Ok(()));
}

#[test]
fn a_pane_may_be_split_at_its_neighbours_cost() {
    let area = Rect::new(0, 0, 32, 10);
    let mut tree = PaneTree::new('a');
    tree.split(SplitAxis::Columns, 'b', area).unwrap();
    tree.split(SplitAxis::Columns, 'c', area).unwrap();
    let cols: Vec<u16> = tree.solve(area).panes.iter().map(|place| place.body.cols).collect();
    assert_eq!(cols, [10, 10, 10]);
}

#[test]
fn closing_gives_the_room_and_the_keyboard_back() {
    let mut tree = three();
    tree.focus('a');
    tree.focus('c');
    assert!(tree.close('c'));
    assert_eq!(tree.focused(), 'a', "what had the keyboard before");
    assert_eq!(area_of(&tree, 'b'), Rect::new(41, 1, 40, 24));
    assert!(tree.close('a') && !tree.close('b') && !tree.close('x'), "the last one stays");
    assert_eq!((tree.focused(), tree.is_single()), ('b', true));
}

#[test]
fn closing_another_pane_leaves_the_keyboard_where_it_is() {
    let mut tree = three();
    assert!(tree.close('a'));
    assert_eq!(tree.focused(), 'c');
    assert_eq!(tree.sessions(), ['b', 'c']);
}

#[test]
fn a_pane_goes_with_its_session() {
    let mut tree = three();
    assert!(tree.keep(|session| session != 'c'));
    assert_eq!(tree.sessions(), ['a', 'b']);
    assert!(tree.contains(tree.focused()));
    let before = tree.clone();
    assert!(!tree.keep(|_| false), "nothing is left to show");
    assert_eq!(tree, before);
    assert!(tree.keep(|session| session == 'b') && tree.is_single());
}

#[test]
fn what_is_shown_takes_the_place_of_what_has_the_keyboard() {
    let mut tree = three();
    tree.show('x');
    assert_eq!((tree.sessions(), tree.focused()), (vec!['a', 'b', 'x'], 'x'));
    tree.show('a');
    assert_eq!((tree.sessions(), tree.focused()), (vec!['a', 'b', 'x'], 'a'), "what is in sight gets the keyboard");
    assert!(tree.close('a'));
    assert_eq!(tree.focused(), 'x', "what was replaced is forgotten");
}

#[test]
fn a_pinned_pane_keeps_what_it_shows() {
    let mut tree = three();
    tree.toggle_pin('c');
    tree.show('x');
    assert_eq!((tree.sessions(), tree.focused()), (vec!['a', 'x', 'c'], 'x'), "b had the keyboard before");
    tree.toggle_pin('x');
    tree.show('y');
    assert_eq!(tree.sessions(), ['y', 'x', 'c']);
    tree.toggle_pin('y');
    tree.show('z');
    assert_eq!((tree.sessions(), tree.is_pinned('z')), (vec!['z', 'x', 'c'], false), "where all are, one gives way");
    tree.toggle_pin('c');
    assert!(!tree.is_pinned('c'));
    tree.toggle_pin('q');
    assert!(!tree.is_pinned('q'), "what is not there can't be");
}

#[test]
fn neighbours_are_found_by_direction() {
    use PaneDirection::{Down, Left, Right, Up};
    let mut tree = three();
    assert_eq!(tree.neighbour(Up, AREA), Some('b'));
    assert_eq!(tree.neighbour(Left, AREA), Some('a'));
    assert_eq!((tree.neighbour(Right, AREA), tree.neighbour(Down, AREA)), (None, None));
    tree.focus('a');
    assert_eq!(tree.neighbour(Right, AREA), Some('c'), "of two, the one that had the keyboard last");
    tree.focus('b');
    tree.focus('a');
    assert_eq!(tree.neighbour(Right, AREA), Some('b'));
    tree.toggle_zoom();
    assert_eq!(tree.neighbour(Right, AREA), Some('b'), "also while they are hidden");
    assert_eq!(tree.neighbour(Right, Rect::new(0, 0, 12, 3)), Some('b'), "or have no room");
}

#[test]
fn zoom_hides_the_others_until_it_is_taken_back() {
    let mut tree = three();
    tree.toggle_zoom();
    let places = tree.solve(AREA);
    assert_eq!((places.panes.len(), places.panes[0].area()), (1, AREA));
    assert!(places.panes[0].heading.is_some(), "it says that there are others");
    tree.focus('a');
    assert_eq!(tree.solve(AREA).panes[0].session, 'a', "it goes with the keyboard");
    tree.toggle_zoom();
    assert_eq!(tree.solve(AREA).panes.len(), 3);
    tree.toggle_zoom();
    tree.split(SplitAxis::Rows, 'd', AREA).unwrap();
    assert!(!tree.is_zoomed(), "a new pane is to be seen");
    let mut alone = PaneTree::new('a');
    alone.toggle_zoom();
    assert!(!alone.is_zoomed());
}

#[test]
fn zoom_ends_with_the_pane_or_the_last_neighbour() {
    let mut tree = three();
    tree.toggle_zoom();
    tree.close('a');
    assert!(tree.is_zoomed());
    tree.close('b');
    assert!(!tree.is_zoomed() && tree.is_single());
    let mut tree = three();
    tree.toggle_zoom();
    tree.close('c');
    assert!(!tree.is_zoomed());
}

#[test]
fn without_room_for_all_only_the_keyboard_is_in_sight() {
    let tree = three();
    for (cols, rows) in [(20, 24), (81, 5), (1, 1), (0, 0)] {
        let area = Rect::new(0, 0, cols, rows);
        let places = tree.solve(area);
        assert_eq!((places.panes.len(), places.panes[0].session), (1, 'c'), "{cols}x{rows}");
        assert_eq!(places.panes[0].area(), area);
    }
    assert_eq!(tree.solve(AREA).panes.len(), 3, "it comes back with the room");
}

#[test]
fn borders_move_by_keys_within_what_panes_need() {
    let mut tree = three();
    assert!(tree.push_border(PaneDirection::Up, 4, AREA));
    assert_eq!(area_of(&tree, 'c'), Rect::new(41, 9, 40, 16));
    assert!(tree.push_border(PaneDirection::Left, 10, AREA), "the border of the split around it");
    assert_eq!(area_of(&tree, 'a').cols, 30);
    assert!(tree.push_border(PaneDirection::Left, 500, AREA));
    assert_eq!(area_of(&tree, 'a').cols, SMALLEST_PANE.cols);
    assert!(!tree.push_border(PaneDirection::Left, 1, AREA));
    assert!(tree.push_border(PaneDirection::Down, 500, AREA));
    assert_eq!(area_of(&tree, 'c').rows, SMALLEST_PANE.rows);
    tree.focus('a');
    assert!(!tree.push_border(PaneDirection::Down, 1, AREA), "nothing is above or below it");
    tree.toggle_zoom();
    assert!(!tree.push_border(PaneDirection::Right, 1, AREA), "nor beside it while it is zoomed");
}

#[test]
fn borders_follow_the_mouse() {
    let mut tree = three();
    for col in [70, 12, 40, 33] {
        let border = tree.solve(AREA).borders[0].path.clone();
        tree.drag_border(&border, AREA, Position { row: 3, col });
        assert_eq!(tree.solve(AREA).borders[0].area.col, col);
    }
    let border = tree.solve(AREA).borders[1].path.clone();
    assert!(tree.drag_border(&border, AREA, Position { row: 20, col: 60 }));
    assert_eq!(area_of(&tree, 'c').row, 20);
    assert!(tree.drag_border(&border, AREA, Position { row: 0, col: 60 }));
    assert_eq!(area_of(&tree, 'b').rows, SMALLEST_PANE.rows, "no further");
    let mut other = PaneTree::new('a');
    assert!(!other.drag_border(&border, AREA, Position::default()), "a border of another tree is none");
}

#[test]
fn shares_outlive_sizes() {
    let mut tree = three();
    tree.push_border(PaneDirection::Left, 20, AREA);
    let before = tree.solve(AREA);
    tree.solve(Rect::new(0, 0, 30, 8));
    assert_eq!(tree.solve(AREA), before);
    let wide = tree.solve(Rect::new(0, 0, 161, 24));
    assert_eq!(wide.of('a').unwrap().body.cols, 40, "a quarter stays a quarter");
}

#[test]
fn what_is_out_of_sight_has_the_size_it_will_have() {
    let mut tree = three();
    assert_eq!(tree.place_of('a', AREA), tree.solve(AREA).of('a').unwrap().body);
    assert_eq!(tree.place_of('x', AREA), tree.solve(AREA).of('c').unwrap().body, "in place of what has the keyboard");
    tree.toggle_zoom();
    assert_eq!(tree.place_of('a', AREA).cols, 40, "as it is beside the others");
    assert_eq!(tree.place_of('c', AREA), Rect::new(0, 2, 81, 23));
    assert_eq!(PaneTree::new('a').place_of('x', AREA), AREA);
}

#[derive(Clone, Debug)]
enum Step {
    Split(SplitAxis, char),
    Close(char),
    Show(char),
    Push(PaneDirection, u16),
    Go(PaneDirection),
    Pin(char),
    Zoom,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let session = || prop::sample::select(('a'..='h').collect::<Vec<_>>());
    let axis = prop::sample::select(vec![SplitAxis::Columns, SplitAxis::Rows]);
    let direction = || {
        use PaneDirection::{Down, Left, Right, Up};
        prop::sample::select(vec![Left, Down, Up, Right])
    };
    let step = prop_oneof![
        3 => (axis, session()).prop_map(|(axis, session)| Step::Split(axis, session)),
        1 => session().prop_map(Step::Close),
        1 => session().prop_map(Step::Show),
        2 => (direction(), 0u16..40).prop_map(|(direction, cells)| Step::Push(direction, cells)),
        1 => direction().prop_map(Step::Go),
        1 => session().prop_map(Step::Pin),
        1 => Just(Step::Zoom),
    ];
    prop::collection::vec(step, 0..40)
}

proptest! {
    #[test]
    fn panes_and_borders_cover_the_area_and_never_overlap(steps in steps(), cols in 0u16..200, rows in 0u16..60) {
        let area = Rect::new(3, 2, cols, rows);
        let mut tree = PaneTree::new('a');
        for step in steps {
            match step {
                Step::Split(axis, session) => drop(tree.split(axis, session, area)),
                Step::Close(session) => drop(tree.close(session)),
                Step::Show(session) => tree.show(session),
                Step::Push(direction, cells) => drop(tree.push_border(direction, cells, area)),
                Step::Go(direction) => {
                    if let Some(session) = tree.neighbour(direction, area) {
                        prop_assert!(tree.focus(session));
                    }
                }
                Step::Pin(session) => tree.toggle_pin(session),
                Step::Zoom => tree.toggle_zoom(),
            }
            let sessions = tree.sessions();
            prop_assert!(sessions.contains(&tree.focused()));
            prop_assert!(tree.visited.iter().all(|visited| sessions.contains(visited) && *visited != tree.focused()));
            prop_assert!(tree.pinned.iter().all(|pinned| sessions.contains(pinned)));
            let places = tree.solve(area);
            prop_assert!(places.of(tree.focused()).is_some(), "the keyboard is always in sight");
            let mut covered = vec![0u8; usize::from(cols) * usize::from(rows)];
            let lines = places.borders.iter().filter(|border| border.axis == SplitAxis::Columns);
            let lines = lines.map(|border| border.area);
            for part in places.panes.iter().map(PanePlace::area).chain(lines) {
                for row in part.row..part.bottom() {
                    for col in part.col..part.right() {
                        covered[usize::from(row - 2) * usize::from(cols) + usize::from(col - 3)] += 1;
                    }
                }
            }
            prop_assert!(covered.iter().all(|times| *times == 1), "{places:?}");
            if places.panes.len() > 1 {
                let enough = |place: &PanePlace<char>| fits(SMALLEST_PANE, place.area());
                prop_assert!(places.panes.iter().all(enough), "{places:?}");
            }
        }
    }
}
