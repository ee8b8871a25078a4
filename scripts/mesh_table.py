#!/usr/bin/env python3
"""Meshes every solid among other programs' surfaces, and some of them broken on purpose, runs each, and prints a table.

A file counts as a solid if its triangles are closed once corners in the same place are merged, and enclose a volume;
of files with the same triangles the first counts. Every mesh falls for 20 steps onto a plane, and `clearance verify`
has to find nothing. docs/meshing.md holds the table (--write).
"""
import argparse
import collections
import concurrent.futures
import hashlib
import json
import math
import os
import pathlib
import random
import shutil
import struct
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
DEFAULT_DATA = pathlib.Path(os.environ.get("CLEARANCE_PEER_DATA", ROOT.parent / "shared" / "peer-data"))
BEGIN, END = "<!-- table: scripts/mesh_table.py -->\n", "<!-- end of table -->\n"
LIMIT = 300  # seconds of one program


# --- surfaces ---

def read_obj(path):
    vertices, triangles = [], []
    for line in path.read_text(errors="replace").splitlines():
        words = line.split()
        if words[:1] == ["v"]:
            vertices.append(tuple((*map(float, words[1:4]), 0.0, 0.0)[:3]))
        elif words[:1] == ["f"]:
            face = [int(w.split("/")[0]) for w in words[1:]]
            face = [i - 1 if i > 0 else len(vertices) + i for i in face]
            triangles += [(face[0], face[k], face[k + 1]) for k in range(1, len(face) - 1)]
    return vertices, triangles


def read_stl(path):
    data = path.read_bytes()
    corners = []
    count = struct.unpack_from("<I", data, 80)[0] if len(data) >= 84 else 0
    if len(data) == 84 + 50 * count:
        for i in range(count):
            values = struct.unpack_from("<9f", data, 84 + 50 * i + 12)
            corners += [values[0:3], values[3:6], values[6:9]]
    else:
        for line in data.decode(errors="replace").splitlines():
            words = line.split()
            if words[:1] == ["vertex"]:
                corners.append(tuple(float(w) for w in words[1:4]))
    return corners, [(i, i + 1, i + 2) for i in range(0, len(corners), 3)]


PLY_TYPES = {"char": "b", "int8": "b", "uchar": "B", "uint8": "B", "short": "h", "int16": "h", "ushort": "H",
             "uint16": "H", "int": "i", "int32": "i", "uint": "I", "uint32": "I", "float": "f", "float32": "f",
             "double": "d", "float64": "d"}


def read_ply(path):
    data = path.read_bytes()
    end = data.index(b"end_header")
    start = data.index(b"\n", end) + 1
    elements, kind = [], "ascii"
    for line in data[:end].decode().splitlines():
        words = line.split()
        if words[:1] == ["format"]:
            kind = words[1]
        elif words[:1] == ["element"]:
            elements.append((words[1], int(words[2]), []))
        elif words[:1] == ["property"]:
            elements[-1][2].append(words[1:])
    vertices, triangles = [], []
    tokens = iter(data[start:].split()) if kind == "ascii" else None
    order, at = ("<" if "little" in kind else ">"), start

    def number(name):
        nonlocal at
        if tokens is not None:
            return float(next(tokens))
        code = order + PLY_TYPES[name]
        value = struct.unpack_from(code, data, at)[0]
        at += struct.calcsize(code)
        return value

    for element, count, properties in elements:
        for _ in range(count):
            row = {}
            for words in properties:
                if words[0] == "list":
                    row[words[3]] = [int(number(words[2])) for _ in range(int(number(words[1])))]
                else:
                    row[words[1]] = number(words[0])
            if element == "vertex":
                vertices.append((row["x"], row["y"], row["z"]))
            elif element == "face":
                face = row.get("vertex_indices", row.get("vertex_index"))
                triangles += [(face[0], face[k], face[k + 1]) for k in range(1, len(face) - 1)]
    return vertices, triangles


