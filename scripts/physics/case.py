"""Cases: their random parameters, the scene, and the checks that a run must pass."""

import math
import random
from dataclasses import dataclass, field
from typing import Callable

from . import vectors as vec

G = 9.80665  # [m/s^2]

# Integrators by name: the order of their error, and whether they damp modes too fast for the step. A new one is added
# here. "" leaves the scene's default, and is judged as of first order. Kinds that can be quasi-static draw that too.
INTEGRATORS = {"": (1, True), "implicit_euler": (1, True), "implicit_newmark": (2, False), "bdf2": (2, True),
               "bdf2_restarted": (2, True)}

KINDS_OF_BODY = ("rigid", "affine", "deformable")
TOLERANCE = 0.03
GAP_TOLERANCE = 0.06  # tolerance where gaps between surfaces enter the measured quantity
STICK_SPEED = 1e-4  # in sqrt(g size): a slower mean speed counts as standing


@dataclass
class Check:
    """One measured quantity: off by `error` (relative), allowed up to `tolerance`."""
    name: str
    value: float
    expected: float
    error: float
    tolerance: float = TOLERANCE

    def is_ok(self):
        return self.error <= self.tolerance


def near(name, value, expected, tolerance=TOLERANCE, scale=None):
    """Checks that two numbers agree; the error is relative to `scale`, or to the expected value."""
    return Check(name, value, expected, abs(value - expected) / (abs(expected) if scale is None else scale), tolerance)


def near_vector(name, value, expected, tolerance=TOLERANCE, scale=None):
    """Checks that two vectors agree; reports their lengths."""
    length = vec.norm(expected)
    error = vec.norm(vec.sub(value, expected)) / (length if scale is None else scale)
    return Check(name, vec.norm(value), length, error, tolerance)


def at_most(name, value, bound, scale):
    """Checks that `value` stays below `bound`; the error is its excess relative to `scale`."""
    return Check(name, value, bound, max(0.0, value - bound) / scale, 0.0)


@dataclass
class Case:
    name: str
    parameters: dict
    scene: dict
    measure: Callable  # from a run to a list of checks
    unresolved: list = field(default_factory=list)  # reasons why the case is not resolved; none: resolved
    peer: bool = False  # True if the other engines can express it
    files: dict = field(default_factory=dict)  # meshes beside the scene file: text by name


class Draw(random.Random):
    """Random parameters of one case, remembered by name. The same name of a case gives the same parameters."""

    def __init__(self, seed, kind, index, integrator=None):
        super().__init__(f"{seed} {kind} {index}")
        self.only_integrator = integrator
        self.name = f"{kind}-{index}"
        self.parameters = {}
        self.unresolved = []

    def note(self, name, value):
        self.parameters[name] = value
        return value

    def log(self, name, low, high):
        value = math.exp(self.uniform(math.log(low), math.log(high)))
        return self.note(name, min(high, max(low, float(f"{value:.4g}"))))

    def between(self, name, low, high):
        return self.note(name, float(f"{self.uniform(low, high):.4g}"))

    def whole(self, name, low, high):
        return self.note(name, self.randint(low, high))

    def pick(self, name, choices):
        return self.note(name, self.choice(list(choices)))

    def chance(self, probability):
        return self.random() < probability

    # --- what most cases draw ---

    def size(self, low=1e-3, high=100.0):
        return self.log("size", low, high)

    def body_kind(self, kinds=KINDS_OF_BODY):
        return self.pick("body", kinds)

    def integrator(self, more=()):
        drawn = self.pick("integrator", (*INTEGRATORS, *more))
        return drawn if self.only_integrator is None else self.note("integrator", self.only_integrator)

    def order(self):
        return INTEGRATORS.get(self.parameters["integrator"], (2, True))[0]

    def damps(self):
        return INTEGRATORS.get(self.parameters["integrator"], (2, True))[1]

    def density(self):
        return self.log("density", 300.0, 8000.0)

    def young(self, pressure, unresolved=0.15):
        """Draws E from where `pressure` strains by 1e-3 (sometimes 1e-2: not resolved) to 1e12 Pa."""
        most = 1e-2 if self.chance(unresolved) else 1e-3
        young = self.log("young", max(1e4, min(1e11, pressure / most)), 1e12)
        self.needs("rho g L / E", pressure / young, 1e-3)
        return young

    def times(self, scale, cycles=(2.0, 4.0), most=160, least=40):
        """Draws h, number of steps and duration: some `cycles` of the natural time `scale` [s] within 1 ms <= h <= 50
        ms.

        Most cases get `least` steps or more; for the others h is too long. The number of steps is even, so that half
        the time is a frame.
        """
        duration = scale * self.uniform(*cycles)
        count = math.exp(self.uniform(math.log(least if self.chance(0.85) else 6), math.log(most)))
        h = float(f"{min(0.05, max(1e-3, duration / count)):.3g}")
        return self.steps(h, max(4, min(most, duration / h)), least)

    def steps(self, h, count, least=40):
        """Takes h and the (even) number of steps as they are."""
        self.h = self.note("h", h)
        self.count = self.note("steps", 2 * math.ceil(count / 2 - 1e-9))
        self.duration = self.h * self.count
        if self.count < least:
            self.unresolved.append(f"{self.count} steps")
        return self.duration

    def needs(self, what, value, bound):
        """The case is resolved only if `value` is at most `bound`."""
        if value > bound * 1.0001:
            self.unresolved.append(f"{what} = {value:.2g}")

    def needs_turning(self, rate, angle, growth=1.0):
        """The case is resolved only if omega h <= 0.1, and the loss of a rotation at first order is at most 1 %.

        A point x on a circle that is stepped to the circle's point nearest to 2 x_n - x_(n-1) turns by phi - phi^3
        after a turn by phi: omega loses omega^3 h a second, in all its share rate h angle [rad] at one rate; `growth`
        times that if it changes.
        """
        self.needs("omega h", rate * self.h, 0.1)
        if self.order() < 2:
            self.needs("loss of first order", rate * self.h * angle * growth, 0.01)

    def direction(self, name):
        """Draws a random direction."""
        y, angle = self.uniform(-1, 1), self.uniform(0, 2 * math.pi)
        r = math.sqrt(1 - y * y)
        return self.note(name, tuple(round(c, 4) for c in (r * math.cos(angle), y, r * math.sin(angle))))
