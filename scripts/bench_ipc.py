#!/usr/bin/env python3
"""Times the benchmark scenes and contact kernels and prints them beside the IPC reference's and IPC Toolkit's figures.

Run by `./dev bench ipc`. The scenes are the reference's own scripts, below `ipc/input` of the folder
CLEARANCE_PEER_DATA; they run one after another through the program itself. `--write` stores the tables as
docs/benchmarks.md.
"""

import argparse
import json
import statistics
import subprocess
import sys
import tempfile

from bench_common import (COMPARISON_HEADER, ROOT, busy_percent, compare_scene, machine, peer_data, ratio_text, run_scene,
                          summarize, table, write_between_markers)

INTRO = """## Deformable bodies

`./dev bench ipc --write` writes this section. Every figure is from one run of it.

- **Clearance:** {machine}; {threads} threads, `-O3 -march=native`; processors {busy:.0f} % busy with other work at the start.
- **Reference:** {source}

The machines differ. A ratio is therefore only as good as the comparison of their processors.
"""

SCENES_INTRO = """
### Scenes

{scene_source} Clearance runs the same scripts for the same first steps. *s a step* is the mean elapsed time of a step
without output, and *cpu* is the CPU time of the whole process. Each cell has the value of **Clearance**, then that of
the reference.
"""

SPLIT_INTRO = """
### Where the time goes

The table shows shares of the elapsed time of the steps in per cent, then those of the parts of the linear solver:
analysis (fill-reducing order and symbolic factorisation), numeric factorisation, and substitution. The *floor* is the
time of one numeric factorisation and one substitution per iteration. A step would take this long if everything else
took no time.
"""

KERNELS_INTRO = """
### Contact kernels

{kernel_source} The table shows milliseconds with 1 and with {threads} threads: Clearance's smallest and median
time of {repetitions} repetitions, then the toolkit's time. The ratio is that of the smallest time to the toolkit's.
"""


# --- scenes ---


def scene_rows(scene, s):
    name = scene["name"] + (f" ({s['steps']} of {scene['steps']} steps)" if s["steps"] != scene["steps"] else "")
    reference_ms = 1e3 * scene["seconds"] / scene["newton"]
    speed = [name, f"**{s['seconds']:.3f}**, {scene['seconds']:g}",
             ratio_text(s["seconds"] / scene["seconds"], scene["wanted"]), f"**{s['cpu']:.3f}**, {scene['cpu']:g}",
             f"**{s['newton']:.1f}**, {scene['newton']:g}", f"**{s['ms']:.1f}**, {reference_ms:.0f}",
             f"**{s['contacts']}**, {scene['contacts']}", f"**{s['mb']:.0f}**, {scene['mb']}", str(s["failed"])]
    split = [scene["name"], " / ".join(f"{p:.0f}" for p in s["split"]), " / ".join(str(p) for p in scene["split"]),
             " / ".join(f"{p:.0f}" for p in s["linear"]), f"{s['floor']:.4f}", f"{s['over_floor']:.1f}",
             f"{s['candidates']:.0f}", f"{s['ccd_calls']:.0f}"]
    return speed, split


SPEED_HEADER = ["scene", "s a step", "ratio (wanted)", "cpu s a step", "Newton a step", "ms an iteration",
                "most contacts", "MB", "steps not converged"]
SPLIT_HEADER = ["scene", "linear / CCD / broad phase and bounds / assembly / line search / other", "reference's split",
                "analysis / factorisation / substitution", "floor, s per step", "step / floor", "candidates an iteration",
                "CCD calls an iteration"]


def chosen_scenes(options, reference, inputs):
    """Returns the available scenes and their scripts."""
    for scene in reference["scenes"]:
        if options.only and options.only not in scene["name"]:
            continue
        script = inputs / scene["script"]
        if script.exists():
            yield scene, script
        else:
            print(f"{scene['name']}: SKIPPED, its script is missing", flush=True)


def bench_scenes(options, reference, inputs):
    speed, split = [], []
    for scene, script in chosen_scenes(options, reference, inputs):
        print(f"{scene['name']}: {scene['steps']} steps ...", flush=True)
        with tempfile.TemporaryDirectory() as folder:
            run = run_scene(options.program, script, scene["steps"], options.threads, folder)
        for note in run["notes"][:3]:
            print("  " + note.replace(str(inputs) + "/", ""))
        if not run["records"]:
            print(f"{scene['name']}: FAILED with exit status {run['exit']}", flush=True)
            continue
        s = summarize(run)
        print(f"  {s['seconds']:.3f} s a step (reference {scene['seconds']:g}), {s['newton']:.1f} Newton iterations,"
              f" {s['over_floor']:.1f} times the floor", flush=True)
        rows = scene_rows(scene, s)
        speed.append(rows[0])
        split.append(rows[1])
    return speed, split


