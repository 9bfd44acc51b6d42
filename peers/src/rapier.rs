//! Rapier in the plane and in space, in both precisions. Bodies do not sleep, as creep would then be none.

use crate::engine::{Engine, Running};
use crate::judge::{Place, turned};
use crate::scene::{Body, Bound, Scene};
use drystone_space::DVec3;
use std::error::Error;

/// Its settings: those of its makers, or a shorter step with stiffer contacts.
#[derive(Clone, Copy)]
pub struct Rapier {
    pub double: bool,
    /// Steps per second, and solver iterations in each.
    pub rate: f64,
    pub iterations: usize,
    /// Natural frequency of contacts in Hz, if not the default.
    pub stiffness: Option<f64>,
}

impl Engine for Rapier {
    fn name(&self) -> String {
        let bits = if self.double { "f64" } else { "f32" };
        let stiffness = self.stiffness.map_or("default".into(), |hertz| format!("{hertz} Hz"));
        format!("Rapier {bits}, 1/{} s × {}, {stiffness}", self.rate, self.iterations)
    }
    fn begin(&self, scene: &Scene) -> Result<Option<Box<dyn Running>>, Box<dyn Error>> {
        Ok(Some(match (scene.dimension, self.double) {
            #[cfg(feature = "double")]
            (2, true) => Box::new(plane_f64::Run::new(*self, scene)),
            #[cfg(feature = "double")]
            (_, true) => Box::new(space_f64::Run::new(*self, scene)),
            (_, true) => return Ok(None),
            (2, false) => Box::new(plane_f32::Run::new(*self, scene)),
            (_, false) => Box::new(space_f32::Run::new(*self, scene)),
        }))
    }
}

/// What is the same in all four; `$vector` makes a vector of the engine, `$turn` what it turns by.
macro_rules! engine {
    ($module:ident, $rapier:ident, $real:ty, $vector:expr, $turn:expr, $solid:expr, $place:expr) => {
        mod $module {
            use super::{Body, Bound, DVec3, Error, Place, Rapier, Running, Scene, turned};
            use crate::scene::Shape as Solid;
            use $rapier::prelude::*;

            pub struct Run {
                world: PhysicsWorld,
                handles: Vec<RigidBodyHandle>,
                rate: f64,
            }

            fn placed(builder: RigidBodyBuilder, place: &Place) -> RigidBodyBuilder {
                let vector: fn(DVec3) -> Vector = $vector;
                let turn: fn(DVec3) -> AngVector = $turn;
                builder.translation(vector(place.position)).rotation(turn(place.rotation))
            }

            fn collider(body: &Body) -> ColliderBuilder {
                let solid: fn(&Solid) -> ColliderBuilder = $solid;
                solid(&body.shape)
            }

            impl Run {
                pub fn new(settings: Rapier, scene: &Scene) -> Self {
                    let vector: fn(DVec3) -> Vector = $vector;
                    let turn: fn(DVec3) -> AngVector = $turn;
                    let mut world = PhysicsWorld::new();
                    world.gravity = vector(scene.up() * -scene.gravity);
                    let parameters = &mut world.integration_parameters;
                    parameters.dt = (1.0 / settings.rate) as $real;
                    parameters.num_solver_iterations = settings.iterations;
                    // As its manual asks: the size of what is typical.
                    parameters.length_unit = scene.width.min(1.0) as $real;
                    if let Some(hertz) = settings.stiffness {
                        parameters.contact_softness.natural_frequency = hertz as $real;
                        parameters.static_contact_softness.natural_frequency = hertz as $real;
                    }
                    let material = |collider: ColliderBuilder| {
                        collider
                            .friction(scene.friction as $real)
                            .restitution(0.0)
                            .density(scene.density as $real)
                    };
                    for bound in &scene.bounds {
                        match bound {
                            Bound::Below(point, normal) => {
                                let body = RigidBodyBuilder::fixed().translation(vector(*point));
                                let normal = vector(*normal);
                                let half = ColliderBuilder::new(SharedShape::halfspace(normal));
                                let body = world.bodies.insert(body);
                                let (bodies, half) = (&mut world.bodies, material(half));
                                world.colliders.insert_with_parent(half, body, bodies);
                            }
                            Bound::Drum(parts, spin) => {
                                let body = RigidBodyBuilder::kinematic_velocity_based();
                                let body = world.bodies.insert(body.angvel(turn(DVec3::Z * *spin)));
                                for part in parts {
                                    let place = turned(part, 0.0);
                                    let part = material(collider(part))
                                        .translation(vector(place.position))
                                        .rotation(turn(place.rotation));
                                    let bodies = &mut world.bodies;
                                    world.colliders.insert_with_parent(part, body, bodies);
                                }
                            }
                        }
                    }
                    let mut handles = Vec::new();
                    for body in &scene.bodies {
                        let place = turned(body, 0.0);
                        let handle = placed(RigidBodyBuilder::dynamic().can_sleep(false), &place);
                        let handle = world.bodies.insert(handle);
                        let shape = material(collider(body));
                        world.colliders.insert_with_parent(shape, handle, &mut world.bodies);
                        handles.push(handle);
                    }
                    Self { world, handles, rate: settings.rate }
                }
            }

            impl Running for Run {
                fn run(&mut self, time: f64) -> Result<(), Box<dyn Error>> {
                    for _ in 0..(time * self.rate).round() as usize {
                        self.world.step();
                    }
                    Ok(())
                }
                fn places(&mut self) -> Vec<Place> {
                    let place: fn(&RigidBody) -> Place = $place;
                    self.handles.iter().map(|&handle| place(&self.world.bodies[handle])).collect()
                }
            }
        }
    };
}

