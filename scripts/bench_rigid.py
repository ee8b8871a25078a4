#!/usr/bin/env python3
"""Times stiff bodies beside other engines: Bullet and MuJoCo on stacks of boxes in the same run, rigid-ipc by its figures.

Run by `./dev bench rigid`. Four parts, each by its name with `--only`:

  stacks   the free wrecking balls, one thread: time a step and deepest penetration at three time steps
  search   cost of a simulated second at a penetration of at most 1e-3 of a box: the peers' steps are shortened and
           their iterations raised until they reach it
  scenes   rigid-ipc's scenes for the steps its figures were measured over
  nets     nets of chain links up to 27,645 bodies: time by stage and memory

Scenes and meshes are looked for below CLEARANCE_BASELINES (`scenes/wb-*.json`) and CLEARANCE_PEER_DATA
(`rigid-ipc/`). Results are checked with `clearance verify`. `--write` stores the tables in docs/benchmarks.md.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import time
from fractions import Fraction
from pathlib import Path

from bench_common import (COMPARISON_HEADER, ROOT, baselines, busy_percent, compare_scene, machine, peer_data, run_scene,
                          summarize, table, write_between_markers)
from make_chain_net import net_scene

INTRO = """## Stiff bodies

Written by `./dev bench rigid --write`; every figure is from one run of it, but those of rigid-ipc.

- **Clearance:** {machine}; `-O3 -march=native`; processors {busy:.0f} % busy with other work at the start.
- **Bullet, MuJoCo:** Debian's packages (3.24, 2.2.2) on the same machine in the same run; box and sphere shapes, no sleeping.
- **rigid-ipc:** {source}
"""

STACKS_INTRO = """
### Stacks of boxes beside Bullet and MuJoCo

