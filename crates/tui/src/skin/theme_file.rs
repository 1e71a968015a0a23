//! Theme files: the styles of roles as JSON with comments. This module is given their text and knows no folders.
//!
//! The text is hostile: its length is bounded, and what is wrong is reported with its line.

use jsonc_parser::{
    CollectOptions, ParseOptions,
    ast::{Object, ObjectProp, Value},
    common::Ranged,
    parse_to_ast,
};
use vt::{Attributes, Color, Rgb, Style, Underline};

use super::{ShippedTheme, SkinRole, SkinStyles};

/// Maximum bytes of a theme file.
pub const MAX_THEME_BYTES: usize = 64 << 10;

/// Comments and trailing commas are allowed; everything else is plain JSON.
const OPTIONS: ParseOptions = ParseOptions {
    allow_comments: true,
    allow_loose_object_property_names: false,
    allow_trailing_commas: true,
    allow_missing_commas: false,
    allow_single_quoted_strings: false,
    allow_hexadecimal_numbers: false,
    allow_unary_plus_numbers: false,
    allow_non_finite_numbers: false,
    allow_bare_decimal_point_numbers: false,
    allow_extended_string_escapes: false,
};

/// The terminal's own colours, by their numbers.
const NAMED_COLORS: [&str; 16] = [
    "black",
    "red",
    "green",
    "yellow",
    "blue",
    "magenta",
    "cyan",
    "white",
    "bright_black",
    "bright_red",
    "bright_green",
    "bright_yellow",
    "bright_blue",
    "bright_magenta",
    "bright_cyan",
    "bright_white",
];

const ATTRIBUTES: [&str; 5] = ["bold", "dim", "italic", "underline", "inverse"];

/// What a theme file says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ThemeFile {
    /// The theme that the other roles are taken from.
    pub base: Option<ShippedTheme>,
    /// The roles that the file gives, in its order; of the same role, the last one counts.
    pub roles: Vec<(SkinRole, Style)>,
}

/// What is wrong with a theme file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ThemeFault {
    #[error("the file has {length} bytes, at most {MAX_THEME_BYTES} are allowed: make it smaller")]
    TooLong { length: usize },
    #[error("line {line}, column {column}: {message}: correct it")]
    NotJson { line: usize, column: usize, message: String },
    /// A key that nothing reads.
    #[error("line {line}: '{key}' is not {what}: use one of {known}")]
    Unknown { line: usize, key: String, what: &'static str, known: String },
    #[error("line {line}: {key} must be {must}")]
    Wrong { line: usize, key: String, must: String },
}

impl ThemeFile {
    pub fn parse(text: &str) -> Result<Self, ThemeFault> {
        if text.len() > MAX_THEME_BYTES {
            return Err(ThemeFault::TooLong { length: text.len() });
        }
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let tree = parse_to_ast(text, &CollectOptions::default(), &OPTIONS).map_err(|error| ThemeFault::NotJson {
            line: error.line_display(),
            column: error.column_display(),
            message: error.kind().to_string(),
        })?;
        let Some(Value::Object(root)) = tree.value else {
            let message = "a theme is one JSON object, in braces".to_owned();
            return Err(ThemeFault::NotJson { line: 1, column: 1, message });
        };
        Reading { text }.theme(&root)
    }

    /// The styles of all roles: those of the file, and for the others its base's; without one, the terminal's colours.
    pub fn styles(&self) -> SkinStyles {
        self.over(self.base.unwrap_or(ShippedTheme::Terminal).styles())
    }

    pub(super) fn over(&self, mut styles: SkinStyles) -> SkinStyles {
        for (role, style) in &self.roles {
            styles.set(*role, *style);
        }
        styles
    }
}

/// Reads the parsed text; faults name lines of it.
struct Reading<'a> {
    text: &'a str,
}

