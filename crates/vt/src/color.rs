//! Colours as the child names them, and the theme that gives the names their values.

/// A colour of a cell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Color {
    #[default]
    Default,
    /// One of the 256 palette entries; 0–15 are the ANSI colours.
    Indexed(u8),
    Rgb(u8, u8, u8),
}

/// A colour given by value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Rgb {
    pub r: u8,
    pub g: u8,
    pub b: u8,
}

impl Rgb {
    pub const fn new(r: u8, g: u8, b: u8) -> Self {
        Rgb { r, g, b }
    }

    pub const fn from_u32(rgb: u32) -> Self {
        Rgb { r: (rgb >> 16) as u8, g: (rgb >> 8) as u8, b: rgb as u8 }
    }
}

/// The values of named colours. A child may change them with OSC 4, 10, 11 and 12.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Theme {
    pub foreground: Rgb,
    pub background: Rgb,
    pub cursor: Rgb,
    pub palette: Box<[Rgb; 256]>,
}

impl Theme {
    /// The value of `color`, or `None` for the default colour (whose value depends on its role).
    pub fn resolve(&self, color: Color) -> Option<Rgb> {
        match color {
            Color::Default => None,
            Color::Indexed(index) => Some(self.palette[index as usize]),
            Color::Rgb(r, g, b) => Some(Rgb { r, g, b }),
        }
    }

    /// Whether text is dark on light, for the colour scheme report.
    pub fn is_light(&self) -> bool {
        let Rgb { r, g, b } = self.background;
        // Rec. 601 luma; the midpoint splits light from dark.
        u32::from(r) * 299 + u32::from(g) * 587 + u32::from(b) * 114 > 127_500
    }
}

impl Default for Theme {
    /// xterm's palette on a dark background.
    fn default() -> Self {
        const ANSI: [u32; 16] = [
            0x000000, 0xcd0000, 0x00cd00, 0xcdcd00, 0x0000ee, 0xcd00cd, 0x00cdcd, 0xe5e5e5, 0x7f7f7f, 0xff0000,
            0x00ff00, 0xffff00, 0x5c5cff, 0xff00ff, 0x00ffff, 0xffffff,
        ];
        const STEPS: [u8; 6] = [0, 95, 135, 175, 215, 255];
        let palette = std::array::from_fn(|index| match index {
            0..16 => Rgb::from_u32(ANSI[index]),
            16..232 => {
                let cube = index - 16;
                Rgb::new(STEPS[cube / 36], STEPS[cube / 6 % 6], STEPS[cube % 6])
            }
            _ => {
                let grey = 8 + 10 * (index - 232) as u8;
                Rgb::new(grey, grey, grey)
            }
        });
        Theme {
            foreground: Rgb::from_u32(0xe5e5e5),
            background: Rgb::from_u32(0x000000),
            cursor: Rgb::from_u32(0xe5e5e5),
            palette: Box::new(palette),
        }
    }
}
