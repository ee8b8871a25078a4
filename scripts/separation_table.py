#!/usr/bin/env python3
"""Separates piles of random bodies that overlap by up to a fifth of their size, and published scenes whose bodies have
been made larger, so that some meet: how many `clearance check --separate` moves apart, how far, and in what time. Each
is run for a few steps and verified, the start included. docs/overlaps.md holds the table (--write).
"""
import argparse
import json
import math
import os
import pathlib
import random
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
DEFAULT_DATA = pathlib.Path(os.environ.get("CLEARANCE_PEER_DATA", ROOT.parent / "shared" / "peer-data"))
BEGIN, END = "<!-- table: scripts/separation_table.py -->\n", "<!-- end of table -->\n"
STEPS = 5
LIMIT = 120  # seconds of one program


# --- random piles ---

def rotation(degrees):
    """Returns R = Rz Ry Rx, as `transform.rotation`."""
    (cx, sx), (cy, sy), (cz, sz) = [(math.cos(math.radians(a)), math.sin(math.radians(a))) for a in degrees]
    return [[cz * cy, cz * sy * sx - sz * cx, cz * sy * cx + sz * sx],
            [sz * cy, sz * sy * sx + cz * cx, sz * sy * cx - cz * sx], [-sy, cy * sx, cy * cx]]


def shape(draw, dimension, size):
    """Returns a generator, and points whose hull is about that of its mesh."""
    around = [i * math.pi / 12 for i in range(24)]
    if dimension == 2:
        if draw.random() < 0.5:
            radius = size / 2
            return ({"kind": "disk", "size": [radius], "resolution": [draw.randint(3, 8)]},
                    [(radius * math.cos(a), radius * math.sin(a), 0) for a in around])
        x, y = size, size * draw.uniform(0.2, 1)
        return ({"kind": "rectangle", "size": [x, y], "resolution": [draw.randint(2, 10), draw.randint(1, 6)]},
                [(i * x / 2, j * y / 2, 0) for i in (-1, 1) for j in (-1, 1)])
    kind = draw.choice(["box", "box", "sphere", "torus", "cylinder", "link"])
    if kind == "sphere":
        points = [(size / 2 * math.cos(a) * math.sin(b), size / 2 * math.cos(b), size / 2 * math.sin(a) * math.sin(b))
                  for a in around for b in around[:13]]
        return {"kind": kind, "size": [size / 2], "resolution": [draw.randint(3, 7)]}, points
    if kind == "box":
        x, y, z = size, size * draw.uniform(0.1, 1), size * draw.uniform(0.3, 1)
        return ({"kind": kind, "size": [x, y, z], "resolution": [draw.randint(1, 6), draw.randint(1, 3), draw.randint(1, 6)]},
                [(i * x / 2, j * y / 2, k * z / 2) for i in (-1, 1) for j in (-1, 1) for k in (-1, 1)])
    if kind == "torus":
        ring, tube = size * 0.35, size * 0.12
        return ({"kind": kind, "size": [ring, tube], "resolution": [draw.randint(10, 24), draw.randint(1, 2)]},
                [((ring + tube) * math.cos(a), s * tube, (ring + tube) * math.sin(a)) for a in around for s in (-0.5, 0.5)])
    if kind == "cylinder":
        radius, height = size * 0.3, size
        return ({"kind": kind, "size": [radius, height], "resolution": [draw.randint(1, 3), draw.randint(2, 6)]},
                [(radius * math.cos(a), s * height / 2, radius * math.sin(a)) for a in around for s in (-1, 1)])
    length, width, wire = size, size * 0.6, size * 0.12
    return ({"kind": "link", "size": [length, width, wire], "resolution": [8, 1]},
            [(i * length / 2, j * wire, k * width / 2) for i in (-1, 1) for j in (-1, 1) for k in (-1, 1)])


