"""Code that the benchmark scripts share: the machine, tables, and runs of the program with their statistics."""

import json
import os
import subprocess
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
STAGES = ["linear_solve", "ccd", "broad_phase", "assembly", "line_search", "other"]


def peer_data():
    """Returns the folder with scenes and meshes of other programs."""
    return Path(os.environ.get("CLEARANCE_PEER_DATA", ROOT.parent / "shared" / "peer-data"))


def baselines():
    """Returns the folder with scenes and meshes made for the comparison."""
    return Path(os.environ.get("CLEARANCE_BASELINES", ROOT.parent / "shared" / "baselines"))


def machine():
    model, cores = "unknown processor", os.cpu_count()
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            model = line.split(":", 1)[1].strip()
            break
    memory = next(int(line.split()[1]) for line in Path("/proc/meminfo").read_text().splitlines()
                  if line.startswith("MemTotal"))
    return f"{model}, {cores} cores, {memory / 1048576:.0f} GB"


def busy_percent(seconds=2.0):
    """Returns the load of all processors before anything of ours runs. A load average would remember the build."""
    def ticks():
        fields = [int(f) for f in Path("/proc/stat").read_text().splitlines()[0].split()[1:]]
        return sum(fields), fields[3] + fields[4]
    total, idle = ticks()
    time.sleep(seconds)
    total_later, idle_later = ticks()
    busy = 100 * (1 - (idle_later - idle) / max(total_later - total, 1))
    if busy > 10:
        print(f"the processors are {busy:.0f} % busy with other work: these times are too long")
    return busy


def is_missing(program):
    """Returns True, and says so, if there is no such program."""
    if program.exists():
        return False
    print(f"no program at {program}")
    return True


def solve_all(solve, problems, jobs, text, is_shown):
    """Solves the problems, so many at a time, and prints the text of those outcomes that are shown, in their order."""
    outcomes = []
    with ThreadPoolExecutor(jobs) as pool:
        for outcome in pool.map(solve, problems):
            outcomes.append(outcome)
            if is_shown(outcome):
                print(text(outcome), flush=True)
    return outcomes


def read_frd(path):
    """Returns the last of the nodal results of CalculiX by name (DISP, STRESS, ...): the numbers of a node, from 0."""
    blocks, block = {}, None
    for line in path.read_text().splitlines():
        if line.startswith(" -4"):
            block = blocks[line.split()[1]] = {}
        elif line.startswith(" -3"):
            block = None
        elif line.startswith(" -1") and block is not None:
            values = line[13:]
            block[int(line[3:13]) - 1] = [float(values[i:i + 12]) for i in range(0, len(values.rstrip()), 12)]
    return blocks


def table(header, rows):
    lines = ["| " + " | ".join(header) + " |", "|" + " --- |" * len(header)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows]) + "\n"


def ratio_text(ratio, wanted):
    if wanted is None:
        return f"{ratio:.2f}"
    return f"{ratio:.2f} ({'at most' if ratio <= wanted else 'above'} {wanted:.2f})"


def read_stats(path):
    """Returns the records of a stats.jsonl; a killed program may leave part of a line, which is left out."""
    records = []
    for line in path.read_text().splitlines() if path.exists() else []:
        try:
            records.append(json.loads(line))
        except ValueError:
            break
    return records


def run_limited(command, limit=None, wrapper=(), **options):
    """Runs a command, for `limit` seconds at most if given; returns the exit status, the CPU seconds and peak memory of
    the process, and its messages. `wrapper` is a command that starts it; `options` are those of Popen."""
    if limit is not None:
        # The program ends with the step under way; one that does not is killed.
        command = ["timeout", "--kill-after=30", str(limit), *command]
    command = [*wrapper, *command]
    with tempfile.TemporaryFile("w+") as messages:  # not in the folder: a run refuses one that holds other files
        options.setdefault("stdout", subprocess.DEVNULL)
        process = subprocess.Popen([str(word) for word in command], stderr=messages, **options)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        messages.seek(0)
        notes = [line.strip() for line in messages if line.strip()]
    return {"exit": process.returncode, "cpu": usage.ru_utime + usage.ru_stime, "mb": usage.ru_maxrss / 1024, "notes": notes}


