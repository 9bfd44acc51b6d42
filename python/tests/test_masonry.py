"""Assemblies of blocks."""

import drystone
import numpy as np
import pytest
from drystone._compas import rotation_vector, weights
from drystone.masonry import Block, from_compas, solve_assembly, solve_compas

CORNERS = np.array([[x, y, z] for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)])
FACES = [[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]]
WEIGHT = 2400 * 9.81


def column(count, lean=0.0):
    return [Block(CORNERS + [lean * i, 0, i], FACES) for i in range(count)]


def test_a_column_carries_its_weight():
    result = solve_assembly(column(4), supports=[0], duration=0.2)
    assert result.stands() and result.verdict.trusted
    assert np.abs(result.displacements).max() < 1e-4
    pairs = {(i.first, i.second): i.resultant for i in result.interfaces}
    assert len(pairs) == 3
    for (first, second), force in pairs.items():
        # What the upper block feels of the lower one is the weight of itself and all above.
        upward = force if first > second else -force
        assert upward == pytest.approx([0, 0, (4 - max(first, second)) * WEIGHT], rel=1e-3, abs=10)


def test_densities_differ_from_block_to_block():
    blocks = column(2)
    blocks[1].density = 4800
    (interface,) = solve_assembly(blocks, supports=[0], duration=0.1).interfaces
    assert interface.resultant[2] == pytest.approx(2 * WEIGHT, rel=1e-3)


def test_a_leaning_column_falls():
    # The centre of the upper block is beyond the edge of the lower one.
    result = solve_assembly(column(2, lean=0.6), supports=[0], duration=0.3)
    assert not result.stands() and result.displacements[1][2] < -1e-3


def test_vertices_turn_with_their_block():
    blocks = [Block(CORNERS + [0, 0, 5], FACES)]
    result = solve_assembly(blocks, duration=0.3, callback=lambda s: s.set_spin(0, [0, 0, 2.0]))
    moved = result.blocks[0].vertices
    edges = np.linalg.norm(moved - np.roll(moved, 1, axis=0), axis=1)
    assert edges == pytest.approx(np.linalg.norm(CORNERS - np.roll(CORNERS, 1, axis=0), axis=1))
    # The callback is first called after a step.
    angle = 2.0 * 0.299
    first = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]]) @ CORNERS[0][:2]
    assert moved[0][:2] == pytest.approx(first, abs=1e-4)


@pytest.mark.parametrize("vertices", [[[0, 0, 0]], np.full((8, 3), np.nan), np.zeros((8, 2))])
def test_bad_blocks_are_told(vertices):
    with pytest.raises(drystone.InvalidValueError, match="block 0"):
        solve_assembly([Block(vertices)])


def test_flat_blocks_are_told():
    with pytest.raises(drystone.SceneError):
        solve_assembly([Block(CORNERS * [1, 1, 0])])


def test_meshes_of_compas():
    compas = pytest.importorskip("compas.datastructures", reason="compas is not installed")
    meshes = [compas.Mesh.from_vertices_and_faces(b.vertices.tolist(), FACES) for b in column(3)]
    meshes[0].attributes["is_support"] = True
    blocks = from_compas(meshes)
    assert [block.support for block in blocks] == [True, False, False]
    result = solve_assembly(blocks, duration=0.1)
    assert result.stands()
    lowest = next(i for i in result.interfaces if {i.first, i.second} == {0, 1})
    assert abs(lowest.resultant[2]) == pytest.approx(2 * WEIGHT, rel=1e-3)
    mesh = compas.Mesh.from_vertices_and_faces(result.blocks[2].vertices.tolist(), result.blocks[2].faces)
    assert mesh.centroid()[2] == pytest.approx(2, abs=1e-4)


def test_interfaces_are_polygons_with_forces_at_their_corners():
    (interface,) = solve_assembly(column(2), supports=[0], duration=0.1).interfaces
    assert interface.points.shape == (4, 3)
    edges = np.linalg.norm(interface.points - np.roll(interface.points, 1, axis=0), axis=1)
    assert edges == pytest.approx([1, 1, 1, 1], abs=1e-3), "in the order of corners"
    assert (interface.compressions >= 0).all() and interface.compressions.sum() == pytest.approx(WEIGHT, rel=1e-3)
    # At single corners laws leave forces open; what they do together is not.
    assert np.abs(interface.frictions.sum(axis=0)).max() < 1e-3 * WEIGHT
    middle = interface.points - interface.points.mean(axis=0)
    assert np.abs(np.cross(middle, interface.forces).sum(axis=0)).max() < 1e-3 * WEIGHT


def test_transformations_move_what_they_should():
    blocks = [Block(CORNERS + [0, 0, 5], FACES)]
    result = solve_assembly(blocks, duration=0.2, callback=lambda s: s.set_spin(0, [0.5, 1.0, 2.0]))
    matrix = result.transformations[0]
    moved = blocks[0].vertices @ matrix[:3, :3].T + matrix[:3, 3]
    assert moved == pytest.approx(result.blocks[0].vertices, abs=1e-12)


