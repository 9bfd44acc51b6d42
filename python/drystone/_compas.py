"""Assemblies of COMPAS: blocks in, forces at the corners of their interfaces and displacements out.

Nothing of COMPAS is imported before an assembly of it is there. What is known of its packages: `compas_assembly` has blocks
as attributes of the nodes of a graph, interfaces as attributes of its edges; `compas_model` and `compas_dem` have elements
with a number in the graph, and contacts as attributes of its edges. Both have polygons with a frame, and forces at their
corners as `c_np` (compression), `c_nn` (tension), `c_u` and `c_v` (along the frame's axes).
"""

import numpy as np

from .errors import InvalidValueError

INTERFACES = ("interfaces", "contacts")
"""Names of the attribute of an edge that holds its interfaces."""


def parts(assembly):
    """Nodes of an assembly with its blocks, and whether they are supports."""
    graph = getattr(assembly, "graph", None)
    if callable(getattr(assembly, "elements", None)):
        return [(element.graphnode, element, _is_support(element)) for element in assembly.elements()]
    if graph is not None and callable(getattr(assembly, "node_block", None)):
        nodes = [(node, assembly.node_block(node)) for node in graph.nodes()]
        return [(node, block, bool(graph.node_attribute(node, "is_support")) or _is_support(block)) for node, block in nodes]
    if not hasattr(assembly, "__iter__"):
        raise InvalidValueError(f"the assembly is a {type(assembly).__name__}; expected an assembly of COMPAS or a list of meshes")
    return [(node, block, _is_support(block)) for node, block in enumerate(assembly)]


def _is_support(block):
    return bool(getattr(block, "is_support", False) or (getattr(block, "attributes", None) or {}).get("is_support"))


def mesh_of(block):
    """Vertices and faces of a block, and its density if its material tells it."""
    density = getattr(getattr(block, "material", None), "density", None)
    for name in ("modelgeometry", "geometry", "mesh"):
        if not hasattr(block, "to_vertices_and_faces") and getattr(block, name, None) is not None:
            block = getattr(block, name)
    if not hasattr(block, "to_vertices_and_faces"):
        raise InvalidValueError(f"a block is a {type(block).__name__}; expected a mesh of COMPAS")
    vertices, faces = block.to_vertices_and_faces()
    vertices = np.array([list(point) for point in vertices], dtype=float).reshape(-1, 3)
    return vertices, [list(face) for face in faces], density


def write(result, assembly):
    """Writes forces to the corners of an assembly's interfaces, and displacements where its nodes have a place for them.
    Gives the transformation of each node, and the pairs of nodes that touch and have no interface with the force there."""
    from compas.geometry import Transformation

    graph = getattr(assembly, "graph", None)
    if graph is None:
        raise InvalidValueError(f"a {type(assembly).__name__} has no interfaces; expected an assembly of COMPAS")
    nodes = [block.node for block in result.blocks]
    found = {}
    for interface in result.interfaces:
        pair = frozenset((nodes[interface.first], nodes[interface.second]))
        found.setdefault(pair, []).append(interface)
    number = {node: place for place, node in enumerate(nodes)}
    if not any(interfaces_of(graph, edge) for edge in graph.edges()):
        raise InvalidValueError(
            "the assembly has no interfaces; make them by assembly_interfaces (compas_assembly) or compute_contacts (compas_model)"
        )
    for edge in graph.edges():
        polygons = interfaces_of(graph, edge)
        if polygons:
            _fill(result, number, polygons, found.pop(frozenset(edge), []))
    transformations = {}
    for place, node in enumerate(nodes):
        transformations[node] = Transformation(matrix=result.transformations[place].tolist())
        if "displacement" in graph.default_node_attributes:
            turn = rotation_vector(result.transformations[place][:3, :3])
            graph.node_attribute(node, "displacement", [*result.displacements[place].tolist(), *turn.tolist()])
    missing = {
        tuple(pair): sum(interface.resultant for interface in interfaces)
        for pair, interfaces in found.items()
        if any(np.any(interface.forces) for interface in interfaces)
    }
    return transformations, missing


def rotation_vector(matrix):
    """The axis of a rotation times its angle."""
    twice = np.array([matrix[2, 1] - matrix[1, 2], matrix[0, 2] - matrix[2, 0], matrix[1, 0] - matrix[0, 1]])
    sine, cosine = np.linalg.norm(twice) / 2, (np.trace(matrix) - 1) / 2
    if sine > 1e-9:
        return twice / (2 * sine) * np.arctan2(sine, cosine)
    if cosine > 0:
        return twice / 2
    # Half a turn: the axis is what stays.
    axis = np.linalg.svd(matrix - np.eye(3))[2][-1]
    return np.pi * axis


def interfaces_of(graph, edge):
    """The interfaces of an edge, by whichever name they have there."""
    for name in INTERFACES:
        polygons = graph.edge_attribute(edge, name)
        if polygons:
            return list(polygons)
    return []


def _fill(result, number, polygons, interfaces):
    """Shares out forces to the corners of these polygons, each to the polygon that it is nearest to."""
    corners = [np.array([list(point) for point in polygon.points], dtype=float) for polygon in polygons]
    forces = [np.zeros_like(points) for points in corners]
    for interface in interfaces:
        # Polygons are where the blocks were at first.
        places = result.first_places(interface)
        axis = np.asarray(interface.normals).mean(axis=0)
        for place, force in zip(places, interface.forces):
            shared = [weights(points, place) for points in corners]
            nearest = int(np.argmin([np.linalg.norm(w @ points - place) for w, points in zip(shared, corners)]))
            # The force that acts on the side that the frame's axis points to.
            toward = np.sign(np.dot(list(polygons[nearest].frame.zaxis), axis)) or 1.0
            forces[nearest] += toward * np.outer(shared[nearest], force)
    for polygon, corner_forces in zip(polygons, forces):
        frame = polygon.frame
        axes = np.array([list(frame.zaxis), list(frame.xaxis), list(frame.yaxis)], dtype=float)
        polygon.forces = [
            {"c_np": max(float(n), 0.0), "c_nn": max(-float(n), 0.0), "c_u": float(u), "c_v": float(v)}
            for n, u, v in corner_forces @ axes.T
        ]


def weights(corners, point):
    """Weights of a convex polygon's corners, none negative, that add up to 1 and have their mean at the point, or at the
    place of the polygon nearest to it as seen along the plane: what acts at the point acts the same at the corners."""
    count = len(corners)
    best = None
    for k in range(1, count - 1):
        triangle = [0, k, k + 1]
        a, b, c = corners[triangle]
        edges = np.array([b - a, c - a])
        gram = edges @ edges.T
        if abs(np.linalg.det(gram)) < 1e-12 * max(gram.max(), 1e-300) ** 2:
            continue
        beta, gamma = np.linalg.solve(gram, edges @ (point - a))
        shares = np.array([1 - beta - gamma, beta, gamma])
        if best is None or shares.min() > best[0]:
            best = (shares.min(), triangle, shares)
    found = np.zeros(count)
    if best is None:
        found[int(np.argmin(np.linalg.norm(corners - point, axis=1)))] = 1.0
        return found
    shares = np.maximum(best[2], 0.0)
    found[best[1]] = shares / shares.sum()
    return found
