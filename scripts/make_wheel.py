#!/usr/bin/env python3
"""Makes a wheel from a build: `make_wheel.py --build build/release --output out/wheel`.

The wheel holds the Python module, the programs, the viewer, and every library that they are linked with but those that
each Linux has: it installs with pip alone, on any Linux with this version of Python and a C library that is not older.
Libraries get names of their own, so that no other module of the process takes their place. Times and orders come from
the commit, so that the same build makes the same bytes again.
"""
import argparse
import base64
import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import time
import zipfile

from release_identity import ROOT, identify

# Libraries of the system that a wheel may count on (PEP 600).
OF_THE_SYSTEM = re.compile(r"^(ld-linux-x86-64|linux-vdso|lib(c|m|dl|rt|pthread|resolv|util|gcc_s|stdc\+\+))\.so")
PROGRAMS = ("clearance", "clearance-mesh", "clearance-robot", "clearance-view")
COMPONENTS = ("program", "mesh", "robot", "python")

METADATA = """Metadata-Version: 2.1
Name: clearance
Version: {version}
Summary: Simulation of deformable, affine and rigid bodies in contact, without intersections
License: Apache-2.0; with the libraries inside GPL-3.0-or-later
License-File: LICENSE
License-File: NOTICE
Requires-Python: =={python}.*
Requires-Dist: numpy
Description-Content-Type: text/markdown

{readme}"""


def run(*words, **options):
    return subprocess.run([str(word) for word in words], check=True, text=True, **options)


def output_of(*words):
    return run(*words, stdout=subprocess.PIPE).stdout


def is_elf(path):
    with path.open("rb") as file:
        return file.read(4) == b"\x7fELF"


def libraries_of(path):
    """Returns the file of each library that a file is linked with, also through others, by the name that it asks for."""
    found = dict(re.findall(r"^\s*(\S+) => (\S+) \(0x", output_of("ldd", path), re.MULTILINE))
    missing = re.findall(r"^\s*(\S+) => not found", output_of("ldd", path), re.MULTILINE)
    if missing:
        raise SystemExit(f"make_wheel: {path} lacks {', '.join(missing)}")
    return {name: pathlib.Path(file).resolve() for name, file in found.items() if not OF_THE_SYSTEM.match(name)}


def needed_by(path):
    return re.findall(r"\(NEEDED\).*\[(.*)\]", output_of("readelf", "-d", path))


def oldest_c_library(files):
    """Returns the version (major, minor) of the C library that the files need."""
    versions = {tuple(map(int, version.split("."))) for file in files
                for version in re.findall(r"\bGLIBC_(\d+\.\d+)", output_of("readelf", "--version-info", "-W", file))}
    return max(versions)


