//! A stack of layers: an event travels down until a layer takes it; drawing goes up.
//!
//! A palette, a pop-up and a pane are all layers, so none needs a special case. [`Layer::update`] changes state and
//! draws nothing; [`Layer::render`] draws and changes nothing. The context type `C` decides what a layer may do to the
//! program.

use crate::{
    canvas::{Canvas, CanvasCursor},
    event::HostEvent,
    geometry::Rect,
};

/// What a layer did with an event.
pub enum LayerOutcome<C> {
    /// Not for this layer: the layer below gets it.
    Passed,
    /// Not for this layer, which closes: the layer below gets the event even if this one is modal.
    GivesWay,
    Taken,
    /// Taken, and the layer closes.
    Close,
    /// Taken, and another layer opens on top.
    Open(Box<dyn Layer<C>>),
    /// Taken, and another layer replaces this one.
    Replace(Box<dyn Layer<C>>),
}

impl<C> std::fmt::Debug for LayerOutcome<C> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            LayerOutcome::Passed => "Passed",
            LayerOutcome::GivesWay => "GivesWay",
            LayerOutcome::Taken => "Taken",
            LayerOutcome::Close => "Close",
            LayerOutcome::Open(_) => "Open",
            LayerOutcome::Replace(_) => "Replace",
        })
    }
}

pub trait Layer<C> {
    fn update(&mut self, event: &HostEvent, context: &mut C) -> LayerOutcome<C>;

    /// The context changed without an event: the layer updates what it copied from it.
    fn refresh(&mut self, _context: &mut C) {}

    /// Whether the layer has become obsolete: it is removed at the next refresh.
    fn is_over(&self) -> bool {
        false
    }

    /// Draws itself, and returns where it wants the cursor.
    fn render(&self, canvas: &mut Canvas, area: Rect, context: &C) -> Option<CanvasCursor>;

    /// Whether no event reaches the layers below, even those this one passes on: for questions that must be answered.
    fn is_modal(&self) -> bool {
        false
    }
}

/// The layers, the lowest first.
pub struct LayerStack<C> {
    stack: Vec<Box<dyn Layer<C>>>,
}

impl<C> std::fmt::Debug for LayerStack<C> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Layers").field("count", &self.stack.len()).finish()
    }
}

impl<C> Default for LayerStack<C> {
    fn default() -> Self {
        LayerStack { stack: Vec::new() }
    }
}

impl<C> LayerStack<C> {
    pub fn push(&mut self, layer: Box<dyn Layer<C>>) {
        self.stack.push(layer);
    }

    pub fn len(&self) -> usize {
        self.stack.len()
    }

    pub fn is_empty(&self) -> bool {
        self.stack.is_empty()
    }

    /// Offers `event` to the layers from the top; false if none took it.
    pub fn update(&mut self, event: &HostEvent, context: &mut C) -> bool {
        for index in (0..self.stack.len()).rev() {
            match self.stack[index].update(event, context) {
                LayerOutcome::Passed if self.stack[index].is_modal() => return true,
                LayerOutcome::Passed => continue,
                LayerOutcome::GivesWay => {
                    self.stack.remove(index);
                    continue;
                }
                LayerOutcome::Taken => {}
                LayerOutcome::Close => {
                    self.stack.remove(index);
                }
                LayerOutcome::Open(layer) => self.stack.push(layer),
                LayerOutcome::Replace(layer) => self.stack[index] = layer,
            }
            return true;
        }
        false
    }

    /// The context changed without an event.
    pub fn refresh(&mut self, context: &mut C) {
        self.stack.retain(|layer| !layer.is_over());
        for layer in &mut self.stack {
            layer.refresh(context);
        }
    }

    /// Draws all layers, the lowest first. The topmost layer that wants the cursor gets it; a modal layer hides the
    /// cursors of those below.
    pub fn render(&self, canvas: &mut Canvas, context: &C) {
        let area = Rect::of(canvas.size());
        let mut cursor = None;
        for layer in &self.stack {
            let wanted = layer.render(canvas, area, context);
            cursor = if layer.is_modal() { wanted } else { wanted.or(cursor) };
        }
        canvas.set_cursor(cursor);
    }
}

#[cfg(test)]
mod tests {
    use vt::{
        CursorShape, Position, Size, Style,
        input::{Key, KeyEvent},
    };

    use super::*;

    struct Note {
        name: &'static str,
        takes: char,
        modal: bool,
    }

    impl Layer<Vec<String>> for Note {
        fn update(&mut self, event: &HostEvent, heard: &mut Vec<String>) -> LayerOutcome<Vec<String>> {
            let HostEvent::Key(key) = event else { return LayerOutcome::Passed };
            heard.push(format!("{}:{key}", self.name));
            match key.key {
                Key::Char(c) if c == self.takes => LayerOutcome::Taken,
                Key::Escape => LayerOutcome::Close,
                Key::Char('g') if self.modal => LayerOutcome::GivesWay,
                Key::Char('o') => LayerOutcome::Open(Box::new(Note { name: "new", takes: 'n', modal: true })),
                _ => LayerOutcome::Passed,
            }
        }

        fn render(&self, canvas: &mut Canvas, area: Rect, _: &Vec<String>) -> Option<CanvasCursor> {
            canvas.draw_text(area, Position::default(), self.name, Style::default());
            let position = Position { row: 0, col: 1 };
            (self.name == "low").then_some(CanvasCursor { position, shape: CursorShape::Bar, blinking: false })
        }

        fn is_modal(&self) -> bool {
            self.modal
        }
    }

    #[test]
    fn events_go_down_until_one_takes_them() {
        let mut layers = LayerStack::default();
        layers.push(Box::new(Note { name: "low", takes: 'l', modal: false }));
        layers.push(Box::new(Note { name: "top", takes: 't', modal: false }));
        let mut heard = Vec::new();
        let key = |c: char| HostEvent::Key(KeyEvent::press(c));
        assert!(layers.update(&key('t'), &mut heard) && layers.update(&key('l'), &mut heard));
        assert!(!layers.update(&key('x'), &mut heard));
        assert_eq!(heard, ["top:t", "top:l", "low:l", "top:x", "low:x"]);

        let mut canvas = Canvas::new(Size::new(8, 1));
        layers.render(&mut canvas, &heard);
        assert_eq!((canvas.text(), canvas.cursor().is_some()), ("top\n".into(), true));

        // A modal layer keeps events that it does not handle.
        layers.update(&key('o'), &mut heard);
        heard.clear();
        assert!(layers.update(&key('x'), &mut heard));
        assert_eq!(heard, ["new:x"]);
        layers.render(&mut canvas, &heard);
        assert_eq!((canvas.text(), canvas.cursor()), ("new\n".into(), None));
        layers.update(&HostEvent::Key(KeyEvent::press(Key::Escape)), &mut heard);
        assert_eq!(layers.len(), 2);

        // A layer that gives way is removed, and the layers below get the event.
        layers.update(&key('o'), &mut heard);
        heard.clear();
        layers.update(&key('g'), &mut heard);
        assert_eq!((heard.as_slice(), layers.len()), (["new:g", "top:g", "low:g"].map(str::to_owned).as_slice(), 2));
    }
}
