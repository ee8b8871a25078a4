#!/usr/bin/env python3
"""Chapter 6's scenes [Fer23, tables 6.1, 6.2] with elements that adapt beside uniformly refined ones: `./dev bench remesh`.

All variants of a scene take the same steps, one thread each: as many as the slowest has taken within its time. Seconds
are those of the processor. Errors are those of the places of vertices of the coarse mesh, and of the force on the probed
body, against the finest uniform mesh: the largest difference over the steps by the largest value. `--write` stores the
table in docs/benchmarks.md and the curves of error against seconds in docs/pictures.
"""

import argparse
import csv
import functools
import json
import math
import os
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from bench_common import ROOT, busy_percent, machine, peer_data, table, write_between_markers
from remesh_curves import curves

FOLDER = "remeshing"
NUM_PLACES = 24
MOST_OF_SIZING_FIELD = 20000  # elements of a body
PICTURE = ROOT / "docs" / "pictures" / "remesh_errors.svg"


@dataclass
class Case:
    """A scene. `pushed`: body whose contact force is probed. Published values: seconds per step of uniform 0 to 3
    and adaptive, on 16 threads; unknowns of uniform 2 and of the adaptive run on average. `gain` [J]: the published
    value if the scene has none and its program has another default."""
    name: str
    file: str
    pushed: str
    published: tuple
    unknowns: tuple
    gain: float = None


CASES = [
    Case("spikes (fig. 6.1)", "spikes3d/drop-ball.json", "sphere1K", (math.nan, 418, 8372, 40648, 12317),
         (900_000, 43_000)),
    Case("masticator (fig. 6.3)", "masticator/3D.json", "beam", (math.nan, 481, 9782, 16775, 8231), (63_000, 16_000)),
    Case("rollers (fig. 6.4)", "rollers/monkey-soft-hard.json", "monkey10k_u", (math.nan, 162, 3317, 23373, 1078),
         (800_000, 22_000)),
    Case("bar twist (fig. 6.6)", "twisting-beam/twisting-beam.json", "", (math.nan, 1.5, 232, 2734, 2235),
         (63_000, 24_000), 10.0),
    Case("impact (fig. 6.8)", "ball-wall/3D.json", "sphere1K", (math.nan, 5.9, 116, 8564, 961), (248_000, 50_000)),
]
# `adaptive` and `sizing field` with the thresholds of the scene, `by default` with ours.
VARIANTS = ["uniform 0", "uniform 1", "uniform 2", "adaptive", "by default", "sizing field"]


def refined_source(case, refinements, folder):
    """Returns the published scene with `n_refs`, so that its selections are made on the refined mesh."""
    source = peer_data() / FOLDER / "scripts" / case.file
    scene = json.loads(source.read_text())
    meshes = source.parent
    if "common" in scene:
        common = (source.parent / scene["common"]).resolve()
        scene["common"] = str(common)
        if "geometry" not in scene:
            scene["geometry"], meshes = json.loads(common.read_text())["geometry"], common.parent
        for change in scene.pop("patch", []):
            *keys, last = [int(key) if key.isdigit() else key for key in change["path"].split("/")[1:]]
            functools.reduce(lambda at, key: at[key], keys, scene)[last] = change["value"]
    for geometry in scene["geometry"]:
        geometry["mesh"] = str((meshes / geometry["mesh"]).resolve())
        if not geometry.get("is_obstacle"):
            geometry["n_refs"] = geometry.get("n_refs", 0) + refinements
    refined = folder / "source.json"
    refined.write_text(json.dumps(scene))
    return refined


def native_scene(program, case, variant, places, folder):
    path = folder / "scene.json"
    source = refined_source(case, int(variant.split()[1]) if variant.startswith("uniform") else 0, folder)
    read = subprocess.run([program, "convert", str(source), "-o", str(path), "--format", "polyfem", "--overwrite"],
                          capture_output=True, text=True)
    if read.returncode != 0:
        print(read.stdout + read.stderr)
        return None
    scene = json.loads(path.read_text())
    remesh = scene.pop("remesh", None) or {}
    if variant in ("adaptive", "sizing field"):
        scene["remesh"] = {**remesh, "criterion": "energy" if variant == "adaptive" else "size"}
        if case.gain:
            scene["remesh"]["gain"] = case.gain
        if variant == "sizing field":
            # Its refinement has no end where strains have a peak.
            scene["remesh"]["largest_count"] = MOST_OF_SIZING_FIELD
    elif variant == "by default":
        scene["remesh"] = {}
    first = scene["bodies"][0]["name"] if not case.pushed else case.pushed
    probes = [{"name": f"p{i}", "kind": "position", "body": first, "point": p} for i, p in enumerate(places)]
    if case.pushed:
        probes.append({"name": "push", "kind": "contact", "bodies": [case.pushed, ""]})
    scene["output"] = {"probes": probes, "frame_interval": 5, "checkpoint_interval": 1000000}
    path.write_text(json.dumps(scene))
    return path


