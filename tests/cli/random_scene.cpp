#include "cli/random_scene.h"

#include <fmt/format.h>

#include <utility>

#include "clearance/io/files/atomic_file.h"
#include "clearance/io/mesh/mesh_writer.h"
#include "clearance/scene/validate.h"
#include "clearance/simulation/load/load_bodies.h"
#include "cli/random_script.h"
#include "cli/random_stiff.h"
#include "cli/random_thin.h"

namespace clearance::cli {

namespace {

constexpr int max_placements = 12;  // tries to find a place for a body that touches nothing

class SceneMaker {
 public:
  SceneMaker(std::uint64_t seed, std::filesystem::path folder, RandomKinds kinds)
      : seed_(seed),
        folder_(std::move(folder)),
        is_mixed_(kinds == RandomKinds::mixed),
        is_curved_(kinds == RandomKinds::curved),
        is_thin_(kinds == RandomKinds::thin),
        random_(seed),
        length_(random_.chance(0.7) ? 1.0 : random_.log_uniform(1e-3, 1e3)),
        script_(random_, scene_, length_),
        stiff_(random_, scene_, length_),
        thin_(random_) {}

  RandomScene make() {
    scene_.name = fmt::format("fuzz {}", seed_);
    scene_.base_directory = folder_.string();
    scene_.dimension = !is_thin_ && random_.chance(0.2) ? 2 : 3;
    choose_numbers();
    script_.choose_friction(scene_.friction);
    const bool has_floor = random_.chance(0.35);
    if (has_floor) add_floor();
    if (random_.chance(0.25)) add_ground();
    if (random_.chance(0.35)) add_pusher();
    if (random_.chance(has_floor ? 0.25 : 0.05)) add_press();
    const int num_bodies = random_.integer(2, is_curved_ ? 4 : 6);
    // Stacks of aligned boxes have parallel edges and faces, which random placement never makes.
    const bool is_static = scene_.time.integrator == TimeIntegrator::quasi_static;
    if (scene_.dimension == 3 && random_.chance(0.2) && !is_static) {
      add_stack(num_bodies);
    } else {
      for (int i = 0; i < num_bodies; ++i) add_body();
    }
    if (is_mixed_) add_joints();
    add_friction_pairs();
    return {at_length(scene_, length_), std::move(simulation_)};
  }

 private:
  bool is_2d() const { return scene_.dimension == 2; }

  void choose_numbers() {
    if (random_.chance(0.4)) scene_.gravity.setZero();
    scene_.time.step = random_.log_uniform(1e-4, 0.1);
    scene_.time.duration = 10 * scene_.time.step;
    scene_.time.integrator =
        random_.one_of({TimeIntegrator::bdf2_in_flight, TimeIntegrator::implicit_euler, TimeIntegrator::bdf2_restarted,
                        TimeIntegrator::implicit_newmark, TimeIntegrator::bdf2});
    scene_.contact.dhat = random_.log_uniform(1e-5, 1e-2);
    if (random_.chance(0.15)) scene_.contact.min_separation = random_.log_uniform(1e-5, 1e-3);
    if (random_.chance(0.05)) scene_.contact.obstacles_only = true;
    // The promise holds for whatever state a step ends in
    scene_.solver.max_iterations = is_curved_ ? 25 : is_mixed_ || is_thin_ ? 100 : 200;
    if (random_.chance(0.2)) scene_.solver.ccd = CcdMethod::tight_inclusion;
    if (random_.chance(0.1)) scene_.solver.linear_solver = LinearSolverChoice::pcg;
    if (random_.chance(0.15)) scene_.time.mass = MassKind::lumped;
    if (is_mixed_ && random_.chance(0.2)) scene_.contact.min_separation = random_.log_uniform(1e-5, 1e-2);
    scene_.output.iterations = random_.chance(0.5);
    scene_.output.contact_forces = random_.chance(0.2);
    speed_ = random_.log_uniform(0.01, is_thin_ ? 100.0 : 1000.0);
    density_ = random_.log_uniform(100.0, 1e4);
    // Half of the scenes have one stiffness for all bodies; otherwise each body has its own.
    youngs_modulus_ = random_.chance(0.5) ? random_.log_uniform(1e3, 1e11) : 0.0;
    // Without inertia, nodes need something that holds them.
    if (random_.chance(0.06)) scene_.time.integrator = TimeIntegrator::quasi_static;
  }

