#!/usr/bin/env python3
"""Debian packages in a clean Debian: `clean_root_test.py --packages out/packages --work FOLDER`.

They install with what they name and nothing else; an ordinary user without a network then does what README.md says, with
the program, the module and the libraries; they are upgraded; they are removed, and nothing is left. Exit status 77 where
that cannot be tried: SKIPPED.
"""
import argparse
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

from clean_root import HOME, USER, CleanRoot, reason_to_skip

SOURCE = Path(__file__).resolve().parent.parent.parent
README = (SOURCE / "README.md").read_text(encoding="utf-8")
NAMES = ("clearance", "clearance-mesh", "libclearance-dev", "python3-clearance")

CUBE = """v 0 0.05 0\nv 0.1 0.05 0\nv 0.1 0.15 0\nv 0 0.15 0\nv 0 0.05 0.1\nv 0.1 0.05 0.1\nv 0.1 0.15 0.1\nv 0 0.15 0.1
f 1 3 2\nf 1 4 3\nf 5 6 7\nf 5 7 8\nf 1 2 6\nf 1 6 5\nf 4 7 3\nf 4 8 7\nf 1 5 8\nf 1 8 4\nf 2 3 7\nf 2 7 6
"""


def block_of(section, language):
    """Returns the first block of code of a language in a section of README.md."""
    text = README.split(f"## {section}\n")[1].split("\n## ")[0]
    return re.search(rf"```{language}\n(.*?)```", text, re.DOTALL).group(1)


def say(claim, start, text=""):
    print(f"ok: {claim} ({time.monotonic() - start:.0f} s)", flush=True)
    if text:
        print("".join(f"    {line}\n" for line in text.strip().split("\n")), end="", flush=True)


