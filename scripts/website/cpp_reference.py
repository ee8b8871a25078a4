"""Reference of the public C++ headers, which Doxygen reads."""

import html
import re
import subprocess
import tempfile
import xml.etree.ElementTree as ElementTree
from pathlib import Path

from website.documents import highlighted, make_parser
from website.layout import Page

CONFIGURATION = """
INPUT = {headers}
STRIP_FROM_PATH = {source}
OUTPUT_DIRECTORY = {folder}
GENERATE_HTML = NO
GENERATE_LATEX = NO
GENERATE_XML = YES
XML_PROGRAMLISTING = NO
EXTRACT_ALL = YES
QUIET = YES
WARNINGS = NO
"""
# Headers that most programs begin with; the others follow by folder.
FIRST = ["simulation/simulation.h", "simulation/run.h", "io/scene_reader.h", "scene/scene.h", "base/result.h", "ccd/ccd.h"]


def public_headers(root):
    """Returns the headers that are installed, below src/clearance."""
    text = (root / "cmake/package.cmake").read_text(encoding="utf-8")
    found = {word for block in re.findall(r"HEADERS ((?:[\w/]+\.h\s*)+)", text) for word in block.split()}
    return sorted(found, key=lambda header: (FIRST.index(header) if header in FIRST else len(FIRST), header))


def tidy(text):
    """Returns a declaration as the sources write it: Doxygen puts blanks into templates and before references."""
    text = re.sub(r"<\s+", "<", re.sub(r"\s+>", ">", text))
    return re.sub(r"\s*([&*]+)\s*(?=\w)", r"\1 ", re.sub(r"\s+([&*]+)(?=\W|$)", r"\1", text)).strip()


def words(node):
    """Returns HTML and text of a description."""
    if node is None:
        return "", ""
    plain = " ".join("".join(node.itertext()).split())
    return "".join(paragraph(each) for each in node), plain


def paragraph(node):
    inside = html.escape(node.text or "") + "".join(paragraph(child) + html.escape(child.tail or "") for child in node)
    tags = {"para": "p", "computeroutput": "code", "emphasis": "em", "bold": "strong", "itemizedlist": "ul", "orderedlist": "ol",
            "listitem": "li", "verbatim": "pre", "programlisting": "pre"}
    tag = tags.get(node.tag)
    return f"<{tag}>{inside}</{tag}>" if tag else inside


def page_of(header):
    """Returns the name of the page of a header."""
    return header.removeprefix("clearance/").removesuffix(".h").replace("/", "_") + ".html"


class Entry:
    """A declaration of a header: what it says and where it stands."""

    def __init__(self, node, line, name, declaration):
        self.line, self.name, self.declaration, self.members = line, name, declaration, []
        brief, plain_brief = words(node.find("briefdescription"))
        detailed, plain = words(node.find("detaileddescription"))
        self.body, self.plain = brief + detailed, f"{name} {plain_brief} {plain}"


def template(node):
    parameters = node.find("templateparamlist")
    if parameters is None:
        return ""
    return "template <" + ", ".join(" ".join(filter(None, (each.findtext("type"), each.findtext("declname")))) for each in parameters) + ">\n"


def declaration(node):
    """Returns the declaration of a function, a variable, an enumeration or a type alias."""
    kind, name = node.get("kind"), node.findtext("name")
    of_type = tidy("".join(node.find("type").itertext())) if node.find("type") is not None else ""
    if kind == "enum":
        return f"enum {'class ' if node.get('strong') == 'yes' else ''}{name} {{ " + ", ".join(each.findtext("name") for each in node.findall("enumvalue")) + " };"
    if kind == "typedef":
        return f"{template(node)}using {name} = {of_type};"
    if kind == "variable":
        return f"{of_type} {name}{tidy(' ' + ''.join(node.find('initializer').itertext())) if node.find('initializer') is not None else ''};".replace("=", " =", 1)
    before = ("static " if node.get("static") == "yes" else "") + ("explicit " if node.get("explicit") == "yes" else "")
    return f"{template(node)}{before}{of_type}{' ' if of_type else ''}{name}{tidy(node.findtext('argsstring') or '')};"


def entry(node):
    made = Entry(node, int(node.find("location").get("line")), node.findtext("name"), declaration(node))
    # Values of an enumeration are documented one by one.
    for value in node.findall("enumvalue"):
        made.members.append(Entry(value, 0, value.findtext("name"), value.findtext("name")))
    if all(not member.body for member in made.members):
        made.members = []
    return made


def is_copying(node, owner):
    """Returns whether a member is an assignment, a destructor, or a constructor from another object of its class."""
    name, arguments = node.findtext("name"), node.findtext("argsstring") or ""
    return name == "operator=" or name.startswith("~") or (name == owner and bool(re.match(rf"\((const )?{owner} ?&", arguments)))


