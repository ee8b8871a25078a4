"""Pieces of scenes. Only values that a case names are set: everything else is the program's default."""

import math

from . import vectors as vec

FLOOR = {"point": [0, 0, 0]}


def material(kind, density, young=None, poisson=0.3):
    if kind == "deformable":
        return {"density": density, "youngs_modulus": young, "poisson_ratio": poisson}
    return {"density": density}


def box(name, kind, size, position, rotation=(0, 0, 0), density=1000.0, young=None, resolution=(2, 2, 2), poisson=0.3,
        **more):
    """Returns a box; stiff ones have the eight corners as vertices."""
    body = {"name": name, "kind": kind,
            "generator": {"kind": "box", "size": list(size),
                          "resolution": list(resolution) if kind == "deformable" else [1, 1, 1]},
            "transform": {"rotation": list(rotation), "translation": list(position)}}
    if kind != "obstacle":
        body["material"] = material(kind, density, young, poisson)
    body.update(more)
    return body


def mesh_body(name, kind, mesh, position, rotation=(0, 0, 0), density=1000.0, **more):
    """Returns a stiff body or an obstacle with a closed surface of its own."""
    vertices, triangles = mesh
    body = {"name": name, "kind": kind,
            "geometry": {"vertices": [list(v) for v in vertices], "triangles": [list(t) for t in triangles]},
            "transform": {"rotation": list(rotation), "translation": list(position)}}
    if kind != "obstacle":
        body["material"] = {"density": density}
    body.update(more)
    return body


def prism(outline, width):
    """Returns the closed surface of a convex outline in x and y, counterclockwise, extruded from z = -width/2 to
    width/2."""
    n = len(outline)
    vertices = [(x, y, side * width / 2) for side in (-1, 1) for x, y in outline]
    triangles = []
    for i in range(1, n - 1):
        triangles += [(0, i + 1, i), (n, n + i, n + i + 1)]
    for i in range(n):
        j = (i + 1) % n
        triangles += [(i, j, n + j), (i, n + j, n + i)]
    return vertices, triangles


def wheel(radius, width, sides):
    """Returns a cylinder about z as a prism with a flat side below."""
    angles = [2 * math.pi * (i + 0.5) / sides - math.pi / 2 for i in range(sides)]
    return prism([(radius * math.cos(a), radius * math.sin(a)) for a in angles], width)


def globe(radius, around, rings):
    """Returns a sphere with `around` vertices on the equator about z, one of its sides below, and fewer between the
    poles."""
    vertices, triangles, first = [], [], []
    for ring in range(rings + 1):
        latitude = math.pi * (ring / rings - 0.5)
        count = max(8, around if ring * 2 == rings else int(around / 4 * math.cos(latitude)))
        if ring in (0, rings):
            count = 1
        first.append((len(vertices), count))
        for i in range(count):
            a = 2 * math.pi * (i + 0.5) / count - math.pi / 2
            vertices.append((radius * math.cos(latitude) * math.cos(a), radius * math.cos(latitude) * math.sin(a),
                             radius * math.sin(latitude)))
    for lower, upper in zip(first, first[1:]):
        triangles += band(lower, upper)
    return vertices, triangles


def band(lower, upper):
    """Returns triangles between two rings, each (first vertex, count), outwards; a ring of one is a pole."""
    (p, n), (q, m) = lower, upper
    triangles, i, j = [], 0, 0
    while i < n or j < m:
        if m == 1 and i == n or n == 1 and j == m:
            break
        advance_lower = n > 1 and (m == 1 or j == m or i < n and (i + 1) / n <= (j + 1) / m)
        if advance_lower:
            triangles.append((p + i % n, p + (i + 1) % n, q + j % m))
            i += 1
        else:
            triangles.append((p + i % n, q + (j + 1) % m, q + j % m))
            j += 1
    return triangles


def cap(radius, reach, rings, around):
    """Returns a lower cap of a sphere, out to `reach` from its axis y, facing down; its lowest point is in the
    origin."""
    vertices, triangles = [(0.0, 0.0, 0.0)], []
    for ring in range(1, rings + 1):
        r = reach * ring / rings
        height = radius - math.sqrt(radius**2 - r**2)
        for i in range(around):
            a = 2 * math.pi * (i + 0.5 * ring) / around
            vertices.append((r * math.cos(a), height, r * math.sin(a)))
    for i in range(around):
        j = (i + 1) % around
        triangles.append((0, 1 + i, 1 + j))
        for ring in range(1, rings):
            p, q = 1 + (ring - 1) * around, 1 + ring * around
            triangles += [(p + i, q + i, p + j), (p + j, q + i, q + j)]
    return vertices, triangles


