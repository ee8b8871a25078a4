#!/usr/bin/env python3
"""Checks the part of the glossary in CONTRIBUTING.md that a script can judge without false alarms, and a few file
rules.

Identifiers are looked for in code only: comments and string literals are removed first, so that documents, messages and
the foreign scene formats may use the words of others. Exit status 1 and one line per violation.
"""
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent

# Identifier -> the name to use instead. Whole identifiers only, so that `epsv` is found and `steps_v` is not.
BANNED = {
    r"epsv|eps_velocity|stick_speed": "eps_v",
    r"dmin|d_min|min_gap": "min_separation",
    r"d_hat|dhat2|dhat_squared|dhatsq": "dhat or dhat_sq",
    r"collisions|collision_pairs": "candidates (broad phase) or contacts (with force)",
    r"friction_coefficient|friction_coeff|coeff_friction": "mu",
    r"barrier_stiffness": "kappa",
    r"(?:distance|dist|length|len|norm)(?:2|_squared)|sq_(?:distance|dist|length|norm)|sqr_dist(?:ance)?": "..._sq",
    r"time_of_impact": "toi",
    r"nb_\w+|n_(?:vertices|verts|edges|faces|triangles|tets|bodies|contacts|steps|threads|blocks)"
    r"|(?:vertex|edge|face|triangle|tet|body)_count": "num_...",
    r"ea_?(?:start|end|first|second)|eb_?(?:start|end|first|second)": "ea0 ea1 eb0 eb1",
}
# `int nb` is a count without its name. `n` is allowed: it is also the normal, and the size in a formula.
BANNED_DECLARATION = re.compile(r"\b(?:int|long|unsigned|size_t|auto)\s+(nb|cnt|nverts|nfaces|nedges|ntets)\b")
# glibc has variants of these for processors with and without fused multiply-add, which differ in the last bit. The
# program's own pictures may use them.
PROCESSOR_DEPENDENT = re.compile(r"\bstd::(sin|cos|tan|asin|acos|atan2?|exp2?|expm1|log1p|log2?|log10|pow|sinh|cosh|tanh|hypot)\b")
PROCESSOR_DEPENDENT_ALLOWED = ("src/clearance/math/elementary.cpp", "src/clearance/render/")
MACHINE_PATH = re.compile(r"(?<![\w.$}/])/(?:work|tmp|home|root|Users|mnt)/[\w.]")

CODE = re.compile(r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'', re.DOTALL)


def without_comments_and_strings(text):
    """Returns the text with the same line numbers, and with comments and literals blanked. A digit separator (1'000)
    is no character literal."""
    text = re.sub(r"(?<=\d)'(?=\d)", "", text)
    return CODE.sub(lambda match: re.sub(r"[^\n]", " ", match.group(0)), text)


def line_of(text, position):
    return text.count("\n", 0, position) + 1


def check_source(name, text):
    problems = []
    code = without_comments_and_strings(text)
    for pattern, wanted in BANNED.items():
        for match in re.finditer(rf"\b(?:{pattern})_?\b", code):
            problems.append(f"{name}:{line_of(code, match.start())}: '{match.group(0)}': use {wanted}")
    for match in BANNED_DECLARATION.finditer(code):
        problems.append(f"{name}:{line_of(code, match.start())}: '{match.group(1)}': use num_...")
    if name.startswith("src/clearance/") and not name.startswith(PROCESSOR_DEPENDENT_ALLOWED):
        for match in PROCESSOR_DEPENDENT.finditer(code):
            problems.append(f"{name}:{line_of(code, match.start())}: '{match.group(0)}': use math/elementary.h")
    if name.endswith(".h") and "#pragma once" not in text:
        problems.append(f"{name}:1: header without #pragma once")
    for match in re.finditer(r"^using\s+namespace\s+[\w:]+\s*;", code, re.MULTILINE):
        if name.endswith(".h"):
            problems.append(f"{name}:{line_of(code, match.start() + 1)}: using namespace in a header")
    return problems


def check_text(name, text):
    problems = []
    for number, line in enumerate(text.split("\n"), 1):
        if "\t" in line:
            problems.append(f"{name}:{number}: tab")
        if line != line.rstrip():
            problems.append(f"{name}:{number}: trailing blanks")
        if MACHINE_PATH.search(line):
            problems.append(f"{name}:{number}: path of one machine")
    if text and not text.endswith("\n"):
        problems.append(f"{name}: no newline at the end")
    return problems


def project_files():
    """Returns tracked files and new ones that git does not ignore; without git, everything outside build/ and out/."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    try:
        names = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout.split("\n")
    except (OSError, subprocess.CalledProcessError):
        names = [p.relative_to(ROOT).as_posix() for p in ROOT.rglob("*") if p.is_file()]
        names = [n for n in names if n.split("/")[0] not in ("build", "out", ".git")]
    return sorted(n for n in names if n and (ROOT / n).is_file())


def main():
    problems, files = [], project_files()
    for name in files:
        path = pathlib.PurePosixPath(name)
        is_source = path.suffix in (".h", ".cpp")
        if is_source and not re.fullmatch(r"[a-z0-9_/]+", str(path.with_suffix(""))):
            problems.append(f"{name}: file and folder names are snake_case")
        if is_source or path.suffix in (".py", ".cmake", ".sh", ".md") or name in ("dev", ".ci/run", "CMakeLists.txt"):
            text = (ROOT / name).read_text(encoding="utf-8")
            # This script contains the names that it looks for.
            if name != "scripts/check_names.py":
                problems += check_text(name, text)
            if is_source:
                problems += check_source(name, text)
    for problem in problems:
        print(problem)
    print(f"{len(files)} files, {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
