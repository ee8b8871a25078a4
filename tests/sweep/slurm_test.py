#!/usr/bin/env python3
"""A sweep over two nodes of a real Slurm whose tasks are killed, preempted and requeued at random: all runs are complete
in the end, each step is there once, and every bit is that of a direct run. Skipped (77) where Slurm is not installed.
usage: PROGRAM [--runs N]"""
import argparse
import pathlib
import random
import subprocess
import sys
import tempfile
import time

import harness
from local_slurm import LocalSlurm, missing


def running_tasks(slurm):
    """Returns the job ids of array tasks that run."""
    return slurm.run("squeue", "-h", "-r", "-t", "R", "-p", "low", "-o", "%A", check=False).stdout.split()


class Disturbance:
    """A disturbance of a running task."""

    def __init__(self, slurm, dice):
        self.slurm, self.dice = slurm, dice
        self.sweep = None  # the folder of the sweep under way
        self.counts = {}

    def kill_program(self):
        processes = harness.processes_with("sweep task", str(self.sweep))
        return bool(processes) and harness.kill(self.dice.choice(processes))

    def kill_slurmstepd(self):
        # Slurm names the process after its job: `slurmstepd: [12.batch]`.
        processes = harness.processes_with("slurmstepd: [")
        own = [one for one in processes if self.is_ours(one)]
        return bool(own) and harness.kill(self.dice.choice(own))

    def is_ours(self, process):
        """True for a child of one of our two slurmd, or a process started by it."""
        jobs = running_tasks(self.slurm)
        try:
            line = pathlib.Path(f"/proc/{process}/cmdline").read_bytes().decode(errors="replace")
        except OSError:
            return False
        return any(f"[{job}." in line for job in jobs)

    def with_task(self, *command):
        jobs = running_tasks(self.slurm)
        if not jobs:
            return False
        return self.slurm.run(*command, self.dice.choice(jobs), check=False).returncode == 0

    def scancel_kill(self):
        return self.with_task("scancel", "--signal=KILL", "--batch")

    def scancel(self):
        return self.with_task("scancel")

    def requeue(self):
        return self.with_task("scontrol", "requeue")

    def time_limit(self):
        # Slurm sends this signal a minute before the end.
        return self.with_task("scancel", "--signal=HUP", "--batch")

    def preempt(self):
        if not running_tasks(self.slurm) or self.slurm.run("squeue", "-h", "-p", "high", check=False).stdout.strip():
            return False
        return self.slurm.run("sbatch", "-p", "high", "-n1", "-c2", "-o", "/dev/null", "--wrap", "sleep 0.5",
                              check=False).returncode == 0

    def happen(self):
        # Disturbances that happened least come first: some find nothing to do more often than others.
        names = ["kill_program", "kill_slurmstepd", "scancel_kill", "scancel", "requeue", "time_limit", "preempt"]
        for name in sorted(names, key=lambda one: (self.counts.get(one, 0), self.dice.random())):
            if getattr(self, name)():
                self.counts[name] = self.counts.get(name, 0) + 1
                return


def sweep_once(program, plan, sweep, slurm, bad, num_runs, pause):
    """Completes the runs of a plan in a new folder, with whatever happens to them."""
    command = [program, "sweep", str(plan), "-o", str(sweep), "--slurm"]

    def call(*more):
        return subprocess.run([*command, *more], env=slurm.environment, capture_output=True, text=True, check=False)

    first = call()
    assert first.returncode == 0, first.stderr
    assert first.stdout.count("job ") >= 3, first.stdout
    print(first.stdout, end="", flush=True)
    # Runs in the queue are not submitted twice.
    assert "nothing to submit" in call().stdout
    refused = call("--slurm-option=partition=nowhere")
    assert refused.returncode == 0, "nothing is left to submit, so that nothing can be refused"

    begin, num_calls = time.monotonic(), 1
    while True:
        state = harness.status_of(program, sweep)
        if state["complete"] == num_runs:
            break
        assert state["failed"] == 0, [run for run in state["states"] if run["state"] == "failed"]
        # Disturbances end, so that the sweep ends.
        if time.monotonic() - begin < 5 + num_runs:
            bad.happen()
        slurm.run("scontrol", "update", "nodename=n[1-2]", "state=resume", check=False)
        if not slurm.run("squeue", "-h", "-r", "-p", "low", check=False).stdout.strip():
            again = call()
            assert again.returncode == 0, again.stderr
            num_calls += 1
        assert time.monotonic() - begin < 600 + 10 * num_runs, state
        time.sleep(bad.dice.uniform(0, pause))
    print(f"{num_runs} runs in {time.monotonic() - begin:.0f} s, command called {num_calls} times; "
          f"disturbed: {bad.counts}", flush=True)


def check(program, sweep, folder, num_runs, dice):
    harness.check_against_direct_runs(program, sweep, folder, range(num_runs))
    rows = subprocess.run([program, "sweep", "collect", sweep], capture_output=True, text=True, check=True)
    lines = rows.stdout.splitlines()
    assert len(lines) == num_runs + 1 and all(",complete," in line for line in lines[1:])
    for run in dice.sample(range(num_runs), 5):
        subprocess.run([program, "verify", sweep / "runs" / f"{run:06}"], check=True, capture_output=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program")
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--pause", type=float, default=0.3, help="longest time between two disturbances [s]")
    options = parser.parse_args()
    reason = missing()
    if reason:
        print("skipped:", reason)
        return 77
    print(f"seed {options.seed}", flush=True)
    dice = random.Random(options.seed)
    with tempfile.TemporaryDirectory(prefix="clearance_slurm_") as temporary:
        folder = pathlib.Path(temporary)
        plan = harness.write_plan(folder, options.runs)
        # Arrays have a few tasks, so that there are several.
        with LocalSlurm(folder / "slurm", cpus=2, max_array_size=max(8, options.runs // 4)) as slurm:
            bad, sweeps = Disturbance(slurm, dice), []
            # A machine that starts tasks slowly leaves few to disturb: then there is another sweep.
            while sum(bad.counts.values()) < 4 and len(sweeps) < 10:
                sweeps.append(folder / f"out_{len(sweeps)}")
                bad.sweep = sweeps[-1]
                sweep_once(options.program, plan, sweeps[-1], slurm, bad, options.runs, options.pause)
        assert sum(bad.counts.values()) >= 4, "too little has happened for this to say something"
        for number, sweep in enumerate(sweeps):
            work = folder / f"direct_runs_{number}"
            work.mkdir()
            check(options.program, sweep, work, options.runs, dice)
    print("every run is complete, once, with the bits of a direct run")
    return 0


if __name__ == "__main__":
    sys.exit(main())
