"""What `./dev reliability` tells: a list for the terminal, numbers as JSON, and the table in docs/reliability.md."""

import json

from bench_common import table, write_between_markers
from reliability_moves import MOVES

HEADER = ["figure", "what is tried", "so far", "goal", "CPU h", "open failures", "fixed failures"]


def row(figure, state):
    others = [f"{count:,} {name}" for name, count in state["counts"].items() if name != figure.unit]
    done = f"{state['counts'].get(figure.unit, 0):,} {figure.unit}" + (f" ({', '.join(others)})" if others else "")
    over = sum(1 for failure in state["failures"] if failure.get("passes_with"))
    return [figure.name, figure.title, done, f"{figure.goal:,}", f"{state['cpu'] / 3600:.3f}", str(len(state["failures"]) - over),
            str(over)]


def list_text(entries):
    """Returns the table, and the messages of what fails."""
    text = table(HEADER, [row(*entry) for entry in entries])
    for figure, state in entries:
        for failure in state["failures"]:
            if not failure.get("passes_with"):
                text += f"\n{figure.name}, {failure['program']}, {failure['slice']}:\n{failure['message']}\n"
    return text


def entry_of(figure, state):
    """Returns what is stored of a figure."""
    keys = ("counts", "slices", "programs", "failures")
    return {"figure": figure.name, "goal": figure.goal, "cpu": round(state["cpu"], 1), **{key: state[key] for key in keys}}


def write_pages(entries, folder, docs):
    """Stores the numbers and the tables below the folder, and returns the names of the files."""
    lines = ",\n".join(json.dumps(entry_of(*entry)) for entry in entries)
    (docs / "reliability.json").write_text(f"[\n{lines}\n]\n")
    write_between_markers(docs / "reliability.md", "figures", table(HEADER, [row(*entry) for entry in entries]))
    write_between_markers(docs / "reliability.md", "moves", MOVES.text(folder / MOVES.name))
    return "written: docs/reliability.md, docs/reliability.json"