/// The same for the two precisions of one dimension.
macro_rules! plane {
    ($module:ident, $rapier:ident, $real:ty) => {
        engine!(
            $module,
            $rapier,
            $real,
            |v| Vector::new(v.x as $real, v.y as $real),
            |r| r.z as $real,
            |shape| match shape {
                Solid::Box(sides) => {
                    ColliderBuilder::cuboid(0.5 * sides.x as $real, 0.5 * sides.y as $real)
                }
                Solid::Disk(radius) => ColliderBuilder::ball(*radius as $real),
                Solid::Hull(_) => unreachable!("of space"),
            },
            |body| {
                let at = body.translation();
                let position = DVec3::new(f64::from(at.x), f64::from(at.y), 0.0);
                Place { position, rotation: DVec3::Z * f64::from(body.rotation().angle()) }
            }
        );
    };
}
macro_rules! space {
    ($module:ident, $rapier:ident, $real:ty) => {
        engine!(
            $module,
            $rapier,
            $real,
            |v| Vector::new(v.x as $real, v.y as $real, v.z as $real),
            |v| AngVector::new(v.x as $real, v.y as $real, v.z as $real),
            |shape| match shape {
                Solid::Box(sides) => {
                    let [x, y, z] = (*sides * 0.5).to_array().map(|x| x as $real);
                    ColliderBuilder::cuboid(x, y, z)
                }
                Solid::Disk(radius) => ColliderBuilder::ball(*radius as $real),
                Solid::Hull(points) => {
                    let point = |p: &DVec3| Vector::new(p.x as $real, p.y as $real, p.z as $real);
                    let points: Vec<_> = points.iter().map(point).collect();
                    ColliderBuilder::convex_hull(&points).expect("a hull")
                }
            },
            |body| {
                let (at, turn) = (body.translation(), body.rotation().to_scaled_axis());
                let [position, rotation] =
                    [at, turn].map(|v| DVec3::new(f64::from(v.x), f64::from(v.y), f64::from(v.z)));
                Place { position, rotation }
            }
        );
    };
}
plane!(plane_f32, rapier2d, f32);
#[cfg(feature = "double")]
plane!(plane_f64, rapier2d_f64, f64);
space!(space_f32, rapier3d, f32);
#[cfg(feature = "double")]
space!(space_f64, rapier3d_f64, f64);