class Wheel:
    def __init__(self, build, stage):
        self.build, self.stage, self.identity = build, stage, identify()
        self.package, self.libraries = stage / "clearance", stage / "clearance.libs"
        # A version of Python packages: that of a commit after no release counts as its development.
        self.version = re.sub(r"~git(\d+)\.(\w+)", r".dev\1+\2", self.identity.version)

    def bring(self, work):
        """Installs the build and sorts its files into the package."""
        prefix = work / "prefix"
        for component in COMPONENTS:
            run("cmake", "--install", self.build, "--prefix", prefix, "--component", component, "--strip",
                stdout=subprocess.DEVNULL)
        module = next(prefix.glob("lib/python3*/dist-packages/clearance"))
        shutil.copytree(module, self.package)
        (self.package / "bin").mkdir()
        for name in (*PROGRAMS, *(f"{name}-v3" for name in PROGRAMS)):
            # The module has programs beside it in the build; here they have a folder.
            (self.package / name).unlink(missing_ok=True)
            if (prefix / "bin" / name).exists():
                shutil.copy2(prefix / "bin" / name, self.package / "bin" / name)
        shutil.copytree(prefix / "share/clearance", self.package / "share/clearance")

    def bundle(self):
        """Copies the libraries, and lets everything find these copies. Returns all files of machine code."""
        own = [path for path in sorted(self.package.rglob("*")) if path.is_file() and is_elf(path)]
        sources = {}
        for path in own:
            sources.update(libraries_of(path))
        self.libraries.mkdir()
        names = {}
        for name, source in sorted(sources.items()):
            digest = hashlib.sha256(source.read_bytes()).hexdigest()[:8]
            stem, rest = name.split(".so", 1)
            names[name] = f"{stem}-{digest}.so{rest}"
            copy = self.libraries / names[name]
            shutil.copy(source, copy)
            copy.chmod(0o755)
            run("strip", "--strip-unneeded", copy)
            run("patchelf", "--set-soname", names[name], copy)
        bundled = sorted(self.libraries.iterdir())
        for path in (*own, *bundled):
            for name in needed_by(path):
                if name in names:
                    run("patchelf", "--replace-needed", name, names[name], path)
            here = os.path.relpath(self.libraries, path.parent)
            run("patchelf", "--set-rpath", f"$ORIGIN/{here}" if here != "." else "$ORIGIN", path)
        self.add_licences(sources.values())
        return [*own, *bundled]

    def add_licences(self, sources):
        """Adds what Debian says of the licences of the libraries."""
        folder = self.stage / f"clearance-{self.version}.dist-info"
        folder.mkdir(exist_ok=True)
        for name in ("LICENSE", "NOTICE"):
            shutil.copy(ROOT / name, folder / name)
        packages = {line.split(":")[0] for source in sources
                    for line in subprocess.run(["dpkg", "-S", source], capture_output=True, text=True).stdout.splitlines()}
        (folder / "licences").mkdir(exist_ok=True)
        for package in sorted(packages):
            text = pathlib.Path("/usr/share/doc") / package / "copyright"
            if text.exists():
                shutil.copy(text, folder / "licences" / f"{package}.txt")

    def write(self, output, files):
        python = f"{sys.version_info.major}.{sys.version_info.minor}"
        abi = f"cp{python.replace('.', '')}"
        tag = f"{abi}-{abi}-manylinux_{'_'.join(map(str, oldest_c_library(files)))}_x86_64"
        info = self.stage / f"clearance-{self.version}.dist-info"
        (info / "METADATA").write_text(METADATA.format(version=self.version, python=python,
                                                       readme=(ROOT / "README.md").read_text(encoding="utf-8")))
        (info / "WHEEL").write_text(f"Wheel-Version: 1.0\nGenerator: clearance\nRoot-Is-Purelib: false\nTag: {tag}\n")
        (info / "entry_points.txt").write_text("[console_scripts]\n" + "".join(
            f"{name} = clearance._programs:{name.replace('-', '_')}\n" for name in PROGRAMS
            if (self.package / "bin" / name).exists()))
        record = info / "RECORD"
        paths = [path for path in sorted(self.stage.rglob("*")) if path.is_file() and path != record]
        lines = []
        for path in paths:
            digest = base64.urlsafe_b64encode(hashlib.sha256(path.read_bytes()).digest()).rstrip(b"=").decode()
            lines.append(f"{path.relative_to(self.stage)},sha256={digest},{path.stat().st_size}\n")
        record.write_text("".join(lines) + f"{record.relative_to(self.stage)},,\n")
        output.mkdir(parents=True, exist_ok=True)
        wheel = output / f"clearance-{self.version}-{tag}.whl"
        moment = time.gmtime(max(self.identity.epoch, 315532800))[:6]  # zip begins in 1980
        with zipfile.ZipFile(f"{wheel}.new", "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
            for path in (*paths, record):
                entry = zipfile.ZipInfo(str(path.relative_to(self.stage)), moment)
                entry.external_attr = (0o100755 if os.access(path, os.X_OK) else 0o100644) << 16
                entry.compress_type = zipfile.ZIP_DEFLATED
                archive.writestr(entry, path.read_bytes())
        os.replace(f"{wheel}.new", wheel)
        return wheel


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, required=True, help="a build of all that is installed")
    parser.add_argument("--output", type=pathlib.Path, required=True, help="folder of the wheel")
    arguments = parser.parse_args()
    if sysconfig.get_config_var("EXT_SUFFIX") not in "".join(
            path.name for path in (arguments.build / "python/clearance").glob("_processor*")):
        sys.exit("make_wheel: run it with the interpreter that the module was built for, /usr/bin/python3")
    for tool in ("patchelf", "readelf", "ldd", "strip"):
        if not shutil.which(tool):
            sys.exit(f"make_wheel: {tool} is missing; `./dev wheel` installs what it needs")
    with tempfile.TemporaryDirectory() as work:
        wheel = Wheel(arguments.build, pathlib.Path(work) / "stage")
        wheel.stage.mkdir()
        wheel.bring(pathlib.Path(work))
        made = wheel.write(arguments.output, wheel.bundle())
    print(f"{made}: {made.stat().st_size / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
