"""The same 216 balls by exact contact and by springs (LIGGGHTS), and what agrees.

    drystone run peers/springs/deposit.toml -o out --no-pictures
    drystone export out --to csv -o csv
    python3 peers/springs/run.py csv WORK      # apt-get install liggghts

LIGGGHTS is given the first frame of drystone, with Hertz's springs of two stiffnesses, and, by itself, the last one: so
that forces can be told from places. Needs nothing but Python and LIGGGHTS.
"""

import csv
import math
import resource
import subprocess
import sys
from pathlib import Path

RADIUS, DENSITY, FRICTION, GRAVITY, BOX = 0.01, 2500.0, 0.3, 9.81, 0.126
MASS = DENSITY * 4 / 3 * math.pi * RADIUS**3

INPUT = """
atom_style granular
atom_modify map array
boundary f f f
newton off
communicate single vel yes
units si
region reg block -0.01 0.136 -0.01 0.136 -0.01 0.3 units box
create_box 1 reg
neighbor 0.002 bin
neigh_modify delay 0
fix m1 all property/global youngsModulus peratomtype {young}
fix m2 all property/global poissonsRatio peratomtype 0.25
fix m3 all property/global coefficientRestitution peratomtypepair 1 {restitution}
fix m4 all property/global coefficientFriction peratomtypepair 1 {friction}
pair_style gran model hertz tangential history
pair_coeff * *
timestep {step}
fix g all gravity {gravity} vector 0.0 0.0 -1.0
fix z0 all wall/gran model hertz tangential history primitive type 1 zplane 0.0
fix x0 all wall/gran model hertz tangential history primitive type 1 xplane 0.0
fix x1 all wall/gran model hertz tangential history primitive type 1 xplane {box}
fix y0 all wall/gran model hertz tangential history primitive type 1 yplane 0.0
fix y1 all wall/gran model hertz tangential history primitive type 1 yplane {box}
{atoms}
set group all diameter {diameter} density {density}
{speeds}
fix move all nve/sphere
compute pairs all pair/gran/local id force
thermo_style custom step atoms ke
thermo {steps}
run {steps}
dump places all custom 1 {places} id x y z vx vy vz
dump pairs all local 1 {pairs} c_pairs[1] c_pairs[2] c_pairs[4] c_pairs[5] c_pairs[6]
run 0
"""


def frames(folder):
    """Places of the balls in the first and the last frame, and the contacts of the last."""
    rows = list(csv.DictReader(open(folder / "bodies.csv")))
    last = max(int(row["frame"]) for row in rows)
    places = {0: [], last: []}
    for row in rows:
        if int(row["frame"]) in places:
            places[int(row["frame"])].append(tuple(float(row[axis]) for axis in "xyz"))
    contacts = []
    for row in csv.DictReader(open(folder / "contacts.csv")):
        force = tuple(float(row["f" + axis]) for axis in "xyz")
        if int(row["frame"]) == last and int(row["second"]) >= 0 and any(force):
            normal = tuple(float(row["n" + axis]) for axis in "xyz")
            contacts.append((int(row["first"]), int(row["second"]), force, normal))
    return places[0], places[last], contacts


def dump(path):
    lines = path.read_text().split("\n")
    start = max(i for i, line in enumerate(lines) if line.startswith("ITEM: ENTRIES") or line.startswith("ITEM: ATOMS"))
    return [[float(word) for word in line.split()] for line in lines[start + 1 :] if line.strip()]


