"""Scenes of Codimensional IPC [Li21] that `./dev evidence` runs, numbered as their scripts, and those it leaves out."""

import json
from functools import partial

from codim_ipc import lines, sheets

# Names say where a mesh stands for one that is not in the snapshot of the authors' data.
RECIPES = {
    **{f"1_table_cloth_pull_{v}": partial(sheets.table_cloth, speed=v) for v in (1, 2, 4, 8)},
    "2_twisted_cylinder_7K_for_88K": partial(sheets.twisted_cylinder, offset=1.5e-3),
    "2_twisted_cylinder_7K_for_88K_no_offset": partial(sheets.twisted_cylinder, offset=0.0),
    "3a_braids": lines.braids,
    "3b_hairs": lines.hairs,
    "4_reef_knot_1.6K_for_100K": sheets.reef_knot,
    "6_rotating_sphere_26K_for_85K": sheets.rotating_sphere,
    "7_funnel": sheets.funnel,
    "8_card_shuffle": sheets.card_shuffle,
    "9_needles": sheets.needles,
    "10_noodles": lines.noodles,
    **{f"11_locking_memb_{memb:g}": partial(sheets.locking, memb=memb) for memb in (1.0, 0.1, 0.01)},
    "11_locking_memb_0.01_limit": partial(sheets.locking, memb=0.01, limit=1.0608),
    **{f"12a_limit_{limit}": partial(sheets.locking, memb=0.01, limit=limit) for limit in (1.01, 1.001)},
    "12b_two_corners": sheets.two_corners,
    **{f"13_anisotropic_memb_{memb:g}_no_limits": partial(sheets.anisotropic, memb=memb) for memb in (1.0, 0.1, 0.01)},
    **{f"18_sphere_on_stack_dhat_{dhat:g}": partial(sheets.sphere_on_stack, dhat=dhat) for dhat in (1e-2, 5e-3, 1e-3)},
    "21_sprinkles": lines.sprinkles,
    "22_granules": lines.granules,
    "23_all_in": lines.all_in,
}


def write_scene(name, path):
    """Writes a scene and the meshes made for it beside it, unless it is there: results continue from what they began
    with."""
    if path.exists():
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    scene = {**RECIPES[name](path.parent), "name": name}
    path.write_text(json.dumps(scene, indent=1) + "\n")
