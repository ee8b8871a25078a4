#!/usr/bin/env python3
"""Dense contact and hard impacts: `./dev bench dense`.

  scenes   the IPC reference's scenes of many contacts, their first steps: directions of everything and of parts, CPU
           seconds; beside another program with --against
  impacts  random impacts at 1000 m/s of materials from 1e3 to 1e11 Pa: how many steps converge within 200 iterations;
           every result is verified (no intersection, no inverted element); beside another program with --against
  full     the stress scenes of tables C.2 to C.5 of [Fer23] from their first to their last step, each verified, beside
           the paper's figures. This takes hours: runs in the folder --results continue from their checkpoints, and
           --seconds bounds every scene

Scenes are read below `ipc/input` of the folder CLEARANCE_PEER_DATA. One thread each.
"""

import argparse
import collections
import json
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from bench_common import (COMPARISON_HEADER, ROOT, busy_percent, compare_scene, machine, peer_data, read_stats, run_scene,
                          statuses_text, table)
from hard_impacts import impact_scene

PARTS = ("scenes", "impacts", "full")


def statuses_of(records):
    return statuses_text(collections.Counter(record["status"] for record in records))


def chosen(entries, names):
    """Returns the entries whose name or script contains one of the names."""
    return [e for e in entries if not names or any(n in e.get("name", e["script"]) for n in names)]


# --- scenes ---


def bench_scenes(options, scenes, inputs):
    rows = []
    for scene in scenes:
        script = inputs / scene["script"]
        if options.against:
            rows.append(compare_scene(script.stem, options.against, options.program, script, scene["steps"], 1, repetitions=1))
        else:
            with tempfile.TemporaryDirectory() as folder:
                run = run_scene(options.program, script, scene["steps"], 1, Path(folder) / "result")
            records = run["records"]
            rows.append([script.stem, str(len(records)), str(sum(r["newton_iterations"] for r in records)),
                         str(sum(r["partial_iterations"] for r in records)), f"{run['cpu']:.1f}", statuses_of(records)])
        print("  ".join(rows[-1]), flush=True)
    header = COMPARISON_HEADER if options.against else ["scene", "steps", "Newton iterations", "of parts", "CPU s",
                                                        "not converged"]
    return table(header, rows)


# --- impacts ---


def run_impact(program, scene, settings, folder):
    """Returns the records of a run, and the complaints of `verify` or of the program."""
    path, results = folder / "scene.json", folder / "result"
    path.write_text(json.dumps(scene))
    command = [program, "run", path, "-o", results, "--threads", "1", "-q"]
    for setting in settings:
        command += ["--set", setting]
    try:
        process = subprocess.run(command, capture_output=True, text=True, timeout=600)
    except subprocess.TimeoutExpired:
        return [], "took more than 600 s"
    if process.returncode != 0:
        return [], f"exit {process.returncode}: {process.stderr.strip()[:200]}"
    verdict = subprocess.run([program, "verify", results], capture_output=True, text=True)
    return read_stats(results / "stats.jsonl"), "" if verdict.returncode == 0 else verdict.stdout.strip()[-200:]


def bench_impacts(options):
    settings = {options.against: [], options.program: options.set}
    programs = [p for p in (options.against, options.program) if p]
    totals = {program: collections.Counter() for program in programs}
    complaints = []
    for seed in range(options.seed, options.seed + options.count):
        for program in programs:
            with tempfile.TemporaryDirectory(prefix="impact-") as folder:
                records, complaint = run_impact(program, impact_scene(seed, 200), settings[program], Path(folder))
            if complaint:
                complaints.append(f"{program}, seed {seed}: {complaint}")
                print(complaints[-1], flush=True)
            total = totals[program]
            total["steps"] += len(records)
            total["converged"] += sum(r["status"] == "converged" for r in records)
            total["iterations"] += sum(r["newton_iterations"] for r in records)
            total["wrong"] += bool(complaint)
        if (seed - options.seed + 1) % 25 == 0:
            print(f"{seed - options.seed + 1} of {options.count}: " + ", ".join(
                f"{100 * t['converged'] / max(t['steps'], 1):.1f} %" for t in totals.values()), flush=True)
    rows = [[str(program), str(options.count), str(t["steps"]), f"{100 * t['converged'] / max(t['steps'], 1):.2f} %",
             str(t["iterations"]), str(t["wrong"])] for program, t in totals.items()]
    return table(["program", "scenes", "steps", "converged", "Newton iterations", "failed or found by verify"], rows)


