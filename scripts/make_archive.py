#!/usr/bin/env python3
"""The archive of a release: `make_archive.py --output out/release [--with-dependencies]`.

clearance-VERSION.tar.xz holds the files of the last commit, COMMIT (their identity), and the viewer of
`clearance export`, ready-made with the licences of its parts: a machine with Debian's packages for the build needs no
network and no npm. The same commit makes the same bytes. clearance-VERSION-debian.tar has those packages, as a
repository for `./dev deps`.
"""
import argparse
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import urllib.parse

from release_identity import ROOT, has_repository, identify


def run(*words, **options):
    return subprocess.run([str(word) for word in words], check=True, text=True, **options)


def build_viewer(folder):
    """Builds web/viewer.html and its licences in the folder, with the packages that the lockfile names."""
    viewer = folder / "web/viewer.html"
    with tempfile.TemporaryDirectory() as work:
        run("cmake", "-D", f"source={folder / 'web'}", "-D", f"folder={work}/web", "-D", f"viewer={viewer}",
            "-D", f"stamp={work}/stamp", "-D", f"node={shutil.which('node') or shutil.which('nodejs')}", "-D", "npm=npm",
            "-P", folder / "cmake/build_viewer.cmake")
    for name in ("viewer.html", "viewer.licences.txt"):
        if not (folder / "web" / name).is_file():
            raise SystemExit(f"make_archive: the viewer could not be built, see above; no archive without web/{name}")


def pack(folder, names, file, epoch):
    """Packs names below a folder as .tar, or .tar.xz: sorted, without owners, with one time and the modes of a
    careful umask."""
    tar = ["tar", "--create", "--sort=name", "--format=ustar", "--owner=0", "--group=0", "--numeric-owner", f"--mtime=@{epoch}",
           "--mode=u=rwX,go=rX", "-C", folder, "-f", f"{file}.new", *names]
    if file.suffix == ".xz":
        # xz uses one thread, because the number of threads changes the bytes.
        tar[1:1] = ["-I", "xz -9 -T1"]
    run(*tar)
    pathlib.Path(f"{file}.new").rename(file)
    print(f"{file}: {file.stat().st_size / 1e6:.1f} MB")


def make_archive(identity, work, output):
    folder = work / f"clearance-{identity.version}"
    folder.mkdir()
    archive = subprocess.run(["git", "-C", str(ROOT), "archive", identity.commit], check=True, capture_output=True).stdout
    subprocess.run(["tar", "-x", "-C", folder], check=True, input=archive)
    (folder / "COMMIT").write_text(f"{identity.commit} {identity.epoch} {'release' if identity.is_release else 'commit'}\n")
    build_viewer(folder)
    file = output / f"{folder.name}.tar.xz"
    pack(work, [folder.name], file, identity.epoch)
    return file


def make_dependencies(identity, work, output):
    """Packs everything that Debian's packages for the build depend on, down to the C library, so that an older
    machine can be upgraded, too."""
    folder = work / "debian" / f"clearance-{identity.version}" / "debian-packages"
    folder.mkdir(parents=True)
    wanted = run("./dev", "list-packages", cwd=ROOT, stdout=subprocess.PIPE).stdout.split()
    (work / "status").write_text("")
    (work / "archives/partial").mkdir(parents=True)
    # apt computes the list as if nothing were installed here, or fetched already.
    lines = run("apt-get", "-o", f"Dir::State::status={work / 'status'}", "-o", f"Dir::Cache::archives={work / 'archives'}", "install", "--print-uris", "-qq", "--no-install-recommends",
                *wanted, stdout=subprocess.PIPE).stdout.split("\n")
    exact = [urllib.parse.unquote(line.split()[1]).rsplit("_", 1)[0].replace("_", "=", 1) for line in lines if line]
    run("apt-get", "download", "-q", "-o", "APT::Sandbox::User=root", *exact, cwd=folder, stdout=subprocess.DEVNULL)
    with open(folder / "Packages", "w", encoding="utf-8") as index:
        run("dpkg-scanpackages", "--multiversion", ".", cwd=folder, stdout=index, stderr=subprocess.DEVNULL)
    file = output / f"clearance-{identity.version}-debian.tar"
    pack(work / "debian", [f"clearance-{identity.version}"], file, identity.epoch)
    print(f"    {len(exact)} packages of Debian; unpack it beside the other archive: ./dev deps takes them from there")
    return file


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--output", type=pathlib.Path, default=ROOT / "out/release")
    parser.add_argument("--with-dependencies", action="store_true")
    arguments = parser.parse_args()
    if not has_repository():
        raise SystemExit("make_archive: archives are made from a git repository; this is no clone")
    identity = identify()
    if identity.is_changed:
        print(f"make_archive: files that are not committed are left out; the archive is of {identity.commit[:7]}", file=sys.stderr)
    arguments.output = arguments.output.resolve()
    arguments.output.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".making-", dir=arguments.output) as work:
        make_archive(identity, pathlib.Path(work), arguments.output)
        if arguments.with_dependencies:
            make_dependencies(identity, pathlib.Path(work), arguments.output)


if __name__ == "__main__":
    os.umask(0o022)
    main()
