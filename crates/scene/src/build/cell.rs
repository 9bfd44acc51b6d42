//! Periodic cells, and what they ask of the rest of a scene.

use super::Builder;
use super::dimension::{SceneSpace, vector};
use super::overlap::Placed;
use crate::format::{AxisWord, CellDriveTable, CellTable, ComponentWord, SceneTable};
use crate::report::{Draft, Span, short};
use crate::wrap::Items;
use drystone_engine::{
    Cell, CellDrive, CellSwitch, Owner, least_cell_width, unfit_boundary, unfit_for_cells,
};
use drystone_space::{Lattice, Matrix, Pose, Vector};

/// A strain in one step above this is told.
const LARGE_STRAIN: f64 = 0.01;

const AXES: [&str; 3] = ["x", "y", "z"];

impl<S: SceneSpace> Builder<'_, S> {
    /// The cell of the file.
    pub fn cell(&mut self, table: &SceneTable) {
        let Some(cell) = &table.cell.value else {
            for phase in &table.phase.items {
                if let Some(list) = &phase.cell {
                    let draft = Draft::error(list.span, "drive of a cell in a scene without one");
                    self.problems.push(draft.expected("a table `[cell]`").help("add `[cell]`"));
                }
            }
            return;
        };
        let (vectors, periodic) = (self.cell_vectors(cell), self.periodic(cell));
        let (Some(vectors), Some(periodic)) = (vectors, periodic) else { return };
        let Some(lattice) = Lattice::new(vectors, periodic) else {
            let span = cell.vectors.as_ref().map_or(cell.span, |list| list.span);
            let draft = Draft::error(span, "vectors of a cell that enclose nothing");
            self.problems.push(draft.found("vectors in one plane or line").expected(
                match S::DIMENSION {
                    2 => "two vectors in different directions",
                    _ => "three vectors that do not lie in a plane",
                },
            ));
            return;
        };
        let mut made = Cell::held(lattice);
        made.inertia = cell.inertia.as_ref().map_or(1.0, |n| n.value);
        for (component, drive) in self.cell_drives(&cell.drive, &lattice) {
            made.drives[component.0][component.1] = drive;
        }
        for (number, phase) in table.phase.items.iter().enumerate() {
            for (component, drive) in self.cell_drives(&phase.cell, &lattice) {
                made.switches.push(CellSwitch { phase: number, component, drive });
            }
        }
        self.check_turning(&made, cell.span);
        self.setup.cell = Some(made);
    }

    fn cell_vectors(&mut self, table: &CellTable) -> Option<Matrix<S>> {
        match (&table.lengths, &table.vectors) {
            (Some(lengths), None) => {
                let lengths = vector::<S, _, _>(lengths);
                Some(Matrix::from_fn(|i, j| if i == j { lengths.get(i) } else { 0.0 }))
            }
            (None, Some(list)) => {
                if list.items.len() != S::DIMENSION {
                    let draft = Draft::error(list.span, "cell with another number of vectors");
                    let draft = draft.found(format!("{} vectors", list.items.len()));
                    let expected = format!("{} vectors, one for each direction", S::DIMENSION);
                    self.problems.push(draft.expected(expected));
                    return None;
                }
                Some(Matrix::from_fn(|i, j| list.items[j].values[i]))
            }
            (lengths, _) => {
                let (message, found) = match lengths {
                    Some(_) => ("cell of two sizes", "`lengths` and `vectors`"),
                    None => ("cell without a size", "neither `lengths` nor `vectors`"),
                };
                let draft = Draft::error(table.span, message).found(found);
                self.problems
                    .push(draft.expected("either `lengths = […]` or `vectors = [[…], …]`"));
                None
            }
        }
    }

    fn periodic(&mut self, table: &CellTable) -> Option<[bool; 3]> {
        let Some(list) = &table.periodic else { return Some([true; 3]) };
        let mut periodic = [false; 3];
        let mut good = true;
        for word in &list.items {
            let axis = axis(*word);
            let draft = match axis {
                axis if axis >= S::DIMENSION => {
                    Draft::error(list.span, "periodic along an axis that the plane has not")
                        .expected("`x`, `y` or both")
                }
                axis if periodic[axis] => {
                    Draft::error(list.span, "direction named twice").expected("each once at most")
                }
                axis => {
                    periodic[axis] = true;
                    continue;
                }
            };
            self.problems.push(draft.found(format!("`{}`", AXES[axis])));
            good = false;
        }
        if list.items.is_empty() {
            let draft = Draft::error(list.span, "cell that is periodic in no direction");
            let draft = draft.found("an empty list").expected("one direction or more");
            self.problems.push(draft.help("remove `[cell]`, or name directions"));
            good = false;
        }
        good.then_some(periodic)
    }

    /// What a list asks of components.
    fn cell_drives(
        &mut self,
        list: &Option<Items<CellDriveTable>>,
        lattice: &Lattice<S>,
    ) -> Vec<((usize, usize), CellDrive)> {
        let mut found: Vec<((usize, usize), CellDrive)> = Vec::new();
        for table in list.iter().flat_map(|list| &list.items) {
            let (i, j) = component(table.component);
            let name = format!("`{}{}`", AXES[i], AXES[j]);
            if i >= S::DIMENSION || j >= S::DIMENSION {
                let draft = Draft::error(table.span, "component that the plane has not");
                self.problems.push(draft.found(name).expected("`xx`, `xy`, `yx` or `yy`"));
                continue;
            }
            if found.iter().any(|(other, _)| *other == (i, j)) {
                let draft = Draft::error(table.span, "component of a cell that is driven twice");
                self.problems.push(draft.found(name).expected("one drive for each component"));
                continue;
            }
            let drive = match (&table.rate, &table.stress) {
                (Some(rate), None) => self.signal(rate).map(CellDrive::Rate),
                (None, Some(stress)) => self.signal(stress).map(CellDrive::Stress),
                (rate, _) => {
                    let (message, found) = match rate {
                        Some(_) => {
                            ("strain rate and stress for one component", "`rate` and `stress`")
                        }
                        None => {
                            ("component of a cell without a drive", "neither `rate` nor `stress`")
                        }
                    };
                    let draft = Draft::error(table.span, message).found(found);
                    self.problems.push(draft.expected("either `rate` or `stress`"));
                    continue;
                }
            };
            let Some(drive) = drive else { continue };
            if !lattice.is_periodic(j) {
                let draft =
                    Draft::error(table.span, "drive along a direction that is not periodic");
                let draft =
                    draft.found(name).expected(format!("a cell periodic along {}", AXES[j]));
                self.problems.push(draft.help("move a boundary in that direction instead"));
                continue;
            }
            if let CellDrive::Rate(drystone_engine::Signal::Constant(rate)) = &drive {
                let strain = rate.abs() * self.setup.time_step;
                if strain > LARGE_STRAIN {
                    let draft =
                        Draft::warning(table.span, "a cell that is strained far in one step");
                    let draft = draft.found(format!("a strain of {} in a step", short(strain)));
                    self.problems.push(draft.expected(format!("at most {LARGE_STRAIN}")));
                }
            }
            found.push(((i, j), drive));
        }
        found
    }

    /// Two shears of one plane that are both free let the cell turn for ever.
    fn check_turning(&mut self, cell: &Cell<S>, span: Span) {
        let free = |(i, j): (usize, usize)| {
            let first = matches!(cell.drives[i][j], CellDrive::Stress(_));
            let later = cell.switches.iter().any(|switch| {
                switch.component == (i, j) && matches!(switch.drive, CellDrive::Stress(_))
            });
            first || later
        };
        for (i, j) in [(0, 1), (0, 2), (1, 2)] {
            if free((i, j)) && free((j, i)) {
                let names = [(i, j), (j, i)].map(|(i, j)| format!("{}{}", AXES[i], AXES[j]));
                let draft = Draft::error(span, "cell that is free to turn");
                let draft =
                    draft.found(format!("a stress for `{}` and for `{}`", names[0], names[1]));
                self.problems.push(draft.expected("a stress for one of the two at most"));
            }
        }
    }

    /// Whether the rest of the scene goes with the cell; once all else is known.
    pub fn check_cell(&mut self, table: &SceneTable) {
        let (Some(cell), Some(given)) = (&self.setup.cell, &table.cell.value) else { return };
        let span = given.span;
        let mut drafts = Vec::new();
        if let Some(beside) = unfit_for_cells(&self.setup) {
            let place = match beside {
                beside if beside.contains("gravity") => {
                    table.gravity.value.as_ref().map(|g| g.span)
                }
                beside if beside.contains("at rest") => table.rest.value.as_ref().map(|r| r.span),
                beside if beside.contains("joints") => table.joint.items.first().map(|j| j.span),
                beside if beside.contains("springs") => table.spring.items.first().map(|s| s.span),
                beside if beside.contains("solids") => table.solid.items.first().map(|s| s.span),
                beside if beside.contains("drag") => table.drag.items.first().map(|d| d.span),
                beside if beside.contains("enter") => table.emitter.items.first().map(|e| e.span),
                _ => None,
            };
            let draft = Draft::error(place.unwrap_or(span), "cannot be had in a periodic cell");
            let draft = draft.found(beside);
            drafts.push(draft.expected("rigid bodies and contacts under Moreau's law").help(match beside {
                beside if beside.contains("gravity") => {
                    "`gravity` of zeros, or a cell of fixed vectors with an end in one direction"
                }
                beside if beside.contains("change") => {
                    "remove it, or let the cell keep its vectors: no `drive` in `[cell]`"
                }
                beside if beside.contains("enter") => "`periodic` without that direction",
                _ => "remove it, or `[cell]`",
            }));
        }
        let (wide, needed) = (cell.lattice.reduced().least_width(), least_cell_width(&self.setup));
        if wide <= needed && needed.is_finite() {
            let draft = Draft::error(span, "cell that is too narrow for its bodies");
            let draft = draft.found(format!("faces {} m apart", short(wide)));
            drafts.push(draft.expected(format!(
                "more than {} m, the width of two of the largest bodies: else a body meets two images of another",
                short(needed)
            )));
        }
        let tilted = |((i, j), drive): ((usize, usize), &CellDrive)| {
            let along = cell.lattice.is_periodic(i) && cell.lattice.is_periodic(j);
            *drive != CellDrive::HELD && !along
        };
        if let (true, Some(&boundary)) =
            (cell.all_drives().any(tilted), self.boundary_spans.first())
        {
            let draft = Draft::error(boundary, "boundary in a cell that is strained across it");
            let draft = draft.found("a boundary and a drive out of the periodic directions");
            drafts.push(
                draft.expected("drives within the periodic directions, along which surfaces lie"),
            );
        }
        for (boundary, &place) in self.setup.boundaries.iter().zip(&self.boundary_spans) {
            let draft = match unfit_boundary(cell, boundary) {
                Some(why) if why.contains("cuts") => {
                    Draft::error(place, "boundary across a periodic direction")
                        .found("a surface that bodies would meet on their way around")
                        .expected("a surface along all periodic directions")
                }
                Some(why) if why.contains("flat") => {
                    Draft::error(place, "boundary with a shape in a cell whose vectors change")
                        .found("a surface that is not flat, and would have to be strained")
                        .expected("half-planes and half-spaces only")
                        .help("let the cell keep its vectors: no `drive` in `[cell]`")
                }
                Some(_) => Draft::error(place, "boundary that turns in a periodic cell")
                    .found("a turn about an axis")
                    .expected("motions and loads along a direction"),
                None => continue,
            };
            drafts.push(draft);
        }
        drafts.into_iter().for_each(|draft| self.problems.push(draft));
    }

    /// Brings bodies into the cell, and adds the images of those that stand near its faces.
    pub(super) fn add_images<'a>(&self, placed: &mut Vec<Placed<'a, S>>) {
        let Some(cell) = &self.setup.cell else { return };
        let lattice = &cell.lattice;
        let reach = 0.5 * least_cell_width(&self.setup);
        if !reach.is_finite() {
            return;
        }
        for one in placed.iter_mut() {
            let Owner::Body(index) = one.owner else { continue };
            let centre = self.setup.bodies[index as usize].pose.position;
            one.pose.position += lattice.wrap(centre) - centre;
        }
        let near: [f64; 3] = std::array::from_fn(|i| match i < S::DIMENSION {
            true => reach / lattice.width(i),
            false => 0.0,
        });
        for index in 0..placed.len() {
            let Placed { shape, pose, owner } = placed[index];
            if !matches!(owner, Owner::Body(_)) {
                continue;
            }
            for image in 0..27 {
                let whole: [f64; 3] = std::array::from_fn(|i| match i < S::DIMENSION {
                    true if lattice.is_periodic(i) => f64::from(image / [1, 3, 9][i] % 3) - 1.0,
                    _ => f64::NAN,
                });
                let again = (0..S::DIMENSION)
                    .any(|i| !lattice.is_periodic(i) && image / [1, 3, 9][i] % 3 != 0);
                let again = again || (S::DIMENSION == 2 && image >= 9);
                let shift = S::Vector::from_fn(|i| if whole[i].is_nan() { 0.0 } else { whole[i] });
                if again || shift == S::Vector::default() {
                    continue;
                }
                let position = pose.position + lattice.place(shift);
                let at = lattice.fractions(position);
                let beside = (0..S::DIMENSION).filter(|&i| lattice.is_periodic(i));
                if beside.clone().all(|i| at.get(i) > -near[i] && at.get(i) < 1.0 + near[i]) {
                    placed.push(Placed { shape, pose: Pose { position, ..pose }, owner });
                }
            }
        }
    }

    /// Lengths along which a region is closed upon itself: those in which it is as long as the cell, whose vector is along the axis.
    pub(super) fn closed(&self, low: S::Vector, high: S::Vector) -> [Option<f64>; 3] {
        std::array::from_fn(|i| {
            let cell = self.setup.cell.as_ref().filter(|_| i < S::DIMENSION)?;
            let (along, length) = (cell.lattice.vectors().column(i), (high - low).get(i));
            let straight = (along - S::Vector::axis(i) * length).norm() <= 1e-9 * length;
            (cell.lattice.is_periodic(i) && straight).then_some(length)
        })
    }
}

fn axis(word: AxisWord) -> usize {
    match word {
        AxisWord::X => 0,
        AxisWord::Y => 1,
        AxisWord::Z => 2,
    }
}

fn component(word: ComponentWord) -> (usize, usize) {
    match word {
        ComponentWord::Xx => (0, 0),
        ComponentWord::Xy => (0, 1),
        ComponentWord::Xz => (0, 2),
        ComponentWord::Yx => (1, 0),
        ComponentWord::Yy => (1, 1),
        ComponentWord::Yz => (1, 2),
        ComponentWord::Zx => (2, 0),
        ComponentWord::Zy => (2, 1),
        ComponentWord::Zz => (2, 2),
    }
}
