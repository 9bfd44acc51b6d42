//! Colours, and the map from speed to colour.

use drystone_space::math;
use std::fmt;

/// A colour of the sRGB space with its opacity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Colour {
    /// Red.
    pub red: u8,
    /// Green.
    pub green: u8,
    /// Blue.
    pub blue: u8,
    /// Opacity: 255 hides what lies below.
    pub alpha: u8,
}

impl Colour {
    /// White.
    pub const WHITE: Self = Self::rgb(0xff_ff_ff);
    /// Text, axes and outlines.
    pub const INK: Self = Self::rgb(0x26_2b_30);
    /// Fixed and driven boundaries.
    pub const BOUNDARY: Self = Self::rgb(0xb4_b8_bd);
    /// Contact forces.
    pub const FORCE: Self = Self::rgb(0xc4_1e_3a);

    /// An opaque colour from its hexadecimal notation.
    pub const fn rgb(hex: u32) -> Self {
        Self { red: (hex >> 16) as u8, green: (hex >> 8) as u8, blue: hex as u8, alpha: 255 }
    }
    /// The same colour with opacity from 0 to 1.
    pub fn faded(self, opacity: f64) -> Self {
        Self { alpha: (opacity.clamp(0.0, 1.0) * 255.0).round() as u8, ..self }
    }
    /// The same colour, and from 0 to 1 more of the other.
    pub fn mixed(self, other: Self, share: f64) -> Self {
        let mix = |a: u8, b: u8| (f64::from(a) * (1.0 - share) + f64::from(b) * share + 0.5) as u8;
        Self {
            red: mix(self.red, other.red),
            green: mix(self.green, other.green),
            blue: mix(self.blue, other.blue),
            alpha: self.alpha,
        }
    }
    /// The colour with its light multiplied by `factor`.
    pub fn dimmed(self, factor: f64) -> Self {
        // The conversion to u8 cuts at 0 and 255.
        let dim = |c: u8| (f64::from(c) * factor + 0.5) as u8;
        Self { red: dim(self.red), green: dim(self.green), blue: dim(self.blue), ..self }
    }
}

impl fmt::Display for Colour {
    /// Hexadecimal notation without the opacity.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "#{:02x}{:02x}{:02x}", self.red, self.green, self.blue)
    }
}

/// Corners of the speed map in Oklab (Ottosson 2020): lightness falls evenly, so that equal steps
/// of speed look equally large, also in grey. From light stone over green to deep blue.
const SPEED_MAP: [[f64; 3]; 5] = [
    [0.925, 0.002, 0.018],
    [0.790, -0.060, 0.062],
    [0.655, -0.088, -0.008],
    [0.520, -0.045, -0.085],
    [0.385, 0.002, -0.140],
];

/// The colour of a speed given as a fraction of the largest: 0 is rest.
pub fn speed_colour(fraction: f64) -> Colour {
    mapped(&SPEED_MAP, fraction)
}

/// The colour at a fraction of the way along the corners of a map.
fn mapped(map: &[[f64; 3]; 5], fraction: f64) -> Colour {
    let fraction = if fraction.is_finite() { fraction.clamp(0.0, 1.0) } else { 1.0 };
    let place = fraction * (map.len() - 1) as f64;
    let below = (place as usize).min(map.len() - 2);
    let share = place - below as f64;
    let (low, high) = (map[below], map[below + 1]);
    from_oklab([0, 1, 2].map(|i| low[i] + share * (high[i] - low[i])))
}

/// Corners of the map of signed values in Oklab: from deep blue over light stone to deep red.
const SIGNED_MAP: [[f64; 3]; 5] = [
    [0.42, 0.0, -0.14],
    [0.68, -0.03, -0.08],
    [0.93, 0.0, 0.012],
    [0.68, 0.11, 0.06],
    [0.45, 0.15, 0.07],
];

/// The colour of a signed value: 0 is the least, ½ is zero, 1 the largest.
pub fn signed_colour(fraction: f64) -> Colour {
    mapped(&SIGNED_MAP, fraction)
}

fn from_oklab([lightness, a, b]: [f64; 3]) -> Colour {
    let l = math::powi(lightness + 0.396_337_777_4 * a + 0.215_803_757_3 * b, 3);
    let m = math::powi(lightness - 0.105_561_345_8 * a - 0.063_854_172_8 * b, 3);
    let s = math::powi(lightness - 0.089_484_177_5 * a - 1.291_485_548_0 * b, 3);
    let channel = |linear: f64| {
        let value = if linear <= 0.003_130_8 {
            12.92 * linear
        } else {
            1.055 * math::powf(linear, 1.0 / 2.4) - 0.055
        };
        (value.clamp(0.0, 1.0) * 255.0).round() as u8
    };
    Colour {
        red: channel(4.076_741_662_1 * l - 3.307_711_591_3 * m + 0.230_969_929_2 * s),
        green: channel(-1.268_438_004_6 * l + 2.609_757_401_1 * m - 0.341_319_396_5 * s),
        blue: channel(-0.004_196_086_3 * l - 0.703_418_614_7 * m + 1.707_614_701_0 * s),
        alpha: 255,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Relative luminance of sRGB (IEC 61966-2-1).
    fn luminance(colour: Colour) -> f64 {
        let linear = |c: u8| {
            let c = f64::from(c) / 255.0;
            if c <= 0.040_45 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) }
        };
        0.2126 * linear(colour.red) + 0.7152 * linear(colour.green) + 0.0722 * linear(colour.blue)
    }

    #[test]
    fn oklab_grey_is_grey() {
        assert_eq!(from_oklab([1.0, 0.0, 0.0]), Colour::WHITE);
        // Lightness 0.6 cubed is the linear light 0.216, which is 128 of 255 in sRGB.
        assert_eq!(from_oklab([0.6, 0.0, 0.0]), Colour::rgb(0x80_80_80));
    }

    #[test]
    fn faster_is_darker_and_outside_values_are_clamped() {
        let light: Vec<f64> =
            (0..=100).map(|i| luminance(speed_colour(f64::from(i) / 100.0))).collect();
        assert!(light.windows(2).all(|w| w[1] < w[0] + 1e-3), "{light:?}");
        assert!(light[0] > 0.7 && light[100] < 0.1);
        assert_eq!(speed_colour(-1.0), speed_colour(0.0));
        assert_eq!(speed_colour(7.0), speed_colour(1.0));
        assert_eq!(speed_colour(f64::NAN), speed_colour(1.0));
    }

    #[test]
    fn notation() {
        assert_eq!(Colour::rgb(0x01_ab_ff).to_string(), "#01abff");
        assert_eq!(Colour::INK.faded(0.5).alpha, 128);
    }
}
