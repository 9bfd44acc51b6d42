//! Pairs that were wrong once: each test opens with the symptom and its cause.

use super::hold::{Known, Placed, Verdict, hold};
use drystone_detect::plane::{PlaneShape, Polygon};
use drystone_detect::volume::{Polyhedron, VolumeShape};
use drystone_space::{DQuat, DVec2, DVec3, Plane, PlaneRotation, Pose, Volume};

#[track_caller]
fn assert_holds<S: Known>(a: Placed<S>, b: Placed<S>, margins: [f64; 5]) {
    match hold(&a, &b, &margins) {
        Verdict::Holds => {}
        Verdict::Unsure => panic!("the oracle is unsure"),
        Verdict::Fails(what, by) => panic!("{what} by {by:e} of the size"),
    }
}

fn at(position: [f64; 3], rotation: [f64; 4]) -> Pose<Volume> {
    Pose::new(DVec3::from_array(position), DQuat::from_array(rotation))
}

fn polyhedron(corners: &[[f64; 3]], position: [f64; 3], rotation: [f64; 4]) -> Placed<Volume> {
    let corners: Vec<_> = corners.iter().map(|&c| DVec3::from_array(c)).collect();
    (VolumeShape::Polyhedron(Polyhedron::hull(&corners).unwrap()), at(position, rotation))
}

fn capsule(
    half_length: f64,
    radius: f64,
    position: [f64; 3],
    rotation: [f64; 4],
) -> Placed<Volume> {
    (VolumeShape::Capsule { half_length, radius }, at(position, rotation))
}

fn sphere(radius: f64, position: [f64; 3], rotation: [f64; 4]) -> Placed<Volume> {
    (VolumeShape::Sphere { radius }, at(position, rotation))
}

fn in_plane(position: [f64; 2], angle: f64) -> Pose<Plane> {
    Pose::new(DVec2::from_array(position), PlaneRotation::from_angle(angle))
}

fn polygon(corners: &[[f64; 2]], position: [f64; 2], angle: f64) -> Placed<Plane> {
    let corners: Vec<_> = corners.iter().map(|&c| DVec2::from_array(c)).collect();
    (PlaneShape::Polygon(Polygon::new(&corners).unwrap()), in_plane(position, angle))
}

fn segment(ends: [[f64; 2]; 2], position: [f64; 2], angle: f64) -> Placed<Plane> {
    let [start, end] = ends.map(DVec2::from_array);
    (PlaneShape::Segment { start, end }, in_plane(position, angle))
}

fn disk(radius: f64, position: [f64; 2], angle: f64) -> Placed<Plane> {
    (PlaneShape::Disk { radius }, in_plane(position, angle))
}

/// A touch of two tetrahedra lay 0.1 beside both. An edge of the one lies along a face of the other, and of its two faces the one
/// that looks less against that face has it: the other one, which was clipped, does not reach over the face.
#[test]
fn an_edge_along_a_face_touches_over_it() {
    let a = polyhedron(
        &[[1.0, 1.0, 1.0], [1.0, -1.0, -1.0], [-1.0, 1.0, -1.0], [-1.0, -1.0, 1.0]],
        [-0.06218111444018622, -1.6664784644053248, -0.26107551575637095],
        [0.3456556652642127, -0.2981127042098262, -0.7069118721120975, 0.5403023058681398],
    );
    let b = polyhedron(
        &[
            [-0.9332793721246442, 0.2841579712582935, 0.04364842053970484],
            [-0.3197553954749602, -0.043245532412545695, 0.23066027174136192],
            [-0.6479190307808302, 0.6925042927964539, 0.016466171884764163],
            [0.09537386401934772, 0.5670840972697159, 0.1895730689815403],
        ],
        [0.9989724563608029, -1.2346599459123015, 0.8926190444776605],
        [0.2268601712411106, -0.6679838550078954, 0.6961972424944995, -0.13282105140488829],
    );
    assert_holds(
        a,
        b,
        [
            0.0,
            0.0013196307857935654,
            3.9588923573806962,
            1.6073807148244165e-11,
            1.6070157178395338e-11,
        ],
    );
}

