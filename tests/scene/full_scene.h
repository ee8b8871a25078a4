// Scenes in which every value differs from its default: contact has one formulation of several.
#pragma once

#include "clearance/scene/scene.h"

namespace clearance {

inline const ContactOptions full_convergent = ConvergentOptions{false, true, false};
inline const ContactOptions full_gcp =
    GcpOptions{.alpha_t = 0.2, .alpha_n = 0.15, .adaptive_dhat = false, .published = true};

inline SceneDesc full_scene(const ContactOptions& options = full_convergent) {
  SceneDesc scene;
  scene.name = "everything \"quoted\" \u00e4";
  scene.axisymmetric = true;
  scene.gravity = {0.1, -1.0 / 3.0, 1e-300};
  scene.time = {.step = 1.0 / 3.0,
                .duration = 7.7,
                .integrator = TimeIntegrator::bdf2_restarted,
                .newmark_beta = 0.3,
                .newmark_gamma = 0.6,
                .mass = MassKind::lumped,
                .max_halvings = 3,
                .accuracy = 0.015625};
  scene.statics = {.quadratic_elements = 123, .hold_free = true};
  scene.contact = {.enabled = false,
                   .options = options,
                   .scales = ContactScaleKind::scene,
                   .stiffness = ContactStiffnessKind::published,
                   .dhat = 1.1e-3,
                   .dhat_is_absolute = true,
                   .kappa = 1e9,
                   .kappa_min_multiplier = 3e10,
                   .close_distance = 1e-8,
                   .min_separation = 5e-324,
                   .gap_tolerance = 0.04,
                   .separate_curved = true,
                   .obstacles_only = true,
                   .restitution = 0.4,
                   .restitution_pairs = {RestitutionPairDesc{.bodies = {"cube", "ball"}, .restitution = 0.6}},
                   .ignored_pairs = {IgnoredPairDesc{.bodies = {"cube", "link"}}}};
  scene.friction = {
      .coefficient = 0.25,
      .static_coefficient = 0.5,
      .eps_v = 2e-4,
      .eps_v_is_absolute = true,
      .stick = 2e-5,
      .iterations = 3,
      .pairs = {FrictionPairDesc{.bodies = {"cube", "ball"}, .coefficient = 0.1, .static_coefficient = 0.2}}};
  scene.solver = {.convergence = Convergence::published,
                  .force_tolerance = 2e-4,
                  .tolerance = 0.1 + 0.2,
                  .tolerance_is_absolute = true,
                  .max_iterations = 77,
                  .linear_solver = LinearSolverChoice::pcg,
                  .petsc = {.method = PetscMethod::hypre, .tolerance = 3e-9, .max_iterations = 123},
                  .ccd = CcdMethod::tight_inclusion};
  scene.remesh = RemeshDesc{.enabled = false,
                            .criterion = RemeshCriterion::size,
                            .split = false,
                            .collapse = false,
                            .swap = true,
                            .smooth = true,
                            .error = 0.05,
                            .gain = 1.0 / 3.0,
                            .relative_gain = 2e-4,
                            .loss = 1e-9,
                            .relative_loss = 0.0,
                            .split_quantile = 0.85,
                            .collapse_quantile = 0.2,
                            .depth = 2,
                            .rounds = 4,
                            .smallest_edge = 0.01,
                            .largest_count = 5000,
                            .quality = 0.1,
                            .size_strain = 0.3,
                            .size_contact = 2.5};
  BodyDesc cube;
  cube.name = "cube";
  cube.remesh.emplace().enabled = false;
  cube.mesh = "meshes/cube.msh";
  cube.units = LengthUnit::inch;
  cube.up = UpAxis::z;
  cube.volume_mesh = VolumeMeshDesc{.edge_length = 0.01, .order = 3, .tolerance = 0.02};
  cube.transform = {.scale = {1, 2, 3}, .rotation = {10, -0.0, 30}, .translation = {-1, -2, -3}};
  cube.array = ArrayDesc{.counts = {2, 3, 4}, .spacing = {5, 6, 7}};
  cube.material = {.model = ElasticModel::st_venant_kirchhoff,
                   .density = 123.4,
                   .youngs_modulus = 2e7,
                   .poisson_ratio = -0.1,
                   .damping = 0.01,
                   .plane_stress = true,
                   .stiffness = 2e9};
  cube.order = 3;
  cube.collision_surface = CollisionSurfaceDesc{.mesh = {}, .segments = 0, .tolerance = 0.02, .input = true};
  cube.refinements = 2;
  cube.material_parts = {MaterialPartDesc{.elements = {3, 1}, .region = {}, .material = {.density = 12.5}}};
  cube.material_fields = {
      MaterialFieldDesc{.number = MaterialNumber::damping, .expression = "1000 * (1 + x)", .values = {}, .array = {}},
      MaterialFieldDesc{
          .number = MaterialNumber::poisson_ratio, .expression = "", .values = {0.1, 1.0 / 3.0}, .array = {}},
      MaterialFieldDesc{.number = MaterialNumber::youngs_modulus, .expression = "", .values = {}, .array = "E"}};
  cube.element_densities = {1000.5, 1.0 / 3.0};
  cube.velocity = Expressions{"y", "0.5", "0"};
  cube.stiff_parts = {StiffPartDesc{.region = RegionDesc{}, .density = 7800, .stiffness = 1e10}};
  cube.collision_group = 3;
  cube.linear_velocity = {1, 2, 3};
  cube.angular_velocity = {4, 5, 6};
  cube.self_contact = false;
  MotionDesc motion;
  motion.region = {.box = std::array<Vec<3>, 2>{Vec<3>(0, 0.1, 0.2), Vec<3>(1, 1.1, 1.2)},
                   .more_boxes = {Corners{Vec<3>(0, 0, 0.5), Vec<3>(0.1, 1, 1)}},
                   .frame = RegionFrame::body,
                   .surface_only = true,
                   .nodes = {4, 2}};
  motion.linear_velocity = {7, 8, 9};
  motion.angular_velocity = {-72, 0, 0};
  motion.center = Vec<3>(0.5, 0.25, 0.125);
  motion.start = 0.5;
  motion.end = 1.5;
  motion.release = ReleaseDesc{.axis = 2, .above = 3.25};
  motion.displacement = Expressions{"0.1 * sin(t)", "x", "0"};
  motion.components = {true, false, true};
  MotionDesc sequence;
  sequence.mesh_sequence = "frames";
  sequence.mesh_sequence_first = 0;
  LoadDesc load;
  load.region.box = std::array<Vec<3>, 2>{Vec<3>(0, 0, 0), Vec<3>(1, 1, 1)};
  load.kind = LoadKind::traction;
  load.value = {1, 2, 3};
  load.start = 0.25;
  load.end = 0.75;
  LoadDesc formula;
  formula.expression = Expressions{"t", "0", "-z"};
  cube.loads = {load, formula};
  cube.friction = 0.3;
  cube.static_friction = 0.4;
  cube.motions = {motion, sequence, MotionDesc{}};
  BodyDesc ball;
  ball.name = "ball";
  ball.kind = BodyKind::obstacle;
  ball.generator = GeneratorDesc{
      .kind = GeneratorKind::blocks,
      .size = {2.0, 0.5, 0.25},
      .resolution = {8, 9},
      .blocks = {Corners{Vec<3>(0, 0.1, 0), Vec<3>(1, 1, 1.0 / 3.0)}, Corners{Vec<3>(1, 0.1, 0), Vec<3>(2, 3, 4)}},
      .is_surface = true};
  BodyDesc link;
  link.name = "link";
  link.kind = BodyKind::rigid;
  link.geometry = GeometryDesc{
      .vertices = {{0, 0.1, 0}, {1, 0, 0}, {0, 1, 1.0 / 3.0}}, .edges = {{0, 1}, {1, 2}}, .triangles = {{2, 0, 1}}};
  link.split_components = true;
  link.mass = 2.5;
  link.thickness = 0.125;
  link.fixed_translation = {true, false, true};
  link.fixed_rotation = {false, true, false};
  link.motions.resize(1);
  link.motions[0].poses = {PoseDesc{.position = {1, 2, 3}, .rotation = {90, 0, 0}}, PoseDesc{}};
  link.loads.resize(1);
  link.loads[0].kind = LoadKind::torque;
  BodyDesc skin;
  skin.name = "skin";
  skin.generator = GeneratorDesc{.kind = GeneratorKind::box};
  skin.order = 2;
  skin.keep_shape = true;
  skin.collision_surface = CollisionSurfaceDesc{.mesh = "skin.obj", .weights = "skin.hdf5"};
  BodyDesc rod;
  rod.name = "rod";
  rod.kind = BodyKind::affine;
  rod.generator = GeneratorDesc{.kind = GeneratorKind::box};
  rod.center_of_mass = Vec<3>(0.1, 0.2, 0.3);
  // Other formulations refuse round shapes.
  if (is_plain(options)) rod.capsules = {{0.25, {{1, 2, 3}}}, {0.1, {{0, 1.0 / 3.0, 0}, {0, 0, 0}}}};
  rod.inertia = InertiaDesc{.moments = {1, 2, 2.5}, .products = {0.1, 0.2, 1.0 / 3.0}};
  rod.collides = false;
  scene.bodies = {cube, ball, link, skin, rod};
  if (is_plain(options)) {
    BodyDesc sheet;
    sheet.name = "sheet";
    sheet.kind = BodyKind::shell;
    sheet.generator = GeneratorDesc{.kind = GeneratorKind::sheet, .size = {1.0, 2.0}, .resolution = {3, 5}};
    sheet.thickness = 1e-3;
    sheet.shell = ShellDesc{.bending = BendingModel::hinges,
                            .bending_stiffness = 1.0 / 3.0,
                            .is_flat_at_rest = true,
                            .orthotropy = OrthotropyDesc{.warp = {0, 0, 1},
                                                         .youngs_modulus_warp = 2e6,
                                                         .youngs_modulus_weft = 3e6,
                                                         .poisson_ratio = 0.1,
                                                         .shear_modulus = 2e5},
                            .strain_limit = 0.05,
                            .yield_curvature = 12.5,
                            .pattern = PatternDesc{.mesh = "panels.obj", .is_texture = true, .scale = 0.01}};
    BodyDesc wire;
    wire.name = "wire";
    wire.kind = BodyKind::rod;
    wire.generator = GeneratorDesc{.kind = GeneratorKind::line, .size = {1.0}, .resolution = {7}};
    wire.thickness = 2e-3;
    wire.rod = RodDesc{.section = std::array{0.1, 1.0 / 3.0},
                       .stretching_stiffness = 1e3,
                       .bending_stiffness = std::array{1.0, 0.0},
                       .twisting_stiffness = 0.5,
                       .up = Vec<3>(0, 0, 1),
                       .is_straight_at_rest = false,
                       .natural_curvature = std::array{0.5, -0.25},
                       .natural_twist = 45.0};
    wire.motions.resize(1);
    wire.motions[0].clamp = true;
    BodyDesc straight = wire;
    straight.name = "straight";
    straight.rod = RodDesc{.is_straight_at_rest = true};
    scene.bodies.insert(scene.bodies.end(), {sheet, wire, straight});
  }
  scene.joints = {JointDesc{.name = "door",
                            .kind = JointKind::slider,
                            .bodies = {"link[1]", ""},
                            .point = {1, 2, 3},
                            .axis = {0, 0.1, 1},
                            .lower = -0.25,
                            .upper = 0.5,
                            .drive = "",
                            .effort = "2 * t * pull + grip",
                            .stiffness = 12.5,
                            .rest = "grip",
                            .damping = 0.75,
                            .friction = 0.125,
                            .armature = 0.0625,
                            .mimic = MimicDesc{"motor", -0.5, 0.125}},
                  JointDesc{.name = "motor",
                            .bodies = {"link[0]", "link[1]"},
                            .lower = {},
                            .upper = {},
                            .drive = "sin(t)",
                            .effort = "",
                            .rest = ""}};
  RegionDesc on_surface;
  on_surface.surface_only = true;
  scene.springs = {SpringDesc{.name = "bolt",
                              .body = "cube[1]",
                              .region = on_surface,
                              .point = {},
                              .to = "rod",
                              .to_region = {},
                              .to_point = Vec<3>(0.5, 0.25, 0),
                              .stiffness = 1e7,
                              .damping = 12.5,
                              .length = "",
                              .tension = "100 * min(t, 1)",
                              .locked_from = 1.5,
                              .start = 0.25,
                              .end = 7.0},
                   SpringDesc{.name = "cable",
                              .body = "rod",
                              .region = {},
                              .point = Vec<3>(1, 2, 1.0 / 3.0),
                              .to = "",
                              .to_region = {},
                              .to_point = Vec<3>(0, 4, 0),
                              .stiffness = 2.0,
                              .length = "grip",
                              .tension = "",
                              .pull_only = true,
                              .locked_from = {}}};
  scene.half_spaces = {
      HalfSpaceDesc{.point = {0, -1, 0}, .normal = {0.1, 1, 0}, .friction = 0.3, .static_friction = 0.7}};
  scene.applied_forces = true;
  scene.controls = {ControlDesc{.name = "pull", .value = 1.0 / 3.0}, ControlDesc{.name = "grip"}};
  scene.start.overlaps = OverlapHandling::separate;
  scene.start.moved = {MovedBodyDesc{.body = "cube",
                                     .translation = {0.5, 1.0 / 3.0, 2},
                                     .displacements = std::vector<Vec<3>>{{0, 0.1, 0}, {0, 0, 1.0 / 7.0}}}};
  ProbeDesc of_region;
  of_region.name = "mean";
  of_region.kind = ProbeKind::velocity;
  of_region.body = "cube";
  of_region.region = RegionDesc{};
  ProbeDesc of_point = of_region;
  of_point.name = "tip";
  of_point.region.reset();
  of_point.point = Vec<3>(1, 2, 3);
  ProbeDesc of_pair;
  of_pair.name = "between";
  of_pair.kind = ProbeKind::gap;
  of_pair.bodies = {"cube", "ball"};
  ProbeDesc of_joint;
  of_joint.name = "hinge";
  of_joint.kind = ProbeKind::joint;
  of_joint.joint = "door";
  scene.output = {.frame_interval = 4,
                  .checkpoint_interval = 5,
                  .iterations = true,
                  .contact_forces = true,
                  .certificate = true,
                  .fields = {OutputField::von_mises, OutputField::contact_pressure},
                  .probes = {of_region, of_point, of_pair, of_joint}};
  return scene;
}

/// The full scene without what does not go together in a scene that is run: every check accepts it.
inline SceneDesc consistent_full_scene() {
  SceneDesc scene = full_scene();
  scene.axisymmetric = false;  // it is in space
  scene.time.accuracy = 0.0;   // its motions by poses say only where they are at the ends of steps
  for (BodyDesc& body : scene.bodies) {
    if (body.generator && body.generator->kind == GeneratorKind::blocks) body.generator->resolution = {4, 4, 4};
    if (body.kind == BodyKind::deformable) body.material.stiffness = MaterialDesc{}.stiffness;
    body.material.plane_stress = false;
  }
  return scene;
}

}  // namespace clearance
