"""Assemblies of blocks."""

import drystone
import numpy as np
import pytest
from drystone.masonry import Block, from_compas, solve_assembly

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
