"""A chain of links, a walker and many of them: time of a step by drystone and by MuJoCo, in turns, on one thread.

    python3 -m venv V && V/bin/pip install mujoco
    V/bin/python peers/mechanisms/run.py target/release/drystone WORK [ROUNDS]

The chain hangs on a ball joint and is let go from the horizontal, without damping: by how much its energy is off at the end is told too. The
walker is scenes/quadruped.toml; MuJoCo reads the same URDF, is given a floor and position servos of 30 N m on the same motion. Only
processor time inside steps counts: drystone's own timers, which are of the clock, are scaled by the processor time of its process.
"""

import json
import math
import re
import resource
import subprocess
import sys
import time
from pathlib import Path

import mujoco

HERE = Path(__file__).resolve().parent
SCENES = HERE.parent.parent / "scenes"
LENGTH, RADIUS, DENSITY, STEP = 0.1, 0.01, 2000.0, 1e-3


def chain_for_drystone(links):
    text = f"""dimension = 3
gravity = [0, 0, -9.81]
[time]
step = {STEP}
end = 10
[solver]
tolerance = 1e-8
[output]
frame_interval = 1000
[[material]]
name = "steel"
density = {DENSITY}
[default_law]
friction = 0
"""
    for i in range(links):
        to = f'to = "link {i - 1}"' if i else ""
        text += f"""[[body]]
name = "link {i}"
material = "steel"
shape = {{ sphere = {RADIUS} }}
position = [{LENGTH * (i + 0.5)}, 0, 0]
[[joint]]
kind = "ball"
body = "link {i}"
{to}
point = [{LENGTH * i}, 0, 0]
"""
    return text


def chain_for_mujoco(links):
    text, end = "", ""
    for i in range(links):
        text += f'<body pos="{LENGTH if i else 0} 0 0"><joint type="ball"/>'
        text += f'<geom type="sphere" size="{RADIUS}" pos="{LENGTH / 2} 0 0" density="{DENSITY}"'
        text += ' contype="0" conaffinity="0"/>'
        end += "</body>"
    return f"""<mujoco><option timestep="{STEP}" integrator="implicitfast"><flag energy="enable"/></option>
<size memory="200M"/><worldbody>{text}{end}</worldbody></mujoco>"""


def walkers_for_drystone(count):
    head, robot = (SCENES / "quadruped.toml").read_text().split("[[robot]]")
    head = head.replace('track = ["dog/trunk"]', "").replace("frame_interval = 0.02", "frame_interval = 1000")
    text, side = head, math.isqrt(count - 1) + 1
    for i in range(count):
        place = f"position = [{1.5 * (i % side)}, {1.5 * (i // side)},"
        own = robot.replace('name = "dog"', f'name = "dog {i}"', 1).replace("position = [0, 0,", place)
        own = own.replace("robots/quadruped.urdf", str(SCENES / "robots/quadruped.urdf"))
        text += "[[robot]]" + own
    return text


def walkers_for_mujoco(count):
    spec = mujoco.MjSpec()
    spec.option.timestep = STEP
    spec.option.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    spec.option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
    spec.memory = 1 << 30
    spec.worldbody.add_geom(type=mujoco.mjtGeom.mjGEOM_PLANE, size=[100, 100, 1], friction=[0.8, 0, 0])
    side = math.isqrt(count - 1) + 1
    # Products of inertia are needed there.
    urdf = (SCENES / "robots/quadruped.urdf").read_text()
    urdf = re.sub(r'(<inertia (?:(?!ixy)[^>])*)/>', r'\1 ixy="0" ixz="0" iyz="0"/>', urdf)
    for i in range(count):
        own = mujoco.MjSpec.from_string(urdf)
        for geom in own.geoms:
            geom.friction = [0.8, 0, 0]
        for joint in [joint for joint in own.joints if joint.type == mujoco.mjtJoint.mjJNT_HINGE]:
            actuator = own.add_actuator(name=joint.name, target=joint.name, trntype=mujoco.mjtTrn.mjTRN_JOINT)
            actuator.set_to_position(kp=300, kv=3)
            actuator.forcerange, actuator.forcelimited = [-30, 30], True
        place = [1.5 * (i % side), 1.5 * (i // side), 0.32593687491386387]
        frame = spec.worldbody.add_frame(pos=place)
        root = own.worldbody.first_body()
        if not list(root.joints):
            root.add_freejoint()
        spec.attach(own, frame=frame, prefix=f"{i} ")
    return spec.compile()


def drystone(program, text, work, seconds):
    scene, out = work / "scene.toml", work / "run"
    scene.write_text(text)
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    subprocess.run(
        [program, "run", scene, "-o", out, "-f", "-t", "1", "-u", str(seconds), "--no-pictures", "-q"],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )
    spent = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
    summary = json.loads((out / "summary.json").read_text())
    stages = {name: value for name, value in summary["stages"].items() if name != "record"}
    share = spent / summary["wall_seconds"]
    whole = sum(stages.values())
    steps = round(seconds / STEP)
    parts = sorted(((value / whole, name) for name, value in stages.items()), reverse=True)[:3]
    told = ", ".join(f"{name} {part:.0%}" for part, name in parts)
    return whole * share / steps, told


def in_mujoco(model, steps, start=None, control=None):
    data = mujoco.MjData(model)
    if start is not None:
        start(model, data)
    mujoco.mj_forward(model, data)
    energy = data.energy.sum()
    before = time.process_time()
    for _ in range(steps):
        if control is not None:
            control(model, data)
        mujoco.mj_step(model, data)
    spent = (time.process_time() - before) / steps
    mujoco.mj_forward(model, data)
    return spent, data.energy.sum() - energy, data


def bend(angle):
    def put(model, data):
        for i in range(model.njnt):
            name = mujoco.mj_id2name(model, mujoco.mjtObj.mjOBJ_JOINT, i) or ""
            at = model.jnt_qposadr[i]
            if name.endswith("hip"):
                data.qpos[at] = angle
            elif name.endswith("knee"):
                data.qpos[at] = -2 * angle
    return put


def follow():
    kinds = []

    def control(model, data):
        if not kinds:
            names = [mujoco.mj_id2name(model, mujoco.mjtObj.mjOBJ_ACTUATOR, i) for i in range(model.nu)]
            kinds.extend(1 if n.endswith("hip") else -2 if n.endswith("knee") else 0 for n in names)
        angle = 0.8 - 0.1 * math.cos(4 * math.pi * data.time)
        data.ctrl[:] = [kind * angle for kind in kinds]

    return control


def main():
    program, work = sys.argv[1], Path(sys.argv[2])
    rounds = int(sys.argv[3]) if len(sys.argv) > 3 else 3
    work.mkdir(parents=True, exist_ok=True)
    chain = mujoco.MjModel.from_xml_string(chain_for_mujoco(100))
    for turn in range(rounds):
        ours, parts = drystone(program, chain_for_drystone(100), work, 0.5)
        theirs, drift, _ = in_mujoco(chain, 500)
        print(f"chain of 100: {1e3 * ours:.3f} ms ({parts}), MuJoCo {1e3 * theirs:.3f} ms, its energy off by {drift:.2e} J")
        for count, seconds in [(1, 0.5), (200, 0.02)]:
            ours, parts = drystone(program, walkers_for_drystone(count), work, seconds)
            model = walkers_for_mujoco(count)
            theirs, _, data = in_mujoco(model, round(seconds / STEP), bend(0.7), follow())
            print(f"{count} walkers: {1e3 * ours:.3f} ms ({parts}), MuJoCo {1e3 * theirs:.3f} ms with {data.ncon} contacts", flush=True)


main()