def weld(vertices, triangles):
    number, places = {}, []
    for vertex in vertices:
        if vertex not in number:
            number[vertex] = len(places)
            places.append(vertex)
    welded = [tuple(number[vertices[v]] for v in triangle) for triangle in triangles]
    return places, [t for t in welded if len(set(t)) == 3]


def is_solid(vertices, triangles):
    sides = collections.Counter()
    volume = 0.0
    for a, b, c in triangles:
        for side in ((a, b), (b, c), (c, a)):
            sides[tuple(sorted(side))] += 1
        (ax, ay, az), (bx, by, bz), (cx, cy, cz) = vertices[a], vertices[b], vertices[c]
        volume += (ax * (by * cz - bz * cy) + ay * (bz * cx - bx * cz) + az * (bx * cy - by * cx)) / 6.0
    size = math.dist(*bounds(vertices)) if triangles else 0.0
    return bool(triangles) and all(n % 2 == 0 for n in sides.values()) and abs(volume) > 1e-9 * size**3


def bounds(vertices):
    return [min(v[k] for v in vertices) for k in range(3)], [max(v[k] for v in vertices) for k in range(3)]


def find_solids(folder):
    """Returns (files, [(path, vertices, triangles)] of different solids, files that are solids)."""
    readers = {".obj": read_obj, ".stl": read_stl, ".ply": read_ply}
    files = sorted(p for p in folder.rglob("*") if p.suffix in readers)
    seen, solids, num_solids = set(), [], 0
    for path in files:
        vertices, triangles = weld(*readers[path.suffix](path))
        if not is_solid(vertices, triangles):
            continue
        num_solids += 1
        content = hashlib.sha256(repr((vertices, triangles)).encode()).hexdigest()
        if content not in seen:
            seen.add(content)
            solids.append((path, vertices, triangles))
    return len(files), sorted(solids, key=lambda s: len(s[2])), num_solids


# --- broken on purpose ---