/// The normal of the deepest touch separated by 5e-5 less than its gap said. Where an edge crosses the rim of a face, a corner
/// nearly as deep as the crossing was taken for it; its normal is that of the face, which does not separate as much.
#[test]
fn a_corner_does_not_stand_for_a_crossing() {
    let a = polyhedron(
        &[
            [1.0, 0.5854936841308489, 0.0],
            [-1.0, 0.5854936841308489, 0.0],
            [-1.0, -0.5854936841308489, 0.0],
            [1.0, -0.5854936841308489, 0.0],
            [0.780040065368824, 0.0, 0.04899178961785396],
            [-0.780040065368824, 0.0, 0.04899178961785396],
        ],
        [-0.8789645983327732, 0.15272023894170716, -0.7526546308608895],
        [0.0, 0.0, 0.0, 1.0],
    );
    let b = polyhedron(
        &[
            [0.4340888315067265, 0.0011887878087825485, 0.0],
            [-0.4340888315067265, 0.0011887878087825485, 0.0],
            [-0.4340888315067265, -0.0011887878087825485, 0.0],
            [0.4340888315067265, -0.0011887878087825485, 0.0],
            [0.11977796661834307, 0.0, 0.26359011229984397],
            [-0.11977796661834307, 0.0, 0.26359011229984397],
        ],
        [0.009633877288383164, -0.6728400540886381, -0.5205581777548186],
        [-0.8492421444878273, -0.355314815805988, 0.3648951453834412, 0.13925047421847653],
    );
    assert_holds(
        a,
        b,
        [
            0.0,
            0.0008990380757052737,
            2.697114227115821,
            1.6954470633648828e-7,
            1.691596824485297e-7,
        ],
    );
}

/// The gap of two needles was that of a point beyond the tip of a face. What is beyond each of two sides by less than the slack
/// may be a thousand times farther from a corner as sharp as this.
#[test]
fn the_tip_of_a_needle_ends_before_its_sides_do() {
    let a = polyhedron(
        &[
            [-0.5, -0.004444030204491636, -0.006079173390349413],
            [0.5, -0.004444030204491636, -0.006079173390349413],
            [-0.5, 0.004444030204491636, -0.006079173390349413],
            [0.5, 0.004444030204491636, -0.006079173390349413],
            [-0.5, -0.004444030204491636, 0.006079173390349413],
            [0.5, -0.004444030204491636, 0.006079173390349413],
            [-0.5, 0.004444030204491636, 0.006079173390349413],
            [0.5, 0.004444030204491636, 0.006079173390349413],
        ],
        [-0.42310453960708005, 0.48536936044889745, -0.060535899795093454],
        [-0.45920142916535533, -0.6925113677000352, 0.13279861193662065, 0.5403023058681398],
    );
    let b = polyhedron(
        &[
            [1.0, 0.0016180490934833514, 0.0],
            [-1.0, 0.0016180490934833514, 0.0],
            [-1.0, -0.0016180490934833514, 0.0],
            [1.0, -0.0016180490934833514, 0.0],
            [0.7410517778423319, 0.0, 0.0016180490934833514],
            [-0.7410517778423319, 0.0, 0.0016180490934833514],
        ],
        [0.07605967255935747, 0.7755489706027291, -0.9442280394112932],
        [-0.02972273334688013, -0.6421229383038379, -0.5778658543466033, 0.5028575798441407],
    );
    assert_holds(
        a,
        b,
        [
            0.0,
            0.0010136058813540107,
            3.0408176440620323,
            2.7888826690601103e-8,
            2.7860335215717236e-8,
        ],
    );
}

