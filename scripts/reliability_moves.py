"""Moves of whole scenes that `clearance verify --paths` proves, by the runs of `./dev evidence`: the other figure of
`./dev reliability`."""

from dataclasses import dataclass

from bench_common import ROOT, peer_data, table
from evidence_run import run_slice
from evidence_scenes import Scene, condition, expected_seconds, is_open, load_state, must_read, read_scene, store_state

EXAMPLES = ["ball_through_funnel", "bolt_in_nut", "capsule_chain", "card_house", "cards", "cloth_over_ball", "compression",
            "drop_in_bowl", "gears", "grains_in_bowl", "high_speed_impact", "newtons_cradle", "squashed_block",
            "tablecloth", "wrecking_ball"]
SCRIPTS = ["otherExamples/tunnel", "otherExamples/friction/masonryArch_25", "otherExamples/typical/rodsTwist",
           "paperExamples/10_cubeStack", "otherExamples/coDimUnitTests/mat40x40_segPlaneDrop"]
# Memory of a run, as a failure records it; nothing limits it here.
MEMORY_GB = 8


@dataclass(frozen=True)
class CertifiedScene(Scene):
    """A scene of which every accepted move is stored, and proved where its frames are verified."""
    verify_options: tuple = ("--paths",)

    @property
    def settings(self):
        return [*super().settings, "--set", "output.certificate=true"]


def certified_scenes():
    scripts = peer_data() / "ipc" / "input"
    found = [CertifiedScene("clearance", name, ROOT / "examples" / f"{name}.json") for name in EXAMPLES]
    return found + [CertifiedScene("ipc", name, scripts / f"{name}.txt") for name in SCRIPTS if scripts.exists()]


@dataclass(frozen=True)
class MovesFigure:
    """All scenes together; the one that ends first goes first."""
    name: str = "moves"
    title: str = "accepted moves of scenes, proved by `verify --paths`"
    goal: int = 100_000
    unit: str = "moves"

    def path(self, builds):
        return builds / "release" / "bin" / "clearance"

    def run(self, state, _units, seconds, place):
        entries = [(scene, load_state(scene.folder(place.folder))) for scene in certified_scenes()]
        for scene, of_scene in entries:
            if must_read(of_scene, place.program):
                of_scene["read"] = read_scene(scene, place.program)
                store_state(scene.folder(place.folder), of_scene)
        outcome = {"next": state["next"] + 1, "status": 0, "cpu": 0.0, "counts": {}, "message": ""}
        waiting = [entry for entry in entries if is_open(entry[1], place.program, MEMORY_GB)]
        if not waiting:
            return outcome
        scene, of_scene = min(waiting, key=lambda entry: (entry[1]["visit"] if state["next"] % 3 == 0 else 0, expected_seconds(entry[1])))
        of_scene["visit"] = state["next"]
        before = totals(of_scene)
        run_slice(scene, of_scene, place.program, place.folder, seconds, MEMORY_GB)
        after = totals(of_scene)
        outcome["counts"] = {key: after[key] - before[key] for key in after}
        outcome["cpu"] = outcome["counts"].pop("cpu")
        verified = of_scene["verified"]
        if of_scene["failed"] or (verified and not verified["ok"]):
            text = of_scene["failed"]["message"] if of_scene["failed"] else f"NOT verified: {verified}"
            outcome.update({"status": 4, "message": f"{scene.label}: {text}"[:2000], "slice": {"scene": scene.label}})
        return outcome

    def repeat(self, failure, place):
        """Runs and verifies a scene again that has failed."""
        return self.run({"next": 1}, None, 600, place)

    def rows(self, place_folder):
        rows = []
        for scene in certified_scenes():
            state = load_state(scene.folder(place_folder))
            paths = (state["verified"] or {}).get("paths")
            if not paths:
                continue
            run_cpu = state["statistics"]["cpu"] * state["verified"]["steps"] / max(state["steps"], 1)
            rows.append([scene.label, f"{paths['steps']} of {state['read']['steps']}", str(paths["moves"]), str(paths["pairs"]),
                         str(paths["volumes"]), str(paths["in_rational_numbers"]), str(paths["violated"] + paths["undecided"]),
                         f"{run_cpu:.1f}", f"{state['verified']['cpu']:.1f}", condition(state)])
        return rows

    def text(self, folder):
        """Returns the table of scenes."""
        header = ["scene", "steps", "moves", "pairs", "volumes", "in rational numbers", "not proved", "CPU s of the run",
                  "of the proof", ""]
        return table(header, self.rows(folder))


def totals(state):
    """Returns what of a scene has been proved, and the CPU seconds of its runs and of its last proof."""
    verified = state["verified"] or {}
    paths = verified.get("paths") or {}
    cpu = sum(s.get("cpu", 0) for s in state["slices"]) + verified.get("cpu", 0)
    return {"moves": paths.get("moves", 0), "steps": paths.get("steps", 0), "pairs": paths.get("pairs", 0),
            "volumes": paths.get("volumes", 0), "cpu": cpu}


MOVES = MovesFigure()