def with_holes(vertices, triangles, rng):
    gone = set(rng.sample(range(len(triangles)), max(1, len(triangles) // 50)))
    return vertices, [t for i, t in enumerate(triangles) if i not in gone]


def with_intersection(vertices, triangles, rng):
    low, high = bounds(vertices)
    shift = [0.3 * (h - l) * rng.uniform(0.5, 1.0) for l, h in zip(low, high)]
    copy = [tuple(x + s for x, s in zip(v, shift)) for v in vertices]
    return vertices + copy, triangles + [tuple(v + len(vertices) for v in t) for t in triangles]


def with_loose_triangles(vertices, triangles, rng):
    low, high = bounds(vertices)
    more, loose = list(vertices), []
    for _ in range(5):
        loose.append(tuple(range(len(more), len(more) + 3)))
        more += [tuple(rng.uniform(l, h) for l, h in zip(low, high)) for _ in range(3)]
    return more, triangles + loose


def with_turned_triangles(vertices, triangles, rng):
    return vertices, [t[::-1] if rng.random() < 0.3 else t for t in triangles]


BREAKS = {"holes": with_holes, "intersection": with_intersection, "loose triangles": with_loose_triangles,
          "turned, as a soup": with_turned_triangles}


def write_obj(path, vertices, triangles, as_soup):
    with path.open("w") as file:
        if as_soup:
            vertices, triangles = ([vertices[v] for t in triangles for v in t],
                                   [(i, i + 1, i + 2) for i in range(0, 3 * len(triangles), 3)])
        for v in vertices:
            file.write(f"v {v[0]!r} {v[1]!r} {v[2]!r}\n")
        for t in triangles:
            file.write(f"f {t[0] + 1} {t[1] + 1} {t[2] + 1}\n")


# --- one surface ---

def run(command, cwd):
    """Runs a command; returns status, outputs and processor seconds, including those of processes that it called."""
    out, err = cwd / "stdout.txt", cwd / "stderr.txt"
    with out.open("w") as stdout, err.open("w") as stderr:
        process = subprocess.Popen([str(word) for word in command], cwd=cwd, stdout=stdout, stderr=stderr)
    end = time.monotonic() + LIMIT
    while True:
        pid, status, usage = os.wait4(process.pid, os.WNOHANG)
        if pid != 0:
            process.returncode = os.waitstatus_to_exitcode(status)
            return process.returncode, out.read_text(), err.read_text(), usage.ru_utime + usage.ru_stime
        if time.monotonic() > end:
            process.kill()
            process.wait()
            return -1, "", f"took longer than {LIMIT} s", float(LIMIT)
        time.sleep(0.02)


def measure(program, case):
    """Meshes, runs and verifies; returns a row of the table."""
    name, surface, fraction, steps = case
    row = {"name": name, "problem": ""}
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        mesh = folder / "part.msh"
        vertices, _ = read_any(surface)
        low, high = bounds(vertices)
        size = math.dist(low, high)
        status, output, errors, row["mesh_seconds"] = run(
            [program, "mesh", surface, "-o", mesh, "--edge-length", repr(size * fraction), "--json"], folder)
        if status != 0:
            try:
                row["problem"] = json.loads(output)["issues"][0]["message"]
            except (ValueError, KeyError, IndexError):
                row["problem"] = (errors or output).strip() or f"exit status {status}"
            return row
        row.update(json.loads(output))
        row["deviation"] /= size
        # Scale the body to a metre, whatever the file's unit is.
        scale = 1.0 / size
        low = -min(v[1] for v in read_msh_vertices(mesh)) * scale
        scene = {"time": {"step": 0.01, "duration": 0.01 * steps},
                 "bodies": [{"name": "part", "mesh": "part.msh", "units": "m",
                             "transform": {"scale": scale, "translation": [0, low + 0.002, 0]}}],
                 "half_spaces": [{"point": [0, 0, 0]}]}
        (folder / "scene.json").write_text(json.dumps(scene))
        status, _, errors, row["run_seconds"] = run(
            [program, "run", "scene.json", "-o", "out", "-q", "--strict", "--threads", "1"], folder)
        verified, output, _, _ = run([program, "verify", "out"], folder)
        if status != 0:
            row["problem"] = f"run: {errors.strip()[-200:]}"
        elif verified != 0:
            row["problem"] = f"verify: {output.strip()[-200:]}"
    return row


def read_any(path):
    return {".obj": read_obj, ".stl": read_stl, ".ply": read_ply}[pathlib.Path(path).suffix](pathlib.Path(path))


def read_msh_vertices(path):
    lines = path.read_text().splitlines()
    at = lines.index("$Nodes")
    count = int(lines[at + 1].split()[1])
    return [tuple(float(w) for w in line.split()) for line in lines[at + 3 + count:at + 3 + 2 * count]]


# --- table ---

def quantiles(values):
    values = sorted(values)
    return values[0], values[len(values) // 2], values[-1]


def summary(title, rows):
    good = [r for r in rows if not r["problem"]]
    if not good:
        return f"| {title} | {len(rows)} | 0 | | | | | |\n"
    angle = quantiles([r["smallest_angle"] for r in good])
    deviation = quantiles([r["deviation"] for r in good])
    elements = quantiles([r["elements"] for r in good])
    seconds = quantiles([r["mesh_seconds"] for r in good])
    steps = quantiles([r["run_seconds"] for r in good])
    return (f"| {title} | {len(rows)} | {len(good)} | {angle[0]:.1f}, {angle[1]:.1f} | {100 * deviation[1]:.2g}, "
            f"{100 * deviation[2]:.2g} | {elements[1]}, {elements[2]} | {seconds[1]:.1f}, {seconds[2]:.0f} | "
            f"{steps[1]:.1f}, {steps[2]:.0f} |\n")


def table(rows, header):
    text = header + ("\n| surfaces | number | meshed, run, verified | smallest dihedral angle [deg]: least, median | deviation "
                     "[% of the diagonal]: median, largest | tetrahedra: median, most | meshing [s]: median, longest | 20 steps "
                     "[s]: median, longest |\n| --- | --- | --- | --- | --- | --- | --- | --- |\n")
    for title in dict.fromkeys(r["group"] for r in rows):
        text += summary(title, [r for r in rows if r["group"] == title])
    text += "\nThe next table has the ten surfaces with the smallest angles, and all that failed:\n\n"
    text += "| surface | tetrahedra | smallest angle [deg] | deviation [%] | meshing [s] | |\n| --- | --- | --- | --- | --- | --- |\n"
    worst = sorted((r for r in rows if not r["problem"]), key=lambda r: r["smallest_angle"])[:10]
    for r in worst + [r for r in rows if r["problem"]]:
        if r["problem"]:
            text += f"| {r['name']} | | | | {r.get('mesh_seconds', 0.0):.1f} | {' '.join(r['problem'].split())[:200]} |\n"
        else:
            text += (f"| {r['name']} | {r['elements']} | {r['smallest_angle']:.1f} | {100 * r['deviation']:.2g} | "
                     f"{r['mesh_seconds']:.1f} | {'wrapped' if r['wrapped'] else ''} |\n")
    return text


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", default=ROOT / "build" / "release" / "bin" / "clearance", type=pathlib.Path)
    parser.add_argument("--data", default=DEFAULT_DATA, type=pathlib.Path)
    parser.add_argument("--edge", default=0.05, type=float, help="edge length as a fraction of the diagonal")
    parser.add_argument("--broken", default=20, type=int, help="surfaces to break")
    parser.add_argument("--steps", default=20, type=int)
    parser.add_argument("--jobs", default=1, type=int)
    parser.add_argument("--only", default="", help="only surfaces whose path holds this")
    parser.add_argument("--every", default=1, type=int, help="only every so manieth solid")
    parser.add_argument("--seed", default=1, type=int)
    parser.add_argument("--rows", type=pathlib.Path, help="keep every row in this file, as JSON lines; those that are good there are not made again")
    parser.add_argument("--write", action="store_true", help="store the table in docs/meshing.md")
    options = parser.parse_args()
    if not options.data.is_dir():
        sys.exit(f"no such folder: {options.data}")

    num_files, solids, num_solids = find_solids(options.data)
    header = (f"{num_files} files, {num_solids} of them solids, {len(solids)} different ones; edges of {100 * options.edge:g} % of "
              f"the diagonal.\n")
    print(header)
    solids = [s for s in solids if options.only in str(s[0])][::options.every]
    folder = pathlib.Path(tempfile.mkdtemp())
    cases = []
    rng = random.Random(options.seed)
    small = [s for s in solids if 8 <= len(s[2]) <= 5000]
    for i in range(min(options.broken, len(small))):
        path, vertices, triangles = rng.choice(small)
        kind = list(BREAKS)[i % len(BREAKS)]
        broken = folder / f"{i}.obj"
        write_obj(broken, *BREAKS[kind](vertices, triangles, rng), kind.endswith("soup"))
        cases.append((f"{path.relative_to(options.data)}: {kind}", str(broken), f"broken: {kind}"))

    cases += [(str(p.relative_to(options.data)), str(p), "as they are") for p, _, _ in solids]

    known = {}
    if options.rows and options.rows.exists():
        known = {row["name"]: row for row in map(json.loads, options.rows.read_text().splitlines()) if not row["problem"]}
    rows = []
    program = str(options.program.resolve())
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        jobs = [None if name in known else pool.submit(measure, program, (name, path, options.edge, options.steps))
                for name, path, _ in cases]
        for (name, _, group), job in zip(cases, jobs):
            row = {**job.result(), "group": group} if job else known[name]
            rows.append(row)
            print(f"{len(rows)}/{len(cases)} {name}: {row['problem'] or 'good'}", flush=True)
            if options.rows and job:
                with options.rows.open("a") as file:
                    file.write(json.dumps(row) + "\n")
    shutil.rmtree(folder)
    text = table(rows, header)
    print(text)
    if options.write:
        page = ROOT / "docs" / "meshing.md"
        before, rest = page.read_text().split(BEGIN)
        page.write_text(before + BEGIN + text + END + rest.split(END)[1])
    return 1 if any(r["problem"] for r in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