class Trial:
    def __init__(self, packages, work):
        self.files = {name: found[0] for name in NAMES if (found := sorted(packages.glob(f"{name}_*.deb")))}
        if len(self.files) != len(NAMES):
            raise SystemExit(f"clean_root_test: {packages} does not hold {', '.join(sorted(set(NAMES) - set(self.files)))}")
        start = time.monotonic()
        self.root = CleanRoot(work)
        self.root.run("apt-get update -q", as_root=True, network=True, folder="/")
        (self.root.path / "packages").mkdir()
        self.bring(self.files.values())
        say("a clean Debian is there", start, f"{self.root.used_megabytes()} MB")

    def bring(self, files):
        for file in files:
            shutil.copy(file, self.root.path / "packages")

    def write(self, name, text):
        path = self.root.path / HOME.strip("/") / name
        path.write_text(text, encoding="utf-8")
        shutil.chown(path, USER, USER)

    def install(self, name, *others):
        before, start = self.root.used_megabytes(), time.monotonic()
        self.root.install(f"/packages/{self.files[name].name}", *others)
        shutil.rmtree(self.root.path / "var/cache/apt/archives", ignore_errors=True)
        size = subprocess.run(["dpkg-deb", "-f", self.files[name], "Installed-Size"], check=True, capture_output=True, text=True)
        say(f"{name} installs with what it depends on", start,
            f"package {self.files[name].stat().st_size / 1e6:.1f} MB, installed {int(size.stdout) * 1.024e-3:.1f} MB; "
            f"with {', '.join(('its dependencies', *others))} {self.root.used_megabytes() - before} MB more")

    def use_program(self):
        start = time.monotonic()
        self.write("my_scene.json", block_of("A scene of your own", "json"))
        section = README.split("## A scene of your own\n")[1]
        commands = [line.split("#")[0].strip().replace("build/release/bin/clearance", "clearance")
                    for line in section.split("```\n")[2].split("\n") if line.startswith("build/release/bin/clearance")]
        names = [command.split()[1] for command in commands]
        assert {"check", "run", "verify", "render", "export", "view", "info"} <= set(names), names
        # A server ends on request; it needs the network of this machine for its own address.
        printed = [self.root.run(f"timeout --preserve-status -s INT 3 {command}", network=True) if name == "view" else
                   self.root.run(command) for name, command in zip(names, commands)]
        assert "is shown at" in printed[names.index("view")], printed
        for name, start_of_file in (("mine.png", b"\x89PNG"), ("mine.html", b"<!doctype html>")):
            data = (self.root.path / HOME.strip("/") / name).read_bytes()
            assert data[:len(start_of_file)].lower() == start_of_file.lower() and len(data) > 10_000, (name, len(data))
        say(f"README's first example works: {', '.join(names)}", start,
            "\n".join(re.findall(r"(?m)^(?:complete|verified|.* verified|.*MB.*).*$", "\n".join(printed))) or printed[2])

        start = time.monotonic()
        self.root.run("CLEARANCE_PROCESSOR=portable clearance run my_scene.json -o out/portable -q")
        hashes = [re.findall(r'"state_hash": ?"(\w+)"', (self.root.path / HOME.strip("/") / f"out/{name}/stats.jsonl").read_text())
                  for name in ("mine", "portable")]
        assert len(hashes[0]) == 100 and hashes[0] == hashes[1], hashes
        say("the portable program gives the same bits", start)
        words = self.root.run("bash -c '. /usr/share/bash-completion/completions/clearance; COMP_WORDS=(clearance run --th); "
                              "COMP_CWORD=2; _clearance; echo ${COMPREPLY[*]}'").split()
        assert words == ["--threads"], words

    def use_mesh(self):
        start = time.monotonic()
        self.write("cube.obj", CUBE)
        said = self.root.run("clearance mesh cube.obj -o cube.msh", status=2)
        assert "clearance-mesh" in said, said
        self.install("clearance-mesh")
        said = self.root.run("clearance mesh cube.obj -o cube.msh")
        say("surfaces are filled once clearance-mesh is there", start, said)

    def use_python(self):
        self.install("python3-clearance")
        start = time.monotonic()
        self.write("ball.py", block_of("Python", "python"))
        said = self.root.run("/usr/bin/python3 ball.py")
        assert re.search(r"^[\d.e+-]+ J$", said, re.MULTILINE), said
        say("README's example in Python works", start, said.strip().split("\n")[-1])
        self.write("fill.py", "import clearance as cl\nscene = cl.Scene(time={'step': 0.01, 'duration': 0.05})\n"
                              "scene.add_body('cube', mesh='cube.obj', volume_mesh={})\nwith cl.Simulation(scene) as sim:\n"
                              "    sim.run()\n    print(len(sim.positions), 'nodes')\n")
        say("the module fills surfaces, too", start, self.root.run("/usr/bin/python3 fill.py"))

    def use_libraries(self):
        self.install("libclearance-dev", "g++", "cmake", "make")
        for name, expected in (("use_ccd", r"^impact at 0\.5\nno impact until 1\n$"),
                               ("use_simulation", r"complete after step 20\n$")):
            start = time.monotonic()
            self.root.run(f"cp -r /usr/share/doc/clearance/examples/{name} . && cmake -S {name} -B build_{name} && "
                          f"cmake --build build_{name}")
            said = self.root.run(f"build_{name}/{name} {'result' if name == 'use_simulation' else ''}")
            assert re.search(expected, said), said
            say(f"examples/{name} builds with the package and runs", start, said)

    def upgrade(self):
        """Installs the same contents as a later version, over the installed and used one."""
        start = time.monotonic()
        later = self.root.work / "later"
        shutil.rmtree(later, ignore_errors=True)
        later.mkdir()
        for name, file in self.files.items():
            subprocess.run(["dpkg-deb", "-R", file, later / name], check=True)
            control = later / name / "DEBIAN/control"
            control.write_text(re.sub(r"(?m)^(Version: .*)$", r"\1+later", control.read_text()))
            subprocess.run(["dpkg-deb", "--root-owner-group", "-Znone", "-b", later / name, later], check=True, stdout=subprocess.DEVNULL)
        self.bring(later.glob("*.deb"))
        self.root.install("/packages/*+later*.deb")
        shutil.rmtree(later)
        versions = self.root.run(f"dpkg-query -W -f '${{Version}} ${{Status}}\\n' {' '.join(NAMES)}").strip().split("\n")
        assert len(versions) == 4 and all(re.search(r"\+later install ok installed$", line) for line in versions), versions
        self.root.run("clearance verify out/mine && /usr/bin/python3 -c 'import clearance'")
        say("all are upgraded, and work", start)

    def remove(self):
        start = time.monotonic()
        # Root's Python would leave its compiled files beside the modules.
        self.root.run("/usr/bin/python3 -c 'import clearance'", as_root=True)
        with_packages = self.root.paths()
        listed = {path.strip("/") for name in NAMES for path in self.root.run(f"dpkg -L {name}").split("\n")}
        self.root.run(f"apt-get purge -y -q {' '.join(NAMES)}", as_root=True, folder="/")
        left = self.root.paths()
        remains = sorted(path for path in left if "clearance" in path)
        assert not remains, remains
        # The missing files belonged to the packages.
        foreign = sorted(path for path in with_packages - left if "clearance" not in path and path not in listed)
        assert not foreign, foreign
        assert not self.root.run("dpkg --audit")
        say("all are removed, and nothing is left", start)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--packages", required=True, type=Path)
    parser.add_argument("--work", required=True, type=Path)
    arguments = parser.parse_args()
    if reason := reason_to_skip():
        print(f"SKIPPED: {reason}")
        sys.exit(77)
    start = time.monotonic()
    trial = Trial(arguments.packages, arguments.work)
    trial.install("clearance")
    trial.use_program()
    trial.use_mesh()
    trial.use_python()
    trial.use_libraries()
    trial.upgrade()
    trial.remove()
    shutil.rmtree(trial.root.path)
    say("everything", start)


if __name__ == "__main__":
    main()
