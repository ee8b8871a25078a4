"""A scene from NumPy arrays: a wavy slab of tetrahedra, made here, on two posts."""

import sys

import numpy as np

import clearance as cl

duration = 0.05 if "--short" in sys.argv else 1.0
nx, ny, nz = 24, 2, 6
i, j, k = np.meshgrid(np.arange(nx + 1), np.arange(ny + 1), np.arange(nz + 1), indexing="ij")
x, y, z = i / nx - 0.5, 0.02 * j / ny, 0.3 * (k / nz - 0.5)
vertices = np.stack([x, y + 0.03 * np.sin(6 * np.pi * x), z], axis=-1).reshape(-1, 3)


def number(di, dj, dk):
    """Returns the number of a corner of every cell."""
    shape = (nx + 1, ny + 1, nz + 1)
    a, b, c = np.meshgrid(np.arange(nx) + di, np.arange(ny) + dj, np.arange(nz) + dk, indexing="ij")
    return np.ravel_multi_index((a, b, c), shape).ravel()


# Six tetrahedra around the diagonal of each cell: from corner 000 to 111 along one axis after the other.
tets = []
for order in [(0, 1, 2), (0, 2, 1), (1, 0, 2), (1, 2, 0), (2, 0, 1), (2, 1, 0)]:
    corner = np.zeros(3, int)
    path = [number(*corner)]
    for axis in order:
        corner[axis] = 1
        path.append(number(*corner))
    tets.append(np.column_stack(path))
tets = np.concatenate(tets)
corners = vertices[tets]
inverted = np.linalg.det(corners[:, 1:] - corners[:, :1]) < 0
tets[inverted, :2] = tets[inverted, 1::-1]

scene = cl.Scene(time={"step": 0.01, "duration": duration}, friction={"coefficient": 0.4})
scene.add_body("slab", vertices=vertices, tets=tets, material={"youngs_modulus": 2e6},
               transform={"translation": [0, 0.25, 0]})
for name, post in (("left", -0.25), ("right", 0.25)):
    scene.add_body(name, kind="obstacle", generator={"kind": "box", "size": [0.05, 0.2, 0.4], "resolution": [1, 2, 2],
                                                     "is_surface": True}, transform={"translation": [post, 0.1, 0]})
print(scene.check().numbers)
with cl.Simulation(scene, "slab", overwrite=True) as sim:
    sim.run()
    middle = np.abs(vertices[:, 0]) < 1e-9
    print(f"the middle has sagged {0.25 - (sim.positions[sim.body('slab').vertices][middle, 1] - vertices[middle, 1]).mean():.4f} m")
print("frames: slab/frames.pvd opens in ParaView;", "verified" if cl.verify("slab").ok else "NOT verified")
