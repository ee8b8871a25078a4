#!/usr/bin/env python3
"""Contact formulations side by side: `./dev bench contact`.

Scenes after [Hua24, sec. 5]: bodies near each other without load (rest); bodies that are squeezed, blown up or thrown
and must feel only what they meet; the potential under refinement; Hertz's ball. Every scene runs under ipc, convergent
and gcp in one go; every result is verified.
"""

import argparse
import array
import json
import math
import re
import subprocess
import tempfile
from pathlib import Path

from bench_common import ROOT, machine, peer_data, table, write_between_markers

FORMULATIONS = ("ipc", "convergent", "gcp")
REST_STEPS = 2  # for formulations that do not come to rest
SOFT = {"density": 100, "youngs_modulus": 4000, "poisson_ratio": 0.2}


# --- meshes ---


def grid(xs, ys, zs, is_solid=lambda i, j, k: True, place=lambda p: p):
    """Returns cells of a grid, each cut into six tetrahedra along the same diagonal, with corners moved by `place`."""
    numbers, vertices, tets = {}, [], []

    def vertex(i, j, k):
        if (i, j, k) not in numbers:
            numbers[i, j, k] = len(vertices)
            vertices.append(place([xs[i], ys[j], zs[k]]))
        return numbers[i, j, k]

    orders = [(0, 1, 2), (1, 2, 0), (2, 0, 1), (0, 2, 1), (2, 1, 0), (1, 0, 2)]
    for i in range(len(xs) - 1):
        for j in range(len(ys) - 1):
            for k in range(len(zs) - 1):
                if not is_solid(i, j, k):
                    continue
                for order in orders:
                    corner, path = [i, j, k], [vertex(i, j, k)]
                    for axis in order:
                        corner[axis] += 1
                        path.append(vertex(*corner))
                    tets.append(path)
    return {"vertices": vertices, "tets": turned(vertices, tets)}


def grid_in_plane(xs, ys, is_solid=lambda i, j: True):
    numbers, vertices, triangles = {}, [], []

    def vertex(i, j):
        if (i, j) not in numbers:
            numbers[i, j] = len(vertices)
            vertices.append([xs[i], ys[j], 0])
        return numbers[i, j]

    for i in range(len(xs) - 1):
        for j in range(len(ys) - 1):
            if is_solid(i, j):
                a, b, c, d = vertex(i, j), vertex(i + 1, j), vertex(i + 1, j + 1), vertex(i, j + 1)
                triangles += [[a, b, c], [a, c, d]]
    return {"vertices": vertices, "triangles": triangles}


def even(low, high, count):
    return [low + (high - low) * i / count for i in range(count + 1)]


def rounded_outline(size, radius, straight, corner):
    """Returns a square with rounded corners: `straight` pieces per side, `corner` pieces per corner."""
    points, half = [], 0.5 * size - radius
    for quarter in range(4):
        cosine, sine = [(1, 0), (0, 1), (-1, 0), (0, -1)][quarter]
        local = [(half + radius * math.cos(math.pi / 2 * i / corner), half + radius * math.sin(math.pi / 2 * i / corner))
                 for i in range(corner + 1)]
        local += [(half - 2 * half * i / straight, half + radius) for i in range(1, straight)]
        points += [[cosine * x - sine * y, sine * x + cosine * y] for x, y in local]
    return points


def disk_of(outline, rings):
    """Returns rings of the outline around its middle."""
    vertices, triangles, n = [[0, 0, 0]], [], len(outline)
    for ring in range(1, rings + 1):
        vertices += [[x * ring / rings, y * ring / rings, 0] for x, y in outline]
    for i in range(n):
        j = (i + 1) % n
        triangles.append([0, 1 + i, 1 + j])
        for ring in range(rings - 1):
            a, b, c, d = 1 + ring * n + i, 1 + ring * n + j, 1 + (ring + 1) * n + j, 1 + (ring + 1) * n + i
            triangles += [[a, c, b], [a, d, c]]
    return {"vertices": vertices, "triangles": triangles}


