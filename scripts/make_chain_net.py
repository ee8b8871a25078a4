#!/usr/bin/env python3
"""Writes a scene of a net of chain links in rigid-ipc's format, as its fixtures chain-net-4x4 to 32x32 continue.

  scripts/make_chain_net.py -o net.json                       # 97 x 97: 27,645 links, the affine paper's fig. 15
  scripts/make_chain_net.py --size 32 -o net.json             # 2880 links, the fixture chain-net-32x32
  scripts/make_chain_net.py --size 16 --ball 6 -o net.json    # with a ball of 6 m above its middle

A net of size n has flat links on an n x n grid without its corners; those on the rim are fixed. Upright links join
neighbours of the grid inside: 3 n (n - 2) in all, so that n = 97 gives 27,645. The mesh of a link is rigid-ipc's
wrecking-ball/link.obj, looked for below CLEARANCE_PEER_DATA.
"""

import argparse
import json
import sys

from bench_common import peer_data

SPACING_X, SPACING_Z = 1.65, 1.6  # [m] between links of the grid
DENSITY = 7680  # steel [kg/m^3]


def link(mesh, x, z, rotation, is_fixed=False):
    return {"mesh": mesh, "position": [x, 0, z], "rotation": rotation, "density": DENSITY, "is_dof_fixed": is_fixed}


def net(size, mesh):
    """Returns links in the order of the fixtures: row by row, each flat link before the one that leads to the next
    row."""
    links, last = [], size - 1
    for row in range(size):
        for column in range(size):
            is_rim_row, is_rim_column = row in (0, last), column in (0, last)
            if is_rim_row and is_rim_column:
                continue
            x, z = SPACING_X * column, SPACING_Z * row
            links.append(link(mesh, x, z, [90, 90, 0], is_rim_row or is_rim_column))
            if not is_rim_row and column < last:
                links.append(link(mesh, x + SPACING_X / 2, z, [0, 0, 90]))
            if not is_rim_column and row < last:
                links.append(link(mesh, x, z + SPACING_Z / 2, [90, 0, 90]))
    return links


def net_scene(size, ball=None, step=0.01, duration=20.0):
    """Returns a net with a steel ball of diameter `ball` [m] above its middle, and the number of its links."""
    meshes = peer_data().resolve() / "rigid-ipc" / "meshes"
    bodies = net(size, str(meshes / "wrecking-ball" / "link.obj"))
    num_links = len(bodies)
    if ball:
        middle = (size - 1) / 2
        bodies.append({"mesh": str(meshes / "sphere.obj"), "scale": ball / 2, "density": DENSITY,
                       "position": [SPACING_X * middle, ball / 2 + 1.5, SPACING_Z * middle]})
    scene = {"scene_type": "distance_barrier_rb_problem", "solver": "ipc_solver", "timestep": step, "max_time": duration,
             "rigid_body_problem": {"gravity": [0, -9.81, 0], "coefficient_restitution": -1, "rigid_bodies": bodies}}
    return scene, num_links


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--size", type=int, default=97, help="links along a side, rim included (default 97)")
    parser.add_argument("--ball", type=float, metavar="DIAMETER", help="drop a steel ball [m] onto the middle")
    parser.add_argument("--step", type=float, default=0.01, help="time step [s]")
    parser.add_argument("--duration", type=float, default=20.0, help="simulated time [s]")
    parser.add_argument("-o", "--output", required=True, help="scene file")
    options = parser.parse_args()
    if options.size < 3:
        parser.error("a net has at least 3 links along a side")
    scene, num_links = net_scene(options.size, options.ball, options.step, options.duration)
    with open(options.output, "w") as file:
        json.dump(scene, file)
    print(f"{options.output}: {num_links} links" + (" and a ball" if options.ball else ""))
    return 0


if __name__ == "__main__":
    sys.exit(main())
