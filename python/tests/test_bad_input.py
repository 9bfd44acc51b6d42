"""Nothing that a user passes ends the interpreter: a clear exception each."""

import drystone
import numpy as np
import pytest
from drystone.scene import Scene
from scenes import FALLING, HEAD, RESTING, SPACE

Invalid, Unknown = drystone.InvalidValueError, drystone.UnknownNameError


def resting():
    return drystone.Simulation(RESTING)


def setting(name, value, scene=RESTING):
    return lambda: setattr(drystone.Simulation(scene), name, value)


def calling(name, *values, scene=RESTING, **named):
    return lambda: getattr(drystone.Simulation(scene), name)(*values, **named)


def closed(use):
    def act():
        simulation = resting()
        simulation.close()
        use(simulation)

    return act


def grains(*arguments, **named):
    return lambda: Scene.from_toml(HEAD).add_grains(*arguments, **{"material": "stone", **named})


E2 = np.eye(2)
CASES = {
    "scene is a number": (lambda: drystone.Simulation(3), Invalid, "expected the path"),
    "scene is None": (lambda: drystone.Simulation(None), Invalid, "expected the path"),
    "no such file": (lambda: drystone.Simulation("absent.toml"), drystone.SceneError, "absent.toml"),
    "not TOML": (lambda: drystone.Simulation("a = = 1"), drystone.SceneError, "not TOML"),
    "misspelt key": (lambda: drystone.Simulation("gravty = 1\n" + HEAD), drystone.SceneError, "gravity"),
    "empty text": (lambda: drystone.Simulation("\n"), drystone.SceneError, "dimension"),
    "override of nothing": (lambda: drystone.Simulation(RESTING, overrides={"a.b": 1}), drystone.SceneError, "a"),
    "override is a list": (lambda: drystone.Simulation(RESTING, overrides=[1]), Invalid, "dictionary"),
    "override is an object": (lambda: drystone.Simulation(RESTING, overrides={"seed": object()}), Invalid, "object"),
    "threads below zero": (lambda: drystone.Simulation(RESTING, threads=-1), OverflowError, "."),
    "wrong shape": (setting("velocities", np.zeros((3, 2))), Invalid, r"shape \(3, 2\); expected \(2, 2\)"),
    "flat array": (setting("positions", np.zeros(4)), Invalid, r"shape \(4,\)"),
    "in space of the plane": (setting("positions", np.zeros((2, 2)), SPACE), Invalid, r"expected \(2, 3\)"),
    "nan": (setting("positions", [[0, np.nan], [0, 0]]), Invalid, "finite"),
    "infinite": (setting("velocities", [[0, np.inf], [0, 0]]), Invalid, "finite"),
    "complex": (setting("velocities", np.zeros((2, 2), complex)), Invalid, "complex128"),
    "texts": (setting("velocities", [["1", "2"], ["3", "4"]]), Invalid, "real numbers"),
    "objects": (setting("forces", [[None, 1], [2, 3]]), Invalid, "real numbers"),
    "ragged": (setting("forces", [[1, 2], [3]]), Invalid, "array of numbers"),
    "booleans": (setting("forces", np.ones((2, 2), bool)), Invalid, "bool"),
    "zero quaternion": (setting("rotations", np.zeros((2, 4)), SPACE), Invalid, "quaternion"),
    "one zero quaternion": (calling("set_rotation", 0, [0, 0, 0, 0], scene=SPACE), Invalid, "quaternion"),
    "masses cannot be set": (setting("masses", [1, 1]), AttributeError, "."),
    "position of two in space": (calling("set_position", 0, [1, 2], scene=SPACE), Invalid, "3 in space"),
    "velocity nan": (calling("set_velocity", 0, [np.nan, 0]), Invalid, "NaN; expected finite"),
    "no such body": (calling("set_velocity", "hihg", [0, 0]), Unknown, "did you mean `high`"),
    "body number too large": (calling("set_force", 2, [0, 0]), Invalid, "."),
    "negative body": (calling("set_force", -1, [0, 0]), Invalid, "."),
    "body is a list": (calling("set_force", [0], [0, 0]), TypeError, "."),
    "no such boundary": (calling("boundary", "flor"), Unknown, "did you mean `floor`"),
    "motion of three": (calling("set_boundary_motion", "floor", [0, 0, 1]), Invalid, "2 in the plane"),
    "motion nan": (calling("set_boundary_motion", "floor", [0, np.nan]), Invalid, "NaN; expected finite"),
    "load on what is fixed": (calling("set_boundary_load", "floor", 1.0), Invalid, "."),
    "steps below zero": (calling("step", -1), Invalid, "0 or more"),
    "steps is a text": (calling("step", "2"), TypeError, "."),
    "until nan": (calling("run", until=np.nan), Invalid, "expected a time"),
    "every zero": (calling("run", every=0, callback=print), Invalid, "from 1 on"),
    "every half": (calling("run", every=0.5, callback=print), Invalid, "from 1 on"),
    "callback is a number": (calling("run", callback=3), Invalid, "function"),
    "end nan": (setting("end", np.nan), Invalid, "finite"),
    "record into a file": (calling("record", __file__), drystone.RecordError, "."),
    "closed: step": (closed(lambda s: s.step()), drystone.ClosedError, "closed"),
    "closed: no step": (closed(lambda s: s.step(0)), drystone.ClosedError, "closed"),
    "closed: positions": (closed(lambda s: s.positions), drystone.ClosedError, "closed"),
    "closed: set": (closed(lambda s: s.set_force(0, [0, 0])), drystone.ClosedError, "closed"),
    "closed: run": (closed(lambda s: s.run()), drystone.ClosedError, "closed"),
    "closed: view": (closed(lambda s: s.view()), drystone.ClosedError, "closed"),
    "closed: checkpoint": (closed(lambda s: s.checkpoint()), drystone.ClosedError, "closed"),
    "damaged checkpoint": (lambda: drystone.Simulation.load(b"nothing"), Invalid, "damaged"),
    "empty checkpoint": (lambda: drystone.Simulation.load(b""), Invalid, "damaged"),
    "checkpoint cut off": (lambda: drystone.Simulation.load(resting().checkpoint()[:-9]), Invalid, "damaged"),
    "no such run": (lambda: drystone.read("absent"), drystone.RecordError, "absent"),
    "W is not square": (lambda: drystone.solve(np.ones((2, 3)), [1, 2], [0.3]), Invalid, r"expected \(2, 2\)"),
    "W of texts": (lambda: drystone.solve([["a", "b"], ["c", "d"]], [1, 2], [0.3]), Invalid, "real numbers"),
    "W nan": (lambda: drystone.solve(E2 * np.nan, [1, 2], [0.3]), Invalid, "finite"),
    "mu negative": (lambda: drystone.solve(E2, [1, 2], [-0.3]), Invalid, "zero or more"),
    "mu empty": (lambda: drystone.solve(E2, [1, 2], []), Invalid, "."),
    "mu without dimension": (lambda: drystone.solve(E2, [1, 2], 0.3), Invalid, "dimension=2 or 3"),
    "dimension 4": (lambda: drystone.solve(np.eye(4), np.ones(4), [0.3], dimension=4), Invalid, "2 or 3"),
    "q missing": (lambda: drystone.solve(E2), Invalid, "missing"),
    "no such solver": (lambda: drystone.solve(E2, [1, 2], [0.3], solver="newtn"), Unknown, "newton"),
    "tolerance zero": (lambda: drystone.solve(E2, [1, 2], [0.3], tolerance=0), Invalid, "positive"),
    "no time at all": (lambda: drystone.solve(E2, [1, 2], [0.3], seconds=0), Invalid, "seconds"),
    "page without a record": (calling("show"), Unknown, "record"),
    "start too short": (lambda: drystone.solve(E2, [1, 2], [0.3], start=[1]), Invalid, "start"),
    "no such problem": (lambda: drystone.solve("absent.hdf5"), drystone.RecordError, "absent"),
    "grains of a wrong shape": (grains([[0, 0, 0]], 1), Invalid, r"expected \(n, 2\)"),
    "grains without radius": (grains([[0, 0]], [0.0]), Invalid, "positive"),
    "grains nan": (grains([[0, np.nan]], 1), Invalid, "finite"),
    "radii too many": (grains([[0, 0]], [1, 2]), Invalid, r"expected \(1,\)"),
    "scene of a misspelt key": (lambda: Scene.from_toml("gravty = 1"), drystone.SceneError, "did you mean `gravity`"),
    "scene without time": (lambda: Scene.from_toml("dimension = 2"), drystone.SceneError, "time"),
    "ensemble of nothing": (lambda: drystone.ensemble(RESTING, folder="x"), Invalid, "either vary"),
    "ensemble of a text": (lambda: drystone.ensemble(RESTING, {"seed": "12"}, folder="x"), Invalid, "a list"),
    "ensemble with jobs below zero": (lambda: drystone.ensemble(RESTING, {}, folder="x", jobs=-1), Invalid, "jobs"),
}


@pytest.mark.parametrize("case", CASES)
def test_bad_input_is_told(case, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    act, kind, text = CASES[case]
    with pytest.raises(kind, match=text) as caught:
        act()
    assert not isinstance(caught.value, drystone.InternalError)
    assert type(caught.value).__name__ != "PanicException"


def test_nothing_is_changed_by_what_is_refused():
    simulation = resting()
    before = simulation.state_hash
    for name, value in (("positions", [[0, 1], [0, np.nan]]), ("velocities", np.zeros((1, 2)))):
        with pytest.raises(Invalid):
            setattr(simulation, name, value)
    assert simulation.state_hash == before
    simulation.step()


def test_scene_errors_have_the_text_of_the_program():
    with pytest.raises(drystone.SceneError) as caught:
        drystone.Simulation(FALLING.replace("disk = 0.1", "disk = -1").replace("density", "densty"))
    text = str(caught.value)
    assert "densty" in text and "-1" in text and "expected" in text
    assert isinstance(caught.value, ValueError)
