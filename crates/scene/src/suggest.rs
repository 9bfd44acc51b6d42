//! `Did you mean …?`: the nearest known word by edit distance.

/// The known word nearest to `word`, if it is near enough to be meant.
pub fn nearest<'a>(word: &str, among: &[&'a str]) -> Option<&'a str> {
    // Words of scenes are short; long ones are not worth a quadratic search.
    if word.len() > 64 {
        return None;
    }
    let most = 1 + word.chars().count() / 3;
    among
        .iter()
        .filter(|known| known.len() <= 64)
        .map(|known| {
            let (word, lower) = (word.to_lowercase(), known.to_lowercase());
            // `restitution` is meant to be `normal_restitution`, however many letters are missing.
            let part = word.len() >= 4 && (lower.contains(&word) || word.contains(&lower));
            let letters = distance(&word, &lower);
            (if part { letters.min(most) } else { letters }, *known)
        })
        .filter(|&(d, _)| d <= most)
        .min_by_key(|&(d, _)| d)
        .map(|(_, known)| known)
}

/// Number of insertions, deletions, replacements and swaps of neighbours between two words.
fn distance(a: &str, b: &str) -> usize {
    let a: Vec<char> = a.chars().collect();
    let b: Vec<char> = b.chars().collect();
    let mut rows = vec![(0..=b.len()).collect::<Vec<usize>>()];
    for i in 1..=a.len() {
        let mut row = vec![i];
        for j in 1..=b.len() {
            let replaced = rows[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut best = replaced.min(rows[i - 1][j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                best = best.min(rows[i - 2][j - 2] + 1);
            }
            row.push(best);
        }
        rows.push(row);
    }
    rows[a.len()][b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_worked_by_hand() {
        assert_eq!(distance("kitten", "sitting"), 3);
        assert_eq!(distance("friction", "fricton"), 1);
        assert_eq!(distance("mass", "msas"), 1);
        assert_eq!(distance("", "abc"), 3);
    }

    #[test]
    fn only_near_words_are_suggested() {
        let known = ["friction", "normal_restitution", "between"];
        assert_eq!(nearest("Fricton", &known), Some("friction"));
        assert_eq!(nearest("restitution", &known), Some("normal_restitution"));
        assert_eq!(nearest("spinn", &["swing", "spin"]), Some("spin"));
        assert_eq!(nearest("colour", &known), None);
    }
}