def grid_mesh(xs, ys, zs):
    """Returns the text of a Gmsh 2.2 file: bricks between the planes, each of six tetrahedra about one of its
    diagonals."""
    nodes = [(x, y, z) for x in xs for y in ys for z in zs]
    ny, nz = len(ys), len(zs)
    paths = ((0, 4, 6, 7), (0, 2, 3, 7), (0, 1, 5, 7), (0, 4, 7, 5), (0, 1, 7, 3), (0, 2, 7, 6))
    cells = []
    for i in range(len(xs) - 1):
        for j in range(ny - 1):
            for k in range(nz - 1):
                corners = [((i + c // 4) * ny + j + c // 2 % 2) * nz + k + c % 2 + 1 for c in range(8)]
                cells += [[corners[c] for c in path] for path in paths]
    lines = ["$MeshFormat", "2.2 0 8", "$EndMeshFormat", "$Nodes", str(len(nodes))]
    lines += [f"{n} {x!r} {y!r} {z!r}" for n, (x, y, z) in enumerate(nodes, 1)]
    lines += ["$EndNodes", "$Elements", str(len(cells))]
    lines += [f"{n} 4 0 {a} {b} {c} {d}" for n, (a, b, c, d) in enumerate(cells, 1)]
    return "\n".join([*lines, "$EndElements", ""])


def mass_properties(mesh):
    """Returns volume and the integrals of x x, y y, z z over the inside of a closed surface (exact: a sum of
    tetrahedra)."""
    vertices, triangles = mesh
    volume, moments = 0.0, [0.0, 0.0, 0.0]
    for triangle in triangles:
        a, b, c = (vertices[i] for i in triangle)
        det = vec.dot(a, vec.cross(b, c))
        volume += det / 6
        for k in range(3):
            s = a[k] + b[k] + c[k]
            moments[k] += det / 120 * (a[k] ** 2 + b[k] ** 2 + c[k] ** 2 + s * s)
    return volume, moments


def inertia_z(mesh):
    """Returns I_zz / m [m^2] of a solid of uniform density about its z axis."""
    volume, (xx, yy, _) = mass_properties(mesh)
    return (xx + yy) / volume


def bystander(draw, size, up=(0, 1, 0), probability=0.4):
    """Adds a free body 100 to 1000 sizes away, roughly along `up`: it must change nothing. (None falls
    quasi-statically.)"""
    if not draw.chance(probability) or draw.parameters["integrator"] == "quasi_static":
        return []
    far = draw.log("far", 100.0, 1000.0)
    kind = draw.pick("bystander", ("rigid", "affine", "deformable"))
    sideways = vec.without((draw.uniform(-1, 1), draw.uniform(-1, 1), draw.uniform(-1, 1)), up)
    at = vec.mul(far * size, vec.unit(vec.add(up, vec.mul(0.5, sideways))))
    return [box("bystander", kind, [size] * 3, at, density=1000.0, young=1e9, resolution=(1, 1, 1))]


def scene(draw, bodies, frames="half", gravity=None, friction=None, half_spaces=(), joints=(), forces=False):
    """Returns the scene of a case. Frames: `half` (start, half, end) or `all`."""
    time = {"step": draw.h, "duration": draw.duration}
    if draw.parameters.get("integrator"):
        time["integrator"] = draw.parameters["integrator"]
    result = {"time": time, "bodies": bodies,
              "output": {"frame_interval": 1 if frames == "all" else draw.count // 2, "checkpoint_interval": 1000000}}
    if gravity is not None:
        result["gravity"] = list(gravity)
    if friction is not None:
        result["friction"] = {"coefficient": friction}
    if half_spaces:
        result["half_spaces"] = list(half_spaces)
    if joints:
        result["joints"] = list(joints)
    if forces:
        result["output"]["fields"] = ["normal_force", "friction_force"]
    return result
