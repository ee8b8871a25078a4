#!/usr/bin/env python3
"""Debian packages of a build, looked into but not installed: `packages_test.py BUILD`. clean_root_test.py uses them.

Exit status 77 where the build has not all that belongs into packages, or Debian's tools are missing: SKIPPED.
"""
import filecmp
import hashlib
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SOURCE = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(SOURCE / "scripts"))
from make_packages import check_build, files_of, kind_of, packages_of  # noqa: E402


def output_of(*words):
    return subprocess.run([str(word) for word in words], check=True, capture_output=True, text=True).stdout


class Packages(unittest.TestCase):
    build = None

    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.folder = Path(cls.temporary.name)
        for name in ("first", "second"):
            # The result does not depend on who makes the packages: another umask, another order of folders.
            subprocess.run([sys.executable, SOURCE / "scripts/make_packages.py", "--build", cls.build, "--compression", "none",
                            "--output", cls.folder / name], check=True, stdout=subprocess.DEVNULL,
                           umask=0o022 if name == "first" else 0o077)
        cls.files = {file.name.split("_")[0]: file for file in (cls.folder / "first").iterdir()}
        for name, file in cls.files.items():
            (cls.folder / "contents").mkdir(exist_ok=True)
            subprocess.run(["dpkg-deb", "-R", file, cls.folder / "contents" / name], check=True)

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    def contents(self):
        """Returns (package, path within it, path here) of all files and links that are installed."""
        for name in self.files:
            folder = self.folder / "contents" / name
            for path in files_of(folder):
                if path.parts[0] != "DEBIAN":
                    yield name, path, folder / path

    def field(self, name, field):
        return output_of("dpkg-deb", "-f", self.files[name], field).strip()

    def test_all_are_there_of_one_version(self):
        self.assertEqual(sorted(self.files), sorted(package.name for package in packages_of(self.build)))
        self.assertEqual(len({self.field(name, "Version") for name in self.files}), 1)
        for name in self.files:
            for field in ("Maintainer", "Section", "Architecture", "Depends", "Description", "Installed-Size"):
                self.assertTrue(self.field(name, field), (name, field))

    def test_the_same_build_makes_the_same_bytes(self):
        for file in (self.folder / "first").iterdir():
            self.assertTrue(filecmp.cmp(file, self.folder / "second" / file.name, shallow=False), file.name)

    def test_files_belong_to_root_below_usr_and_to_one_package(self):
        owners = {}
        for name, path, _ in self.contents():
            self.assertEqual(path.parts[0], "usr", (name, path))
            self.assertNotIn(path, owners, f"in {name}, too")
            owners[path] = name
        for name, file in self.files.items():
            for line in output_of("dpkg-deb", "-c", file).strip().split("\n"):
                self.assertRegex(line, r"^(d|-|l)rw[x-]r[w-][x-]r[w-][x-] root/root ")
                if line[0] != "l":
                    self.assertRegex(line, r"^(drwxr-xr-x|-rwxr-xr-x|-rw-r--r--)", name)

    def test_what_is_linked_is_depended_on(self):
        num_libraries = 0
        for name, path, file in self.contents():
            if file.is_symlink() or kind_of(file) != "elf":
                continue
            needed = re.findall(r"\(NEEDED\).*\[(.*)\]", output_of("readelf", "-d", file))
            depends = re.sub(r" \([^)]*\)", "", self.field(name, "Depends")).split(", ")
            for library in needed:
                owners = set(re.findall(r"^([\w.+-]+)(?::\w+)?: ", output_of("dpkg-query", "-S", f"*/{library}"), re.MULTILINE))
                # A package may also provide another: the library for this version of another.
                provided = output_of("dpkg-query", "-W", "-f", "${Provides}, ", *owners)
                owners |= set(re.findall(r"([\w.+-]+)(?: \([^)]*\))?,", provided))
                self.assertTrue(owners & set(depends), f"{path} of {name} needs {library} of {owners}, which is not in {depends}")
                num_libraries += 1
        self.assertGreater(num_libraries, 20)

    def test_headers_that_users_include_are_depended_on(self):
        depends = self.field("libclearance-dev", "Depends")
        for package in ("libeigen3-dev", "libtbb-dev", "libgmp-dev", "libfmt-dev", "libspdlog-dev", "zlib1g-dev", "libsuitesparse-dev",
                        "libmetis-dev", "libhdf5-dev", "libmuparser-dev"):
            self.assertRegex(depends, rf"\b{package} \(>= [\d.:]+\)")

    def test_no_file_names_the_folders_of_the_build(self):
        folders = [str(folder).encode() for folder in (self.build, SOURCE)]
        for name, path, file in self.contents():
            if not file.is_symlink():
                data = file.read_bytes()
                self.assertFalse([folder for folder in folders if folder in data], (name, path))
                if kind_of(file) == "elf":
                    self.assertNotRegex(output_of("readelf", "-d", file), r"\((RPATH|RUNPATH)\)", (name, path))

    def test_checksums_are_those_of_the_files(self):
        for name in self.files:
            folder = self.folder / "contents" / name
            sums = dict(line.split("  ")[::-1] for line in (folder / "DEBIAN/md5sums").read_text().strip().split("\n"))
            files = [path for path in files_of(folder) if path.parts[0] != "DEBIAN" and not (folder / path).is_symlink()]
            self.assertEqual(sums, {str(path): hashlib.md5((folder / path).read_bytes()).hexdigest() for path in files})

    def test_copyright_tells_of_the_gpl_parts_and_of_what_is_compiled_in(self):
        for name in self.files:
            text = (self.folder / f"contents/{name}/usr/share/doc/{name}/copyright").read_text(encoding="utf-8")
            for words in ("/usr/share/common-licenses/Apache-2.0", "/usr/share/common-licenses/GPL-3", "libeigen3-dev",
                          {"clearance-mesh": "CGAL", "clearance-robot": "libcli11-dev"}.get(name, "CHOLMOD")):
                self.assertIn(words, text, name)
        text = (self.folder / "contents/clearance/usr/share/doc/clearance/copyright").read_text(encoding="utf-8")
        self.assertRegex(text, r"three \d[\s\S]*three\.js authors[\s\S]*uplot \d")

    def test_the_module_compiled_by_python_is_removed_with_it(self):
        folder = self.folder / "contents/python3-clearance/DEBIAN"
        self.assertIn("py3compile -p python3-clearance", (folder / "postinst").read_text())
        self.assertIn("py3clean -p python3-clearance", (folder / "prerm").read_text())
        self.assertTrue(os.access(folder / "prerm", os.X_OK))


if __name__ == "__main__":
    Packages.build = Path(sys.argv.pop(1)).resolve()
    if problems := check_build(Packages.build):
        print("SKIPPED:", *problems, sep="\n")
        sys.exit(77)
    unittest.main(verbosity=2)