def round_off(radius):
    """Returns a map of the cube [-1, 1]^3 onto the cube with rounded edges and corners."""
    def place(p):
        reach = max(abs(c) for c in p)
        if reach == 0.0:
            return [0.0, 0.0, 0.0]
        q = [c / reach for c in p]
        core = [max(-1 + radius, min(1 - radius, c)) for c in q]
        out = [a - b for a, b in zip(q, core)]
        length = math.sqrt(sum(c * c for c in out))
        return [reach * (c + radius * o / length) for c, o in zip(core, out)]
    return place


def shell(radius, thickness, n, layers):
    """Returns a hollow sphere: the surface of a cube of n cells per side, pushed onto spheres."""
    edge = even(-1.0, 1.0, n)
    numbers, points, quads = {}, [], []

    def vertex(p):
        key = tuple(round(c * 1e6) for c in p)
        if key not in numbers:
            numbers[key] = len(points)
            angles = [math.tan(math.pi / 4 * c) for c in p]
            length = math.sqrt(sum(c * c for c in angles))
            points.append([c / length for c in angles])
        return numbers[key]

    for axis in range(3):
        for side in (-1.0, 1.0):
            for i in range(n):
                for j in range(n):
                    corners = []
                    for a, b in ((i, j), (i + 1, j), (i + 1, j + 1), (i, j + 1)):
                        p = [0.0, 0.0, 0.0]
                        p[axis], p[(axis + 1) % 3], p[(axis + 2) % 3] = side, edge[a], edge[b]
                        corners.append(vertex(p))
                    quads.append(corners if side > 0 else corners[::-1])
    triangles = []
    for a, b, c, d in quads:
        # Choose the diagonal at the smallest corner, so that neighbouring prisms agree.
        triangles += [[a, b, c], [a, c, d]] if min(a, c) < min(b, d) else [[b, c, d], [b, d, a]]
    vertices = [[c * (radius - thickness + thickness * layer / layers) for c in p]
                for layer in range(layers + 1) for p in points]
    tets = []
    for layer in range(layers):
        low, high = layer * len(points), (layer + 1) * len(points)
        for triangle in triangles:
            first = triangle.index(min(triangle))
            a, b, c = (triangle[(first + i) % 3] for i in range(3))
            tets.append([low + a, low + b, low + c, high + c] if b < c else [low + a, low + b, low + c, high + b])
            if b < c:
                tets += [[low + a, low + b, high + c, high + b], [low + a, high + b, high + c, high + a]]
            else:
                tets += [[low + a, high + b, low + c, high + c], [low + a, high + b, high + c, high + a]]
    return {"vertices": vertices, "tets": turned(vertices, tets)}


def turned(vertices, tets):
    return [[t[0], t[2], t[1], t[3]] if volume(vertices, t) < 0 else t for t in tets]


def volume(vertices, tet):
    a, b, c, d = (vertices[v] for v in tet)
    u, v, w = ([p[i] - a[i] for i in range(3)] for p in (b, c, d))
    return (u[0] * (v[1] * w[2] - v[2] * w[1]) - u[1] * (v[0] * w[2] - v[2] * w[0]) + u[2] * (v[0] * w[1] - v[1] * w[0]))


# --- scenes ---


def scene(dhat, bodies, steps, step=0.0047, dimension=3, **rest):
    return {"format": "clearance/2", "dimension": dimension, "time": {"step": step, "duration": step * steps},
            "gravity": [0, 0, 0], "contact": {"dhat": dhat, "dhat_is_absolute": True, "alpha_t": 0.1}, "bodies": bodies,
            **rest}


def body(name, mesh, material=SOFT, **rest):
    kind = "generator" if "kind" in mesh else "geometry"
    return {"name": name, kind: mesh, "material": material, **rest}


