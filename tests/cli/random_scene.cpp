#include "cli/random_scene.h"

#include <fmt/format.h>

#include <cmath>
#include <random>

#include "clearance/io/scene_file.h"
#include "clearance/scene/validate.h"

namespace clearance::cli {

namespace {

constexpr int max_placements = 12;  // tries to find a place for a body that touches nothing

/// Own mappings from bits to values: those of the standard library differ from one to the next.
class Random {
 public:
  explicit Random(std::uint64_t seed) : bits_(seed) {}
  double uniform(double low, double high) {
    return low + (high - low) * static_cast<double>(bits_() >> 11U) * 0x1.0p-53;
  }
  double log_uniform(double low, double high) { return std::exp(uniform(std::log(low), std::log(high))); }
  int integer(int low, int high) { return low + static_cast<int>(bits_() % static_cast<unsigned>(high - low + 1)); }
  bool chance(double probability) { return uniform(0.0, 1.0) < probability; }
  Vec<3> point(double half) { return {uniform(-half, half), uniform(-half, half), uniform(-half, half)}; }
  template <class T>
  T one_of(std::initializer_list<T> values) {
    return values.begin()[integer(0, static_cast<int>(values.size()) - 1)];
  }

 private:
  std::mt19937_64 bits_;
};

class SceneMaker {
 public:
  SceneMaker(std::uint64_t seed, std::filesystem::path folder)
      : seed_(seed), folder_(std::move(folder)), random_(seed) {}

  RandomScene make() {
    scene_.name = fmt::format("fuzz {}", seed_);
    scene_.base_directory = folder_.string();
    scene_.dimension = random_.chance(0.2) ? 2 : 3;
    choose_numbers();
    if (random_.chance(0.3)) add_floor();
    if (random_.chance(0.35)) add_obstacle();
    const int num_bodies = random_.integer(2, 6);
    // Stacks of aligned boxes have what random placement never makes: parallel edges and faces.
    const bool is_static = scene_.time.integrator == Integrator::quasi_static;
    if (scene_.dimension == 3 && random_.chance(0.2) && !is_static) {
      add_stack(num_bodies);
    } else {
      for (int i = 0; i < num_bodies; ++i) add_body();
    }
    return {scene_, std::move(simulation_)};
  }

 private:
  bool is_2d() const { return scene_.dimension == 2; }

  void choose_numbers() {
    if (random_.chance(0.4)) scene_.gravity.setZero();
    scene_.time.step = random_.log_uniform(1e-4, 0.1);
    scene_.time.duration = 10 * scene_.time.step;
    scene_.time.integrator = random_.one_of(
        {Integrator::implicit_euler, Integrator::implicit_euler, Integrator::implicit_newmark, Integrator::bdf2});
    scene_.contact.dhat = random_.log_uniform(1e-5, 1e-2);
    if (random_.chance(0.15)) scene_.contact.min_separation = random_.log_uniform(1e-5, 1e-3);
    scene_.solver.max_iterations = 200;
    if (random_.chance(0.2)) scene_.solver.ccd = CcdKind::tight_inclusion;
    speed_ = random_.log_uniform(0.01, 1000.0);
    density_ = random_.log_uniform(100.0, 1e4);
    // One stiffness for all half of the time, otherwise each body its own.
    youngs_modulus_ = random_.chance(0.5) ? random_.log_uniform(1e3, 1e11) : 0.0;
    // Nodes without inertia need something that holds them.
    if (random_.chance(0.04)) scene_.time.integrator = Integrator::quasi_static;
  }

  void add_floor() {
    HalfSpaceDesc floor;
    floor.point = {0, -2.2, 0};
    floor.normal = {random_.uniform(-0.2, 0.2), 1, is_2d() ? 0.0 : random_.uniform(-0.2, 0.2)};
    scene_.half_spaces.push_back(floor);
  }

  MaterialDesc random_material() {
    MaterialDesc material;
    material.model =
        random_.one_of({MaterialModel::neo_hookean, MaterialModel::neo_hookean, MaterialModel::fixed_corotational,
                        MaterialModel::st_venant_kirchhoff, MaterialModel::linear_elasticity});
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
    name_bodies(trial);
    SceneProblems problems;
    if (has_errors(validate(trial))) return false;
    auto simulation = Simulation::create(trial, problems);
    if (!simulation) return false;
    scene_ = std::move(trial);
    simulation_ = std::move(simulation);
    return true;
  }

  std::string write_mesh_text(const std::string& extension, const std::string& text) {
    const std::string name = fmt::format("fuzz_{}_{}.{}", seed_, num_files_++, extension);
    (void)write_text_file(folder_ / name, text);
    return name;
  }

  GeneratorDesc generator(GeneratorKind kind, std::vector<double> size, std::vector<int> resolution) {
    GeneratorDesc g;
    g.kind = kind;
    g.size = std::move(size);
    g.resolution = std::move(resolution);
    return g;
  }

