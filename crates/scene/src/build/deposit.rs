//! Disks or spheres placed without overlap in a region.

use super::Builder;
use super::dimension::{SceneSpace, vector_or_zero};
use super::generate::{Group, Recipe};
use super::growth::grow;
use super::sizes::Distribution;
use crate::format::{Deposit, Method, ShapeChoice};
use crate::report::Draft;
use drystone_space::Random;
use drystone_space::{Pose, Vector, math};
use std::collections::HashMap;

/// Places that are tried for one grain before the region counts as full.
const TRIES: usize = 1000;

/// Centre and radius of a grain.
pub(super) type Ball<V> = (V, f64);

/// The box that grains are placed in.
pub(super) struct Space<V> {
    pub low: V,
    pub high: V,
    pub gap: f64,
    /// Lengths along which it is closed upon itself.
    pub closed: [Option<f64>; 3],
}

impl<V: Vector> Space<V> {
    /// The nearest difference of two places, where the box is closed upon itself.
    pub fn nearest(&self, difference: V) -> V {
        V::from_fn(|i| match self.closed[i] {
            Some(length) => difference.get(i) - length * (difference.get(i) / length).round(),
            None => difference.get(i),
        })
    }
}

impl<S: SceneSpace> Builder<'_, S> {
    pub(super) fn deposit(&mut self, table: &Deposit, mut group: Group) -> Option<()> {
        let grains = self.grains(&Recipe {
            shape: &None,
            parts: &None,
            radius: &table.radius,
            polygon: &table.polygon,
            irregular: &table.irregular,
            ellipse: &table.ellipse,
            material: &table.material,
            span: table.span,
        });
        let region = self.region(&table.region);
        let (grains, (low, high)) = (grains?, region?);
        let sizes = grains.sizes()?;
        let inside = match &table.inside {
            Some(shape) => Some(self.outline(shape)?),
            None => None,
        };
        let room = self.room_left();
        let wanted = table.count.as_ref().map(|count| count.get());
        if let Some(count) = &table.count
            && !self.room(count.get(), count.span)
        {
            return None;
        }
        let mut random = self.random(&table.seed);
        let gap = table.gap.as_ref().map_or(0.0, |n| n.value);
        let closed = self.closed(low, high);
        let space = Space { low, high, gap, closed };
        // One more than there is room for, to see whether the region takes too many.
        let most = wanted.unwrap_or(room + 1);
        let method = table.method.unwrap_or(Method::Layers);
        if let (Some(fraction), true) = (&table.solid_fraction, method != Method::Growth) {
            let draft = Draft::error(fraction.span, "solid fraction of another method");
            self.problems.push(draft.help("add `method = \"growth\"`"));
            return None;
        }
        let mut balls = match method {
            Method::Layers => layers::<S::Vector>(&space, sizes, most, &mut random),
            Method::Random => {
                scatter::<S::Vector>(&space, sizes, most, wanted.is_some(), &mut random)
            }
            Method::Growth => self.grown(table, &space, sizes, &mut random)?,
        };
        if let Some(outline) = &inside {
            let middle = (low + high) * 0.5;
            balls.retain(|&(centre, radius)| outline.holds(centre - middle, radius));
        }
        if !self.room(balls.len(), table.region.span) {
            return None;
        }
        let wanted = wanted.filter(|_| inside.is_none());
        let short = wanted.filter(|&wanted| balls.len() < wanted);
        if short.is_some() || balls.is_empty() {
            let at = table.count.as_ref().map_or(table.region.span, |count| count.span);
            let asked = short.map_or("one grain".to_owned(), |n| format!("{n} grains"));
            let draft = Draft::error(at, "the grains do not fit into the region");
            let draft = draft.found(format!("{asked}, of which {} fit", balls.len()));
            self.problems.push(draft.expected("a larger region or fewer or smaller grains").help(
                match table.method.unwrap_or(Method::Layers) {
                    _ if inside.is_some() => "a larger `inside`",
                    Method::Layers | Method::Growth => "leave out `count` to fill the region",
                    Method::Random => "`method = \"layers\"` packs more densely",
                },
            ));
            return None;
        }
        let velocity = vector_or_zero::<S, _, _>(&table.velocity);
        group.origin.velocity = table.velocity.as_ref().map(|v| v.span);
        for (centre, radius) in balls {
            let body = self.sized(&grains, radius, &mut random)?;
            let turn = self.turn(table.random_rotation, &mut random);
            self.member(body, &Pose::new(centre, turn), velocity, &mut group);
        }
        Some(())
    }
}

