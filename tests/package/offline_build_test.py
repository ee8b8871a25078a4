#!/usr/bin/env python3
"""The archive of a release on a machine without a network: `offline_build_test.py --archives out/release --work FOLDER`.

A clean Debian gets the packages for the build, from the archive of dependencies where there is one (without a network then),
else from the mirror. Without npm and without a network it builds everything, makes the Debian packages, and a scene runs and
is exported. A cache of the compiler of this machine (ccache) is used where there is one. Exit status 77: SKIPPED.
"""
import argparse
import filecmp
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

from clean_root import CleanRoot, reason_to_skip
from clean_root_test import NAMES, block_of, say


def newest(folder, pattern):
    found = sorted(folder.glob(pattern), key=lambda path: path.stat().st_mtime)
    return found[-1] if found else None


def compiler_cache():
    """Returns (folder here, folder there) and the settings that make the files of both places the same."""
    done = shutil.which("ccache") and subprocess.run(["ccache", "-k", "cache_dir"], capture_output=True, text=True)
    if not done or done.returncode:
        return (), {}
    return ([done.stdout.strip(), "cache"],), {"CCACHE_DIR": "/cache", "CCACHE_BASEDIR": "/root", "CCACHE_NOHASHDIR": "1"}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--archives", required=True, type=Path)
    parser.add_argument("--work", required=True, type=Path)
    parser.add_argument("--packages", default=Path("out/packages"), type=Path, help="to be compared with, if of this version")
    arguments = parser.parse_args()
    if reason := reason_to_skip():
        print(f"SKIPPED: {reason}")
        sys.exit(77)
    archive = newest(arguments.archives, "clearance-*.tar.xz")
    if archive is None:
        raise SystemExit(f"offline_build_test: no archive in {arguments.archives}; ./dev release makes one")
    name = archive.name.removesuffix(".tar.xz")
    dependencies = arguments.archives / f"{name}-debian.tar"
    folder = f"/root/{name}"

    start = time.monotonic()
    root = CleanRoot(arguments.work)
    subprocess.run(["tar", "-xf", archive, "-C", root.path / "root"], check=True)
    if dependencies.exists():
        subprocess.run(["tar", "-xf", dependencies, "-C", root.path / "root"], check=True)
        root.run("./dev deps", as_root=True, folder=folder)
    else:
        root.run("apt-get update -q && ./dev deps", as_root=True, network=True, folder=folder)
        root.install("dpkg-dev", "xz-utils")
    say("the packages for the build install " + ("from the archive, without a network" if dependencies.exists() else "from the mirror"),
        start, f"{root.used_megabytes()} MB in all")
    said = root.run("command -v npm || command -v node || grep : /proc/net/dev | grep -v lo: || echo nothing", as_root=True, folder="/")
    assert said == "nothing\n", said

    start = time.monotonic()
    binds, environment = compiler_cache()
    root.run("./dev package", as_root=True, folder=folder, binds=binds, environment=environment)
    made = sorted((root.path / f"root/{name}/out/packages").glob("*.deb"))
    assert {file.name.split("_")[0] for file in made} >= set(NAMES), made
    say("without a network everything builds, and becomes packages", start, "\n".join(file.name for file in made))
    # The same is made here, from a clone and in another folder: only the compiler and the day's packages of Debian may
    # differ.
    others = [(file, arguments.packages / file.name) for file in made if (arguments.packages / file.name).exists()]
    if others:
        same = [file.name for file, other in others if filecmp.cmp(file, other, shallow=False)]
        print(f"    {len(same)} of {len(others)} have the same bytes as in {arguments.packages}", flush=True)

    start = time.monotonic()
    (root.path / "root/my_scene.json").write_text(block_of("A scene of your own", "json"), encoding="utf-8")
    program = f"{folder}/build/release/bin/clearance"
    said = root.run(f"{program} run my_scene.json -o mine && {program} verify mine && {program} export mine -o mine.html",
                    as_root=True, folder="/root")
    assert re.search("complete", said), said
    say("a scene runs, is verified and exported", start, said.strip().split("\n")[-1])
    shutil.rmtree(root.path)


if __name__ == "__main__":
    main()
