//! The columns of the tables of boundaries, bodies and joints.

use crate::archive::Recorded;
use drystone_engine::{Body, Joint, Owner, World};
use drystone_space::Vector;

const AXES: [&str; 3] = ["x", "y", "z"];

pub(super) fn boundary_columns<S: Recorded>(world: &World<S>) -> Vec<String> {
    let named = world.boundaries().iter().filter(|b| !b.name.is_empty());
    let columns = |name: &str| {
        let kinds = ["", "v", "f"].into_iter();
        kinds
            .flat_map(|kind| AXES[..S::DIMENSION].iter().map(move |axis| (kind, axis)))
            .map(|(kind, axis)| format!("{name}.{kind}{axis}"))
            .collect::<Vec<_>>()
    };
    named.flat_map(|b| columns(&b.name)).collect()
}

pub(super) fn boundary_cells<S: Recorded>(world: &World<S>) -> impl Iterator<Item = Option<f64>> {
    let named = world.boundaries().iter().enumerate().filter(|(_, b)| !b.name.is_empty());
    named.flat_map(|(index, _)| {
        let values = world.boundary_pose(index).map(|pose| {
            [pose.position, world.boundary_velocity(index), world.boundary_force(index)]
        });
        (0..3 * S::DIMENSION)
            .map(move |i| values.map(|v| v[i / S::DIMENSION].get(i % S::DIMENSION)))
    })
}

/// What is told of membranes.
pub(super) fn membrane_columns<S: Recorded>(world: &World<S>) -> Vec<String> {
    let names = world.setup().membranes.iter().map(|membrane| &membrane.name);
    let each =
        |name: &String| ["pressure", "measure", "surface"].map(|what| format!("{name}.{what}"));
    names.flat_map(each).collect()
}

pub(super) fn membrane_cells<S: Recorded>(world: &World<S>) -> impl Iterator<Item = Option<f64>> {
    let figures = (0..world.setup().membranes.len()).map(|index| world.membrane_figures(index));
    figures.flat_map(|found| [found.pressure, found.measure, found.surface].map(Some))
}

/// What is told of a periodic cell; nothing where there is none.
pub(super) fn cell_columns<S: Recorded>(world: &World<S>) -> Vec<String> {
    if world.cell().is_none() {
        return Vec::new();
    }
    let all = ["vector", "rate", "strain", "contact_stress", "kinetic_stress", "excess_stress"];
    let pairs = (0..S::DIMENSION * S::DIMENSION).map(|k| (k / S::DIMENSION, k % S::DIMENSION));
    let components = |name: &str| {
        let pairs = pairs.clone();
        pairs.map(|(i, j)| format!("{name}.{}{}", AXES[i], AXES[j])).collect::<Vec<_>>()
    };
    let matrices = all.into_iter().flat_map(components);
    let numbers = ["measure", "solid_fraction", "coordination", "coordination_without_rattlers"];
    let more = ["rattlers", "largest_overlap"];
    matrices.chain(numbers.into_iter().chain(more).map(str::to_owned)).collect()
}

pub(super) fn cell_cells<S: Recorded>(world: &World<S>) -> impl Iterator<Item = Option<f64>> {
    let rows = world.cell().map(|cell| {
        let pairs = (0..S::DIMENSION * S::DIMENSION).map(|k| (k / S::DIMENSION, k % S::DIMENSION));
        let matrices = [
            cell.lattice.vectors(),
            &cell.gradient,
            &cell.strain,
            &cell.contact_stress,
            &cell.kinetic_stress,
            &cell.excess_stress,
        ];
        let mut row: Vec<f64> = (matrices.into_iter())
            .flat_map(|matrix| pairs.clone().map(move |(i, j)| matrix.get(i, j)))
            .collect();
        let measure = cell.lattice.measure();
        let solids = world.bodies().iter().flat_map(|body| &*body.parts);
        let solid: f64 = solids.filter_map(|part| S::solid(&part.shape)).map(|s| s.measure).sum();
        row.extend([measure, solid / measure]);
        row.extend(coordination(world));
        row.push(world.contacts().iter().map(|c| (-c.gap).max(0.0)).fold(0.0, f64::max));
        row
    });
    rows.into_iter().flatten().map(Some)
}

