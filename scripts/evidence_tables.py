"""What `./dev evidence` tells: lists for the terminal, statistics as JSON, and tables in docs/evidence.md."""

import json
import textwrap
from collections import Counter

from bench_common import ROOT, statuses_text, table, write_between_markers
from evidence_scenes import GROUPS, condition

CONDITIONS = ["complete", "begun", "waiting", "failed", "refused", "unread"]
HEADER = ["scene", "steps", "Newton a step", "of parts", "most contacts", "CPU s a step", "MB", "smallest gap [m]",
          "not converged", "frames verified"]
REFUSALS = {"ipc": "published_scenes.md", "rigid-ipc": "published_stiff_scenes.md", "polyfem": "published_polyfem_scenes.md"}


# --- lists ---


def num_steps(state):
    return state["read"]["steps"] if state["read"] else 0


def counts_of(entries):
    """Returns the conditions of scenes, their steps, and the CPU seconds so far."""
    counts = Counter(condition(state) for _, state in entries)
    done = sum(state["steps"] for _, state in entries)
    cpu = sum(state["statistics"]["cpu"] for _, state in entries if state["statistics"])
    return counts, done, sum(num_steps(state) for _, state in entries), cpu


def group_rows(entries):
    rows = []
    for group in GROUPS:
        counts, done, total, cpu = counts_of([entry for entry in entries if entry[0].group == group])
        rows.append([group, *(str(counts[c]) for c in CONDITIONS), f"{done} of {total}", f"{cpu / 3600:.2f}"])
    return rows


def list_text(entries, is_long):
    """Returns the numbers of every group; long: also a line for every scene that has been begun or has failed."""
    text = table(["group", *CONDITIONS, "steps", "CPU h"], group_rows(entries))
    rows = []
    for scene, state in entries:
        failed, verified = state["failed"], state["verified"]
        is_wrong = verified and not verified["ok"]
        if (is_long and condition(state) in ("complete", "begun")) or condition(state) == "failed" or is_wrong:
            rows.append([f"{scene.group}/{scene.label}", f"{state['steps']} of {num_steps(state)}", condition(state),
                         verdict(state), failed["message"] if failed else ""])
    return text + ("\n" + table(["scene", "steps", "", "frames verified", ""], rows) if rows else "")


# --- statistics ---


def verdict(state):
    verified = state["verified"]
    if not verified:
        return "-"
    if verified["ok"]:
        return str(verified["frames"])
    found = ", ".join(f"{verified[key]} {key.replace('_', ' ')}"
                      for key in ("intersections", "inversions", "half_space_violations", "not_finite") if verified.get(key))
    return f"**WRONG**: {found or '; '.join(verified['problems'])}"


def entry_of(scene, state):
    """Returns what is stored of a scene."""
    entry = {"scene": scene.name, "type": scene.type, "file": scene.file, "condition": condition(state),
             "steps": state["steps"], "of": num_steps(state)}
    if condition(state) == "refused":
        return {**entry, "refused": state["read"]["refused"]}
    if state["failed"]:
        entry["failed"] = {key: state["failed"][key] for key in ("program", "exit", "message")}
    if not state["steps"]:
        return entry
    keys = ("ok", "steps", "frames", "intersections", "inversions", "half_space_violations", "program")
    verified = {key: state["verified"].get(key) for key in keys} if state["verified"] else None
    programs = list(dict.fromkeys(s["program"] for s in state["slices"]))
    return {**entry, **state["statistics"], "newton_mean": round(state["statistics"]["newton"] / state["steps"], 3),
            "verified": verified, "programs": programs, "slices": len(state["slices"]), "restarts": len(state["restarts"])}


def statistics_text(entries):
    """Returns a JSON array with a line a scene, so that changes can be read."""
    return "[\n" + ",\n".join(json.dumps(entry_of(*entry)) for entry in entries) + "\n]\n"


# --- tables ---


def references():
    """Returns the figures of other programs over whole scenes, by the file of the scene: of [Fer23], or measured with
    their program."""
    def read(name, key):
        return json.loads((ROOT / "benchmarks" / name).read_text())[key]

    found = {f"rigid-ipc/fixtures/3D/{s['scene']}": s for s in read("rigid_reference.json", "scenes")}
    found.update({f"ipc/input/{s['script']}": s for s in read("ipc_reference.json", "scenes")})
    found.update({f"ipc/input/{s['script']}": s for s in read("ipc_dense.json", "full") if "replace" not in s})
    return found


def row(scene, state, reference):
    """Returns a row with our numbers in bold, after those of the other program if it has run the scene to its end."""
    def both(key, ours):
        return f"{reference[key]:g}, **{ours}**" if is_comparable and key in reference else ours

    numbers, steps, of = state["statistics"], state["steps"], num_steps(state)
    is_comparable = reference is not None and reference["steps"] == steps
    gap = "none near" if numbers["gap"] is None else f"{numbers['gap']:.1e}"
    return [scene.label, str(steps) if condition(state) == "complete" else f"{steps} of {of}",
            both("newton", f"{numbers['newton'] / steps:.1f}"), f"{numbers['partial'] / steps:.1f}", str(numbers["contacts"]),
            both("seconds", f"{numbers['cpu'] / steps:.2g}"), both("mb", str(numbers["mb"])), gap,
            statuses_text(numbers["not_converged"]), verdict(state)]


def group_text(group, entries, known):
    counts, done, total, cpu = counts_of(entries)
    frames = sum(state["verified"]["frames"] or 0 for _, state in entries if state["verified"])
    loaded = len(entries) - counts["refused"] - counts["unread"]
    text = (f"{loaded} scenes: {counts['complete']} complete, {counts['begun']} under way, {counts['waiting']} not begun, "
            f"{counts['failed']} failed. They have run {done} of {total} steps in {cpu / 3600:.2f} hours of a processor, and "
            f"{frames} frames are verified.")
    if counts["refused"]:
        reasons = f", for the reasons in `docs/{REFUSALS[group]}`" if group in REFUSALS else ""
        verb = "scene is" if counts["refused"] == 1 else "scenes are"
        text += f" {counts['refused']} {verb} not loaded{reasons}."
    text = textwrap.fill(text, 120)
    rows = [row(scene, state, known.get(scene.file)) for scene, state in entries if state["steps"]]
    text += "\n\n" + table(HEADER, rows)
    failed = [[scene.label, f"{state['steps']} of {num_steps(state)}", state["failed"]["message"]]
              for scene, state in entries if condition(state) == "failed"]
    if failed:
        text += "\nFailed scenes:\n\n" + table(["scene", "steps", "why"], failed)
    return text


def write_pages(entries, docs):
    """Stores the statistics and tables of all groups below the folder, and returns the names of the files. A group that
    the folder of results knows nothing of keeps what is stored."""
    (docs / "evidence").mkdir(exist_ok=True)
    known, names = references(), ["evidence.md"]
    for group in GROUPS:
        of_group = [entry for entry in entries if entry[0].group == group]
        if not any(state["read"] for _, state in of_group):
            continue
        names.append(f"evidence/{group}.json")
        (docs / names[-1]).write_text(statistics_text(of_group))
        write_between_markers(docs / "evidence.md", group, group_text(group, of_group, known))
    return "written: " + ", ".join(f"docs/{name}" for name in names)
