"""A recorded run: read, measured, and plotted."""

import sys
from pathlib import Path

import drystone
import numpy as np

folder = Path(sys.argv[1] if len(sys.argv) > 1 else "runs/read")
with drystone.Simulation("scenes/bouncing_ball.toml") as simulation:
    simulation.record(folder, force=True, pictures=False)
    simulation.run()
    simulation.finish()

run = drystone.read(folder)
heights = np.array([frame["position"][:, 1] for frame in run])
print(run, run.verdict)
print("arrays of a frame:", ", ".join(run[0]))
ledger = run.ledger
print("energy at the end:", float(np.asarray(ledger["kinetic"])[-1] + np.asarray(ledger["potential"])[-1]), "J")
try:
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
except ImportError:
    sys.exit()
plt.plot(run.times, heights)
plt.xlabel("time in s")
plt.ylabel("height in m")
plt.savefig(folder / "heights.png", dpi=100)
