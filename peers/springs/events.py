"""A few disks event by event: exact but for rounding, against drystone with ever shorter steps.

    python3 peers/springs/events.py DRYSTONE WORK

Smooth disks without gravity in a square box, restitution 0.9, so that between collisions all fly straight. Then a row of
five that touch, struck by a sixth: there the order of events decides.
"""

import csv
import math
import subprocess
import sys
from pathlib import Path

RADIUS, E, END, BOX = 0.1, 0.9, 1.2, 1.0
PLACES = [(0.2, 0.2), (0.7, 0.3), (0.4, 0.7), (0.8, 0.8), (0.15, 0.55)]
SPEEDS = [(0.9, 0.5), (-0.4, 0.7), (0.6, -0.8), (-0.7, -0.3), (0.5, 0.1)]


def meet(dx, dv, reach):
    """When |dx + t dv| = reach, while approaching; infinity if never."""
    b = dx[0] * dv[0] + dx[1] * dv[1]
    if b >= 0:
        return math.inf
    speed = dv[0] ** 2 + dv[1] ** 2
    root = b * b - speed * (dx[0] ** 2 + dx[1] ** 2 - reach**2)
    return max(0.0, (-b - math.sqrt(root)) / speed) if root >= 0 else math.inf


def events():
    """Places at the end, and the times of all collisions."""
    x, v, now, times = [list(p) for p in PLACES], [list(u) for u in SPEEDS], 0.0, []
    while True:
        first = (END - now, None)
        for i in range(len(x)):
            for j in range(i):
                dx = [x[i][k] - x[j][k] for k in (0, 1)]
                dv = [v[i][k] - v[j][k] for k in (0, 1)]
                first = min(first, (meet(dx, dv, 2 * RADIUS), (i, j)), key=lambda e: e[0])
            for k in (0, 1):
                if v[i][k] != 0:
                    wall = BOX - RADIUS if v[i][k] > 0 else RADIUS
                    first = min(first, (max(0.0, (wall - x[i][k]) / v[i][k]), (i, -1 - k)), key=lambda e: e[0])
        dt, who = first
        for p, u in zip(x, v):
            for k in (0, 1):
                p[k] += dt * u[k]
        now += dt
        if who is None:
            return x, times
        times.append(now)
        i, j = who
        if j < 0:
            v[i][-1 - j] *= -E
            continue
        n = [(x[i][k] - x[j][k]) / (2 * RADIUS) for k in (0, 1)]
        push = -0.5 * (1 + E) * sum(n[k] * (v[i][k] - v[j][k]) for k in (0, 1))
        for k in (0, 1):
            v[i][k] += push * n[k]
            v[j][k] -= push * n[k]


def scene(step, bodies, end, walls=True, restitution=E):
    text = f"dimension = 2\ngravity = [0, 0]\n[time]\nstep = {step}\nend = {end}\n[solver]\ntolerance = 1e-10\n"
    text += "[output]\nframe_interval = 1e9\n[contact]\nform = \"velocity\"\n[[material]]\nname = \"a\"\ndensity = 1\n"
    text += f"[default_law]\nfriction = 0\nnormal_restitution = {restitution}\n"
    if walls:
        for place, normal in [((0, 0), (1, 0)), ((BOX, 0), (-1, 0)), ((0, 0), (0, 1)), ((0, BOX), (0, -1))]:
            text += f"[[boundary]]\nmaterial = \"a\"\nshape = {{ half_plane = {{ point = {list(place)}, normal = {list(normal)} }} }}\n"
    for place, speed in bodies:
        text += f"[[body]]\nmaterial = \"a\"\nshape = {{ disk = {RADIUS} }}\nposition = {list(place)}\nvelocity = {list(speed)}\n"
    return text


def run(program, work, name, text):
    (work / f"{name}.toml").write_text(text)
    for command in (
        ["run", f"{name}.toml", "-o", name, "--no-pictures", "-q", "--threads", "1", "--force"],
        ["export", name, "--to", "csv", "-o", f"{name}_csv"],
    ):
        subprocess.run([program, *command], cwd=work, check=True, capture_output=True)
    rows = list(csv.DictReader(open(work / f"{name}_csv" / "bodies.csv")))
    last = max(int(row["frame"]) for row in rows)
    return [[float(row[key]) for key in ("x", "y", "vx", "vy")] for row in rows if int(row["frame"]) == last]


def main():
    program, work = str(Path(sys.argv[1]).resolve()), Path(sys.argv[2])
    work.mkdir(parents=True, exist_ok=True)
    exact, times = events()
    print(f"{len(times)} collisions in {END} s, the last at {times[-1]:.4f} s")
    for step in (2e-3, 1e-3, 5e-4, 2.5e-4, 1.25e-4):
        found = run(program, work, f"events_{step}", scene(step, list(zip(PLACES, SPEEDS)), END))
        away = max(math.dist(a[:2], b) for a, b in zip(found, exact))
        print(f"h = {step}: places differ by {away:.2e}")
    row = [((2 * RADIUS * i, 0.5), (0, 0)) for i in range(5)]
    row.append(((-2 * RADIUS - 0.05, 0.5), (1, 0)))
    for restitution in (1.0, 0.5):
        found = run(program, work, f"row_{restitution}", scene(1e-4, row, 0.2, False, restitution))
        speeds = [round(body[2], 4) for body in [found[5], *found[:5]]]
        one = [0.0] * 6
        one[0] = 1.0
        for _ in range(1000):
            for i in range(5):
                if one[i] > one[i + 1] + 1e-12:
                    total, gap = one[i] + one[i + 1], one[i] - one[i + 1]
                    one[i], one[i + 1] = (total - restitution * gap) / 2, (total + restitution * gap) / 2
        print(f"row, restitution {restitution}: all at once {speeds}")
        print(f"                     event by event {[round(u, 4) for u in one]}")


main()
