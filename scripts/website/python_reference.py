"""Reference of the Python module: signatures as the sources write them, documentation as the imported module has it."""

import ast
import html
import importlib
import inspect
import sys
import textwrap
from pathlib import Path

from website.documents import highlighted, make_parser
from website.layout import Page

# Modules that users import, besides the package itself.
MODULES = ["clearance", "clearance.ccd", "clearance.contact", "clearance.gym", "clearance.jax", "clearance.torch"]
SPECIAL = {"__call__", "__getitem__", "__setitem__", "__len__", "__iter__", "__contains__"}


class Reference:
    def __init__(self, documents):
        self.documents, self.parser, self.trees = documents, make_parser("python"), {}

    def pages(self):
        """Returns the page of the list of modules and a page of each module."""
        pages, rows = [], []
        for name in MODULES:
            page, summary = self.module(name)
            pages.append(page)
            rows.append(f'<tr><td><a href="{name}.html"><code>{name}</code></a></td><td>{html.escape(summary)}</td></tr>')
        body = ('<h1>Python reference</h1><p>Classes and functions of the module, from its own documentation. '
                '<a href="../docs/python.html">Clearance from Python</a> explains how they are used.</p>'
                f'<div class="table"><table>{"".join(rows)}</table></div>')
        return [Page("python", "python/index.html", "Python reference", body), *pages]

    def module(self, name):
        tree, documentation, public = self.contents(name)
        blocks, contents, sections = [f"<h1><code>{name}</code></h1>", self.text(documentation)], [(1, "", name)], [(name, "", documentation)]
        for entry in public:
            owner, node, value = self.definition(name, tree, entry)
            if node is None:
                continue
            block, text = self.class_block(owner, node, value) if isinstance(node, ast.ClassDef) else self.function_block(node, value, entry)
            blocks.append(block)
            contents.append((2, entry, entry))
            sections.append((f"{name}.{entry}", entry, text))
        page = Page(name, f"python/{name}.html", name, "\n".join(blocks), contents, sections, "python")
        return page, documentation.split("\n", 1)[0]

    def contents(self, name):
        """Returns the syntax tree of a module, its documentation and its public names."""
        file = Path(importlib.import_module("clearance").__file__).parent.joinpath(*name.split(".")[1:])
        file = file / "__init__.py" if file.is_dir() else file.with_suffix(".py")
        tree = self.tree(file)
        named = [node for node in tree.body if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "__all__"]
        if named:
            public = [entry for entry in ast.literal_eval(named[0].value) if not entry.startswith("__")]
        else:
            public = [node.name for node in tree.body if isinstance(node, (ast.ClassDef, ast.FunctionDef)) and not node.name.startswith("_")]
        return tree, ast.get_docstring(tree) or "", public

    def tree(self, file):
        if file not in self.trees:
            self.trees[file] = ast.parse(Path(file).read_text(encoding="utf-8"))
        return self.trees[file]

    def definition(self, module, tree, entry):
        """Returns the file that defines a public name, its syntax tree, and the object if its module can be imported."""
        try:
            value = getattr(importlib.import_module(module), entry, None)
        except ImportError:  # a module for a package that is not installed: its source says everything
            value = None
        trees = [tree]
        if value is not None and hasattr(value, "__module__"):
            file = inspect.getsourcefile(sys.modules[value.__module__])
            # The compiled part has a stub beside it.
            trees.append(self.tree(file or Path(sys.modules["clearance"].__file__).parent / "_core.pyi"))
        for each in trees:
            for node in each.body:
                if isinstance(node, (ast.ClassDef, ast.FunctionDef)) and node.name == entry:
                    return each, node, value
        return tree, None, value

    def text(self, documentation):
        """Returns HTML of documentation: Markdown that names documents by their paths."""
        tokens = self.parser.parse(documentation)
        for token in tokens:
            if token.type == "code_block":
                token.type = "fence"
            for child in token.children or []:
                if child.type in ("text", "code_inline"):
                    frame = "<code>{}</code>" if child.type == "code_inline" else "{}"
                    child.type, child.content = "html_inline", self.documents.named("python/index.html", child.content, frame.format)
        return self.parser.renderer.render(tokens, self.parser.options, {})

    def documentation(self, node, value):
        return ast.get_docstring(node) or inspect.getdoc(value) or ""

    def function_block(self, node, value, anchor, level=2):
        """Returns HTML of a function or method, and its text for the search."""
        documentation = self.documentation(node, value)
        return (f'<section class="entry level{level}" id="{anchor}">{highlighted(signature(node), "python")}'
                f'<div class="words">{self.text(documentation)}</div></section>'), f"{node.name} {documentation}"

    def class_block(self, tree, node, value):
        bases = [ast.unparse(base) for base in node.bases]
        initial = next((each for each in node.body if isinstance(each, ast.FunctionDef) and each.name == "__init__"), None)
        arguments = f"({parameters(initial.args)})" if initial else ""
        documentation = self.documentation(node, value)
        blocks = [f'<section class="entry level2" id="{node.name}"><h2 class="name">{node.name}</h2>'
                  f'{highlighted(f"class {node.name}{arguments}", "python")}<div class="words">{self.text(documentation)}</div>']
        words = [documentation]
        for owner in [node, *(each for each in tree.body if isinstance(each, ast.ClassDef) and each.name in bases and each.name.startswith("_"))]:
            for member in owner.body:
                block, text = self.member(node.name, member, value)
                blocks.append(block)
                words.append(text)
        return "".join(blocks) + "</section>", " ".join(words)

    def member(self, of, node, value):
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and not node.target.id.startswith("_"):
            name = node.target.id
            return f'<section class="entry level3" id="{of}.{name}">{highlighted(ast.unparse(node), "python")}</section>', name
        if not isinstance(node, ast.FunctionDef) or (node.name.startswith("_") and node.name not in SPECIAL):
            return "", ""
        if any("setter" in ast.unparse(each) or "overload" in ast.unparse(each) for each in node.decorator_list):
            return "", ""
        return self.function_block(node, getattr(value, node.name, None), f"{of}.{node.name}", 3)


def parameters(arguments):
    """Returns the parameters of a method without the first, which stands for the object."""
    text = ast.unparse(arguments)
    first, _, rest = text.partition(",")
    return rest.strip() if first.split(":")[0].strip() in ("self", "cls") else text


def signature(node):
    """Returns a function as its users call it; a property as an attribute."""
    result = f" -> {ast.unparse(node.returns)}" if node.returns else ""
    if any(ast.unparse(each) in ("property", "functools.cached_property", "cached_property") for each in node.decorator_list):
        return node.name + result.replace(" -> ", ": ", 1)
    line = f"{node.name}({parameters(node.args)}){result}"
    if len(line) <= 100:
        return line
    return "\n".join(textwrap.wrap(line, 100, subsequent_indent=" " * (len(node.name) + 1), break_long_words=False))