def pile(seed):
    """Returns (scene, mean size of its bodies)."""
    draw = random.Random(seed)
    dimension = 2 if draw.random() < 0.25 else 3
    size = 10 ** draw.uniform(-2, 1)
    bodies, hulls = [], []
    for number in range(draw.randint(2, 10)):
        own = size * 10 ** draw.uniform(-0.2, 0.2)
        generator, points = shape(draw, dimension, own)
        turns = [0, 0, draw.uniform(0, 360)] if dimension == 2 else [draw.uniform(0, 360) for _ in range(3)]
        matrix = rotation(turns)
        points = [[sum(row[k] * p[k] for k in range(3)) for row in matrix] for p in points]
        place = [0.0, 0.0, 0.0]
        if hulls:
            other = draw.choice(hulls)
            direction = [draw.gauss(0, 1), draw.gauss(0, 1), draw.gauss(0, 1) if dimension == 3 else 0.0]
            length = math.sqrt(sum(d * d for d in direction))
            direction = [d / length for d in direction]

            def along(hull, sign):
                return max(sign * sum(d * x for d, x in zip(direction, p)) for p in hull)

            middle = [statistics.fmean(p[k] for p in other) for k in range(3)]
            reach = along(other, 1.0) - sum(d * m for d, m in zip(direction, middle)) + along(points, -1.0)
            distance = reach - draw.uniform(0.0, 0.2) * own
            place = [m + distance * d for m, d in zip(middle, direction)]
        hulls.append([[x + p for x, p in zip(point, place)] for point in points])
        kind = draw.choice(["deformable", "deformable", "affine", "rigid", "rigid"])
        body = {"name": f"b{number}", "kind": kind, "generator": generator,
                "transform": {"rotation": turns, "translation": place}}
        if kind == "deformable":
            body["material"] = {"youngs_modulus": 10 ** draw.uniform(4, 9), "poisson_ratio": draw.uniform(0.2, 0.45)}
            if draw.random() < 0.15:  # clamped at one end
                body["motions"] = [{"region": {"box": [[0, 0, 0], [0.1, 1, 1]], "frame": "body"}}]
        elif number > 0 and draw.random() < 0.15:
            body["kind"] = "obstacle"
            generator["is_surface"] = True
        bodies.append(body)
    scene = {"dimension": dimension, "time": {"step": 0.002, "duration": STEPS * 0.002}, "bodies": bodies,
             "start": {"overlaps": "separate"}}
    if draw.random() < 0.5:
        lowest = min(p[1] for hull in hulls for p in hull)
        scene["half_spaces"] = [{"point": [0, lowest + draw.uniform(0, 0.2) * size, 0], "normal": [0, 1, 0]}]
    return scene


# --- one scene ---

def call(*words):
    try:
        return subprocess.run([str(w) for w in words], capture_output=True, text=True, timeout=LIMIT)
    except subprocess.TimeoutExpired:
        return None


def separate(program, scene, folder, options=()):
    """Returns the outcome of a scene: a dict, with `failure` if it could not be separated or run or verified."""
    separated = folder / "separated.json"
    begin = time.perf_counter()
    checked = call(program, "check", scene, "--separate", separated, "--overwrite", "--json", *options)
    seconds = time.perf_counter() - begin
    if checked is None:
        return {"failure": f"no end in {LIMIT} s", "seconds": seconds}
    if checked.returncode != 0:
        found = json.loads(checked.stdout or checked.stderr)
        messages = [i["message"] for i in (found.get("issues") or found.get("errors") or [])] if isinstance(found, dict) else [
            i["message"] for i in found]
        return {"failure": "; ".join(messages)[:300], "seconds": seconds}
    separation = json.loads(checked.stdout)["separation"]
    result = {"overlaps": len(separation["overlaps"]), "seconds": seconds,
              "depth": max((o["depth"] for o in separation["overlaps"]), default=0.0),
              "moves": [max(m["distance"], m["bending"]) for m in separation["moves"]],
              "bent": sum(m["bending"] > 0.0 for m in separation["moves"])}
    if not separation["overlaps"]:
        return result
    ran = call(program, "run", separated, "-o", folder / "out", "--overwrite", "-q", "--steps", STEPS)
    if ran is None:
        return {**result, "failure": f"run: no end in {LIMIT} s"}
    if ran.returncode != 0:
        return {**result, "failure": "run: " + ran.stderr.strip()[:200]}
    verified = call(program, "verify", folder / "out")
    if verified is None or verified.returncode != 0:
        return {**result, "failure": "verify: " + (verified.stdout.strip()[:200] if verified else "no end")}
    return result


# --- published scenes ---

def published(data):
    scenes = sorted((data / "ipc" / "input").rglob("*.txt"))
    for folder in ("rigid-ipc", "abd", "polyfem-data", "gcp", "remeshing", "high-order-ipc", "diff-ipc"):
        scenes += sorted(p for p in (data / folder).rglob("*.json"))
    return scenes


