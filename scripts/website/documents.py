"""Markdown documents as pages: headings get anchors, and paths of documents and examples become links."""

import html
import posixpath
import re

from markdown_it import MarkdownIt
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import get_lexer_by_name

from website.layout import Page, relative

# Paths that the text names, in backticks or not: `docs/results.md`, `examples/gears.json`, README.md.
NAMED = re.compile(r"(?<![\w/.])(?:\.\./)*((?:docs/(?:decisions/)?[\w-]+|README|ARCHITECTURE|CONTRIBUTING|CHANGELOG)\.md|examples/[\w-]+\.json)(?![\w/])")

# The page of the examples names its neighbours without their folder.
NAMED_BESIDE = re.compile(NAMED.pattern + r"|(?<![\w/])([\w-]+\.json)(?![\w/])")


def highlighted(code, language):
    """Returns code with its words marked, within <pre>."""
    lexer = get_lexer_by_name(language or "text", stripnl=False)
    return f'<pre class="code">{highlight(code, lexer, HtmlFormatter(nowrap=True)).rstrip()}</pre>'


def make_parser(language=""):
    """Returns a parser of Markdown with tables, whose code is of this language where it does not say another one."""
    return MarkdownIt("commonmark", {"highlight": lambda code, said, _: highlighted(code, said or language)}).enable("table")


def slug(text, taken):
    """Returns an anchor as GitHub makes it, so that links work there, too."""
    base = re.sub(r"[^\w\- ]", "", text.lower()).replace(" ", "-")
    anchor, count = base, 0
    while anchor in taken:
        count += 1
        anchor = f"{base}-{count}"
    taken.add(anchor)
    return anchor


class Library:
    """All documents of the source, and where each path of the source leads to in the site."""

    def __init__(self, root):
        self.root = root
        # The front page of the repository is that of the site.
        self.targets = {"README.md": "index.html", "examples/README.md": "examples/index.html"}
        for file in [*root.glob("*.md"), *root.glob("docs/*.md"), *root.glob("docs/decisions/*.md")]:
            source = file.relative_to(root).as_posix()
            self.targets.setdefault(source, source.replace("README.md", "index.html").removesuffix(".md") + (".html" if "README" not in source else ""))
        for file in root.glob("examples/*.json"):
            source = file.relative_to(root).as_posix()
            self.targets[source] = source.removesuffix(".json") + ".html"
        self.pictures = set()
        self.parser = make_parser()

    def sources(self):
        return [source for source in self.targets if source.endswith(".md")]

    def href(self, source, link):
        """Returns a link of a document as the site has it. Raises ValueError for one that leads nowhere."""
        if re.match(r"[a-z]+:", link) or link.startswith("#"):
            return link
        path, _, anchor = link.partition("#")
        path = posixpath.normpath(posixpath.join(posixpath.dirname(source), path))
        if path not in self.targets:
            raise ValueError(f"{source}: the link to {link} leads to no document")
        return relative(self.targets[path], self.targets[source]) + ("#" + anchor if anchor else "")

    def picture(self, source, link):
        path = posixpath.normpath(posixpath.join(posixpath.dirname(source), link))
        if not (self.root / path).exists():
            raise ValueError(f"{source}: there is no picture {link}")
        self.pictures.add(path)
        return relative(path, self.targets[source])

    def named(self, target, text, around):
        """Returns HTML of text, in which the paths of documents and examples are links from the page `target`; `around`
        wraps every piece."""
        pieces, end = [], 0
        for match in (NAMED_BESIDE if target == self.targets["examples/README.md"] else NAMED).finditer(text):
            path = match.group(1) or "examples/" + match.group(2)
            if self.targets.get(path, target) == target:
                continue
            if match.start() > end:
                pieces.append(around(html.escape(text[end:match.start()])))
            pieces.append(f'<a href="{relative(self.targets[path], target)}">{around(html.escape(match.group()))}</a>')
            end = match.end()
        return "".join(pieces) + (around(html.escape(text[end:])) if end < len(text) or not pieces else "")

    def page(self, source, group=None):
        """Returns the page of a document."""
        tokens = self.parser.parse((self.root / source).read_text(encoding="utf-8"))
        contents, sections, taken = [], [], set()
        for token, after in zip(tokens, [*tokens[1:], None]):
            if token.type == "heading_open":
                text = re.sub(r"[`*]", "", after.content)
                anchor = slug(text, taken)
                token.attrSet("id", anchor)
                contents.append((int(token.tag[1]), anchor, text))
                sections.append((text, anchor, []))
            elif sections and token.type in ("inline", "fence", "code_block"):
                sections[-1][2].append(token.content)
            self.adapt(source, token.children or [])
        body = self.parser.renderer.render(tokens, self.parser.options, {})
        body = body.replace("<table>", '<div class="table"><table>').replace("</table>", "</table></div>")
        # The text of a section begins with its own heading. Marks of Markdown are nothing to search for.
        sections = [(heading, anchor, re.sub(r"!?\[([^]]*)\]\([^)]*\)|[`*]", r"\1", " ".join(texts[1:]))) for heading, anchor, texts in sections]
        title = contents[0][2] if contents else source
        return Page(source, self.targets[source], title, body, contents, sections, group)

    def adapt(self, source, tokens):
        """Makes links and pictures of a line those of the site."""
        is_in_link = False
        for token in tokens:
            if token.type == "link_open":
                token.attrSet("href", self.href(source, token.attrGet("href")))
                is_in_link = True
            elif token.type == "link_close":
                is_in_link = False
            elif token.type == "image":
                token.attrSet("src", self.picture(source, token.attrGet("src")))
                token.attrSet("loading", "lazy")
            elif token.type in ("code_inline", "text") and not is_in_link:
                frame = "<code>{}</code>" if token.type == "code_inline" else "{}"
                token.type, token.content = "html_inline", self.named(self.targets[source], token.content, frame.format)
