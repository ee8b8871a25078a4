#!/usr/bin/env python3
"""Small problems with elements that adapt beside uniformly refined ones: `./dev bench adapting`.

Errors are those of one result over all steps, against the finest uniform mesh, or one of order 2: the largest difference by the largest
value. Runs have one thread; CPU seconds are those of the process.
"""

import argparse
import csv
import json
import shutil
import subprocess
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

from bench_common import read_stats, run_limited, table

SPIKE = """v -0.06 0.08 -0.06
v 0.06 0.08 -0.06
v 0.06 0.08 0.06
v -0.06 0.08 0.06
v 0.0007 0 0.0011
f 1 2 3
f 1 3 4
f 5 2 1
f 5 3 2
f 5 4 3
f 5 1 4
"""


@dataclass
class Case:
    """A problem. `result`: the start of the columns of probes.csv that are compared. `finest`: the refinements of the
    reference."""
    name: str
    scene: dict
    result: str
    finest: int = 2
    order: int = 1
    files: dict = field(default_factory=dict)


def statics(steps):
    return {"time": {"step": 1.0 / steps, "duration": 1.0, "integrator": "quasi_static"}, "gravity": [0, 0, 0],
            "static": {"quadratic_elements": 0}}


def held(box):
    return {"region": {"frame": "body", "box": box}}


LEFT, RIGHT = [[-0.1, -0.1, -0.1], [0.001, 1.1, 1.1]], [[0.999, -0.1, -0.1], [1.1, 1.1, 1.1]]
BOTTOM = [[-0.1, -0.1, -0.1], [1.1, 0.001, 1.1]]
SOFT = {"density": 1000, "youngs_modulus": 1e6, "poisson_ratio": 0.3}


def cantilever():
    body = {"name": "bar", "generator": {"kind": "box", "size": [0.8, 0.1, 0.1], "resolution": [8, 1, 1]},
            "material": SOFT, "motions": [held(LEFT)],
            "loads": [{"kind": "force", "expression": ["0", "-8 * t", "0"], "region": {"frame": "body", "box": RIGHT}}]}
    probe = {"name": "tip", "body": "bar", "kind": "position", "point": [0.4, 0.05, 0.05]}
    return Case("cantilever, 1 element thick", {**statics(4), "contact": {"enabled": False}, "bodies": [body],
                                                "output": {"probes": [probe]}}, "tip.", 2, 2)


def patch():
    body = {"name": "block", "generator": {"kind": "box", "size": [0.2, 0.1, 0.2], "resolution": [8, 4, 8]},
            "material": SOFT, "motions": [held(BOTTOM)],
            "loads": [{"kind": "force", "expression": ["0", "-300 * t", "0"],
                       "region": {"frame": "body", "box": [[0.374, 0.99, 0.374], [0.626, 1.1, 0.626]]}}]}
    probe = {"name": "middle", "body": "block", "kind": "position", "point": [0.0, 0.05, 0.0]}
    return Case("block, pressed on a patch", {**statics(4), "contact": {"enabled": False}, "bodies": [body],
                                              "output": {"probes": [probe]}}, "middle.", 2, 2)


def twist():
    turn = {"angular_velocity": [90, 0, 0], "region": {"frame": "body", "box": RIGHT}}
    body = {"name": "bar", "generator": {"kind": "box", "size": [0.4, 0.1, 0.1], "resolution": [8, 2, 2]},
            "material": SOFT, "motions": [held(LEFT), turn]}
    probe = {"name": "end", "body": "bar", "kind": "reaction", "point": [0, 0, 0],
             "region": {"frame": "body", "box": RIGHT}}
    return Case("twisted bar", {**statics(4), "contact": {"enabled": False}, "bodies": [body],
                                "output": {"probes": [probe]}}, "end.torque", 2, 2)


def spike():
    block = {"name": "block", "generator": {"kind": "box", "size": [0.2, 0.1, 0.2], "resolution": [6, 3, 6]},
             "material": SOFT, "motions": [held(BOTTOM)]}
    tip = {"name": "spike", "kind": "obstacle", "mesh": "spike.obj", "transform": {"translation": [0, 0.052, 0]},
           "motions": [{"displacement": ["0", "-0.03 * t", "0"]}]}
    probe = {"name": "push", "kind": "contact", "bodies": ["block", "spike"]}
    return Case("block, pressed by a spike", {**statics(5), "friction": {"coefficient": 0.0},
                                              "contact": {"formulation": "convergent", "dhat": 5e-4},
                                              "bodies": [block, tip], "output": {"probes": [probe]}}, "push.normal", 2, 1,
                {"spike.obj": SPIKE})


def fall():
    block = {"name": "block", "generator": {"kind": "box", "size": [0.2, 0.1, 0.2], "resolution": [6, 3, 6]},
             "transform": {"translation": [0.01, 0.06, 0.005]}, "velocity": [0, -1, 0],
             "material": {**SOFT, "youngs_modulus": 2e5}}
    tip = {"name": "spike", "kind": "obstacle", "mesh": "spike.obj",
           "transform": {"rotation": [180, 0, 0], "translation": [0, 0, 0]}}
    probe = {"name": "corner", "body": "block", "kind": "position", "point": [0.11, 0.01, 0.105]}
    return Case("block, falling on a spike", {"time": {"step": 0.002, "duration": 0.06}, "gravity": [0, -9.81, 0],
                                              "friction": {"coefficient": 0.2},
                                              "contact": {"formulation": "convergent", "dhat": 5e-4},
                                              "bodies": [block, tip], "output": {"probes": [probe]}}, "corner.", 2, 1,
                {"spike.obj": SPIKE})


