#!/usr/bin/env python3
"""Robots beside MuJoCo's C library: `./dev bench robots`.

Each model of Debian's libmujoco-samples, of examples/robots and of benchmarks/robots is read by MuJoCo and converted.
Compared are, for every body: mass, centre and inertia in the start pose, and its acceleration there with a control of 0.5
at every actuator; and for every hinge and slider: the force that holds it in the start pose. Contacts are off on both
sides, and so is, in MuJoCo, what models of Clearance do not have. --write stores the table in docs/robot_models.md.
"""

import argparse
import json
import re
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path

import numpy as np

from bench_common import ROOT, table, write_between_markers
from physics import vectors

SAMPLES = Path("/usr/share/mujoco/model")
# Other files of the folder are parts of these.
SAMPLE_NAMES = ["adhesion/active_adhesion", "composite/cloth", "composite/grid2pin", "composite/loop", "composite/particle",
                "composite/rope", "composite/softbox", "flag/flag", "hammock/hammock", "humanoid/22_humanoids", "humanoid/humanoid",
                "humanoid100/humanoid100", "mug/mug", "slider_crank/slider_crank", "tendon_arm/arm26"]
STEP = 1e-5  # [s] accelerations are differences of velocities over a step
STIFFNESS = 1e18  # [Pa]
TOLERANCE = 5e-3  # bodies between several joints of a body weigh a thousandth of it each
# Numbers that differ for a reason, which docs/robot_models.md gives.
EXPLAINED = {"mug": ("mass", "centre", "inertia"), "differential": ("acceleration",)}
TO_SCENE = np.array([[1.0, 0, 0], [0, 0, 1], [0, -1, 0]])  # z up becomes y up


def models():
    found = [SAMPLES / f"{name}.xml" for name in SAMPLE_NAMES]
    found += sorted((ROOT / "examples/robots").glob("*.urdf"))
    return found + sorted(path for path in (ROOT / "benchmarks/robots").iterdir() if path.suffix in (".urdf", ".xml"))


