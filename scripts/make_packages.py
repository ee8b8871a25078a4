#!/usr/bin/env python3
"""Makes Debian packages from a build: `make_packages.py --build build/release --output out/packages`.

Each component that CMake installs goes into a package, together with what Debian's rules require: dependencies computed
from the linked libraries, copyright, changelog, checksums. Times, owners, modes and orders come from the commit, so
that the same build makes the same bytes again. DEBFULLNAME and DEBEMAIL name the person who distributes the packages.
"""
import argparse
import dataclasses
import gzip
import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import textwrap

from release_identity import ROOT, identify

WHAT_IT_IS = """Clearance simulates bodies in contact, in 2D and 3D, by Incremental Potential Contact: surfaces never
intersect and elements never invert, at every step, whatever the parameters."""


@dataclasses.dataclass(frozen=True)
class Package:
    name: str
    section: str
    components: tuple  # components of cmake --install
    summary: str
    description: str
    licence: str  # licence of the binary files; the source's is named everywhere
    embedded: tuple  # Debian packages whose headers are compiled into it
    depends: tuple = ()
    recommends: tuple = ()
    suggests: tuple = ()
    program: str = ""  # made only if this one was built: its dependencies are large, and few need it


CHOLMOD = """The binary files of this package are linked with, or made to be linked with, Debian's CHOLMOD (SuiteSparse), whose
modules Supernodal, Modify and MatrixOps are under the GNU General Public License, version 2 or later. The combined work is
handed on under the terms of the GNU General Public License, version 3, with which the Apache License is compatible."""
APACHE = """The binary files of this package are linked with libraries of Debian that keep their own licences. Those that reach
it are compatible with the GNU General Public License, version 3, under whose terms it may be handed on, too."""
CGAL = """clearance-mesh is compiled from headers of CGAL (and of Boost, whose licence asks for no notice in programs), whose meshing is under the GNU General Public License, version 3 or
later. The program as a whole is handed on under the terms of that licence, with which the Apache License is compatible."""

PACKAGES = (
    Package("clearance", "science", ("program",), "simulation of bodies in contact without intersections",
            "This package holds the program: it reads scenes, simulates, verifies with exact arithmetic, makes pictures, films "
            "and pages for the browser. A variant for processors with AVX2 is chosen at start.",
            CHOLMOD, ("libeigen3-dev", "libspectra-dev", "nlohmann-json3-dev", "libcli11-dev", "libfmt-dev", "libspdlog-dev", "libtbb-dev",
                      "libcpp-httplib-dev"),
            recommends=("clearance-mesh", "ffmpeg"), suggests=("python3-clearance", "paraview")),
    Package("clearance-mesh", "science", ("mesh",), "volume meshes for clearance",
            "This package holds the program that fills bare surfaces with tetrahedra, and wraps broken ones, by CGAL. "
            "clearance calls it for scenes that ask for it.",
            CGAL, ("libcgal-dev", "libeigen3-dev", "libcli11-dev", "libfmt-dev", "libtbb-dev")),
    Package("libclearance-dev", "libdevel", ("ccd", "simulation"), "simulation of bodies in contact (C++ libraries)",
            "This package holds static libraries, headers and CMake packages: find_package(clearance COMPONENTS simulation), "
            "or ccd for continuous collision detection alone.",
            CHOLMOD, ("libeigen3-dev", "nlohmann-json3-dev", "libfmt-dev", "libspdlog-dev", "libtbb-dev"),
            recommends=("clearance-mesh",), suggests=("clearance", "g++", "cmake")),
    Package("python3-clearance", "python", ("python",), "simulation of bodies in contact (Python 3)",
            "This package holds the module for Python 3: scenes from dicts and NumPy arrays, control between steps, results "
            "as arrays.",
            CHOLMOD, ("libeigen3-dev", "nlohmann-json3-dev", "libfmt-dev", "libspdlog-dev", "libtbb-dev", "pybind11-dev"),
            depends=("python3-numpy",), recommends=("clearance-mesh",),
            suggests=("clearance", "python3-matplotlib", "python3-scipy")),
    Package("clearance-robot", "science", ("robot",), "robots of URDF and MJCF as scenes of clearance",
            "This package holds the program that clearance convert calls for files of URDF and MJCF.",
            APACHE, ("libeigen3-dev", "libcli11-dev", "libfmt-dev"), depends=("clearance",), program="clearance-robot"),
    Package("clearance-mpi", "science", ("mpi",), "clearance for huge scenes, with PETSc and MPI",
            "This package holds the program that solves the linear systems of huge scenes with PETSc, under mpirun.",
            CHOLMOD, ("libeigen3-dev", "libspectra-dev", "nlohmann-json3-dev", "libcli11-dev", "libfmt-dev", "libspdlog-dev", "libtbb-dev"),
            depends=("clearance",), program="clearance-mpi"),
)


