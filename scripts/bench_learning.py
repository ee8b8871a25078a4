#!/usr/bin/env python3
"""Tasks of clearance.gym beside MuJoCo's C library: `./dev bench learning`.

Push and PegInHole run here and in MuJoCo: the same code of the task, policy, starts, bodies, mass, friction and forces of
the hand. Each episode of ours is stored, and every frame of it judged by exact arithmetic. MuJoCo's overlap is the deepest
distance of its own contacts in any of its steps. --write stores the tables in docs/learning.md.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import time
import warnings
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import numpy as np

from bench_common import ROOT, table, write_between_markers

# Steps [s] and options of MuJoCo, and which share of the starts it takes. Contacts that are stiff are as stiff as it
# allows: their time constant is two steps.
SETTINGS = {
    "MuJoCo, default": {"step": 2e-3, "options": "", "contacts": "", "every": 1},
    **{f"MuJoCo, stiff, steps of {1e3 * step:g} ms": {
        "step": step, "every": every, "options": 'cone="elliptic" impratio="10"',
        "contacts": f'solref="{2 * step} 1" solimp="0.99 0.999 0.0001"'} for step, every in ((5e-4, 1), (1e-4, 5))},
}
HEAVY = 1e3  # [kg] of a body that moves as prescribed
IN_MEMORY = "/dev/shm" if Path("/dev/shm").is_dir() else None  # where episodes are stored, 20 to 50 MB each
MANY = 25  # starts of a job
SAME = 1e-6  # by which two simulators may differ before there is a contact


def numbers(values):
    return " ".join(f"{value:.17g}" for value in np.ravel(values))


def sectors(vertices):
    """Returns the convex parts of a body of revolution with a hole: one for each of its sides. Its profile is convex."""
    sides = 48
    rings = vertices.reshape(-1, sides, 3)
    return [rings[:, [k, (k + 1) % sides]] for k in range(sides)]


class Model:
    """MuJoCo's model of a scene of ours: boxes as boxes, other bodies as the hulls of their convex parts. Frames of free
    bodies are at their centres of mass, about which MuJoCo integrates best."""

    def __init__(self, sim, scene, setting, parts):
        self._sim, self._data = sim, scene.data
        self.start = {body["name"]: sim.positions[sim.body(body["name"]).vertices].copy() for body in self._data["bodies"]}
        self.meshes, self.bodies, self.free, self.moved, self.center = [], [], {}, {}, {}
        for body in self._data["bodies"]:
            self._add(body, parts)
        ground = "".join(f'<geom type="plane" size="0 0 1" pos="{numbers(one["point"])}" zaxis="{numbers(one["normal"])}"/>'
                         for one in self._data.get("half_spaces", []))
        friction = self._data["friction"]["coefficient"]
        gravity = self._data.get("gravity", [0, -9.80665, 0])
        self.text = (f'<mujoco><option timestep="{setting["step"]}" gravity="{numbers(gravity)}" {setting["options"]}/>'
                     f'<size nconmax="1000" njmax="5000"/><default><geom friction="{friction} 0.005 0.0001" {setting["contacts"]}/></default>'
                     f'<asset>{"".join(self.meshes)}</asset><worldbody>{ground}{"".join(self.bodies)}</worldbody></mujoco>')

    def _add(self, body, parts):
        name, center = body["name"], np.zeros(3)
        if body["kind"] != "obstacle":
            center = self._sim.center(name)
            self.center[name] = center
        vertices = self.start[name] - center
        mass = f'mass="{body.get("mass", HEAVY)}"'
        if body.get("generator", {}).get("kind") == "box":
            low, high = vertices.min(axis=0), vertices.max(axis=0)
            geoms = f'<geom type="box" size="{numbers((high - low) / 2)}" pos="{numbers((high + low) / 2)}" {mass}/>'
        else:
            geoms = ""
            for part in parts.get(name, lambda all_of_it: [all_of_it])(vertices):
                self.meshes.append(f'<mesh name="{len(self.meshes)}" vertex="{numbers(part)}"/>')
                geoms += f'<geom type="mesh" mesh="{len(self.meshes) - 1}" {mass}/>'
        if body["kind"] != "obstacle":
            joints = "<freejoint/>"
            self.free[name] = body.get("loads", [])
        elif body.get("motions"):
            displacement = body["motions"][0]["displacement"]
            self.moved[name] = {axis: one for axis, one in enumerate(displacement) if one != "0"}
            joints = "".join(f'<joint type="slide" axis="{numbers(np.eye(3)[axis])}"/>' for axis in self.moved[name])
        else:
            joints = ""
        self.bodies.append(f'<body name="{name}" pos="{numbers(center)}">{joints}{geoms}</body>')


class MujocoSim:
    """What a task needs of a simulation (clearance.Simulation), by MuJoCo."""

    def __init__(self, program, folder, cl, task, setting, parts):
        with task() as env:
            self._model = Model(env.sim, env.scene, setting, parts)
            self._names = [body["name"] for body in env.scene.data["bodies"]]
            self._slices = {name: env.sim.body(name).vertices for name in self._names}
            self._positions = env.sim.positions.copy()
            self._step = env.scene.data["time"]["step"]
        self._count = round(self._step / setting["step"])
        self._step_error, self._quaternion = cl.StepError, cl.gym.sensing._quaternion
        path = Path(folder) / "model.xml"
        path.write_text(self._model.text, encoding="utf-8")
        self._process = subprocess.Popen([program, path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.step_number = 0
        self.controls = {}
        self._stepper = SimpleNamespace(closed=False)
        self.restore(None)

    def save_state(self):
        return None

    def restore(self, _):
        self._poses = {name: np.eye(4) for name in self._model.free}
        self._moves = {name: np.zeros(len(axes)) for name, axes in self._model.moved.items()}
        self._places = {name: np.zeros(len(axes)) for name, axes in self._model.moved.items()}
        self.controls.clear()
        self._begin()

    def place(self, places):
        for name, how in places.items():
            if name in self._model.free:
                assert not np.any(how["linear"]) and not np.any(how["angular"])
                self._poses[name] = np.array(how["pose"])
            else:
                self._places[name] = (how["positions"] - self._model.start[name]).mean(axis=0)[list(self._model.moved[name])]
        self._begin()

    def _begin(self):
        qpos, qvel = [], []
        for name in self._names:
            if name in self._model.free:
                turn, shift = self._poses[name][:3, :3], self._poses[name][:3, 3]
                qpos += [*(turn @ self._model.center[name] + shift), *self._quaternion(turn)]
                qvel += [0.0] * 6
            elif name in self._model.moved:
                qpos += [*self._places[name]]
                qvel += [0.0] * len(self._places[name])
        self._ask({"qpos": qpos, "qvel": qvel})

    def _ask(self, request):
        self._process.stdin.write(json.dumps(request) + "\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        if not line:
            sys.exit("mujoco_world has ended")
        self.answer = json.loads(line)

    def _values(self, expressions):
        """Returns the values of expressions that are names of controls."""
        return np.array([self.controls.get(one, 0.0) for one in expressions])

    def _take_step(self, _):
        forces = np.zeros((1 + len(self._names), 6))
        prescribed, joint = [], 0
        for number, name in enumerate(self._names):
            if name in self._model.free:
                for load in self._model.free[name]:
                    forces[1 + number, 0 if load["kind"] == "force" else 3:][:3] += self._values(load["expression"])
                joint += 1
            elif name in self._model.moved:
                move = self._values(self._model.moved[name].values())
                prescribed += [[joint + k, one] for k, one in enumerate((move - self._moves[name]) / self._step)]
                joint += len(move)
                self._moves[name] = move
        self._ask({"steps": self._count, "forces": forces.ravel().tolist(), "prescribed": prescribed})
        if self.answer["is_unstable"]:
            raise self._step_error("MuJoCo's state is unstable")

    def _body(self, name):
        return {key: np.array(value) for key, value in self.answer["bodies"][1 + self._names.index(name)].items()}

    def pose(self, name):
        body, pose = self._body(name), np.eye(4)
        pose[:3, :3] = body["turn"].reshape(3, 3)
        pose[:3, 3] = body["position"] - pose[:3, :3] @ self._model.center.get(name, np.zeros(3))
        return pose

    def center(self, name):
        return self._body(name)["center"]

    def twist(self, name):
        body = self._body(name)
        return np.stack([body["linear"], body["angular"]])

    def body(self, name):
        return SimpleNamespace(vertices=self._slices[name])

    @property
    def positions(self):
        found = self._positions.copy()
        for name in self._names:
            if name in self._model.free or name in self._model.moved:
                pose = self.pose(name)
                found[self._slices[name]] = self._model.start[name] @ pose[:3, :3].T + pose[:3, 3]
        return found

    def close(self):
        self._process.stdin.close()
        self._process.wait()
        self._stepper.closed = True


def load(arguments):
    """Returns the module, and the tasks with their policies and convex parts."""
    sys.path.insert(0, str(arguments.module.resolve()))
    import clearance as cl  # from the folder just given
    from clearance import gym
    warnings.simplefilter("ignore", cl.ClearanceWarning)
    return cl, {"PegInHole": (gym.PegInHole, gym.search_for_hole, {"block": sectors}),
                "Push": (gym.Push, gym.push_from_behind, {})}


def seconds_of(task, policy, evaluate, seed):
    """Returns the processor seconds of the steps of an episode that is not stored."""
    spent = 0.0
    with task() as env:
        take = env.sim._take_step

        def timed(on_iteration):
            nonlocal spent
            start = time.process_time()
            try:
                return take(on_iteration)
            finally:
                spent += time.process_time() - start

        env.sim._take_step = timed
        evaluate(env, policy, [seed])
    return spent


def run_ours(arguments, task_name, seeds):
    """Returns an outcome of each start; every frame of it is judged by exact arithmetic. Every fifth start is timed."""
    cl, tasks = load(arguments)
    task, policy, _ = tasks[task_name]
    outcomes = []
    for seed in seeds:
        with tempfile.TemporaryDirectory(dir=IN_MEMORY) as folder:
            with task(output=Path(folder) / "result", seed=seed) as env:
                episode = cl.gym.evaluate(env, policy, [seed])[0]
            verdict = cl.verify(Path(folder) / "result")
            verdict.raise_if_broken()
        outcomes.append({"seed": seed, "total": episode.total, "actions": episode.steps, "depth": 0.0,
                         "is_success": bool(episode.info["is_success"]), "frames": verdict.frames})
        if seed % 5 == 0:
            outcomes[-1]["seconds"] = seconds_of(task, policy, cl.gym.evaluate, seed)
    return outcomes


def run_mujoco(arguments, task_name, setting, seeds):
    cl, tasks = load(arguments)
    task, policy, parts = tasks[task_name]
    outcomes = []
    with tempfile.TemporaryDirectory() as folder:
        sim = MujocoSim(arguments.mujoco, folder, cl, task, SETTINGS[setting], parts)
        with task(sim=sim) as env:
            for seed in seeds:
                episode = cl.gym.evaluate(env, policy, [seed])[0]
                outcomes.append({"seed": seed, "total": episode.total, "actions": episode.steps,
                                 "is_success": bool(episode.info["is_success"]), "seconds": sim.answer["seconds"], "depth": sim.answer["depth"]})
    return outcomes


def compare_starts(arguments, task_name):
    """Returns the largest differences of the two simulators: of what is observed at the start, and of a free body's velocity
    after the first step beside the velocity (forces are constant over a step, so that integrators agree)."""
    cl, tasks = load(arguments)
    task, _, parts = tasks[task_name]
    starts, steps = [], []
    with tempfile.TemporaryDirectory() as folder:
        setting = next(iter(SETTINGS.values()))
        with task() as ours, task(sim=MujocoSim(arguments.mujoco, folder, cl, task, setting, parts)) as theirs:
            for seed in range(5):
                seen, _ = ours.reset(seed=seed)
                starts.append(np.abs(seen - theirs.reset(seed=seed)[0]).max())
                if task_name == "Push":
                    continue  # the cube is on the table
                twists = []
                for env in (ours, theirs):
                    env.take(env.action_space.high)
                    env.act(env.action_space.high)
                    env.sim._take_step(None)
                    twists.append(env.sim.twist("peg"))
                steps.append((np.abs(twists[0] - twists[1]) / np.abs(twists[0]).max(axis=1, keepdims=True)).max())
    return max(starts), max(steps, default=0.0)


def row(name, outcomes):
    """Returns the row of a table."""
    def mean(key):
        return np.mean([one[key] for one in outcomes if key in one])
    depths = [1e6 * one["depth"] for one in outcomes]
    frames = sum(one.get("frames", 0) for one in outcomes)
    succeeded = sum(one["is_success"] for one in outcomes)
    overlaps = [f"{float(f'{depth:.3g}'):g}" for depth in (max(depths), np.mean(depths))] if not frames else [f"none in {frames} frames", "none"]
    return [name, f"{succeeded} of {len(outcomes)}", f"{mean('total'):.3f}", f"{mean('actions'):.1f}", *overlaps, f"{mean('seconds'):.2g}"]


def run(arguments, task, name, seeds):
    """Returns an outcome of each start, from `--keep` where it has them."""
    kept = arguments.keep and arguments.keep / f"{task} {name} {seeds[0]} {seeds[-1]}.json"
    if kept and kept.exists():
        return json.loads(kept.read_text(encoding="utf-8"))
    outcomes = run_ours(arguments, task, seeds) if name == "Clearance" else run_mujoco(arguments, task, name, seeds)
    if kept:
        kept.write_text(json.dumps(outcomes), encoding="utf-8")
    return outcomes


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--module", type=Path, default=ROOT / "build/release/python")
    parser.add_argument("--mujoco", type=Path, default=ROOT / "build/release/bin/mujoco_world")
    parser.add_argument("--starts", type=int, default=100, help="random starts of each task")
    parser.add_argument("--only", default="", help="tasks whose name holds this")
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    parser.add_argument("--keep", type=Path, help="folder of results, from which a run that was stopped goes on")
    parser.add_argument("--details", action="store_true", help="print every start")
    parser.add_argument("--write", action="store_true", help="store the tables in docs/learning.md")
    arguments = parser.parse_args()
    if arguments.keep:
        arguments.keep.mkdir(parents=True, exist_ok=True)
    for task in ("PegInHole", "Push"):
        if arguments.only not in task:
            continue
        start, step = compare_starts(arguments, task)
        print(f"{task}: the two simulators differ by {start:.1e} at the start, and by {step:.1e} of a free velocity", flush=True)
        if max(start, step) > SAME:
            sys.exit(f"{task}: expected at most {SAME}: this is not the same task")
        rows = []
        for name, every in (("Clearance", 1), *((name, setting["every"]) for name, setting in SETTINGS.items())):
            seeds = list(range(0, arguments.starts, every))
            with ProcessPoolExecutor(arguments.jobs) as pool:
                outcomes = sum(pool.map(partial(run, arguments, task, name),
                                        [seeds[first:first + MANY] for first in range(0, len(seeds), MANY)]), [])
            rows.append(row(name, outcomes))
            print(f"{task}: " + " | ".join(rows[-1]), flush=True)
            if arguments.details:
                print(*outcomes, sep="\n")
        text = table(["simulator", "successes", "mean return", "mean actions", "deepest overlap [um]", "its mean over the starts [um]",
                      "processor seconds a start"], rows)
        if arguments.write:
            write_between_markers(ROOT / "docs/learning.md", task, text)
        print("\n" + text)


if __name__ == "__main__":
    main()