/// The gap of a needle and a plate 0.8 apart was less than their distance. Two nearly parallel edges counted as crossing on the rim
/// of a face although they are nearest at an end.
#[test]
fn edges_that_end_do_not_cross() {
    let a = polyhedron(
        &[
            [1.0, 0.0025719854355739824, 0.0],
            [-1.0, 0.0025719854355739824, 0.0],
            [-1.0, -0.0025719854355739824, 0.0],
            [1.0, -0.0025719854355739824, 0.0],
            [0.6065317265848311, 0.0, 0.0025719854355739824],
            [-0.6065317265848311, 0.0, 0.0025719854355739824],
        ],
        [-0.29857697316831044, -0.4457490605422614, 0.02773764374796095],
        [0.6720006329790407, 0.4156028408581508, 0.28941811660636324, 0.5403023058681398],
    );
    let b = polyhedron(
        &[
            [1.0, 0.9616899077545431, 0.0],
            [-1.0, 0.9616899077545431, 0.0],
            [-1.0, -0.9616899077545431, 0.0],
            [1.0, -0.9616899077545431, 0.0],
            [0.42699347865673454, 0.0, 0.0011540024151492914],
            [-0.42699347865673454, 0.0, 0.0011540024151492914],
        ],
        [-1.7482420693844878, -1.47954678386084, 0.7029938144660606],
        [0.6932931789119455, -0.3808591524095698, 0.6115471593828987, 0.017347793829211755],
    );
    assert_holds(
        a,
        b,
        [0.0, 0.0020012379249825622, 6.003713774947687, 0.8792210577992756, 0.8790913286189125],
    );
}

/// Along the normal of two shapes 1e-9 apart, these were deep in each other. The normal was the direction between their nearest
/// points, of which rounding leaves little at that distance.
#[test]
fn a_short_arm_has_a_direction() {
    let a = polyhedron(
        &[[1.0, 1.0, 1.0], [1.0, -1.0, -1.0], [-1.0, 1.0, -1.0], [-1.0, -1.0, 1.0]],
        [-0.8679439000381335, 1.023872968567316, -1.1374997465275405],
        [-0.5940872281070058, 0.10837731852388151, -0.5859932939064054, 0.5403023058681398],
    );
    let b = polyhedron(
        &[
            [0.001728288294069228, 0.0006931134298453116, -4.906273259107728e-5],
            [0.0009306711592811322, 0.0027575404196561507, -0.0020779036518050954],
            [-0.0018026369504683874, -0.0005931150332355435, -0.0008601971560291518],
            [0.0012339544627278478, -0.0009123170201685822, -0.00034004561651098346],
        ],
        [0.7378382032123756, 0.38578863439267064, -1.0591844487451478],
        [-0.45747828346987607, -0.060740272700022066, -0.46205920800682365, 0.7573146820984586],
    );
    assert_holds(
        a,
        b,
        [
            0.0,
            5.50750889753791e-6,
            0.01652252669261373,
            2.3702684469427406e-10,
            2.370126682425324e-10,
        ],
    );
}

/// Nothing was found of an octahedron and a small box 1.02e-11 apart with a margin of 1.11e-11. A face is chosen but for the
/// slack, and its corners had to be as near as it separates but for rounding, which is less.
#[test]
fn a_touch_near_the_margin_is_found() {
    let a = polyhedron(
        &[
            [1.0, 0.0, 0.0],
            [-1.0, -0.0, -0.0],
            [0.0, 1.0, 0.0],
            [-0.0, -1.0, -0.0],
            [0.0, 0.0, 1.0],
            [-0.0, -0.0, -1.0],
        ],
        [-0.4806412230737035, -1.019152008135758, -1.3762110999348631],
        [0.0, 0.0, 0.0, 1.0],
    );
    let b = polyhedron(
        &[
            [-0.00024246525294000594, -0.0004999333563188474, -0.0005081340213386567],
            [0.00024246525294000594, -0.0004999333563188474, -0.0005081340213386567],
            [-0.00024246525294000594, 0.0004999333563188474, -0.0005081340213386567],
            [0.00024246525294000594, 0.0004999333563188474, -0.0005081340213386567],
            [-0.00024246525294000594, -0.0004999333563188474, 0.0005081340213386567],
            [0.00024246525294000594, -0.0004999333563188474, 0.0005081340213386567],
            [-0.00024246525294000594, 0.0004999333563188474, 0.0005081340213386567],
            [0.00024246525294000594, 0.0004999333563188474, 0.0005081340213386567],
        ],
        [-1.3090553077888445, -0.8867411233418965, -1.3361839127755286],
        [0.27146008988714165, 0.6538252534722581, -0.2670851838690052, -0.6538252534722578],
    );
    assert_holds(
        a,
        b,
        [
            0.0,
            1.8079215011573603e-6,
            0.005423764503472081,
            1.1140105892773076e-11,
            9.360043940161045e-12,
        ],
    );
}