def run_printing(command, **options):
    """Runs a command; returns what `run_limited` returns, and the text that it has printed."""
    with tempfile.TemporaryFile("w+", errors="replace") as output:
        run = run_limited(command, stdout=output, **options)
        output.seek(0)
        return run, output.read()


def run_scene(program, script, steps, threads, folder, frame_interval=1000000, settings=(), limit=None):
    """Runs a scene, for `limit` seconds at most if given; returns what `run_limited` returns, and the lines of
    stats.jsonl."""
    folder = Path(folder)
    command = [program, "run", script, "-o", folder, "--steps", steps, "--threads", threads, "-q",
               "--set", f"output.frame_interval={frame_interval}", "--set", "output.checkpoint_interval=1000000"]
    for setting in settings:
        command += ["--set", setting]
    run = run_limited(command, limit)
    return {**run, "records": read_stats(folder / "stats.jsonl")}


def statuses_text(counts):
    """Returns how many steps ended otherwise than converged, from their number by status."""
    return ", ".join(f"{count} {status}" for status, count in counts.items() if status != "converged") or "none"


def summarize(run):
    """Returns means over the steps of a run; `split` is in per cent of the steps' time by STAGES."""
    records = run["records"]
    steps = len(records)
    newton = sum(r["newton_iterations"] for r in records)
    stage = {name: sum(r["seconds"][name] for r in records) for name in records[0]["seconds"]}
    floor = stage["linear_factorize"] + stage["linear_substitute"]
    return {
        "steps": steps, "newton": newton / steps, "seconds": stage["total"] / steps, "cpu": run["cpu"] / steps,
        "ms": 1e3 * stage["total"] / max(newton, 1), "contacts": max(r["contacts"] for r in records),
        "split": [100 * stage[s] / stage["total"] for s in STAGES],
        "linear": [100 * stage["linear_" + part] / stage["total"] for part in ("analyze", "factorize", "substitute")],
        "floor": floor / steps, "over_floor": stage["total"] / floor if floor > 0 else float("inf"), "mb": run["mb"],
        "failed": sum(r["status"] != "converged" for r in records),
        "candidates": sum(r["counters"]["candidates"] for r in records) / max(newton, 1),
        "ccd_calls": sum(r["counters"]["ccd_calls"] for r in records) / max(newton, 1),
    }


COMPARISON_HEADER = ["scene", "steps", "CPU s, old", "new", "new / old", "Newton iterations, old", "new", "new / old",
                     "s per iteration, new / old", "state at the end"]


def compare_scene(name, old, new, script, steps, threads, repetitions=2):
    """Returns a row of COMPARISON_HEADER: the programs `new` and `old` run in turn; of each the cheapest repetition
    counts."""
    best = {}
    for _ in range(repetitions):
        for program in (old, new):
            with tempfile.TemporaryDirectory() as folder:
                run = run_scene(program, script, steps, threads, Path(folder) / "result")
            if not run["records"]:
                return [name, "0", f"{program} failed: {' '.join(run['notes'][:2])}"] + [""] * (len(COMPARISON_HEADER) - 3)
            if program not in best or run["cpu"] < best[program]["cpu"]:
                best[program] = run
    before, after = best[old], best[new]
    newton = [max(sum(r["newton_iterations"] for r in run["records"]), 1) for run in (before, after)]
    ratio, work = after["cpu"] / before["cpu"], newton[1] / newton[0]
    same = before["records"][-1]["state_hash"] == after["records"][-1]["state_hash"]
    return [name, str(len(after["records"])), f"{before['cpu']:.2f}", f"{after['cpu']:.2f}", f"{ratio:.2f}", str(newton[0]),
            str(newton[1]), f"{work:.2f}", f"{ratio / work:.2f}", "same bits" if same else "other bits"]


def write_between_markers(path, name, text):
    """Replaces the text between `<!-- NAME: begin -->` and `<!-- NAME: end -->`; appends both marks if they are
    missing."""
    begin, end = f"<!-- {name}: begin -->", f"<!-- {name}: end -->"
    page = path.read_text() if path.exists() else ""
    block = f"{begin}\n{text.strip()}\n{end}\n"
    if begin in page and end in page:
        before, after = page.split(begin, 1)[0], page.split(end, 1)[1]
        page = before + block + after.lstrip("\n")
    else:
        page = page.rstrip("\n") + "\n\n" + block
    path.write_text(page)
