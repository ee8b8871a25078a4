#!/usr/bin/env python3
"""Chapter 5's scenes [Fer23, table 5.2] with few elements of high order beside many linear ones: `./dev bench published-high-order`.

The scenes are the authors', if their files are available; changes are in CASES. All variants of a scene take the same
steps, one thread each, until the first of them has used its time. Errors are those of the scene's main quantity (a
force, a place), against the variant called `reference`: the largest difference over the steps by the largest value.
"""

import argparse
import csv
import json
import math
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

from bench_common import busy_percent, machine, peer_data, read_stats, table, write_between_markers

FOLDER = "high-order-ipc"


def mesh(name):
    return peer_data() / FOLDER / "meshes" / name


def weights(name):
    return peer_data() / FOLDER / "weights" / name


def scene_file(name):
    return peer_data() / FOLDER / "scripts" / name


@dataclass
class Variant:
    """A variant of a scene: its file if it is another one, the changes of its first body, and the paper's
    measurement [s]."""
    label: str
    body: dict = field(default_factory=dict)
    file: Path | None = None
    published: float = math.nan


@dataclass
class Case:
    """A scene. `measured`: columns of probes.csv. The paper's ratio is that of its variants `dense` and `coarse`;
    ours is the same (`dense` is the last variant but the reference)."""
    name: str
    file: Path
    steps: int
    probes: list
    measured: tuple
    variants: list
    reference: Variant
    ratios: dict = field(default_factory=dict)  # label: dense over that variant, published
    adapt: object = None


def at_ends(scene):
    """Names the mat's ends by boxes, which hold for every mesh of it."""
    for motion, (low, high) in zip(scene["bodies"][0]["motions"], ((0, 0.001), (0.999, 1))):
        motion["region"] = {"box": [[low, 0, 0], [high, 1, 1]], "frame": "body"}


def position(body):
    return [{"name": "place", "kind": "position", "body": body}]


UPSAMPLED = {"segments": 9}


