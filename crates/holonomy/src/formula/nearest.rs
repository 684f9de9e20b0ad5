//! "Did you mean …?"

/// The candidate that `word` was most likely meant to be, if one is near enough.
///
/// Letter case is ignored. Near is one slip (a wrong, missing, extra or swapped letter) per three letters, at most
/// three; or else `word` begins exactly one of the candidates, or is the plural in `-ies` of one.
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    among(word, &mut candidates.into_iter())
}

/// The same, compiled once for all sorts of candidates.
fn among<'a>(word: &str, candidates: &mut dyn Iterator<Item = &'a str>) -> Option<&'a str> {
    let singular = word.strip_suffix("ies").map(|stem| format!("{stem}y"));
    let word = letters(word);
    if word.is_empty() || word.len() > LONGEST {
        return None;
    }
    let allowed = ((word.len() + 1) / 3).min(3);
    let mut best: Option<(usize, &str)> = None;
    let mut begun: Vec<&str> = Vec::new();
    for candidate in candidates {
        if singular.as_deref() == Some(candidate) {
            return Some(candidate);
        }
        let letters = letters(candidate);
        if word.len() >= 3 && letters.starts_with(&word) && !begun.contains(&candidate) {
            begun.push(candidate);
        }
        if letters.len().abs_diff(word.len()) > allowed {
            continue;
        }
        let slips = slips(&word, &letters);
        if slips <= allowed && slips < letters.len() && best.is_none_or(|(least, _)| slips < least) {
            best = Some((slips, candidate));
        }
    }
    match (best, begun.as_slice()) {
        (Some((_, candidate)), _) => Some(candidate),
        (None, [only]) => Some(only),
        _ => None,
    }
}

/// Words longer than this are not compared.
const LONGEST: usize = 64;

/// The letters of a word, small: Latin and Greek ones, which names are made of. The tables for all others are large.
fn letters(word: &str) -> Vec<char> {
    let small = |letter: char| match letter {
        'Α'..='Ω' => char::from_u32(letter as u32 + 32).unwrap_or(letter),
        letter => letter.to_ascii_lowercase(),
    };
    word.chars().map(small).take(LONGEST + 1).collect()
}

/// Edit distance with insertion, deletion, substitution and transposition of neighbours.
fn slips(a: &[char], b: &[char]) -> usize {
    let mut before: Vec<usize> = Vec::new();
    let mut above: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        let mut row = vec![i; b.len() + 1];
        for j in 1..=b.len() {
            let substituted = above[j - 1] + usize::from(a[i - 1] != b[j - 1]);
            row[j] = substituted.min(above[j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                row[j] = row[j].min(before[j - 2] + 1);
            }
        }
        before = std::mem::replace(&mut above, row);
    }
    above[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn greek_letters_have_two_sizes_too() {
        assert_eq!(nearest("ΘΩΑ", ["λμν", "θωα"]), Some("θωα"));
        // As the standard library has it, of which the tables are not taken along.
        for letter in ('Α'..='Ω')
            .chain('A'..='Z')
            .filter(|letter| letter.is_alphabetic())
        {
            assert_eq!(
                letters(&letter.to_string()),
                letter.to_lowercase().collect::<Vec<_>>()
            );
        }
    }

    #[test]
    fn nearest_finds_slips_of_the_pen() {
        let known = ["mass", "length", "direction", "angular_velocity", "kg", "body"];
        for (word, meant) in [
            ("mases", "mass"),
            ("msas", "mass"),
            ("MASS", "mass"),
            ("lenght", "length"),
            ("angular-velocity", "angular_velocity"),
            ("angular", "angular_velocity"),
            ("dir", "direction"),
            ("Kg", "kg"),
            ("bodies", "body"),
        ] {
            assert_eq!(nearest(word, known), Some(meant), "{word}");
        }
        for word in ["", "x", "colour", "zz", &"m".repeat(1000)] {
            assert_eq!(nearest(word, known), None, "{word}");
        }
    }

    #[test]
    fn a_prefix_of_two_candidates_suggests_neither() {
        assert_eq!(nearest("sphere", ["sphere-explicit", "sphere-implicit"]), None);
    }
}
