//! A flame graph: a picture of stacks in which a function is as wide as its share of the time.

use std::{collections::BTreeMap, fmt::Write};

use super::profile::Stacks;

const WIDTH: f64 = 1400.0;
const ROW: f64 = 17.0;
/// Narrower is left out: nobody could see it.
const LEAST: f64 = 0.4;
/// Of a letter of the font below.
const LETTER: f64 = 6.6;

#[derive(Default)]
struct Node {
    samples: i64,
    callees: BTreeMap<String, Node>,
}

pub(super) fn draw(stacks: &Stacks) -> String {
    let mut root = Node::default();
    let mut depth = 0;
    for (stack, samples) in &stacks.samples {
        depth = depth.max(stack.len());
        root.samples += samples;
        let mut at = &mut root;
        for frame in stack {
            at = at.callees.entry(frame.function.clone()).or_default();
            at.samples += samples;
        }
    }
    let height = ROW * (depth as f64 + 2.0);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" font-family=\"monospace\" \
         font-size=\"11\">\n<rect width=\"100%\" height=\"100%\" fill=\"#fffdf5\"/>\n\
         <text x=\"4\" y=\"13\">{} samples in {:.1} s</text>\n",
        root.samples,
        stacks.duration.as_secs_f64()
    );
    if root.samples > 0 {
        row(&mut svg, &root, 0.0, ROW, WIDTH / root.samples as f64, root.samples);
    }
    svg.push_str("</svg>\n");
    svg
}

fn row(svg: &mut String, node: &Node, mut x: f64, y: f64, scale: f64, all: i64) {
    for (name, callee) in &node.callees {
        let width = callee.samples as f64 * scale;
        if width >= LEAST {
            let share = 100.0 * callee.samples as f64 / all as f64;
            let room = ((width - 6.0) / LETTER).max(0.0) as usize;
            let shown: String = if room < 3 { String::new() } else { name.chars().take(room).collect() };
            let hue = name.bytes().fold(17u32, |hue, byte| hue.wrapping_mul(31).wrapping_add(byte.into())) % 40 + 15;
            // Writing to a string can't fail.
            let _ = writeln!(
                svg,
                "<g><title>{} ({} samples, {share:.1} %)</title><rect x=\"{x:.1}\" y=\"{y}\" width=\"{:.1}\" \
                 height=\"{}\" fill=\"hsl({hue},85%,70%)\"/><text x=\"{:.1}\" y=\"{}\">{}</text></g>",
                escaped(name),
                callee.samples,
                (width - 0.5).max(LEAST),
                ROW - 1.0,
                x + 3.0,
                y + 12.0,
                escaped(&shown),
            );
            row(svg, callee, x, y + ROW, scale, all);
        }
        x += width;
    }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::{super::profile::Frame, *};

    #[test]
    fn functions_are_as_wide_as_their_share() {
        let frame = |name: &str| Frame { function: name.into(), file: String::new(), line: 0 };
        let samples = [(vec![frame("main"), frame("Vec<u8>")], 3), (vec![frame("main"), frame("b")], 1)];
        let svg = draw(&Stacks { samples: samples.into(), ..Stacks::default() });
        for part in ["main (4 samples, 100.0 %)", "Vec&lt;u8&gt; (3 samples, 75.0 %)", "width=\"1049.5\""] {
            assert!(svg.contains(part), "{part} is not in {svg}");
        }
        assert!(draw(&Stacks::default()).contains("0 samples"));
    }
}