def rest_scenes():
    fillet = [-1, -0.98, -0.94, -0.88, -0.5, 0, 0.5, 0.88, 0.94, 0.98, 1]
    block = {"kind": "box", "size": [1, 1, 1], "resolution": [4, 4, 4]}
    slit = [0, 0.1, 0.2, 0.3, 0.4, 0.495, 0.505, 0.6, 0.7, 0.8, 0.9, 1]
    ring = {"kind": "torus", "size": [0.5, 0.15], "resolution": [24, 2]}
    return {
        "fillet block": scene(0.07, [body("block", grid(fillet, fillet, fillet, place=round_off(0.2)))], 100),
        "squircle (2D)": scene(0.1, [body("block", disk_of(rounded_outline(1, 0.1, 4, 16), 5))], 100, dimension=2),
        "two blocks": scene(0.025, [body("left", block), body("right", block, transform={"translation": [1.01, 0, 0]})],
                            100),
        "slit block": scene(0.0125, [body("block", grid(slit, even(0, 1, 10), even(0, 0.3, 3),
                                                        lambda i, j, k: i != 5 or j < 4))], 100),
        "slit block (2D)": scene(0.1, [body("block", grid_in_plane(slit, even(0, 1, 10), lambda i, j: i != 5 or j < 4))],
                                 100, dimension=2),
        "interlocked rings": scene(0.05, [body("lying", ring), body("standing", ring, transform={
            "rotation": [90, 0, 0], "translation": [0.67, 0, 0]})], 100),
    }


def squeeze_scene():
    """A cube is squeezed to a third of its height without sideways contraction."""
    cube = {"kind": "box", "size": [1, 1, 1], "resolution": [10, 30, 10]}
    material = {"density": 100, "youngs_modulus": 10000, "poisson_ratio": 0.0}
    ends = [{"region": {"frame": "body", "box": [[0, 0, 0], [1, 0, 1]]}},
            {"region": {"frame": "body", "box": [[0, 1, 0], [1, 1, 1]]}, "displacement": ["0", "-0.67 * min(t / 0.4, 1)", "0"]}]
    return scene(0.0125, [body("cube", cube, material, motions=ends)], 40, step=0.01)