/// Along the normal of a small ball on an edge, ball and tetrahedron overlapped by more than the gap. The centre is so near to the
/// edge, for its length, that the direction between them is lost in rounding.
#[test]
fn a_small_ball_on_a_long_edge() {
    let a = polyhedron(
        &[[1.0, 1.0, 1.0], [1.0, -1.0, -1.0], [-1.0, 1.0, -1.0], [-1.0, -1.0, 1.0]],
        [1.6544746631361043, 0.020835219568110044, 0.8793985616824479],
        [-0.43034400530708405, 0.568913944040752, -0.4463343809811471, 0.5403023058681398],
    );
    let b = sphere(
        0.0018660105682312598,
        [2.6013338193835907, -0.7641161889477134, -0.3410387328159624],
        [0.07793052061191554, 0.8951849573557628, 0.4136132285992685, 0.14661112921196148],
    );
    assert_holds(
        a,
        b,
        [
            0.0,
            3.7320211364625194e-6,
            0.011196063409387558,
            6.979873622804383e-11,
            6.979435032123906e-11,
        ],
    );
}

/// A capsule whose axis runs in a tetrahedron was reported 0.03 less deep than it is. The axis is parallel to an edge: their
/// common normal was the noise of a cross product, and separated more than any face.
#[test]
fn a_capsule_along_an_edge_has_the_depth_of_a_face() {
    let a = polyhedron(
        &[
            [-0.710751545016778, 0.1971849747676719, -0.11568899566963635],
            [0.7435201010648319, -0.16653145577290618, 0.18804298364115155],
            [-0.035339592252648586, 0.29439189396287985, 0.035847058085741894],
            [-0.8250513527276904, 0.14837386487999404, -0.13525338240404794],
        ],
        [0.696346268047022, 1.329677971874774, -0.6408416186270071],
        [0.0, 0.0, 0.0, 1.0],
    );
    let b = capsule(
        1.0,
        0.0021155834074670626,
        [2.380642972457398, 0.949057785132803, -0.21738332263449278],
        [-0.7588334271608406, 0.1523428742276674, 0.6332167705418, 2.7755575615628914e-17],
    );
    assert_holds(
        a,
        b,
        [0.0, 0.0016665495133006028, 4.999648539901808, 0.04957102343619949, 0.049557910947875504],
    );
}

/// Nothing was found of a capsule 0.03 deep in a tetrahedron, for the same reason.
#[test]
fn a_capsule_along_an_edge_is_found() {
    let a = capsule(
        1.0,
        0.13909305878526979,
        [-0.006630785461860383, -0.25601885438448535, -0.2444919064970765],
        [0.0, 0.0, 0.0, 1.0],
    );
    let b = polyhedron(
        &[
            [-0.4822250324267417, -0.06910271488644112, -0.8673854927150106],
            [-0.8336639253578578, -0.42769005364352414, 0.16240035104043013],
            [-0.5804366359753782, -0.3306695151553468, 0.7011297103273887],
            [0.4389601514274187, 0.36970366399395527, -0.7701582386952972],
        ],
        [-0.6255396315719913, -0.8258006570661105, 0.08239547169524156],
        [0.2893098660734093, -0.6073475113320925, 0.0, 0.7398843165463772],
    );
    assert_holds(
        a,
        b,
        [0.0, 0.002118094321500117, 6.354282964500351, 0.035507706680324234, 0.033934379164278404],
    );
}