# --- full ---


def write_script(scene, inputs, folder):
    """Returns the published script, or a copy in which a mesh has been exchanged."""
    script = inputs / scene["script"]
    if "replace" not in scene:
        return script
    old, new = scene["replace"]
    text = script.read_text()
    if old not in text:
        raise SystemExit(f"{script}: has no '{old}'")
    changed = folder / f"{script.stem}_changed.txt"
    changed.write_text(text.replace(old, new).replace("input/", f"{inputs}/"))
    return changed


def run_on(program, script, results, seconds):
    """Runs from the last checkpoint to the end, or as far as these seconds allow."""
    command = [program, "run", script, "-o", results, "--threads", "1", "-q", "--set", "output.frame_interval=10"]
    if (results / "checkpoint").exists():
        command.append("--resume")
    with tempfile.TemporaryFile("w+") as messages:
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=messages)
        try:
            process.wait(timeout=seconds)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGINT)  # the process ends with the step, which it stores
            process.wait()
        messages.seek(0)
        return process.returncode, messages.read().strip()


def full_row(scene, records, is_verified):
    """Returns a row with our numbers in bold, after the paper's if it has one."""
    def both(key, ours):
        return f"{scene[key]:g}, **{ours}**" if key in scene else f"**{ours}**"

    steps = len(records)
    newton = sum(r["newton_iterations"] for r in records) / steps
    seconds = sum(r["seconds"]["total"] for r in records) / steps
    return [scene["name"], str(steps) if steps == scene["steps"] else f"{steps} of {scene['steps']}",
            str(max(r["contacts"] for r in records)), both("newton", f"{newton:.1f}"), both("seconds", f"{seconds:.2f}"),
            statuses_of(records), "yes" if is_verified else "NO"]


def bench_full(options, scenes, inputs):
    rows = []
    for scene in scenes:
        results = options.results / scene["name"].replace(" ", "_").replace(",", "")
        results.parent.mkdir(parents=True, exist_ok=True)
        start = time.time()
        status, messages = run_on(options.program, write_script(scene, inputs, options.results), results, options.seconds)
        records = read_stats(results / "stats.jsonl")
        if not records:
            print(f"{scene['name']}: FAILED with exit status {status}: {messages[:300]}", flush=True)
            continue
        verdict = subprocess.run([options.program, "verify", results], capture_output=True, text=True)
        rows.append(full_row(scene, records, verdict.returncode == 0))
        print("  ".join(rows[-1]) + f"  ({time.time() - start:.0f} s, exit status {status})", flush=True)
    return table(["scene", "steps", "most contacts", "Newton a step", "s a step", "not converged", "verified"], rows)


def main():
    parser = argparse.ArgumentParser(prog="./dev bench dense", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", required=True, help=argparse.SUPPRESS)
    parser.add_argument("--part", choices=PARTS, default="scenes", help="default scenes")
    parser.add_argument("--only", metavar="NAME", action="append", help="scenes whose name holds NAME; may be repeated")
    parser.add_argument("--against", metavar="PROGRAM", help="another clearance: both programs turn by turn")
    parser.add_argument("--count", type=int, default=500, help="of impacts (default 500)")
    parser.add_argument("--seed", type=int, default=1, help="of the first impact (default 1)")
    parser.add_argument("--set", metavar="KEY=VALUE", action="append", default=[],
                        help="of impacts, for the program that was built here only, not for --against")
    parser.add_argument("--seconds", type=float, default=7200, help="of every full scene (default 7200)")
    parser.add_argument("--results", type=Path, default=ROOT / "out" / "dense", help="of full scenes (default out/dense)")
    options = parser.parse_args()
    if options.against and options.part == "full":
        parser.error("--against compares scenes or impacts")

    inputs = peer_data() / "ipc" / "input"
    if options.part != "impacts" and not inputs.is_dir():
        print("SKIPPED: no peer data; name the folder that holds ipc/input with CLEARANCE_PEER_DATA")
        return 0
    print(f"{machine()}; processors {busy_percent():.0f} % busy with other work", flush=True)
    data = json.loads((ROOT / "benchmarks" / "ipc_dense.json").read_text())
    if options.part == "impacts":
        print("\n" + bench_impacts(options))
    else:
        run_part = bench_scenes if options.part == "scenes" else bench_full
        print("\n" + run_part(options, chosen(data[options.part], options.only), inputs))
    return 0


if __name__ == "__main__":
    sys.exit(main())