def grown(program, source, folder, factor):
    """Returns the published scene with all bodies but obstacles larger, about the origins of their meshes; None if
    there is none."""
    path = folder / "grown.json"
    if (converted := call(program, "convert", source, "-o", path, "--overwrite")) is None or converted.returncode != 0:
        return None
    scene = json.loads(path.read_text())
    for body in scene["bodies"]:
        if body["kind"] != "obstacle":
            body["transform"]["scale"] = [factor * s for s in body["transform"]["scale"]]
    scene["output"] = {}
    path.write_text(json.dumps(scene))
    checked = call(program, "check", path, "--json")
    if checked is None or checked.returncode == 0:
        return None
    issues = [i for i in json.loads(checked.stdout or checked.stderr)["issues"] if i["severity"] == "error"]
    words = ("at the start", "starts behind")
    return path if issues and all(any(w in i["message"] for w in words) for i in issues) else None


# --- tables ---

def row(name, results):
    met = [r for r in results if r.get("overlaps") or "failure" in r]
    good = [r for r in met if "failure" not in r]
    moves = [m for r in good for m in r["moves"]]
    deep = [(max(r["moves"]), r["depth"]) for r in good if r["depth"] > 0.0 and r["moves"]]
    ratios = [far / depth for far, depth in deep]
    seconds = [r["seconds"] for r in good]
    cells = [name, len(results), len(met), f"{len(good)} ({100 * len(good) / max(1, len(met)):.1f} %)",
             sum(r["bent"] > 0 for r in good)]
    cells += [f"{statistics.median(ratios):.2f}, {max(ratios):.2f}" if ratios else "-",
              f"{statistics.fmean(moves):.3g}, {max(moves):.3g}" if moves else "-",
              f"{statistics.median(seconds):.2f}, {max(seconds):.1f}" if seconds else "-"]
    return "| " + " | ".join(map(str, cells)) + " |"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", type=pathlib.Path, default=ROOT / "build" / "release" / "bin" / "clearance")
    parser.add_argument("--data", type=pathlib.Path, default=DEFAULT_DATA)
    parser.add_argument("--piles", type=int, default=200)
    parser.add_argument("--first", type=int, default=0, help="seed of the first pile")
    parser.add_argument("--published", action="store_true", help="published scenes too, with larger bodies")
    parser.add_argument("--factor", type=float, default=1.03, help="how much larger")
    parser.add_argument("--only", default="", help="only published scenes whose path holds this")
    parser.add_argument("--write", action="store_true", help="into docs/overlaps.md")
    arguments = parser.parse_args()
    lines = ["| scenes | tried | meet at the start | separated, run and verified | some bodies bent | farthest move over"
             " depth: median, largest | moves [m]: mean, largest | seconds: median, largest |", "|" + " --- |" * 8]
    failures = []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)

        def collect(title, scenes):
            results = []
            for label, scene, options in scenes:
                results.append(separate(arguments.program, scene, folder, options))
                if "failure" in results[-1]:
                    failures.append(f"- {label}: {results[-1]['failure']}")
                    print(failures[-1], file=sys.stderr, flush=True)
            lines.append(row(title, results))
            print(lines[-1], flush=True)

        def piles():
            for seed in range(arguments.first, arguments.first + arguments.piles):
                path = folder / f"pile{seed}.json"
                path.write_text(json.dumps(pile(seed)))
                yield f"pile {seed}", path, ()

        if arguments.piles:
            collect(f"random piles, seeds {arguments.first} to {arguments.first + arguments.piles - 1}", piles())
        def larger():
            for source in published(arguments.data):
                label = str(source.relative_to(arguments.data))
                if arguments.only not in label:
                    continue
                if (path := grown(arguments.program, source, folder, arguments.factor)) is not None:
                    yield label, path, ()

        if arguments.published:
            collect(f"published, bodies {100 * (arguments.factor - 1):g} % larger", larger())
    text = "\n".join(lines) + "\n" + ("\nThese scenes were not separated:\n\n" + "\n".join(failures) + "\n" if failures else "")
    print("\n" + text)
    if arguments.write:
        page = ROOT / "docs" / "overlaps.md"
        content = page.read_text()
        begin, end = content.index(BEGIN) + len(BEGIN), content.index(END)
        page.write_text(content[:begin] + text + content[end:])


if __name__ == "__main__":
    main()