  void add_floor() {
    HalfSpaceDesc floor;
    floor.point = {0, -2.2, 0};
    floor.normal = {random_.uniform(-0.2, 0.2), 1, is_2d() ? 0.0 : random_.uniform(-0.2, 0.2)};
    script_.choose_friction(floor);
    scene_.half_spaces.push_back(floor);
  }

  MaterialDesc random_material() {
    MaterialDesc material;
    material.model =
        random_.one_of({ElasticModel::neo_hookean, ElasticModel::neo_hookean, ElasticModel::fixed_corotational,
                        ElasticModel::st_venant_kirchhoff, ElasticModel::linear_elasticity});
    material.density = random_.chance(0.7) ? density_ : random_.log_uniform(100.0, 1e4);
    material.youngs_modulus = youngs_modulus_ > 0.0 ? youngs_modulus_ : random_.log_uniform(1e3, 1e11);
    material.poisson_ratio = random_.one_of({0.0, 0.3, 0.4, 0.45, 0.49});
    if (random_.chance(0.15)) material.damping = random_.log_uniform(1e-4, 1e-1);
    return material;
  }

  /// Keeps the scene with `body` if it passes the program's own checks.
  bool try_body(const BodyDesc& body) {
    SceneDesc trial = scene_;
    trial.bodies.push_back(body);
    return try_scene(std::move(trial));
  }

  bool try_scene(SceneDesc trial) {
    name_bodies(trial);
    Result<Simulation> simulation = Simulation::create(at_length(trial, length_));
    if (!simulation) return false;
    scene_ = std::move(trial);
    simulation_ = std::move(*simulation);
    return true;
  }

  std::string write_mesh_text(const std::string& extension, const std::string& text) {
    const std::string name = fmt::format("fuzz_{}_{}.{}", seed_, num_files_++, extension);
    (void)write_file_atomically(folder_ / name, text);
    return name;
  }

  void choose_shape(BodyDesc& body) {
    Random& r = random_;
    const int n = r.integer(1, 2);
    if (is_2d()) {
      body.generator = r.chance(0.5) ? make_generator(GeneratorKind::disk, {r.uniform(0.2, 0.6)}, {r.integer(1, 3)})
                                     : make_generator(GeneratorKind::rectangle, {r.uniform(0.2, 1), r.uniform(0.2, 1)},
                                                      {r.integer(1, 4), r.integer(1, 4)});
      return;
    }
    switch (r.integer(0, 7)) {
      case 0:
      case 1:
        body.generator = make_generator(GeneratorKind::box, {r.uniform(0.2, 1), r.uniform(0.2, 1), r.uniform(0.2, 1)},
                                        {r.integer(1, 3), r.integer(1, 3), r.integer(1, 3)});
        break;
      case 2:
        body.generator = make_generator(GeneratorKind::sphere, {r.uniform(0.2, 0.6)}, {n});
        break;
      case 3:
        body.generator = make_generator(GeneratorKind::torus, {0.5, r.uniform(0.05, 0.2)}, {r.integer(3, 8), 1});
        break;
      case 4:
        body.generator = make_generator(GeneratorKind::cylinder, {r.uniform(0.1, 0.4), r.uniform(0.2, 1)}, {1, n});
        break;
      case 5:
        body.generator =
            make_generator(GeneratorKind::mat, {r.uniform(0.5, 1), r.log_uniform(0.005, 0.05), r.uniform(0.5, 1)},
                           {r.integer(1, 4), 1, r.integer(1, 4)});
        break;
      case 6:
        body.generator = make_generator(GeneratorKind::blocks, {0.5, 0.5, 0.5}, {1});
        body.generator->blocks = {Corners{Vec<3>(0, 0, 0), r.point(0.2, 3) + Vec<3>::Constant(0.5)},
                                  Corners{Vec<3>(0.05, 0.05, 0.05), r.point(0.4, 3) + Vec<3>::Constant(0.5)}};
        break;
      default:
        body.mesh = write_flat_tet();
        break;
    }
  }

