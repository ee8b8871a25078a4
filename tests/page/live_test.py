#!/usr/bin/env python3
"""`clearance view` and `clearance run --view`: `live_test.py PROGRAM`.

Runs are watched, paused and stopped; a client without the token, or with another host or origin, gets nothing; fifty
pages are open at once, and programs are killed on either side. If there is a browser, it shows frames as they come.
Exit status 77 if clearance-view or the viewer is missing: SKIPPED.
"""

import filecmp
import http.client
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from pathlib import Path
from urllib.parse import urlsplit

from browser import HOME, SKIPPED, Browser, PageCase, missing_for_pages

SCENE = {"time": {"step": 0.005, "duration": 3.0}, "half_spaces": [{"point": [0, -0.3, 0]}],
         "output": {"contact_forces": True, "fields": ["von_mises"]},
         "bodies": [{"name": "box", "generator": {"kind": "box", "size": [0.5, 0.5, 0.5], "resolution": [4, 4, 4]}}]}


def wait_until(condition, seconds=60):
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            raise AssertionError("never")
        time.sleep(0.02)


class Viewed:
    """A process that shows a run, and the browser's side of the requests to it."""

    def __init__(self, *command):
        self.process = subprocess.Popen([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.lines = []
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()
        wait_until(lambda: self.process.poll() is not None or any("http://" in line for line in self.lines))
        self.address = next((line.strip() for line in self.lines if "http://" in line), "")
        if not self.address:
            raise AssertionError("".join(self.lines))
        self.host = urlsplit(self.address).netloc
        answer = self.ask("GET", "/?" + urlsplit(self.address).query, cookie=None)
        self.cookie = answer.getheader("Set-Cookie").split(";")[0]

    def read(self):
        for line in self.process.stdout:
            self.lines.append(line)

    def ask(self, method, path, body=None, cookie="", **headers):
        connection = http.client.HTTPConnection("127.0.0.1", int(self.host.split(":")[1]), timeout=30)
        headers = {"Host": self.host, **{name.replace("_", "-"): value for name, value in headers.items()}}
        if cookie is not None:
            headers["Cookie"] = cookie or self.cookie
        connection.request(method, path, body, headers)
        answer = connection.getresponse()
        if path.startswith("/events") and answer.status == 200:
            return answer
        answer.text = answer.read()
        connection.close()
        return answer

    def head(self):
        return json.loads(self.ask("GET", "/head").text)

    def status(self):
        head = self.head()
        return head and head["status"]

    def num_frames(self):
        head = self.head()
        return len(head["frames"]) if head else 0

    def wish(self, word):
        return self.ask("POST", "/wish", word, Origin="http://" + self.host)

    def end(self, sig=signal.SIGINT):
        """Ends the run as Ctrl-C does, for all processes of the terminal."""
        if self.process.poll() is None:
            self.process.send_signal(sig)
        self.process.wait(60)
        self.reader.join()
        return "".join(self.lines)


def children_of(process):
    return [int(pid) for pid in Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()]


class LiveRun(unittest.TestCase):
    program = ""

    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.folder = Path(self.temporary.name)
        (self.folder / "scene.json").write_text(json.dumps(SCENE))
        self.viewed = []

    def tearDown(self):
        for viewed in self.viewed:
            viewed.end(signal.SIGKILL)
        self.temporary.cleanup()

    def run_with_view(self, *options, out="run"):
        self.viewed.append(Viewed(self.program, "run", self.folder / "scene.json", "-o", self.folder / out, "--threads", 1, "--view", *options))
        return self.viewed[-1]

    def view(self, out="run", *options):
        self.viewed.append(Viewed(self.program, "view", self.folder / out, *options))
        return self.viewed[-1]

    def run_plainly(self, *options, out="plain"):
        subprocess.run([self.program, "run", self.folder / "scene.json", "-o", self.folder / out, "-q", "--threads", "1", *options], check=True,
                       stderr=subprocess.DEVNULL)

    def assert_same_frames(self, a, b):
        names = sorted(path.name for path in (self.folder / a / "frames").glob("*.vtu"))
        self.assertGreater(len(names), 1)
        self.assertEqual(filecmp.cmpfiles(self.folder / a / "frames", self.folder / b / "frames", names, shallow=False)[1:], ([], []))

    def test_frames_come_and_the_run_is_paused_and_stopped(self):
        run = self.run_with_view()
        wait_until(lambda: run.num_frames() > 3)
        self.assertEqual(run.wish("pause").status, 200)
        wait_until(lambda: run.status() == "paused")
        time.sleep(0.5)  # the step under way stops at its next iteration
        before = run.num_frames()
        time.sleep(1.0)
        self.assertEqual(run.num_frames(), before)
        self.assertEqual(run.wish("go").status, 200)
        wait_until(lambda: run.num_frames() > before)
        self.assertEqual(run.wish("stop").status, 200)
        wait_until(lambda: run.status() == "stopped")
        self.assertEqual(run.ask("GET", f"/frame{run.num_frames() - 1}").status, 200)
        text = run.end()
        self.assertIn("stopped by its viewer", text)
        # A run that was paused and stopped continues to the bits of a run that nobody watched.
        self.run_plainly()
        subprocess.run([self.program, "run", self.folder / "scene.json", "-o", self.folder / "run", "-q", "--threads", "1", "--resume"], check=True,
                       stderr=subprocess.DEVNULL)
        self.assert_same_frames("run", "plain")

    def test_what_a_page_has_is_what_the_folder_has(self):
        self.run_plainly("--steps", "5")
        view = self.view("plain")
        head = view.head()
        self.assertEqual((head["status"], len(head["frames"]), len(head["stats"]["step"])), ("complete", 6, 5))
        events = view.ask("GET", "/events?seen=1.0.2.1.0")
        self.assertEqual(events.getheader("Content-Type"), "text/event-stream")
        text = b""
        while b"data: " not in text or not text.endswith(b"\n\n"):
            text += events.read1(65536)
        news = json.loads(re.search(rb"event: news\ndata: (.*)\n", text).group(1))
        self.assertEqual([frame["step"] for frame in news["frames"]], [2, 3, 4, 5])
        self.assertEqual(news["stats"]["step"], [2, 3, 4, 5])
        size = 4 * (3 * head["moving"]) + 4 + len(head["fields"]) * 4 * head["vertices"]
        self.assertEqual(len(view.ask("GET", "/frame0").text), size)  # the frame has no forces
        self.assertEqual(view.ask("GET", "/frame6").status, 404)

    def test_elements_that_change_have_a_topology_for_every_frame(self):
        scene = {"dimension": 2, "time": {"step": 0.02, "duration": 0.1, "mass": "consistent"}, "gravity": [0, 0], "remesh": {"relative_gain": 1e-5},
                 "contact": {"formulation": "convergent"},
                 "bodies": [{"name": "bar", "generator": {"kind": "rectangle", "size": [0.6, 0.1], "resolution": [6, 1]}, "motions": [
                     {"region": {"box": [[-1, -1, 0], [-0.29, 1, 0]]}},
                     {"region": {"box": [[0.29, -1, 0], [1, 1, 0]]}, "linear_velocity": [0, 0.5]}]}]}
        (self.folder / "scene.json").write_text(json.dumps(scene))
        self.run_plainly()
        view = self.view("plain")
        head = view.head()
        self.assertTrue(head["adapts"])
        self.assertEqual([frame["topology"] for frame in head["frames"]], list(range(6)))
        numbers = []
        for path in ["/topology", *(f"/topology{i}" for i in range(1, 6))]:
            answer = view.ask("GET", path)
            self.assertEqual(answer.status, 200)
            numbers.append(int.from_bytes(answer.text[:4], "little"))
        self.assertGreater(numbers[-1], numbers[0])
        for i, vertices in enumerate(numbers):
            self.assertEqual(len(view.ask("GET", f"/frame{i}").text), 4 * vertices * (3 + len(head["fields"])))
        self.assertEqual(view.ask("GET", "/topology6").status, 404)

    def test_nothing_is_told_without_the_token(self):
        self.run_plainly("--steps", "2")
        view = self.view("plain")
        paths = ["/", "/head", "/topology", "/topology1", "/frame0", "/events", "/wish"]
        for path in paths:
            for cookie in (None, "clearance=1", view.cookie[:-1] + ("0" if view.cookie[-1] != "0" else "1"), view.cookie.split("=")[0] + "="):
                self.assertEqual(view.ask("GET", path, cookie=cookie).status, 403, (path, cookie))
        self.assertEqual(view.ask("GET", "/?token=" + "0" * 32, cookie=None).status, 403)
        self.assertEqual(view.ask("GET", "/?token=", cookie=None).status, 403)
        cookie = view.ask("GET", "/?" + urlsplit(view.address).query, cookie=None).getheader("Set-Cookie")
        self.assertIn("HttpOnly", cookie)
        self.assertIn("SameSite=Strict", cookie)
        self.assertEqual(view.ask("GET", "/?" + urlsplit(view.address).query, cookie=None).getheader("Location"), "/")

    def test_another_host_or_origin_is_refused(self):
        self.run_plainly("--steps", "2")
        view = self.view("plain")
        port = view.host.split(":")[1]
        for host in ("evil.example", f"evil.example:{port}", "127.0.0.1", "127.0.0.1:1", f"localhost.evil.example:{port}", f"[::1]:{port}", ""):
            self.assertEqual(view.ask("GET", "/head", Host=host).status, 403, host)
        self.assertEqual(view.ask("GET", "/head", Host=f"localhost:{port}").status, 200)
        for origin in ("http://evil.example", "null", f"https://{view.host}", f"http://{view.host}.evil.example", "http://127.0.0.1:1"):
            self.assertEqual(view.ask("GET", "/head", Origin=origin).status, 403, origin)
            self.assertEqual(view.ask("POST", "/wish", "stop", Origin=origin).status, 403, origin)
        self.assertEqual(view.ask("POST", "/wish", "stop").status, 403)  # sent as by a form on another page
        for method in ("PUT", "DELETE", "OPTIONS", "PATCH"):
            self.assertIn(view.ask(method, "/head", Origin="http://" + view.host).status, (403, 405), method)

    def test_frames_are_numbers_and_never_paths(self):
        self.run_plainly("--steps", "2")
        view = self.view("plain")
        for path in ("/frame/../../scene.json", "/frames/frame_000000.vtu", "/scene.json", "/frame0/../scene.json", "/../scene.json", "/%2e%2e/scene.json",
                     "/frame-1", "/frame0x", "/frame99999999999999999999", "/frame", "//frame0", "/etc/passwd", "/frame0%00"):
            self.assertIn(view.ask("GET", path).status, (400, 404), path)
        self.assertEqual(view.ask("POST", "/wish", "pause" * 1000, Origin="http://" + view.host).status, 413)
        self.assertEqual(view.wish("jump").status, 400)

    def test_its_policy_lets_nothing_in_and_nothing_out(self):
        self.run_plainly("--steps", "2")
        view = self.view("plain")
        page = view.ask("GET", "/")
        policy = page.getheader("Content-Security-Policy")
        self.assertIn("default-src 'none'", policy)
        self.assertIn("frame-ancestors 'none'", policy)
        self.assertNotIn("unsafe", policy)
        nonce = re.search(r"script-src 'nonce-(\w+)'", policy).group(1)
        self.assertEqual(page.text.count(f'nonce="{nonce}"'.encode()), 2)
        self.assertNotIn(nonce, view.ask("GET", "/").getheader("Content-Security-Policy"))
        for path in ("/", "/head", "/frame0", "/nothing"):
            answer = view.ask("GET", path)
            self.assertEqual(answer.getheader("X-Content-Type-Options"), "nosniff")
            self.assertEqual(answer.getheader("Referrer-Policy"), "no-referrer")
            self.assertEqual(answer.getheader("Cache-Control"), "no-store")
        # Listens on the loopback address of this machine, and no other
        with open("/proc/net/tcp", encoding="ascii") as sockets:
            listening = [line.split()[1] for line in sockets if line.split()[3] == "0A"]
        self.assertIn(f"0100007F:{int(view.host.split(':')[1]):04X}", listening)

    def test_fifty_pages_at_once_change_nothing(self):
        run = self.run_with_view("--steps", "60")
        counts, problems = [0] * 50, []

        def page(i):
            try:
                events = run.ask("GET", "/events?seen=1.0.0.0.0")
                while counts[i] < 61:
                    line = events.readline()
                    if line.startswith(b"data: ") and len(line) > 9:
                        news = json.loads(line[6:])
                        for _ in news["frames"]:
                            answer = run.ask("GET", f"/frame{counts[i]}")
                            if answer.status != 200:
                                raise AssertionError(f"frame {counts[i]}: {answer.status}")
                            counts[i] += 1
                events.close()
            except Exception as problem:  # the test reports it
                problems.append(problem)

        wait_until(lambda: run.num_frames() > 0)
        pages = [threading.Thread(target=page, args=(i,), daemon=True) for i in range(50)]
        for thread in pages:
            thread.start()
        for thread in pages:
            thread.join(120)
        self.assertEqual(problems, [])
        self.assertEqual(counts, [61] * 50)
        run.end()
        self.run_plainly("--steps", "60")
        self.assert_same_frames("run", "plain")

    def test_a_killed_viewer_leaves_the_run_alone_even_a_paused_one(self):
        process = subprocess.Popen([self.program, "run", self.folder / "scene.json", "-o", self.folder / "run", "-q", "--threads", "1"],
                                   stderr=subprocess.DEVNULL)
        try:
            wait_until(lambda: (self.folder / "run" / "frames.pvd").exists())
            view = self.view("run")
            wait_until(lambda: view.num_frames() > 2)
            self.assertEqual(view.wish("pause").status, 200)
            wait_until(lambda: view.status() == "paused")
            other = self.view("run")
            self.assertEqual(other.status(), "paused")
            self.assertEqual(other.wish("go").status, 200)
            self.assertEqual(other.wish("stop").status, 409)  # the first one's wish counts
            view.end(signal.SIGKILL)
            before = other.num_frames()
            wait_until(lambda: other.num_frames() > before + 2)
            self.assertEqual(other.status(), "running")
            process.kill()
            process.wait()
            wait_until(lambda: other.status() == "ended")
            self.assertEqual(other.ask("GET", "/frame1").status, 200)
        finally:
            process.kill()
            process.wait()

    def test_whoever_closes_the_page_of_a_complete_run_gets_the_status_of_the_run(self):
        for stop in (signal.SIGINT, signal.SIGTERM):
            run = self.run_with_view("--steps", "2", "--overwrite")
            wait_until(lambda: any("page stays" in line for line in run.lines))
            viewers = children_of(run.process)
            run.end(stop)
            self.assertEqual(run.process.returncode, 0, stop)
            wait_until(lambda: not Path(f"/proc/{viewers[0]}").exists())

    def test_a_killed_run_takes_its_viewer_along(self):
        run = self.run_with_view()
        wait_until(lambda: run.num_frames() > 1)
        viewers = children_of(run.process)
        self.assertEqual(len(viewers), 1)
        run.end(signal.SIGKILL)
        wait_until(lambda: not Path(f"/proc/{viewers[0]}").exists() or "Z" in Path(f"/proc/{viewers[0]}/stat").read_text().split()[2])
        subprocess.run([self.program, "verify", self.folder / "run"], check=True, stdout=subprocess.DEVNULL)

    def test_mistakes(self):
        def refused(*words):
            answer = subprocess.run([self.program, *map(str, words)], capture_output=True, text=True, timeout=60)
            self.assertEqual(answer.returncode, 2, answer.stdout + answer.stderr)
            return answer.stderr

        self.assertIn("this is not a folder", refused("view", self.folder / "nowhere"))
        self.assertIn("this is not a result folder", refused("view", self.folder))
        self.run_plainly("--steps", "2")
        view = self.view("plain")
        self.assertIn("--port", refused("view", self.folder / "plain", "--port", view.host.split(":")[1]))
        self.assertIn("--port", refused("view", self.folder / "plain", "--port", "70000"))
        for file in (self.folder / "plain" / "frames").iterdir():
            file.unlink()
        self.assertIn("frame_000000.vtu", refused("view", self.folder / "plain"))


class LivePage(PageCase):
    program = ""

    def test_a_page_shows_a_run_that_goes_on(self):
        with tempfile.TemporaryDirectory() as folder:
            scene = Path(folder, "scene.json")
            scene.write_text(json.dumps({**SCENE, "time": {"step": 0.005, "duration": 60.0}}))
            run = Viewed(self.program, "run", scene, "-o", Path(folder, "run"), "--threads", "1", "--view")
            browser = self.browser = Browser()
            try:
                browser.open(run.address)
                self.assertNotIn("token", browser.run("return location.href"))
                rows = self.stage()
                self.assertLess(self.background(rows), 0.99 * sum(len(row) for row in rows), "a blank view")
                first = browser.run("return clearance.head.frames.length")
                browser.wait_for(f"clearance.head.frames.length > {first} + 5")
                browser.wait_for("clearance.index > 5 && clearance.isFollowing")
                self.assertEqual(browser.run("return document.getElementById('status').textContent"), "running")
                browser.run("document.getElementById('pause-run').click()")
                browser.wait_for("document.getElementById('status').textContent === 'paused'")
                browser.press(HOME)
                browser.wait_for("clearance.index === 0 && !clearance.isFollowing")
                start = self.stage()
                browser.run("document.getElementById('pause-run').click()")
                browser.wait_for("document.getElementById('status').textContent === 'running'")
                browser.wait_for(f"clearance.head.frames.length > {first} + 15")
                # A user who looks at the start is left there
                self.assertEqual(browser.run("return clearance.index"), 0)
                self.assertLess(self.different(start, self.stage()), 50)
                browser.run("const s = document.getElementById('field'); s.value = 'von_mises'; s.dispatchEvent(new Event('change'))")
                browser.run("document.getElementById('stop-run').click()")
                browser.wait_for("document.getElementById('status').textContent === 'stopped'")
                self.assertTrue(browser.run("return document.getElementById('stop-run').hidden"))
                last = browser.run("return clearance.head.frames.length - 1")
                browser.run(f"clearance.seek({last})")
                browser.wait_for(f"clearance.frame === clearance.run.frames.get({last})")
                self.assertGreater(self.different(start, self.stage()), 50)
                self.assertEqual(browser.errors(), [])
                run.end()
                browser.wait_for("document.getElementById('status').textContent.includes('gone')")
                browser.press(HOME)  # seen frames are still there
                browser.wait_for("clearance.index === 0")
            finally:
                browser.close()
                run.end(signal.SIGKILL)


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    program = LiveRun.program = LivePage.program = str(Path(sys.argv.pop(1)).resolve())
    if not Path(program).with_name("clearance-view").exists() or "the viewer" in missing_for_pages(program):
        print("SKIPPED: no clearance-view, or no viewer")
        sys.exit(SKIPPED)
    if missing := missing_for_pages(program):
        print("no", ", no ".join(missing))
        del LivePage
    unittest.main(verbosity=2, warnings="ignore")