impl Reading<'_> {
    fn theme(&self, root: &Object<'_>) -> Result<ThemeFile, ThemeFault> {
        let mut theme = ThemeFile { base: None, roles: Vec::new() };
        for property in &root.properties {
            match property.name.as_str() {
                // For editors.
                "$schema" => {}
                "base" => theme.base = Some(self.base(property)?),
                "roles" => {
                    for role in &self.object(property, "roles")?.properties {
                        theme.roles.push(self.role(role)?);
                    }
                }
                _ => return Err(self.unknown(property, "a key of a theme", &["base", "roles"])),
            }
        }
        Ok(theme)
    }

    fn base(&self, property: &ObjectProp<'_>) -> Result<ShippedTheme, ThemeFault> {
        let base = text(&property.value).and_then(ShippedTheme::named);
        let names = ShippedTheme::ALL.map(ShippedTheme::name);
        base.ok_or_else(|| self.wrong(property, "base", format!("one of {}", names.join(", "))))
    }

    fn role(&self, property: &ObjectProp<'_>) -> Result<(SkinRole, Style), ThemeFault> {
        let name = property.name.as_str();
        let Some(role) = SkinRole::ALL.into_iter().find(|role| role.name() == name) else {
            return Err(self.unknown(property, "a role", &SkinRole::ALL.map(SkinRole::name)));
        };
        let mut style = Style::default();
        for part in &self.object(property, name)?.properties {
            match part.name.as_str() {
                "foreground" => style.foreground = self.color(part, name)?,
                "background" => style.background = self.color(part, name)?,
                "attributes" => self.attributes(part, name, &mut style)?,
                _ => {
                    return Err(self.unknown(part, "a part of a style", &["foreground", "background", "attributes"]));
                }
            }
        }
        Ok((role, style))
    }

    fn color(&self, property: &ObjectProp<'_>, role: &str) -> Result<Color, ThemeFault> {
        let color = text(&property.value).and_then(|word| match word {
            "default" => Some(Color::Default),
            word => {
                let named = (0..).zip(NAMED_COLORS).find(|(_, name)| *name == word);
                named.map(|(index, _)| Color::Indexed(index)).or_else(|| exact_color(word))
            }
        });
        let must = || format!("a colour such as \"#56b4e9\", \"default\", or one of {}", NAMED_COLORS.join(", "));
        color.ok_or_else(|| self.wrong(property, &format!("{role}.{}", property.name.as_str()), must()))
    }

    fn attributes(&self, property: &ObjectProp<'_>, role: &str, style: &mut Style) -> Result<(), ThemeFault> {
        let key = format!("{role}.attributes");
        let must = || self.wrong(property, &key, format!("a list in brackets, of {}", ATTRIBUTES.join(", ")));
        let Value::Array(words) = &property.value else { return Err(must()) };
        for word in &words.elements {
            match text(word).ok_or_else(must)? {
                "bold" => style.attributes |= Attributes::BOLD,
                "dim" => style.attributes |= Attributes::DIM,
                "italic" => style.attributes |= Attributes::ITALIC,
                "inverse" => style.attributes |= Attributes::INVERSE,
                "underline" => style.underline = Underline::Single,
                _ => return Err(must()),
            }
        }
        Ok(())
    }

    fn object<'v, 't>(&self, property: &'v ObjectProp<'t>, key: &str) -> Result<&'v Object<'t>, ThemeFault> {
        match &property.value {
            Value::Object(object) => Ok(object),
            _ => Err(self.wrong(property, key, "an object in braces".to_owned())),
        }
    }

    fn wrong(&self, property: &ObjectProp<'_>, key: &str, must: String) -> ThemeFault {
        ThemeFault::Wrong { line: self.line(property.value.start()), key: key.to_owned(), must }
    }

    fn unknown(&self, property: &ObjectProp<'_>, what: &'static str, known: &[&str]) -> ThemeFault {
        let key = property.name.as_str().chars().take(64).collect();
        ThemeFault::Unknown { line: self.line(property.range.start), key, what, known: known.join(", ") }
    }

    /// The line of a byte, from 1.
    fn line(&self, at: usize) -> usize {
        1 + self.text.as_bytes().iter().take(at).filter(|byte| **byte == b'\n').count()
    }
}

fn text<'v>(value: &'v Value<'_>) -> Option<&'v str> {
    match value {
        Value::StringLit(literal) => Some(&literal.value),
        _ => None,
    }
}

