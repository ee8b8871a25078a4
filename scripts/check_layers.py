#!/usr/bin/env python3
"""Checks folder dependencies: the sources may include only what CMakeLists.txt allows.

An `#include "clearance/X/..."` in folder Y needs X among the transitive DEPENDS of Y, and the DEPENDS have no cycle.
Tests, benchmarks and the program may include anything. Exit status 1 and one line per violation.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
SOURCES = ROOT / "src" / "clearance"


def read_modules(text):
    """Returns folder -> its direct DEPENDS, from the clearance_module lines."""
    modules = {}
    for call in re.findall(r"^clearance_module\(([^)]*)\)", text, re.MULTILINE):
        words = call.split()
        folder, depends, is_depends = words[0], [], False
        for word in words[1:]:
            if word.isupper():
                is_depends = word == "DEPENDS"
            elif is_depends:
                depends.append(word)
        modules[folder] = depends
    return modules


def find_cycle(modules):
    """Returns one cycle as a list of folders, or None."""
    done, path = set(), []

    def visit(folder):
        if folder in path:
            return path[path.index(folder):] + [folder]
        if folder in done:
            return None
        path.append(folder)
        for depended in modules.get(folder, []):
            cycle = visit(depended)
            if cycle:
                return cycle
        path.pop()
        done.add(folder)
        return None

    for folder in modules:
        cycle = visit(folder)
        if cycle:
            return cycle
    return None


def reachable(modules, folder):
    """Returns the folder itself and everything it depends on, directly or not."""
    found, pending = set(), [folder]
    while pending:
        current = pending.pop()
        if current not in found:
            found.add(current)
            pending.extend(modules.get(current, []))
    return found


def check_file(path, folder, allowed):
    problems = []
    for number, line in enumerate(path.read_text().splitlines(), 1):
        match = re.match(r'\s*#\s*include\s*["<](?:src/)?clearance/(.+)/[^/]+[">]', line)
        if match and match.group(1) not in allowed:
            problems.append(f"{path.relative_to(ROOT)}:{number}: {folder} may not include clearance/{match.group(1)}")
        if re.match(r'\s*#\s*include\s*["<](apps/|.*\.\./)', line):
            problems.append(f"{path.relative_to(ROOT)}:{number}: include by the path from src/, and never the program")
    return problems


def main():
    modules = read_modules((ROOT / "CMakeLists.txt").read_text())
    problems = []
    for folder, depends in modules.items():
        problems += [f"CMakeLists.txt: {folder} depends on unknown folder {name}" for name in depends if name not in modules]
    cycle = find_cycle(modules)
    if cycle:
        problems.append("CMakeLists.txt: cycle " + " -> ".join(cycle))
    files = sorted(p for p in SOURCES.rglob("*") if p.suffix in (".h", ".cpp"))
    for path in files:
        folder = path.parent.relative_to(SOURCES).as_posix()
        if folder not in modules:
            problems.append(f"{path.relative_to(ROOT)}: no clearance_module({folder} ...) in CMakeLists.txt")
            continue
        problems += check_file(path, folder, reachable(modules, folder))
    for problem in problems:
        print(problem)
    print(f"{len(files)} files, {len(modules)} folders, {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
