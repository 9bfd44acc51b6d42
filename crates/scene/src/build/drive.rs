//! What moves boundaries: motions, loads, and one after the other.

use super::Builder;
use super::body::axial;
use super::dimension::{SceneSpace, direction, vector_or_zero};
use crate::format::{Displacement, DriveTable, MotionTable, PushTable};
use crate::plain::Text;
use crate::quantity::{Pure, Vector as Components};
use crate::report::{Draft, Span};
use crate::wrap::{Items, Pair};
use drystone_detect::Extent;
use drystone_engine::{Course, Drive, Edge, Motion, Owner, Signal, Slider, Switch, Table};
use drystone_space::Vector;

impl<S: SceneSpace> Builder<'_, S> {
    /// What moves a boundary; the edges of a pressure are not yet known.
    pub(super) fn drive(
        &mut self,
        motion: &Option<MotionTable>,
        load: &Option<PushTable>,
    ) -> Option<Drive<S>> {
        let Some(load) = load else {
            return match motion {
                None => Some(Drive::Fixed),
                Some(motion) => self.motion(motion).map(Drive::Motion),
            };
        };
        let slider = self.slider(load);
        let Some(table) = motion else { return slider.map(Drive::Slider) };
        let motion = self.motion(table)?;
        let mut slider = slider?;
        self.beside(&slider, &motion, table.span)?;
        slider.motion = Some(motion);
        Some(Drive::Slider(slider))
    }

    /// Whether a motion leaves free what a load moves.
    fn beside(&mut self, slider: &Slider<S>, motion: &Motion<S>, span: Span) -> Option<()> {
        let along = slider.direction();
        let found = match () {
            () if along == S::Vector::ZERO => "a boundary that turns under a torque",
            () if turns(&motion.course) => "a motion that turns",
            () if !at_right_angles(&motion.course, along) => "a motion along the load",
            () => return Some(()),
        };
        let draft = Draft::error(span, "motion and load do not fit together").found(found);
        let draft = draft.expected("a motion at right angles to the `direction` of the load");
        self.problems.push(draft.help("one after the other: `[[phase.drive]]`"));
        None
    }

    fn slider(&mut self, table: &PushTable) -> Option<Slider<S>> {
        let given = [
            ("force", table.force.is_some()),
            ("pressure", table.pressure.is_some()),
            ("torque", table.torque.is_some()),
        ];
        let given: Vec<&str> = given.iter().filter(|(_, there)| *there).map(|g| g.0).collect();
        let [kind] = given[..] else {
            let draft = Draft::error(table.span, "a load is one of three");
            let draft = draft.found(match given.is_empty() {
                true => "none".to_owned(),
                false => format!("`{}`", given.join("` and `")),
            });
            self.problems.push(draft.expected("`force`, `pressure` or `torque`"));
            return None;
        };
        let turns = kind == "torque";
        let keys = [
            ("direction", table.direction.as_ref().map(|d| d.span), !turns, !turns),
            ("mass", table.mass.as_ref().map(|n| n.span), !turns, !turns),
            ("inertia", table.inertia.as_ref().map(|n| n.span), turns, turns),
            ("axis", table.axis.as_ref().map(|d| d.span), turns && S::DIMENSION == 3, turns),
            ("area", table.area.as_ref().map(|n| n.span), false, kind == "pressure"),
            ("between", table.between.as_ref().map(|n| n.span), false, kind == "pressure"),
        ];
        let mut good = true;
        for (key, span, needed, fits) in keys {
            let draft = match span {
                None if needed => Draft::error(table.span, format!("{kind} without `{key}`"))
                    .help(format!("add `{key} = …`")),
                Some(span) if key == "axis" && S::DIMENSION == 2 => {
                    Draft::error(span, "axis of a load in the plane")
                        .expected("no `axis`: the plane has one axis only")
                }
                Some(span) if !fits => {
                    Draft::error(span, format!("{kind} with `{key}`")).expected(match turns {
                        true => "`torque`, `inertia` and, in space, `axis`",
                        false if kind == "force" => "`force`, `direction` and `mass`",
                        false => "`pressure`, `direction`, `mass`, and `area` or `between`",
                    })
                }
                _ => continue,
            };
            self.problems.push(draft);
            good = false;
        }
        if kind == "pressure" && table.area.is_some() == table.between.is_some() {
            let (message, found) = match table.area {
                Some(_) => ("pressure on two areas", "`area` and `between`"),
                None => ("pressure without an area", "neither `area` nor `between`"),
            };
            let draft = Draft::error(table.span, message).found(found);
            self.problems.push(draft.expected(
                "an `area` that stays, or `between = [[\"left\", \"right\"]]` for the present \
                 distance of boundaries",
            ));
            good = false;
        }
        if !good {
            return None;
        }
        if let (Some(torque), Some(inertia)) = (&table.torque, &table.inertia) {
            let axis = self.axis(&table.axis)?;
            return Some(Slider::about(axis, inertia.value, self.signal(torque)?));
        }
        let along = direction::<S, _, _>(table.direction.as_ref()?, self.problems);
        let mut load = match (&table.force, &table.pressure) {
            (Some(force), _) => self.signal(force)?,
            (None, pressure) => self.signal(pressure.as_ref()?)?,
        };
        if let Some(area) = &table.area {
            load = scaled(load, area.value)?;
        }
        Some(Slider::along(along?, table.mass.as_ref()?.value, load))
    }

    /// The edges of the area on which a pressure acts.
    pub(super) fn edges(&mut self, table: Option<&PushTable>) -> Option<Vec<Edge<S>>> {
        let pairs = table?.between.as_ref()?;
        if pairs.items.len() + 1 != S::DIMENSION {
            let draft = Draft::error(pairs.span, "area with a wrong number of edges");
            let draft = draft.found(format!("{} pairs", pairs.items.len()));
            self.problems.push(draft.expected(match S::DIMENSION {
                2 => "one pair of boundaries in the plane",
                _ => "two pairs of boundaries in space",
            }));
            return None;
        }
        self.edges_between(pairs)
    }

    fn edges_between(&mut self, pairs: &Items<Pair<Text>>) -> Option<Vec<Edge<S>>> {
        let mut edges: Vec<Edge<S>> = Vec::new();
        for pair in &pairs.items {
            let from = self.boundary_named(&pair.first);
            let to = self.boundary_named(&pair.second);
            let between = [from?, to?];
            let Some((along, length)) = self.facing(between) else {
                let draft = Draft::error(pair.span, "boundaries that do not face each other");
                let draft =
                    draft.found(format!("`{}` and `{}`", pair.first.value, pair.second.value));
                self.problems.push(draft.expected("two boundaries with a gap between them"));
                return None;
            };
            edges.push(Edge { between, along, length });
        }
        if let [one, other] = edges[..]
            && one.along.dot(other.along).abs() > 1e-6
        {
            let draft = Draft::error(pairs.span, "edges that are not at right angles");
            self.problems.push(draft.expected("two pairs of boundaries at right angles"));
            return None;
        }
        Some(edges)
    }

    /// The direction from one boundary to another and the gap between their surfaces, if they face each other.
    fn facing(&self, between: [usize; 2]) -> Option<(S::Vector, f64)> {
        let [first, second] = between.map(|index| {
            let boundary = &self.setup.boundaries[index];
            boundary
                .parts
                .iter()
                .map(|part| S::extent(&part.shape, &boundary.pose.compose(&part.pose())))
        });
        let (first, second): (Vec<Extent<S>>, Vec<Extent<S>>) = (first.collect(), second.collect());
        let normal = |extents: &[Extent<S>]| {
            extents.iter().find_map(|extent| match extent {
                Extent::Half { normal, .. } => Some(*normal),
                Extent::Box(_) => None,
            })
        };
        // How far a boundary reaches along a direction; nothing if it has no end.
        let reach = |extents: &[Extent<S>], along: S::Vector| {
            extents.iter().try_fold(f64::NEG_INFINITY, |far: f64, extent| {
                Some(far.max(match extent {
                    Extent::Half { normal, offset } => {
                        (normal.dot(along) > 1.0 - 1e-9).then_some(*offset)?
                    }
                    Extent::Box(bounds) => {
                        let half = bounds.size() * 0.5;
                        let wide = (0..S::DIMENSION).map(|i| half.get(i) * along.get(i).abs());
                        bounds.centre().dot(along) + wide.sum::<f64>()
                    }
                }))
            })
        };
        let gap = |along: S::Vector| {
            let gap = -reach(&second, -along)? - reach(&first, along)?;
            (gap > 0.0).then_some((along, gap))
        };
        match (normal(&first), normal(&second)) {
            (Some(normal), _) => gap(normal),
            (None, Some(normal)) => gap(-normal),
            (None, None) => {
                let ways =
                    (0..S::DIMENSION).flat_map(|i| [S::Vector::axis(i), -S::Vector::axis(i)]);
                ways.filter_map(gap).max_by(|a, b| a.1.total_cmp(&b.1))
            }
        }
    }

    /// A motion: the sum of what its table says.
    pub(super) fn motion(&mut self, table: &MotionTable) -> Option<Motion<S>> {
        let mut courses = Vec::new();
        if table.velocity.is_some() || table.spin.is_some() {
            let linear = vector_or_zero::<S, _, _>(&table.velocity);
            courses.push(Course::Velocity { linear, spin: axial::<S, _, _>(&table.spin) });
        }
        self.displacements(table, &mut courses)?;
        for record in table.record.iter().flat_map(|records| &records.items) {
            courses.push(self.record(record)?);
        }
        self.rotations(table, &mut courses)?;
        let turning = courses.iter().filter(|course| turns(course)).count();
        let draft = match (courses.len(), turning) {
            (0, _) => Draft::error(table.span, "motion that moves nothing"),
            (_, 2..) => Draft::error(table.span, "boundary that turns in two ways")
                .found("`spin` and `angle`"),
            _ => {
                let (start, stop) = self.interval(&table.start, &table.stop);
                let course = match courses.len() {
                    1 => courses.pop()?,
                    _ => Course::Sum(courses),
                };
                return Some(Motion { course, start, stop });
            }
        };
        self.problems.push(draft.expected(
            "`velocity` or `spin`, `displacement` or `angle` as functions of time, or `record`",
        ));
        None
    }

    fn displacements(&mut self, table: &MotionTable, courses: &mut Vec<Course<S>>) -> Option<()> {
        match (&table.displacement, &table.direction) {
            (None, None) => {}
            (Some(Displacement::Along(signal)), Some(given)) => {
                let along = direction::<S, _, _>(given, self.problems)?;
                courses.push(shift(along, self.signal(signal)?));
            }
            (Some(Displacement::Each(list)), None) if list.items.len() == S::DIMENSION => {
                for (axis, signal) in list.items.iter().enumerate() {
                    courses.push(shift(S::Vector::axis(axis), self.signal(signal)?));
                }
            }
            (Some(Displacement::Each(list)), given) => {
                let draft = Draft::error(list.span, "displacements that do not fit the axes");
                let draft = draft.found(match given {
                    Some(_) => "a list and a `direction`".to_owned(),
                    None => format!("{} displacements", list.items.len()),
                });
                let expected = format!("{} displacements and no `direction`", S::DIMENSION);
                self.problems.push(draft.expected(expected));
                return None;
            }
            (given, _) => {
                let (message, help) = match given {
                    Some(_) => ("displacement without direction", "add `direction = …`"),
                    None => ("direction without displacement", "add `displacement = …`"),
                };
                self.problems.push(Draft::error(table.span, message).help(help));
                return None;
            }
        }
        Some(())
    }

    fn rotations(&mut self, table: &MotionTable, courses: &mut Vec<Course<S>>) -> Option<()> {
        match (&table.angle, &table.axis) {
            (Some(signal), axis) if axis.is_some() == (S::DIMENSION == 3) => {
                let (axis, rotation) = (self.axis(axis)?, self.signal(signal)?);
                // One course for both, as where they go together.
                if let [Course::Signals { axis: about, rotation: angle, .. }] = &mut courses[..] {
                    (*about, *angle) = (axis, rotation);
                    return Some(());
                }
                let (direction, displacement) = (S::Vector::ZERO, Signal::Constant(0.0));
                courses.push(Course::Signals { direction, displacement, axis, rotation });
            }
            (None, None) => {}
            _ => {
                let draft = Draft::error(table.span, "angle and axis do not fit together");
                self.problems.push(draft.expected(match S::DIMENSION {
                    2 => "`angle` without `axis`: the plane has one axis only",
                    _ => "`angle` and `axis`",
                }));
                return None;
            }
        }
        Some(())
    }

    /// A unit axis; that of the plane where none is given.
    fn axis(&mut self, axis: &Option<Components<Pure>>) -> Option<S::Spin> {
        let Some(axis) = axis else { return Some(S::Spin::from_fn(|_| 1.0)) };
        let unit = direction::<S, _, _>(axis, self.problems)?;
        Some(S::Spin::from_fn(|i| unit.get(i)))
    }

    /// What moves boundaries from the start of a phase on.
    pub(super) fn switches(&mut self, phase: usize, list: &Option<Items<DriveTable>>) {
        for table in list.iter().flat_map(|list| &list.items) {
            let boundary = self.boundary_named(&table.boundary);
            let held = table.hold == Some(true);
            let said =
                usize::from(held) + usize::from(table.motion.is_some() || table.load.is_some());
            if said != 1 {
                let draft =
                    Draft::error(table.span, "drive of a boundary that says not what to do");
                let draft = draft.found(if said == 0 { "nothing" } else { "`hold` and more" });
                self.problems.push(draft.expected("`motion`, `load`, both, or `hold = true`"));
                continue;
            }
            let Some(mut drive) = self.drive(&table.motion, &table.load) else { continue };
            if let (Drive::Slider(slider), Some(edges)) =
                (&mut drive, self.edges(table.load.as_ref()))
            {
                slider.edges = edges;
            }
            if matches!(drive, Drive::Fixed) {
                drive = Drive::steered();
            }
            let Some(boundary) = boundary else { continue };
            let twice = |s: &Switch<S>| s.phase == phase && s.boundary == boundary;
            if self.setup.switches.iter().any(twice) {
                let draft = Draft::error(table.boundary.span, "boundary driven twice in a phase");
                let draft = draft.found(format!("`{}`", table.boundary.value));
                self.problems.push(draft.expected("one `[[phase.drive]]` for each boundary"));
                continue;
            }
            self.setup.switches.push(Switch { phase, boundary, drive });
        }
    }

    /// A boundary by its name.
    pub(super) fn boundary_named(&mut self, name: &Text) -> Option<usize> {
        match self.names.find(name, "a boundary", self.problems)? {
            Owner::Boundary(index) => {
                Some(index as usize).filter(|&index| index < self.setup.boundaries.len())
            }
            Owner::Body(_) => {
                let draft = Draft::error(name.span, format!("`{}` is a body", name.value));
                self.problems.push(draft.found("a body").expected("the name of a boundary"));
                None
            }
        }
    }
}

