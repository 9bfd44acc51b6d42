//! What one frame says: every measure that applies to it.

use crate::{
    Coordination, Cut, CutForce, Estimate, ForceDistribution, Janssen, Layer, Reciprocity, Region,
    Ring, Sample, SampleCell, SampleSide, Silo, Slope, Surface, Tensor, coordination, fabric,
    floor_pressure, force_distribution, grid_of_pairs, layers, meridional_stress, reciprocity,
    reciprocity_error, region_stress, tilt, up, with_scatter,
};
use drystone_space::{DVec2, Space, Vector, math};

/// What the user has chosen; everything else follows from the sample.
#[derive(Clone, Debug)]
pub struct Choices<S: Space> {
    /// A point of the vertical axis.
    pub axis: Option<S::Vector>,
    /// Where density, stress, fabric and coordination are measured.
    pub region: Option<Region<S>>,
    /// Which boundaries are the floor, by index.
    pub floor: Option<Vec<u32>>,
    /// Width of the rings of the floor pressure.
    pub ring: Option<f64>,
    /// Dates between which fossil layers lie.
    pub dates: Vec<f64>,
    /// Length of cuts.
    pub cut: Option<f64>,
    /// Size of gravity.
    pub gravity: f64,
}

/// A place of a fossil layer: its inclination, and the force across a vertical cylinder there.
#[derive(Clone, Debug)]
pub struct LayerPlace {
    /// Which layer.
    pub layer: usize,
    /// Middle of the ring, and mean height of the layer there.
    pub place: DVec2,
    /// Inclination of the layer, in radians.
    pub inclination: f64,
    /// Force density across the cylinder.
    pub force: CutForce,
}

/// Stress in one ring of a heap or one slab of a bed.
#[derive(Clone, Debug)]
pub struct StressCell {
    /// Middle of the cell: radius and height.
    pub middle: DVec2,
    /// Radial, around, up.
    pub stress: Tensor,
    /// Standard error of the vertical stress, from several runs; not a number where these are too few.
    pub error: f64,
    /// Part of the cell that is filled.
    pub solid: f64,
}

/// What one frame says.
#[derive(Clone, Debug)]
pub struct Study<S: Space> {
    /// How many frames the sample is the mean of.
    pub frames: usize,
    /// A point of the vertical axis.
    pub axis: S::Vector,
    /// Height of the floor.
    pub floor: f64,
    /// Mean diameter of the grains.
    pub diameter: f64,
    /// The profile of the surface about the axis.
    pub surface: Surface,
    /// The slope of a heap; `None` for a bed between walls.
    pub slope: Option<Slope>,
    /// Angle of the surface of a bed, in degrees: mean over frames.
    pub tilt: Option<Estimate>,
    /// Where density, stress, fabric and coordination were measured.
    pub region: Option<Region<S>>,
    /// Part of the region that is filled.
    pub solid_fraction: Option<f64>,
    /// Mean stress in the region.
    pub stress: Option<Tensor>,
    /// Fabric of its contacts.
    pub fabric: Tensor,
    /// Contacts by grain.
    pub coordination: Coordination,
    /// Distribution of contact forces.
    pub forces: ForceDistribution,
    /// Pressure on the floor.
    pub rings: Vec<Ring>,
    /// Size of gravity.
    pub gravity: f64,
    /// Pressure that a liquid of the heap's height and mean density would have at the floor.
    pub hydrostatic: Option<f64>,
    /// Stress in rings of a heap, or slabs of a bed.
    pub cells: Vec<StressCell>,
    /// Of a bed whose walls carry some of its weight.
    pub janssen: Option<Janssen>,
    /// Pairs of reciprocal cuts.
    pub cuts: Vec<Reciprocity>,
    /// Fossil layers.
    pub layers: Vec<Layer>,
    /// Forces where these have an inclination.
    pub places: Vec<LayerPlace>,
}

/// Distance that regions keep from walls, floor and surface, in mean diameters.
const MARGIN: f64 = 1.5;
/// The same above the floor and below the surface of a bed, in its heights, where that is less: a thin bed has
/// no middle that is undisturbed, but it has a density.
const THIN: f64 = 0.2;
/// A boundary is a floor if its normals point up by more than this in the mean.
const UPWARD: f64 = 0.35;
/// Height of a slab of a bed, in mean diameters.
const SLAB: f64 = 4.0;
/// Slabs without which a bed is too flat to be called a silo.
const FEWEST_SLABS: usize = 5;
/// Runs from which on their scatter gives the errors.
const FEWEST_RUNS: usize = 3;
/// Width of a class of the force distribution, in mean forces, and how many there are.
const CLASSES: (f64, usize) = (0.25, 32);