def balloon_scene():
    """A hollow sphere is under pressure from inside, until its wall is thinner than dhat."""
    mesh = shell(1.0, 0.1, 8, 1)
    inner = list(range(len(mesh["vertices"]) // 2))
    load = {"kind": "pressure", "pressure": "300", "region": {"nodes": inner}}
    balloon = scene(0.06, [body("balloon", mesh, {"density": 100, "youngs_modulus": 4000, "poisson_ratio": 0.0},
                                loads=[load])], 40, step=0.01)
    return balloon


def cliff_scene():
    """A block lies on another by half: it may stay or tip, but must not turn about the vertical axis."""
    lower = {"kind": "box", "size": [1, 1, 1], "resolution": [1, 1, 1]}
    upper = {"kind": "box", "size": [1, 1, 1], "resolution": [1, 1, 1]}
    stiff = {"density": 1000, "youngs_modulus": 1e6, "poisson_ratio": 0.4}
    result = scene(0.01, [body("lower", lower, kind="obstacle"),
                          body("upper", upper, stiff, transform={"translation": [0.45, 1.011, 0.0]})], 100, step=0.01)
    result["gravity"] = [0, -9.81, 0]
    result["bodies"][0].pop("material")
    return result


def corner_scene(level):
    """The corner of a square hits a plane at 234 m/s; both are finer near the corner at every level."""
    n = 4 * 2 ** level
    square = {"kind": "rectangle", "size": [1, 1], "resolution": [n, n]}
    floor = {"kind": "rectangle", "size": [3, 0.5], "resolution": [3 * n, max(1, n // 2)]}
    stiff = {"density": 1000, "youngs_modulus": 1e9, "poisson_ratio": 0.3}
    drop = 0.5 * math.sqrt(2) + 0.25 + 0.06
    result = scene(0.05, [body("square", square, stiff, transform={"rotation": 45, "translation": [0, drop, 0]},
                               linear_velocity=[0, -234, 0]),
                          body("floor", floor, kind="obstacle")], 80, step=2e-5, dimension=2)
    result["bodies"][1].pop("material")
    return result


def cusp_scene():
    """Two walls bend away from a bridge between their middles and are squeezed until the notches at the bridge
    close."""
    rows = [-1, -0.85, -0.7, -0.55, -0.42, -0.3, -0.2, -0.12, -0.06, 0, 0.06, 0.12, 0.2, 0.3, 0.42, 0.55, 0.7, 0.85, 1]

    def place(p):
        inner = 0.05 + 0.35 * max(0.0, abs(p[1]) - 0.06) ** 1.5
        across = abs(p[0])
        return [math.copysign(across * inner if across <= 1 else inner + 0.12 * (across - 1), p[0]), 0.5 * p[1], p[2]]

    mesh = grid([-2, -1.5, -1, 0, 1, 1.5, 2], rows, [0, 0.12, 0.24],
                lambda i, j, k: i not in (2, 3) or 0.5 * abs(rows[j] + rows[j + 1]) < 0.06, place)
    ends = [{"region": {"frame": "body", "box": [[0, 0, 0], [1, 0, 1]]}},
            {"region": {"frame": "body", "box": [[0, 1, 0], [1, 1, 1]]}, "displacement": ["0", "-0.6 * min(t / 0.5, 1)", "0"]}]
    return scene(0.01, [body("walls", mesh, {"density": 100, "youngs_modulus": 1e6, "poisson_ratio": 0.3}, motions=ends)],
                 50, step=0.01)


def bunnies_scene(dhat, alpha):
    """Two bunnies fly into each other; the second is turned about."""
    bunny = {"kind": "deformable", "mesh": str(peer_data() / "ipc" / "input" / "tetMeshes" / "bunny.msh"), "units": "m",
             "material": {"density": 1000, "youngs_modulus": 1e5, "poisson_ratio": 0.4}}
    bodies = [{**bunny, "name": "left", "linear_velocity": [2, 0, 0]},
              {**bunny, "name": "right", "linear_velocity": [-2, 0, 0],
               "transform": {"rotation": [0, 180, 0], "translation": [2.49, 0, 0]}}]
    result = scene(dhat, bodies, 30, step=0.005)
    result["contact"]["alpha_t"] = alpha
    return result


def disk_scene(level, is_flat):
    """Contact energy alone: the energy stored between a disk and another one, or a wave over a wavy floor, all at
    rest."""
    n = 16 * 2 ** level
    if is_flat:
        xs = even(-1, 1, n)

        def wave(low, high, sign):
            vertices = [[x, y + sign * 0.02 * math.cos(5 * x), 0] for x in xs for y in (low, high)]
            triangles = [t for i in range(n) for t in ([2 * i, 2 * i + 2, 2 * i + 3], [2 * i, 2 * i + 3, 2 * i + 1])]
            return {"vertices": vertices, "triangles": triangles}
        shapes = [wave(0.05, 0.3, -1), wave(-0.3, 0, 1)]
    else:
        circle = [[0.5 * math.cos(2 * math.pi * i / n), 0.5 * math.sin(2 * math.pi * i / n)] for i in range(n)]
        lower = disk_of(circle, 1)
        shapes = [{"vertices": [[x + 0.01, y + 1.02, 0] for x, y, _ in lower["vertices"]], "triangles": lower["triangles"]},
                  lower]
    bodies = [body(name, mesh, {"density": 1e6, "youngs_modulus": 1e6, "poisson_ratio": 0.3})
              for name, mesh in zip(("upper", "lower"), shapes)]
    result = scene(0.1, bodies, 1, step=1e-9, dimension=2)
    result["contact"].update({"kappa": 1e5, "adaptive_dhat": False, "alpha_t": 0.3})
    return result


HERTZ_LEVELS = 2  # two more take an hour
HERTZ_REACH = 0.01  # contact radius over that of the ball
HERTZ = {"young": 1e6, "poisson": 0.3, "depth": HERTZ_REACH ** 2, "block": 40 * HERTZ_REACH}


def hertz_scene(level):
    """A ball of radius 1 is pressed into a block by a contact radius squared; elements of 0.4, 0.2, 0.13, 0.1 contact radii."""
    a, n = HERTZ_REACH, 3 * (level + 1)
    size, steps = 1.2 / n, [1.2 * i / n for i in range(n + 1)]
    while steps[-1] < 40:
        size *= 1.6
        steps.append(min(40, steps[-1] + size) if steps[-1] + 1.3 * size < 40 else 40)
    across, down = [-a * x for x in steps[:0:-1]] + [a * x for x in steps], [-a * x for x in steps[::-1]]
    block = body("block", grid(across, down, across), {"density": 1000, "youngs_modulus": HERTZ["young"],
                                                       "poisson_ratio": HERTZ["poisson"]},
                 motions=[{"region": {"frame": "body", "box": [[-1, -1, -1], [2, 0, 2]]}}])
    dhat = 0.1 * HERTZ["depth"]
    nodes = even(-1.5 * a, 1.5 * a, 4 * n)
    count = len(nodes)
    cap = {"vertices": [[x, 1 - math.sqrt(1 - x * x - z * z), z] for x in nodes for z in nodes],
           "triangles": [t for i in range(count - 1) for k in range(count - 1)
                         for t in ([i * count + k, i * count + k + 1, (i + 1) * count + k + 1],
                                   [i * count + k, (i + 1) * count + k + 1, (i + 1) * count + k])]}
    ball = body("ball", cap, kind="obstacle", transform={"translation": [0, dhat, 0]},
                motions=[{"displacement": ["0", f"-{HERTZ['depth'] + dhat} * min(t, 1)", "0"]}])
    ball.pop("material")
    return scene(dhat, [block, ball], 4, step=0.25, solver={"force_tolerance": 1e-5},
                 output={"fields": ["contact_pressure", "normal_force"]}) | {
                     "time": {"step": 0.25, "duration": 1.0, "integrator": "quasi_static"}}


def read_frame(path):
    """Returns the points and the point arrays of a frame, as lists of rows."""
    raw = path.read_bytes()
    head = raw[:raw.index(b"<AppendedData")].decode()
    start = raw.index(b"_", raw.index(b">", len(head))) + 1
    arrays = {}
    for name, components, offset in re.findall(
            r'<DataArray type="Float64" Name="(\w+)" NumberOfComponents="(\d+)" format="appended" offset="(\d+)"', head):
        at = start + int(offset)
        values = array.array("d", raw[at + 8:at + 8 + int.from_bytes(raw[at:at + 8], "little")])
        n = int(components)
        arrays.setdefault(name, [values[i:i + n] for i in range(0, len(values), n)])
    return arrays


def measure_hertz(folder):
    """Returns the force over theory's at this depth, and the largest error of pressures against theory at this
    force, as a share of its largest pressure."""
    frames = sorted((folder / "frames").glob("*.vtu"))
    first, last = read_frame(frames[0]), read_frame(frames[-1])
    on_top = [i for i, (x, y, z) in enumerate(first["Points"]) if abs(y) < 1e-12 and math.hypot(x, z) < 5 * HERTZ_REACH]
    centre = min(on_top, key=lambda i: sum(c * c for c in first["Points"][i]))
    force = math.fsum(max(0.0, -f[1]) for i, f in enumerate(last["normal_force"]) if i in set(on_top))
    young, poisson = HERTZ["young"], HERTZ["poisson"]
    modulus = young / (1 - poisson ** 2)
    # The depth is that of a half-space, whose surface sinks deeper than that of a clamped block (Boussinesq).
    sunk = -last["Points"][centre][1] + force * (1 + poisson) * (3 - 2 * poisson) / (2 * math.pi * young * HERTZ["block"])
    reach = (0.75 * force / modulus) ** (1 / 3)
    largest = 1.5 * force / (math.pi * reach ** 2)
    off = []
    for i in on_top:
        r = math.hypot(first["Points"][i][0], first["Points"][i][2]) / reach
        if r < 0.8:
            off.append(last["contact_pressure"][i][0] / largest - math.sqrt(1 - r * r))
    return (f"force {force / (4 / 3 * modulus * sunk ** 1.5):.3f} of theory's, pressures off by "
            f"{math.sqrt(math.fsum(d * d for d in off) / len(off)):.3f} (mean), {max(map(abs, off)):.3f} (largest) at {len(off)} nodes")


def scenes():
    result = {f"rest: {name}": s for name, s in rest_scenes().items()}
    result["cube to a third"] = squeeze_scene()
    result["balloon"] = balloon_scene()
    result["cliff edge"] = cliff_scene()
    for level in range(4):
        result[f"corner at 234 m/s, level {level}"] = corner_scene(level)
    result["cusp"] = cusp_scene()
    for is_flat, name in ((False, "two disks"), (True, "two waves")):
        for level in range(7):
            result[f"potential of {name}, level {level}"] = disk_scene(level, is_flat)
    for dhat in (0.003, 0.01, 0.03):
        for alpha in (0.1, 0.3, 0.5):
            result[f"two bunnies, dhat {dhat:g} m, alpha_t {alpha:g}"] = bunnies_scene(dhat, alpha)
    for level in range(HERTZ_LEVELS):
        result[f"ball on a block (Hertz), level {level}"] = hertz_scene(level)
    return result


# --- runs ---


def run(program, description, formulation, folder, is_rest):
    """Returns the lines of stats.jsonl, and whether all frames are verified."""
    description = json.loads(json.dumps(description))
    description["contact"]["formulation"] = formulation
    if is_rest and formulation != "gcp":
        # Bodies that are pushed apart at once take long to come to rest.
        description["time"]["duration"] = REST_STEPS * description["time"]["step"]
        description["solver"] = {"max_iterations": 50}
    script = folder.parent / f"{folder.name}.json"
    script.write_text(json.dumps(description))
    process = subprocess.run([program, "run", str(script), "-o", str(folder), "--threads", "1", "-q", "--overwrite"],
                             capture_output=True, text=True)
    if process.returncode not in (0, 1):
        raise SystemExit(f"{script}: {process.stderr}")
    records = [json.loads(line) for line in (folder / "stats.jsonl").read_text().splitlines()]
    verified = subprocess.run([program, "verify", str(folder)], capture_output=True).returncode == 0
    return records, verified


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", required=True, help=argparse.SUPPRESS)
    parser.add_argument("--only", metavar="NAME", action="append", help="scenes whose name holds NAME; may be repeated")
    parser.add_argument("--formulation", choices=FORMULATIONS, action="append", help="default: all")
    parser.add_argument("--results", type=Path, help="folder to keep the results in")
    parser.add_argument("--write", action="store_true", help="store the table in docs/contact_formulations.md")
    options = parser.parse_args()

    rows = []
    with tempfile.TemporaryDirectory() as scratch:
        results = options.results or Path(scratch)
        results.mkdir(parents=True, exist_ok=True)
        for name, description in scenes().items():
            if options.only and not any(part in name for part in options.only):
                continue
            for formulation in options.formulation or FORMULATIONS:
                if name.startswith("potential") and formulation == "ipc":
                    continue  # its stiffness follows from the resistance in a step
                if "bunnies" in name and formulation != "gcp" and ("alpha_t 0.3" not in name or formulation != "ipc"):
                    continue
                folder = results / f"{re.sub('[^a-z0-9]+', '_', name.lower()).strip('_')}_{formulation}"
                records, is_verified = run(options.program, description, formulation, folder,
                                           name.startswith("rest"))
                barrier = max(r["energy"].get("barrier", 0.0) for r in records)
                unconverged = sum(r["status"] != "converged" for r in records)
                distances = [r["min_distance"] for r in records if r["min_distance"]]
                rows.append([name, formulation, str(len(records)), str(sum(r["newton_iterations"] for r in records)),
                             f"{barrier:.3g}", f"{min(distances):.3g}" if distances else "-",
                             str(unconverged), "clean" if is_verified else "BROKEN"])
                print("  ".join(rows[-1]), flush=True)
                if "Hertz" in name:
                    rows[-1][0] += f": {measure_hertz(folder)}"
                    print("   ", measure_hertz(folder), flush=True)
    text = table(["scene", "formulation", "steps", "Newton iterations", "largest contact energy [J]", "smallest distance [m]",
                  "not converged", "verify"], rows)
    print(f"\n{machine()}\n\n{text}")
    if options.write:
        write_between_markers(ROOT / "docs" / "contact_formulations.md", "scenes", text)


if __name__ == "__main__":
    main()
