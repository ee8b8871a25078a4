#!/usr/bin/env python3
"""The program for another processor, in an emulator: `cross_test.py --build FOLDER --root FOLDER --against PROGRAM`.

Tests of the numerics pass, and steps of ten scenes have the bits of the program for x86-64. FOLDER of --build has the
program and the tests, that of --root the libraries that they are linked with.
"""
import argparse
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))

from bench_common import run_scene  # noqa: E402

TESTS = ["test_base", "test_math", "test_sparse", "test_ccd"]
# Tests of times and of x86-64's own instructions, and those that take minutes in an emulator.
LEFT_OUT = "-*Seconds*:*Kernel*"
# Name and number of steps: soft, stiff, round, thin and wet bodies, joints, friction, elements of order 2.
SCENES = {"card_house": 3, "chain_net": 10, "gears": 10, "newtons_cradle": 60, "cards": 2, "plugged_cable": 2,
          "squashed_block": 10, "twisted_rods": 10, "pneumatic_fingers": 5, "wind_and_waves": 30}


def emulator(root, program, folder):
    """A script that runs the program in the emulator."""
    script = Path(folder) / Path(program).name
    script.write_text(f'#!/bin/sh\nexec qemu-aarch64 -L "{root}" "{program}" "$@"\n')
    script.chmod(0o755)
    return script


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", required=True, type=Path)
    parser.add_argument("--root", required=True, type=Path)
    parser.add_argument("--against", required=True, type=Path)
    parser.add_argument("--only", default="", help="scenes whose name holds this, and no tests")
    arguments = parser.parse_args()
    build, root = arguments.build.resolve(), arguments.root.resolve()
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        for test in TESTS if not arguments.only else []:
            start = time.monotonic()
            run = subprocess.run([emulator(root, build / "bin" / test, folder), f"--gtest_filter={LEFT_OUT}"],
                                 capture_output=True, text=True)
            print(f"{test}: {run.stdout.strip().splitlines()[-1:]}, {time.monotonic() - start:.0f} s", flush=True)
            if run.returncode != 0:
                wrong += 1
                print(run.stdout, run.stderr)

        program = emulator(root, build / "bin" / "clearance", folder)
        for scene, steps in SCENES.items():
            if arguments.only not in scene:
                continue
            path = ROOT / "examples" / f"{scene}.json"
            results = [run_scene(each, path, steps, 1, Path(folder) / f"{scene}-{k}")["records"]
                       for k, each in enumerate([arguments.against, program])]
            hashes = [[record["state_hash"] for record in records] for records in results]
            same = next((k for k in range(steps) if len(hashes[1]) <= k or hashes[0][k] != hashes[1][k]), steps)
            wrong += same < steps
            contacts = results[0][-1]["contacts"] if results[0] else 0
            print(f"{scene}: {same} of {steps} steps have the same bits, {contacts} contacts", flush=True)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
