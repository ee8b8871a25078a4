#!/usr/bin/env python3
"""Mechanisms and their steps: `./dev bench many`, with `--against PROGRAM` beside another build.

Runs chains of six links, in swing, folded and at the limits of their joints, the robots of examples/robots, a cube that
is pushed along, marbles in a funnel, a tower of boxes, and MuJoCo's humanoid if Debian's libmujoco-samples is
installed. The table has Newton directions and milliseconds a step, the longest step in directions, and the kinetic
energy at the end.
"""

import argparse
import json
import subprocess
import tempfile
from pathlib import Path

from bench_common import ROOT, machine, run_scene, table

HUMANOID = Path("/usr/share/mujoco/model/humanoid/humanoid.xml")


def chain(kind, joint, step, duration, **more):
    """A chain of six links that falls from level."""
    link = {"name": "link", "kind": kind, "generator": {"kind": "box", "size": [0.09, 0.02, 0.02], "resolution": [1, 1, 1]},
            "transform": {"translation": [0.05, 0, 0]}, "array": {"counts": [6, 1, 1], "spacing": [0.1, 0, 0]},
            "material": {"density": 2000}}
    joints = [{"kind": joint, "bodies": [f"link[{i}]", f"link[{i - 1}]" if i else ""], "point": [0.1 * i, 0, 0], **more}
              for i in range(6)]
    return {"time": {"step": step, "duration": duration}, "bodies": [link], "joints": joints}


def pusher():
    """A cube on a table, and a box that is moved against it."""
    cube = {"kind": "box", "size": [0.05, 0.05, 0.05], "resolution": [1, 1, 1]}
    return {"time": {"step": 0.01, "duration": 1.0}, "friction": {"coefficient": 0.5},
            "bodies": [{"name": "cube", "kind": "rigid", "generator": cube, "transform": {"translation": [0, 0.0251, 0]}},
                       {"name": "pusher", "kind": "rigid", "generator": cube, "transform": {"translation": [-0.0502, 0.03, 0]},
                        "motions": [{"displacement": ["0.1 * t", "0", "0"]}]}],
            "half_spaces": [{"point": [0, 0, 0], "normal": [0, 1, 0]}]}


def marbles():
    """50 rigid marbles that fall into a funnel."""
    sphere = {"kind": "sphere", "size": [0.02], "resolution": [2]}
    funnel = {"kind": "funnel", "size": [0.25, 0.05, 0.25], "resolution": [32, 4]}
    return {"format": "clearance/2", "time": {"step": 0.01, "duration": 0.45}, "friction": {"coefficient": 0.2},
            "bodies": [{"name": "marble", "kind": "rigid", "generator": sphere, "material": {"density": 2500},
                        "transform": {"translation": [-0.09, 0.15, -0.09]},
                        "array": {"counts": [5, 2, 5], "spacing": [0.045, 0.045, 0.045]}},
                       {"name": "funnel", "kind": "obstacle", "generator": funnel}]}


def tower():
    """100 rigid boxes upon each other that settle."""
    return {"format": "clearance/2", "time": {"step": 0.01, "duration": 0.25}, "friction": {"coefficient": 0.3},
            "bodies": [{"name": "box", "kind": "rigid", "transform": {"translation": [0, 0.0501, 0]},
                        "generator": {"kind": "box", "size": [0.1, 0.1, 0.1], "resolution": [1, 1, 1]},
                        "array": {"counts": [1, 100, 1], "spacing": [0, 0.1002, 0]}}],
            "half_spaces": [{"point": [0, 0, 0], "normal": [0, 1, 0]}]}


def scenes(folder):
    """Yields name, file and number of steps; the scenes made here are written into `folder`."""
    made = {}
    for kind in ("affine", "rigid"):
        hinge = {"axis": [0, 0, 1]}
        made[f"{kind} chain, hinges, 5 ms"] = chain(kind, "hinge", 0.005, 1.0, **hinge)
        made[f"{kind} chain, hinges, 10 ms"] = chain(kind, "hinge", 0.01, 1.5, **hinge)
        made[f"{kind} chain, balls, 10 ms"] = chain(kind, "ball", 0.01, 1.5)
        made[f"{kind} chain, limits, 10 ms"] = chain(kind, "hinge", 0.01, 1.5, lower=-35, upper=35, **hinge)
    made["pusher"] = pusher()
    made["marbles in a funnel"] = marbles()
    made["tower of boxes"] = tower()
    for number, (name, scene) in enumerate(made.items()):
        file = Path(folder) / f"{number}.json"
        file.write_text(json.dumps(scene))
        yield name, file, round(scene["time"]["duration"] / scene["time"]["step"])
    yield "capsule chain", ROOT / "examples" / "capsule_chain.json", 300
    for robot in ("arm", "gripper"):
        yield robot, ROOT / "examples" / "robots" / f"{robot}.urdf", 200
    if HUMANOID.exists():
        yield "humanoid", HUMANOID, 200


def measure(program, file, steps, limit):
    """Returns directions, largest number of a step, milliseconds a step and the kinetic energy at the end, as text."""
    with tempfile.TemporaryDirectory() as folder:
        if file.suffix != ".json":
            scene = Path(folder) / "robot.json"
            converted = subprocess.run([program, "convert", file, "-o", scene], capture_output=True, check=False)
            if converted.returncode != 0:
                return ["not read", "", "", ""]
            file = scene
        run = run_scene(program, file, steps, 1, Path(folder) / "result", limit=limit)
    records = run["records"]
    if not records:
        return ["refused", "", "", ""]
    directions = [record["newton_iterations"] for record in records]
    seconds = sum(record["seconds"]["total"] for record in records)
    note = "" if len(records) == steps else f" in {len(records)} steps"
    return [f"{sum(directions)}{note}", str(max(directions)), f"{1e3 * seconds / len(records):.2f}",
            f"{records[-1]['energy'].get('kinetic', 0.0):.4g}"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", required=True, help="the program to measure")
    parser.add_argument("--against", help="another program, for a second row of each scene")
    parser.add_argument("--only", default="", help="scenes whose name holds this")
    parser.add_argument("--limit", type=float, default=120.0, help="seconds a run")
    arguments = parser.parse_args()
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for name, file, steps in scenes(folder):
            if arguments.only not in name:
                continue
            for which, program in (("other", arguments.against), ("", arguments.program)):
                if program:
                    rows.append([f"{name} ({which})" if which else name, *measure(program, file, steps, arguments.limit)])
    print(machine())
    print(table(["scene", "directions", "most in a step", "ms a step", "kinetic energy [J]"], rows))


if __name__ == "__main__":
    main()