def read(folder):
    """Returns the entries of each header, in the order of their lines."""
    headers = {}
    for file in sorted(folder.glob("*.xml")):
        compound = ElementTree.parse(file).getroot().find("compounddef")
        if compound is None or compound.get("kind") not in ("struct", "class", "namespace") or "@" in compound.findtext("compoundname"):
            continue
        members = [each for each in compound.iter("memberdef") if each.get("prot") == "public" and each.get("kind") != "friend"]
        if compound.get("kind") == "namespace":
            for member in members:
                headers.setdefault(member.find("location").get("file"), []).append(entry(member))
        elif compound.get("prot", "public") == "public":
            name = compound.findtext("compoundname").removeprefix("clearance::")
            members = [each for each in members if not is_copying(each, name)]
            made = Entry(compound, int(compound.find("location").get("line")), name, f"{template(compound)}{compound.get('kind')} {name};")
            made.members = sorted(map(entry, members), key=lambda each: each.line)
            headers.setdefault(compound.find("location").get("file"), []).append(made)
    return {header: sorted(entries, key=lambda each: each.line) for header, entries in headers.items()}


def opening_comment(file):
    """Returns the comment that a header begins with, without its slashes."""
    lines = []
    for line in file.read_text(encoding="utf-8").splitlines():
        if not line.startswith("//"):
            break
        lines.append(line.removeprefix("//").strip())
    return "\n".join(lines)


class Reference:
    def __init__(self, root):
        self.root, self.source = root, root / "src"
        self.headers, self.parser = public_headers(root), make_parser("cpp")

    def pages(self):
        """Returns the page of the list of headers and a page of each header."""
        with tempfile.TemporaryDirectory() as folder:
            paths = " ".join(f'"{self.source / "clearance" / header}"' for header in self.headers)
            configuration = CONFIGURATION.format(headers=paths, source=self.source, folder=folder)
            subprocess.run(["doxygen", "-"], input=configuration, text=True, check=True)
            entries = read(Path(folder, "xml"))
        # The table says which page the name of each type leads to.
        self.places = {each.name: (header, each.name) for header, found in entries.items() for each in found
                       if re.match(r"(template <.*>\n)?(struct|class|enum)", each.declaration)}
        pages, rows = [], []
        for header in self.headers:
            opening = opening_comment(self.source / "clearance" / header)
            pages.append(self.page(header, opening, entries.get(f"clearance/{header}", [])))
            first = self.parser.render(opening.split("\n\n")[0])
            rows.append(f'<tr><td><a href="{page_of(header)}"><code>{header}</code></a></td><td>{first}</td></tr>')
        body = ("<h1>C++ reference</h1><p>Headers that <code>./dev install</code> installs below <code>clearance/</code>. "
                '<a href="../index.html#use-the-libraries-in-your-program">Two targets of CMake</a>, <code>clearance::simulation</code> '
                "and <code>clearance::ccd</code>, have them and their libraries; <code>examples/use_simulation</code> and "
                "<code>examples/use_ccd</code> are programs of a page.</p>"
                f'<div class="table"><table>{"".join(rows)}</table></div>')
        return [Page("cpp", "cpp/index.html", "C++ reference", body), *pages]

    def page(self, header, opening, entries):
        target = "cpp/" + page_of(header)
        include = highlighted(f'#include "clearance/{header}"', "cpp")
        blocks = [f"<h1><code>{header}</code></h1>", include, self.parser.render(opening)]
        contents, sections = [(1, "", header)], [(header, "", opening)]
        # Overloads of a function share an anchor with the first of them.
        taken = set()
        for each in entries:
            is_first = each.name not in taken
            taken.add(each.name)
            blocks.append(self.block(each, 2, each.name if is_first else None, target))
            if is_first:
                contents.append((2, each.name, each.name))
                sections.append((each.name, each.name, " ".join([each.plain, *(member.plain for member in each.members)])))
        return Page(f"cpp/{header}", target, header, "\n".join(blocks), contents, sections, "cpp")

    def block(self, each, level, anchor, target):
        """Returns HTML of a declaration with its members."""
        identity = f' id="{html.escape(anchor)}"' if anchor else ""
        code = highlighted(each.declaration, "cpp")
        for name, (header, there) in self.places.items():
            if name in each.declaration and name != each.name:
                page = "" if "cpp/" + page_of(header) == target else page_of(header)
                link = f'<a href="{page}#{there}">{name}</a>'
                code = re.sub(rf"(<span class=\"\w+\">){re.escape(name)}(</span>)", lambda match, link=link: match.group(1) + link + match.group(2), code)
        members = "".join(self.block(member, 3, None, target) for member in each.members)
        title = f'<h2 class="name">{html.escape(each.name)}</h2>' if level == 2 and each.members else ""
        return f'<section class="entry level{level}"{identity}>{title}{code}<div class="words">{each.body}</div>{members}</section>'
