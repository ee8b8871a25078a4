#!/usr/bin/env python3
"""Unpacks Debian packages of another processor, with all that they depend on, into a folder: `./dev cross`.

    make_cross_root.py --architecture arm64 --output FOLDER PACKAGE...

The packages come from the sources of this machine's apt. Nothing is installed, and no rights of root are needed.
"""

import argparse
import os
import shutil
import subprocess
from pathlib import Path

# Libraries that Debian's packages find by alternatives, which only an installation sets.
LINKS = {"blas/libblas.so.3": "libblas.so.3", "lapack/liblapack.so.3": "liblapack.so.3"}


def make_configuration(architecture, work):
    """Folders and configuration of an apt that knows no installed package."""
    for folder in ["lists/partial", "archives/partial", "state"]:
        (work / folder).mkdir(parents=True, exist_ok=True)
    (work / "status").touch()
    options = {"APT::Architecture": architecture, "Dir::State": work / "state", "Dir::State::status": work / "status",
               "Dir::State::Lists": work / "lists", "Dir::Cache": work, "Debug::NoLocking": "true"}
    lines = [f'{key} "{value}";' for key, value in options.items()]
    lines.append(f'APT::Architectures {{"{architecture}";}};')
    if os.geteuid() == 0:
        # The user of apt's downloads may not enter folders of others.
        lines.append('APT::Sandbox::User "root";')
    path = work / "apt.conf"
    path.write_text("\n".join(lines) + "\n")
    return path


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--architecture", required=True, help="Debian's name of it, for example arm64")
    parser.add_argument("--output", required=True, type=Path)
    parser.add_argument("packages", nargs="+", metavar="PACKAGE")
    arguments = parser.parse_args()

    # The folder is done if it lists the same packages.
    output = arguments.output.resolve()
    stamp, wanted = output / "packages.txt", "\n".join(arguments.packages) + "\n"
    if stamp.exists() and stamp.read_text() == wanted:
        return
    shutil.rmtree(output, ignore_errors=True)
    work = output.with_name(output.name + ".apt")
    environment = dict(os.environ, APT_CONFIG=str(make_configuration(arguments.architecture, work)))
    subprocess.run(["apt-get", "update", "-q"], env=environment, check=True)
    subprocess.run(["apt-get", "install", "-y", "-q", "--download-only", "--no-install-recommends", *arguments.packages],
                   env=environment, check=True)
    output.mkdir(parents=True)
    for package in sorted((work / "archives").glob("*.deb")):
        subprocess.run(["dpkg-deb", "-x", package, output], check=True)
    for library in output.glob("usr/lib/*-linux-gnu"):
        for target, name in LINKS.items():
            if (library / target).exists() and not (library / name).exists():
                (library / name).symlink_to(target)
    shutil.rmtree(work)
    stamp.write_text(wanted)


if __name__ == "__main__":
    main()
