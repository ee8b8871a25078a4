"""Random problems: what an engineer would choose, and what theory then says."""

import math
from dataclasses import dataclass, field
from typing import Callable

from physics.case import Draw as RandomParameters

# Names of warnings that count, by what may be wrong with a number.
BENDING = ("coarse_elements", "large_rotation")
STATICS = (*BENDING, "no_equilibrium")
STATIC_CONTACT = (*STATICS, "contact_gap")
MOTION = ("energy_lost", "energy_gained", "coarse_step", "coarse_turn")
IMPACT = (*MOTION, "impact_unresolved")
FRICTION = (*IMPACT, "coarse_friction_step", "contact_gap")
ROLLING = (*FRICTION, "faceted_rolling")

FORMULATIONS = (None, None, None, None, None, None, "convergent", "gcp")
ORDERS = (0, 0, 0, 1, 2)
POISSON_RATIOS = (0.0, 0.2, 0.3, 0.3, 0.35, 0.45, 0.49)


@dataclass
class Problem:
    scene: dict
    expected: float
    measure: Callable  # from a Run to the number
    doubts: tuple  # names of warnings that fit the cause of an error
    parameters: dict = field(default_factory=dict)
    scale: float = 0.0  # what errors are relative to; 0: the expected number
    tolerance: float = 0.05
    also: tuple = ()  # further problems of the same scene: other numbers that its probes are read for

    def error(self, value):
        return abs(value - self.expected) / (self.scale or abs(self.expected))


class Draw(RandomParameters):
    """Random parameters of the problem with a seed. `is_fine`: the same problem with careful settings instead of those
    drawn, which tells errors of the theory from those of the defaults."""

    def __init__(self, seed, kind, is_fine=False):
        super().__init__(seed, kind, 0)
        self.is_fine = is_fine

    def length(self, low=1e-3, high=10.0):
        return self.log("length", low, high)

    def young(self, low=1e5, high=2e11):
        return self.log("young", low, high)

    def poisson(self):
        return self.pick("poisson", POISSON_RATIOS)

    def density(self):
        return self.log("density", 500.0, 9000.0)

    def order(self):
        """Draws the order of elements; returns what belongs into the body: nothing if the user gives none."""
        order = self.pick("order", ORDERS)
        if self.is_fine:
            order = 3 if self.parameters.get("poisson", 0) > 0.4 else 2
        return {"order": order} if order else {}

    def cells(self, name, low, high, fine=1.5):
        """Draws a number of cells; fine ones are `fine` times as many."""
        count = self.whole(name, low, high)
        return math.ceil(max(count, (low + high) / 2) * fine) if self.is_fine else count

    def contact(self, **more):
        """Draws the formulation of contact, mostly none; returns the scene's `contact`, if it has any."""
        formulation = self.pick("formulation", FORMULATIONS)
        contact = {"formulation": formulation} if formulation else {}
        if self.is_fine:
            contact["dhat"] = 3e-5
        contact.update(more)
        return {"contact": contact} if contact else {}

    def static_time(self, counts=(1, 1, 2, 5, 10), fine=10):
        """Draws the number of steps in which loads grow with t from 0 to 1."""
        self.count = self.pick("steps", counts)
        if self.is_fine:
            self.count = max(self.count, fine)
        return {"step": 1 / self.count, "duration": 1.0, "integrator": "quasi_static"}

    def time(self, duration, least=8, most=400, fine=800):
        """Draws a round step for about this duration; `end` becomes the time at the end of the last step."""
        wanted = duration / math.exp(self.uniform(math.log(least), math.log(most)))
        if self.is_fine:
            wanted = min(wanted, duration / fine)
        decade = 10.0 ** math.floor(math.log10(wanted))
        self.h = self.note("h", float(f"{max(f for f in (1, 2, 5) if f * decade <= wanted * 1.0001) * decade:.3g}"))
        self.end = self.h * math.ceil(duration / self.h - 1e-9)
        time = {"step": self.h, "duration": self.end}
        integrator = self.pick("integrator", (None, None, None, None, None, "implicit_euler", "bdf2_restarted"))
        if integrator and not self.is_fine:
            time["integrator"] = integrator
        return time

    def material(self, young, poisson, density=None):
        return {"youngs_modulus": young, "poisson_ratio": poisson, "density": density or self.density()}

    def problem(self, scene, expected, measure, doubts, scale=0.0, tolerance=0.05, also=()):
        """Takes the scene without settings of output that only cost time."""
        scene["output"].setdefault("frame_interval", 1000000)
        scene["output"].setdefault("checkpoint_interval", 1000000)
        return Problem(scene, expected, measure, doubts, self.parameters, scale, tolerance, also)


def face(axis, end, thin=1e-3):
    """Returns the region of nodes at the lower (0) or upper (1) end of a body's box along an axis."""
    low, high = [-1.0] * 3, [2.0] * 3
    low[axis], high[axis] = end - thin, end + thin
    return {"box": [low, high], "frame": "body"}


def node_at(*fractions, thin=1e-4):
    """Returns the region of the node at a place in a body's box."""
    at = [*fractions, 0.0][:3] if len(fractions) == 2 else list(fractions)
    wide = [thin, thin, 1.0 if len(fractions) == 2 else thin]
    return {"box": [[a - w for a, w in zip(at, wide)], [a + w for a, w in zip(at, wide)]], "frame": "body"}


def held(region, *axes):
    """Returns a motion that holds the nodes of a region along some axes, or all."""
    motion = {"region": region}
    if axes:
        motion["components"] = [axis in axes for axis in range(3)]
    return motion


def moved(region, displacement, *axes):
    return {**held(region, *axes), "displacement": [f"{d:.12g} * t" if d else "0" for d in displacement]}


def growing(kind, value, region=None):
    """Returns a load that grows with t from 0 to 1."""
    load = {"kind": kind, "expression": [f"{v:.12g} * t" if v else "0" for v in value]}
    return {**load, "region": region} if region else load


def position(name, body, **where):
    return {"name": name, "body": body, **where}

