//! Turns JSON with comments into plain JSON without moving anything, so that positions stay the same.

use jsonc_parser::common::Ranged;
use jsonc_parser::errors::ParseError;
use jsonc_parser::tokens::Token;
use jsonc_parser::{CollectOptions, CommentCollectionStrategy, ParseOptions, parse_to_ast};

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

/// Replaces comments and trailing commas by blanks.
pub fn plain_json(text: &str) -> Result<String, ParseError> {
    let collect = CollectOptions { comments: CommentCollectionStrategy::AsTokens, tokens: true };
    let tokens = parse_to_ast(text, &collect, &OPTIONS)?.tokens.unwrap_or_default();
    let is_comment = |token: &Token<'_>| matches!(token, Token::CommentLine(_) | Token::CommentBlock(_));
    let tokens: Vec<_> = tokens.iter().filter(|found| !is_comment(&found.token)).collect();
    let mut plain: String = text.bytes().map(|byte| if byte == b'\n' { '\n' } else { ' ' }).collect();
    for (index, found) in tokens.iter().enumerate() {
        let next = tokens.get(index + 1).map(|next| &next.token);
        let trailing = matches!((&found.token, next), (Token::Comma, Some(Token::CloseBrace | Token::CloseBracket)));
        let range = found.range().start..found.range().end;
        if !trailing {
            // One blank per byte, so that later ranges stay valid.
            plain.replace_range(range.clone(), &text[range]);
        }
    }
    Ok(plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_stays_in_its_place() {
        let text = "// é\n{ \"a\": [1, /* x */ 2,], // y, }\n  \"é//\": null,\n}";
        let plain = plain_json(text).unwrap();
        assert_eq!(plain.len(), text.len());
        assert_eq!(plain.find("null"), text.find("null"));
        assert_eq!(plain.matches('\n').count(), text.matches('\n').count());
        let value: serde_json::Value = serde_json::from_str(&plain).unwrap();
        assert_eq!(value, serde_json::json!({"a": [1, 2], "é//": null}));
    }

    #[test]
    fn only_comments_and_commas_are_forgiven() {
        for wrong in ["{'a': 1}", "{a: 1}", "[0x1]", "[+1]", "[1 2]", "[NaN]", "{} {}", "/* open"] {
            assert!(plain_json(wrong).is_err(), "{wrong}");
        }
    }
}