/// A displacement along a direction.
pub(super) fn shift<S: SceneSpace>(direction: S::Vector, displacement: Signal) -> Course<S> {
    let rotation = Signal::Constant(0.0);
    Course::Signals { direction, displacement, axis: S::Spin::ZERO, rotation }
}

fn turns<S: SceneSpace>(course: &Course<S>) -> bool {
    match course {
        Course::Velocity { spin, .. } => *spin != S::Spin::ZERO,
        Course::Signals { axis, .. } => *axis != S::Spin::ZERO,
        Course::Sum(parts) => parts.iter().any(turns),
    }
}

fn at_right_angles<S: SceneSpace>(course: &Course<S>, to: S::Vector) -> bool {
    match course {
        Course::Velocity { linear, .. } => linear.dot(to).abs() <= 1e-9 * linear.norm(),
        Course::Signals { direction, displacement, .. } => {
            *displacement == Signal::Constant(0.0) || direction.dot(to).abs() <= 1e-9
        }
        Course::Sum(parts) => parts.iter().all(|part| at_right_angles(part, to)),
    }
}

/// A signal times a constant; loads are no records.
fn scaled(signal: Signal, factor: f64) -> Option<Signal> {
    Some(match signal {
        Signal::Constant(value) => Signal::Constant(value * factor),
        Signal::Sinusoid { mean, amplitude, frequency, phase } => {
            let (mean, amplitude) = (mean * factor, amplitude * factor);
            Signal::Sinusoid { mean, amplitude, frequency, phase }
        }
        Signal::Exponential { amplitude, rate } => {
            Signal::Exponential { amplitude: amplitude * factor, rate }
        }
        Signal::Table(table) => {
            let (times, values) = table.points().map(|(t, v)| (t, v * factor)).unzip();
            Signal::Table(Table::new(times, values)?)
        }
        Signal::Smooth(_) => return None,
    })
}
