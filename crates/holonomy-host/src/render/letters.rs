//! Letters made of strokes: those of a time, and of axes.

/// Width and height of a letter, and the distance to the next, in units of its grid.
const WIDTH: f32 = 4.0;
const HEIGHT: f32 = 6.0;
const ADVANCE: f32 = 6.0;

/// The strokes of a text, each a polyline, on a line of this height from its upper left corner.
pub(super) fn strokes(text: &str, height: f32, [left, top]: [f32; 2]) -> Vec<Vec<[f32; 2]>> {
    let unit = height / HEIGHT;
    let mut out = Vec::new();
    for (index, letter) in text.chars().enumerate() {
        let start = left + index as f32 * ADVANCE * unit;
        for line in glyph(letter) {
            let point = |&(x, y): &(u8, u8)| [start + f32::from(x) * unit, top + f32::from(y) * unit];
            out.push(line.iter().map(point).collect());
        }
    }
    out
}

/// How wide a text is.
pub(super) fn width(text: &str, height: f32) -> f32 {
    let letters = text.chars().count() as f32;
    (ADVANCE * letters - (ADVANCE - WIDTH)).max(0.0) * height / HEIGHT
}

type Line = &'static [(u8, u8)];

fn glyph(letter: char) -> &'static [Line] {
    match letter {
        '0' => &[&[
            (1, 0),
            (3, 0),
            (4, 1),
            (4, 5),
            (3, 6),
            (1, 6),
            (0, 5),
            (0, 1),
            (1, 0),
        ]],
        '1' => &[&[(1, 1), (2, 0), (2, 6)], &[(1, 6), (3, 6)]],
        '2' => &[&[(0, 1), (1, 0), (3, 0), (4, 1), (4, 2), (0, 6), (4, 6)]],
        '3' => &[
            &[
                (0, 1),
                (1, 0),
                (3, 0),
                (4, 1),
                (4, 2),
                (3, 3),
                (4, 4),
                (4, 5),
                (3, 6),
                (1, 6),
                (0, 5),
            ],
            &[(2, 3), (3, 3)],
        ],
        '4' => &[&[(3, 6), (3, 0), (0, 4), (4, 4)]],
        '5' => &[&[
            (4, 0),
            (0, 0),
            (0, 3),
            (1, 2),
            (3, 2),
            (4, 3),
            (4, 5),
            (3, 6),
            (1, 6),
            (0, 5),
        ]],
        '6' => &[&[
            (4, 1),
            (3, 0),
            (1, 0),
            (0, 1),
            (0, 5),
            (1, 6),
            (3, 6),
            (4, 5),
            (4, 4),
            (3, 3),
            (1, 3),
            (0, 4),
        ]],
        '7' => &[&[(0, 0), (4, 0), (1, 6)]],
        '8' => &[&[
            (1, 3),
            (0, 2),
            (0, 1),
            (1, 0),
            (3, 0),
            (4, 1),
            (4, 2),
            (3, 3),
            (1, 3),
            (0, 4),
            (0, 5),
            (1, 6),
            (3, 6),
            (4, 5),
            (4, 4),
            (3, 3),
        ]],
        '9' => &[&[
            (0, 5),
            (1, 6),
            (3, 6),
            (4, 5),
            (4, 1),
            (3, 0),
            (1, 0),
            (0, 1),
            (0, 2),
            (1, 3),
            (3, 3),
            (4, 2),
        ]],
        '.' => &[&[(2, 6)]],
        '-' => &[&[(1, 3), (3, 3)]],
        '=' => &[&[(0, 3), (4, 3)], &[(0, 5), (4, 5)]],
        'e' => &[&[
            (0, 4),
            (4, 4),
            (4, 3),
            (3, 2),
            (1, 2),
            (0, 3),
            (0, 5),
            (1, 6),
            (4, 6),
        ]],
        's' => &[&[(4, 2), (1, 2), (0, 3), (1, 4), (3, 4), (4, 5), (3, 6), (0, 6)]],
        't' => &[&[(1, 0), (1, 5), (2, 6), (3, 6)], &[(0, 2), (3, 2)]],
        'x' => &[&[(0, 2), (4, 6)], &[(4, 2), (0, 6)]],
        'y' => &[&[(0, 2), (2, 5)], &[(4, 2), (1, 8)]],
        'z' => &[&[(0, 2), (4, 2), (0, 6), (4, 6)]],
        _ => &[],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_letter_of_a_time_has_strokes_of_its_own() {
        let letters = "0123456789.-=estxyz";
        let drawn: BTreeSet<String> = letters
            .chars()
            .map(|letter| format!("{:?}", glyph(letter)))
            .collect();
        assert_eq!(drawn.len(), letters.len());
        assert!(glyph(' ').is_empty());
        assert_eq!((width("12", 6.0), width("", 6.0)), (10.0, 0.0));
    }
}
