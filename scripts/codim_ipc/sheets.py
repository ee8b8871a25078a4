"""Scenes of cloth and paper: 1, 2, 4, 6 to 9, 11 to 13 and 18."""

from codim_ipc.bodies import (COTTON, PAPER, WOOL_AND_LYCRA, WOVEN_COTTON, box, cloth, held, obstacle, placed, scene, side,
                              solid, woven)


def table_cloth(folder, speed):
    """Scene 1: the cloth is pulled from under the tableware, for a metre from t = 1 s."""
    stiff = ["butterPlate", "fork", "meatPlate", "knife", "glass", "bottle"]
    bodies = [obstacle("floor", "tableFloor.obj", placed(translation=(-0.5, 0, 0))), obstacle("table", "table.obj"),
              cloth("cloth", "tableCloth.obj", COTTON, 0.1, 1.0, motions=[
                  held(box((-1, -1, 0.2), (0.1, 2, 0.8)), displacement=[f"-min(1, {speed} * max(0, t - 1))", 0, 0])])]
    bodies += [solid(name, f"{name}.vtk", 2000, 1e9) for name in stiff]
    bodies += [solid("butter", "butter.vtk", 870, 1e7, transform=placed(translation=(0, 0.001, 0))),
               solid("meat", "meat.vtk", 1000, 5e6)]
    return scene(bodies, step=0.01, steps=300, dhat=1e-3, fabric=COTTON, friction=0.2)


def twisted_cylinder(folder, offset):
    """Scene 2: the ends turn by 72 degrees a second and approach."""
    ends = [held(side(0, is_upper, 1e-5), linear_velocity=[-sign * 0.005, 0, 0], angular_velocity=[sign * 72, 0, 0])
            for is_upper, sign in ((False, -1), (True, 1))]
    body = cloth("cylinder", "cylinder7K.obj", COTTON, 0.1, 0.1, thickness=offset or None, has_limit=False, motions=ends)
    return scene([body], step=0.04, steps=1000, dhat=1e-3, offset=offset, fabric=COTTON, gravity=0.0)


def reef_knot(folder):
    """Scene 4: both ends of the ribbon are drawn for 1.5 s, then held."""
    pulls = [motion for is_upper, sign in ((False, -1), (True, 1)) for region in [side(0, is_upper, 0.01)]
             for motion in (held(region, linear_velocity=[sign * 0.1, 0, 0], end=1.5), held(region, start=1.5))]
    body = cloth("ribbon", "ribbon1.6K.obj", WOOL_AND_LYCRA, 0.1, 0.01, transform=placed(0.05), motions=pulls)
    return scene([body], step=0.04, steps=100, dhat=1e-3, fabric=WOOL_AND_LYCRA, friction=0.02, eps_v=1e-5, gravity=0.0)


def over_sphere(sheet, fabric, steps, start):
    """Returns a sheet that falls onto a sphere, which turns by 180 degrees a second from a time on, or never."""
    turn = [] if start is None else [held({}, angular_velocity=[0, 180, 0], center=[0, 0, 0], start=start)]
    sphere = obstacle("sphere", "sphere1K_0.3.obj", motions=turn)
    floor = obstacle("floor", "square21.obj", placed(translation=(0, -0.16, 0)))
    return scene([sphere, floor, sheet], step=0.04, steps=steps, dhat=1e-3, fabric=fabric, friction=0.4,
                 pairs=[("cloth", "cloth", 0.1)])


ABOVE_SPHERE = placed(translation=(0, 0.16, 0))


def rotating_sphere(folder):
    """Scene 6, with the finest sheet that is there."""
    return over_sphere(cloth("cloth", "square26K.obj", COTTON, 0.01, 0.1, transform=ABOVE_SPHERE), COTTON, 100, 1.0)


def locking(folder, memb, limit=None):
    """Scenes 11 and 12a: the sheet of scene 6, coarser, with membranes and limits of several stiffness. The sphere would
    turn from 2 s on, when they end."""
    shell = {} if limit is None else {"strain_limit": round(limit - 1.0, 6)}
    sheet = cloth("cloth", "square8K.obj", COTTON, memb, 1.0, has_limit=False, shell=shell, transform=ABOVE_SPHERE)
    return over_sphere(sheet, COTTON, 50, None)


def anisotropic(folder, memb):
    """Scene 13: a woven sheet, without its limits."""
    sheet = cloth("cloth", "square8K.obj", WOVEN_COTTON, memb, 1.0, has_limit=False, shell={"orthotropy": woven(memb)},
                  transform=ABOVE_SPHERE)
    return over_sphere(sheet, WOVEN_COTTON, 50, None)


