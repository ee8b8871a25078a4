"""Small scenes of every kind of body, integrator and contact formulation, with a number of each group of parameters."""

from dataclasses import dataclass

from derivatives.scenes import contact_of, held, position, scene_of, side

KINDS = ("solid, order 1", "solid, order 2", "damped solid", "affine", "rigid", "shell", "rod")
INTEGRATORS = ("implicit_euler", "bdf2", "bdf2_restarted", "bdf2_in_flight", "implicit_newmark", "quasi_static")
CONTACTS = ("none", "ipc", "convergent", "gcp")
GROUPS = ("modulus", "Poisson's ratio", "density", "damping", "friction", "load", "gravity", "velocity", "place",
          "size")

STEP, STEPS = 0.004, 6
DHAT = 1e-3        # [m]
GAP = 0.6 * DHAT   # at the start
FLOOR = 5e-4       # [m] height of the half-space: its tenth part moves gaps by a twentieth of dhat


@dataclass
class Case:
    kind: str
    integrator: str
    contact: str
    scene: dict
    paths: dict  # path of a number by the group of parameters

    @property
    def name(self):
        return f"{self.kind} / {self.integrator} / {self.contact}"


def body_of(kind):
    """Returns a body about the origin, half of its height, and the path of its size."""
    material = {"youngs_modulus": 2e5, "poisson_ratio": 0.35, "density": 900.0}
    box = {"kind": "box", "size": [0.2, 0.1, 0.1], "resolution": [3, 1, 1]}
    if kind.startswith("solid"):
        solid = {"kind": "deformable", "generator": box, "order": int(kind[-1]), "material": material}
        return solid, 0.05, "generator.size[0]"
    if kind == "damped solid":
        # Damping has kinks where an element is free of stress, and another size strains all of them.
        damped = {**material, "damping": 2e-3}
        return {"kind": "deformable", "generator": box, "order": 1, "material": damped}, 0.05, None
    if kind in ("affine", "rigid"):
        stiff = {"kind": kind, "generator": {**box, "resolution": [1, 1, 1]}, "material": {"density": 900.0}}
        return stiff, 0.05, "generator.size[0]"
    if kind == "shell":
        sheet = {"kind": "sheet", "size": [0.2, 0.1], "resolution": [4, 2]}
        return {"kind": "shell", "generator": sheet, "thickness": 4e-3, "material": material}, 2e-3, "thickness"
    line = {"kind": "line", "size": [0.2], "resolution": [5]}
    return {"kind": "rod", "generator": line, "thickness": 8e-3, "material": material}, 4e-3, "thickness"


def case_of(kind, integrator, contact):
    """Returns a body that slides on a plane, or without contact swings from one end. In statics that end is held, and
    loads bend it or press it on the plane; stiff bodies lie on the plane, or hang from springs."""
    body, half, size = body_of(kind)
    is_static, is_stiff, has_contact = integrator == "quasi_static", kind in ("affine", "rigid"), contact != "none"
    body["name"] = "body"
    # Nothing is symmetric, so that every number counts.
    mass = {"shell": 0.072, "rod": 0.009}.get(kind, 1.8)
    body["loads"] = [{"kind": "force", "value": [0.3 * mass, -2.0 * mass, 0.4 * mass]}]
    body["transform"] = {"translation": [0.02, FLOOR + half + GAP, 0.01]}
    if not is_static:
        body["linear_velocity"] = [0.8, -0.02, 0.3]
    paths = {"density": "bodies[0].material.density", "load": "bodies[0].loads[0].value[1]", "gravity": "gravity[1]"}
    if size:
        paths["size"] = f"bodies[0].{size}"
    if not is_stiff:
        paths.update({"modulus": "bodies[0].material.youngs_modulus",
                      "Poisson's ratio": "bodies[0].material.poisson_ratio"})
    if not is_static:
        paths["velocity"] = "bodies[0].linear_velocity[0]"
        if kind == "damped solid":
            paths["damping"] = "bodies[0].material.damping"
    others = {}
    if has_contact:
        others["half_spaces"] = [{"point": [0.0, FLOOR, 0.0], "normal": [0.0, 1.0, 0.0]}]
        others["friction"] = {"coefficient": 0.25}
        paths.update({"friction": "friction.coefficient", "place": "half_spaces[0].point[1]"})
    if not is_stiff and (is_static or not has_contact):
        # A held end that moves keeps the body sliding: under loads alone, what slips in the first step of statics is at
        # the kink between sticking and sliding in all others.
        motion = {"linear_velocity": [0.03, 0.0, 0.05]} if is_static else {}
        # Two points of a rod hold its direction, too: at one point it swings freely.
        reach = 0.21 if kind == "rod" else 0.01
        body["motions"] = [held(side([-0.01, -0.01, -0.01], [reach, 1.01, 1.01]), **motion)]
    if is_stiff and not has_contact:
        joint = {"name": "joint", "bodies": ["body", ""], "point": [-0.08, FLOOR + half + GAP, 0.01]}
        others["joints"] = [{**joint, "kind": "ball"}]
        paths["place"] = "bodies[0].transform.translation[1]"
    rest = {"enabled": False} if not has_contact else contact_of(DHAT, formulation=contact)
    scene = scene_of([body], [position("body", "body")], integrator=integrator, step=STEP, steps=STEPS,
                     gravity=[0.0, -9.81, 0.0], contact=rest, **others)
    return Case(kind, integrator, contact, scene, paths)


def all_cases():
    for kind in KINDS:
        for integrator in INTEGRATORS:
            for contact in CONTACTS:
                if integrator == "quasi_static" and contact == "none" and kind in ("affine", "rigid"):
                    continue  # nothing but a joint holds the body
                if contact in ("convergent", "gcp") and kind in ("shell", "rod"):
                    continue  # bodies with a thickness need the formulation ipc
                yield case_of(kind, integrator, contact)
