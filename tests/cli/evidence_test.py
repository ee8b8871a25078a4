#!/usr/bin/env python3
"""`./dev evidence` on two small scenes of its own: it is killed, goes on, and restarts what a program refuses.

evidence_test.py PROGRAM
"""

import json
import os
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path
from types import SimpleNamespace
from unittest import mock

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))
from codim_ipc.scenes import write_scene  # noqa: E402
from evidence import Queue  # noqa: E402
from evidence_scenes import Program, Scene, load_state, scenes  # noqa: E402
from evidence_tables import write_pages  # noqa: E402

EVIDENCE = ROOT / "scripts" / "evidence.py"
PROGRAM = ""
NUM_STEPS = 900

MESH = """$MeshFormat
2.2 0 8
$EndMeshFormat
$Nodes
4
1 0 0 0
2 1 0 0
3 0 0 1
4 0 1 0
$EndNodes
$Elements
1
1 4 0 1 4 3 2
$EndElements
"""
# A tetrahedron that falls onto the ground.
SCRIPT = f"""shapes input 1
input/tet.msh 0 0.02 0  0 0 0  0.1 0.1 0.1
ground 0.1 0
time {NUM_STEPS * 0.001} 0.001
"""
SQUARE = {"vertices": [[-1, -1], [1, -1], [1, 1], [-1, 1]], "edges": [[0, 1], [1, 2], [2, 3], [3, 0]]}
# A square that falls onto another one, which is fixed.
FIXTURE = {
    "scene_type": "distance_barrier_rb_problem", "timestep": 0.001, "max_time": NUM_STEPS * 0.001,
    "rigid_body_problem": {"gravity": [0, -9.81, 0], "rigid_bodies": [
        {**SQUARE, "position": [0.3, 2.02]}, {**SQUARE, "is_dof_fixed": True}]},
}


def without_times(line):
    """Returns a line of stats.jsonl without what an interruption may change: seconds, counts of the work after it, and
    the frame of a stop."""
    record = json.loads(line)
    return {key: value for key, value in record.items() if key not in ("seconds", "counters", "frame")}


