"""Meshes that are made for the scenes: lines and lone points in the format .seg."""


def write_segments(path, vertices, edges=()):
    """Writes points and edges, which count from 0 here and from 1 in the file."""
    lines = [f"v {x:.9g} {y:.9g} {z:.9g}" for x, y, z in vertices]
    lines += [f"s {a + 1} {b + 1}" for a, b in edges]
    path.write_text("\n".join(lines) + "\n")
    return path.name


def bundle(lines, num_segments):
    """Returns the vertices and edges of straight lines between two points, each in equal segments. The vertices of a
    line stand one after another."""
    vertices, edges = [], []
    for start, end in lines:
        first = len(vertices)
        for k in range(num_segments + 1):
            share = k / num_segments
            vertices.append([a + (b - a) * share for a, b in zip(start, end)])
        edges += [(first + k, first + k + 1) for k in range(num_segments)]
    return vertices, edges


def row_counts(num_rows, radius):
    """Returns how many lines each row of a round bundle has."""
    return [int(2.0 * max(radius ** 2 - (j - radius) ** 2, 0.0) ** 0.5) for j in range(num_rows)]