impl<S: Space> Study<S> {
    /// Measures a sample, the mean of the moments of some runs. Surfaces are those of the moments, since all grains side by
    /// side have that of the highest.
    pub fn of(sample: &Sample<S>, runs: &[Vec<Sample<S>>], choices: &Choices<S>) -> Self {
        let moments = || runs.iter().flatten();
        let frames = moments().count();
        let means: Vec<Sample<S>> = match runs.len() >= FEWEST_RUNS {
            true => runs.iter().map(|run| Sample::mean_of(run.iter())).collect(),
            false => Vec::new(),
        };
        let axis = choices.axis.unwrap_or_else(|| level(sample.centre()));
        let diameter = sample.mean_diameter();
        let floors = choices.floor.clone().unwrap_or_else(|| floor_boundaries(sample));
        let floor = floor_height(sample, &floors);
        let profile = |moment| Surface::of(moment, axis, floor, diameter);
        let surface = Surface::mean_of(&moments().map(profile).collect::<Vec<_>>());
        let tilts: Vec<f64> = moments().filter_map(|m| tilt(m, level(m.centre()))).collect();
        let closed = sample.cell.filter(SampleCell::is_closed);
        let slope = surface.slope().filter(|_| is_heap(&surface) && closed.is_none());
        let region = choices.region.or_else(|| match closed {
            Some(SampleCell { lattice, .. }) => {
                Some(Region::Cell { lattice, low: S::Vector::ZERO, high: S::Vector::ZERO })
            }
            None => own_region(sample, axis, floor, &surface, slope),
        });
        let solid_fraction = region.map(|region| region.solid_fraction(sample));
        let inner = region.as_ref();
        let length = choices.cut.unwrap_or_else(|| cut_length(&surface, diameter));
        let ring = choices.ring.unwrap_or(2.0 * diameter);
        let pairs = slope
            .map(|fit| grid_of_pairs(floor, floor + fit.apex, fit.slope, length))
            .unwrap_or_default();
        let layers = layers(sample, axis, &choices.dates, ring);
        let places = places(sample, axis, &layers, length);
        let rings = |sample| floor_pressure(sample, axis, ring, |index| floors.contains(&index));
        let of_runs: Vec<_> = means.iter().map(rings).collect();
        let weight = solid_fraction.map(|solid| solid * sample.grain_density() * choices.gravity);
        Self {
            axis,
            floor,
            diameter,
            slope,
            tilt: (slope.is_none() && closed.is_none() && !tilts.is_empty())
                .then(|| Estimate::of(&tilts)),
            region,
            solid_fraction,
            stress: inner.map(|region| region_stress(sample, region)),
            fabric: fabric(sample, inner),
            coordination: coordination(sample, inner),
            forces: force_distribution(sample, CLASSES.0, CLASSES.1).of_frames(frames),
            frames,
            gravity: choices.gravity,
            rings: match of_runs.is_empty() {
                true => rings(sample),
                false => with_scatter(rings(sample), &of_runs),
            },
            hydrostatic: weight.map(|weight| weight * surface.height()),
            cells: match slope {
                Some(fit) => cells(sample, &means, axis, floor, &fit, length),
                None if closed.is_some() => Vec::new(),
                None => slabs(sample, &means, axis, floor, surface.height()),
            },
            janssen: match slope {
                Some(_) => None,
                None if closed.is_some() => None,
                None => janssen(sample, axis, floor, &surface, &floors, choices.gravity),
            },
            cuts: pairs.into_iter().map(|pair| reciprocity(sample, axis, pair)).collect(),
            layers,
            places,
            surface,
        }
    }
    /// Mismatch of reciprocal cuts and what sampling would make of it, both relative.
    pub fn reciprocity_error(&self) -> Option<Estimate> {
        reciprocity_error(&self.cuts)
    }
}

/// Heaps of several moments, each in the size of the last: as high and wide in proportion as its grains have more
/// measure. What a heap that keeps its shape as it grows does in the mean can be read from them together.
pub fn alike<S: Space>(runs: Vec<Vec<Sample<S>>>, choices: &Choices<S>) -> Vec<Vec<Sample<S>>> {
    let size = runs.iter().flatten().last().map_or(0.0, Sample::measure);
    let grown = |moment: Sample<S>| {
        let axis = choices.axis.unwrap_or_else(|| level(moment.centre()));
        let floors = choices.floor.clone().unwrap_or_else(|| floor_boundaries(&moment));
        let floor = floor_height(&moment, &floors);
        let foot = S::Vector::from_fn(|i| if i + 1 < S::DIMENSION { axis.get(i) } else { floor });
        let factor = math::powf(size / moment.measure(), 1.0 / S::DIMENSION as f64);
        moment.scaled(foot, factor)
    };
    let run = |moments: Vec<Sample<S>>| {
        moments.into_iter().filter(|moment| moment.measure() > 0.0).map(grown).collect()
    };
    runs.into_iter().map(run).collect()
}

