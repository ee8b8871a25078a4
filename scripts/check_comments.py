#!/usr/bin/env python3
"""Comments of the C++ sources are sentences that start with a noun or a verb.

A comment block is a run of lines that hold nothing but `//`, or one `//` behind code. Its first word may not be one of
those that begin a clause without a subject ("Of all elements.", "What boxes grow by."). Exit status 1 and one line per
violation. With folders or files as arguments, only those are judged.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
FOLDERS = ("src", "tests", "benchmarks")
# A sentence that begins with one of these has no subject, or has it at its end.
FIRST_WORDS = {"Of", "What", "Whatever", "Those", "Likewise", "Both", "Whose", "Which", "As", "Where", "Whether", "That",
               "Such", "Ditto", "Same"}
STRING = re.compile(r'"(?:\\.|[^"\\])*"')
TRAILING = re.compile(r"\S.*?\s//[/!<]*\s(.*)")


def blocks_of(text):
    """Returns (number of the first line, text) of every comment block."""
    blocks = []
    is_open = False
    for number, line in enumerate(text.split("\n"), 1):
        stripped = line.strip()
        if stripped.startswith("//"):
            words = stripped.lstrip("/!<").strip()
            if is_open and words:
                blocks[-1][1] += " " + words
            elif words:
                blocks.append([number, words])
            is_open = bool(words)
            continue
        is_open = False
        behind = TRAILING.match(STRING.sub('""', stripped))
        if behind:
            blocks.append([number, behind.group(1).strip()])
            is_open = True
    return blocks


def sources(arguments):
    for start in [pathlib.Path(argument).resolve() for argument in arguments] or [ROOT / folder for folder in FOLDERS]:
        yield from [start] if start.is_file() else sorted(start.rglob("*.h")) + sorted(start.rglob("*.cpp"))


def main(arguments):
    num_problems = 0
    for path in sources(arguments):
        for number, words in blocks_of(path.read_text(encoding="utf-8")):
            first = re.match(r"[A-Za-z]+", words)
            if first and first.group(0) in FIRST_WORDS:
                print(f"{path.relative_to(ROOT)}:{number}: a comment begins with '{first.group(0)}': {words[:80]}")
                num_problems += 1
    return 1 if num_problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