  void choose_shape(BodyDesc& body) {
    Random& r = random_;
    const int n = r.integer(1, 2);
    if (is_2d()) {
      body.generator = r.chance(0.5) ? generator(GeneratorKind::disk, {r.uniform(0.2, 0.6)}, {r.integer(1, 3)})
                                     : generator(GeneratorKind::rectangle, {r.uniform(0.2, 1), r.uniform(0.2, 1)},
                                                 {r.integer(1, 4), r.integer(1, 4)});
      return;
    }
    switch (r.integer(0, 6)) {
      case 0:
      case 1:
        body.generator = generator(GeneratorKind::box, {r.uniform(0.2, 1), r.uniform(0.2, 1), r.uniform(0.2, 1)},
                                   {r.integer(1, 3), r.integer(1, 3), r.integer(1, 3)});
        break;
      case 2:
        body.generator = generator(GeneratorKind::sphere, {r.uniform(0.2, 0.6)}, {n});
        break;
      case 3:
        body.generator = generator(GeneratorKind::torus, {0.5, r.uniform(0.05, 0.2)}, {r.integer(3, 8), 1});
        break;
      case 4:
        body.generator = generator(GeneratorKind::cylinder, {r.uniform(0.1, 0.4), r.uniform(0.2, 1)}, {1, n});
        break;
      case 5:
        body.generator =
            generator(GeneratorKind::mat, {r.uniform(0.5, 1), r.log_uniform(0.005, 0.05), r.uniform(0.5, 1)},
                      {r.integer(1, 4), 1, r.integer(1, 4)});
        break;
      default:
        body.mesh = write_flat_tet();
        break;
    }
  }

  /// One tetrahedron whose height is a small part of its width.
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
    // Towards the middle, where the others come too.
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
    choose_shape(body);
    // Slivers: every element 100 times longer than wide.
    if (random_.chance(0.15))
      body.transform.scale[random_.integer(0, is_2d() ? 1 : 2)] = random_.log_uniform(0.01, 1.0);
    if (random_.chance(0.12) || scene_.time.integrator == Integrator::quasi_static) hold_nodes(body);
    for (int i = 0; i < max_placements; ++i) {
      place(body, 0.8 + 0.15 * i);
      if (try_body(body)) return;
    }
  }

  /// Some nodes of the body are held, pulled or turned.
  void hold_nodes(BodyDesc& body) {
    MotionDesc motion;
    motion.region.frame = RegionFrame::body;
    motion.region.box = {Vec<3>(0, 0, 0), Vec<3>(random_.uniform(0.0, 0.4), 1, 1)};
    if (random_.chance(0.7)) motion.linear_velocity = random_.point(random_.log_uniform(0.01, 10.0));
    if (random_.chance(0.3)) motion.angular_velocity = random_.point(random_.log_uniform(1.0, 720.0));
    if (is_2d()) {
      motion.linear_velocity[2] = 0.0;
      motion.angular_velocity = {0, 0, motion.angular_velocity[2]};
    }
    // Nothing would hold a body without inertia afterwards.
    if (random_.chance(0.2) && scene_.time.integrator != Integrator::quasi_static) motion.end = 5 * scene_.time.step;
    body.motions.push_back(motion);
  }

  /// Boxes exactly above each other, faces and edges parallel, some shifted by half a cell.
  void add_stack(int count) {
    const Vec<3> size(random_.uniform(0.3, 1), random_.uniform(0.2, 0.5), random_.uniform(0.3, 1));
    const int cells = random_.integer(1, 3);
    const double angle = random_.chance(0.5) ? 0.0 : random_.uniform(0, 90);
    const bool falls_as_one = random_.chance(0.5);
    double bottom = -2.0;
    for (int i = 0; i < count; ++i) {
      BodyDesc body;
      body.material = random_material();
      body.generator =
          generator(GeneratorKind::box, {size[0], size[1], size[2]}, {cells, random_.integer(1, 2), cells});
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

  void add_obstacle() {
    Random& r = random_;
    BodyDesc body;
    body.kind = BodyKind::obstacle;
    body.transform.translation = {0, -1.5, 0};
    if (is_2d()) {
      body.mesh = write_mesh_text("obj", "v -2 0.3 0\nv 0 -0.2 0\nv 2 0.1 0\nl 1 2\nl 2 3\n");
    } else {
      switch (r.integer(0, 4)) {
        case 0:
          body.generator = generator(GeneratorKind::sheet, {3, 3}, {r.integer(1, 4), r.integer(1, 4)});
          break;
        case 1:
          body.generator = generator(GeneratorKind::bowl, {1.5, 1.0}, {r.integer(2, 4)});
          break;
        case 2:
          body.generator = generator(GeneratorKind::funnel, {1.5, 0.3, 1}, {r.integer(5, 10), 2});
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
    if (r.chance(0.5)) {
      MotionDesc motion;
      motion.linear_velocity = {0, r.log_uniform(0.01, 10.0), 0};
      if (r.chance(0.3)) motion.angular_velocity = Vec<3>(0, 0, r.uniform(-360, 360));
      body.motions.push_back(motion);
    }
    (void)try_body(body);
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
  Random random_;
  SceneDesc scene_;
  std::unique_ptr<Simulation> simulation_;
  double speed_ = 0.0;           // [m/s]
  double density_ = 0.0;         // [kg/m^3]
  double youngs_modulus_ = 0.0;  // [Pa]; 0: each body its own
  int num_files_ = 0;
};

}  // namespace

RandomScene make_random_scene(std::uint64_t seed, const std::filesystem::path& folder) {
  return SceneMaker(seed, folder).make();
}

}  // namespace clearance::cli
