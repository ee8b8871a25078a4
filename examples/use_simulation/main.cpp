// A rubber ball drops onto the floor: a scene built in code, stepped, its positions and contact forces read; then the
// same as a run into a result folder.
#include <clearance/simulation/run.h>
#include <clearance/simulation/simulation.h>

#include <algorithm>
#include <cstdio>

using namespace clearance;

namespace {

SceneDesc make_scene() {
  BodyDesc ball;
  ball.name = "ball";
  ball.generator.emplace();
  ball.generator->kind = GeneratorKind::sphere;
  ball.generator->size = {0.1};  // [m] radius
  ball.generator->resolution = {3};
  ball.transform.translation = {0, 0.11, 0};
  ball.material.density = 1100;        // [kg/m^3]
  ball.material.youngs_modulus = 1e5;  // [Pa]

  SceneDesc scene;
  scene.time.step = 0.02;  // [s]
  scene.time.duration = 0.4;
  scene.bodies = {ball};
  scene.half_spaces = {HalfSpaceDesc{}};  // the floor: y >= 0
  return scene;
}

int refuse(const Issues& issues) {
  for (const Issue& issue : issues) std::fprintf(stderr, "%s\n", to_string(issue).c_str());
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  const SceneDesc scene = make_scene();
  Result<Simulation> simulation = Simulation::create(scene);
  if (!simulation) return refuse(simulation.issues());

  // Step by step.
  for (int i = 0; i < simulation->summary().num_steps; ++i) {
    const StepReport report = simulation->step();
    if (!report.is_advanced()) return refuse({{"", "", "", to_string(report.status) + ": " + report.limited_by}});
  }
  const std::vector<Vec<3>> positions = simulation->positions(), forces = simulation->contact_forces();
  for (const BodyView& body : simulation->bodies()) {
    double lowest = infinity, push = 0.0;
    for (int v = body.vertices.first; v < body.vertices.end(); ++v) {
      lowest = std::min(lowest, positions[v].y());
      push += forces[v].y();
    }
    std::printf("%s: lowest point at %.5f m, pushed up with %.1f N\n", body.name.c_str(), lowest, push);
  }
  if (argc < 2) return 0;

  // Or as a run into a folder, with everything that the program `clearance` stores; after a stop it can go on.
  const Result<FolderClaim> claim = FolderClaim::make(argv[1], FolderUse::overwrite);
  if (!claim) return refuse(claim.issues());
  Result<Simulation> anew = Simulation::create(scene);
  if (!anew) return refuse(anew.issues());
  const Result<RunOutcome> outcome = run(*anew, *claim);
  if (!outcome) return refuse(outcome.issues());
  if (!outcome->errors.empty()) return refuse(outcome->errors);
  std::printf("%s after step %d\n", to_string(outcome->end).c_str(), outcome->last_step);
}