def springs(work, name, places, young, step, time, restitution=0.1, gravity=GRAVITY, radius=RADIUS, speeds=""):
    """LIGGGHTS from these places at rest; places, contacts and processor time."""
    files = {key: work / f"{name}.{key}" for key in ("places", "pairs")}
    atoms = "\n".join(f"create_atoms 1 single {x!r} {y!r} {z!r} units box" for x, y, z in places)
    text = INPUT.format(
        young=young, step=step, steps=round(time / step), restitution=restitution, friction=FRICTION, gravity=gravity, speeds=speeds,
        box=BOX, diameter=2 * radius, density=DENSITY, atoms=atoms, **files,
    )
    (work / f"{name}.in").write_text(text)
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    with open(work / f"{name}.out", "w") as out:
        subprocess.run(["liggghts", "-in", f"{name}.in", "-log", "none"], cwd=work, stdout=out, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    found = {int(row[0]) - 1: row[1:7] for row in dump(files["places"])}
    contacts = []
    for i, j, *force in dump(files["pairs"]):
        contacts.append((int(i) - 1, int(j) - 1, tuple(force)))
    return [found[i] for i in range(len(found))], contacts, after.ru_utime - before.ru_utime


def row(work):
    """Speeds of six balls in a row, five of which touch and are struck by the first at 1 m/s, after 4 ms."""
    places = [(0.0290, 0.05, 0.05)] + [(0.04 + 0.01 * i, 0.05, 0.05) for i in range(5)]
    strike = "group first id 1\nvelocity first set 1.0 0.0 0.0"
    for restitution in (0.999, 0.5):
        found, _, _ = springs(work, "row", places, 5e8, 5e-8, 4e-3, restitution, 0.0, 0.005, strike)
        print(f"row, restitution {restitution}, by springs", [round(ball[3], 4) for ball in found])


def figures(places, contacts):
    """Of balls and of the contacts between them (LIGGGHTS does not tell the forces of plane walls one by one)."""
    top = sum(place[2] for place in places) / len(places)
    touching = 2 * len(contacts) / len(places)
    deep = 0.0
    for i, j, *_ in contacts:
        deep = max(deep, 2 * RADIUS - math.dist(places[i][:3], places[j][:3]))
    sizes = [math.hypot(*force) for _, _, force, *_ in contacts]
    mean = sum(sizes) / len(sizes)
    return {
        "mean height, mm": 1e3 * top,
        "contacts of a ball": touching,
        "deepest overlap, of a diameter": deep / (2 * RADIUS),
        "largest force over mean": max(sizes) / mean,
        "mean force, mN": 1e3 * mean,
    }


def correlation(one, other):
    """Of the forces at the contacts that both have, and how many these are."""
    def table(contacts):
        return {(min(i, j), max(i, j)): math.hypot(*force) for i, j, force, *_ in contacts}
    a, b = table(one), table(other)
    common = sorted(a.keys() & b.keys())
    xs, ys = [a[key] for key in common], [b[key] for key in common]
    mx, my = sum(xs) / len(xs), sum(ys) / len(ys)
    sxy = sum((x - mx) * (y - my) for x, y in zip(xs, ys))
    return sxy / math.sqrt(sum((x - mx) ** 2 for x in xs) * sum((y - my) ** 2 for y in ys)), len(common), len(a), len(b)


def main():
    folder, work = Path(sys.argv[1]), Path(sys.argv[2])
    work.mkdir(parents=True, exist_ok=True)
    row(work)
    first, last, contacts = frames(folder)
    table = {"exact contact": (last, contacts, None)}
    for name, young, step in [("springs, 5 MPa", 5e6, 1e-5), ("springs, 50 MPa", 5e7, 4e-6)]:
        table[name] = springs(work, f"fall{young:.0e}", first, young, step, 1.0)
    table["springs from the last frame"] = springs(work, "settled", last, 5e7, 4e-6, 0.2)
    for name, (places, touching, time) in table.items():
        print(name, "" if time is None else f"({time:.1f} s of processor time)")
        for what, value in figures(places, touching).items():
            print(f"    {what:32s} {value:.4g}")
        if name != "exact contact":
            shift = [math.dist(a[:3], b[:3]) for a, b in zip(places, last)]
            shift.sort()
            print(f"    places differ, of a diameter     {shift[len(shift) // 2] / (2 * RADIUS):.3g} in the median")
            r, common, ours, theirs = correlation(contacts, touching)
            print(f"    forces at common contacts        correlation {r:.3f} ({common} common, {ours} exact, {theirs} springs)")


main()
