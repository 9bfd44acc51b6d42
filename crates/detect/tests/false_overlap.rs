//! Two wedges 0.456 mm apart were reported 8.5 mm deep in each other.
//!
//! The nearest points lie beside the face that separates most, so that no corner was found over it. The best face of the
//! other wedge was then asked, which separates less: along its normal corners seem deep where the wedges are apart.

use drystone_detect::volume::{Polyhedron, VolumeShape};
use drystone_detect::{Geometry, Manifold};
use drystone_space::{DVec3, Pose, Volume};

const FIRST: [[f64; 3]; 6] = [
    [0.01901007078621207, -0.010634480862051099, 0.024254954200650526],
    [0.01700001206597096, -0.010632476973689908, -0.0257046260610532],
    [-0.01897082478401496, -0.010698816232741548, -0.024257388895138912],
    [-0.016960766063773863, -0.010700820121102794, 0.0257021913665648],
    [0.0007647774858993428, 0.02133249553944805, 0.019986266799169865],
    [-0.0008432694902935634, 0.021334098650137023, -0.019981397410193114],
];
const SECOND: [[f64; 3]; 6] = [
    [0.019309491544786977, 0.07214563813189057, -0.0036238660361578717],
    [-0.00124672142949378, 0.027336781544504085, -0.011967035666882446],
    [0.008544997926252212, 0.0167057280704489, 0.02100420838138011],
    [0.029101210900532984, 0.06151458465783538, 0.029347378012104693],
    [-0.005692055471277657, 0.07294602465384226, 0.02371259365084235],
    [-0.022137025850702263, 0.03709893938393305, 0.01703805794626268],
];

#[test]
fn wedges_apart_do_not_overlap() {
    let wedge =
        |corners: &[[f64; 3]; 6]| Polyhedron::hull(&corners.map(DVec3::from_array)).unwrap();
    let shapes = [&FIRST, &SECOND].map(|corners| VolumeShape::Polyhedron(wedge(corners)));
    let extreme = |corners: &[[f64; 3]; 6], along: DVec3| {
        let heights = corners.map(|corner| along.dot(DVec3::from_array(corner)));
        heights.into_iter().fold(f64::INFINITY, f64::min)
    };
    let at = Pose::<Volume>::IDENTITY;
    for margin in [1e-4, 1e-3, 1e-2] {
        for swapped in [false, true] {
            let (a, b) = if swapped { (1, 0) } else { (0, 1) };
            let mut manifold = Manifold::default();
            Volume::collide((&shapes[a], &at), (&shapes[b], &at), margin, &mut manifold);
            assert_eq!(manifold.touches().is_empty(), margin < 4.55e-4);
            for touch in manifold.touches() {
                // The normal points toward the first: what is between the planes that bound them is the distance.
                let toward_first = if swapped { -touch.normal } else { touch.normal };
                let apart = extreme(&FIRST, toward_first) + extreme(&SECOND, -toward_first);
                assert!((apart - touch.gap).abs() < 1e-12, "{apart} {}", touch.gap);
                assert!((touch.gap - 4.556e-4).abs() < 1e-7, "{}", touch.gap);
            }
        }
    }
}