/// `#rrggbb`.
fn exact_color(word: &str) -> Option<Color> {
    let digits = word.strip_prefix('#').filter(|digits| digits.len() == 6)?;
    // A number may have a sign, a colour has none.
    let digits = digits.bytes().all(|digit| digit.is_ascii_hexdigit()).then_some(digits)?;
    let Rgb { r, g, b } = Rgb::from_u32(u32::from_str_radix(digits, 16).ok()?);
    Some(Color::Rgb(r, g, b))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fault(text: &str) -> String {
        ThemeFile::parse(text).unwrap_err().to_string()
    }

    #[test]
    fn a_file_gives_some_roles_and_its_base_the_others() {
        let text = r##"{
            // Mine.
            "base": "light",
            "roles": {
                "accent": { "foreground": "#Ff8800", "attributes": ["bold", "underline"], },
                "cursor": { "foreground": "default", "background": "bright_blue" }, /* blue */
                "muted": {},
            },
        }"##;
        let (theme, light) = (ThemeFile::parse(text).unwrap(), ShippedTheme::Light.styles());
        let styles = theme.styles();
        let accent = Style {
            foreground: Color::Rgb(0xff, 0x88, 0),
            underline: Underline::Single,
            attributes: Attributes::BOLD,
            ..Style::default()
        };
        assert_eq!(styles.of(SkinRole::Accent), accent);
        assert_eq!(
            styles.of(SkinRole::Cursor),
            Style { background: Color::Indexed(12), ..Style::default() },
            "nothing of the base's cursor is left"
        );
        assert_eq!(styles.of(SkinRole::Muted), Style::default());
        assert_eq!(styles.of(SkinRole::Warning), light.of(SkinRole::Warning));
        assert_eq!(ThemeFile::parse("{}").unwrap().styles(), ShippedTheme::Terminal.styles());
    }

    #[test]
    fn what_is_wrong_is_told_with_its_line() {
        let unknown = fault("{\n  \"roles\": {\n    \"acent\": {} } }");
        assert!(unknown.starts_with("line 3: 'acent' is not a role: use one of text, muted, accent, "), "{unknown}");
        assert!(unknown.ends_with(", key_name"), "{unknown}");
        for (text, told) in [
            ("{ \"colors\": {} }", "line 1: 'colors' is not a key of a theme: use one of base, roles"),
            ("{\n\"base\": \"mine\" }", "line 2: base must be one of terminal, dark, light, high-contrast"),
            ("{ \"roles\": [] }", "line 1: roles must be an object in braces"),
            ("{ \"roles\": { \"text\": \"red\" } }", "line 1: text must be an object in braces"),
            (
                "{ \"roles\": { \"text\": { \"fg\": \"red\" } } }",
                "line 1: 'fg' is not a part of a style: use one of foreground, background, attributes",
            ),
            (
                "{ \"roles\": { \"text\": { \"attributes\": [\"loud\"] } } }",
                "line 1: text.attributes must be a list in brackets, of bold, dim, italic, underline, inverse",
            ),
        ] {
            assert_eq!(fault(text), told);
        }
        for color in ["\"#fff\"", "\"#+12345\"", "\"#12345g\"", "\"Red\"", "\"\"", "7", "null", "\"#ééé\""] {
            let told = fault(&format!("{{ \"roles\": {{ \"text\": {{ \"foreground\": {color} }} }} }}"));
            assert!(
                told.starts_with("line 1: text.foreground must be a colour such as \"#56b4e9\""),
                "{color}: {told}"
            );
        }
        assert!(fault("{\n oops").starts_with("line 2, column 2: "), "{}", fault("{\n oops"));
        for text in ["", "[]", "7"] {
            assert_eq!(fault(text), "line 1, column 1: a theme is one JSON object, in braces: correct it");
        }
    }

    #[test]
    fn a_hostile_file_is_refused() {
        assert_eq!(ThemeFile::parse(&" ".repeat(MAX_THEME_BYTES + 1)), Err(ThemeFault::TooLong { length: 65_537 }));
        for text in ["[".repeat(MAX_THEME_BYTES), "{\"roles\":".repeat(7_000)] {
            assert!(matches!(ThemeFile::parse(&text), Err(ThemeFault::NotJson { .. })));
        }
        let long = fault(&format!("{{ \"{}\": 1 }}", "x".repeat(60_000)));
        assert!(long.len() < 200, "{long}");
    }
}
