#!/usr/bin/env python3
"""Sweeps on this machine: plans, processes that are killed, pools that are killed. usage: PROGRAM [--runs N]"""
import argparse
import csv
import io
import json
import pathlib
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest

import harness

OPTIONS = None


class Sweep(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory(prefix="clearance_sweep_")
        self.folder = pathlib.Path(self.temporary.name)
        self.out = self.folder / "out"

    def tearDown(self):
        self.temporary.cleanup()

    def clearance(self, *words, status=0):
        result = subprocess.run([OPTIONS.program, *map(str, words)], capture_output=True, text=True, check=False)
        self.assertEqual(result.returncode, status, result.stdout + result.stderr)
        return result

    def edit_plan(self, plan, change):
        content = json.loads(plan.read_text())
        change(content)
        plan.write_text(json.dumps(content))

    def table(self):
        return list(csv.DictReader(io.StringIO(self.clearance("sweep", "collect", self.out).stdout)))

    def test_runs_are_those_of_the_program_itself(self):
        plan = harness.write_plan(self.folder, 6)
        self.clearance("sweep", plan, "-o", self.out)
        harness.check_against_direct_runs(OPTIONS.program, self.out, self.folder, range(6))
        rows = self.table()
        self.assertEqual([row["state"] for row in rows], ["complete"] * 6)
        manifest = json.loads((self.out / "sweep.json").read_text())
        self.assertEqual([[float(row["friction"]), float(row["speed"])] for row in rows], manifest["runs"])
        last = (self.out / "runs" / "000003" / "probes.csv").read_text().splitlines()[-1].split(",")
        self.assertEqual(float(rows[3]["x"]), float(last[2]))

    def test_calling_again_does_nothing_twice(self):
        plan = harness.write_plan(self.folder, 4)
        self.clearance("sweep", plan, "-o", self.out)
        stamps = {path: path.stat().st_mtime_ns for path in self.out.glob("runs/*/stats.jsonl")}
        again = self.clearance("sweep", plan, "-o", self.out)
        self.assertIn("4 of 4 runs are already complete", again.stdout)
        self.edit_plan(plan, lambda content: content["sampling"].update(count=7))
        self.clearance("sweep", plan, "-o", self.out)
        self.assertEqual(len(self.table()), 7)
        self.assertEqual({path: path.stat().st_mtime_ns for path in stamps}, stamps)

    def test_a_bad_plan_starts_nothing(self):
        plan = harness.write_plan(self.folder, 3)
        self.edit_plan(plan, lambda content: content["parameters"].append({"path": "friction.coeficient", "from": 0,
                                                                           "to": 1}))
        self.edit_plan(plan, lambda content: content["parameters"].append({"path": "bodies[3].density", "values": [1]}))
        refused = self.clearance("sweep", plan, "-o", self.out, status=2)
        self.assertIn("run 0 and 2 more: friction.coeficient", refused.stderr)
        self.assertIn("has no entry 3", refused.stderr)
        self.assertFalse(self.out.exists())

    def test_one_bad_run_is_named(self):
        plan = harness.write_plan(self.folder, 3)
        self.edit_plan(plan, lambda content: content.update(
            sampling="grid", parameters=[{"path": "friction.coefficient", "values": [0.1, -2, 0.3]}]))
        refused = self.clearance("sweep", plan, "-o", self.out, status=2)
        self.assertIn("run 1: friction.coefficient", refused.stderr)
        self.assertFalse(self.out.exists())

    def test_a_failed_run_is_told_and_does_not_stop_others(self):
        plan = harness.write_plan(self.folder, 3)
        # The body is below the ground: the run finds that when it starts, not before.
        self.edit_plan(plan, lambda content: content.update(
            sampling="grid", parameters=[{"path": "bodies[0].transform", "values": [
                {"translation": [0, 0, 0]}, {"translation": [0, -1, 0]}, {"translation": [0, 0.1, 0]}]}]))
        told = self.clearance("sweep", plan, "-o", self.out, status=3)
        self.assertIn("run 000001 failed", told.stderr)
        rows = self.table()
        self.assertEqual([row["state"] for row in rows], ["complete", "failed", "complete"])
        self.assertIn("behind half_spaces[0]", rows[1]["reason"])
        status = self.clearance("sweep", "status", self.out, status=3)
        self.assertIn("2 complete, 1 failed", status.stdout)
        # The failed run is left alone, and tried again if asked to.
        self.assertNotIn("run 000001 failed", self.clearance("sweep", plan, "-o", self.out, status=3).stderr)
        self.assertIn("run 000001 failed", self.clearance("sweep", plan, "-o", self.out, "--retry", status=3).stderr)

    def one_parameter(self, plan, values):
        self.edit_plan(plan, lambda content: content.update(
            sampling="grid", parameters=[{"path": "friction.coefficient", "values": values}]))

    def test_runs_without_their_values_are_nobodys(self):
        plan = harness.write_plan(self.folder, 3)
        self.one_parameter(plan, [0.1, 0.2, 0.3])
        self.clearance("sweep", plan, "-o", self.out)
        values = (self.out / "sweep.json").read_text()
        (self.out / "sweep.json").unlink()
        files = sorted(self.out.rglob("*"))
        self.one_parameter(plan, [0.1, 0.25, 0.3])
        refused = self.clearance("sweep", plan, "-o", self.out, status=2).stderr
        self.assertIn("has runs (000000, 000001, 000002) but no sweep.json", refused)
        self.assertEqual(sorted(self.out.rglob("*")), files)
        # Values of another sweep do not become those of the runs.
        (self.out / "sweep.json").write_text(values.replace("0.2", "0.25"))
        refused = self.clearance("sweep", plan, "-o", self.out, status=2).stderr
        self.assertIn("friction.coefficient was 0.2 and is now 0.25", refused)
        rows = self.table()
        self.assertEqual([row["state"] for row in rows], ["complete", "foreign", "complete"])
        self.assertEqual(rows[1]["x"], "")
        self.assertIn("friction.coefficient was 0.2", rows[1]["reason"])

    def test_a_run_by_hand_is_not_that_of_the_plan(self):
        plan = harness.write_plan(self.folder, 3)
        self.one_parameter(plan, [0.1, 0.2, 0.3])
        self.clearance("sweep", plan, "-o", self.out)
        run = self.out / "runs" / "000000"
        shutil.rmtree(run)
        by_hand = [OPTIONS.program, "run", self.folder / "scene.json", "-o", run, "-q", "--set=friction.coefficient=0.1"]
        subprocess.run([*by_hand, "--steps=10"], check=True, capture_output=True)
        for words in (["sweep", plan, "-o", self.out], ["sweep", "task", self.out, "0"]):
            self.assertIn("it has 10 steps, and the plan says 60", self.clearance(*words, status=2).stderr)
        self.assertIn("2 complete, 1 foreign", self.clearance("sweep", "status", self.out, status=3).stdout)
        self.assertEqual(len((run / "stats.jsonl").read_text().splitlines()), 10)
        # A run repeated by hand is as good as one by the sweep, also when the scene file has changed since.
        shutil.rmtree(run)
        subprocess.run(by_hand, check=True, capture_output=True)
        scene = self.folder / "scene.json"
        scene.write_text(scene.read_text().replace('"step": 0.01', '"step": 0.02'))
        self.clearance("sweep", "status", self.out)

    def test_runs_whose_overlaps_are_separated_are_their_own(self):
        plan = harness.write_plan(self.folder, 2)
        self.one_parameter(plan, [0.1, 0.2])
        self.edit_plan(plan, lambda content: content.update(run={"steps": 2, "set": {
            "start.overlaps": "separate", "bodies[0].transform": {"translation": [0, -0.15, 0]}}}))
        self.clearance("sweep", plan, "-o", self.out)
        self.assertIn("2 of 2 runs are already complete", self.clearance("sweep", plan, "-o", self.out).stdout)

    def test_why_a_run_failed_is_told_where_it_cannot_be_kept(self):
        plan = harness.write_plan(self.folder, 2)
        self.edit_plan(plan, lambda content: content.update(sampling="grid", run={"steps": 1}, parameters=[
            {"path": "bodies[0].transform.translation", "values": [[0, 0, 0], [0, -1, 0]]}]))
        self.clearance("sweep", plan, "-o", self.out, status=3)
        shutil.rmtree(self.out / "failures")
        (self.out / "failures").write_text("in the way")
        told = self.clearance("sweep", "task", self.out, "1", status=2).stderr
        self.assertIn("run 000001 ended, but its reason cannot be stored", told)
        self.assertIn("behind half_spaces[0]", told)

    def test_what_no_run_will_have_is_told_before_they_start(self):
        plan = harness.write_plan(self.folder, 2)
        self.edit_plan(plan, lambda content: content.update(
            collect=[{"stats": "enrgy.kinetic"}, {"stats": "momentum.linear[0]"}, {"probe": "bax.x"}, {"probe": "box.x"},
                     {"stats": "momentum.total[0]"}, {"probe": "box.x [m]", "take": "max"},
                     {"stats": "remesh.elements"}, {"stats": "remesh.splitz"}],
            picture={"frame": 4, "color": "stress"}))
        refused = self.clearance("sweep", plan, "-o", self.out, status=2).stderr
        self.assertIn("collect[0].stats: no line of stats.jsonl has this key; did you mean `energy`?", refused)
        self.assertIn("`momentum` of stats.jsonl has no `linear`; known: `total`", refused)
        self.assertIn("collect[2].probe: `output.probes` of the scene has no such probe; did you mean `box`?", refused)
        # The frames are every 20th of 60 steps, and the start.
        self.assertIn("picture.frame: no run has this frame; expected 0 to 3", refused)
        self.assertIn('picture.color: warning: the table will have no pictures: the frames have no `von_mises`', refused)
        self.assertIn("`remesh` of stats.jsonl has no `splitz`; did you mean `splits`?", refused)
        self.assertEqual(refused.count("collect["), 4, refused)
        self.assertFalse(self.out.exists())
        # The first run tells what only a run can say, and the run is none the worse.
        self.edit_plan(plan, lambda content: content.update(picture={"frame": -4, "color": "stress"}, collect=[
            {"probe": "box.q"}, {"stats": "energy.kinetik"}]))
        told = self.clearance("sweep", plan, "-o", self.out, "-q", "--jobs=1").stderr
        self.assertIn("collect[0]: warning: run 000000 has not this column in its probes.csv", told)
        self.assertIn("collect[1]: warning: run 000000 has not this column in its stats.jsonl", told)
        self.assertEqual(told.count("collect["), 2, told)
        table = self.clearance("sweep", "table", self.out, "-o", self.folder / "table.html")
        self.assertIn("plan.json: picture.color: warning: run 000000", table.stderr)

    def test_columns_that_are_known_are_those_of_a_run(self):
        plan = harness.write_plan(self.folder, 1)
        self.clearance("sweep", plan, "-o", self.out)
        line = json.loads((self.out / "runs" / "000000" / "stats.jsonl").read_text().splitlines()[0])
        keys = [*line, *(f"momentum.{key}" for key in line["momentum"])]
        self.edit_plan(plan, lambda content: content.update(collect=[{"stats": key} for key in keys]))
        self.clearance("sweep", plan, "-o", self.out)

    def test_words_of_the_command_line(self):
        plan = harness.write_plan(self.folder, 2)
        for words in (["stauts"], ["stauts", self.out]):
            self.assertIn("`clearance sweep status`", self.clearance("sweep", *words, status=2).stderr)
        for option in ("time", "--time=1:00", "=3"):
            refused = self.clearance("sweep", plan, "-o", self.out, "--slurm", f"--slurm-option={option}", status=2)
            self.assertIn("expected name=value", refused.stderr)
        self.assertFalse(self.out.exists())

    def test_a_signal_stops_all_runs_and_the_next_call_goes_on(self):
        plan = harness.write_plan(self.folder, 8)
        process = subprocess.Popen([OPTIONS.program, "sweep", plan, "-o", self.out, "--jobs=4"],
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.wait_for(lambda: list(self.out.glob("runs/*/checkpoint/state.bin")))
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=60)
        self.assertEqual(process.returncode, 130)
        self.assertEqual(harness.processes_with("sweep", "task", str(self.out)), [])
        status = harness.status_of(OPTIONS.program, self.out)
        self.assertEqual(status["running"], 0)
        self.assertLess(status["complete"], 8)
        self.clearance("sweep", plan, "-o", self.out)
        harness.check_against_direct_runs(OPTIONS.program, self.out, self.folder, range(8))

    def test_two_pools_do_not_share_a_folder(self):
        plan = harness.write_plan(self.folder, 8)
        with subprocess.Popen([OPTIONS.program, "sweep", plan, "-o", self.out, "-q"]) as first:
            self.wait_for(lambda: list(self.out.glob("runs/*/stats.jsonl")))
            refused = self.clearance("sweep", plan, "-o", self.out, status=2)
            self.assertIn("another process is starting the runs", refused.stderr)
            self.assertEqual(first.wait(60), 0)

    def test_nothing_is_lost_when_processes_and_pools_are_killed(self):
        count, kills = OPTIONS.runs, {"runs": 0, "pools": 0}
        print(f"seed {OPTIONS.seed}", flush=True)
        dice = random.Random(OPTIONS.seed)
        plan = harness.write_plan(self.folder, count)
        is_over = threading.Event()

        def kill_runs():
            # The number of kills is bounded, so that a slow machine comes to an end.
            while kills["runs"] < 2 * count and not is_over.wait(dice.uniform(0.02, 0.4)):
                processes = harness.processes_with("sweep", "task", str(self.out))
                if processes and harness.kill(dice.choice(processes)):
                    kills["runs"] += 1

        killer = threading.Thread(target=kill_runs)
        killer.start()
        status = None
        try:
            for attempt in range(1000):
                pool = subprocess.Popen([OPTIONS.program, "sweep", plan, "-o", self.out, "-q", "--jobs=3", "--retry"])
                # The last pools live as long as they like, so that there is an end.
                patience = dice.uniform(0.5, 3 + count / 20) if attempt < 8 else None
                try:
                    status = pool.wait(patience)
                except subprocess.TimeoutExpired:
                    pool.kill()
                    pool.wait()
                    kills["pools"] += 1
                    continue
                self.assertIn(status, (0, 3))
                if status == 0:
                    break
                if attempt > 20:
                    is_over.set()
        finally:
            is_over.set()
            killer.join()
        self.assertEqual(status, 0)
        self.assertGreater(kills["runs"], 0)
        print(f"{count} runs, killed: {kills}", flush=True)
        self.assertEqual(harness.status_of(OPTIONS.program, self.out)["complete"], count)
        harness.check_against_direct_runs(OPTIONS.program, self.out, self.folder, range(count))
        self.clearance("verify", self.out / "runs" / f"{dice.randrange(count):06}")
        self.assertEqual(harness.processes_with("sweep", "task", str(self.out)), [])

    def test_without_slurm_it_says_so(self):
        plan = harness.write_plan(self.folder, 2)
        refused = subprocess.run([OPTIONS.program, "sweep", plan, "-o", self.out, "--slurm"], capture_output=True,
                                 text=True, check=False, env={"PATH": str(self.folder)})
        self.assertEqual(refused.returncode, 2)
        self.assertIn("there is no `sbatch` on the PATH", refused.stderr)
        self.assertFalse(self.out.exists())

    def test_table_and_collect(self):
        plan = harness.write_plan(self.folder, 3)
        self.edit_plan(plan, lambda content: content.update(picture={"size": [64, 48]}))
        self.clearance("sweep", plan, "-o", self.out)
        page = self.folder / "table.html"
        self.clearance("sweep", "table", self.out, "-o", page)
        self.assertEqual(page.read_text().count("data:image/png;base64,"), 3)
        self.assertIn("overwrite", self.clearance("sweep", "table", self.out, "-o", page, status=2).stderr)
        drawn = {path: path.stat().st_mtime_ns for path in self.out.glob("pictures/*.png")}
        self.assertEqual(len(drawn), 3)
        self.clearance("sweep", "table", self.out, "-o", page, "--overwrite")
        self.assertEqual({path: path.stat().st_mtime_ns for path in self.out.glob("pictures/*.png")}, drawn)
        self.clearance("sweep", "collect", self.out, "-o", self.folder / "table.csv")
        self.assertEqual((self.folder / "table.csv").read_text().count("\n"), 4)

    @unittest.skipUnless(shutil.which("chromium"), "no chromium")
    def test_the_table_sorts_in_a_browser(self):
        plan = harness.write_plan(self.folder, 5)
        self.edit_plan(plan, lambda content: content.update(run={"steps": 1}))
        self.clearance("sweep", plan, "-o", self.out)
        page = self.folder / "table.html"
        self.clearance("sweep", "table", self.out, "-o", page)
        friction = [float(row["friction"]) for row in self.table()]
        expected = sorted(range(5), key=lambda run: friction[run])
        for num_clicks in (1, 2):
            clicks = "document.querySelectorAll('th button')[1].click();" * num_clicks
            clicked = self.folder / f"clicked_{num_clicks}.html"
            clicked.write_text(page.read_text().replace("</body>", f"<script>{clicks}</script></body>"))
            shown = subprocess.run(["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--dump-dom",
                                    f"--user-data-dir={self.folder}/profile", clicked.as_uri()],
                                   capture_output=True, text=True, check=True, timeout=120).stdout
            order = [int(run) for run in re.findall(r'<tr><td data-v="(\d+)">', shown)]
            self.assertEqual(order, expected if num_clicks == 1 else expected[::-1])

    @unittest.skipUnless(shutil.which("chromium"), "no chromium")
    def test_bars_of_the_table_are_as_long_as_their_numbers(self):
        plan = harness.write_plan(self.folder, 3)
        self.one_parameter(plan, [0.1, 0.2, 0.3])
        self.edit_plan(plan, lambda content: content.update(run={"steps": 1}))
        self.clearance("sweep", plan, "-o", self.out)
        page = self.folder / "table.html"
        self.clearance("sweep", "table", self.out, "-o", page)
        measure = ("document.body.dataset.sizes = [...document.querySelectorAll('td.given')]"
                   ".map(cell => getComputedStyle(cell).backgroundSize).join('; ')")
        page.write_text(page.read_text().replace("</body>", f"<script>{measure}</script></body>"))
        shown = subprocess.run(["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--dump-dom",
                                f"--user-data-dir={self.folder}/profile", page.as_uri()],
                               capture_output=True, text=True, check=True, timeout=120).stdout
        sizes = re.search(r'data-sizes="([^"]*)"', shown).group(1).split("; ")
        self.assertEqual(len(set(sizes)), 3, sizes)
        for size in sizes:
            self.assertTrue(size.endswith(" 3px"), sizes)

    def test_the_example_shows_what_it_says(self):
        examples = pathlib.Path(__file__).resolve().parents[2] / "examples" / "sweeps"
        self.clearance("sweep", examples / "drop_height_and_friction.json", "-o", self.out)
        rows = self.table()
        self.assertEqual(len(rows), 20)
        for row in rows:
            # On 20 degrees a box stays if friction is more than the slope's tangent, 0.364.
            has_slid = float(row["slid to x [m]"]) > 0.02
            self.assertEqual(has_slid, float(row["friction"]) < 0.364, row)

    def wait_for(self, condition, seconds=60):
        end = time.monotonic() + seconds
        while not condition():
            self.assertLess(time.monotonic(), end)
            time.sleep(0.02)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program")
    parser.add_argument("--runs", type=int, default=20, help="of the sweep that is killed")
    parser.add_argument("--seed", type=int, default=int(time.time()))
    OPTIONS, rest = parser.parse_known_args()
    unittest.main(argv=sys.argv[:1] + rest, verbosity=2)
