//! Structures of all sizes, as texts of scenes.

use std::fmt::Write;

/// A scene and what it is called.
pub struct Family {
    pub name: String,
    pub scene: String,
}

/// All but the bodies.
pub fn head(dimension: usize, sideways: f64, step: f64) -> String {
    let (gravity, ground) = match dimension {
        2 => (format!("[{}, -9.81]", 9.81 * sideways), "half_plane = {}"),
        _ => (format!("[{}, 0, -9.81]", 9.81 * sideways), "half_space = {}"),
    };
    format!(
        "dimension = {dimension}\ngravity = {gravity}\n[time]\nstep = {step:e}\nend = 1000\n\
         [[material]]\nname = \"stone\"\ndensity = 2000\n[default_law]\nfriction = 0.5\n\
         [[boundary]]\nmaterial = \"stone\"\nshape = {{ {ground} }}\n"
    )
}

pub fn cube(text: &mut String, at: &[f64], mass: f64) {
    let sides = vec![1.0; at.len()];
    let _ = writeln!(
        text,
        "[[body]]\nmaterial = \"stone\"\nshape = {{ box = {sides:?} }}\nposition = {at:?}\nmass = {mass:e}"
    );
}

pub fn column(dimension: usize, count: usize, top: f64) -> Family {
    let mut scene = head(dimension, 0.0, 1e-3);
    for number in 0..count {
        let height = 0.5 + number as f64;
        let at = if dimension == 2 { vec![0.0, height] } else { vec![0.0, 0.0, height] };
        cube(&mut scene, &at, if number + 1 == count { top * 2000.0 } else { 2000.0 });
    }
    let load = if top == 1.0 { String::new() } else { format!(", {top:e} on top") };
    Family { name: format!("column {count} ({dimension}D{load})"), scene }
}

pub fn pyramid(rows: usize, sideways: f64) -> Family {
    let mut scene = head(2, sideways, 1e-3);
    for row in 0..rows {
        for number in 0..rows - row {
            let across = number as f64 * 1.1 + row as f64 * 0.55;
            cube(&mut scene, &[across, 0.5 + row as f64], 2000.0);
        }
    }
    Family { name: format!("pyramid {} {sideways} g", rows * (rows + 1) / 2), scene }
}

pub fn wall(rows: usize, length: f64, sideways: f64) -> Family {
    let mut scene = head(2, sideways, 5e-4);
    scene += &format!(
        "[[generate]]\n[generate.wall]\nmaterial = \"stone\"\nblock = [0.6, 0.4]\nrows = {rows}\nlength = {length}\n"
    );
    Family { name: format!("wall {rows} rows {sideways} g"), scene }
}

pub fn arch(count: usize) -> Family {
    let mut scene = head(2, 0.0, 1e-3);
    scene += &format!(
        "[[generate]]\n[generate.arch]\nmaterial = \"stone\"\ninner_radius = 0.9\nouter_radius = 1.1\ncount = {count}\n"
    );
    Family { name: format!("arch {count}"), scene }
}

pub fn block(x: usize, y: usize, z: usize) -> Family {
    let mut scene = head(3, 0.0, 1e-3);
    for number in 0..x * y * z {
        let (i, j, k) = (number % x, number / x % y, number / (x * y));
        cube(&mut scene, &[i as f64, j as f64, 0.5 + k as f64], 2000.0);
    }
    Family { name: format!("cubes {x}x{y}x{z}"), scene }
}