  /// Writes one tetrahedron whose height is a small part of its width.
  std::string write_flat_tet() {
    const double height = random_.log_uniform(1e-3, 0.5);
    return write_mesh_text("msh", fmt::format("$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n4\n1 0 0 0\n2 0.7 0 0\n"
                                              "3 0 0.7 0\n4 0.2 0.2 {}\n$EndNodes\n$Elements\n1\n1 4 2 1 1 1 2 3 4\n"
                                              "$EndElements\n",
                                              height));
  }

  void place(BodyDesc& body, double half_room) {
    Random& r = random_;
    body.transform.translation = r.point(half_room);
    body.transform.rotation =
        r.chance(0.3) ? Vec<3>(90.0 * r.integer(0, 3), 90.0 * r.integer(0, 3), 0) : r.point(180.0);
    if (is_2d()) {
      body.transform.translation[2] = 0.0;
      body.transform.rotation = {0, 0, r.chance(0.3) ? 0.0 : r.uniform(-180, 180)};
    }
    // The body moves towards the middle, where the others come too.
    const Vec<3> towards = r.point(0.5) - body.transform.translation;
    body.linear_velocity = speed_ * towards / std::max(towards.norm(), 0.1);
    if (r.chance(0.3)) body.angular_velocity = r.point(r.log_uniform(1.0, 1e5));
    if (is_2d()) {
      body.linear_velocity[2] = 0.0;
      body.angular_velocity = {0, 0, body.angular_velocity[2]};
    }
  }

  void add_body() {
    BodyDesc body;
    body.material = random_material();
    const bool is_stiff_body = is_mixed_ && random_.chance(0.65), is_thin_body = is_thin_ && random_.chance(0.8);
    if (is_thin_body) {
      thin_.choose(body);
    } else if (is_stiff_body && random_.chance(0.35)) {
      stiff_.choose_open_shape(body);
    } else {
      choose_shape(body);
    }
    // Make slivers: every element is 100 times longer than wide.
    if (random_.chance(0.15))
      body.transform.scale[random_.integer(0, is_2d() ? 1 : 2)] = random_.log_uniform(0.01, 1.0);
    if (is_stiff_body) {
      stiff_.choose_kind(body);
    } else {
      if (random_.chance(0.12) || scene_.time.integrator == TimeIntegrator::quasi_static) script_.hold_nodes(body);
      if (random_.chance(0.2)) script_.add_loads(body);
      if (is_mixed_ && body.motions.empty()) stiff_.add_stiff_parts(body);
      if (is_curved_) choose_order(body);
    }
    script_.choose_friction(body);
    if (random_.chance(0.05)) body.self_contact = false;
    if (is_mixed_) stiff_.choose_group(body);
    for (int i = 0; i < max_placements; ++i) {
      place(body, 0.8 + 0.15 * i);
      if (is_stiff_body) stiff_.spin(body);
      if (try_body(body)) return;
    }
  }

  void choose_order(BodyDesc& body) {
    body.order = random_.one_of({0, 1, 2, 2, 3, 4});
    if (random_.chance(0.4))
      body.collision_surface = CollisionSurfaceDesc{.mesh = {}, .segments = random_.integer(1, 5)};
    if (random_.chance(0.2))
      body.collision_surface = CollisionSurfaceDesc{.mesh = {}, .segments = 0, .tolerance = 0.02};
    if (body.generator && random_.chance(0.2)) keep_shape(body);
  }

