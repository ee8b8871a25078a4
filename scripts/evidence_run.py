"""One slice of a scene of `./dev evidence`: it is continued for some time, checked, and its statistics are stored.

Frames are few, so that days of runs fit on a disk: about 40 spread over the run, fewer where they are large, and one that
the program stores whenever a slice ends. `clearance verify` needs all frames that stats.jsonl lists, so none is deleted
before the scene is complete. A checkpoint is due at every step: a killed run repeats half a second of steps and the one under way.
"""

import json
import math
import os
import shutil
import signal
import subprocess
import time
from collections import Counter

from bench_common import peer_data, read_stats, run_limited, run_printing
from evidence_scenes import store_state

# Seconds of the first slice; every further one is twice as long, up to an hour.
FIRST_SLICE, LONGEST_SLICE = 60, 3600
NUM_FRAMES = 40
# Bytes of the frames of a scene, by which large ones have fewer; sizes a vertex and an element, measured on
# tetrahedra of order 1.
FRAMES_SIZE, VERTEX_SIZE, ELEMENT_SIZE = 3e8, 48, 34
# Before its end a scene is verified where that takes less than this share of the seconds run since the last time.
VERIFY_SHARE = 0.1


def frame_interval(read):
    size = VERTEX_SIZE * read["vertices"] + ELEMENT_SIZE * read["elements"]
    frames = min(NUM_FRAMES, max(2, int(FRAMES_SIZE / max(size, 1))))
    return max(1, math.ceil(read["steps"] / frames))


def num_steps(result):
    """Returns the number of whole lines of stats.jsonl."""
    path = result / "stats.jsonl"
    return path.read_bytes().count(b"\n") if path.exists() else 0


# Starts a process that is stopped when this one ends, even by a kill; the program then stores the last whole step.
BOUND_TO_PARENT = ["setpriv", "--pdeathsig", "TERM"] if shutil.which("setpriv") else []


def run_program(scene, state, program, result, limit, pass_fds):
    """Runs the scene into a folder, from its checkpoint if there is one; returns the outcome of the process."""
    use = "--resume" if (result / "checkpoint" / "state.bin").exists() else "--overwrite"
    command = [program.path, "run", scene.path, "-o", result, "--threads", 1, "-q", use, *scene.settings,
               "--set", f"output.frame_interval={frame_interval(state['read'])}"]
    run = run_limited(command, limit=max(1, round(limit)), wrapper=BOUND_TO_PARENT, pass_fds=pass_fds)
    return {**run, "was_resumed": use == "--resume"}


# --- restarts ---


def restart(scene, state, program, result, limit, pass_fds):
    """Runs from the first step what this program refuses to continue; the old result goes once the new one has a step."""
    os.rename(result, result.with_name("result.old"))
    run = run_program(scene, state, program, result, limit, pass_fds)
    settle_restart(state, result)
    return run


def settle_restart(state, result):
    """Keeps the new result of a restart if it has a step, and else the old one; also of one that a kill has cut short."""
    old = result.with_name("result.old")
    if not old.exists():
        return
    if num_steps(result) == 0:
        shutil.rmtree(result, ignore_errors=True)
        os.rename(old, result)
        return
    current = {**state["slices"][-1], "from": 0}
    state["restarts"].append({"program": current["program"], "steps_lost": num_steps(old)})
    state.update({"slices": [current], "verified": None})
    shutil.rmtree(old)


# --- one slice ---


# Exit statuses of a run whose time was over, or that was asked to stop.
STOPPED = (124, 129, 130, 143, -signal.SIGHUP, -signal.SIGINT, -signal.SIGTERM)


def failure(run, program, memory_gb):
    """Returns why a run cannot go on, or None."""
    if run["exit"] == 0 or run["exit"] in STOPPED:
        return None
    messages = [note for note in run["notes"] if "warning" not in note]
    return {"digest": program.digest, "program": program.name, "memory_gb": memory_gb, "exit": run["exit"],
            "message": " ".join(messages[-2:])[:300].replace(f"{peer_data()}/", "")}


def run_slice(scene, state, program, base, limit, memory_gb, pass_fds=()):
    """Runs a scene for a slice of `limit` seconds or less, verifies it and stores its state."""
    folder = scene.folder(base)
    result = folder / "result"
    settle_restart(state, result)
    if not state["finished"]:
        continue_run(scene, state, program, folder, limit, memory_gb, pass_fds)
    state["statistics"] = statistics(state, read_stats(result / "stats.jsonl"))
    store_state(folder, state)
    if must_verify(state):
        verify(scene, state, program, result)
    state["size"] = sum(f.stat().st_size for f in folder.rglob("*") if f.is_file())
    store_state(folder, state)


