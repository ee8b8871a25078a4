"""Code that the tests of sweeps share: a scene of milliseconds per step, direct runs to compare with, and processes
to kill."""
import json
import os
import pathlib
import signal
import subprocess
from concurrent.futures import ThreadPoolExecutor

NUM_STEPS = 60
SCENE = {
    "time": {"step": 0.01, "duration": NUM_STEPS * 0.01},
    "friction": {"coefficient": 0.2},
    "half_spaces": [{"point": [0, -0.35, 0]}],
    "bodies": [{"name": "box", "generator": {"kind": "box", "size": [0.5, 0.5, 0.5], "resolution": [4, 4, 4]},
                "linear_velocity": [1, 0, 0]}],
    "output": {"frame_interval": 20, "probes": [{"name": "box", "kind": "position", "body": "box"}]},
}


def write_plan(folder, count):
    """Writes a plan of `count` runs; returns its path."""
    folder = pathlib.Path(folder)
    (folder / "scene.json").write_text(json.dumps(SCENE))
    plan = {
        "scene": "scene.json",
        "sampling": {"kind": "random", "count": count, "seed": 5},
        "parameters": [{"name": "friction", "path": "friction.coefficient", "from": 0, "to": 0.5},
                       {"name": "speed", "path": "bodies[0].linear_velocity[0]", "distribution": "normal", "mean": 1,
                        "deviation": 0.3}],
        "collect": [{"name": "x", "probe": "box.x"}, {"stats": "energy.kinetic", "take": "max"}],
    }
    path = folder / "plan.json"
    path.write_text(json.dumps(plan))
    return path


def hashes(folder):
    """Returns the state hash of every step; fails unless each step is there once."""
    lines = [json.loads(line) for line in (pathlib.Path(folder) / "stats.jsonl").read_text().splitlines()]
    assert [line["step"] for line in lines] == list(range(1, NUM_STEPS + 1)), folder
    return [line["state_hash"] for line in lines]


def check_against_direct_runs(program, sweep, work, which, threads=1):
    """Runs the same scenes without a sweep, and checks that every step of every run has the same bits."""
    manifest = json.loads((sweep / "sweep.json").read_text())
    paths = [parameter["paths"] for parameter in manifest["parameters"]]

    def direct(run):
        out = work / f"direct_{run}"
        values = manifest["runs"][run]
        sets = [f"--set={path}={json.dumps(value)}" for names, value in zip(paths, values) for path in names]
        subprocess.run([program, "run", manifest["scene"], "-o", out, "-q", f"--threads={threads}", *sets], check=True,
                       capture_output=True)
        return hashes(out)

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for run, expected in zip(which, pool.map(direct, which)):
            assert hashes(sweep / "runs" / f"{run:06}") == expected, f"run {run} differs from a direct run"


def processes_with(*words):
    """Returns the ids of processes whose command line has all these words."""
    found = []
    for entry in pathlib.Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            line = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
        except OSError:
            continue
        if int(entry.name) != os.getpid() and all(word in line for word in words):
            found.append(int(entry.name))
    return found


def kill(process, number=signal.SIGKILL):
    """Kills the process; returns True if it was there."""
    try:
        os.kill(process, number)
        return True
    except ProcessLookupError:
        return False


def status_of(program, sweep):
    result = subprocess.run([program, "sweep", "status", sweep, "--json"], capture_output=True, text=True, check=False)
    assert result.returncode in (0, 3), result.stderr
    return json.loads(result.stdout)
