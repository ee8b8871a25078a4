"""Measures what derivatives in reverse mode cost beside the run, and what memory they take beside their budget."""

import os
import time
import warnings

from derivatives.reverse import import_module

# A recorded run beside a plain one; the backward pass as a share of the run where steps take many iterations, else in
# iterations of Newton's method.
MOST_RECORD, MANY, MOST_SHARE, MOST_ITERATIONS = 1.1, 8.0, 0.15, 1.3
# Share of the memory of all states that the run with a budget may take.
BUDGET = 0.4
REPEATS = 2


def scene(bodies, duration, **others):
    return {"time": {"step": 0.01, "duration": duration}, "friction": {"coefficient": 0.3}, "bodies": bodies, **others}


def soft_box(resolution, order):
    return {"name": "body", "generator": {"kind": "box", "size": [0.1] * 3, "resolution": [resolution] * 3},
            "order": order, "material": {"youngs_modulus": 1e5}, "linear_velocity": [0.5, -1, 0.2],
            "transform": {"translation": [0, 0.08, 0], "rotation": [10, 0, 20]}}


def pile(kind):
    return [{"name": f"body {k}", "kind": kind, "generator": {"kind": "box", "size": [0.1] * 3},
             "transform": {"translation": [0.03 * k % 0.09, 0.09 + 0.16 * k, 0.02 * k % 0.06],
                           "rotation": [7 * k, 11 * k, 5 * k]}} for k in range(8)]


def scenes():
    """Returns the scenes by name, with their number of steps."""
    floor = {"half_spaces": [{"point": [0, 0, 0], "normal": [0, 1, 0]}]}
    sheet = {"name": "body", "kind": "shell", "thickness": 0.001, "material": {"youngs_modulus": 1e6, "density": 300},
             "generator": {"kind": "sheet", "size": [0.4, 0.4], "resolution": [12, 12]},
             "transform": {"translation": [0, 0.13, 0]}}
    ball = {"name": "ball", "kind": "obstacle", "generator": {"kind": "sphere", "size": [0.1]},
            "transform": {"translation": [0.02, 0, 0.01]}}
    def turn(x, speed):
        return {"region": {"frame": "body", "box": [[x - 0.001, -0.01, -0.01], [x + 0.001, 1.01, 1.01]]},
                "angular_velocity": [speed, 0, 0]}
    mat = {"name": "body", "generator": {"kind": "mat", "size": [1, 0.025, 1], "resolution": [16, 1, 16]},
           "material": {"density": 1000, "youngs_modulus": 2e4, "poisson_ratio": 0.4},
           "motions": [turn(0, 72), turn(1, -72)]}
    twist = {"gravity": [0, 0, 0], "time": {"step": 0.08, "duration": 0.8}, "bodies": [mat]}
    return {"solid": scene([soft_box(8, 1)], 0.3, **floor), "order 2": scene([soft_box(3, 2)], 0.3, **floor),
            "shell": scene([sheet, ball], 0.15), "rigid": scene(pile("rigid"), 0.4, **floor),
            "affine": scene(pile("affine"), 0.4, **floor), "twist": twist}


def timed(call):
    """Returns the least processor time [s] of some calls, and the last result."""
    least = float("inf")
    for _ in range(REPEATS):
        start = time.process_time()
        result = call()
        least = min(least, time.process_time() - start)
    return least, result


def measure(clearance, numpy, name, data):
    """Prints the costs of a scene and returns what is off."""
    made = clearance.Scene(**data)

    def run():
        with clearance.Simulation(made, threads=1) as simulation:
            iterations = []
            while not simulation.done:
                iterations.append(simulation.step().newton_iterations)
        return numpy.mean(iterations)

    of_run, iterations = timed(run)
    of_record, recording = timed(lambda: clearance.record(made))
    seed = numpy.random.default_rng(0).standard_normal(recording.positions().shape)
    of_backward, found = timed(lambda: recording.backward(seed))
    budget = BUDGET * recording.peak_mb
    few = clearance.record(made, budget_mb=budget)
    again = few.backward(seed)
    record, share = of_record / of_run, of_backward / of_run
    off = []
    if record > MOST_RECORD:
        off.append("record")
    if share > MOST_SHARE if iterations >= MANY else share * iterations > MOST_ITERATIONS:
        off.append("backward")
    if few.peak_mb > budget:
        off.append("memory")
    if not all(numpy.array_equal(getattr(found, key), getattr(again, key), equal_nan=True)
               for key in ("start_velocities", "shape", "lame_mu")):
        off.append("bits with a budget")
    print(f"{name:8} {recording.steps:5} {iterations:6.1f} {of_run:8.2f} {record:7.2f} {share:9.3f} "
          f"{share * iterations:10.2f} {recording.peak_mb:8.2f} {few.peak_mb:7.2f} {budget:7.2f} "
          f"{few.kept_steps:4}  {'OFF: ' + ', '.join(off) if off else 'OK'}", flush=True)
    return [f"{name}: {what}" for what in off]


def bench(only=None):
    """Prints all costs. Returns the exit status: 1 if one is off."""
    # On one processor, so that no waiting thread counts.
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    clearance, numpy = import_module()
    print(f"{'scene':8} {'steps':>5} {'iter.':>6} {'run [s]':>8} {'record':>7} {'backward':>9} {'iterations':>10} "
          f"{'all [MB]':>8} {'few':>7} {'budget':>7} {'kept':>4}")
    off = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name, data in scenes().items():
            if not only or only in name:
                off += measure(clearance, numpy, name, data)
    if off:
        print("off: " + "; ".join(off))
    return 1 if off else 0
