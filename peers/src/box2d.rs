//! Box2D 3, in single precision.

use crate::engine::{Engine, Running};
use crate::judge::{Place, turned};
use crate::scene::{Body, Bound, Scene, Shape};
use boxdd::shapes::{circle, offset_box_polygon};
use boxdd::{
    BodyBuilder, BodyId, BodyType, Foundation, Position, ShapeDef, SurfaceMaterial, Transform,
    Vec2, World, WorldBuilder,
};
use drystone_space::DVec3;
use std::error::Error;

pub struct Box2d {
    pub foundation: &'static Foundation,
    pub rate: f64,
    pub substeps: i32,
    /// Natural frequency of contacts in Hz, if not the default.
    pub stiffness: Option<f64>,
}

impl Engine for Box2d {
    fn name(&self) -> String {
        let stiffness = self.stiffness.map_or("default".into(), |hertz| format!("{hertz} Hz"));
        format!("Box2D, 1/{} s × {}, {stiffness}", self.rate, self.substeps)
    }
    fn begin(&self, scene: &Scene) -> Result<Option<Box<dyn Running>>, Box<dyn Error>> {
        if scene.dimension != 2 {
            return Ok(None);
        }
        let gravity = Vec2::new(0.0, -scene.gravity as f32);
        let mut world = WorldBuilder::from(self.foundation.world_def()).gravity(gravity);
        if let Some(hertz) = self.stiffness {
            world = world.contact_hertz(hertz as f32);
        }
        let mut world = self.foundation.create_world(world.enable_sleep(false).build()?)?;
        let mut bodies = Vec::new();
        for bound in &scene.bounds {
            match bound {
                Bound::Below(..) => {
                    // A box in place of all that is below; it has no half-planes.
                    let ground = Body {
                        shape: Shape::Box(DVec3::new(2000.0, 20.0, 1.0)),
                        position: DVec3::new(0.0, -10.0, 0.0),
                        rotation: DVec3::ZERO,
                    };
                    self.add(&mut world, scene, BodyType::Static, 0.0, &[ground])?;
                }
                Bound::Drum(parts, spin) => {
                    self.add(&mut world, scene, BodyType::Kinematic, *spin, parts)?;
                }
            }
        }
        for body in &scene.bodies {
            let one = std::slice::from_ref(body);
            bodies.push(self.add(&mut world, scene, BodyType::Dynamic, 0.0, one)?);
        }
        Ok(Some(Box::new(Run { world, bodies, rate: self.rate, substeps: self.substeps })))
    }
}

impl Box2d {
    /// A body about the place of the first of its parts if it moves freely, and about the origin if not.
    fn add(
        &self,
        world: &mut World,
        scene: &Scene,
        kind: BodyType,
        spin: f64,
        parts: &[Body],
    ) -> Result<BodyId, Box<dyn Error>> {
        let free = kind == BodyType::Dynamic;
        let own = if free { turned(&parts[0], 0.0) } else { Place::default() };
        let definition = BodyBuilder::from(self.foundation.body_def())
            .body_type(kind)
            .position(Position::new(own.position.x as f32, own.position.y as f32))
            .angle(own.rotation.z as f32)
            .angular_velocity(spin as f32)
            .build()?;
        let id = world.create_body(definition)?;
        let material = SurfaceMaterial::new().with_friction(scene.friction as f32)?;
        let shape = ShapeDef::builder().density(scene.density as f32).material(material).build()?;
        for part in parts {
            let place = if free { Place::default() } else { turned(part, 0.0) };
            match &part.shape {
                Shape::Box(sides) => {
                    let at = Vec2::new(place.position.x as f32, place.position.y as f32);
                    let at = Transform::from_pos_angle(at, place.rotation.z as f32)?;
                    let (x, y) = (0.5 * sides.x as f32, 0.5 * sides.y as f32);
                    world.body(id)?.create_polygon(&shape, &offset_box_polygon(x, y, at)?)?;
                }
                Shape::Disk(radius) => {
                    let disk = circle(Vec2::new(0.0, 0.0), *radius as f32)?;
                    world.body(id)?.create_circle(&shape, &disk)?;
                }
                Shape::Hull(_) => unreachable!("of space"),
            }
        }
        Ok(id)
    }
}

struct Run {
    world: World,
    bodies: Vec<BodyId>,
    rate: f64,
    substeps: i32,
}

impl Running for Run {
    fn run(&mut self, time: f64) -> Result<(), Box<dyn Error>> {
        for _ in 0..(time * self.rate).round() as usize {
            let _ = self.world.step((1.0 / self.rate) as f32, self.substeps)?;
        }
        Ok(())
    }
    fn places(&mut self) -> Vec<Place> {
        let world = &mut self.world;
        let mut place = |&id: &BodyId| {
            let body = world.body(id).expect("it was made");
            let (at, turn) = (body.position().expect("finite"), body.rotation().expect("finite"));
            let position = DVec3::new(f64::from(at.x), f64::from(at.y), 0.0);
            Place { position, rotation: DVec3::Z * f64::from(turn.angle()) }
        };
        self.bodies.iter().map(&mut place).collect()
    }
}
