//! Bodies asleep in a checkpoint. Where a scene has none, none of these arrays is written.

use super::columns::{Columns, flags, pairs, rotations, same, vectors, whole};
use super::{Arrays, Npz, Recorded, contact};
use drystone_engine::{ImpulseSum, Push, Sleep};

pub(super) fn encode<S: Recorded>(sleep: &Sleep<S>, arrays: &mut dyn Arrays) {
    if sleep.bodies.is_empty() {
        return;
    }
    arrays.push("rest_body", flags(sleep.bodies.iter().copied()));
    arrays.push("rest_withheld_impulse", vectors(sleep.withheld.iter().map(|push| push.impulse)));
    arrays.push("rest_withheld_moment", vectors(sleep.withheld.iter().map(|push| push.moment)));
    contact::encode(sleep.contacts.iter(), "rest_", arrays);
    arrays.push("rest_mark_position", vectors(sleep.marks.iter().map(|mark| mark.position)));
    arrays.push("rest_mark_rotation", rotations::<S>(sleep.marks.iter().map(|mark| mark.rotation)));
    let shapes = sleep.sums.iter().map(|s| [i64::from(s.shapes.0), i64::from(s.shapes.1)]);
    arrays.push("rest_sum_shapes", pairs(shapes));
    arrays.push("rest_sum_feature", whole(sleep.sums.iter().map(|sum| i64::from(sum.feature))));
    arrays.push("rest_sum_impulse", vectors(sleep.sums.iter().map(|sum| sum.sum)));
    let numbers = [sleep.began, sleep.pause.0, sleep.pause.1];
    arrays.push("rest_numbers", whole(numbers.into_iter().map(i64::from)));
}

pub(super) fn decode<S: Recorded>(npz: &Npz, bodies: usize) -> Result<Sleep<S>, String> {
    if npz.get("rest_body").is_none() {
        return Ok(Sleep::default());
    }
    let columns = Columns(npz);
    let asleep = columns.bytes("rest_body")?;
    let impulse = columns.vectors::<S::Vector>("rest_withheld_impulse")?;
    let moment = columns.vectors::<S::Spin>("rest_withheld_moment")?;
    for (name, count) in [
        ("rest_body", asleep.len()),
        ("rest_withheld_impulse", impulse.len()),
        ("rest_withheld_moment", moment.len()),
    ] {
        same(name, count, bodies)?;
    }
    let marks = columns.poses::<S>("rest_mark_")?;
    if marks.len() > bodies {
        return Err(format!("array `rest_mark_position` has {} rows, not {bodies}", marks.len()));
    }
    let (shapes, feature) = (columns.whole("rest_sum_shapes")?, columns.whole("rest_sum_feature")?);
    let sum = columns.vectors::<S::Vector>("rest_sum_impulse")?;
    same("rest_sum_shapes", shapes.len(), 2 * sum.len())?;
    same("rest_sum_feature", feature.len(), sum.len())?;
    let small = |number: i64| u32::try_from(number).map_err(|_| format!("{number} is no index"));
    let sums = (0..sum.len()).map(|i| {
        let shapes = (small(shapes[2 * i])?, small(shapes[2 * i + 1])?);
        Ok(ImpulseSum { shapes, feature: small(feature[i])?, sum: sum[i] })
    });
    let &[began, pause, left] = columns.whole("rest_numbers")? else {
        return Err("array `rest_numbers` is not three numbers".to_owned());
    };
    Ok(Sleep {
        bodies: asleep.iter().map(|&asleep| asleep != 0).collect(),
        withheld: (0..bodies).map(|i| Push { impulse: impulse[i], moment: moment[i] }).collect(),
        contacts: contact::decode(&columns, "rest_")?,
        marks,
        sums: sums.collect::<Result<_, String>>()?,
        began: small(began)?,
        pause: (small(pause)?, small(left)?),
    })
}
