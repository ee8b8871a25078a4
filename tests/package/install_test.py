#!/usr/bin/env python3
"""`./dev install`: the installed program works by itself. `install_test.py BUILD`.

The folders of the build and of the source are hidden meanwhile, if the machine allows it: an empty folder lies over
them, in a namespace that ends with this script.
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

# Set to the folder of the source if it is hidden and this script is no file any more.
HIDDEN = "CLEARANCE_TEST_HIDDEN_SOURCE"
SOURCE = Path(os.environ[HIDDEN] if HIDDEN in os.environ else Path(__file__).resolve().parent.parent.parent)
SCENE = {"time": {"step": 0.01, "duration": 0.03},
         "bodies": [{"name": "ball", "generator": {"kind": "sphere", "size": [0.1]}, "transform": {"translation": [0, 0.3, 0]}}],
         "half_spaces": [{"point": [0, 0, 0], "normal": [0, 1, 0]}]}
TETRAHEDRON = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n"


def install(build, prefix):
    for component in ("program", "mesh", "robot", "mpi", "ccd", "simulation", "python"):
        subprocess.run(["cmake", "--install", build, "--prefix", prefix, "--component", component], check=True,
                       stdout=subprocess.DEVNULL)


class Installed(unittest.TestCase):
    folder = prefix = None

    def setUp(self):
        (self.folder / "scene.json").write_text(json.dumps(SCENE))
        (self.folder / "surface.obj").write_text(TETRAHEDRON)

    def run_program(self, *words, status=0, **options):
        environment = {"PATH": "/usr/bin:/bin", "HOME": str(self.folder), "LANG": "C.UTF-8"}
        done = subprocess.run([str(word) for word in words], cwd="/", env={**environment, **options}, capture_output=True, text=True)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done.stdout

    def test_the_program_runs_from_any_folder(self):
        program, result = self.prefix / "bin/clearance", self.folder / "result"
        self.run_program(program, "run", self.folder / "scene.json", "-o", result)
        self.run_program(program, "verify", result)
        self.run_program(program, "render", result, "-o", self.folder / "picture.png", "--size", "64x64")
        if (self.prefix / "share/clearance/viewer.html").exists():
            self.run_program(program, "export", result, "-o", self.folder / "page.html")
            self.assertTrue((self.prefix / "share/clearance/viewer.licences.txt").read_text())

    def test_surfaces_are_filled(self):
        if not (self.prefix / "bin/clearance-mesh").exists():
            self.skipTest("clearance-mesh is not built: CGAL is missing")
        made = self.folder / "filled.msh"
        self.run_program(self.prefix / "bin/clearance", "mesh", self.folder / "surface.obj", "-o", made)
        self.assertTrue(made.exists())
        # A program elsewhere finds it on the PATH only, and says so if it is not there.
        lone = shutil.copy(self.prefix / "bin/clearance", self.folder / "lone")
        made.unlink()
        self.run_program(lone, "mesh", self.folder / "surface.obj", "-o", made, status=2, CLEARANCE_PROCESSOR="portable")
        self.run_program(lone, "mesh", self.folder / "surface.obj", "-o", made, CLEARANCE_PROCESSOR="portable",
                         PATH=f"{self.prefix}/bin:/usr/bin:/bin")
        self.assertTrue(made.exists())

    def test_the_python_module_works_and_finds_clearance_mesh(self):
        modules = list(self.prefix.glob("lib/python3.*/dist-packages"))
        if not modules:
            self.skipTest("the Python module is not built")
        said = self.run_program("/usr/bin/python3", "-B", "-c", "import os, clearance as cl\n"
                                "print(cl.generate('sphere', 0.5, 3).vertices.shape[1], os.environ.get('CLEARANCE_MESH'))",
                                PYTHONPATH=str(modules[0]))
        program = self.prefix / "bin/clearance-mesh"
        self.assertEqual(said.split(), ["3", str(program) if program.exists() else "None"])

    def test_manual_completion_and_documents_are_there(self):
        for path in ("share/man/man1/clearance.1", "share/bash-completion/completions/clearance", "share/clearance/scene.schema.json",
                     "share/doc/clearance/README.md", "share/doc/clearance/LICENSE", "share/doc/clearance/NOTICE",
                     "share/doc/clearance/docs/scene.md", "share/doc/clearance/examples/drop_in_bowl.json",
                     "share/doc/clearance/examples/use_simulation/main.cpp", "share/doc/clearance/python/examples/drop_and_plot.py"):
            self.assertTrue((self.prefix / path).is_file(), path)
        page = (self.prefix / "share/man/man1/clearance.1").read_text(encoding="utf-8")
        completion = (self.prefix / "share/bash-completion/completions/clearance").read_text(encoding="utf-8")
        commands = self.run_program(self.prefix / "bin/clearance", "--help").split("Subcommands:\n")[1].strip().split("\n")
        self.assertGreater(len(commands), 5)
        for command in (line.split()[0] for line in commands):
            self.assertIn(f".SS {command}".replace("-", "\\-"), page)
            self.assertRegex(completion, rf"(?m)^ +'{command} '\*\) options='.*--help")
        self.assertEqual(self.complete("clearance", "ver"), ["verify"])
        self.assertEqual(self.complete("clearance", "run", "--th"), ["--threads"])
        self.assertEqual(self.complete("clearance", "run", "scene.json", "--thr"), ["--threads"])
        self.assertEqual(self.complete("clearance", "run", "sc"), [])
        self.assertEqual(self.complete("clearance", "sweep", "sta"), ["status"])

    def complete(self, *words):
        """Returns the completions of bash for the last word."""
        script = self.prefix / "share/bash-completion/completions/clearance"
        return self.run_program("bash", "-c", f'. "{script}"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _clearance; '
                                'printf "%s\n" "${COMPREPLY[@]}"', "bash", *words).split()

    def test_no_file_names_the_folders_of_build_and_source(self):
        folders = [str(folder).encode() for folder in (self.build, SOURCE)]
        num_files = 0
        for path in self.prefix.rglob("*"):
            if path.is_file():
                num_files += 1
                data = path.read_bytes()
                self.assertFalse([folder for folder in folders if folder in data], path)
        self.assertGreater(num_files, 50)


def hide(folders, words):
    """Runs this script again with the folders empty. Returns if the machine does not allow that."""
    mounts = "".join(f'mount -t tmpfs -o ro none "${i}" && ' for i in range(1, len(folders) + 1))
    can = ["unshare", "--mount"] if os.geteuid() == 0 else ["unshare", "--user", "--map-root-user", "--mount"]
    # The script is read before it is hidden.
    script = Path(__file__).read_text(encoding="utf-8")
    command = [*can, "sh", "-c", mounts + f"shift {len(folders)}; exec \"$@\"", "sh", *folders]
    if shutil.which("unshare") is None or subprocess.run([*command, "true"], capture_output=True, cwd="/").returncode != 0:
        print("the folders of build and source cannot be hidden here (unshare); they stay visible")
        return
    done = subprocess.run([*command, sys.executable, "-c", script, *words], cwd="/", env={**os.environ, HIDDEN: str(SOURCE)})
    sys.exit(done.returncode)


def main():
    build = Path(sys.argv[1]).resolve()
    if HIDDEN in os.environ:
        folder = Path(sys.argv[2])
        if any(place.exists() and any(place.iterdir()) for place in (build, SOURCE)):
            raise SystemExit("build and source are not hidden")
        Installed.build, Installed.folder, Installed.prefix = build, folder, folder / "prefix"
        unittest.main(argv=sys.argv[:1], verbosity=2)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        install(build, folder / "prefix")
        hide([str(build), str(SOURCE)], [str(build), name])
        Installed.build, Installed.folder, Installed.prefix = build, folder, folder / "prefix"
        unittest.main(argv=sys.argv[:1], verbosity=2)


if __name__ == "__main__":
    main()