def cases():
    return [
        Case("beam (fig. 5.4)", scene_file("higher-order/squish-beam-P1.json"), 50,
             [{"name": "push", "kind": "contact", "bodies": ["beam-bending", "plane 2"]}], ("push.normal.y [N]",),
             [Variant("order 1, coarse", published=15),
              Variant("order 2", {"order": 2, "collision_surface": UPSAMPLED}, published=32),
              Variant("order 3", {"order": 3, "collision_surface": UPSAMPLED}, published=58),
              Variant("order 1, dense", file=scene_file("higher-order/squish-beam-P1-ref.json"), published=463)],
             Variant("order 2, dense", {"order": 2}, file=scene_file("higher-order/squish-beam-P1-ref.json")),
             {"order 3": 8.0}),
        Case("ball (fig. 5.5)", scene_file("bounce/bounce-P4.json"), 1000, position("ball"), ("place.y [m]",),
             [Variant("order 1, coarse", file=scene_file("bounce/bounce-P1-baseline-coarse.json"), published=8),
              Variant("order 1, coarse, fine surface", file=scene_file("bounce/bounce-P1.json"), published=12),
              Variant("order 2 on 4", {"order": 2, "keep_shape": True, "collision_surface": UPSAMPLED}, published=26),
              Variant("order 4", {"order": 4, "collision_surface": UPSAMPLED}),
              Variant("order 1, dense", file=scene_file("bounce/bounce-P1-baseline-fine.json"), published=256)],
             Variant("order 3, dense", {"mesh": str(mesh("sphere/P3-fine.msh")), "order": 3,
                                        "collision_surface": {"segments": 3}}),
             {"order 2 on 4": 9.8}),
        Case("rolling (fig. 5.6)", scene_file("tests/ball-full.json"), 200, position("ball"),
             ("place.x [m]", "place.y [m]"),
             [Variant("order 1, cube, fine surface",
                      {"mesh": str(mesh("cube/cube-symmetric.msh")),
                       "collision_surface": {"mesh": str(mesh("sphere/sphere-fine.ply")),
                                             "weights": str(weights("barycentric/cube-symmetric-to-sphere-fine.hdf5"))}},
                      published=47),
              Variant("order 2 on 4", {"mesh": str(mesh("sphere/P4-coarse.msh")), "order": 2, "keep_shape": True,
                                       "transform": {"scale": [0.5, 0.5, 0.5]}, "collision_surface": UPSAMPLED}),
              Variant("order 4", {"mesh": str(mesh("sphere/P4-coarse.msh")), "order": 4,
                                  "transform": {"scale": [0.5, 0.5, 0.5]}, "collision_surface": UPSAMPLED}),
              Variant("order 1, dense", published=352)],
             Variant("order 3, dense", {"mesh": str(mesh("sphere/P3-fine.msh")), "order": 3,
                                        "transform": {"scale": [0.5, 0.5, 0.5]}, "collision_surface": {"segments": 3}}),
             {"order 1, cube, fine surface": 7.5}),
        Case("mat (fig. 5.7)", scene_file("stress-tests/mat-twist-P1-coarse.json"), 250,
             [{"name": "hold", "kind": "reaction", "body": "mat", "point": [0, 0, 0],
               "region": {"box": [[0.999, 0, 0], [1, 1, 1]], "frame": "body"}}], ("hold.torque.x [N m]",),
             [Variant("order 1, coarse", published=167),
              Variant("order 2, fine surface", {"order": 2, "collision_surface": UPSAMPLED}, published=22800),
              Variant("order 1, as long", {"mesh": str(mesh("mat/mat100x100t40.msh"))}, published=22020),
              Variant("order 1, dense", {"mesh": str(mesh("mat/mat70x70.msh")), "refinements": 1}, published=223980)],
             Variant("order 2, 8 times the elements", {"order": 2, "refinements": 1}),
             {"order 2, fine surface": 9.8}, at_ends),
        Case("microstructure (fig. 5.8)", scene_file("microstructure/microstructure-P1-fine.json"), 200,
             [{"name": "push", "kind": "contact", "bodies": ["microstructure", "cube"]}], ("push.normal.y [N]",),
             [Variant("order 1, medium", file=scene_file("microstructure/microstructure-P1-medium.json")),
              Variant("order 1, dense", published=23640)],
             Variant("order 2, medium", {"order": 2}, file=scene_file("microstructure/microstructure-P1-medium.json"),
                     published=21900)),
        Case("armadillo (fig. 5.9)", scene_file("friction/armadillo-roller.json"), 400, position("armadillo"),
             ("place.x [m]", "place.y [m]", "place.z [m]"),
             [Variant("order 1, coarse, fine surface", published=3456),
              Variant("order 2 on 4", {"mesh": str(mesh("armadillo/armadillo_P4.msh")), "order": 2, "keep_shape": True,
                                       "collision_surface": {"segments": 4}}, published=14280),
              # The authors' dense mesh is not among their files: theirs has 386K elements, this one the coarse one's
              # shape.
              Variant("order 1, dense", {"refinements": 2, "collision_surface": None}, published=220740)],
             Variant("order 2, dense", {"refinements": 1, "order": 2, "collision_surface": None}),
             {"order 1, coarse, fine surface": 64, "order 2 on 4": 15.5}),
        Case("trash (fig. 5.10)", scene_file("stress-tests/trash-compactor-octocat.json"), 250,
             [{"name": "push", "kind": "contact", "bodies": ["octocat", "unit-plane"]}], ("push.normal.x [N]",),
             [Variant("order 1, coarse, fine surface", published=8400),
              Variant("order 2", {"order": 2, "collision_surface": {"segments": 4}}, published=87780),
              Variant("order 1, dense", file=scene_file("stress-tests/trash-compactor-octocat-baseline.json"),
                      published=18480)],
             Variant("order 2, dense", {"order": 2},
                     file=scene_file("stress-tests/trash-compactor-octocat-baseline.json")),
             {"order 1, coarse, fine surface": 2.2, "order 2": 0.2}),
        Case("nut (fig. 5.11)", peer_data() / "polyfem-data/contact/examples/3D/rigid/screw.json", 500, position("screw"),
             ("place.y [m]",),
             [Variant("order 1, coarse, fine surface",
                      {"mesh": str(mesh("screw/screw-coarse.msh")),
                       "collision_surface": {"mesh": str(mesh("screw/screw.ply")),
                                             "weights": str(weights("barycentric/screw-coarse-to-screw.hdf5"))}},
                      published=580),
              Variant("order 1, dense", published=1324)],
             Variant("order 2, dense", {"order": 2}),
             {"order 1, coarse, fine surface": 2.3}),
        Case("balancing (fig. 5.12)", scene_file("balance/armadillo-balance-fine.json"), 50, position("armadillo"),
             ("place.x [m]", "place.y [m]", "place.z [m]"),
             [Variant("order 1, coarse", file=scene_file("balance/armadillo-balance-coarse.json"), published=19),
              Variant("order 1, coarse, matched", file=scene_file("balance/armadillo-balance-coarse.json"), published=9),
              Variant("order 1, dense", published=17)],
             Variant("order 2, dense", {"order": 2}),
             {"order 1, coarse, matched": 17 / 9}),
    ]


