#!/usr/bin/env python3
"""Makes the documentation as a static site: `./dev site`.

Pages of all documents with search, a gallery of the examples (pictures, films, scenes, four interactive results), and
references of the Python module and of the public C++ headers. The site refers to nothing outside of it and works from
files. Runs of examples are kept in --work; what has not changed is not run again.
"""

import argparse
import json
import os
import shutil
import sys
from pathlib import Path

from pygments.formatters import HtmlFormatter

from bench_common import ROOT
from website import cpp_reference, gallery, layout, python_reference
from website.documents import Library

FILES = Path(__file__).resolve().parent / "website"


def code_styles():
    """Returns the colours of code, for light and for dark screens."""
    light, dark = (HtmlFormatter(style=style).get_style_defs(".code") for style in ("friendly", "github-dark"))
    return f"{light}\n@media (prefers-color-scheme: dark) {{\n{dark}\n}}\n"


def search_index(pages):
    """Returns a script that hands over [page title, heading, address, text] of every section."""
    rows = []
    for page in pages.values():
        for heading, anchor, text in page.sections:
            rows.append([page.title, heading, page.target + (f"#{anchor}" if anchor else ""), " ".join(text.split())])
    return "clearanceSearch(" + json.dumps(rows, ensure_ascii=False, separators=(",", ":")) + ");\n"


def collect(arguments):
    """Returns all pages by their sources, and the documents that they are made of."""
    library = Library(ROOT)
    shown = gallery.Gallery(ROOT, arguments.program.resolve(), arguments.work, arguments.output, arguments.interactive.split(","))
    names = {example.name for example in shown.examples}
    wanted = names if arguments.only is None else set(filter(None, arguments.only.split(",")))
    if wanted - names:
        sys.exit(f"--only: no example is called {', '.join(sorted(wanted - names))}")
    if wanted:
        print(f"==> {len(wanted)} examples, their pictures and films", flush=True)
        shown.run(wanted, arguments.jobs)

    print("==> pages", flush=True)
    pages = {}
    for source in library.sources():
        group = "docs/decisions/README.md" if source.startswith("docs/decisions/") else None
        pages[source] = library.page(source, group)
    made = [*shown.pages(library), *python_reference.Reference(library).pages(), *cpp_reference.Reference(ROOT).pages()]
    pages.update({page.source: page for page in made})

    # The gallery stands before what the document says about the examples.
    page = pages["examples/README.md"]
    page.title, page.is_wide = "Gallery of examples", True
    page.body = page.body.replace("</h1>", "</h1>" + shown.cards(shown.examples, library, "../"), 1)
    # Results to look at follow the first commands of the front page.
    interactive = [example for example in shown.examples if example.is_interactive]
    front = pages["README.md"]
    front.title = "Overview"
    beginning, mark, rest = front.body.partition("<h2 id=\"a-scene-of-your-own\"")
    if not mark:
        sys.exit("README.md: expected the heading `A scene of your own`")
    front.body = beginning + shown.cards(interactive, library, "") + mark + rest
    return pages, library, shown


def write(pages, library, shown, output):
    for page in pages.values():
        target = output / page.target
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(layout.render(page, pages), encoding="utf-8")
    for picture in library.pictures:
        (output / picture).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / picture, output / picture)
    for example in shown.examples:
        shutil.copy(example.file, output / "examples" / example.file.name)
    (output / "style.css").write_text(code_styles() + (FILES / "style.css").read_text(encoding="utf-8"), encoding="utf-8")
    for name in ("search.js", "icon.svg"):
        shutil.copy(FILES / name, output / name)
    (output / "search_index.js").write_text(search_index(pages), encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", type=Path, default=ROOT / "build/release/bin/clearance")
    parser.add_argument("--module", type=Path, default=ROOT / "build/release/python", help="folder of the built Python module")
    parser.add_argument("--output", type=Path, default=ROOT / "out/site")
    parser.add_argument("--work", type=Path, default=ROOT / "build/site", help="where runs of examples are kept")
    parser.add_argument("--only", metavar="NAMES", help="run only these examples, with commas between; empty: none")
    parser.add_argument("--interactive", metavar="NAMES", default=",".join(gallery.INTERACTIVE), help="examples with an interactive page")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="examples at a time")
    arguments = parser.parse_args()
    sys.path.insert(0, str(arguments.module.resolve()))
    shutil.rmtree(arguments.output, ignore_errors=True)
    pages, library, shown = collect(arguments)
    write(pages, library, shown, arguments.output)
    size = sum(file.stat().st_size for file in arguments.output.rglob("*") if file.is_file())
    print(f"==> {len(pages)} pages, {size / 1e6:.0f} MB: {arguments.output / 'index.html'}")


if __name__ == "__main__":
    main()
