#!/usr/bin/env python3
"""Many thin bodies at default settings: `./dev bench thin-many`, with `--against PROGRAM` beside another build.

  hairs      1000 hairs of 50 segments, held at one end, that swing down onto a ball
  cloth      a cloth of 100,000 triangles, pleated, that folds onto itself and a floor
  particles  10,000 grains of different heights that fall into a bowl

The table has Newton directions, CPU seconds a step, the largest memory, contacts and statuses. One thread; every run is
re-checked by `clearance verify`.
"""

import argparse
import json
import math
import random
import subprocess
import tempfile
from collections import Counter
from pathlib import Path

from bench_common import ROOT, busy_percent, is_missing, machine, run_scene, statuses_text, table
from codim_ipc.files import bundle, write_segments


def hairs(folder):
    lines = [((-0.1, 0.0, z), (0.1, 0.0, z)) for z in (2e-3 * i for i in range(-16, 16))]
    rows = [[((ax, ay + 2e-3 * row, az), (bx, by + 2e-3 * row, bz)) for (ax, ay, az), (bx, by, bz) in lines]
            for row in range(32)]
    strands = [line for row in rows for line in row][:1000]
    roots = [51 * k + i for k in range(len(strands)) for i in (0, 1)]
    mesh = write_segments(folder / "hairs.seg", *bundle(strands, 50))
    return {"friction": {"coefficient": 0.2}, "bodies": [
        {"name": "ball", "kind": "obstacle", "generator": {"kind": "sphere", "size": [0.04], "resolution": [12]},
         "transform": {"translation": [0.05, -0.045, 0]}},
        {"name": "hairs", "kind": "rod", "mesh": mesh, "units": "m", "thickness": 1e-4, "rod": {"straight_at_rest": True},
         "material": {"youngs_modulus": 1e8, "density": 1300}, "motions": [{"region": {"nodes": roots}}]}]}


def pleats(path, num_along, num_across, layers, length, gap):
    """Writes a sheet that lies in layers, one above the other and joined by half circles."""
    way = layers * length + (layers - 1) * 0.5 * math.pi * gap

    def place(s):
        for layer in range(layers):
            sign = 1.0 if layer % 2 == 0 else -1.0
            if s <= length:
                return sign * (s - 0.5 * length), gap * layer
            s -= length
            turn = 2.0 * s / gap
            if turn <= math.pi and layer < layers - 1:
                return sign * (0.5 * length + 0.5 * gap * math.sin(turn)), gap * (layer + 0.5 - 0.5 * math.cos(turn))
            s -= 0.5 * math.pi * gap
        return sign * 0.5 * length, gap * (layers - 1)

    rows = [place(way * i / num_along) for i in range(num_along + 1)]
    text = [f"v {x:.9g} {y:.9g} {0.5 * j / num_across:.9g}" for x, y in rows for j in range(num_across + 1)]
    width = num_across + 1
    for i in range(num_along):
        for j in range(num_across):
            a = i * width + j + 1
            text += [f"f {a} {a + 1} {a + width + 1}", f"f {a} {a + width + 1} {a + width}"]
    path.write_text("\n".join(text) + "\n")
    return path.name


def cloth(folder):
    mesh = pleats(folder / "pleats.obj", 500, 100, layers=6, length=0.4, gap=0.012)
    return {"friction": {"coefficient": 0.3}, "half_spaces": [{"point": [0, -0.004, 0], "normal": [0, 1, 0]}], "bodies": [
        {"name": "cloth", "kind": "shell", "mesh": mesh, "units": "m", "thickness": 3e-4,
         "material": {"youngs_modulus": 8e5, "poisson_ratio": 0.25, "density": 470}}]}


def particles(folder):
    rng, spacing = random.Random(1), 4e-3
    places = [[spacing * (i - 10) + rng.uniform(-5e-4, 5e-4), 5e-3 + spacing * j + rng.uniform(-5e-4, 5e-4),
               spacing * (k - 10) + rng.uniform(-5e-4, 5e-4)] for j in range(23) for i in range(21) for k in range(21)]
    mesh = write_segments(folder / "grains.seg", places[:10000])
    return {"friction": {"coefficient": 0.3}, "bodies": [
        {"name": "bowl", "kind": "obstacle", "generator": {"kind": "bowl", "size": [0.08, 0.05], "resolution": [12]}},
        {"name": "grains", "kind": "particles", "mesh": mesh, "units": "m", "thickness": 2e-3,
         "material": {"density": 1600}}]}


SCENES = {"hairs": hairs, "cloth": cloth, "particles": particles}


def measure(program, file, steps, folder, limit):
    """Returns the row of a run."""
    run = run_scene(program, file, steps, 1, folder, frame_interval=max(1, steps // 4), limit=limit)
    records = run["records"]
    if not records:
        return ["0", *[""] * 5, " ".join(run["notes"])[:120] or "no step within the limit"]
    found = subprocess.run([program, "verify", folder], capture_output=True, text=True, check=False).returncode
    count = len(records)
    statuses = Counter(record["status"] for record in records if record["status"] != "converged")
    return [str(count), f"{sum(r['newton_iterations'] for r in records) / count:.1f}",
            f"{sum(r['partial_iterations'] for r in records) / count:.1f}", f"{run['cpu'] / count:.2g}", f"{run['mb']:.0f}",
            str(max(r["contacts"] for r in records)), statuses_text(statuses) + ("" if found == 0 else ", VERIFY FAILED")]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", type=Path, default=ROOT / "build/release/bin/clearance")
    parser.add_argument("--against", type=Path, help="another program, for a second row of each scene")
    parser.add_argument("--only", default="", help="scenes whose name holds this")
    parser.add_argument("--steps", type=int, default=30, help="of 10 ms (default 30)")
    parser.add_argument("--limit", type=float, default=600.0, help="seconds a run (default 600)")
    arguments = parser.parse_args()
    if is_missing(arguments.program):
        return 2
    busy_percent()
    rows = []
    for name in (name for name in SCENES if arguments.only in name):
        with tempfile.TemporaryDirectory() as made:
            folder = Path(made)
            time = {"step": 0.01, "duration": 0.01 * arguments.steps}
            file = folder / "scene.json"
            file.write_text(json.dumps({"format": "clearance/3", "time": time, **SCENES[name](folder)}))
            for which, program in (("other", arguments.against), ("", arguments.program)):
                if program:
                    row = measure(program, file, arguments.steps, folder / f"result{which}", arguments.limit)
                    rows.append([f"{name} ({which})" if which else name, *row])
                    print("  ".join(rows[-1]), flush=True)
    print(machine())
    print(table(["scene", "steps", "Newton a step", "of parts", "CPU s a step", "MB", "most contacts", "not converged"], rows))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
