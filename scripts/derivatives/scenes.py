"""What the scenes of the cases share."""

from collections.abc import Callable
from dataclasses import dataclass, field

from derivatives.number import value_of


@dataclass
class Problem:
    """A scene, whose numbers may carry derivatives, and what is measured in its run."""
    scene: dict
    measure: Callable
    steps: int | None = None
    # Functions that write a file beside the scene, by its name.
    files: dict = field(default_factory=dict)


def scene_of(bodies, probes, *, integrator, step=1.0, steps=1, gravity=(0.0, 0.0, 0.0), **others):
    time = {"step": value_of(step), "duration": value_of(step) * steps, "integrator": integrator}
    time.update(others.pop("time", {}))
    return {"time": time, "gravity": list(gravity), "bodies": bodies,
            "output": {"probes": probes, "frame_interval": 1000000}, **others}


def static_scene(bodies, probes, **others):
    """Returns a scene of one static step without contact."""
    return scene_of(bodies, probes, integrator="quasi_static", **{"contact": {"enabled": False}, **others})


def position(name, body, **where):
    return {"name": name, "kind": "position", "body": body, **where}


def velocity(name, body, **where):
    return {"name": name, "kind": "velocity", "body": body, **where}


def gap(name, first, second="half_spaces[0]"):
    return {"name": name, "kind": "gap", "bodies": [first, second]}


def side(low, high):
    """Returns a region between corners as shares of the body's box, which stays where it is when the body's size
    changes."""
    return {"box": [low, high], "frame": "body"}


def held(region, *axes, **motion):
    """Returns a motion that holds or moves the given axes of a region, all if none are given."""
    components = [axis in axes for axis in "xyz"] if axes else [True, True, True]
    return {"region": region, "components": components, **motion}


def contact_of(dhat, **others):
    """Returns contact with a distance that does not depend on the sizes of bodies."""
    return {"dhat": dhat, "dhat_is_absolute": True, **others}


def finer(scheme, step, steps, factor):
    """Returns step and number of steps: shorter ones where the continuum is the reference."""
    return (value_of(step) / factor, steps * factor) if scheme == "continuum" else (value_of(step), steps)
