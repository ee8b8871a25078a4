"""The frame of every page of the site: header with search, list of documents, contents of the page."""

import html
import posixpath

# Documents of the list beside every page, by group. A document that is not listed goes to the last group.
GROUPS = [
    ("Start", ["README.md", "docs/install.md", "examples/README.md", "docs/python.md", "docs/limits.md"]),
    ("Scenes", ["docs/scene.md", "docs/units.md", "docs/meshes.md", "docs/meshing.md", "docs/high_order.md", "docs/remeshing.md", "docs/thin.md", "docs/connections.md",
                "docs/contact_formulations.md", "docs/overlaps.md", "docs/robot_models.md", "docs/huge_scenes.md"]),
    ("Runs and results", ["docs/results.md", "docs/view.md", "docs/export.md", "docs/sweep.md", "docs/paths.md", "docs/contracts.md"]),
    ("Analysis", ["docs/static_analysis.md", "docs/modes.md", "docs/study.md", "docs/derivatives.md", "docs/learning.md"]),
    ("Libraries", ["python", "cpp", "docs/ccd.md"]),
    ("Evidence", ["docs/validation.md", "docs/benchmarks.md", "docs/taylor.md", "docs/evidence.md", "docs/published_scenes.md",
                  "docs/published_stiff_scenes.md", "docs/published_polyfem_scenes.md"]),
    ("Project", ["ARCHITECTURE.md", "CONTRIBUTING.md", "docs/decisions/README.md", "CHANGELOG.md", "docs/references.md"]),
]
TABS = [("README.md", "Start"), ("examples/README.md", "Gallery"), ("docs/scene.md", "Scene files"), ("python", "Python"), ("cpp", "C++")]


class Page:
    """A page to be written: `source` is the document that it shows, or a name of its own; `target` its path in the site.

    `contents` lists (level, anchor, text) of headings, `sections` (heading, anchor, text) for the search. `group` is the
    source of the listed page that it belongs to, `is_wide` gives it the room of the contents.
    """

    def __init__(self, source, target, title, body, contents=(), sections=(), group=None, is_wide=False):
        self.source, self.target, self.title, self.body = source, target, title, body
        self.contents, self.sections, self.group, self.is_wide = contents, sections, group or source, is_wide


def relative(target, page_target):
    """Returns the link from one page of the site to another, or to an anchor of it."""
    return posixpath.relpath(target, posixpath.dirname(page_target) or ".")


def render(page, pages):
    """Returns the HTML of a page; `pages` holds all of them by their source."""
    def link(source, text):
        here = ' aria-current="page"' if source == page.group else ""
        return f'<a href="{relative(pages[source].target, page.target)}"{here}>{html.escape(text)}</a>'

    listed = {source for _, sources in GROUPS for source in sources}
    rest = [source for source, other in pages.items() if other.group == source and source not in listed]
    groups = [(name, sources + (rest if name == GROUPS[-1][0] else [])) for name, sources in GROUPS]
    # The list has the first part of long titles.
    lists = [(name, "".join(f"<li>{link(source, pages[source].title.split(':')[0])}</li>" for source in sources if source in pages))
             for name, sources in groups]
    menu = "".join(f"<h2>{name}</h2><ul>{entries}</ul>" for name, entries in lists)
    tabs = "".join(link(source, text) for source, text in TABS if source in pages)
    entries = [f'<li class="level{level}"><a href="#{anchor}">{html.escape(text)}</a></li>' for level, anchor, text in page.contents if level in (2, 3)]
    contents = f'<aside><h2>On this page</h2><ul>{"".join(entries)}</ul></aside>' if len(entries) > 1 and not page.is_wide else ""
    root = relative(".", page.target)
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{html.escape(page.title)} - Clearance</title>
<link rel="icon" href="{root}/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="{root}/style.css">
<script src="{root}/search.js" data-root="{root}" defer></script>
</head>
<body>
<header>
<label id="menu-button" for="menu-open" title="List of documents">&#9776;</label>
<a id="brand" href="{root}/index.html"><img src="{root}/icon.svg" alt="">Clearance</a>
<nav id="tabs">{tabs}</nav>
<div id="search"><input type="search" placeholder="Search ( / )" aria-label="Search" autocomplete="off"><ol hidden></ol></div>
</header>
<input type="checkbox" id="menu-open" aria-label="List of documents">
<div id="columns">
<nav id="menu">{menu}</nav>
<main{' class="wide"' if page.is_wide else ""}>
{page.body}
</main>
{contents}
</div>
</body>
</html>
"""
