"""Collision detection without a simulation: random triangles and points that fly, exact answers, and a distance."""

import sys
import time

import numpy as np

import clearance as cl

n = 2_000 if "--short" in sys.argv else 1_000_000
rng = np.random.default_rng(0)
t0, t1 = rng.uniform(-1, 1, (2, n, 4, 3))

begin = time.perf_counter()
impacts = cl.ccd.point_triangle(t0, t1)
seconds = time.perf_counter() - begin
print(f"{n} queries in {seconds:.2f} s: {impacts.is_impact.sum()} meet, {(~impacts.is_certain).sum()} answers not certain")

# At its time of impact each pair is still apart, by next to nothing.
hits = impacts.is_impact
toi = impacts.toi[hits, None, None]
at_impact = (1 - toi) * t0[hits] + toi * t1[hits]
gap = np.sqrt(cl.contact.point_triangle_distance(at_impact).squared)
print(f"gaps at the times of impact: median {np.median(gap):.1e} m, largest {gap.max():.1e} m")
