//! Meshes and heights of files as shapes: what is wrong with them is told with the numbers of faces.

use super::Builder;
use super::dimension::{SceneSpace, shape_problem};
use crate::format::{HeightsTable, MeshFileTable, ShapeChoice};
use crate::mesh::{self, MeshError, raster};
use crate::plain::Text;
use crate::quantity::{Length, Unit};
use crate::report::{Draft, Source, Span};
use drystone_detect::volume::{Mesh, VolumeShape};
use drystone_space::DVec3;
use miette::NamedSource;
use std::sync::Arc;

/// Vertices nearer than this share of a mesh's size are one: single precision tells as much.
const WELD: f64 = 1e-7;
/// Faces that are named of all that are wrong.
const NAMED: usize = 5;
/// Volume below this share of the box around a piece is none.
const HOLLOW: f64 = 1e-9;

impl<S: SceneSpace> Builder<'_, S> {
    /// The shapes of a mesh or of heights, for a body (`solid`) or a boundary.
    pub(super) fn surface(&mut self, shape: &ShapeChoice, solid: bool) -> Option<Vec<S::Shape>> {
        if S::DIMENSION == 2 {
            let draft = Draft::error(shape.span(), "shape of space in the plane");
            let draft = draft.found(format!("`{}`", shape.key()));
            self.problems.push(
                draft.expected("`disk`, `box`, `polygon`, `regular`, `half_plane` or `segment`"),
            );
            return None;
        }
        let shapes = match shape {
            ShapeChoice::Mesh(table) if solid => self.solid_mesh(table),
            ShapeChoice::Mesh(table) => self.boundary_mesh(table),
            ShapeChoice::Heights(table) => self.heights(table),
            _ => None,
        }?;
        shapes.into_iter().map(S::of_space).collect()
    }

    /// The triangles of a boundary.
    fn boundary_mesh(&mut self, table: &MeshFileTable) -> Option<Vec<VolumeShape>> {
        if table.hull.is_some() {
            let draft =
                Draft::error(table.span, "convex hull of a boundary's mesh").found("`hull`");
            self.problems
                .push(draft.expected("`hull` on bodies only: boundaries have their triangles"));
            return None;
        }
        let two_sided = table.two_sided == Some(true);
        let mesh = self.mesh_of(table)?;
        if !self.sound(table, &mesh, two_sided) {
            return None;
        }
        for piece in mesh.pieces() {
            let closed = piece.defects().rims.is_empty();
            if closed && !two_sided && table.turn.is_none() && piece.solid().measure < 0.0 {
                let draft = Draft::warning(
                    table.span,
                    format!("a piece of `{}` is a cavity", table.file.value),
                );
                let draft =
                    draft.found(format!("faces that look inward, such as face {}", piece.faces[0]));
                self.problems.push(draft.help(
                    "if it is a solid, say `turn = true`; if it is a cavity, `turn = false`",
                ));
            }
        }
        Some(triangles(mesh, two_sided))
    }

    /// The convex pieces of a body.
    fn solid_mesh(&mut self, table: &MeshFileTable) -> Option<Vec<VolumeShape>> {
        if table.two_sided.is_some() {
            let draft =
                Draft::error(table.span, "body whose mesh has two sides").found("`two_sided`");
            self.problems.push(draft.expected("`two_sided` on boundaries only: bodies are solid"));
            return None;
        }
        let mesh = self.mesh_of(table)?;
        let name = &table.file.value;
        if !self.sound(table, &mesh, false) {
            return None;
        }
        let rims = mesh.defects().rims;
        if !rims.is_empty() {
            let draft = Draft::error(table.span, format!("`{name}` is not closed"));
            let draft = draft.found(format!("nothing beyond an edge of {}", named(&rims)));
            let draft = draft.expected("for a body a mesh that encloses a volume");
            self.problems.push(
                draft.help("close the holes; if vertices do not meet, `weld = …` joins them"),
            );
            return None;
        }
        let made: Vec<Option<VolumeShape>> =
            mesh.pieces().iter().map(|piece| self.piece(table, piece)).collect();
        made.into_iter().collect()
    }

    fn piece(&mut self, table: &MeshFileTable, piece: &Mesh) -> Option<VolumeShape> {
        let name = &table.file.value;
        let size = piece.size();
        let volume = piece.solid().measure;
        let filled = volume > HOLLOW * size.x * size.y * size.z;
        if !filled {
            let inward = volume < 0.0;
            let draft = Draft::error(table.span, format!("a piece of `{name}` encloses no volume"));
            let draft = draft.found(match inward {
                true => format!("faces that look inward, such as face {}", piece.faces[0]),
                false => format!("a flat piece, with face {}", piece.faces[0]),
            });
            let draft = draft.expected("faces that are counter-clockwise seen from outside");
            self.problems.push(match inward {
                true => draft
                    .help("say `turn = true` if all are turned; a cavity cannot be left in a body"),
                false => draft,
            });
            return None;
        }
        if let (Some(reflex), false) = (piece.reflex(), table.hull == Some(true)) {
            let [one, other] = reflex.faces;
            let share = 100.0 * reflex.height / size.max_element();
            let draft = Draft::error(table.span, format!("`{name}` is not convex"));
            let draft = draft.found(format!(
                "face {other} over face {one}, by {:.3e} m: {share:.2} % of the size",
                reflex.height
            ));
            let draft = draft.expected("a convex mesh, or one of several closed convex pieces");
            self.problems
                .push(draft.help("`hull = true` takes the convex hull, with the mass of the mesh"));
            return None;
        }
        let hull = piece.hull();
        let what = format!("the hull of `{name}`");
        hull.map_err(|error| shape_problem(error, table.span, &what, self.problems))
            .ok()
            .map(VolumeShape::Polyhedron)
    }

    /// Whether faces are consistent; reports those that are not.
    fn sound(&mut self, table: &MeshFileTable, mesh: &Mesh, two_sided: bool) -> bool {
        let name = &table.file.value;
        let defects = mesh.defects();
        let before = self.problems.errors();
        if !defects.crowded.is_empty() {
            let draft =
                Draft::error(table.span, format!("more than two faces of `{name}` at one edge"));
            let draft = draft.found(format!(
                "{} such edges, the first at {}",
                defects.crowded.len(),
                named(&defects.crowded[0])
            ));
            self.problems.push(
                draft
                    .expected("two faces at each edge, or one at a rim")
                    .help("remove doubled faces"),
            );
        }
        if !defects.turned.is_empty() && !two_sided {
            let draft = Draft::error(
                table.span,
                format!("faces of `{name}` are turned against their neighbours"),
            );
            let draft = draft.found(format!(
                "{} such edges, the first between {}",
                defects.turned.len(),
                named(&defects.turned[0])
            ));
            let draft = draft.expected("all faces counter-clockwise seen from one side");
            self.problems.push(
                draft.help("turn the faces in question, or for a boundary say `two_sided = true`"),
            );
        }
        self.problems.errors() == before
    }

    /// The mesh of a file in SI units, welded; degenerate faces are left out with a warning.
    fn mesh_of(&mut self, table: &MeshFileTable) -> Option<Mesh> {
        let name = table.file.value.clone();
        let bytes = self.read_bytes(&table.file, "a mesh")?;
        let mut made = match mesh::read(&name, &bytes) {
            Ok(mesh) => mesh,
            Err(error) => return self.refuse(&table.file, &bytes, error),
        };
        // What is kept with a run is text.
        let text = String::from_utf8(bytes).unwrap_or_else(|_| mesh::as_text(&made));
        self.around.files.keep(&name, text);
        let scale = table.scale.as_ref().map_or(1.0, |scale| scale.value);
        let units = &self.around.units;
        made.vertices.iter_mut().for_each(|v| {
            *v = DVec3::from_array(v.to_array().map(|x| units.si::<Length>(x * scale, 3)));
        });
        if made.vertices.iter().any(|v| v.abs().max_element() > Length::LARGEST) {
            let draft = Draft::error(table.file.span, format!("`{name}` reaches too far"));
            let draft = draft.found(format!("a coordinate beyond {:e} m", Length::LARGEST));
            self.problems.push(
                draft
                    .expected("a mesh of usual size")
                    .help("is the unit right? `scale` changes it"),
            );
            return None;
        }
        let usual = WELD * made.size().max_element();
        let welded = made.welded(table.weld.as_ref().map_or(usual, |weld| weld.value));
        let flat = welded.defects().flat;
        if !flat.is_empty() {
            let draft = Draft::warning(
                table.span,
                format!("faces of `{name}` without an area are left out"),
            );
            self.problems.push(draft.found(named(&flat)).expected("faces with an area"));
        }
        let mesh = welded.without_flat();
        if mesh.triangles.is_empty() {
            let draft = Draft::error(table.span, format!("no face of `{name}` has an area"));
            self.problems.push(draft.found(named(&flat)).expected("faces with an area"));
            return None;
        }
        Some(if table.turn == Some(true) { mesh.turned() } else { mesh })
    }

    /// Reports a file that is no mesh.
    fn refuse<T>(&mut self, file: &Text, bytes: &[u8], error: MeshError) -> Option<T> {
        let (inside, draft) = error.draft(&file.value, file.span);
        if inside {
            let path = self.around.files.path(&file.value).display().to_string();
            let text = String::from_utf8_lossy(bytes);
            let source: Source = NamedSource::new(path, Arc::from(text.as_ref()));
            self.problems.push_in(&source, draft);
        } else {
            self.problems.push(draft);
        }
        None
    }

    /// The triangles over a grid of heights.
    fn heights(&mut self, table: &HeightsTable) -> Option<Vec<VolumeShape>> {
        let text = self.read(&table.file, "a table of heights")?;
        let raster = match raster::read(&text) {
            Ok(raster) => raster,
            Err(error) => return self.refuse(&table.file, text.as_bytes(), error),
        };
        let units = &self.around.units;
        let told = raster.cell.map(|cell| units.si::<Length>(cell, 3));
        let Some(cell) = table.spacing.as_ref().map(|spacing| spacing.value).or(told) else {
            let draft = Draft::error(table.span, "heights without a distance between them");
            self.problems.push(draft.expected("`spacing = …`, since the file has no `cellsize`"));
            return None;
        };
        let scale = table.scale.as_ref().map_or(1.0, |scale| scale.value);
        let mut mesh = raster.mesh(cell, |place| units.si::<Length>(place, 3));
        mesh.vertices.iter_mut().for_each(|v| v.z *= scale);
        if mesh.vertices.iter().any(|v| v.abs().max_element() > Length::LARGEST) {
            let draft = Draft::error(table.file.span, "heights that reach too far");
            let draft = draft.found(format!("a coordinate beyond {:e} m", Length::LARGEST));
            self.problems.push(draft.expected("heights of usual size"));
            return None;
        }
        if mesh.triangles.is_empty() {
            let draft = Draft::error(table.file.span, "heights without a surface");
            let draft = draft.found("no cell whose corners are known");
            self.problems.push(draft.expected("three neighbours with heights, or more"));
            return None;
        }
        Some(triangles(mesh, false))
    }
}

fn triangles(mesh: Mesh, two_sided: bool) -> Vec<VolumeShape> {
    mesh.surface(two_sided).triangles().map(VolumeShape::Triangle).collect()
}

/// The first of some faces, and how many more there are.
fn named(faces: &[usize]) -> String {
    let mut distinct = faces.to_vec();
    distinct.sort_unstable();
    distinct.dedup();
    let list: Vec<String> = distinct.iter().take(NAMED).map(ToString::to_string).collect();
    let more = distinct.len().saturating_sub(NAMED);
    let noun = if distinct.len() == 1 { "face" } else { "faces" };
    match more {
        0 => format!("{noun} {}", list.join(", ")),
        _ => format!("{noun} {} and {more} more", list.join(", ")),
    }
}

/// Where a shape that may be several is asked for as one.
pub(super) fn several(shape: &ShapeChoice) -> Draft {
    let span: Span = shape.span();
    let draft =
        Draft::error(span, "a shape that may be several").found(format!("`{}`", shape.key()));
    draft.expected("one shape, such as `sphere`, `box` or `polyhedron`")
}
