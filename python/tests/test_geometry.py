import unittest

import numpy as np

import clearance as cl


class Impacts(unittest.TestCase):
    def test_points_through_a_triangle(self):
        n = 1000
        rng = np.random.default_rng(1)
        triangle = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0]], float)
        t0 = np.empty((n, 4, 3))
        t0[:, 1:] = triangle
        t0[:, 0] = np.column_stack([rng.uniform(-0.5, 1.2, (n, 2)), np.full(n, 0.25)])
        t1 = t0.copy()
        t1[:, 0, 2] = -0.75
        x, y = t0[:, 0, 0], t0[:, 0, 1]
        hit = (x >= 0) & (y >= 0) & (x + y <= 1)
        found = cl.ccd.point_triangle(t0, t1)
        self.assertTrue(np.array_equal(found.is_impact, hit))
        self.assertTrue(found.is_certain.all())
        self.assertTrue(np.all(found.toi[hit] <= 0.25) and np.all(found.toi[hit] > 0.2499))
        self.assertTrue(np.all(found.toi[~hit] == 1.0))
        near = cl.ccd.point_triangle(t0, t1, min_separation=0.05)
        self.assertTrue(np.all(near.toi[hit] <= 0.2) and np.all(near.toi[hit] > 0.199))

    def test_edges_and_the_plane(self):
        t0 = np.array([[[-1, 0, 1], [1, 0, 1], [0, -1, 0], [0, 1, 0]]], float)
        t1 = t0.copy()
        t1[0, :2, 2] = -1
        self.assertTrue(cl.ccd.edge_edge(t0, t1).is_impact[0])
        self.assertAlmostEqual(cl.ccd.edge_edge(t0, t1).toi[0], 0.5, places=5)
        t0 = np.array([[[0.5, 1], [0, 0], [1, 0]], [[2, 1], [0, 0], [1, 0]]], float)
        t1 = t0.copy()
        t1[:, 0, 1] = -1
        self.assertEqual(cl.ccd.point_edge(t0, t1).is_impact.tolist(), [True, False])

    def test_wrong_arrays(self):
        good = np.zeros((3, 4, 3))
        for bad in (np.zeros((3, 4)), np.zeros((3, 3, 3)), np.zeros((2, 4, 3)), np.zeros((3, 4, 3), complex), "a", None):
            with self.assertRaises((TypeError, ValueError)):
                cl.ccd.point_triangle(good, bad)
        with self.assertRaises(ValueError):
            cl.ccd.point_triangle(good, good, min_separation=-1)
        self.assertEqual(len(cl.ccd.edge_edge(np.zeros((0, 4, 3)), np.zeros((0, 4, 3))).toi), 0)
        with self.assertRaisesRegex(ValueError, "finite"):
            cl.ccd.point_triangle(np.full((1, 4, 3), np.nan), np.zeros((1, 4, 3)))


class Derivatives(unittest.TestCase):
    def check(self, distance):
        rng = np.random.default_rng(2)
        x = rng.normal(size=(500, 4, 3))
        x[::5, 3] = x[::5, 2] + 1e-3 * rng.normal(size=(100, 3))
        found = distance(x)
        gap = np.einsum("ni,nij->nj", found.weights, x)
        self.assertTrue(np.allclose((gap**2).sum(axis=1), found.squared, rtol=1e-9, atol=1e-12))
        h, worst = 1e-6, 0.0
        for i in range(4):
            for c in range(3):
                up, down = x.copy(), x.copy()
                up[:, i, c] += h
                down[:, i, c] -= h
                slope = (distance(up).squared - distance(down).squared) / (2 * h)
                worst = max(worst, np.median(np.abs(slope - found.gradient[:, i, c])))
                self.assertLess(np.quantile(np.abs(slope - found.gradient[:, i, c]), 0.98), 1e-4)
        self.assertLess(worst, 1e-7)
        self.assertGreater(np.abs(found.gradient).max(), 0.1)

    def test_point_triangle(self):
        self.check(cl.contact.point_triangle_distance)

    def test_edge_edge(self):
        self.check(cl.contact.edge_edge_distance)

    def test_barrier(self):
        dhat = 0.01
        s = np.linspace(1e-6, 1.2e-4, 200)
        found = cl.contact.barrier(s, dhat)
        expected = np.where(s < dhat**2, -((s - dhat**2) ** 2) * np.log(s / dhat**2), 0.0)
        self.assertTrue(np.allclose(found.value, expected, rtol=1e-12, atol=0))
        h = 1e-10
        first = (cl.contact.barrier(s + h, dhat).value - cl.contact.barrier(s - h, dhat).value) / (2 * h)
        second = (cl.contact.barrier(s + h, dhat).first - cl.contact.barrier(s - h, dhat).first) / (2 * h)
        scale = np.abs(found.first).max()
        self.assertTrue(np.allclose(first, found.first, atol=1e-5 * scale))
        self.assertTrue(np.allclose(second, found.second, rtol=1e-4, atol=1e-4))
        self.assertTrue(np.isinf(cl.contact.barrier([0.0, -1.0], dhat).value).all())
        with self.assertRaises(ValueError):
            cl.contact.barrier(s, 0.0)


if __name__ == "__main__":
    unittest.main()
