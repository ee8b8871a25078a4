#!/usr/bin/env python3
"""Compares few curved elements made from a surface with many linear ones: the lowest frequency of a free ball.

Prints the table of docs/high_order.md, and stores it with --write.
"""

import argparse
import json
import math
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
DOCUMENT = ROOT / "docs" / "high_order.md"
BEGIN, END = "<!-- table: scripts/curved_table.py -->", "<!-- end of table -->"
# Name, `clearance mesh` options, order of the displacements (0: that of the mesh).
CASES = [
    ("linear", ["--edge-length", "0.4"], 1),
    ("linear", ["--edge-length", "0.2"], 1),
    ("linear", ["--edge-length", "0.1"], 1),
    ("coarse, straight", ["--edge-length", "0.7", "--order", "2"], 1),
    ("coarse, curved, order 2", ["--edge-length", "0.7", "--order", "2"], 0),
    ("coarse, curved, order 3", ["--edge-length", "0.7", "--order", "3"], 0),
    ("curved, order 2", ["--edge-length", "0.4", "--order", "2"], 0),
    ("curved, order 3", ["--edge-length", "0.4", "--order", "3"], 0),
]


def write_sphere(path, divisions):
    """Writes the unit sphere as an octahedron whose faces are cut into divisions^2 triangles; its vertices are exact."""
    corners = [(1, 0, 0), (0, 1, 0), (0, 0, 1)]
    numbers, vertices, triangles = {}, [], []

    def vertex(x):
        key = tuple(x)
        if key not in numbers:
            length = math.sqrt(sum(c * c for c in x))
            numbers[key] = len(vertices) + 1
            vertices.append([c / length for c in x])
        return numbers[key]

    for signs in [(a, b, c) for a in (1, -1) for b in (1, -1) for c in (1, -1)]:
        def at(i, j):
            weights = (divisions - i - j, i, j)
            return vertex([s * sum(w * c[k] for w, c in zip(weights, corners)) for k, s in enumerate(signs)])

        turned = signs[0] * signs[1] * signs[2] < 0
        for i in range(divisions):
            for j in range(divisions - i):
                found = [(at(i, j), at(i + 1, j), at(i, j + 1))]
                if i + j + 1 < divisions:
                    found.append((at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)))
                triangles += [t[::-1] if turned else t for t in found]
    lines = ["v " + " ".join(repr(c) for c in v) for v in vertices]
    path.write_text("\n".join(lines + ["f %d %d %d" % t for t in triangles]) + "\n")
    return len(triangles)


def torsional_root():
    """Returns the smallest root of j_2(x) = x j_3(x): the lowest frequency of a free ball times its radius by the speed
    of shear waves [Lamb 1882]."""
    def j(order, x):
        low, high = math.sin(x) / x, math.sin(x) / x ** 2 - math.cos(x) / x
        for k in range(1, order):
            low, high = high, (2 * k + 1) / x * high - low
        return high

    low, high = 2.0, 3.0
    for _ in range(60):
        middle = 0.5 * (low + high)
        if (j(2, low) - low * j(3, low)) * (j(2, middle) - middle * j(3, middle)) > 0:
            low = middle
        else:
            high = middle
    return low


def run(words, cwd):
    """Runs a command; returns its output and processor seconds, including those of programs that it called."""
    before = os.times()
    done = subprocess.run([str(word) for word in words], cwd=cwd, capture_output=True, text=True)
    after = os.times()
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, words))}\n{done.stdout}{done.stderr}")
    return done.stdout, after.children_user + after.children_system - before.children_user - before.children_system


def measure(program, folder, case, surface):
    name, options, order = case
    text, mesh_seconds = run([program, "mesh", surface, "-o", "ball.msh", "--overwrite", "--json"] + options, folder)
    report = json.loads(text)
    scene = {"bodies": [{"name": "ball", "mesh": "ball.msh", "order": order, "material": {"density": 1.0,
                         "youngs_modulus": 2.5, "poisson_ratio": 0.25}}], "gravity": [0, 0, 0]}
    (folder / "ball.json").write_text(json.dumps(scene))
    text, seconds = run([program, "modes", "ball.json", "--count", "5", "--json"], folder)
    modes = json.loads(text)
    found = [m["frequency"] for m in modes["modes"] if not m["rigid"]]
    error = sum(found) / len(found) * 2 * math.pi / torsional_root() - 1  # radius, density and shear modulus are 1
    volume = report["volume"] if order != 1 or "straight_volume" not in report else report["straight_volume"]
    deviation = report["deviation"] if order != 1 or "straight_deviation" not in report else report["straight_deviation"]
    return (f"| {name} | {report['elements']} | {modes['unknowns']} | {deviation:.1g} | "
            f"{100 * (volume / (4 / 3 * math.pi) - 1):+.2g} % | {100 * error:+.2g} % | {mesh_seconds:.1f} | {seconds:.1f} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", default=ROOT / "build" / "release" / "bin" / "clearance", type=pathlib.Path)
    parser.add_argument("--write", action="store_true", help="store the table in docs/high_order.md")
    options = parser.parse_args()
    folder = pathlib.Path(tempfile.mkdtemp())
    num_triangles = write_sphere(folder / "sphere.obj", 50)
    lines = [f"Surface: {num_triangles} triangles.", "",
             "| elements | number | unknowns | farthest from the surface [m] | volume | frequency | meshing [s] | modes [s] |",
             "| --- | --- | --- | --- | --- | --- | --- | --- |"]
    for case in CASES:
        lines.append(measure(options.program.resolve(), folder, case, folder / "sphere.obj"))
        print(lines[-1], flush=True)
    if not options.write:
        return
    text = DOCUMENT.read_text()
    begin, end = text.index(BEGIN) + len(BEGIN), text.index(END, text.index(BEGIN))
    DOCUMENT.write_text(text[:begin] + "\n" + "\n".join(lines) + "\n" + text[end:])


if __name__ == "__main__":
    main()