/// A point with its height set to zero.
fn level<V: Vector>(point: V) -> V {
    V::from_fn(|i| if i + 1 < V::LENGTH { point.get(i) } else { 0.0 })
}

/// A contact with a boundary, as the boundary sees it.
struct Press<V> {
    boundary: u32,
    /// Force on the boundary.
    force: V,
    /// Unit normal out of the boundary.
    normal: V,
    point: V,
}

fn on_boundaries<S: Space>(sample: &Sample<S>) -> impl Iterator<Item = Press<S::Vector>> {
    sample.active().filter_map(|contact| {
        let (boundary, sign) = match (contact.first, contact.second) {
            (SampleSide::Boundary(index), _) => (index, -1.0),
            (_, SampleSide::Boundary(index)) => (index, 1.0),
            _ => return None,
        };
        let (force, normal) = (contact.force * -sign, contact.normal * sign);
        Some(Press { boundary, force, normal, point: contact.point })
    })
}

/// Boundaries whose normals point up rather than aside, in the mean over forces.
fn floor_boundaries<S: Space>(sample: &Sample<S>) -> Vec<u32> {
    let mut sums: Vec<(f64, f64)> = Vec::new();
    for press in on_boundaries(sample) {
        let index = press.boundary as usize;
        if index >= sums.len() {
            sums.resize(index + 1, (0.0, 0.0));
        }
        sums[index].0 += up(press.normal) * press.force.norm();
        sums[index].1 += press.force.norm();
    }
    let floors = sums.iter().enumerate().filter(|(_, sum)| sum.0 > UPWARD * sum.1);
    floors.map(|(index, _)| index as u32).collect()
}

/// Mean height of the contacts with the floor, by their forces; without any, the lowest point of a grain.
fn floor_height<S: Space>(sample: &Sample<S>, floors: &[u32]) -> f64 {
    let (mut moment, mut sum) = (0.0, 0.0);
    for press in on_boundaries(sample).filter(|press| floors.contains(&press.boundary)) {
        moment -= up(press.force) * up(press.point);
        sum -= up(press.force);
    }
    if sum > 0.0 {
        return moment / sum;
    }
    let lowest = sample.grains.iter().map(|g| up(g.position) - g.radius);
    lowest.fold(f64::INFINITY, f64::min)
}

/// Whether the profile ends low, as that of a heap does, and not at a wall.
fn is_heap(surface: &Surface) -> bool {
    surface.heights.last().is_some_and(|&last| last < 0.2 * surface.height())
}

/// Where density is measured: below the slope of a heap, or between walls.
fn own_region<S: Space>(
    sample: &Sample<S>,
    axis: S::Vector,
    floor: f64,
    surface: &Surface,
    slope: Option<Slope>,
) -> Option<Region<S>> {
    let margin = MARGIN * sample.mean_diameter();
    let low = floor + margin;
    if let Some(fit) = slope {
        let apex = floor + fit.apex - margin * math::hypot(fit.slope, 1.0);
        let region = Region::Cone { axis, low, apex, slope: fit.slope };
        return (apex > low + margin).then_some(region);
    }
    let sides = (0..S::DIMENSION - 1).flat_map(|i| [1.0, -1.0].map(|s| reach(sample, axis, s, i)));
    let outer = sides.fold(f64::INFINITY, f64::min) - margin;
    let inside = (0..surface.heights.len()).take_while(|&ring| surface.radius(ring) < outer);
    let top = inside.map(|ring| surface.heights[ring]).fold(f64::INFINITY, f64::min);
    let within = margin.min(THIN * top);
    let (low, high) = (floor + within, floor + top - within);
    let sound = outer > 0.5 * margin && high - low > sample.mean_diameter() && high.is_finite();
    sound.then_some(Region::Ring { axis, inner: 0.0, outer, low, high })
}

/// A quarter of the height, but from 1.5 to 4 diameters.
fn cut_length(surface: &Surface, diameter: f64) -> f64 {
    (0.25 * surface.height()).clamp(1.5 * diameter, 4.0 * diameter)
}

