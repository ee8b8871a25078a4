#!/usr/bin/env python3
"""Checks citations: every one in a comment or a document has a tag of docs/references.md, `[Fer23, eq. 2.6]`.

Finds equation, section and algorithm numbers outside such brackets, authors with a year, tags that are not listed, and
listed ones that nothing cites. Exit status 1 and one line per violation.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
LIST = ROOT / "docs" / "references.md"

TAGGED = re.compile(r"\[([A-Z][a-z]+\d\d[a-z]?)\b[^\[\]]*\]")
LOCATOR = re.compile(r"\b(?:[Ee]q|[Aa]lg|[Aa]pp|[Ss]ec|[Ff]ig|[Cc]h|[Tt]ables?|algorithm|section)\.? *[A-E]?\.?\d+(?:\.\d+)*\b")
AUTHOR_YEAR = re.compile(r"\b(?!January|February|March|April|May|June|July|August|September|October|November|December)"
                         r"[A-Z][a-z]+(?: et al\.)? +\(?(?:19|20)\d\d\b|\b(?:rigid|affine|high-order) +paper\b|\bdissertation\b")
COMMENT = re.compile(r'(//[^\n]*)|R"(\w*)\(.*?\)\2"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'', re.DOTALL)


def comments_of(text):
    """Returns comments at their places, with everything else blank; line breaks and marks inside a comment are
    blanks, too."""
    text = re.sub(r"(?<=\d)'(?=\d)", " ", text)
    chars = [" "] * len(text)
    for match in COMMENT.finditer(text):
        if match.group(1):
            chars[match.start():match.end()] = re.sub(r"^//+<?", lambda m: " " * len(m.group(0)), match.group(1))
    return "".join(chars)


def main():
    listed = set(re.findall(r"^\| ([A-Z][a-z]+\d\d[a-z]?) \|", LIST.read_text(encoding="utf-8"), re.MULTILINE))
    sources = [p for folder in ("src", "tests", "benchmarks", "examples") for p in sorted((ROOT / folder).rglob("*"))
               if p.suffix in (".h", ".cpp")]
    documents = [ROOT / "ARCHITECTURE.md", ROOT / "docs" / "ccd.md", ROOT / "docs" / "results.md",
                 *sorted((ROOT / "docs" / "decisions").glob("*.md"))]
    cited, problems = set(), []
    for path in sources + documents:
        text = path.read_text(encoding="utf-8")
        prose = comments_of(text) if path in sources else text.replace("\n", " ")

        def report(position, message):
            problems.append(f"{path.relative_to(ROOT)}:{text.count(chr(10), 0, position) + 1}: {message}")

        for match in TAGGED.finditer(prose):
            cited.add(match.group(1))
            if match.group(1) not in listed:
                report(match.start(), f"{match.group(1)} is not in docs/references.md")
        untagged = TAGGED.sub(lambda m: " " * len(m.group(0)), prose)
        for pattern in (LOCATOR, AUTHOR_YEAR):
            for match in pattern.finditer(untagged):
                report(match.start(), f"'{' '.join(match.group(0).split())}' without a tag of docs/references.md")
    problems += [f"docs/references.md: nothing cites {tag}" for tag in sorted(listed - cited)]
    for problem in problems:
        print(problem)
    print(f"{len(listed)} references, {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