def packages_of(build):
    """Returns the packages for which the build has everything; check_build tells what the others must not lack."""
    return [package for package in PACKAGES if not package.program or (build / "bin" / package.program).exists()]


def run(*words, **options):
    return subprocess.run([str(word) for word in words], check=True, text=True, **options)


def output_of(*words, **options):
    return run(*words, stdout=subprocess.PIPE, **options).stdout


def files_of(folder):
    """Returns files and links, sorted, relative to the folder."""
    return sorted(path.relative_to(folder) for path in folder.rglob("*") if path.is_symlink() or path.is_file())


def kind_of(path):
    """Returns `elf` for programs and modules, `archive` for static libraries, else an empty text."""
    with path.open("rb") as file:
        start = file.read(8)
    return "elf" if start[:4] == b"\x7fELF" else "archive" if start == b"!<arch>\n" else ""


class Maker:
    """Makes packages of one build, in folders that are removed afterwards."""

    def __init__(self, build, work, compression="xz"):
        self.build, self.work, self.compression, self.identity = build, work, compression, identify()
        self.version = self.identity.version + ("+changed" if self.identity.is_changed else "") + "-1"
        self.architecture = output_of("dpkg", "--print-architecture").strip()
        self.cache = dict(re.findall(r"^([\w-]+):\w+=(.*)$", (build / "CMakeCache.txt").read_text(), re.MULTILINE))
        name, address = os.environ.get("DEBFULLNAME", "Clearance"), os.environ.get("DEBEMAIL", "clearance@localhost")
        self.maintainer = f"{name} <{address}>"

    def make(self, package, output):
        stage = self.work / package.name
        self.install(package, stage)
        self.add_documents(package, stage)
        control = stage / "DEBIAN"
        control.mkdir()
        if "python" in package.components:
            self.add_compilation_of_python(package, control)
        (control / "md5sums").write_text("".join(
            f"{hashlib.md5((stage / path).read_bytes()).hexdigest()}  {path}\n" for path in files_of(stage)
            if path.parts[0] != "DEBIAN" and not (stage / path).is_symlink()))
        (control / "control").write_text(self.control(package, stage), encoding="utf-8")
        self.even_out(stage)
        file = output / f"{package.name}_{self.version}_{self.architecture}.deb"
        run("dpkg-deb", "--root-owner-group", f"-Z{self.compression}", "--threads-max=1", "--build", stage, file, stdout=subprocess.DEVNULL,
            env={**os.environ, "SOURCE_DATE_EPOCH": str(self.identity.epoch)})
        return file

    def install(self, package, stage):
        for component in package.components:
            run("cmake", "--install", self.build, "--prefix", "/usr", "--component", component, "--strip",
                stdout=subprocess.DEVNULL, env={**os.environ, "DESTDIR": str(stage)})
        for path in files_of(stage):
            if kind_of(stage / path) == "archive":
                run("strip", "--strip-debug", "--enable-deterministic-archives", stage / path)
        # Modules of Debian's packages are in a folder for all versions of Python 3.
        for folder in (stage / "usr/lib").glob("python3.*/dist-packages"):
            (stage / "usr/lib/python3").mkdir()
            folder.rename(stage / "usr/lib/python3/dist-packages")
            folder.parent.rmdir()

    def add_documents(self, package, stage):
        folder = stage / "usr/share/doc" / package.name
        folder.mkdir(parents=True, exist_ok=True)
        # The file `copyright` has these already.
        for name in ("LICENSE", "NOTICE"):
            (folder / name).unlink(missing_ok=True)
        (folder / "copyright").write_text(self.copyright(package), encoding="utf-8")
        entry = (f"clearance ({self.version}) unstable; urgency=medium\n\n  * Made from commit {self.identity.commit}.\n\n"
                 f" -- {self.maintainer}  {self.identity.date:%a, %d %b %Y %H:%M:%S +0000}\n")
        with gzip.GzipFile(folder / "changelog.Debian.gz", "wb", mtime=0) as file:
            file.write(entry.encode())
        changes = folder / "CHANGELOG.md"
        if changes.exists():
            with gzip.GzipFile(folder / "changelog.gz", "wb", mtime=0) as file:
                file.write(changes.read_bytes())
            changes.unlink()
        for page in (stage / "usr/share/man").glob("man*/*.1"):
            with gzip.GzipFile(f"{page}.gz", "wb", mtime=0) as file:
                file.write(page.read_bytes())
            page.unlink()
        # The variant for other processors is the same program.
        for variant in (stage / "usr/bin").glob("*-v3"):
            pages = stage / "usr/share/man/man1"
            page = pages / (variant.name.removesuffix("-v3") + ".1.gz")
            if page.exists():
                (pages / f"{variant.name}.1.gz").symlink_to(page.name)

    def copyright(self, package):
        parts = [
            "Clearance\nCopyright 2026 the Clearance authors\n\n"
            "The source is licensed under the Apache License, Version 2.0; on Debian systems its text is in\n"
            "/usr/share/common-licenses/Apache-2.0.\n\n" + package.licence +
            "\nOn Debian systems its text is in /usr/share/common-licenses/GPL-3.\n\n"
            "The source is that of the commit which changelog.Debian.gz names, and libraries are those of Debian."]
        if {"program", "python"} & set(package.components):
            parts.append("viewer.html\n\n" +
                         (self.build / "share/clearance/viewer.licences.txt").read_text(encoding="utf-8").strip())
        for name in package.embedded:
            parts.append(f"Compiled in are headers of the Debian package {name}, which says:\n\n" +
                         pathlib.Path(f"/usr/share/doc/{name}/copyright").read_text(encoding="utf-8").strip())
        return f"\n\n{'=' * 70}\n\n".join(parts) + "\n"

    @staticmethod
    def add_compilation_of_python(package, control):
        """Adds scripts that compile the modules for Python on installation, and remove the result with the package."""
        for script, command in (("postinst", "py3compile"), ("prerm", "py3clean")):
            (control / script).write_text(f"#!/bin/sh\nset -e\nif command -v {command} >/dev/null 2>&1; then\n"
                                          f"  {command} -p {package.name}\nfi\n")
            (control / script).chmod(0o755)

    def control(self, package, stage):
        depends = sorted({*package.depends, *self.linked(stage), *self.needed_by_archives(stage), *self.interpreter(stage)})
        size = sum(-(-(stage / path).lstat().st_size // 1024) for path in files_of(stage) if path.parts[0] != "DEBIAN")
        fields = {
            "Package": package.name, "Source": "clearance", "Version": self.version, "Section": package.section,
            "Priority": "optional", "Architecture": self.architecture, "Maintainer": self.maintainer,
            "Installed-Size": str(size), "Depends": ", ".join(depends), "Recommends": ", ".join(package.recommends),
            "Suggests": ", ".join(package.suggests), "Description": package.summary,
        }
        if package.name == "clearance":
            fields["Source"] = ""
        text = "".join(f"{name}: {value}\n" for name, value in fields.items() if value)
        paragraphs = (textwrap.fill(" ".join(part.split()), 78, initial_indent=" ", subsequent_indent=" ")
                      for part in (WHAT_IT_IS, package.description))
        return text + "\n .\n".join(paragraphs) + "\n"

    def linked(self, stage):
        """Returns the packages of the shared libraries, by dpkg-shlibdeps, which requires a source package around
        it."""
        files = [stage / path for path in files_of(stage) if not (stage / path).is_symlink() and kind_of(stage / path) == "elf"]
        if not files:
            return []
        folder = self.work / "shlibdeps"
        (folder / "debian").mkdir(parents=True, exist_ok=True)
        (folder / "debian/control").write_text("Source: clearance\n\nPackage: clearance\nArchitecture: any\n")
        text = output_of("dpkg-shlibdeps", "-O", "--warnings=1", *(f"-e{file}" for file in files), cwd=folder)
        return text.strip().removeprefix("shlibs:Depends=").split(", ")

    def needed_by_archives(self, stage):
        """Returns the packages that programs linked with the static libraries need, by the targets that the CMake
        packages name.

        The libraries are compiled with the headers of these packages, of this very version: Eigen's objects cross the
        border, and functions of fmt, spdlog and TBB carry their version in their names.
        """
        needed = set()
        for exported in (stage / "usr/lib/cmake/clearance").glob("clearance_*.cmake"):
            for names in re.findall(r'INTERFACE_LINK_LIBRARIES "(.*)"', exported.read_text()):
                for target in re.sub(r"\\\$<[^;]*>", "", names).split(";"):
                    if target and not target.startswith("clearance::"):
                        needed |= {self.owner(place) for place in self.places_of(target)}
        return [bound for package in needed for bound in self.same_minor_version(package)]

    def places_of(self, target):
        """Returns files or folders where CMake has found the target: `fmt::fmt` by its package, `clearance_hdf5` by
        its libraries."""
        prefix, _, is_package = target.partition("::")
        pattern = rf"{prefix}_(DIR|(\w+_)?LIBRARY(_RELEASE)?)" if is_package else rf"{prefix}_(?!INCLUDE_DIR)\w+"
        found = [value for name, value in self.cache.items() if re.fullmatch(pattern, name) and value.startswith("/")]
        if not found:
            raise SystemExit(f"make_packages: {self.build}/CMakeCache.txt does not say where {target} is")
        return found

    @staticmethod
    def owner(place):
        for name in (place, place.removeprefix("/usr")):
            done = subprocess.run(["dpkg-query", "-S", name], capture_output=True, text=True)
            if done.returncode == 0:
                return done.stdout.split(":")[0].split(",")[0]
        raise SystemExit(f"make_packages: {place} belongs to no Debian package")

    @staticmethod
    def same_minor_version(package):
        version = output_of("dpkg-query", "-W", "-f", "${Version}", package)
        epoch, major, minor = re.match(r"(\d+:)?(\d+)\.(\d+)", version).groups(default="")
        return [f"{package} (>= {epoch}{major}.{minor})", f"{package} (<< {epoch}{major}.{int(minor) + 1}~)"]

    @staticmethod
    def interpreter(stage):
        """Returns the version of Python for which modules are compiled."""
        minors = {int(m.group(1)) for path in files_of(stage) if (m := re.search(r"\.cpython-3(\d+)-", path.name))}
        return [bound for minor in minors for bound in (f"python3 (>= 3.{minor}~)", f"python3 (<< 3.{minor + 1})")]

    def even_out(self, stage):
        """Sets the modes of a careful umask and the times of the commit."""
        for path in [stage, *stage.rglob("*")]:
            if not path.is_symlink():
                is_program = path.is_dir() or path.parent.name == "bin" or path.name in ("postinst", "prerm")
                path.chmod(0o755 if is_program else 0o644)
            os.utime(path, (self.identity.epoch, self.identity.epoch), follow_symlinks=False)


def check_build(build):
    """Returns everything that is missing for complete packages."""
    needed = {"bin/clearance": "the program", "bin/clearance-v3": "its variant for AVX2 (CLEARANCE_DISPATCH)",
              "bin/clearance-view": "clearance-view, which needs cpp-httplib (libcpp-httplib-dev)",
              "bin/clearance-mesh": "clearance-mesh, which needs CGAL (libcgal-dev)",
              "share/clearance/viewer.html": "the viewer, which needs Node.js, npm and their registry, or an archive of a release",
              "share/clearance/viewer.licences.txt": "the viewer's licences", "share/man/man1/clearance.1": "the manual",
              "python/clearance/__init__.py": "the Python module (CLEARANCE_PYTHON)",
              "package/libclearance_ccd.a": "the library ccd", "package/libclearance_simulation.a": "the library simulation"}
    problems = [f"{build / path} is missing: {what}" for path, what in needed.items() if not (build / path).exists()]
    problems += [f"{tool} is missing (Debian: apt-get install dpkg-dev binutils)"
                 for tool in ("dpkg-deb", "dpkg-shlibdeps", "strip") if not shutil.which(tool)]
    return problems


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build/release")
    parser.add_argument("--output", type=pathlib.Path, default=ROOT / "out/packages")
    parser.add_argument("--compression", default="xz", choices=("xz", "none"), help="none: quick, for tests")
    arguments = parser.parse_args()
    if problems := check_build(arguments.build):
        raise SystemExit("\n".join(f"make_packages: {problem}" for problem in problems))
    with tempfile.TemporaryDirectory(prefix="packages-", dir=arguments.build) as work:
        try:
            maker = Maker(arguments.build.resolve(), pathlib.Path(work).resolve(), arguments.compression)
        except ValueError as error:
            raise SystemExit(f"make_packages: {error}") from None
        make_all(maker, arguments.output)


def make_all(maker, output):
    if maker.identity.is_changed:
        print("make_packages: files differ from those of the commit; the packages' version says so (+changed)", file=sys.stderr)
    # Old packages are replaced only when all new ones are complete.
    made = [maker.make(package, maker.work) for package in packages_of(maker.build)]
    output.mkdir(parents=True, exist_ok=True)
    for package in PACKAGES:
        for old in output.glob(f"{package.name}_*_{maker.architecture}.deb"):
            old.unlink()
    for file in made:
        size = output_of("dpkg-deb", "-f", file, "Installed-Size").strip()
        moved = pathlib.Path(shutil.move(file, output / file.name))
        print(f"{moved}: {moved.stat().st_size / 1e6:.1f} MB, installed {int(size) * 1024 / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