def test_dents_are_told():
    dented = CORNERS.copy()
    dented[0] *= 0.2
    with pytest.raises(drystone.InvalidValueError, match="block 0 is not convex"):
        solve_assembly([Block(dented, FACES)])


def test_shares_of_corners_do_what_the_point_does():
    corners = np.array([[0, 0, 1], [2, 0, 1], [2, 1, 1], [0.5, 1.5, 1], [0, 1, 1]], dtype=float)
    rng = np.random.default_rng(0)
    for point in np.vstack([rng.dirichlet(np.ones(5), 50) @ corners, corners, (corners + np.roll(corners, 1, axis=0)) / 2]):
        shares = weights(corners, point)
        assert shares.min() >= 0 and shares.sum() == pytest.approx(1)
        assert shares @ corners == pytest.approx(point, abs=1e-12)
    # What is a little outside goes to the edge.
    assert weights(corners, np.array([1, -1e-6, 1])) @ corners == pytest.approx([1, 0, 1], abs=1e-5)


@pytest.mark.parametrize("axis,angle", [([1, 0, 0], 0.3), ([0.6, 0, 0.8], 2.9), ([0, 1, 0], np.pi), ([0, 0, 1], 0.0), ([0, 0, 1], 1e-12)])
def test_rotation_vectors_by_hand(axis, angle):
    k = np.array([[0, -axis[2], axis[1]], [axis[2], 0, -axis[0]], [-axis[1], axis[0], 0]])
    turn = np.eye(3) + np.sin(angle) * k + (1 - np.cos(angle)) * k @ k
    found = rotation_vector(turn)
    assert np.allclose(found, np.multiply(axis, angle), atol=1e-9) or (angle == np.pi and np.allclose(found, -np.multiply(axis, angle)))


def tower(add):
    """Three cubes on top of each other, the lowest a support, put into an assembly of some package."""
    compas = pytest.importorskip("compas.datastructures", reason="compas is not installed")
    for block in column(3):
        add(compas.Mesh.from_vertices_and_faces(block.vertices.tolist(), FACES))


def check_tower(forces_of, frame_of):
    """What the interfaces of the tower hold: the weight above each, upward on the upper block."""
    for edge, above in (((0, 1), 2), ((1, 2), 1)):
        forces, frame = forces_of(edge), frame_of(edge)
        total = sum(force["c_np"] - force["c_nn"] for force in forces)
        assert len(forces) == 4 and total == pytest.approx(above * WEIGHT, rel=1e-3)
        slip = [sum(force[key] for force in forces) for key in ("c_u", "c_v")]
        world = total * np.array(frame.zaxis) + slip[0] * np.array(frame.xaxis) + slip[1] * np.array(frame.yaxis)
        assert abs(world[2]) == pytest.approx(above * WEIGHT, rel=1e-3) and np.abs(world[:2]).max() < 1e-2 * WEIGHT


def test_an_assembly_of_compas_assembly():
    datastructures = pytest.importorskip("compas_assembly.datastructures", reason="compas_assembly is not installed")
    from compas_assembly.algorithms import assembly_interfaces

    assembly = datastructures.Assembly()
    tower(assembly.add_block_from_mesh)
    assembly.set_boundary_conditions([0])
    with pytest.raises(drystone.InvalidValueError, match="no interfaces"):
        solve_compas(assembly, duration=0.01)
    assembly_interfaces(assembly, nmax=5, amin=1e-4)
    result, transformations = solve_compas(assembly, duration=0.1)
    assert result.stands() and set(transformations) == {0, 1, 2}
    interface = lambda edge: assembly.edge_interfaces(edge)[0]
    check_tower(lambda edge: interface(edge).forces, lambda edge: interface(edge).frame)
    # COMPAS makes its own of it: the resultant goes through the middle.
    assert list(interface((1, 2)).resultantpoint)[:2] == pytest.approx([0, 0], abs=1e-2)
    moved = assembly.node_block(2).transformed(transformations[2])
    assert moved.centroid()[2] == pytest.approx(result.blocks[2].vertices.mean(axis=0)[2], abs=1e-9)
    assert assembly.graph.node_attribute(2, "displacement")[:3] == pytest.approx(result.displacements[2])


def test_a_model_of_compas_dem():
    models = pytest.importorskip("compas_dem.models", reason="compas_dem is not installed")
    model = models.BlockModel()
    tower(model.add_block_from_mesh)
    model.add_support(0)
    model.compute_contacts(tolerance=1e-3)
    result, _ = solve_compas(model, duration=0.1)
    assert result.stands() and [block.support for block in from_compas(model)] == [True, False, False]
    contact = lambda edge: model.graph.edge_attribute(edge, "contacts")[0]
    check_tower(lambda edge: contact(edge).forces, lambda edge: contact(edge).frame)
    assert abs(contact((0, 1)).resultantpoint[2] - 0.5) < 1e-6