def two_corners(folder):
    """Scene 12b: a sheet hangs from two opposite corners."""
    corners = {"box": [[-1, -1, -1], [1e-4, 2, 1e-4]], "frame": "body",
               "more_boxes": [[[1 - 1e-4, -1, 1 - 1e-4], [2, 2, 2]]]}
    sheet = cloth("cloth", "square2K.obj", COTTON, 0.01, 1.0, motions=[held(corners)])
    return scene([sheet], step=0.04, steps=100, dhat=1e-3, fabric=COTTON)


def funnel(folder):
    """Scene 7: a tetrahedron pushes three sheets through a funnel."""
    bodies = [obstacle("funnel", "skirt16x64.obj", placed(rotation=(180, 0, 0))),
              obstacle("pusher", "tet0.1.obj", placed(translation=(0, 0.5, 0)),
                       motions=[held({}, linear_velocity=[0, -0.3, 0])])]
    bodies += [cloth(f"cloth{k}", "square26K.obj", COTTON, 0.05, 1.0,
                     transform=placed(rotation=(0, 45 * k, 0), translation=(0, 0.2 + 0.05 * k, 0))) for k in range(3)]
    return scene(bodies, step=0.04, steps=80, dhat=1e-3, fabric=COTTON, friction=0.4)


def card_motions(is_left, number_of_release):
    """Returns the motions of a card: its lower side moves inwards and its upper one down until 1 s. Then they are held
    until one card after another is released, one a step."""
    inwards = 1 if is_left else -1
    motions = []
    for is_upper, velocity in ((False, [inwards * 0.005, 0, 0]), (True, [0, -0.005, 0])):
        # The mesh is level; turned by 45 degrees, the left card has its upper end at its largest x, the right at its least.
        region = side(0, is_upper == is_left, 1e-3)
        motions.append(held(region, linear_velocity=velocity, end=1.0))
        if number_of_release > 0:
            motions.append(held(region, start=1.0, end=1.0 + 0.02 * number_of_release))
    return motions


def card_shuffle(folder):
    """Scene 8: two halves of a deck are bent and let go, and two handles push them together."""
    way = "(t < 4 ? t - 3 : 5 - t)"
    bodies = [obstacle("floor", "square21.obj", friction=0.5)]
    for letter, inwards in (("L", 1), ("R", -1)):
        push = held({}, displacement=[f"{inwards * 0.04} * {way}", 0, 0], start=3.0, end=5.0)
        bodies.append(obstacle(f"handle{letter}", "card4.obj", friction=0.5, motions=[push], transform=placed(
            rotation=(0, 0, inwards * -90), translation=(inwards * -0.09, 0, 0))))
    for i in range(26, -1, -1):
        for is_left, inwards in ((True, 1), (False, -1)):
            shift = 2.2e-4 * i
            bodies.append(cloth(
                f"card{'L' if is_left else 'R'}{i}", "card15x7.obj", PAPER, 1.0, 1.0, thickness=1e-4, has_limit=False,
                transform=placed(rotation=(0, 0, inwards * 45), translation=(-inwards * (0.05 + shift), 0.032 + shift, 0)),
                motions=card_motions(is_left, 2 * i + is_left)))
    # Friction is 0.1 = sqrt(0.02 x 0.5) with the floor and the handles.
    return scene(bodies, step=0.02, steps=300, dhat=2e-4, offset=1e-4, fabric=PAPER, friction=0.02, eps_v=3.2e-5,
                 tolerance=5e-4)


def needles(folder):
    """Scene 9: a sheet is drawn off a bed of needles."""
    border = {"box": [[-1, -1, -1], [1e-3, 2, 2]], "frame": "body"}
    sheet = cloth("cloth", "square26K.obj", COTTON, 0.01, 1.0, transform=placed(translation=(0, 0.00118, 0)),
                  motions=[held(border, displacement=["-min(1, max(0, t - 1))", 0, 0])])
    return scene([obstacle("needles", "needleBed10x10.seg"), sheet], step=0.02, steps=150, dhat=1e-3, fabric=COTTON)


def sphere_on_stack(folder, dhat):
    """Scene 18: a soft ball falls onto ten sheets on the floor."""
    bodies = [obstacle("floor", "square21.obj")]
    bodies += [cloth(f"cloth{i}", "square8K.obj", COTTON, 0.01, 1.0,
                     transform=placed(rotation=(0, 90 * (i + 1) / 11, 0), translation=(0, 0.1 * (i + 1), 0)))
               for i in range(10)]
    bodies.append(solid("ball", "sphere1K.vtk", 1000, 1e4, transform=placed(0.3, translation=(0, 2.25, 0))))
    return scene(bodies, step=0.02, steps=140, dhat=dhat, fabric=COTTON, friction=0.1)
