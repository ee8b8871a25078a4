"""Gallery of the examples: each is run, and its page shows picture, film, scene and the statistics of the run."""

import html
import re
import shutil
import subprocess
from concurrent.futures import ThreadPoolExecutor

from website.documents import highlighted
from website.layout import Page

# Results that have an interactive page: soft bodies, stiff bodies, a thin one, and fields with probes.
INTERACTIVE = ["drop_in_bowl", "chain_net", "tablecloth", "squashed_block"]
PICTURE, FILM = "960x540", "640x360"


class Example:
    def __init__(self, root, file, frame, is_interactive):
        self.name, self.file, self.frame, self.is_interactive = file.stem, file, frame, is_interactive
        self.source = file.relative_to(root).as_posix()
        self.text = file.read_text(encoding="utf-8")
        # The first line of a scene says what it shows.
        self.sentence = self.text.partition("\n")[0].removeprefix("//").strip() if self.text.startswith("//") else ""
        self.is_run = False

    @property
    def title(self):
        return self.name.replace("_", " ").capitalize()


def frames_to_look_at(text):
    """Returns the first frame that the tables of examples/README.md recommend, by the name of the scene."""
    rows = re.findall(r"^\| `(\w+)\.json` \|.*\| ([^|]*) \|$", text, re.M)
    return {name: int(match.group()) for name, column in rows if (match := re.match(r"\d+(?=:)", column))}


class Gallery:
    """Runs of examples in `work`, which are kept, and the files made of them in `site`."""

    def __init__(self, root, program, work, site, interactive):
        self.root, self.program, self.work, self.site = root, program, work, site
        frames = frames_to_look_at((root / "examples/README.md").read_text(encoding="utf-8"))
        self.examples = [Example(root, file, frames.get(file.stem), file.stem in interactive) for file in sorted(root.glob("examples/*.json"))]

    def call(self, *words):
        done = subprocess.run([str(word) for word in (self.program, *words)], capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise RuntimeError(f"{' '.join(map(str, words))}: {done.stdout}{done.stderr}")

    def run(self, names, jobs):
        """Runs the examples with these names, unless nothing has changed since, and makes pictures, films and pages."""
        chosen = [example for example in self.examples if example.name in names]
        with ThreadPoolExecutor(jobs) as pool:
            for example in pool.map(self.make, chosen):
                print(f"    {example.name}", flush=True)

    def make(self, example):
        folder, made = self.work / example.name, self.work / "files"
        made.mkdir(parents=True, exist_ok=True)
        outputs = [made / f"{example.name}.png", made / f"{example.name}.mp4"]
        if example.is_interactive:
            outputs.append(made / f"{example.name}.html")
        changed = max(file.stat().st_mtime for file in [self.program, *self.root.glob(f"examples/{example.name}*")])
        if not all(output.exists() and output.stat().st_mtime > changed for output in outputs):
            self.call("run", example.file, "-o", folder, "--overwrite", "--threads", 1, "-q")
            color = ["--color", "stress"] if '"von_mises"' in example.text else []
            frame = ["--frame", example.frame] if example.frame is not None else []
            self.call("render", folder, "-o", outputs[0], "--size", PICTURE, *frame, *color)
            self.call("render", folder, "-o", outputs[1], "--size", FILM, *color)
            if example.is_interactive:
                self.call("export", folder, "-o", outputs[2], "--overwrite")
        (self.site / "gallery").mkdir(parents=True, exist_ok=True)
        for output in outputs:
            shutil.copy(output, self.site / "gallery" / output.name)
        example.is_run = True
        return example



    def picture(self, example, library):
        """Returns the path of a picture in the site, or None without one."""
        if example.is_run:
            return f"gallery/{example.name}.png"
        kept = f"docs/pictures/{example.name}.png"
        if not (self.root / kept).exists():
            return None
        library.pictures.add(kept)
        return kept

    def cards(self, examples, library, prefix):
        """Returns pictures with names, which lead to the pages of examples; `prefix` leads to the root of the site."""
        cards = []
        for example in examples:
            picture = self.picture(example, library)
            shown = f'<img src="{prefix}{picture}" alt="" loading="lazy">' if picture else '<span class="none"></span>'
            cards.append(f'<a class="card" href="{prefix}examples/{example.name}.html">{shown}<b>{html.escape(example.title)}</b>'
                         f'<span>{html.escape(example.sentence)}</span></a>')
        return f'<div class="cards">{"".join(cards)}</div>'

    def pages(self, library):
        """Returns the page of each example."""
        return [self.page(example, library) for example in self.examples]

    def page(self, example, library):
        picture = self.picture(example, library)
        shown = f'<img src="../{picture}" alt="">' if picture else ""
        if example.is_run:
            shown = (f'<video controls loop muted playsinline preload="metadata" poster="../{picture}" '
                     f'src="../gallery/{example.name}.mp4"></video>')
        if example.is_run and example.is_interactive:
            shown += f'<p><a class="button" href="../gallery/{example.name}.html">Turn it and play it</a></p>'
        commands = f"clearance run {example.source} -o out/{example.name}\nclearance view out/{example.name}"
        body = (f"<h1>{html.escape(example.title)}</h1><p>{html.escape(example.sentence)}</p>"
                f'<div class="beside"><div>{shown}{highlighted(commands, "sh")}</div>'
                f'<div><p class="file"><a href="{example.name}.json" download>{example.file.name}</a></p>{highlighted(example.text, "json")}</div></div>')
        sections = [(example.title, "", f"{example.name} {example.sentence} {example.text}")]
        return Page(example.source, f"examples/{example.name}.html", example.title, body, [], sections, "examples/README.md", is_wide=True)