A ball of 250 t flies at 10 m/s into a stack of unit boxes of 1 t each (the affine paper's wrecking ball, cut free).
There is no friction, the simulated time is {seconds:g} s, and one thread is used. Each cell has the **CPU milliseconds per
step**, then the deepest penetration of any two bodies [m]. A separating-axis test of our own measures the penetration
every 1/1000 s (after every step if steps are longer). Clearance tests whole paths for contact; its frames every 1/100 s
are checked with exact arithmetic (`clearance verify`).
"""

# Frames of the largest stack: file, frame, caption.
FRAMES = [("wrecking_ball_start.png", 0, "560 boxes before the impact"), ("wrecking_ball_impact.png", 50, "after 0.5 s"),
          ("wrecking_ball_end.png", -1, "at the end")]
PICTURES = "\n" + "\n".join(f"![{caption}](pictures/{name})" for name, _, caption in FRAMES) + "\n"

SEARCH_INTRO = """
### The cost of a simulated second without visible penetration

The table shows the CPU seconds for one simulated second at a penetration of at most {depth:g} of a box. The step of another
engine is shortened (no further than {finest:g} s), with each of several settings of its solver, until a run of {seconds:g} s
stays below that depth. A try is ended as soon as it takes more than {budget:g} s or costs more than the best one so far.
Clearance penetrates at no step, so that its cheapest step counts.
"""

NETS_INTRO = """
### Nets of chain links

The first steps of nets whose links start apart and fall onto each other (`scripts/make_chain_net.py`; 27,645 links are the
affine paper's fig. 15), {threads} threads. Wall seconds a step by stage; *start and output* is all else.
"""

SCENES_INTRO = """
### rigid-ipc's scenes

{scene_source} Clearance runs the same files for the same first steps with {threads} threads, as
affine bodies. *s a step* is the mean elapsed time of a step without output. Each cell has the value of **Clearance**,
then that of rigid-ipc.
"""


def say(text):
    print(text, flush=True)


# --- Clearance on a scene ---


def verdict(program, folder):
    """Returns text for the table, and whether all frames are free of intersections."""
    process = subprocess.run([program, "verify", "--json", str(folder)], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    if process.returncode not in (0, 1) or not process.stdout:
        return "not checked", False
    report = json.loads(process.stdout)
    if report["ok"]:
        return "0", True
    return f"{report['intersections']} intersections", False


def run_clearance(options, scene, step, seconds, picture=None):
    """Runs with one thread and a frame every 1/100 s, all of them verified. None if the program produces no step."""
    with tempfile.TemporaryDirectory() as folder:
        num_steps = round(seconds / step)
        result = Path(folder) / "result"
        run = run_scene(options.program, scene, num_steps, 1, result, frame_interval=max(1, round(Fraction(1, 100) / step)),
                        settings=[f"time.step={float(step)!r}", f"time.duration={seconds}"])
        for note in run["notes"][:3]:
            say("  " + note.replace(str(scene.parent) + "/", ""))
        if not run["records"]:
            return None
        s = summarize(run)
        s["penetration"], s["is_clean"] = verdict(options.program, result)
        # Both hold the CPU time of the steps: their wall time, and the CPU time of the process with its output.
        s["seconds"] = min(s["seconds"], s["cpu"])
        s["is_complete"] = s["steps"] == num_steps
        if picture:
            for name, frame, _ in FRAMES:
                subprocess.run([options.program, "render", str(result), "-o", str(picture / name), "--frame", str(frame),
                                "--size", "960x540"], check=True)
        return s


# --- peers on a stack ---


def run_peer(options, engine, scene, meshes, step, arguments):
    command = [str(options.peers / engine["program"]), str(scene), "--meshes", str(meshes), "--step", repr(float(step)),
               "--seconds", repr(options.seconds), *arguments]
    process = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if process.returncode == 0:
        return json.loads(process.stdout)
    say("    " + process.stderr.strip())
    return {"end": "failed", "steps": 0, "step": step, "deepest": float("inf"), "cpu_ms_a_step": 0, "cpu_s_a_second": 0}


def peer_cell(result):
    if result["end"] == "failed":
        return "failed"
    text = f"**{result['cpu_ms_a_step']:.3g}**, {result['deepest']:.2g}"
    if result["end"] != "complete":
        text += f" ({result['end']} after {result['steps']} steps)"
    return text


def bench_stacks(options, reference, meshes, picture):
    """Returns rows of the table, and Clearance's cost of a simulated second by stack and step."""
    rows, costs = [], {}
    steps = [Fraction(*fraction) for fraction in reference["steps"]]
    for stack in chosen_stacks(options, reference):
        scene = baselines() / "scenes" / stack["scene"]
        row = ["**Clearance**", str(stack["boxes"])]
        for step in steps:
            say(f"{stack['name']}: Clearance, h = {step} ...")
            wants_picture = picture if stack is reference["stacks"][-1] and step == steps[0] else None
            s = run_clearance(options, scene, step, options.seconds, wants_picture)
            if s is None:
                row.append("failed")
                continue
            cell = f"**{1e3 * s['seconds']:.3g}**, {s['penetration']}"
            if not s["is_complete"] or s["failed"] > 0:
                cell += f" ({s['steps']} steps, {s['failed']} not converged)"
            elif s["is_clean"]:
                costs.setdefault(stack["name"], {})[step] = s["seconds"] / float(step)
            row.append(cell)
            say(f"  {cell}, {s['newton']:.1f} iterations per step")
        rows.append(row)
        for engine in reference["engines"]:
            row = [engine["name"], str(stack["boxes"])]
            for step in steps:
                result = run_peer(options, engine, scene, meshes, step,
                                  [*engine["arguments"].split(), "--cpu-budget", str(options.budget)])
                row.append(peer_cell(result))
                say(f"{stack['name']}: {engine['name']}, h = {step}: {row[-1]}")
            rows.append(row)
    header = ["engine", "boxes"] + [f"h = {step} s" for step in steps]
    return table(header, rows) + PICTURES, costs


# --- cost at a depth ---


def search_peer(options, engine, scene, meshes, search):
    """Returns the cheapest run that keeps below the depth, with its settings as `settings`, or None; and the results
    of all tries."""
    best, tries, failure = None, 0, ""
    for settings in engine["tries"]:
        for step in search["steps"]:
            budget = min(options.budget, best["cpu_s_a_second"] * options.seconds if best else options.budget)
            result = run_peer(options, engine, scene, meshes, step,
                              [*settings.split(), "--stop-depth", str(search["depth"]), "--cpu-budget", repr(budget)])
            tries += 1
            if result["end"] == "complete" and result["deepest"] <= search["depth"]:
                if best is None or result["cpu_s_a_second"] < best["cpu_s_a_second"]:
                    best = {**result, "settings": settings.replace("--", "").replace("solver ", "")}
                break
            simulated = result["steps"] * result["step"]
            failure = f"{result['end']} after {simulated:.2g} s at h = {step:g}, {settings.replace('--', '')}"
            say(f"    {engine['name']}: {failure}")
            # Shorter steps cost even more, and a run that fails at all fails at any step.
            if result["end"] in ("over budget", "failed"):
                break
    found = f"{best['cpu_s_a_second']:.3g} s, h = {best['step']:g}, {best['settings']}" if best else "not reached"
    say(f"  {engine['name']}: {found}")
    return best, f"{tries} tries, the last {failure}"


def search_row(engine, boxes, best, history):
    if best is None:
        return [engine["name"], boxes, "", "", f"not reached ({history})", ""]
    return [engine["name"], boxes, f"{best['step']:g}", best["settings"], f"{best['cpu_s_a_second']:.3g}",
            f"{best['deepest']:.2g}"]


def bench_search(options, reference, meshes, costs):
    search, rows = reference["search"], []
    for stack in chosen_stacks(options, reference):
        say(f"{stack['name']}: search ...")
        scene, boxes = baselines() / "scenes" / stack["scene"], str(stack["boxes"])
        found = []
        for engine in search["engines"]:
            best, history = search_peer(options, engine, scene, meshes, search)
            found += [best["cpu_s_a_second"]] if best else []
            rows.append(search_row(engine, boxes, best, history))
        ours = costs.get(stack["name"], {})
        if not ours:
            rows.append(["**Clearance**", boxes, "", "", "no complete run", ""])
            continue
        step, cost = min(ours.items(), key=lambda item: item[1])
        place = "cheapest" if all(cost < other for other in found) else "not the cheapest"
        rows.append(["**Clearance**", boxes, str(step), "", f"**{cost:.3g}** ({place})", "0"])
        say(f"  Clearance: {cost:.3g} s at h = {step}: {place}")
    return table(["engine", "boxes", "h [s]", "settings", "CPU s a simulated second", "deepest [m]"], rows)


def chosen_stacks(options, reference):
    return [stack for stack in reference["stacks"] if not options.stack or stack["name"] == options.stack]


# --- rigid-ipc's scenes ---


def speed_up(ours, theirs, wanted):
    if theirs is None:
        return ""
    factor = theirs / ours
    if wanted is None:
        return f"{factor:.0f}x"
    return f"{factor:.0f}x ({'wanted' if factor >= wanted else 'below'} {wanted}x)"


def both(ours, theirs):
    return f"**{ours}**, {theirs}"


def scene_row(scene, s, checked):
    # If other work has spoilt rigid-ipc's wall time, its CPU time is compared.
    wall, wanted = scene.get("seconds"), scene.get("faster")
    name = scene["name"] + (f" ({s['steps']} of {scene['steps']} steps)" if s["steps"] != scene["steps"] else "")
    return [name, str(scene["bodies"]), str(s["steps"]), both(f"{s['seconds']:.4f}", f"{wall:g}" if wall else "unknown"),
            speed_up(s["seconds"], wall, wanted), both(f"{s['cpu']:.4f}", f"{scene['cpu']:g}"),
            speed_up(s["cpu"], scene["cpu"], None if wall else wanted), both(f"{s['newton']:.1f}", f"{scene['newton']:g}"),
            str(s["contacts"]), both(f"{s['mb']:.0f}", scene["mb"]), str(s["failed"]), checked,
            " / ".join(f"{p:.0f}" for p in s["split"])]


SCENE_HEADER = ["scene", "bodies", "steps", "s a step", "faster", "cpu s a step", "faster in cpu", "Newton a step",
                "most contacts", "MB", "steps not converged", "intersections",
                "linear / CCD / broad phase and bounds / assembly / line search / other, per cent"]


def chosen_scenes(options, reference):
    """Returns the scenes and their files."""
    for scene in reference["scenes"]:
        if not options.scene or options.scene in scene["name"]:
            is_stack = scene["scene"].startswith("wb-")
            fixtures = baselines() / "scenes" if is_stack else peer_data() / "rigid-ipc" / "fixtures" / "3D"
            yield scene, fixtures / scene["scene"]


def compare_scenes(options, reference):
    rows = []
    for scene, script in chosen_scenes(options, reference):
        rows.append(compare_scene(scene["name"], options.against, options.program, script, scene["steps"], options.threads))
        say("  ".join(rows[-1]))
    return table(COMPARISON_HEADER, rows)


def bench_scenes(options, reference):
    rows = []
    for scene, script in chosen_scenes(options, reference):
        with tempfile.TemporaryDirectory() as folder:
            say(f"{scene['name']}: {scene['steps']} steps ...")
            result = Path(folder) / "result"
            run = run_scene(options.program, script, scene["steps"], options.threads, result, frame_interval=10)
            for note in run["notes"][:3]:
                say("  " + note.replace(str(peer_data()) + "/", ""))
            if not run["records"]:
                say(f"{scene['name']}: FAILED with exit status {run['exit']}")
                rows.append([scene["name"], str(scene["bodies"]), "0", "failed"] + [""] * (len(SCENE_HEADER) - 4))
                continue
            row = scene_row(scene, summarize(run), verdict(options.program, result)[0])
        say(f"  {row[3]} s a step: {row[4]}; cpu: {row[6]}; {row[7]} iterations, not converged {row[10]}, intersections {row[11]}")
        rows.append(row)
    return table(SCENE_HEADER, rows)


# --- nets ---


NET_STAGES = ["total", "linear_solve", "ccd", "broad_phase", "assembly", "line_search", "other"]


def bench_nets(options, reference):
    rows = []
    for case in reference["nets"]:
        content, num_links = net_scene(case["size"])
        say(f"net of {num_links} links: {case['steps']} steps ...")
        with tempfile.TemporaryDirectory() as folder:
            scene = Path(folder) / "net.json"
            scene.write_text(json.dumps(content))
            result = Path(folder) / "result"
            start = time.monotonic()
            run = run_scene(options.program, scene, case["steps"], options.threads, result, frame_interval=case["steps"])
            wall = time.monotonic() - start
            if not run["records"]:
                say(f"  FAILED with exit status {run['exit']}: {run['notes'][:3]}")
                continue
            checked = verdict(options.program, result)[0]
        s, steps = summarize(run), len(run["records"])
        stages = [sum(r["seconds"][stage] for r in run["records"]) / steps for stage in NET_STAGES]
        rows.append([str(num_links), str(steps), f"{s['newton']:.1f}", str(s["contacts"]), f"{s['mb'] / 1024:.2f}",
                     f"{wall - s['seconds'] * steps:.1f}", *(f"{seconds:.3g}" for seconds in stages), str(s["failed"]), checked])
        say(f"  {stages[0]:.3g} s a step, {s['newton']:.1f} iterations, {s['mb'] / 1024:.2f} GB")
    header = ["links", "steps", "Newton a step", "most contacts", "GB", "start and output, s", "s a step", "linear", "CCD",
              "broad phase and bounds", "assembly", "line search", "other", "steps not converged", "intersections"]
    return table(header, rows)


def parse_options():
    parser = argparse.ArgumentParser(prog="./dev bench rigid", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", required=True, help=argparse.SUPPRESS)
    parser.add_argument("--peers", required=True, type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--only", choices=["stacks", "search", "scenes", "nets"], help="one part (search runs the stacks as well)")
    parser.add_argument("--stack", choices=["wb-light", "wb-medium", "wb-full"], help="one stack")
    parser.add_argument("--scene", metavar="NAME", help="only rigid-ipc's scenes whose name holds NAME")
    parser.add_argument("--seconds", type=float, default=2.0, help="simulated, of the stacks")
    parser.add_argument("--budget", type=float, default=120.0, help="CPU seconds that a peer's run may take")
    parser.add_argument("--threads", type=int, default=2, help="on rigid-ipc's scenes")
    parser.add_argument("--write", action="store_true", help="store the tables and pictures in docs/")
    parser.add_argument("--against", metavar="PROGRAM",
                        help="another clearance: only rigid-ipc's scenes, both programs turn by turn")
    options = parser.parse_args()
    if options.write and (options.only or options.stack or options.scene or options.against):
        parser.error("--write stores everything; leave --only, --stack, --scene and --against out")
    return options


def main():
    options = parse_options()
    reference = json.loads((ROOT / "benchmarks" / "rigid_reference.json").read_text())
    meshes = peer_data() / "rigid-ipc" / "meshes"
    if not meshes.is_dir() or not (baselines() / "scenes").is_dir():
        say("SKIPPED: no peer data; name its folders with CLEARANCE_PEER_DATA and CLEARANCE_BASELINES")
        return 0
    if options.against:
        say("\n" + compare_scenes(options, reference))
        return 0
    text = INTRO.format(machine=machine(), busy=busy_percent(), source=reference["source"])
    if options.only in (None, "stacks", "search"):
        # The judge of the peers is itself checked first, on known cases.
        subprocess.run([str(options.peers / "peer_checks"), "--gtest_brief=1"], check=True)
        stacks, costs = bench_stacks(options, reference, meshes, ROOT / "docs" / "pictures" if options.write else None)
        text += STACKS_INTRO.format(seconds=options.seconds) + "\n" + stacks
        if options.only != "stacks":
            search = reference["search"]
            text += SEARCH_INTRO.format(seconds=options.seconds, budget=options.budget, finest=min(search["steps"]),
                                        depth=search["depth"]) + "\n"
            text += bench_search(options, reference, meshes, costs)
    if options.only in (None, "scenes"):
        text += SCENES_INTRO.format(threads=options.threads, **reference) + "\n" + bench_scenes(options, reference)
    if options.only in (None, "nets"):
        text += NETS_INTRO.format(threads=options.threads) + "\n" + bench_nets(options, reference)
    print("\n" + text)
    if options.write:
        write_between_markers(ROOT / "docs" / "benchmarks.md", "rigid", text)
        say("written: docs/benchmarks.md")
    return 0


if __name__ == "__main__":
    sys.exit(main())