def convert(program, model, folder):
    """Returns the scene of a model."""
    path = folder / "scene.json"
    done = subprocess.run([program, "convert", model, "-o", path, "--overwrite"], capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(done.stderr)
    return json.loads(path.read_text(encoding="utf-8"))


def body_numbers(body):
    """Returns mass, centre and inertia of a body of a scene, in the axes of the scene."""
    transform = body["transform"]
    turn = np.array(vectors.euler(transform["rotation"]))
    moments, (xy, xz, yz) = body["inertia"]["moments"], body["inertia"]["products"]
    inertia = np.array([[moments[0], xy, xz], [xy, moments[1], yz], [xz, yz, moments[2]]])
    return body["mass"], turn @ np.array(body["center_of_mass"]) + transform["translation"], turn @ inertia @ turn.T


def accelerations_of_step(cl, scene, controls, step):
    """Returns changes of velocity and of angular velocity of all stiff bodies in the first step, per second."""
    scene = json.loads(json.dumps(scene))
    scene["contact"]["enabled"] = False
    scene["time"].update(step=step, duration=step, integrator="implicit_euler")
    scene["solver"]["force_tolerance"] = 1e-7
    names = [body["name"] for body in scene["bodies"] if body["kind"] == "affine"]
    for body in scene["bodies"]:
        # Bodies and joints give way a little, which is over only after some steps; these are stiff at once.
        body["material"]["stiffness"] = STIFFNESS
    for joint in scene["joints"]:
        joint.pop("friction", None)  # it gives way a little before it slips
    with cl.Simulation(cl.Scene(**scene)) as sim:
        before = {name: sim.twist(name) for name in names}
        for name in controls:
            sim.controls[name] = 0.5
        sim.step()
        return {name: (sim.twist(name) - before[name]) / step for name in names}


def accelerations(cl, scene, controls):
    """Returns the accelerations at the start. Implicit Euler averages over its step; two steps cancel the first order."""
    whole, half = (accelerations_of_step(cl, scene, controls, step) for step in (STEP, STEP / 2))
    return {name: 2 * half[name] - whole[name] for name in whole}


def held(cl, scene):
    """Returns the force of each drive that holds a hinge or slider where it starts."""
    scene = json.loads(json.dumps(scene))
    scene["contact"]["enabled"] = False
    scene["time"].update(step=0.05, duration=1.0, integrator="implicit_euler")
    scene["solver"]["force_tolerance"] = 1e-7
    on_joints = {joint["bodies"][0] for joint in scene["joints"]}
    for body in scene["bodies"]:
        body.update(linear_velocity=[0, 0, 0], angular_velocity=[0, 0, 0])
        if body["kind"] == "affine" and body["name"] not in on_joints:
            body.update(fixed_translation=[True] * 3, fixed_rotation=[True] * 3)
    driven = [joint for joint in scene["joints"] if joint["kind"] in ("hinge", "slider")]
    scene["output"]["probes"] = [{"name": joint["name"], "kind": "joint", "joint": joint["name"]} for joint in driven]
    for joint in driven:
        # A drive takes the place of springs, limits and couplings.
        for key in set(joint) - {"name", "kind", "bodies", "point", "axis"}:
            del joint[key]
        joint["drive"] = 0
    with cl.Simulation(cl.Scene(**scene)) as sim:
        sim.run()
        return {joint: value for joint, value in zip(sim.joint_names, sim.joints.efforts)}


def deviation(ours, theirs):
    """Returns the largest difference of two lists of arrays beside their largest number."""
    largest = max((np.abs(value).max() for value in theirs), default=0.0)
    if largest == 0.0:
        return 0.0
    return max(np.abs(np.asarray(a) - b).max() for a, b in zip(ours, theirs)) / largest


def compare(cl, arguments, model, folder):
    """Returns the row of a model, and a line for each number that is off."""
    scene = convert(arguments.program, model, folder)
    theirs = json.loads(subprocess.run([arguments.mujoco, model], capture_output=True, text=True, check=True).stdout)
    ours = {body["name"]: body for body in scene["bodies"] if body["kind"] == "affine"}
    pairs = [(ours[body["name"]], body) for body in theirs["bodies"] if body["name"] in ours]
    problems = [f"no body '{body['name']}'" for body in theirs["bodies"] if body["name"] not in ours]

    # Masses, centres beside the size of the model, inertias beside those of the body.
    numbers = [body_numbers(body) for body, _ in pairs]
    mass = max((abs(number[0] - body["mass"]) / body["mass"] for number, (_, body) in zip(numbers, pairs)), default=0.0)
    centers = deviation([number[1] for number in numbers], [TO_SCENE @ body["center"] for _, body in pairs])
    inertia = max((deviation([number[2]], [TO_SCENE @ np.array(body["inertia"]) @ TO_SCENE.T]) for number, (_, body) in zip(numbers, pairs)),
                  default=0.0)

    known = {control["name"] for control in scene["controls"]}
    moved = accelerations(cl, scene, [name for name in (re.sub(r"\W", "_", name) for name in theirs["controls"]) if name in known])
    # Angular accelerations count by what they are at the radius of gyration.
    radii = [np.sqrt(np.trace(body["inertia"]) / 2 / body["mass"]) for _, body in pairs]
    motions = [(moved[body["name"]] * [[1], [radius]], np.array([TO_SCENE @ body["acceleration"], TO_SCENE @ body["angular_acceleration"] * radius]))
               for (_, body), radius in zip(pairs, radii)]
    acceleration = deviation(*zip(*motions))

    holding = {} if theirs["has_loops"] else held(cl, scene)  # in a loop they are not determined
    both = [name for name in holding if name in theirs["holding"]]
    force = deviation([holding[name] for name in both], [np.array(theirs["holding"][name]) for name in both])
    for what, value in (("mass", mass), ("centre", centers), ("inertia", inertia), ("acceleration", acceleration), ("holding force", force)):
        if not value < TOLERANCE and what not in EXPLAINED.get(model.stem, ()):
            problems.append(f"{what}: {value:.2g}")
    if arguments.details:
        for (a, b), (_, body) in zip(motions, pairs):
            print("   ", body["name"], np.round(a, 4).tolist(), np.round(b, 4).tolist())
        for name in both:
            print("   ", name, holding[name], theirs["holding"][name])
    total = sum(body["mass"] for _, body in pairs)
    off = ", ".join(f"{count} {name}" if count > 1 else name for name, count in theirs["off"].items())
    row = [f"`{model.stem}`", str(len(pairs)), f"{total:.4g}", *(f"{value:.1g}" for value in (mass, centers, inertia)),
           f"{acceleration:.1g}", f"{len(both)}", f"{force:.1g}" if both else "", off]
    return row, problems


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", type=Path, default=ROOT / "build/release/bin/clearance")
    parser.add_argument("--module", type=Path, default=ROOT / "build/release/python")
    parser.add_argument("--mujoco", type=Path, default=ROOT / "build/release/bin/mujoco_robot")
    parser.add_argument("--only", default="", help="models whose path holds this")
    parser.add_argument("--details", action="store_true", help="print every number")
    parser.add_argument("--write", action="store_true", help="store the table in docs/robot_models.md")
    arguments = parser.parse_args()
    sys.path.insert(0, str(arguments.module.resolve()))
    import clearance as cl  # from the folder just given
    # Which warnings a model gives is what other tests are about.
    warnings.simplefilter("ignore", cl.ClearanceWarning)
    rows, problems = [], 0
    with tempfile.TemporaryDirectory() as folder:
        for model in models():
            if arguments.only not in str(model):
                continue
            if not model.exists():
                sys.exit(f"no model {model}: ./dev deps --robot installs libmujoco-samples")
            row, off = compare(cl, arguments, model, Path(folder))
            rows.append(row)
            problems += len(off)
            print(" | ".join(row), *off, sep="\n    off: ", flush=True)
    text = table(["model", "bodies", "mass [kg]", "masses", "centres", "inertias", "accelerations", "joints", "holding forces", "off in MuJoCo"], rows)
    print("\n" + text + f"\n\n{problems} numbers are off by more than {TOLERANCE}")
    if arguments.write:
        write_between_markers(ROOT / "docs/robot_models.md", "robots", text)
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
