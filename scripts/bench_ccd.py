#!/usr/bin/env python3
"""Times the methods of continuous collision detection and counts their errors (dissertation, tables 3.1 and 3.2).

Run by `./dev bench ccd`. Three sets of queries, made once in out/bench_ccd (`--remake` makes them again):

  published    those of the dissertation, below CLEARANCE_PEER_DATA (`ccd-queries`)
  simulation   at least a million, recorded from four scenes: a twisting mat, a ball at 300 m/s, a net of chain links, two
               colliding heads (spheres, where the peer data's head is missing)
  degenerate   scripts/make_degenerate_queries.py

Exact arithmetic answers all of them; it must agree with the published answers and those known by construction.
`--write` stores the tables in docs/benchmarks.md and the picture in docs/pictures.
"""

import argparse
import json
import subprocess
import sys
from pathlib import Path

from bench_common import ROOT, busy_percent, machine, peer_data, table, write_between_markers

FOLDER = ROOT / "out" / "bench_ccd"
PICTURE = ROOT / "docs" / "pictures" / "ccd_times.svg"
PARTS = ["published", "simulation", "degenerate"]
KINDS = ["vertex-face", "edge-edge"]

# Number of queries of a part and kind that a slow method answers; the others answer all.
SAMPLES = {
    "published": {"multivariate-interval": 200, "univariate-interval": 200},
    "simulation": {"multivariate-interval": 5000, "univariate-interval": 5000, "tight-inclusion-depth-first": 50000},
    "degenerate": {"multivariate-interval": 200, "univariate-interval": 200, "tight-inclusion-depth-first": 2000,
                   "tight-inclusion": 2000, "additive": 2000},
}
# These methods take so long for every query that other work hardly changes their times.
ONE_PASS = ["bernstein-sign-classification", "floating-point-root-parity", "rational-root-parity"]
MIN_SEPARATIONS = [1e-2, 1e-8, 1e-16]
WITH_MIN_SEPARATION = ["minimum-separation-root-finder", "additive", "tight-inclusion", "clearance"]

INTRO = """## Continuous collision detection

`./dev bench ccd --write` writes this section. Every figure is from one run of it.

- **Machine:** {machine}; one thread, `{build}`; processors {busy:.0f} % busy with other work at the start.
- **Time of a query:** the difference of `std::chrono::steady_clock` after and before it, less the time of reading the
  clock; the smallest of {passes} passes (of one pass for samples, and for parity and sign methods).
- **Published:** the queries published with the dissertation. **Simulation:** queries recorded by
  `clearance run --record-ccd` from {scenes}.
  **Degenerate:** queries from `scripts/make_degenerate_queries.py`; the answers to {known} of them are known by construction.
- **Answers:** those of exact arithmetic; {wrong} of the published and known answers differ from them.
- **Samples:** a method with fewer queries than the others is so slow that it answers only an evenly spread sample.
"""

MEANING = "Times are in microseconds. FP: false positives (hits where there is none); FN: false negatives (missed hits).\n"


def say(text):
    print(text, flush=True)


# --- the sets ---


def mat_scene():
    def end(side):
        x = 0 if side < 0 else 1
        return {"region": {"frame": "body", "box": [[x - 0.01, -0.01, -0.01], [x + 0.01, 1.01, 1.01]]},
                "angular_velocity": [-72 * side, 0, 0], "center": [0.5 * side, 0, 0]}
    return {"format": "clearance/1", "gravity": [0, 0, 0], "time": {"step": 0.04, "duration": 4},
            "bodies": [{"name": "mat", "generator": {"kind": "box", "size": [1, 0.01, 1], "resolution": [40, 1, 40]},
                        "material": {"density": 1000, "youngs_modulus": 2e4, "poisson_ratio": 0.4},
                        "motions": [end(-1), end(1)]}]}


def heads_scene():
    mesh = peer_data() / "ipc" / "input" / "tetMeshes" / "cow_head.msh"
    if mesh.exists():
        shape, places = {"mesh": str(mesh)}, [[-0.6, -0.26, 0.26], [0.58, -0.23, -0.26]]
    else:
        shape, places = {"generator": {"kind": "sphere", "size": [0.2], "resolution": [6]}}, [[0, 0, 0.22], [0.05, 0.03, -0.22]]

    def head(name, place, rotation, velocity):
        return {"name": name, **shape, "transform": {"rotation": rotation, "translation": place},
                "linear_velocity": [0, 0, velocity], "material": {"density": 1000, "youngs_modulus": 1e5, "poisson_ratio": 0.4}}
    return {"format": "clearance/1", "gravity": [0, 0, 0], "time": {"step": 0.01, "duration": 0.2},
            "bodies": [head("head", places[0], [0, 0, 0], -5), head("other head", places[1], [0, 180, 0], 5)]}