/// A convex shape that no grain reaches out of.
enum Outline<S: SceneSpace> {
    Ball(f64),
    Faces(Vec<(S::Vector, f64)>),
}

impl<S: SceneSpace> Outline<S> {
    fn holds(&self, centre: S::Vector, radius: f64) -> bool {
        match self {
            Self::Ball(outer) => centre.norm() + radius <= *outer,
            Self::Faces(faces) => {
                faces.iter().all(|(normal, offset)| normal.dot(centre) + radius <= *offset)
            }
        }
    }
}

impl<S: SceneSpace> Builder<'_, S> {
    /// The faces of a shape.
    fn outline(&mut self, table: &ShapeChoice) -> Option<Outline<S>> {
        if let ShapeChoice::Disk(radius) | ShapeChoice::Sphere(radius) = table {
            return Some(Outline::Ball(radius.value));
        }
        let (shape, _) = S::shape(table, self.problems)?;
        let Some(faces) = S::faces(&shape) else {
            let draft = Draft::error(table.span(), "shape that cannot hold grains");
            let draft = draft.found(format!("`{}`", table.key()));
            self.problems.push(draft.expected("a disk, sphere, box, polygon or polyhedron"));
            return None;
        };
        Some(Outline::Faces(faces))
    }

    /// Grains that fill a solid fraction.
    fn grown(
        &mut self,
        table: &Deposit,
        space: &Space<S::Vector>,
        sizes: &Distribution,
        random: &mut Random,
    ) -> Option<Vec<Ball<S::Vector>>> {
        let Some(fraction) = &table.solid_fraction else {
            let draft = Draft::error(table.span, "growth without `solid_fraction`");
            self.problems.push(draft.help("add `solid_fraction = …`"));
            return None;
        };
        let measure = |radius: f64| S::solid(&S::round(radius)).map_or(0.0, |solid| solid.measure);
        let size = space.high - space.low;
        let wanted = fraction.value * (0..S::DIMENSION).map(|i| size.get(i)).product::<f64>();
        let (mut radii, mut sum) = (Vec::new(), 0.0);
        let count = table.count.as_ref().map(|count| count.get());
        let most = count.unwrap_or(self.room_left());
        while radii.len() < most && (count.is_some() || sum < wanted) {
            radii.push(sizes.draw(random));
            sum += measure(radii[radii.len() - 1]);
        }
        // With a given number the radii give way, otherwise their number has.
        let scale = math::powf(wanted / sum, 1.0 / S::DIMENSION as f64);
        radii.iter_mut().for_each(|radius| *radius *= scale);
        let fits = |radius: &f64| (0..S::DIMENSION).all(|i| size.get(i) >= 2.0 * radius);
        let found = match radii.iter().all(fits) && !radii.is_empty() {
            true => grow(space, &radii, random).map_err(|overlap| {
                format!("grains that still overlap by {overlap:.1e} of the smallest radius")
            }),
            false => Err("a grain that is wider than the region".to_owned()),
        };
        found
            .map_err(|found| {
                let draft = Draft::error(fraction.span, "solid fraction that cannot be reached");
                self.problems.push(draft.found(found).expected(
                    "less: random packings end near 0.84 in the plane and 0.64 in space, and earlier \
                     near walls",
                ));
            })
            .ok()
    }
}

