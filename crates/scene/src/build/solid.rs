//! Deformable solids: meshes, elasticity, supports and loads.

use super::Builder;
use super::body::{axial, rotation};
use super::dimension::{Dimension, vector, vector_or_zero};
use crate::format::{
    AxisWord, DeformationTable, ElasticWord, ImposedTable, MassWord, MeshChoice, PairingWord,
    RectangleTable, SchemeWord, SectionWord, SolidTable, TractionTable,
};
use crate::plain::Text;
use crate::report::{Draft, Span};
use crate::wrap::{Items, List};
use drystone_engine::{Imposed, Pairing, Signal, SolidSetup, Traction};
use drystone_fem::mesh::{ball, block, disk, read_gmsh, rectangle};
use drystone_fem::{Damping, Elastic, ElasticLaw, FemError, MassKind, Mesh, Model, Section};
use drystone_solve::solvers;
use drystone_space::{DVec2, DVec3, Plane, Pose, Volume};

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

impl<S: Dimension> Builder<'_, S> {
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
            let known: Vec<&str> =
                solvers::names().iter().copied().chain(solvers::variants()).collect();
            if !known.contains(&solver.value.as_str()) {
                let draft = Draft::error(solver.span, "unknown solver");
                let draft = draft.found(format!("`{}`", solver.value)).expected(known.join(", "));
                self.problems.push(draft.nearest(&solver.value, &known));
            }
            settings.solver.clone_from(&solver.value);
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
        let imposed: Option<Vec<_>> =
            items(&table.imposed).map(|imposed| self.imposed(table, imposed, &mesh)).collect();
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
        })
    }

    /// Reports what is wrong with a solid.
    fn accept<T>(&mut self, span: Span, name: &Text, made: Result<T, FemError>) -> Option<T> {
        match made {
            Ok(value) => Some(value),
            Err(error) => {
                let message = format!("the solid `{}` cannot be made", name.value);
                let draft = Draft::error(span, message);
                self.problems.push(draft.found(error.to_string()).help(error.advice()));
                None
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
        let mut mesh = self.accept(table.span, &table.name, made)?;
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