  /// Gives the body a shape from a file and displacements of a lower order.
  void keep_shape(BodyDesc& body) {
    SceneDesc alone;
    alone.dimension = scene_.dimension;
    alone.bodies.resize(1);
    alone.bodies[0].generator = body.generator;
    alone.bodies[0].order = random_.one_of({2, 4});
    // (A refused body, such as the inverted curved cells of a ring of three, is not kept.)
    const Result<LoadedBodies> loaded = load_bodies(alone);
    if (!loaded) {
      std::fprintf(stderr, "refused: %s\n", to_string(loaded.issues().front()).c_str());
      return;
    }
    body.generator.reset();
    body.order = alone.bodies[0].order == 4 ? random_.one_of({1, 2, 2}) : 1;
    body.keep_shape = true;
    body.mesh = fmt::format("fuzz_{}_{}.msh", seed_, num_files_++);
    body.units = LengthUnit::metre;
    (void)write_mesh(folder_ / body.mesh, loaded->instances[0].mesh);
  }

  /// Adds boxes exactly above each other, with parallel faces and edges, some shifted by half a cell.
  void add_stack(int count) {
    const Vec<3> size(random_.uniform(0.3, 1), random_.uniform(0.2, 0.5), random_.uniform(0.3, 1));
    const int cells = random_.integer(1, 3);
    const double angle = random_.chance(0.5) ? 0.0 : random_.uniform(0, 90);
    const bool falls_as_one = random_.chance(0.5);
    double bottom = -2.0;
    for (int i = 0; i < count; ++i) {
      BodyDesc body;
      body.material = random_material();
      if (is_mixed_ && random_.chance(0.7)) body.kind = random_.one_of({BodyKind::affine, BodyKind::rigid});
      script_.choose_friction(body);
      body.generator =
          make_generator(GeneratorKind::box, {size[0], size[1], size[2]}, {cells, random_.integer(1, 2), cells});
      for (int attempt = 0; attempt < max_placements; ++attempt) {
        const double low = bottom + random_.log_uniform(1e-6, 0.1) + 0.05 * attempt;
        const double shift = random_.one_of({0.0, 0.0, 0.5 * size[0] / cells, 0.123 * size[0]});
        body.transform.translation = {shift, low + 0.5 * size[1], 0};
        body.transform.rotation = {0, angle, 0};
        body.linear_velocity = {0, (falls_as_one || i % 2 != 0 ? -1 : 1) * speed_, 0};
        if (!try_body(body)) continue;
        bottom = low + size[1];
        break;
      }
    }
  }

  /// Obstacles take their place without a check, alone: the bodies find theirs among them.
  void add_obstacle(BodyDesc body) {
    body.kind = BodyKind::obstacle;
    script_.choose_friction(body);
    if (is_mixed_) stiff_.choose_group(body);
    scene_.bodies.push_back(std::move(body));
  }

  /// Something wide under the bodies, half of the time on its way up.
  void add_ground() {
    Random& r = random_;
    BodyDesc body;
    body.transform.translation = {0, -1.5, 0};
    if (is_2d()) {
      body.mesh = write_mesh_text("obj", "v -2 0.3 0\nv 0 -0.2 0\nv 2 0.1 0\nl 1 2\nl 2 3\n");
    } else {
      switch (r.integer(0, 4)) {
        case 0:
          body.generator = make_generator(GeneratorKind::sheet, {3, 3}, {r.integer(1, 4), r.integer(1, 4)});
          break;
        case 1:
          body.generator = make_generator(GeneratorKind::bowl, {1.5, 1.0}, {r.integer(2, 4)});
          break;
        case 2:
          body.generator = make_generator(GeneratorKind::funnel, {1.5, 0.3, 1}, {r.integer(5, 10), 2});
          break;
        case 3:
          body.mesh = write_mesh_text("obj", comb(true));
          break;
        default:
          body.mesh = write_mesh_text("obj", comb(false));
          break;
      }
      if (r.chance(0.5)) body.transform.rotation = r.point(20.0);
    }
    if (r.chance(0.5)) script_.move_obstacle(body, {0, 1, 0});
    add_obstacle(std::move(body));
  }

