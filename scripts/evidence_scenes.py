"""The queue of `./dev evidence`: published scenes, and what is known of each of them.

Everything lies in a folder outside of the repository: of every scene `state.json`, and the result folder that the program
writes and continues. A state is written to a temporary name and renamed, so that it is whole at any moment.
"""

import hashlib
import json
import os
import subprocess
from dataclasses import dataclass
from pathlib import Path

from bench_common import peer_data
from codim_ipc.scenes import RECIPES, write_scene
from polyfem_table import scene_names as polyfem_names
from stiff_scenes_table import body_types, fixtures, scene_names as fixture_names

GROUPS = {"ipc": "IPC reference", "rigid-ipc": "Rigid IPC", "polyfem": "PolyFEM", "codim-ipc": "Codimensional IPC"}
# The format of the files of a group, where it is not named after the group.
FORMATS = {"codim-ipc": "clearance"}
# Seconds that a new scene is assumed to take per step and vertex. Deformable bodies in contact take about this long,
# stiff ones far less; the first slice tells.
SECONDS_PER_VERTEX = 1e-4


@dataclass(frozen=True)
class Program:
    """The program that runs a slice. Its digest tells whether a failure may be over."""
    path: Path
    name: str
    digest: str


def digest_of(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()[:12]


def identify(path, revision):
    """Returns the program, called by its version and the revision, or the digest of its file without one."""
    path = path.resolve()
    digest = digest_of(path)
    version = subprocess.run([path, "--version"], capture_output=True, text=True, check=True).stdout.split()[-1]
    return Program(path, f"{version} {revision or 'file ' + digest}", digest)


@dataclass(frozen=True)
class Scene:
    group: str
    name: str
    path: Path
    type: str = ""  # of stiff bodies, where the group runs them with several
    verify_options: tuple = ()

    @property
    def label(self):
        return f"{self.name} ({self.type})" if self.type else self.name

    @property
    def is_made(self):
        """Returns True if the scene file is written here, since the published one is a program."""
        return self.group == "codim-ipc"

    @property
    def file(self):
        return f"{self.group}/{self.name}" if self.is_made else str(self.path.relative_to(peer_data()))

    @property
    def settings(self):
        """Returns the options of the program that select what is run."""
        return ["--format", FORMATS.get(self.group, self.group)] + (["--set", "bodies.type=rigid"] if self.type == "rigid" else [])

    def folder(self, base):
        return base / self.group / ".".join([self.name.replace("/", ".")] + ([self.type] if self.type else []))


def scenes(base):
    """Returns all published scenes; those that cannot be loaded are found when they are read. Scene files that are made
    here go below the folder `base` when they are read."""
    scripts = peer_data() / "ipc" / "input"
    found = [Scene("ipc", str(f.relative_to(scripts).with_suffix("")), f) for f in sorted(scripts.rglob("*.txt"))]
    found += [Scene("rigid-ipc", name, fixtures() / f"{name}.json", body_type)
              for name in fixture_names() for body_type in body_types(name)]
    found += [Scene("polyfem", name.removesuffix(".json"), peer_data() / name) for name in polyfem_names()]
    if (peer_data() / "codim-ipc").exists():
        found += [Scene("codim-ipc", name, base / "codim-ipc" / name / "scene.json") for name in RECIPES]
    return found


# --- states ---


def read_state(folder, otherwise):
    """Returns the state that is stored in a folder, or another one if there is none."""
    path = folder / "state.json"
    return json.loads(path.read_text()) if path.exists() else otherwise


def load_state(folder):
    return read_state(folder, {
        "read": None, "limit": 0, "slices": [], "restarts": [], "visit": 0, "rate": None, "steps": 0, "finished": False,
        "failed": None, "verified": None, "statistics": None, "size": 0, "frames_removed": False})


def store_state(folder, state):
    folder.mkdir(parents=True, exist_ok=True)
    temporary = folder / "state.json.new"
    temporary.write_text(json.dumps(state, indent=1) + "\n")
    os.replace(temporary, folder / "state.json")


def is_complete(state):
    """Returns True if the scene has been run to its end and all its frames have been checked since."""
    return state["finished"] and state["verified"] is not None and state["verified"]["steps"] == state["steps"]


def condition(state):
    """Returns one word for where a scene stands."""
    if state["read"] is None:
        return "unread"
    if state["read"]["refused"]:
        return "refused"
    if is_complete(state):
        return "complete"
    if state["failed"]:
        return "failed"
    return "begun" if state["steps"] else "waiting"


def is_open(state, program, memory_gb):
    """Returns True if a slice may bring the scene on. One that has failed is tried again by another program, or with
    more memory."""
    if condition(state) in ("refused", "complete"):
        return False
    failed = state["failed"]
    return not failed or failed["digest"] != program.digest or failed["memory_gb"] < memory_gb


def expected_seconds(state):
    """Returns the seconds that the scene will still take, as far as its last slice tells."""
    steps = state["read"]["steps"] - state["steps"]
    rate = state["rate"] if state["rate"] is not None else SECONDS_PER_VERTEX * state["read"]["vertices"]
    return max(steps, 0) * rate


# --- reading ---


def must_read(state, program):
    """Returns True if the number of steps is unknown, or if another program may load what one has refused."""
    return state["read"] is None or (state["read"]["refused"] and state["read"]["digest"] != program.digest)


def read_scene(scene, program):
    """Asks the program for the steps and the size of a scene; `refused` is the reason if it does not load."""
    if scene.is_made:
        write_scene(scene.name, scene.path)
    command = [program.path, "check", scene.path, "--json", *scene.settings]
    done = subprocess.run(command, capture_output=True, text=True)
    read = {"digest": program.digest, "refused": "", "steps": 0, "vertices": 0, "elements": 0}
    try:
        answer = json.loads(done.stdout)
    except ValueError:
        answer = {}
    if done.returncode == 0 and "steps" in answer:
        return {**read, **{key: answer[key] for key in ("steps", "vertices", "elements")}}
    messages = [issue["message"] for issue in answer.get("issues", []) if issue.get("severity") == "error"]
    reason = (messages or done.stderr.strip().splitlines() or [f"exit status {done.returncode}"])[0]
    return {**read, "refused": reason.replace(f"{peer_data()}/", "")}
