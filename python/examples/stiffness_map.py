"""Where is the beam soft? The modulus of every element from the shape of the bent beam.

The data are a run of a beam with a soft part. Each step of the optimiser takes one run and one backward pass, which
gives the derivatives by Lame's parameters of all elements at once."""

import sys
import warnings

import numpy as np
from scipy.optimize import minimize

import clearance as cl

cells = [6, 1, 1] if "--short" in sys.argv else [16, 2, 2]
mesh = cl.generate("box", [0.4, 0.05, 0.05], cells)
centres = mesh.vertices[mesh.tets].mean(axis=1)
nu = 0.3
warnings.simplefilter("ignore", cl.ClearanceWarning)


def beam(moduli):
    """Returns a clamped beam under its weight, with a modulus [Pa] per element."""
    scene = cl.Scene(time={"step": 1, "duration": 1, "integrator": "quasi_static"})
    scene.add_body("beam", mesh=mesh, material={"youngs_modulus": 1e6, "poisson_ratio": nu},
                   material_fields=[{"number": "youngs_modulus", "values": moduli.tolist()}],
                   motions=[{"region": {"box": [[-1, -1, -1], [-0.199, 1, 1]]}}])
    return scene


true_moduli = np.where(np.abs(centres[:, 0] - 0.05) < 0.06, 3e5, 1e6)
measured = cl.record(beam(true_moduli)).positions()
unknown = len(true_moduli)


def misfit(logarithms):
    """Returns the squared distance from the measured shape, in mm^2, with a little smoothness, and its gradient."""
    moduli = 1e6 * np.exp(logarithms)
    run = cl.record(beam(moduli))
    difference = 1e3 * (run.positions() - measured)
    found = run.backward(2e3 * difference)
    by_moduli = found.lame_lambda * nu / ((1 + nu) * (1 - 2 * nu)) + found.lame_mu / (2 * (1 + nu))
    return (difference**2).sum() + 1e-6 * (logarithms**2).sum(), by_moduli * moduli + 2e-6 * logarithms


found = minimize(misfit, np.zeros(unknown), jac=True, method="L-BFGS-B", options={"maxiter": 20 if "--short" in sys.argv else 100})
soft = np.abs(centres[:, 0] - 0.05) < 0.06
moduli = np.exp(found.x)
print(f"{unknown} moduli from {found.nfev} runs: {np.median(moduli[soft]):.2f} MPa in the soft part (true 0.30), "
      f"{np.median(moduli[~soft]):.2f} elsewhere (true 1.00)")
