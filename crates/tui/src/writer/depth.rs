//! Colour reduction for hosts with fewer colours.

use vt::{Color, Rgb, Theme};

/// The host's number of colours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum ColorDepth {
    /// None: attributes only.
    None,
    Ansi16,
    Palette256,
    #[default]
    TrueColor,
}

/// The steps of the palette's colour cube.
const STEPS: [u8; 6] = [0, 95, 135, 175, 215, 255];

impl ColorDepth {
    /// The nearest colour that the host has.
    pub fn nearest(self, color: Color) -> Color {
        match (self, color) {
            (ColorDepth::None, _) | (_, Color::Default) => Color::Default,
            (ColorDepth::Palette256, Color::Rgb(r, g, b)) => Color::Indexed(palette_index(Rgb::new(r, g, b))),
            (ColorDepth::Ansi16, Color::Rgb(r, g, b)) => Color::Indexed(ansi_index(Rgb::new(r, g, b))),
            (ColorDepth::Ansi16, Color::Indexed(index @ 16..)) => Color::Indexed(ansi_index(palette_value(index))),
            (_, color) => color,
        }
    }
}

/// The nearest colour of the cube and the greys. The first 16 are left out, since users redefine them.
fn palette_index(color: Rgb) -> u8 {
    let step = |value: u8| (0..6).min_by_key(|&step: &u8| STEPS[usize::from(step)].abs_diff(value)).unwrap_or(0);
    let (r, g, b) = (step(color.r), step(color.g), step(color.b));
    let cube = 16 + 36 * r + 6 * g + b;
    let average = (u16::from(color.r) + u16::from(color.g) + u16::from(color.b)) / 3;
    let grey = 232 + ((average.saturating_sub(3)) / 10).min(23) as u8;
    let nearer = distance(palette_value(grey), color) < distance(palette_value(cube), color);
    if nearer { grey } else { cube }
}

fn palette_value(index: u8) -> Rgb {
    match index {
        0..16 => Theme::default().palette[usize::from(index)],
        16..232 => {
            let step = |part: u8| STEPS[usize::from(part % 6)];
            let cube = index - 16;
            Rgb::new(step(cube / 36), step(cube / 6), step(cube))
        }
        _ => {
            let grey = 8 + 10 * (index - 232);
            Rgb::new(grey, grey, grey)
        }
    }
}

fn ansi_index(color: Rgb) -> u8 {
    let palette = Theme::default().palette;
    (0..16).min_by_key(|&index: &u8| distance(palette[usize::from(index)], color)).unwrap_or(7)
}

/// A distance weighted by perception: green counts most, blue least.
fn distance(a: Rgb, b: Rgb) -> u32 {
    let square = |a: u8, b: u8| u32::from(a.abs_diff(b)).pow(2);
    3 * square(a.r, b.r) + 6 * square(a.g, b.g) + square(a.b, b.b)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_become_the_nearest_there_is() {
        let red = Color::Rgb(250, 3, 5);
        assert_eq!(ColorDepth::TrueColor.nearest(red), red);
        assert_eq!(ColorDepth::Palette256.nearest(red), Color::Indexed(196));
        assert_eq!(ColorDepth::Ansi16.nearest(red), Color::Indexed(9));
        assert_eq!(ColorDepth::None.nearest(red), Color::Default);
        assert_eq!(ColorDepth::Palette256.nearest(Color::Rgb(98, 98, 98)), Color::Indexed(241));
        assert_eq!(ColorDepth::Ansi16.nearest(Color::Indexed(196)), Color::Indexed(9));
        assert_eq!(ColorDepth::Ansi16.nearest(Color::Indexed(4)), Color::Indexed(4));
        assert_eq!(ColorDepth::Palette256.nearest(Color::Rgb(255, 255, 255)), Color::Indexed(231));
    }
}
