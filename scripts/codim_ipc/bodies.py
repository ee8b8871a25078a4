"""Bodies of the scenes of Codimensional IPC [Li21] as bodies of native scenes: cloth, rods, grains, solids, obstacles.

Their program keeps everything of a scene at least one offset apart, and the barrier acts below the offset plus dhat.
Here half of the thickness of a body is its own part of that gap. A thin body therefore gets the offset as its thickness,
and moduli and density that give the sheet or wire the published stiffness and mass. Where the offset is 0, cloth has
the thickness of the fabric, and dhat is shorter by it: the barrier between two layers of cloth reaches as far as theirs.
"""

import math
from dataclasses import dataclass

from bench_common import peer_data


@dataclass(frozen=True)
class Fabric:
    """Density [kg/m^3], thickness [m], Young's modulus [Pa], Poisson's ratio and largest stretch of a fabric."""
    density: float
    thickness: float
    youngs_modulus: float
    poisson_ratio: float
    limit: float


COTTON = Fabric(472.641509, 0.318e-3, 0.821e6, 0.243, 1.0608)
WOOL_AND_LYCRA = Fabric(543.292683, 0.328e-3, 0.076e6, 0.071, 1.134)
PAPER = Fabric(800.0, 0.3e-3, 3e9, 0.3, 1.005)
# The fabric of scene 13: its Young's modulus is for bending alone, the membrane has four moduli [Pa].
WOVEN_COTTON = Fabric(103.6, 0.18e-3, 1.076e6, 0.243, math.inf)
WOVEN_COTTON_MODULI = {"c11": 15.557e6, "c12": 7.779e6, "c22": 25.004e6, "c33": 1.076e6}


def file_of(name):
    """Returns the path of a mesh of the authors: surfaces and segments, or tetrahedra."""
    folder = "FEM" if name.endswith(".vtk") else "FEMShell"
    return str(peer_data() / "codim-ipc" / "Projects" / folder / "input" / name)


def placed(scale=1.0, rotation=(0.0, 0.0, 0.0), translation=(0.0, 0.0, 0.0)):
    return {"scale": [scale] * 3, "rotation": list(rotation), "translation": list(translation)}


def scene(bodies, *, step, steps, dhat, offset=0.0, fabric=None, friction=0.0, eps_v=1e-3, pairs=(), tolerance=1e-3,
          gravity=-9.81, **others):
    """Returns a scene with the published settings: implicit Euler, lumped masses, friction that is lagged once, and
    steps that end when |dx| / h falls below the tolerance [m/s]. Theirs is a root mean square, ours the largest one."""
    reach = dhat if offset > 0.0 or fabric is None else dhat - fabric.thickness
    return {
        "format": "clearance/3", "gravity": [0.0, gravity, 0.0],
        "time": {"step": step, "duration": step * steps, "integrator": "implicit_euler", "mass": "lumped",
                 "max_halvings": 0},
        "contact": {"dhat": reach, "dhat_is_absolute": True},
        "friction": {"coefficient": friction, "eps_v": eps_v, "eps_v_is_absolute": True, "stick": 0.0, "iterations": 1,
                     "pairs": [{"bodies": [a, b], "coefficient": mu} for a, b, mu in pairs]},
        "solver": {"convergence": "published", "tolerance": tolerance, "tolerance_is_absolute": True},
        "bodies": bodies, **others}


def cloth(name, mesh, fabric, memb, bend, *, thickness=None, has_limit=True, **others):
    """Returns a sheet of the fabric. memb and bend multiply Young's modulus of the membrane and of bending.

    The published hinges are k 3 e^2 / (A1 + A2) dtheta^2 with k = E bend t^3 / (24 (1 - nu^2)), which is three times the
    plate of E bend; hinges of native scenes are D/2 e^2 / (A1 + A2) dtheta^2. D is that of the plate times three, so that
    the energy is the published one to the letter."""
    t = thickness or fabric.thickness
    plate = fabric.youngs_modulus * bend * fabric.thickness ** 3 / (12.0 * (1.0 - fabric.poisson_ratio ** 2))
    shell = {"bending": "hinges", "bending_stiffness": 3.0 * plate}
    if has_limit:
        shell["strain_limit"] = round(fabric.limit - 1.0, 6)
    share = fabric.thickness / t
    material = {"youngs_modulus": fabric.youngs_modulus * memb * share, "poisson_ratio": fabric.poisson_ratio,
                "density": fabric.density * share}
    shell.update(others.pop("shell", {}))
    return {"name": name, "kind": "shell", "mesh": file_of(mesh), "thickness": t, "shell": shell, "material": material,
            **others}


def woven(memb):
    """Returns the orthotropy of small strains of scene 13, warp along x. The published energy stiffens towards limits
    along warp and weft and for shear, which a native sheet cannot have."""
    c = WOVEN_COTTON_MODULI
    return {"warp": [1.0, 0.0, 0.0], "youngs_modulus_warp": memb * (c["c11"] - c["c12"] ** 2 / c["c22"]),
            "youngs_modulus_weft": memb * (c["c22"] - c["c12"] ** 2 / c["c11"]), "poisson_ratio": c["c12"] / c["c22"],
            "shear_modulus": memb * 0.5 * c["c33"]}


def rods(name, mesh, density, youngs_modulus, diameter, thickness, bend=1.0, **others):
    """Returns rods with the published EA and bend times EI of a circle, straight at rest. Their torsion is that of the
    section with bend, too: the published rods have none, and nothing here turns them about themselves."""
    area, second_moment = math.pi * diameter ** 2 / 4.0, math.pi * diameter ** 4 / 64.0
    stiffness = youngs_modulus * bend * second_moment
    return {"name": name, "kind": "rod", "mesh": mesh, "units": "m", "thickness": thickness,
            "rod": {"stretching_stiffness": youngs_modulus * area, "bending_stiffness": [stiffness, stiffness],
                    "twisting_stiffness": stiffness / 1.4, "straight_at_rest": True},
            "material": {"youngs_modulus": youngs_modulus, "density": density * (diameter / thickness) ** 2}, **others}


def grains(name, mesh, density, diameter, thickness, **others):
    """Returns particles with the mass of balls of the diameter."""
    return {"name": name, "kind": "particles", "mesh": mesh, "units": "m", "thickness": thickness,
            "material": {"density": density * (diameter / thickness) ** 3}, **others}


def solid(name, mesh, density, youngs_modulus, **others):
    """Returns a solid of fixed corotated elasticity, as all of theirs."""
    return {"name": name, "mesh": file_of(mesh), "units": "m",
            "material": {"model": "fixed_corotational", "density": density, "youngs_modulus": youngs_modulus,
                         "poisson_ratio": 0.4}, **others}


def obstacle(name, mesh, transform=None, **others):
    return {"name": name, "kind": "obstacle", "mesh": file_of(mesh), "transform": transform or placed(), **others}


# --- motions ---


def held(region, **motion):
    return {"region": region, **motion}


def box(low, high):
    """Returns a region in fractions of the bounding box of the mesh."""
    return {"box": [list(low), list(high)], "frame": "body"}


def side(axis, is_upper, share):
    """Returns the region within that share of the mesh at one end of an axis."""
    low, high = [-1.0] * 3, [2.0] * 3
    (low if is_upper else high)[axis] = 1.0 - share if is_upper else share
    return box(low, high)