def compare_scenes(options, reference, inputs):
    rows = []
    for scene, script in chosen_scenes(options, reference, inputs):
        rows.append(compare_scene(scene["name"], options.against, options.program, script, scene["steps"], options.threads))
        print("  ".join(rows[-1]), flush=True)
    return table(COMPARISON_HEADER, rows)


# --- kernels ---


def run_kernels(benchmarks, repetitions):
    command = [benchmarks, "--benchmark_filter=^Contact/", f"--benchmark_repetitions={repetitions}",
               "--benchmark_min_time=0.1", "--benchmark_format=json", "--benchmark_enable_random_interleaving=true"]
    output = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True).stdout
    times, counts = {}, {}
    for entry in json.loads(output)["benchmarks"]:
        if entry["run_type"] != "iteration" or entry.get("error_occurred"):
            continue
        _, mesh, row, threads = entry["run_name"].split("/")[:4]
        key = (mesh, row, int(threads.split(":")[1]))
        times.setdefault(key, []).append(entry["real_time"])
        counts[mesh, row] = entry["count"]
    return times, counts


def bench_kernels(options, reference):
    times, counts = run_kernels(options.benchmarks, options.repetitions)
    if not times:
        print("contact kernels: SKIPPED, the baseline meshes are missing (CLEARANCE_BASELINES)")
        return []
    rows = []
    for kernel in reference["kernels"]:
        for m, mesh in enumerate(reference["meshes"]):
            if (mesh, kernel["row"], 1) not in times:
                continue
            row = [kernel["name"], mesh]
            if "count" in kernel:
                row.append(f"{counts[mesh, kernel['row']]:.0f}, {kernel['count'][m]}")
            else:
                row.append("")
            for t, threads in enumerate((1, 2)):
                ours, theirs = times[mesh, kernel["row"], threads], kernel["ms"][m][t]
                row.append(f"**{min(ours):.3g}** / {statistics.median(ours):.3g}, {theirs:g}")
                row.append(ratio_text(min(ours) / theirs, kernel.get("wanted")))
            rows.append(row)
    return rows


KERNEL_HEADER = ["kernel", "mesh", "found, toolkit found", "1 thread, ms", "ratio (wanted)", "2 threads, ms",
                 "ratio (wanted)"]

KERNEL_NOTES = """
The broad phase finds pairs of a vertex and a triangle, and of two edges, that share no vertex and whose boxes overlap.
Contacts are counted after equal stencils have been joined. Clearance's boxes are floats that are rounded outwards. They
may find a few more pairs than boxes of doubles, but never fewer. Among the swept pairs of c3_armadillos_52k, 19 are of
this kind; without them, the counts are equal. The time for a new matrix includes making its pattern from the contacts;
the solver keeps one matrix for many iterations.
"""


def main():
    parser = argparse.ArgumentParser(prog="./dev bench ipc", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", required=True, help=argparse.SUPPRESS)
    parser.add_argument("--benchmarks", required=True, help=argparse.SUPPRESS)
    parser.add_argument("--only", metavar="NAME", help="scenes whose name holds NAME; `kernels`: only the kernels")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--repetitions", type=int, default=9, help="of every kernel")
    parser.add_argument("--write", action="store_true", help="store the tables in docs/benchmarks.md")
    parser.add_argument("--against", metavar="PROGRAM", help="another clearance: only the scenes, both programs turn by turn")
    options = parser.parse_args()
    if options.write and (options.only or options.against):
        parser.error("--write stores all scenes and kernels; leave --only and --against out")

    reference = json.loads((ROOT / "benchmarks" / "ipc_reference.json").read_text())
    inputs = peer_data() / "ipc" / "input"
    if options.only != "kernels" and not inputs.is_dir():
        print("SKIPPED: no peer data; name the folder that holds ipc/input with CLEARANCE_PEER_DATA")
        return 0
    if options.against:
        print("\n" + compare_scenes(options, reference, inputs))
        return 0
    busy = busy_percent()

    text = INTRO.format(machine=machine(), threads=options.threads, busy=busy, source=reference["source"])
    if options.only != "kernels":
        speed, split = bench_scenes(options, reference, inputs)
        text += SCENES_INTRO.format(**reference) + "\n" + table(SPEED_HEADER, speed)
        text += SPLIT_INTRO + "\n" + table(SPLIT_HEADER, split)
    if options.only in (None, "kernels"):
        print("contact kernels ...", flush=True)
        rows = bench_kernels(options, reference)
        text += KERNELS_INTRO.format(threads=2, repetitions=options.repetitions, **reference) + "\n"
        text += table(KERNEL_HEADER, rows) + KERNEL_NOTES
    print("\n" + text)
    if options.write:
        write_between_markers(ROOT / "docs" / "benchmarks.md", "ipc", text)
        print("written: docs/benchmarks.md")
    return 0


if __name__ == "__main__":
    sys.exit(main())