/// The touch of a capsule lay 0.3 beside the face that it touches. An edge had to separate clearly more than the face, the points over
/// the face had to be as near as the face separates but for rounding: in between, the end of the axis was taken, wherever it was.
#[test]
fn an_axis_over_a_rim_touches_at_the_rim() {
    let a = polyhedron(
        &[[1.0, 1.0, 1.0], [1.0, -1.0, -1.0], [-1.0, 1.0, -1.0], [-1.0, -1.0, 1.0]],
        [0.7020610928587732, 0.37695609657420137, -0.6507182049768019],
        [0.0, 0.0, 0.0, 1.0],
    );
    let b = capsule(
        1.0,
        0.05416348383112725,
        [1.1823950910433918, 0.962167641803052, -0.5476537347996925],
        [0.5739218363193581, -0.7239938648750551, 0.29988807797377975, 0.23772620829073246],
    );
    assert_holds(
        a,
        b,
        [0.0, 0.002108326967662255, 6.3249809029867645, 0.07582561899651953, 0.07582447366974679],
    );
}

/// Along the normal of two capsules of very different size they overlapped by more than the gap, as the direction between their axes is
/// right to the rounding of the larger one only.
#[test]
fn a_thin_capsule_on_a_thick_one() {
    let a = capsule(
        0.8681732418300259,
        0.6621612810522364,
        [0.8815086362104324, 1.7160211059389014, 0.26934841436999457],
        [0.0, 0.0, 0.0, 1.0],
    );
    let b = capsule(
        0.004505702522960543,
        5.075312606683153e-6,
        [1.148549569362167, 1.1100735224501848, 1.1357397078416493],
        [-0.4732029815055203, -0.6883476564551613, 0.46960231863123364, 0.28588477483619673],
    );
    assert_holds(
        a,
        b,
        [
            0.0,
            9.02155567113418e-6,
            0.027064667013402537,
            3.4821477107591733e-12,
            3.4821388341189268e-12,
        ],
    );
}

/// Along the normal of two corners 1e-10 apart the rectangles overlapped by 5e-7: the direction between them was lost in rounding.
#[test]
fn corners_of_polygons_nearly_touch() {
    let a = polygon(
        &[
            [-0.5, -0.4876684238199606],
            [0.5, -0.4876684238199606],
            [0.5, 0.4876684238199606],
            [-0.5, 0.4876684238199606],
        ],
        [-1.2837601873015592, -1.8992498699827465],
        0.0,
    );
    let b = polygon(
        &[
            [-0.5, -0.2199044996520368],
            [0.5, -0.2199044996520368],
            [0.5, 0.2199044996520368],
            [-0.5, 0.2199044996520368],
        ],
        [-0.620385843497527, -0.8903647801980403],
        4.822987490515359,
    );
    assert_holds(
        a,
        b,
        [
            0.0,
            0.0011774625534960402,
            3.53238766048812,
            1.2047865220250814e-10,
            1.2047779203363115e-10,
        ],
    );
}

/// The same of a disk whose centre is near a segment, for the length of this.
#[test]
fn a_small_disk_on_a_long_segment() {
    let a = segment(
        [[-0.20305218230479105, 0.0], [1.0, 0.3]],
        [0.9944763808226617, 1.114535408055884],
        0.0,
    );
    let b =
        disk(0.0003455427450698714, [1.2357857183683951, 1.225292102891295], -0.6722322734333822);
    assert_holds(
        a,
        b,
        [
            0.0,
            6.910854901397429e-7,
            0.0020732564704192286,
            0.0002952441078019214,
            0.0002952318449978404,
        ],
    );
}