impl StressCell {
    fn of<S: Space>(
        sample: &Sample<S>,
        runs: &[Sample<S>],
        axis: S::Vector,
        region: &Region<S>,
        middle: DVec2,
    ) -> Self {
        let stress = |sample| meridional_stress(sample, axis, region);
        let (last, solid) = (S::DIMENSION - 1, region.solid_fraction(sample));
        let vertical: Vec<f64> = runs.iter().map(|run| stress(run).entries[last][last]).collect();
        let error = if runs.is_empty() { f64::NAN } else { Estimate::of(&vertical).error };
        Self { middle, stress: stress(sample), error, solid }
    }
}

/// Rings inside the heap, as wide and as high as cuts are long.
fn cells<S: Space>(
    sample: &Sample<S>,
    runs: &[Sample<S>],
    axis: S::Vector,
    floor: f64,
    fit: &Slope,
    size: f64,
) -> Vec<StressCell> {
    let mut cells = Vec::new();
    let rows = (fit.apex / size) as usize;
    for row in 0..rows {
        let (low, high) = (floor + row as f64 * size, floor + (row + 1) as f64 * size);
        let columns = ((floor + fit.apex - high) / (fit.slope * size)).max(0.0) as usize;
        for column in 0..columns {
            let inner = column as f64 * size;
            let region = Region::Ring { axis, inner, outer: inner + size, low, high };
            let middle = DVec2::new(inner + 0.5 * size, 0.5 * (low + high));
            cells.push(StressCell::of(sample, runs, axis, &region, middle));
        }
    }
    cells
}

/// Slabs of a bed, from wall to wall.
fn slabs<S: Space>(
    sample: &Sample<S>,
    runs: &[Sample<S>],
    axis: S::Vector,
    floor: f64,
    height: f64,
) -> Vec<StressCell> {
    let size = SLAB * sample.mean_diameter();
    let slab = |row: usize| {
        let (low, high) = (floor + row as f64 * size, floor + (row + 1) as f64 * size);
        let corner = |sign: f64, level: f64| {
            S::Vector::from_fn(|i| match i + 1 < S::DIMENSION {
                true => axis.get(i) + sign * reach(sample, axis, sign, i),
                false => level,
            })
        };
        let region = Region::Box { low: corner(-1.0, low), high: corner(1.0, high) };
        StressCell::of(sample, runs, axis, &region, DVec2::new(0.0, 0.5 * (low + high)))
    };
    (0..(height / size) as usize).map(slab).collect()
}

/// The bed as a silo, in slabs.
fn janssen<S: Space>(
    sample: &Sample<S>,
    axis: S::Vector,
    floor: f64,
    surface: &Surface,
    floors: &[u32],
    gravity: f64,
) -> Option<Janssen> {
    let heights = &surface.heights;
    let top = floor + heights.iter().sum::<f64>() / heights.len().max(1) as f64;
    let corner = |sign: f64, level: f64| {
        S::Vector::from_fn(|i| match i + 1 < S::DIMENSION {
            true => axis.get(i) + sign * reach(sample, axis, sign, i),
            false => level,
        })
    };
    let silo = Silo { low: corner(-1.0, floor), high: corner(1.0, top), gravity };
    let slabs = ((top - floor) / (SLAB * sample.mean_diameter())) as usize;
    if slabs < FEWEST_SLABS {
        return None;
    }
    silo.measure(sample, slabs, |index| floors.contains(&index))
}

/// How far grains reach from the axis along a coordinate, to one side.
fn reach<S: Space>(sample: &Sample<S>, axis: S::Vector, sign: f64, i: usize) -> f64 {
    let ends = sample.grains.iter().map(|g| sign * (g.position - axis).get(i) + g.radius);
    ends.fold(0.0, f64::max)
}

/// Forces across vertical cylinders where layers have an inclination.
fn places<S: Space>(
    sample: &Sample<S>,
    axis: S::Vector,
    layers: &[Layer],
    length: f64,
) -> Vec<LayerPlace> {
    let mut places = Vec::new();
    for (index, layer) in layers.iter().enumerate() {
        for (ring, found) in layer.rings.iter().enumerate() {
            let Some(inclination) = layer.inclination(ring) else { continue };
            let place = DVec2::new(found.radius, found.height);
            let force = Cut::through(place, length, 0.0).force(sample, axis);
            if force.contacts > 0 {
                places.push(LayerPlace { layer: index, place, inclination, force });
            }
        }
    }
    places
}