/// Mean number of touching neighbours of all bodies; of those that are held, which have at least one more contact than the space has
/// dimensions (two, where friction acts) with bodies that are held; how many are not.
fn coordination<S: Recorded>(world: &World<S>) -> [f64; 3] {
    let count = world.bodies().len();
    let pressing = world.contacts().iter().filter(|c| c.impulse.norm() > 0.0);
    let mut pairs: Vec<(Owner, Owner)> = pressing.clone().map(|c| (c.first, c.second)).collect();
    // Neighbours are counted, not the points where they touch.
    pairs.sort_unstable();
    pairs.dedup();
    let rough = pressing.clone().any(|contact| world.contact_friction(contact) > 0.0);
    let least = if rough { 2 } else { S::DIMENSION + 1 };
    let mut held = vec![true; count];
    let holds = |owner: Owner, held: &[bool]| match owner {
        Owner::Body(index) => held[index as usize],
        Owner::Boundary(_) => true,
    };
    loop {
        let mut touches = vec![0usize; count];
        for &(one, other) in &pairs {
            for (own, its) in [(one, other), (other, one)] {
                if let Owner::Body(index) = own
                    && holds(own, &held)
                    && holds(its, &held)
                {
                    touches[index as usize] += 1;
                }
            }
        }
        let mut any = false;
        for (held, &touches) in held.iter_mut().zip(&touches) {
            if *held && touches < least {
                (*held, any) = (false, true);
            }
        }
        if !any {
            let all = pairs.iter().map(|(one, other)| {
                [one, other].iter().filter(|owner| matches!(owner, Owner::Body(_))).count()
            });
            let bodies = held.iter().filter(|held| **held).count();
            let sum: usize = touches.iter().sum();
            return [
                all.sum::<usize>() as f64 / count.max(1) as f64,
                sum as f64 / bodies.max(1) as f64,
                (count - bodies) as f64,
            ];
        }
    }
}

pub(super) fn joint_columns<S: Recorded>(world: &World<S>) -> Vec<String> {
    let joints = world.setup().joints.iter().enumerate();
    let columns = |(number, joint): (usize, &Joint<S>)| {
        let name = joint.label(number);
        let axes = AXES[..S::DIMENSION].iter();
        let points = axes.clone().map(|a| a.to_string());
        let forces = axes.map(|a| format!("f{a}"));
        let torques = match S::DIMENSION {
            2 => vec!["torque".to_owned()],
            _ => AXES.iter().map(|a| format!("t{a}")).collect(),
        };
        let drifts = ["drift", "angle_drift"].map(str::to_owned);
        let all = points.chain(forces).chain(torques).chain(drifts);
        all.map(|column| format!("{name}.{column}")).collect::<Vec<_>>()
    };
    joints.flat_map(columns).collect()
}

pub(super) fn joint_cells<S: Recorded>(world: &World<S>) -> impl Iterator<Item = Option<f64>> {
    world.joint_reactions().iter().flat_map(|joint| {
        let vectors = [joint.point, joint.force].into_iter();
        let numbers = vectors.flat_map(|v| (0..S::DIMENSION).map(move |i| v.get(i)));
        let torque = joint.torque;
        let torques = (0..<S::Spin as Vector>::LENGTH).map(move |i| torque.get(i));
        numbers.chain(torques).chain([joint.drift, joint.angle_drift]).map(Some)
    })
}

pub(super) fn body_columns<S: Recorded>(track: &[String]) -> Vec<String> {
    let axes = &AXES[..S::DIMENSION];
    let columns = |name: &String| {
        let positions = axes.iter().map(|a| format!("{name}.{a}"));
        let rotation = S::ROTATION.iter().map(|r| format!("{name}.{r}"));
        let velocity = axes.iter().map(|a| format!("{name}.v{a}"));
        let spin = S::SPIN.iter().map(|w| format!("{name}.{w}"));
        positions.chain(rotation).chain(velocity).chain(spin).collect::<Vec<_>>()
    };
    track.iter().flat_map(columns).collect()
}

pub(super) fn body_cells<S: Recorded>(
    world: &World<S>,
    track: &[String],
) -> impl Iterator<Item = Option<f64>> {
    let count = 2 * S::DIMENSION + S::ROTATION.len() + S::SPIN.len();
    track.iter().flat_map(move |name| {
        let body = world.bodies().iter().find(|body| body.name() == *name);
        let values = body.map(body_values);
        (0..count).map(move |i| values.as_ref().map(|v| v[i]))
    })
}

fn body_values<S: Recorded>(body: &Body<S>) -> Vec<f64> {
    let vector = |v: S::Vector| (0..S::DIMENSION).map(move |i| v.get(i));
    let spin = body.world_spin();
    let mut values: Vec<f64> = vector(body.pose.position).collect();
    values.extend(S::rotation(body.pose.rotation));
    values.extend(vector(body.velocity));
    values.extend((0..<S::Spin as Vector>::LENGTH).map(|i| spin.get(i)));
    values
}

#[cfg(test)]
mod tests {
    use super::*;
    use drystone_space::{Plane, Volume};

    #[test]
    fn columns_of_plane_and_space() {
        let track = ["a".to_owned()];
        let plane = body_columns::<Plane>(&track);
        assert_eq!(plane, ["a.x", "a.y", "a.angle", "a.vx", "a.vy", "a.spin"]);
        assert_eq!(body_columns::<Volume>(&track).len(), 3 + 4 + 3 + 3);
    }
}
