//! Facets of membranes, in frames and checkpoints. Where there are none, none of these arrays is written.

use super::columns::{Columns, whole};
use super::{Arrays, Npz, Recorded};
use drystone_engine::World;

/// The facets of one membrane: bodies by index, in the plane two.
pub type Facets = Vec<[u32; 3]>;

/// In place of the third corner in the plane.
const NOBODY: u32 = u32::MAX;

pub(super) fn encode<S: Recorded>(membranes: &[Facets], lids: &[Facets], arrays: &mut dyn Arrays) {
    if membranes.is_empty() {
        return;
    }
    let all = || membranes.iter().zip(lids).flat_map(|(own, lids)| [own, lids]);
    arrays.push("membrane_sizes", whole(all().map(|facets| facets.len() as i64)));
    let corners = all().flatten().flat_map(|facet| facet[..S::DIMENSION].to_vec());
    arrays.push("membrane_corners", whole(corners.map(i64::from)));
}

/// The same read back: facets of each, and those left out at plates.
pub(super) fn decode<S: Recorded>(
    npz: &Npz,
    bodies: usize,
) -> Result<(Vec<Facets>, Vec<Facets>), String> {
    if npz.get("membrane_sizes").is_none() {
        return Ok((Vec::new(), Vec::new()));
    }
    let columns = Columns(npz);
    let (sizes, corners) = (columns.whole("membrane_sizes")?, columns.whole("membrane_corners")?);
    if let Some(stray) = corners.iter().find(|&&c| usize::try_from(c).map_or(true, |c| c >= bodies))
    {
        return Err(format!("array `membrane_corners` has body {stray}, of {bodies}"));
    }
    let mut facets = corners.chunks_exact(S::DIMENSION).map(|corners| {
        let mut facet = [NOBODY; 3];
        facet.iter_mut().zip(corners).for_each(|(place, &corner)| *place = corner as u32);
        facet
    });
    let (mut membranes, mut lids) = (Vec::new(), Vec::new());
    for (index, &size) in sizes.iter().enumerate() {
        let count = usize::try_from(size).map_err(|_| format!("{size} is no number of facets"))?;
        let taken: Facets = facets.by_ref().take(count).collect();
        if taken.len() != count {
            return Err("array `membrane_corners` is too short".to_owned());
        }
        if index.is_multiple_of(2) { membranes.push(taken) } else { lids.push(taken) }
    }
    lids.resize_with(membranes.len(), Vec::new);
    Ok((membranes, lids))
}

/// Facets of all membranes of a world as they are now.
pub(super) fn frames<S: Recorded>(world: &World<S>) -> [Vec<Facets>; 2] {
    [world.state().membranes.clone(), world.state().lids.clone()]
}