  /// A closed shape that comes in from the side and turns.
  void add_pusher() {
    Random& r = random_;
    BodyDesc body;
    if (is_2d()) {
      body.generator = make_generator(GeneratorKind::rectangle, {r.uniform(0.1, 1), r.uniform(0.1, 1)}, {2, 1});
    } else if (r.chance(0.5)) {
      body.generator = make_generator(GeneratorKind::box, {r.uniform(0.1, 1), r.uniform(0.1, 1), r.uniform(0.1, 1)},
                                      {1, r.integer(1, 2), 1});
    } else {
      body.generator = make_generator(GeneratorKind::sphere, {r.uniform(0.2, 0.6)}, {r.integer(1, 2)});
    }
    body.generator->is_surface = r.chance(0.5);
    Vec<3> from = r.point(1.0, scene_.dimension);
    if (from.norm() < 0.1) from = {1, 0, 0};
    from.normalize();
    body.transform.translation = r.uniform(1.0, 1.8) * from;
    body.transform.rotation = r.turn(r.chance(0.3) ? 0.0 : 180.0, scene_.dimension);
    script_.move_obstacle(body, -from);
    add_obstacle(std::move(body));
  }

  /// A lid that comes down on the bodies, onto the floor if there is one.
  void add_press() {
    BodyDesc body;
    body.transform.translation = {0, 2.2, 0};
    if (is_2d()) {
      body.mesh = write_mesh_text("obj", "v -3 0 0\nv 3 0 0\nl 1 2\n");
    } else {
      body.generator = make_generator(GeneratorKind::sheet, {5, 5}, {2, 2});
    }
    script_.move_obstacle(body, {0, -1, 0});
    add_obstacle(std::move(body));
  }

  /// Each joint that fits with the others stays.
  void add_joints() {
    if (!simulation_ || !random_.chance(0.5)) return;
    name_bodies(scene_);
    for (int i = random_.integer(1, 4); i > 0; --i) {
      SceneDesc trial = scene_;
      trial.joints.push_back(stiff_.joint());
      if (!trial.joints.back().bodies[0].empty()) (void)try_scene(std::move(trial));
    }
  }

  /// Coefficients for pairs need the names, which all bodies have once they are there.
  void add_friction_pairs() {
    if (!simulation_ || !random_.chance(0.4)) return;
    FrictionDesc friction = scene_.friction;
    script_.add_friction_pair(friction);
    SceneDesc trial = scene_;
    trial.friction = friction;
    (void)try_scene(std::move(trial));
  }

  /// Obstacles without area: parallel segments, or points.
  std::string comb(bool has_segments) {
    std::string text, lines;
    for (int i = 0; i < 7; ++i) {
      const double z = -1.0 + i / 3.0;
      text += fmt::format("v -1.5 0 {}\nv 1.5 0 {}\nv 0 0 {}\n", z, z, z);
      const int first = 3 * i + 1;
      lines +=
          has_segments ? fmt::format("l {} {}\n", first, first + 1) : fmt::format("p {}\np {}\n", first, first + 2);
    }
    return text + lines;
  }

  std::uint64_t seed_;
  std::filesystem::path folder_;
  bool is_mixed_;
  bool is_curved_;
  bool is_thin_;
  Random random_;
  double length_;  // [m] about how long the bodies are; scene_ has length 1
  SceneDesc scene_;
  RandomScript script_;
  RandomStiff stiff_;
  RandomThin thin_;
  std::optional<Simulation> simulation_;
  double speed_ = 0.0;           // [m/s]
  double density_ = 0.0;         // [kg/m^3]
  double youngs_modulus_ = 0.0;  // [Pa]; 0: each body its own
  int num_files_ = 0;
};

}  // namespace

RandomScene make_random_scene(std::uint64_t seed, const std::filesystem::path& folder, RandomKinds kinds) {
  return SceneMaker(seed, folder, kinds).make();
}

}  // namespace clearance::cli
