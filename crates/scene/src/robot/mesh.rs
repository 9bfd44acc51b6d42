//! Points of a mesh: ASCII STL and Wavefront OBJ. Of a mesh only its hull is taken.

use drystone_space::DVec3;

/// Most different points of a mesh.
const MOST_POINTS: usize = 10_000;

/// The different points of a mesh; or why there are none, with the line if one is to blame.
pub(super) fn points(text: &str) -> Result<Vec<DVec3>, String> {
    let mut found: Vec<[f64; 3]> = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let mut words = line.split_ascii_whitespace();
        if !matches!(words.next(), Some("v" | "vertex")) {
            continue;
        }
        let numbers: Vec<f64> = words.take(3).filter_map(|word| word.parse().ok()).collect();
        let point = <[f64; 3]>::try_from(numbers).ok().filter(|p| p.iter().all(|x| x.is_finite()));
        found.push(point.ok_or_else(|| format!("line {} is no vertex: `{line}`", number + 1))?);
    }
    let order = |a: &[f64; 3], b: &[f64; 3]| {
        let each = a.iter().zip(b).map(|(a, b)| a.total_cmp(b));
        each.fold(std::cmp::Ordering::Equal, std::cmp::Ordering::then)
    };
    found.sort_unstable_by(order);
    found.dedup();
    match found.len() {
        0 => Err("it has no vertices: it is neither an ASCII STL nor an OBJ".to_owned()),
        count if count > MOST_POINTS => {
            Err(format!("it has {count} points, and at most {MOST_POINTS} are taken"))
        }
        _ => Ok(found.into_iter().map(DVec3::from_array).collect()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_formats_give_their_points_once() {
        let stl = "solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\n\
                   vertex 0 1 0\nendloop\nendfacet\nfacet normal 0 0 1\nouter loop\n\
                   vertex 1 0 0\nvertex 0 1 0\nvertex 1 1 2e-1\nendloop\nendfacet\nendsolid\n";
        assert_eq!(points(stl).unwrap().len(), 4);
        let obj = "# a\nv 0 0 0\nv 1 0 0 1.0\nvn 0 0 1\nvt 0 0\nv 0 1 0\nf 1/1/1 2/1/1 3/1/1\n";
        assert_eq!(points(obj).unwrap(), [DVec3::ZERO, DVec3::Y, DVec3::X]);
        assert!(points("v 0 1\n").unwrap_err().contains("line 1"));
        assert!(points("nothing").unwrap_err().contains("no vertices"));
    }
}