# --- runs ---


def native_scene(program, case, variant, folder):
    """Writes the scene as a file of our own with the variant's changes; None, after printing the reason, if it
    cannot be read."""
    path = folder / "scene.json"
    source = variant.file or case.file
    command = [program, "convert", str(source), "-o", str(path), "--format", "polyfem", "--overwrite"]
    if variant.label.endswith("matched"):
        command += ["--match-mass", str(mesh("armadillo-standing/armadillo1.msh"))]
    read = subprocess.run(command, capture_output=True, text=True)
    if read.returncode != 0:
        print("\n".join(line for line in (read.stdout + read.stderr).splitlines() if "warning" not in line))
        return None
    scene = json.loads(path.read_text())
    body = scene["bodies"][0]
    body.update(variant.body)
    old, new = body["name"], {"place": "body", "hold": "body", "push": "body"}[case.probes[0]["name"]]
    body["name"] = new
    probes = json.loads(json.dumps(case.probes))
    for probe in probes:
        if "body" in probe:
            probe["body"] = new
        else:
            probe["bodies"][0] = new
    scene = json.loads(json.dumps(scene).replace(json.dumps(old), json.dumps(new)))
    if case.adapt:
        case.adapt(scene)
    scene["output"].update({"probes": probes, "frame_interval": max(1, case.steps // 20), "checkpoint_interval": 1000000})
    path.write_text(json.dumps(scene))
    return path


def probes_of(path, columns):
    with path.open() as stream:
        rows = list(csv.DictReader(stream))
    return [[float(row[c] or "nan") for c in columns] for row in rows]


def run(program, case, variant, limit, results, steps):
    """Runs a variant within the limit; returns seconds of its steps, the measured columns, and the verdict of
    `verify`."""
    folder = results / f"{case.name} {variant.label}".translate(str.maketrans({c: "_" for c in " (),./"}))
    folder.mkdir(parents=True, exist_ok=True)
    scene = native_scene(program, case, variant, folder)
    if scene is None:
        return None
    out = folder / "run"
    command = [program, "run", str(scene), "-o", str(out), "--threads", "1", "-q", "--overwrite", "--steps", str(steps)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    try:
        output, _ = process.communicate(timeout=limit)
    except subprocess.TimeoutExpired:
        process.terminate()
        output, _ = process.communicate()
    records = read_stats(out / "stats.jsonl")
    if not records:
        print(f"{case.name}, {variant.label}: no step within {limit:g} s\n{output}")
        return None
    info = json.loads(subprocess.run([program, "check", str(scene), "--json"], capture_output=True, text=True).stdout)
    verified = subprocess.run([program, "verify", str(out)], capture_output=True, text=True)
    return {"seconds": [r["seconds"]["total"] for r in records], "info": info,
            "measured": probes_of(out / "probes.csv", case.measured),
            "failed": sum(r["status"] != "converged" for r in records),
            "is_clean": verified.returncode == 0, "verify": verified.stdout.strip().splitlines()[-1:]}


def error_of(measured, reference, count):
    """Returns the largest difference in the first steps by the largest value of the reference, counted from the
    start."""
    def changes(rows):
        return [[x - y for x, y in zip(row, rows[0])] for row in rows[:count + 1]]
    if count + 1 > min(len(measured), len(reference)):
        return math.nan
    ours, theirs = changes(measured), changes(reference)
    first = 1 if any(math.isnan(x) for x in theirs[0]) else 0  # forces belong to steps
    if first:
        ours, theirs = measured[:count + 1], reference[:count + 1]
    size = max(math.hypot(*row) for row in theirs[first:])
    return max(math.dist(a, b) for a, b in zip(ours[first:], theirs[first:])) / size if size > 0 else math.nan


def number(x, digits=3):
    return "" if math.isnan(x) else f"{x:.{digits}g}"


def measure(program, case, limit, reference_limit, results, steps_limit):
    steps = min(case.steps, steps_limit)
    runs = {v.label: run(program, case, v, limit, results, steps) for v in case.variants}
    count = min((len(r["seconds"]) for r in runs.values() if r), default=0)
    if count == 0:
        return []
    reference = run(program, case, case.reference, reference_limit, results, count)
    dense = runs[case.variants[-1].label]
    rows = []
    for variant in [*case.variants, case.reference]:
        is_reference = variant is case.reference
        result = reference if is_reference else runs[variant.label]
        if result is None:
            rows.append([case.name, variant.label] + [""] * 8 + ["no step"])
            continue
        num = min(count, len(result["seconds"]))
        seconds = sum(result["seconds"][:num]) / num
        of_dense = sum(dense["seconds"][:count]) / count / seconds if dense and not is_reference else math.nan
        published = variant.published / case.steps
        error = error_of(result["measured"], reference["measured"], min(count, len(reference["seconds"]))) \
            if reference and not is_reference else math.nan
        remarks = ([] if result["is_clean"] else result["verify"] or ["verify failed"]) + \
            ([f"{result['failed']} steps did not converge"] if result["failed"] else [])
        rows.append([case.name, variant.label, f"{result['info']['elements']:,}", str(num), number(seconds),
                     number(published), number(published / seconds, 2), number(of_dense),
                     number(case.ratios.get(variant.label, math.nan)), "" if math.isnan(error) else f"{100 * error:.2g} %",
                     "; ".join(remarks) or "verified"])
        print(" | ".join(rows[-1]), flush=True)
    return rows


HEADER = ["scene", "elements' order", "elements", "steps", "s a step", "published (16 threads)", "times faster",
          "dense / this", "published", "error", ""]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", required=True)
    parser.add_argument("--only", help="scenes whose name holds this")
    parser.add_argument("--limit", type=float, default=7200, help="seconds of a variant (default: two hours)")
    parser.add_argument("--reference-limit", type=float, help="seconds of a reference (default: as --limit)")
    parser.add_argument("--steps", type=int, default=1000000, help="at most")
    parser.add_argument("--results", type=Path, help="keep the result folders here")
    parser.add_argument("--write", action="store_true", help="store the table in docs/benchmarks.md")
    arguments = parser.parse_args()
    if not (peer_data() / FOLDER).exists():
        sys.exit(f"skipped: no {FOLDER} in CLEARANCE_PEER_DATA")
    busy = busy_percent()
    with tempfile.TemporaryDirectory() as folder:
        rows = []
        for case in cases():
            if arguments.only and not any(word in case.name for word in arguments.only.split(",")):
                continue
            rows += measure(arguments.program, case, arguments.limit, arguments.reference_limit or arguments.limit,
                            arguments.results or Path(folder), arguments.steps)
    text = table(HEADER, rows)
    print(text)
    if arguments.write:
        note = f"{machine()}, busy at {busy:.0f} % before the start, {time.strftime('%d %B %Y')}. One thread."
        write_between_markers(Path(__file__).resolve().parent.parent / "docs" / "benchmarks.md", "published high order",
                              f"{note}\n\n{text}")


if __name__ == "__main__":
    main()
