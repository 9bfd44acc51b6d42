"""A masonry arch with COMPAS: an assembly in, the forces at the corners of its interfaces and its line of thrust out.

It needs `pip install compas compas_assembly`.
"""

import sys
from pathlib import Path

import numpy as np
from drystone.masonry import solve_compas

try:
    from compas_assembly.algorithms import assembly_interfaces
    from compas_assembly.datastructures import Assembly
    from compas_assembly.geometry import Arch
except ImportError as missing:
    sys.exit(print(f"left out: {missing}"))

folder = Path(sys.argv[1] if len(sys.argv) > 1 else "runs/arch")
DENSITY, FRICTION, BLOCKS = 2400, 0.7, 21
assembly = Assembly.from_template(Arch(rise=5, span=10, thickness=0.8, depth=0.5, n=BLOCKS))
assembly.set_boundary_conditions([0, BLOCKS - 1])
assembly_interfaces(assembly, nmax=10, amin=1e-4)

result, transformations = solve_compas(assembly, density=DENSITY, friction=FRICTION, duration=0.3)
print(f"the arch {'stands' if result.stands() else 'falls'}; {result.verdict}")
print(f"its crown has moved by {1e6 * abs(transformations[BLOCKS // 2].translation_vector[2]):.2f} micrometres")

# Forces as COMPAS has them, on the side that an interface's frame points to.
thrusts, lifts = [], {}
for edge in assembly.edges():
    for interface in assembly.edge_interfaces(edge):
        axes = np.array([list(axis) for axis in (interface.frame.zaxis, interface.frame.xaxis, interface.frame.yaxis)])
        parts = [[f["c_np"] - f["c_nn"], f["c_u"], f["c_v"]] for f in interface.forces]
        force = np.sum(parts, axis=0) @ axes
        thrusts.append(abs(force[0]))
        lifts[edge] = abs(force[2])
weight = 9.81 * DENSITY * sum(assembly.node_block(node).volume() for node in range(1, BLOCKS - 1))
feet = sum(lift for edge, lift in lifts.items() if set(edge) & {0, BLOCKS - 1})
print(f"horizontal thrust {min(thrusts):.0f} to {max(thrusts):.0f} N; its feet carry {feet:.0f} N of {weight:.0f} N")
assert result.stands() and result.verdict.trusted
assert max(thrusts) - min(thrusts) < 1e-3 * max(thrusts) and abs(feet - weight) < 1e-3 * weight

try:
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
except ImportError:
    sys.exit()
folder.mkdir(parents=True, exist_ok=True)
figure, plot = plt.subplots(figsize=(8, 5))
for node in assembly.nodes():
    block = assembly.node_block(node)
    corners = np.array([block.vertex_coordinates(vertex) for vertex in block.face_vertices(next(block.faces()))])
    for face in block.faces():
        around = np.array([block.vertex_coordinates(vertex) for vertex in block.face_vertices(face)])
        if np.ptp(around[:, 1]) < 1e-9:
            plot.fill(around[:, 0], around[:, 2], facecolor="0.75" if node in (0, BLOCKS - 1) else "0.92", edgecolor="0.4")
points = [interface.resultantpoint for interface in assembly.interfaces()]
points.sort(key=lambda point: point.x)
plot.plot([p.x for p in points], [p.z for p in points], "o-", color="tab:red", markersize=3, label="line of thrust")
scale = 0.4 / max(thrusts)
for interface in assembly.interfaces():
    normal = interface.frame.zaxis
    for point, force in zip(interface.points, interface.forces):
        ends = [point + normal * (side * scale * force["c_np"]) for side in (-1, 1)]
        plot.plot([p.x for p in ends], [p.z for p in ends], color="tab:blue", linewidth=2)
plot.plot([], [], color="tab:blue", label="normal forces at corners")
plot.set(aspect="equal", xlabel="x in m", ylabel="z in m", title=f"semicircular arch, friction {FRICTION}")
plot.legend(loc="lower center")
figure.savefig(folder / "arch.png", dpi=100, bbox_inches="tight")