/// Grains side by side along x in rows, rows side by side in layers, layers on top of each other;
/// each row is as wide, and each layer as high, as its largest grain.
fn layers<V: Vector>(
    space: &Space<V>,
    sizes: &Distribution,
    most: usize,
    random: &mut Random,
) -> Vec<Ball<V>> {
    let mut balls = Vec::new();
    // Where the next grain, row and layer start, and where the present row and layer end.
    let mut next: Vec<f64> = (0..V::LENGTH).map(|i| space.low.get(i)).collect();
    let mut end = next.clone();
    'grains: while balls.len() < most {
        let radius = sizes.draw(random);
        let fits = |next: &[f64], axis: usize| next[axis] + 2.0 * radius <= space.high.get(axis);
        for axis in 0..V::LENGTH {
            if fits(&next, axis) {
                continue;
            }
            if axis + 1 == V::LENGTH {
                break 'grains;
            }
            // This row (or layer) is full: go back to its start and on to the next.
            for lower in 0..=axis {
                next[lower] = space.low.get(lower);
                end[lower] = next[lower];
            }
            next[axis + 1] = end[axis + 1] + space.gap;
            if !fits(&next, axis) {
                break 'grains;
            }
        }
        balls.push((V::from_fn(|i| next[i] + radius), radius));
        for axis in 0..V::LENGTH {
            end[axis] = end[axis].max(next[axis] + 2.0 * radius);
        }
        next[0] += 2.0 * radius + space.gap;
    }
    balls
}

/// Random sequential addition. If the number is given, large grains go first: they fit least.
/// Otherwise it ends at the first grain that finds no place, so that small ones are not preferred.
pub(super) fn scatter<V: Vector>(
    space: &Space<V>,
    sizes: &Distribution,
    most: usize,
    sorted: bool,
    random: &mut Random,
) -> Vec<Ball<V>> {
    let mut radii = Vec::new();
    if sorted {
        radii = (0..most).map(|_| sizes.draw(random)).collect();
        radii.sort_by(|a, b| b.total_cmp(a));
    }
    let mut cells = Cells::new(2.0 * sizes.largest() + space.gap, space);
    while cells.balls.len() < most {
        let radius = match sorted {
            true => radii[cells.balls.len()],
            false => sizes.draw(random),
        };
        let margin = V::splat(radius);
        let (low, high) = (space.low + margin, space.high - margin);
        if (0..V::LENGTH).any(|i| low.get(i) > high.get(i)) {
            break;
        }
        let free = (0..TRIES)
            .map(|_| V::from_fn(|i| random.between(low.get(i), high.get(i))))
            .find(|centre| cells.free(*centre, radius));
        match free {
            Some(centre) => cells.add(centre, radius),
            None => break,
        }
    }
    cells.balls
}

/// Grains by cells as wide as the largest grain and the gap: a grain meets those of next cells only.
struct Cells<'a, V> {
    size: f64,
    space: &'a Space<V>,
    balls: Vec<Ball<V>>,
    members: HashMap<[i64; 3], Vec<u32>>,
}

impl<'a, V: Vector> Cells<'a, V> {
    fn new(size: f64, space: &'a Space<V>) -> Self {
        Self { size, space, balls: Vec::new(), members: HashMap::new() }
    }
    fn cell(&self, centre: V) -> [i64; 3] {
        std::array::from_fn(|i| match i < V::LENGTH {
            true => ((centre.get(i) - self.space.low.get(i)) / self.size).floor() as i64,
            false => 0,
        })
    }
    fn free(&self, centre: V, radius: f64) -> bool {
        let cell = self.cell(centre);
        let neighbours = 3usize.pow(V::LENGTH as u32);
        (0..neighbours).all(|code| {
            let mut rest = code;
            let near: [i64; 3] = std::array::from_fn(|axis| {
                // The code has one digit for each axis that there is.
                let shift = if axis < V::LENGTH { (rest % 3) as i64 - 1 } else { 0 };
                rest /= 3;
                cell[axis].saturating_add(shift)
            });
            self.members.get(&near).is_none_or(|members| {
                members.iter().all(|&index| {
                    let (other, its) = self.balls[index as usize];
                    (centre - other).norm() >= radius + its + self.space.gap
                })
            })
        })
    }
    fn add(&mut self, centre: V, radius: f64) {
        let index = self.balls.len() as u32;
        self.members.entry(self.cell(centre)).or_default().push(index);
        self.balls.push((centre, radius));
    }
}