def continue_run(scene, state, program, folder, limit, memory_gb, pass_fds):
    result = folder / "result"
    planned = max(state["limit"], FIRST_SLICE)
    limit = min(planned, limit)
    before = num_steps(result)
    # A kill leaves the slice without its outcome.
    state["slices"].append({"program": program.name, "from": before})
    store_state(folder, state)
    started = time.monotonic()
    run = run_program(scene, state, program, result, limit, pass_fds)
    # Another program may refuse the checkpoint. The same one has no reason to: a person has to look then.
    is_other = len(state["slices"]) > 1 and state["slices"][-2]["program"] != program.name
    if run["exit"] == 2 and run["was_resumed"] and is_other and num_steps(result) <= before:
        run = restart(scene, state, program, result, limit, pass_fds)
    seconds = time.monotonic() - started
    note_run(state, {**run, "mb": peak_megabytes(result)}, num_steps(result), seconds)
    state["failed"] = failure(run, program, memory_gb)
    if seconds >= planned:
        is_stuck = state["slices"][-1]["steps"] == 0
        state["limit"] = 2 * planned if is_stuck else min(2 * planned, LONGEST_SLICE)


def peak_megabytes(result):
    """Returns what the program says: the system counts to a process the memory of this one, which starts it. 0 of a
    killed run, which has no summary."""
    path = result / "summary.json"
    return json.loads(path.read_text())["peak_memory_bytes"] / 1e6 if path.exists() else 0


def note_run(state, run, steps, seconds):
    """Adds the outcome of a run to its slice, and to what is known of the scene."""
    current = state["slices"][-1]
    # A program that was killed may have lost its last line: the checkpoint is never ahead of it.
    current.update({"steps": max(steps - current["from"], 0), "cpu": run["cpu"], "seconds": seconds, "mb": run["mb"],
                    "exit": run["exit"]})
    state["steps"] = steps
    # A step that did not end takes at least as long once more.
    state["rate"] = seconds / current["steps"] if current["steps"] else 2 * seconds
    state["finished"] = run["exit"] == 0


# --- verification ---


def must_verify(state):
    """Returns True at the end of a scene, and before it where that is cheap."""
    verified = state["verified"]
    if state["steps"] == 0 or (verified and verified["steps"] == state["steps"]):
        return False
    if state["finished"] or verified is None:
        return True
    since = sum(s.get("seconds", 0) for s in state["slices"] if s["from"] >= verified["steps"])
    return verified["seconds"] < VERIFY_SHARE * since


def verify(scene, state, program, result):
    started = time.monotonic()
    run, printed = run_printing([program.path, "verify", result, "--json", *scene.verify_options], wrapper=BOUND_TO_PARENT)
    try:
        answer = json.loads(printed)
    except ValueError:
        answer = {"ok": False, "problems": [" ".join(run["notes"])[-300:] or f"exit status {run['exit']}"]}
    counts = {key: answer.get(key) for key in ("frames", "intersections", "inversions", "half_space_violations", "not_finite")}
    state["verified"] = {"ok": answer["ok"] and run["exit"] == 0, "steps": state["steps"], "program": program.name,
                         "seconds": time.monotonic() - started, "cpu": run["cpu"], **counts,
                         "problems": answer.get("problems", [])[:3]}
    if "paths" in answer:
        state["verified"]["paths"] = answer["paths"]


# --- statistics ---


def statistics(state, records):
    """Returns the numbers of all steps so far. CPU seconds of slices that were killed are unknown; their steps count as
    much as the others."""
    whole = [s for s in state["slices"] if "cpu" in s]
    counted = sum(s["steps"] for s in whole)
    cpu = sum(s["cpu"] for s in whole) * (len(records) / counted if counted else 1)
    gaps = [r["min_distance"] for r in records if r["min_distance"] is not None]
    statuses = Counter(r["status"] for r in records)
    return {
        "newton": sum(r["newton_iterations"] for r in records), "partial": sum(r["partial_iterations"] for r in records),
        "contacts": max((r["contacts"] for r in records), default=0), "gap": min(gaps, default=None), "cpu": round(cpu, 2),
        "mb": round(max((s["mb"] for s in whole), default=0)),
        "not_converged": {status: count for status, count in sorted(statuses.items()) if status != "converged"},
    }