class Evidence(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory(prefix="evidence-")
        self.base = Path(self.temporary.name)
        for path, text in (("ipc/input/tet.msh", MESH), ("ipc/input/drop.txt", SCRIPT),
                           ("rigid-ipc/fixtures/2D/square.json", json.dumps(FIXTURE))):
            file = self.base / "data" / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)

    def tearDown(self):
        self.temporary.cleanup()

    def start(self, name, *options, program=None, data="data"):
        environment = {**os.environ, "CLEARANCE_PEER_DATA": str(self.base / data), "CLEARANCE_EVIDENCE": str(self.base / name)}
        return subprocess.Popen([sys.executable, EVIDENCE, "--program", program or PROGRAM, *options], env=environment,
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)

    def call(self, *arguments, status=0, **named):
        process = self.start(*arguments, **named)
        output, _ = process.communicate(timeout=300)
        self.assertEqual(process.returncode, status, output)
        return output

    def stats(self, name):
        return {path.parent.parent.name: path.read_text().splitlines()
                for path in sorted((self.base / name).rglob("result/stats.jsonl"))}

    def states(self, name):
        return {path.parent.name: json.loads(path.read_text()) for path in sorted((self.base / name).rglob("state.json"))}

    def kill_after(self, num_lines, name):
        """Starts a call and kills it once that many steps have been taken in all."""
        process = self.start(name)
        end = time.monotonic() + 60
        while sum(map(len, self.stats(name).values())) < num_lines:
            self.assertLess(time.monotonic(), end)
            self.assertIsNone(process.poll(), "it ended before it could be killed")
            time.sleep(0.01)
        process.kill()
        process.communicate()

    def test_killed_calls_add_up_to_the_bits_of_one(self):
        self.call("whole")
        self.kill_after(NUM_STEPS // 3, "killed")
        self.kill_after(NUM_STEPS + NUM_STEPS // 3, "killed")
        self.call("killed")
        whole, killed = self.stats("whole"), self.stats("killed")
        self.assertEqual(list(whole), ["drop", "2D.square.affine"])
        for scene, lines in whole.items():
            self.assertEqual(len(lines), NUM_STEPS)
            self.assertEqual(list(map(without_times, killed[scene])), list(map(without_times, lines)))
        for state in self.states("killed").values():
            self.assertEqual([state["finished"], state["steps"], state["failed"]], [True, NUM_STEPS, None])
            self.assertEqual([state["verified"]["ok"], state["verified"]["steps"]], [True, NUM_STEPS])
            self.assertGreaterEqual(state["verified"]["frames"], 20)
            self.assertGreaterEqual(len(state["slices"]), 2)
            self.assertEqual(state["restarts"], [])

    def test_what_another_program_refuses_is_restarted(self):
        self.kill_after(100, "out")
        other = self.base / "other"
        other.write_text(f'#!/bin/sh\ncase "$*" in *--resume*) exit 2 ;; esac\nexec "{PROGRAM}" "$@"\n')
        other.chmod(0o755)
        self.call("out", program=str(other))
        restarted = [state for state in self.states("out").values() if state["restarts"]]
        self.assertEqual(len(restarted), 1)
        self.assertEqual(restarted[0]["steps"], NUM_STEPS)
        self.assertGreater(restarted[0]["restarts"][0]["steps_lost"], 0)
        self.assertEqual(list(self.base.rglob("result.old")), [])
        # The program that wrote a checkpoint has no reason to refuse it: nothing is thrown away then.
        state = next((self.base / "out").rglob("drop/state.json"))
        state.write_text(json.dumps({**json.loads(state.read_text()), "finished": False}))
        self.assertIn("FAILED with exit status 2", self.call("out", program=str(other)))
        self.assertEqual(len(self.stats("out")["drop"]), NUM_STEPS)

    def test_a_third_of_the_time_is_for_the_scene_that_has_waited_longest(self):
        def state(visit, steps):
            return {**load_state(self.base / "none"), "visit": visit, "rate": 1.0,
                    "read": {"steps": steps, "vertices": 1, "refused": ""}}

        options = SimpleNamespace(folder=self.base, minutes=None, only="", memory_gb=1, disk_gb=1)
        queue = Queue([], options, Program(Path(PROGRAM), "name", "digest"))
        queue.visits = 2
        queue.chosen = [(Scene("ipc", "long", Path("a")), state(1, 9000)), (Scene("ipc", "short", Path("b")), state(2, 100))]
        chosen = []
        for _ in range(6):
            scene, _, rule = queue.take()
            chosen.append(scene.name)
            queue.give_back(scene, rule, 60)
        self.assertEqual(chosen, ["short", "long", "short", "short", "long", "short"])

    def test_a_scene_that_does_not_load_is_told(self):
        (self.base / "data" / "ipc" / "input" / "tet.msh").unlink()
        self.call("out")
        read = self.states("out")["drop"]["read"]
        self.assertIn("mesh file", read["refused"])

    def test_frames_beyond_the_budget_go_once_they_are_verified(self):
        self.call("out", "--disk-gb", "1e-6")
        # Nothing is complete when the first scene ends: its frames go, and the statistics still exceed the budget.
        states = [state for state in self.states("out").values() if state["steps"]]
        self.assertEqual([state["frames_removed"] for state in states], [True])
        self.assertEqual(list((self.base / "out").rglob("*.vtu")), [])
        self.assertIn("| 1 |", self.call("out", "--list"))

    def test_bad_usage_and_missing_data(self):
        for options in (["--minutes", "0"], ["--minutes", "soon"], ["--jobs", "-1"], ["--only", "nothing"], ["--write", "--list"],
                        ["--unknown"]):
            self.call("out", *options, status=2)
        self.assertIn("no program", self.call("out", program=str(self.base / "none"), status=2))
        self.assertIn("SKIPPED", self.call("out", data="nowhere"))

    def test_pages_hold_what_was_run(self):
        self.call("out", "--only", "drop")
        docs = self.base / "docs"
        docs.mkdir()
        (docs / "evidence.md").write_text("# Title\n\n<!-- ipc: begin -->\nold\n<!-- ipc: end -->\n\nThe end.\n")
        with mock.patch.dict(os.environ, {"CLEARANCE_PEER_DATA": str(self.base / "data")}):
            entries = [(scene, load_state(scene.folder(self.base / "out"))) for scene in scenes(self.base / "out")]
            write_pages(entries, docs)
        page = (docs / "evidence.md").read_text()
        self.assertIn(f"| drop | {NUM_STEPS} |", page)
        self.assertNotIn("old", page)
        self.assertIn("The end.", page)
        stored, = json.loads((docs / "evidence" / "ipc.json").read_text())
        self.assertEqual([stored["steps"], stored["verified"]["intersections"]], [NUM_STEPS, 0])
        self.assertNotIn(str(self.base), json.dumps(stored))
        # Nothing is known of the scenes of other groups: what is stored of them stays.
        self.assertFalse((docs / "evidence" / "polyfem.json").exists())
        self.assertNotIn("<!-- polyfem: begin -->", page)

    def test_scenes_that_are_made_here_are_written_once(self):
        with mock.patch.dict(os.environ, {"CLEARANCE_PEER_DATA": str(self.base / "data")}):
            self.assertEqual([scene for scene in scenes(self.base) if scene.is_made], [])
            (self.base / "data" / "codim-ipc").mkdir()
            made = {scene.name: scene for scene in scenes(self.base) if scene.is_made}
            scene = made["12b_two_corners"]
            self.assertEqual(scene.file, "codim-ipc/12b_two_corners")
            write_scene(scene.name, scene.path)
            self.assertEqual(json.loads(scene.path.read_text())["name"], scene.name)
            scene.path.write_text("{}")
            write_scene(scene.name, scene.path)
            self.assertEqual(scene.path.read_text(), "{}")


if __name__ == "__main__":
    PROGRAM = sys.argv.pop(1)
    unittest.main()
