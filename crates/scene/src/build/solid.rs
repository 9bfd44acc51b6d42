//! Deformable solids: meshes, elasticity, supports and loads.

use super::Builder;
use super::body::{axial, rotation};
use super::dimension::{SceneSpace, vector, vector_or_zero};
use crate::decode::listed;
use crate::format::{
    AxisWord, DeformationTable, ElasticWord, ImposedTable, MassWord, MeshChoice, PairingWord,
    RectangleTable, SchemeWord, SectionWord, SolidTable, TractionTable,
};
use crate::plain::Text;
use crate::quantity::{Number, Pure};
use crate::report::{Draft, Span};
use crate::wrap::{Items, List};
use drystone_engine::{Imposed, Pairing, Signal, SolidSetup, Traction};
use drystone_fem::mesh::{ball, block, disk, read_gmsh, rectangle};
use drystone_fem::{
    Damping, Elastic, ElasticLaw, FemError, Location, MassKind, Mesh, Model, Section,
};
use drystone_solve::AssembledMethod;
use drystone_space::{DVec2, DVec3, Plane, Pose, Vector, Volume};

/// Poisson's ratios above this make elements far too stiff.
const NEARLY_INCOMPRESSIBLE: f64 = 0.49;

/// A space whose meshes a scene can name.
pub(crate) trait Meshed: drystone_space::Space {
    /// A generated mesh; `None` if it is one of the other dimension.
    fn generate(table: &MeshChoice) -> Option<Result<Mesh<Self>, FemError>>;
}

impl Meshed for Plane {
    fn generate(table: &MeshChoice) -> Option<Result<Mesh<Self>, FemError>> {
        match table {
            MeshChoice::Rectangle(table) => Some(rounded(table)),
            MeshChoice::Disk(table) => Some(disk(table.radius.value, table.rings.value as usize)),
            _ => None,
        }
    }
}

/// A rectangle whose lower side may be an arc: points sink in proportion to their depth.
fn rounded(table: &RectangleTable) -> Result<Mesh<Plane>, FemError> {
    let size = DVec2::new(table.size.values[0], table.size.values[1]);
    let counts = [table.elements.first.value as usize, table.elements.second.value as usize];
    let mesh = rectangle(size, counts)?;
    let Some(radius) = &table.bottom_radius else { return Ok(mesh) };
    let (radius, half) = (radius.value, 0.5 * size.x);
    if radius < half {
        let expected = "at least half of the width";
        return Err(FemError::Size { what: "bottom_radius", value: radius, expected });
    }
    // The ends of the arc are at the corners' height plus what the middle is lower.
    let rise = |x: f64| radius - (radius * radius - x * x).sqrt();
    Ok(mesh.map(|p| DVec2::new(p.x, p.y + rise(p.x) * (0.5 - p.y / size.y))))
}

impl Meshed for Volume {
    fn generate(table: &MeshChoice) -> Option<Result<Mesh<Self>, FemError>> {
        match table {
            MeshChoice::Box(table) => {
                let [x, y, z] = table.size.values;
                let counts: Vec<usize> =
                    table.elements.items.iter().map(|n| n.value as usize).collect();
                let [a, b, c] = counts[..] else {
                    let (what, value) = ("number of counts in `elements`", counts.len() as f64);
                    return Some(Err(FemError::Size { what, value, expected: "3" }));
                };
                Some(block(DVec3::new(x, y, z), [a, b, c]))
            }
            MeshChoice::Ball(table) => Some(ball(table.radius.value, table.rings.value as usize)),
            _ => None,
        }
    }
}