SCENES = [("twisting-mat", "a twisting mat", mat_scene), ("high-speed-ball", "a ball at 300 m/s", "high_speed_impact.json"),
          ("chain-net", "a net of chain links", "chain_net.json"), ("two-heads", "two colliding heads", heads_scene)]


def record(options, name, scene):
    """Records the queries of a run and answers them."""
    raw, labelled = FOLDER / "recorded" / f"{name}.ccd", FOLDER / "simulation" / f"{name}.ccd"
    if labelled.exists() and not options.remake:
        return labelled
    if callable(scene):
        path = FOLDER / f"{name}.json"
        path.write_text(json.dumps(scene()))
    else:
        path = ROOT / "examples" / scene
    say(f"{name}: simulating ...")
    subprocess.run([options.program, "run", str(path), "-o", str(FOLDER / name), "-q", "--overwrite", "--record-ccd", str(raw),
                    "--record-ccd-limit", str(options.queries), "--set", "output.frame_interval=1000000"], check=True)
    label(options, [raw], labelled)
    raw.unlink()
    return labelled


def label(options, inputs, output):
    """Stores all queries in one file with exact answers; returns the number of answers that had to be changed."""
    part = output.with_suffix(".part")
    process = subprocess.run([options.program, "ccd-label", *map(str, inputs), "-o", str(part)], stdout=subprocess.PIPE, text=True)
    say(f"{output.name}: {process.stdout.strip()}")
    if process.returncode not in (0, 4):
        raise SystemExit(f"ccd-label failed on {inputs}")
    part.rename(output)
    return int(process.stdout.split(",")[-1].split()[0])


def make_sets(options):
    """Returns the three parts as (file, number of answers that were wrong). The degenerate queries have known
    answers."""
    for folder in ("recorded", "simulation"):
        (FOLDER / folder).mkdir(parents=True, exist_ok=True)
    recorded = [record(options, name, scene) for name, _, scene in SCENES]
    files = {part: FOLDER / f"{part}.ccd" for part in PARTS}
    label(options, recorded, files["simulation"])
    raw = FOLDER / "made.ccd"
    made = subprocess.run([sys.executable, str(ROOT / "scripts" / "make_degenerate_queries.py"), str(raw)], check=True,
                          stdout=subprocess.PIPE, text=True).stdout
    known = int(made.split(",")[-1].split()[0])
    wrong = label(options, [raw], files["degenerate"])
    published = peer_data() / "ccd-queries"
    if published.is_dir():
        wrong += label(options, [published], files["published"])
    else:
        say("no published queries: name their folder with CLEARANCE_PEER_DATA")
        del files["published"]
    return files, known, wrong


# --- measuring ---


def bench(options, files, *arguments):
    process = subprocess.run([options.program, "ccd-bench", *map(str, files), "--json", *map(str, arguments)], check=True,
                             stdout=subprocess.PIPE, text=True)
    return json.loads(process.stdout)["results"]


def all_methods(options):
    """Returns the methods in the order of the tables; the program lists them for an unknown name."""
    process = subprocess.run([options.program, "ccd-bench", "nothing", "--method", "?"], stderr=subprocess.PIPE, text=True)
    line = next(line for line in process.stderr.splitlines() if "expected one of " in line)
    return line.split("expected one of ")[1].split(" (got")[0].split(", ")


def bench_part(options, part, file, methods):
    def effort(method):
        """Returns the number of queries (0: all) and of passes."""
        count = SAMPLES[part].get(method, 0)
        return count, 1 if count or method in ONE_PASS else options.passes

    results = []
    for count, passes in sorted({effort(m) for m in methods}):
        chosen = [m for m in methods if effort(m) == (count, passes)]
        say(f"{part}: {', '.join(chosen)}{f' on {count} queries of a kind' if count else ''} ...")
        results += bench(options, [file], "--method", ",".join(chosen), "--max-queries", count, "--passes", passes)
    return sorted(results, key=lambda r: (KINDS.index(r["kind"]), methods.index(r["method"])))


def time_text(us):
    return f"{us:.3f}" if us < 1 else f"{us:.3g}" if us < 1000 else f"{us:.0f}"


def result_table(results, kind):
    rows = [[r["method"], str(r["queries"]), *(time_text(r[key]) for key in ("mean_us", "median_us", "p99_us", "max_us")),
             str(r["false_positives"]), str(r["false_negatives"])] for r in results if r["kind"] == kind]
    return table(["method", "queries", "mean", "median", "99 %", "largest", "FP", "FN"], rows)