CASES = [cantilever, patch, twist, spike, fall]


def run(program, case, variant, settings, folder, limit):
    """Runs a variant; returns its records, results and seconds."""
    kept = folder / "result.json"
    if kept.exists() and variant.startswith("uniform"):
        return json.loads(kept.read_text())
    shutil.rmtree(folder, ignore_errors=True)
    scene = json.loads(json.dumps(case.scene))
    if variant.startswith("uniform"):
        scene["bodies"][0]["refinements"] = int(variant.split()[1])
        scene["bodies"][0]["order"] = 2 if "order 2" in variant else 1
    else:
        scene["remesh"] = settings
    folder.mkdir(parents=True)
    for name, text in case.files.items():
        (folder / name).write_text(text)
    (folder / "scene.json").write_text(json.dumps(scene))
    out = folder / "run"
    done = run_limited([program, "run", folder / "scene.json", "-o", out, "--threads", "1", "-q", "--set",
                        "output.frame_interval=1000", "--set", "output.checkpoint_interval=1000000"], limit)
    records = read_stats(out / "stats.jsonl")
    if not records or done["exit"] not in (0, 1, 3):
        print(case.name, variant, done["exit"], done["notes"][:6])
    with (out / "probes.csv").open() as stream:
        rows = list(csv.DictReader(stream))
    columns = [c for c in rows[0] if c.startswith(case.result)]
    verified = subprocess.run([program, "verify", out], capture_output=True, text=True)
    result = {"records": records, "values": [[float(row[c] or "nan") for c in columns] for row in rows],
            "is_clean": verified.returncode == 0, "seconds": sum(r["seconds"]["total"] for r in records), "cpu": done["cpu"],
            "remesh": sum(r.get("remesh", {}).get("seconds", 0.0) for r in records),
            "vertices": max((r.get("remesh", {}).get("vertices", 0) for r in records), default=0),
            "failed": sum(r["status"] != "converged" for r in records)}
    kept.write_text(json.dumps(result))
    return result


def change(values):
    """Returns the values from the first that is defined on, as changes since then if they are places."""
    start = values[0]
    return [[x - s if s == s else x for x, s in zip(row, start)] for row in values]


def error_of(values, exact):
    ours, theirs = change(values), change(exact)
    size = max(abs(x) for row in theirs for x in row if x == x)
    pairs = [abs(x - y) for row, other in zip(ours, theirs) for x, y in zip(row, other) if x == x and y == y]
    return max(pairs) / size


def measure(program, case, variants, limit, folder):
    rows, exact = [], None
    finest = f"uniform {case.finest - case.order + 1}" + (" of order 2" if case.order == 2 else "")
    uniform = list(dict.fromkeys([finest] + [f"uniform {k}" for k in range(case.finest, -1, -1)]))
    for variant, settings in [(v, None) for v in uniform] + variants:
        result = run(program, case, variant, settings, folder / case.name.replace(" ", "_") / variant.replace(" ", "_"), limit)
        exact = exact or result["values"]
        remarks = ([] if result["is_clean"] else ["verify failed"]) + \
            ([f"{result['failed']} steps did not converge"] if result["failed"] else [])
        error = "finest" if variant == finest else f"{100 * error_of(result['values'], exact):.2g} %"
        splits = sum(r.get("remesh", {}).get("splits", 0) for r in result["records"])
        collapses = sum(r.get("remesh", {}).get("collapses", 0) for r in result["records"])
        rows.append([case.name, variant, str(result["vertices"] or ""), f"{splits}/{collapses}", f"{result['cpu']:.3g}", f"{result['seconds']:.3g}", f"{result['remesh']:.2g}", error,
                     "; ".join(remarks) or "verified"])
        print(" | ".join(rows[-1]), flush=True)
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", required=True)
    parser.add_argument("--only", help="problems whose name holds one of these, with commas between")
    parser.add_argument("--settings", action="append", default=[], help="of remesh, as JSON, besides the default")
    parser.add_argument("--limit", type=float, default=600, help="seconds of a variant")
    parser.add_argument("--results", type=Path, help="keep results here; those of uniform meshes are not computed again")
    arguments = parser.parse_args()
    variants = [("by default", {})] + [(text, json.loads(text)) for text in arguments.settings]
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for make in CASES:
            case = make()
            if arguments.only and not any(word in case.name for word in arguments.only.split(",")):
                continue
            rows += measure(arguments.program, case, variants, arguments.limit, arguments.results or Path(folder))
    text = table(["problem", "elements", "most vertices", "splits/collapses", "CPU s", "s", "s of remesh", "error", ""], rows)
    print(text)


if __name__ == "__main__":
    main()
