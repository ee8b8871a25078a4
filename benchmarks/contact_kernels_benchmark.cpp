// Kernels of contact on the meshes on which the peers were timed: the rows of their table, from one thread's pairs to
// the assembled Hessian. `./dev bench ipc` prints them beside the peers' times. Counter `count`: the number of items
// that the row finds.
#include <benchmark/benchmark.h>

#include <functional>
#include <string>

#include "baseline_mesh.h"
#include "clearance/base/parallel.h"
#include "clearance/contact/contact_potential.h"
#include "clearance/contact/friction_potential.h"
#include "clearance/contact/ipc_contact_model.h"
#include "clearance/solver/feasible_step.h"

namespace clearance {
namespace {

/// A surface whose vertices are the unknowns, with the data from which the rows start.
struct Scene {
  explicit Scene(const BaselineMesh& mesh);
  Scene(const Scene&) = delete;

  Model model;
  SurfacePath path;
  SolverOptions options;
  std::unique_ptr<BroadPhase> broad_phase;
  Candidates swept;  ///< like the peers', not inflated
  ContactSet contacts;
  std::unique_ptr<const ContactModel<3>> contact_model;
  std::vector<char> is_fixed;
  std::vector<StickVertex> no_memory;

  const VecX& x() const { return path.x_t0; }
  Candidates find_static() { return broad_phase->find_candidates(x(), x(), 0.5 * options.barrier.dhat); }
  Candidates find_swept() { return broad_phase->find_candidates(path.x_t0, path.x_t1, 0.0); }
};

Scene::Scene(const BaselineMesh& mesh) {
  const std::size_t num_vertices = mesh.surface.num_vertices;
  model.layout = {3, mesh.surface.num_vertices};
  model.surface = mesh.surface;
  for (int v = 0; v < mesh.surface.num_vertices; ++v) model.surface_map.add_vertex(v);
  model.x_rest = mesh.x_t0;
  model.is_obstacle_vertex.assign(num_vertices, 0);
  for (const auto& [a, b] : mesh.surface.edges) {
    model.edge_rest_length_sq.push_back((block<3>(mesh.x_t0, a) - block<3>(mesh.x_t0, b)).squaredNorm());
  }
  path.x_t0 = mesh.x_t0;
  path.x_t1 = mesh.x_t1;
  options.barrier.dhat = mesh.dhat;
  is_fixed.assign(num_vertices, 0);
  broad_phase = make_broad_phase(3, model.surface);
  swept = find_swept();
  contact_model = std::make_unique<const IpcContactModel<3>>(model, options.barrier);
  contacts = contact_model->build(x(), find_static());
}

using Row = std::function<double(Scene&)>;

double broad_phase_static(Scene& scene) {
  return static_cast<double>(scene.find_static().size());
}

double broad_phase_swept(Scene& scene) {
  return static_cast<double>(scene.find_swept().size());
}

double contact_set(Scene& scene) {
  const Candidates candidates = scene.find_static();
  return static_cast<double>(
      build_contact_set<3>(scene.model, scene.x(), candidates, scene.options.barrier).contacts.size());
}

Row barrier_gradient(const Scene& scene) {
  const auto barrier = std::make_shared<ContactPotential<3>>(scene.model, *scene.contact_model);
  const auto gradient = std::make_shared<VecX>(scene.x());
  return [=](Scene& s) {
    gradient->setZero();
    barrier->add_gradient(s.contacts, s.x(), 1.0, *gradient);
    benchmark::DoNotOptimize(gradient->data());
    return static_cast<double>(s.contacts.contacts.size());
  };
}

/// Assembles gradient and projected Hessian into a matrix whose pattern is made each time (`has_new_pattern`) or once.
Row barrier_hessian(Scene& scene, bool has_new_pattern) {
  const auto barrier = std::make_shared<ContactPotential<3>>(scene.model, *scene.contact_model);
  const auto matrix = std::make_shared<BlockSparseMatrix>();
  const auto gradient = std::make_shared<VecX>(VecX::Zero(scene.x().size()));
  return [=](Scene& s) {
    const std::vector<BlockKey>& keys = barrier->prepare_hessian(s.contacts, s.is_fixed);
    if (has_new_pattern || matrix->num_blocks() == 0) {
      *matrix = BlockSparseMatrix(3, s.model.layout.num_blocks, keys);
    } else {
      matrix->set_zero();
    }
    barrier->add_derivatives(s.contacts, s.x(), 1.0, HessianKind::projected, *gradient, *matrix);
    return static_cast<double>(matrix->num_stored_blocks());
  };
}

/// Builds frames and normal forces of all contacts, then gradient and Hessian at t1, in a matrix whose pattern is made
/// for it.
Row friction_hessian(Scene& scene) {
  scene.model.friction.class_of_body = {0};
  scene.model.friction.of_class = {{0.3, 0.3}};
  const auto friction = std::make_shared<FrictionPotential<3>>(
      scene.model, *scene.contact_model, FrictionScales{1.0, 1e-3 * scene.options.barrier.dhat, 0.0}, scene.x(),
      scene.no_memory);
  const auto gradient = std::make_shared<VecX>(VecX::Zero(scene.x().size()));
  return [=](Scene& s) {
    friction->lag(s.contacts, s.x(), s.path.x_t1 - s.path.x_t0, 1.0);
    BlockSparseMatrix matrix(3, s.model.layout.num_blocks, friction->prepare_hessian(s.is_fixed));
    friction->add_derivatives(s.path.x_t1, HessianKind::projected, *gradient, matrix);
    return static_cast<double>(matrix.num_stored_blocks());
  };
}

Row feasible_step(CcdMethod method) {
  return [method](Scene& scene) {
    scene.options.ccd = method;
    Candidates candidates = scene.swept;
    const SweptCandidates measured = measure_candidates<3>(scene.model.surface, scene.path, std::move(candidates));
    return find_feasible_step<3>(scene.model, scene.path, measured, scene.options).alpha;
  };
}

double intersection_test(Scene& scene) {
  return is_intersection_free<3>(scene.model, scene.x(), *scene.broad_phase, nullptr) ? 0.0 : 1.0;
}

/// Runs a row; `make_row` prepares the data that the row keeps between calls.
void run(benchmark::State& state, const std::string& name, const std::function<Row(Scene&)>& make_row) {
  const BaselineMesh mesh = read_baseline_mesh(name);
  if (mesh.is_missing()) {
    state.SkipWithError("no baseline meshes: set CLEARANCE_BASELINES");
    return;
  }
  const ThreadLimit limit(static_cast<int>(state.range(0)));
  Scene scene(mesh);
  const Row row = make_row(scene);
  double count = row(scene);
  for (auto _ : state) count = row(scene);
  state.counters["count"] = count;
}

int register_all() {
  for (const std::string name : baseline_mesh_names) {
    const auto add = [&](const std::string& label, const std::function<Row(Scene&)>& make_row) {
      benchmark::RegisterBenchmark(("Contact/" + name + "/" + label).c_str(),
                                   [=](benchmark::State& state) { run(state, name, make_row); })
          ->Arg(1)
          ->Arg(2)
          ->ArgName("threads")
          ->Unit(benchmark::kMillisecond)
          ->UseRealTime();
    };
    add("broad_phase_static", [](Scene&) { return broad_phase_static; });
    add("broad_phase_swept", [](Scene&) { return broad_phase_swept; });
    add("contact_set", [](Scene&) { return contact_set; });
    add("barrier_gradient", [](Scene& scene) { return barrier_gradient(scene); });
    add("barrier_hessian", [](Scene& scene) { return barrier_hessian(scene, true); });
    add("barrier_hessian_known_pattern", [](Scene& scene) { return barrier_hessian(scene, false); });
    add("friction_hessian", friction_hessian);
    add("intersection_test", [](Scene&) { return intersection_test; });
    add("feasible_step", [](Scene&) { return feasible_step(CcdMethod::clearance); });
    add("feasible_step_tight_inclusion", [](Scene&) { return feasible_step(CcdMethod::tight_inclusion); });
  }
  return 0;
}

[[maybe_unused]] const int registered = register_all();

}  // namespace
}  // namespace clearance