impl<S: SceneSpace> Builder<'_, S> {
    /// The solids of the file.
    pub fn solids(&mut self, list: &List<SolidTable>) {
        for table in &list.items {
            self.names.claim(&Some(table.name.clone()), None, self.problems);
            if let Some(solid) = self.solid(table) {
                self.setup.solids.push(solid);
            }
        }
    }

    /// How solids are computed.
    pub fn deformation(&mut self, table: &DeformationTable) {
        let settings = &mut self.setup.solid_settings;
        settings.scheme.conserving = table.scheme == Some(SchemeWord::Conserving);
        settings.scheme.quasi_static = table.scheme == Some(SchemeWord::QuasiStatic);
        for (share, given) in
            [(&mut settings.scheme.theta, &table.theta), (&mut settings.scheme.xi, &table.xi)]
        {
            let Some(given) = given else { continue };
            *share = given.value;
            if given.value > 1.0 {
                let draft = Draft::error(given.span, "a share above 1");
                let draft = draft.found(given.value.to_string());
                self.problems.push(draft.expected("above 0 and at most 1"));
            } else if settings.scheme.conserving && given.value != 0.5 {
                let draft = Draft::error(given.span, "the scheme `conserving` has its own shares");
                self.problems.push(draft.found(given.value.to_string()).expected("0.5, or none"));
            } else if settings.scheme.quasi_static && given.value != 1.0 {
                let draft =
                    Draft::error(given.span, "the scheme `quasi-static` has its own shares");
                self.problems.push(draft.found(given.value.to_string()).expected("1, or none"));
            }
        }
        if let Some(tolerance) = &table.tolerance {
            settings.newton.tolerance = tolerance.value;
        }
        if let Some(most) = &table.max_iterations {
            settings.newton.most = most.value as usize;
        }
        settings.pairing = match table.pairing {
            Some(PairingWord::Segments) => Pairing::Segments,
            _ => Pairing::Nodes,
        };
        if let Some(solver) = &table.solver {
            let method = AssembledMethod::from_name(&solver.value);
            if method.is_none() {
                let known: Vec<&str> =
                    AssembledMethod::with_variants().map(AssembledMethod::name).collect();
                let draft = Draft::error(solver.span, "unknown solver");
                let draft = draft.found(format!("`{}`", solver.value)).expected(known.join(", "));
                self.problems.push(draft.nearest(&solver.value, &known));
            }
            settings.method = method.unwrap_or_default();
        }
    }

    fn solid(&mut self, table: &SolidTable) -> Option<SolidSetup<S>> {
        let material = self.materials.find(&table.material, self.problems);
        let mesh = self.mesh(table)?;
        let elastic = Elastic {
            law: match table.elasticity.law {
                Some(ElasticWord::Linear) => ElasticLaw::Linear,
                Some(ElasticWord::Corotated) => ElasticLaw::Corotated,
                Some(ElasticWord::NeoHookean) => ElasticLaw::NeoHookean,
                Some(ElasticWord::BlatzKo) => ElasticLaw::BlatzKo,
                Some(ElasticWord::StVenantKirchhoff) | None => ElasticLaw::StVenantKirchhoff,
            },
            young: table.elasticity.young.value,
            poisson: table.elasticity.poisson.value,
            density: table.elasticity.density.value,
        };
        let section = self.section(table)?;
        let mass = match table.mass {
            Some(MassWord::Consistent) => MassKind::Consistent,
            _ => MassKind::Lumped,
        };
        let model = Model::new(mesh.clone(), elastic, section, mass);
        let span = match &model {
            Err(FemError::Material { what, .. }) => match *what {
                "young" => table.elasticity.young.span,
                "poisson" => table.elasticity.poisson.span,
                _ => table.elasticity.density.span,
            },
            _ => table.span,
        };
        let model = self.accept(span, &table.name, model)?;
        self.doubt_poisson(&table.elasticity.poisson);
        let imposed: Option<Vec<_>> =
            items(&table.imposed).map(|imposed| self.imposed(table, imposed, &mesh)).collect();
        if let Some(imposed) = &imposed {
            self.contradictions(table, imposed, &mesh);
        }
        let tractions: Option<Vec<_>> = items(&table.tractions)
            .map(|traction| self.traction(table, traction, &model))
            .collect();
        let damping = table.damping.as_ref();
        let factor = |value: Option<f64>| value.unwrap_or(0.0);
        Some(SolidSetup {
            name: table.name.value.clone(),
            mesh,
            elastic,
            material: material?,
            section,
            mass,
            damping: Damping {
                mass_factor: factor(damping.and_then(|d| d.mass.as_ref()).map(|n| n.value)),
                stiffness_factor: factor(
                    damping.and_then(|d| d.stiffness.as_ref()).map(|n| n.value),
                ),
            },
            velocity: vector_or_zero::<S, _, _>(&table.velocity),
            spin: axial::<S, _, _>(&table.spin),
            imposed: imposed?,
            tractions: tractions?,
            self_contact: table.self_contact.unwrap_or(false),
            modes: self.modes(table)?,
        })
    }

    /// How many modes a solid has, if not all motions; reports what it cannot have beside them.
    fn modes(&mut self, table: &SolidTable) -> Option<Option<usize>> {
        let Some(modes) = &table.modes else { return Some(None) };
        let law = table.elasticity.law;
        if law != Some(ElasticWord::Linear) {
            let draft = Draft::error(modes.span, "modes of a law that is not linear");
            self.problems.push(draft.expected("`law = \"linear\"`, or no `modes`"));
            return None;
        }
        let pushed = items(&table.imposed).find_map(|imposed| {
            let given = imposed.velocity.as_ref()?;
            (given.values != [0.0; 3]).then_some(given.span)
        });
        if let Some(span) = pushed {
            let draft =
                Draft::error(span, "a solid that moves in its modes only is pushed by its nodes");
            self.problems.push(draft.expected("groups at rest, or no `modes`"));
            return None;
        }
        Some(Some(modes.value as usize))
    }

    /// Reports what is wrong with a solid.
    fn accept<T>(&mut self, span: Span, name: &Text, made: Result<T, FemError>) -> Option<T> {
        match made {
            Ok(value) => Some(value),
            Err(error) => {
                let name = &name.value;
                self.problems.push(match &error {
                    FemError::Material { what, value, expected } => {
                        let message = format!("`{what}` of solid `{name}` is out of range");
                        Draft::error(span, message).found(value.to_string()).expected(*expected)
                    }
                    FemError::NoSuchGroup { name: group, known } => {
                        let message = format!("the mesh of solid `{name}` has no such group");
                        let known: Vec<&str> = known.iter().map(String::as_str).collect();
                        let draft = Draft::error(span, message).found(format!("`{group}`"));
                        match known.is_empty() {
                            true => draft.expected("a physical group; the mesh has none"),
                            false => draft.expected(listed(&known)).nearest(group, &known),
                        }
                    }
                    _ => {
                        let message = format!("solid `{name}` cannot be made: {error}");
                        Draft::error(span, message).help(error.advice())
                    }
                });
                None
            }
        }
    }

    /// Warns of a material that hardly changes its volume.
    fn doubt_poisson(&mut self, poisson: &Number<Pure>) {
        if poisson.value > NEARLY_INCOMPRESSIBLE {
            let draft = Draft::warning(poisson.span, "nearly incompressible");
            let draft = draft.found(poisson.value.to_string());
            self.problems.push(draft.help(format!(
                "elements are too stiff above {NEARLY_INCOMPRESSIBLE}, and the system nearly singular: \
                 take {NEARLY_INCOMPRESSIBLE}, or `order = 2`"
            )));
        }
    }

    /// Refuses nodes that are given two velocities along one axis.
    fn contradictions(&mut self, table: &SolidTable, imposed: &[Imposed<S>], mesh: &Mesh<S>) {
        let entries: Vec<&ImposedTable> = items(&table.imposed).collect();
        for (later, second) in imposed.iter().enumerate() {
            for (earlier, first) in imposed[..later].iter().enumerate() {
                let differ = |axis: &usize| {
                    let speeds = [first, second].map(|one| one.velocity.get(*axis));
                    first.axes[*axis]
                        && second.axes[*axis]
                        && (speeds != [0.0; 2])
                        && (speeds[0] != speeds[1] || first.factor != second.factor)
                };
                let Some(axis) = (0..S::DIMENSION).find(differ) else { continue };
                let both = |node: &&u32| second.nodes.binary_search(node).is_ok();
                let Some(&node) = first.nodes.iter().find(both) else { continue };
                let place = Location::of(mesh.nodes[node as usize]);
                let (a, b) = (&entries[earlier].group.value, &entries[later].group.value);
                let axis = ["x", "y", "z"][axis];
                let message = format!("two velocities are imposed along {axis} on one node");
                let draft = Draft::error(entries[later].group.span, message);
                let found = format!("the node at {place}, in the groups `{a}` and `{b}`");
                self.problems.push(draft.found(found).help(
                    "let one of the groups leave that axis free (`axes`), or give both one velocity",
                ));
            }
        }
    }

    fn mesh(&mut self, table: &SolidTable) -> Option<Mesh<S>> {
        let made = match (&table.mesh, S::generate(&table.mesh)) {
            (_, Some(made)) => made,
            (MeshChoice::File(file), None) => {
                read_gmsh(&self.read(file, "a mesh of Gmsh")?, &file.value)
            }
            (_, None) => {
                let draft = Draft::error(table.span, "a mesh of the other dimension");
                let expected = match S::DIMENSION {
                    2 => "`rectangle`, `disk` or `file`",
                    _ => "`box`, `ball` or `file`",
                };
                self.problems.push(draft.expected(expected));
                return None;
            }
        };
        let span = match &table.mesh {
            MeshChoice::File(file) => file.span,
            _ => table.span,
        };
        let mut mesh = self.accept(span, &table.name, made)?;
        if table.simplices == Some(true) {
            mesh = mesh.to_simplices();
        }
        if table.order.as_ref().is_some_and(|order| order.value == 2) {
            mesh = mesh.to_quadratic();
        }
        let pose = Pose::<S>::new(
            vector_or_zero::<S, _, _>(&table.position),
            rotation::<S>(&table.rotation),
        );
        Some(mesh.map(|x| pose.point(x)))
    }

    /// The section of a mesh in the plane.
    fn section(&mut self, table: &SolidTable) -> Option<Section> {
        let thickness = table.thickness.as_ref().map_or(1.0, |n| n.value);
        let message = match (S::DIMENSION, table.section) {
            (2, Some(SectionWord::PlaneStrain)) => return Some(Section::PlaneStrain { thickness }),
            (2, Some(SectionWord::PlaneStress)) => return Some(Section::PlaneStress { thickness }),
            (2, Some(SectionWord::Axisymmetric)) => return Some(Section::Axisymmetric),
            (2, None) => "a solid in the plane without a section",
            (_, None) => return Some(Section::Volume),
            (_, Some(_)) => "a solid in space with a section",
        };
        let draft = Draft::error(table.span, message);
        self.problems.push(draft.expected(match S::DIMENSION {
            2 => "`section = \"plane_strain\"`, `\"plane_stress\"` or `\"axisymmetric\"`",
            _ => "no `section`",
        }));
        None
    }

    fn imposed(
        &mut self,
        solid: &SolidTable,
        table: &ImposedTable,
        mesh: &Mesh<S>,
    ) -> Option<Imposed<S>> {
        let group = mesh.group(&table.group.value).map(<[u32]>::to_vec);
        let nodes = self.accept(table.group.span, &solid.name, group);
        if table.axes.as_ref().is_some_and(|axes| axes.items.is_empty()) {
            let draft = Draft::error(table.span, "motion that is imposed along no axis");
            self.problems.push(draft.expected("at least one axis, or no `axes` for all of them"));
        }
        let mut axes = vec![table.axes.is_none(); S::DIMENSION];
        for axis in items(&table.axes) {
            let index = match axis {
                AxisWord::X => 0,
                AxisWord::Y => 1,
                AxisWord::Z => 2,
            };
            match axes.get_mut(index) {
                Some(held) => *held = true,
                None => {
                    let draft = Draft::error(table.span, "an axis that the plane does not have");
                    self.problems.push(draft.found("`z`").expected("`x` or `y`"));
                }
            }
        }
        let factor = match &table.factor {
            Some(value) => self.signal(value),
            None => Some(Signal::Constant(1.0)),
        };
        let velocity = vector_or_zero::<S, _, _>(&table.velocity);
        Some(Imposed { nodes: nodes?, axes, velocity, factor: factor? })
    }

    fn traction(
        &mut self,
        solid: &SolidTable,
        table: &TractionTable,
        model: &Model<S>,
    ) -> Option<Traction<S>> {
        let traction = vector::<S, _, _>(&table.traction);
        let forces = model.traction(&table.group.value, traction);
        let forces = self.accept(table.group.span, &solid.name, forces);
        let factor = match &table.factor {
            Some(value) => self.signal(value),
            None => Some(Signal::Constant(1.0)),
        };
        forces?;
        Some(Traction { group: table.group.value.clone(), traction, factor: factor? })
    }
}

fn items<T>(list: &Option<Items<T>>) -> std::slice::Iter<'_, T> {
    list.as_ref().map_or([].iter(), |list| list.items.iter())
}