def section_of_part(part, results):
    text = f"\n### {part.capitalize()} queries\n\n{MEANING}"
    for kind in KINDS:
        text += f"\n{kind}:\n\n" + result_table(results, kind)
    return text


def section_of_sets(options, files):
    """Compares ours with additive CCD and Tight Inclusion on every set alone."""
    say("every set alone ...")
    methods = ["clearance", "additive", "tight-inclusion"]
    results = bench(options, [peer_data() / "ccd-queries"] * ("published" in files) + [FOLDER / "simulation"],
                    "--method", ",".join(methods), "--passes", options.passes)
    results += bench(options, [files["degenerate"]], "--method", ",".join(methods), "--max-queries", 2000)
    cells = {(r["set"], r["kind"], r["method"]): r for r in results}
    rows = []
    for name, kind in dict.fromkeys((r["set"], r["kind"]) for r in results):
        of = [cells[name, kind, method] for method in methods]
        rows.append([name, kind, str(of[0]["queries"])] +
                    [f"{time_text(r['mean_us'])}; {r['false_positives']}; {r['false_negatives']}" for r in of])
    return ("\n### Every set alone\n\nEach cell has the mean time in microseconds, the false positives and the false negatives.\n\n" +
            table(["set", "kind", "queries", *methods], rows))


def section_of_separations(options, files):
    """Makes table 3.2."""
    text = ("\n### Minimum separation\n\nA hit is an L-infinity distance of at most d [m]. One pass over evenly "
            "spread samples of 300 (published, degenerate) and\n3000 (simulation) queries of each kind.\n" + MEANING)
    for part, file in files.items():
        rows = []
        for d in MIN_SEPARATIONS:
            say(f"{part}: minimum separation {d:g} ...")
            for r in bench(options, [file], "--method", ",".join(WITH_MIN_SEPARATION), "--min-separation", d,
                           "--max-queries", 3000 if part == "simulation" else 300):
                rows.append([r["kind"], f"{d:g}", r["method"], time_text(r["mean_us"]), time_text(r["max_us"]),
                             str(r["false_positives"]), str(r["false_negatives"])])
        text += f"\n{part}:\n\n" + table(["kind", "d", "method", "mean", "largest", "FP", "FN"], sorted(rows, key=lambda r: KINDS.index(r[0])))
    return text


def draw(options, files):
    say("picture ...")
    bench(options, files.values(), "--max-queries", 200, "--passes", options.passes, "--histogram", PICTURE)
    return ("\n### Distribution of times\n\nAll methods answer the same 200 queries of each kind of each of the three parts.\n\n"
            f"![times of queries](pictures/{PICTURE.name})\n")


def parse_options():
    parser = argparse.ArgumentParser(prog="./dev bench ccd", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", required=True, help=argparse.SUPPRESS)
    parser.add_argument("--build", default="-O3 -march=native", help=argparse.SUPPRESS)
    parser.add_argument("--only", choices=[*PARTS, "sets", "separations", "picture", "make"],
                        help="one part (make: the sets, without measuring)")
    parser.add_argument("--queries", type=int, default=600000, help="of a scene at most; at least half of them are taken")
    parser.add_argument("--passes", type=int, default=3, help="over the queries; the smallest time of each counts")
    parser.add_argument("--method", metavar="M,...", help="only these methods")
    parser.add_argument("--remake", action="store_true", help="simulate the scenes again")
    parser.add_argument("--write", action="store_true", help="store the tables and the picture in docs/")
    options = parser.parse_args()
    if options.write and (options.only or options.method):
        parser.error("--write stores everything; leave --only and --method out")
    return options


def main():
    options = parse_options()
    busy = busy_percent()
    files, known, wrong = make_sets(options)
    methods = options.method.split(",") if options.method else all_methods(options)
    text = INTRO.format(machine=machine(), busy=busy, build=options.build, passes=options.passes, known=known, wrong=wrong,
                        scenes=", ".join(description for _, description, _ in SCENES))
    for part, file in files.items():
        if options.only in (None, part):
            text += section_of_part(part, bench_part(options, part, file, methods))
    if options.only in (None, "sets"):
        text += section_of_sets(options, files)
    if options.only in (None, "separations"):
        text += section_of_separations(options, files)
    if options.only == "picture" or options.write:
        text += draw(options, files)
    print("\n" + text)
    if options.write:
        write_between_markers(ROOT / "docs" / "benchmarks.md", "ccd", text)
        say("written: docs/benchmarks.md")
    return 0 if wrong == 0 else 1


if __name__ == "__main__":
    sys.exit(main())
