"""The problems of `shared/checks/engineering_cases.json`, read through `engineering.py` beside it."""

import functools
import importlib.util
import json

from bench_common import ROOT, peer_data

from .problem import Problem

# Causes of errors above 3 %, by the name of the case.
NOTES = {
    "slip_to_roll_4": "The cause is probably the flat sides of the ball. More sides were not tried.",
    "slip_to_roll_10": "The cause is probably the flat sides of the ball. More sides were not tried.",
    "stick_slip_10ms": "With a step of 1 ms the error is -1.7 %.",
    "bar_impact_force": "The bar is in contact for three steps.",
    "bar_impact_rebound": "The bar is in contact for three steps.",
    "bar_impact_force_1ms": "The force overshoots in the second step of contact; from the fifth on it is right.",
    "large_rotation": "`linear_elasticity` counts rotation as strain.",
    "phone_flat": "The impact is far shorter than a step, and its force is the impulse over the step.",
}


def find_folder():
    """Returns the folder of engineering.py, or None."""
    for folder in (peer_data().parent / "checks", ROOT.parent / "shared" / "checks"):
        if (folder / "engineering.py").exists() and (folder / "engineering_cases.json").exists():
            return folder
    return None


def load_module(folder):
    spec = importlib.util.spec_from_file_location("engineering", folder / "engineering.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module




def theory_of(case):
    expected = case["expected"]
    return expected["theory"] if isinstance(expected, dict) else ""


def settings_of(scene):
    """Returns the settings of solver, contact or order that the scene of a case itself has."""
    names = {f"order {body['order']}" for body in scene["bodies"] if "order" in body}
    return sorted(names | ({"restitution"} if "restitution" in scene.get("contact", {}) else set()))


def right_value(expected, module, known):
    """Returns the expected number of a case; `known` keeps those of theories, some of which take half a minute."""
    if not isinstance(expected, dict):
        return expected
    key = json.dumps(expected)
    if key not in known:
        known[key] = module.THEORY[expected["theory"]](**{k: v for k, v in expected.items() if k != "theory"})
    return known[key]


def problem_of(case, module, known):
    expected = case["expected"]
    what, _, compared = case["what"].rpartition(": ")
    own = settings_of(case["scene"])
    title = (what or compared) + (f" [the scene sets {', '.join(own)}]" if own and "order" not in what else "")
    return Problem(case["id"], title, f"engineering.py, {theory_of(case) or 'its text'}", compared,
                   functools.partial(right_value, expected, module, known),
                   module.made(case["scene"]), lambda result: module.measured(case["measure"], str(result.folder)),
                   {name: module.made(text) for name, text in case.get("files", {}).items()},
                   note=NOTES.get(case["id"], ""), absolute=expected == 0, scale=case.get("absolute", 1.0) or 1.0)


def problems():
    folder = find_folder()
    if folder is None:
        return []
    module = load_module(folder)
    cases = json.loads((folder / "engineering_cases.json").read_text())
    known = {}
    return [problem_of(case, module, known) for case in cases
            if case.get("expected") is not None and "summary" not in case["measure"]]