def places_of(program, case, folder):
    """Returns vertices of the first surface of the scene, spread over their list: they are in every refined mesh."""
    scene = native_scene(program, case, "uniform 0", [], folder)
    if scene is None:
        return None
    out = folder / "start"
    subprocess.run([program, "run", str(scene), "-o", str(out), "--steps", "1", "-q", "--overwrite"],
                   capture_output=True, text=True)
    subprocess.run([program, "export", str(out), "-o", str(folder / "start.obj"), "--frames", "0:0", "--overwrite"], capture_output=True,
                   text=True)
    wanted = case.pushed or json.loads(scene.read_text())["bodies"][0]["name"]
    vertices, used, is_wanted = [], set(), False
    for line in sorted(folder.glob("start*.obj"))[0].read_text().splitlines():
        words = line.split()
        if not words:
            continue
        if words[0] == "o":
            is_wanted = words[1] == wanted.replace(" ", "_")
        elif words[0] == "v":
            vertices.append([float(x) for x in words[1:4]])
        elif words[0] == "f" and is_wanted:
            used.update(int(word.split("/")[0]) - 1 for word in words[1:])
    listed = sorted(used)
    return [vertices[v] for v in listed[:: max(1, len(listed) // NUM_PLACES)]][:NUM_PLACES]


class Progress:
    """The processor seconds of a running process by the steps that it has stored."""

    def __init__(self, pid, stats):
        self.pid, self.stats, self.steps, self.place = pid, stats, 0, 0
        self.seen = [(0, 0.0)]

    def seconds(self):
        fields = Path(f"/proc/{self.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def look(self):
        """Returns the processor seconds so far."""
        seconds = self.seconds()
        if self.stats.exists():
            with self.stats.open("rb") as stream:
                stream.seek(self.place)
                text = stream.read()
            self.place += len(text)
            self.steps += text.count(b"\n")
            if self.steps > self.seen[-1][0]:
                self.seen.append((self.steps, seconds))
        return seconds


def simulate(program, scene, out, limit, steps):
    """Runs the scene for `limit` processor seconds at most. Returns the largest memory in use [MB], and the processor
    seconds after steps, as pairs."""
    command = [program, "run", str(scene), "-o", str(out), "--threads", "1", "-q", "--overwrite", "--steps", str(steps)]
    (out / "stats.jsonl").unlink(missing_ok=True)
    with (out.parent / "messages.txt").open("w") as messages:
        process = subprocess.Popen(command, stdout=messages, stderr=messages)
        progress = Progress(process.pid, out / "stats.jsonl")
        while True:
            # The process is there until it is waited for, so that its last step is seen.
            has_ended = os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None
            seconds = progress.look()
            if has_ended:
                _, _, usage = os.wait4(process.pid, 0)
                progress.seen[-1] = (progress.steps, usage.ru_utime + usage.ru_stime)
                return usage.ru_maxrss / 1024, progress.seen
            if seconds > limit:
                process.terminate()
                limit = math.inf
            time.sleep(0.1)


def seconds_a_step(seen, count):
    """Returns the processor seconds of the first `count` steps by their number, from what was seen of the process."""
    for (steps, seconds), (later, end) in zip(seen, seen[1:]):
        if later >= count:
            return (seconds + (end - seconds) * (count - steps) / (later - steps)) / count
    return math.nan


def run(program, case, variant, places, limit, results, steps):
    """Runs a variant, unless `results` holds it already. Seconds and memory are those of the process."""
    folder = results / f"{case.name} {variant}".translate(str.maketrans({c: "_" for c in " (),./"}))
    folder.mkdir(parents=True, exist_ok=True)
    scene, out, measured = folder / "scene.json", folder / "run", folder / "measured.json"
    if not measured.exists() and native_scene(program, case, variant, places, folder) is None:
        return None
    checked = json.loads(subprocess.run([program, "check", str(scene), "--json"], capture_output=True, text=True).stdout)
    if not measured.exists():
        mb, seen = simulate(program, scene, out, limit, min(steps, checked["steps"]))
        measured.write_text(json.dumps({"mb": mb, "seen": seen}))
    records = [json.loads(line) for line in (out / "stats.jsonl").read_text().splitlines()] \
        if (out / "stats.jsonl").exists() else []
    if not records:
        print(f"{case.name}, {variant}: no step within {limit:g} s: {(folder / 'messages.txt').read_text()[-500:]}")
        return None
    verified = subprocess.run([program, "verify", str(out)], capture_output=True, text=True)
    with (out / "probes.csv").open() as stream:
        rows = list(csv.DictReader(stream))
    axes = [f"p{i}.{axis} [m]" for i in range(len(places)) for axis in "xyz"]
    forces = [name for name in rows[0] if name.startswith("push.normal")]
    return {"records": records, **json.loads(measured.read_text()),
            "unknowns": [3 * r.get("remesh", {}).get("vertices", checked["vertices"]) for r in records],
            "places": [[float(row[c]) for c in axes] for row in rows],
            "forces": [[float(row[c] or "nan") for c in forces] for row in rows[1:]],
            "is_clean": verified.returncode == 0, "verify": verified.stdout.strip().splitlines()[-1:]}


def error_of(ours, theirs, is_place):
    """Returns the error of places as displacements from the start, per place, or of forces as they are."""
    def sizes(rows, others):
        worst = 0.0
        for row, other in zip(rows, others):
            for k in range(0, len(row), 3):
                worst = max(worst, math.dist(row[k:k + 3], other[k:k + 3]))
        return worst
    if not theirs or not theirs[0]:
        return math.nan
    zero = [theirs[0]] * len(theirs) if is_place else [[0.0] * len(theirs[0])] * len(theirs)
    size = sizes(theirs, zero)
    return sizes(ours, theirs) / size if size > 0 else math.nan


def number(x, digits=3):
    return "" if math.isnan(x) else f"{x:.{digits}g}"


def percent(x):
    return "" if math.isnan(x) else f"{100 * x:.2g} %"


def measure(program, case, limit, results, most_steps, variants):
    """Returns the rows of a scene, and its points for the picture: seconds a step and error by variant."""
    folder = results / case.name.split()[0]
    folder.mkdir(parents=True, exist_ok=True)
    places = places_of(program, case, folder)
    if places is None:
        return [], {}
    runs = {variant: run(program, case, variant, places, limit, results, most_steps) for variant in variants}
    count = min((len(r["records"]) for r in runs.values() if r), default=0)
    uniform = [v for v in variants if v.startswith("uniform") and runs[v]]
    if count == 0 or not uniform:
        return [], {}
    reference = runs[uniform[-1]]
    rows, points = [], {}
    for variant in variants:
        result = runs[variant]
        if result is None:
            rows.append([case.name, variant] + [""] * 8 + ["no step"])
            continue
        records = result["records"][:count]
        mean = seconds_a_step(result["seen"], count)
        finest = result is reference
        place_error = math.nan if finest else error_of(result["places"][:count + 1], reference["places"][:count + 1], True)
        force_error = math.nan if finest else error_of(result["forces"][:count], reference["forces"][:count], False)
        points[variant] = (mean, 0.0 if finest else place_error)
        published = dict(zip(["uniform 0", "uniform 1", "uniform 2", "uniform 3", "adaptive"], case.published))
        unknowns = result["unknowns"][:count]
        failed = sum(r["status"] != "converged" for r in records)
        remarks = ([] if result["is_clean"] else result["verify"] or ["verify failed"]) + \
            ([f"{failed} steps did not converge"] if failed else [])
        rows.append([case.name, variant, str(count), number(mean), number(published.get(variant, math.nan)),
                     f"{statistics.fmean(unknowns):,.0f}", f"{max(unknowns):,}",
                     f"{result['mb']:.0f}", "finest" if finest else percent(place_error), percent(force_error),
                     "; ".join(remarks) or "verified"])
        print(" | ".join(rows[-1]), flush=True)
    return rows, points


EXPLANATION = ("`./dev bench remesh` runs the scenes of [Fer23, tables 6.1, 6.2]. `adaptive` and `sizing field` use their "
               "thresholds, and `by default` uses `remesh: {}`. All variants of a scene run over the same steps. Seconds "
               "are those of the processor. Errors are relative to the finest uniform variant: the largest error over the "
               "steps, divided by the largest value.")
HEADER = ["scene", "elements", "steps", "CPU s a step", "published (16 threads)", "unknowns, mean", "most",
          "MB", "error of places", "error of the contact force", ""]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", required=True)
    parser.add_argument("--only", help="scenes whose name holds one of these, with commas between")
    parser.add_argument("--variants", default=",".join(VARIANTS), help="of them, with commas between")
    parser.add_argument("--limit", type=float, default=7200,
                        help="processor seconds of a variant (default: two hours)")
    parser.add_argument("--steps", type=int, default=1000000, help="at most, and no more than the scene lasts")
    parser.add_argument("--results", type=Path, help="keep the result folders here; variants that are there already are not run again")
    parser.add_argument("--write", action="store_true", help="store the table in docs/benchmarks.md")
    arguments = parser.parse_args()
    if not (peer_data() / FOLDER).exists():
        sys.exit(f"skipped: no {FOLDER} in CLEARANCE_PEER_DATA")
    busy = busy_percent()
    rows, points = [], {}
    with tempfile.TemporaryDirectory() as folder:
        for case in CASES:
            if arguments.only and not any(word in case.name for word in arguments.only.split(",")):
                continue
            of_case, points[case.name] = measure(arguments.program, case, arguments.limit, arguments.results or Path(folder),
                                                 arguments.steps, arguments.variants.split(","))
            rows += of_case
    text = table(HEADER, rows)
    print(text)
    if arguments.write:
        note = f"{machine()}, busy at {busy:.0f} % before the start, {time.strftime('%d %B %Y')}. One thread."
        write_between_markers(ROOT / "docs" / "benchmarks.md", "remeshing",
                              f"## Elements that adapt\n\n{note} {EXPLANATION}\n\n{text}\n\n"
                              f"![Error of places against seconds](pictures/{PICTURE.name})")
        PICTURE.write_text(curves(points))


if __name__ == "__main__":
    main()
