"""Mutated input under sanitizers: targets of libFuzzer (tests/fuzz/targets), one figure each, and their first inputs."""

import re
import shutil
from dataclasses import dataclass

from bench_common import ROOT, peer_data
from reliability_figures import counts_of, failure_text

# Bytes of a first input; larger ones would make all others slow.
LARGEST_SEED = 20_000
# The formats of fuzz/targets/mesh.cpp, in its order.
MESH_FORMATS = ["msh", "obj", "ply", "stl", "off", "vtu", "vtk", "inp", "node", "ele", "seg", "pt"]
MESHES = {
    "msh": "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n4\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n$EndNodes\n"
           "$Elements\n2\n1 4 2 1 1 1 2 3 4\n2 2 2 1 1 1 2 3\n$EndElements\n",
    "obj": "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nvt 0 0\nvt 1 0\nvt 0 1\nf 1/1 2/2 3/3\nl 1 2 4\np 4\n",
    "ply": "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\n"
           "element face 1\nproperty list uchar int vertex_indices\nend_header\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n",
    "stl": "solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\n"
           "endsolid a\n",
    "off": "OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n",
    "vtk": "# vtk DataFile Version 4.2\nt\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 4 float\n0 0 0 1 0 0\n0 1 0 0 0 1\n"
           "CELLS 2 7\n4 0 1 2 3\n1 0\nCELL_TYPES 2\n10\n1\n",
    "inp": "*NODE, NSET=N\n1, 0, 0, 0\n2, 1, 0, 0\n3, 0, 1, 0\n4, 0, 0, 1\n*ELEMENT, TYPE=C3D4, ELSET=E\n1, 1, 2,\n3, 4\n"
           "*NSET, NSET=M, GENERATE\n1, 3, 2\n*SURFACE, NAME=S, TYPE=ELEMENT\nE, S1\n",
    "node": "3 2 0 1\n1 0 0 1\n2 1 0 1\n3 0 1 1\n",
    "ele": "2 4 0\n1 1 2 3 5\n2 4 3 2 5\n",
    "seg": "v 0 0 0\nv 1 0 0\nv 0 1 0\ns 1 2\ns 2 3\n",
    "pt": "v 0 0 0\nv 1 0 0\n",
}
# A deformable and a rigid body on a half-space: its result has everything that is read again.
SMALL_SCENE = """{"time": {"step": 0.01, "duration": 0.03}, "output": {"certificate": true, "fields": ["von_mises"]},
 "half_spaces": [{"point": [0, -0.3, 0]}], "bodies": [
 {"name": "soft", "generator": {"kind": "box", "size": [0.5, 0.5, 0.5], "resolution": [1, 1, 1]}},
 {"name": "stiff", "kind": "rigid", "generator": {"kind": "box", "size": [0.5, 0.5, 0.5], "resolution": [1, 1, 1]},
  "transform": {"translation": [0, 0.7, 0]}}]}"""


def files(*patterns):
    """Returns names and contents of small files below the examples and the data of other programs."""
    found = []
    for folder, pattern in patterns:
        for path in sorted(folder.glob(pattern)):
            if path.stat().st_size <= LARGEST_SEED:
                found.append((f"{len(found):04}_{path.name}", path.read_bytes()))
    return found


def result_files(pattern):
    """Returns a function that runs the small scene and finds files of its result."""
    def find(place):
        scene, result = place.folder / "small.json", place.folder / "small"
        scene.write_text(SMALL_SCENE)
        status, _, text = place.run([place.program.path, "run", scene, "-o", result, "-q", "--overwrite"])
        if status != 0:
            raise RuntimeError(text)
        found = files(*((result, p) for p in pattern.split()))
        shutil.rmtree(result)
        return found
    return find


def mesh_files(place):
    found = [(f"a.{name}", bytes([MESH_FORMATS.index(name)]) + text.encode()) for name, text in MESHES.items()]
    for name, content in files((ROOT / "examples", "*.obj"), (ROOT / "examples", "*.msh")):
        found.append((name, bytes([MESH_FORMATS.index(name.rsplit(".")[-1])]) + content))
    for name, content in result_files("frames/*.vtu")(place):
        found.append((name, bytes([MESH_FORMATS.index("vtu")]) + content))
    return found


@dataclass(frozen=True)
class FuzzFigure:
    """A target of libFuzzer. Inputs that have reached new code are kept; every slice has another seed."""
    target: str
    title: str
    seeds: object  # a function of the place that returns names and contents of the first inputs
    goal: int = 1_000_000
    unit: str = "inputs"

    @property
    def name(self):
        return f"input-{self.target}"

    def path(self, builds):
        return builds / "fuzz" / "bin" / f"fuzz_{self.target}"

    def run(self, state, units, _seconds, place):
        corpus, first = place.folder / "corpus", place.folder / "first"
        corpus.mkdir(exist_ok=True)
        if not first.exists():
            contents = self.seeds(place)
            first.mkdir()
            for name, content in contents:
                (first / name).write_bytes(content)
        # Reading what is there counts as inputs, too.
        units += sum(1 for folder in (corpus, first) for _ in folder.iterdir())
        status, cpu, text = place.run([
            self.path(place.builds), corpus, first, f"-runs={units}", f"-seed={state['next']}", "-timeout=300",
            "-rss_limit_mb=4000", f"-max_len={LARGEST_SEED}", "-print_final_stats=1", f"-artifact_prefix={place.folder}/"])
        counts = counts_of({self.unit: r"stat::number_of_executed_units:\s*(\d+)", "that reach new code": r"stat::new_units_added:\s*(\d+)"}, text)
        outcome = {"next": state["next"] + 1, "status": status, "cpu": cpu, "counts": counts, "message": ""}
        if status != 0 or not counts:
            kept = re.findall(r"Test unit written to (\S+)", text)
            outcome.update({"message": failure_text(text), "slice": {"input": kept[0] if kept else ""}})
        return outcome

    def repeat(self, failure, place):
        """Reads the input again that a slice has failed with."""
        status, cpu, text = place.run([self.path(place.builds), failure["slice"]["input"]])
        return {"status": status, "cpu": cpu, "counts": {self.unit: 1}, "message": failure_text(text)}


FUZZ_FIGURES = [
    FuzzFigure("scene", "mutated scenes (native, Rigid IPC, PolyFEM)",
               lambda place: files((ROOT / "examples", "*.json"), (peer_data() / "rigid-ipc" / "fixtures", "**/*.json"),
                                   (peer_data() / "polyfem-data", "**/*.json"))),
    FuzzFigure("script", "mutated scripts of the IPC reference",
               lambda place: files((ROOT / "tests" / "fuzz" / "seeds", "*.txt"), (peer_data() / "ipc" / "input", "**/*.txt"))),
    FuzzFigure("mesh", "mutated meshes of twelve formats", mesh_files),
    FuzzFigure("frame", "mutated frames and lists of frames", result_files("frames/*.vtu frames.pvd")),
    FuzzFigure("checkpoint", "mutated checkpoints, with hashes that are right", result_files("checkpoint/state.bin")),
    FuzzFigure("certificate", "mutated certificates, with hashes that are right", result_files("certificate.bin")),
    FuzzFigure("urdf", "mutated robots (URDF)", lambda place: files((ROOT / "examples" / "robots", "*.urdf"))),
]
