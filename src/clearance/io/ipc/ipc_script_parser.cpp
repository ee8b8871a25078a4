#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "clearance/io/ipc/ipc_script.h"
#include "clearance/io/ipc/ipc_script_shapes.h"
#include "clearance/io/ipc/ipc_script_text.h"
#include "clearance/math/elementary.h"
#include "clearance/scene/nearest_name.h"

namespace clearance {
namespace {

class Parser {
 public:
  Parser(std::string_view text, Issues& issues) : text_(text, issues) {}

  IpcScript parse() {
    while (auto line = text_.next_line()) {
      if (!line->is_empty() && !line->is_comment()) parse_line(*line);
    }
    if (script_.damping_ratio > 0.0) {
      script_.damping_stiffness = 0.75 * script_.damping_ratio * elementary::pow(script_.step, 3);
    }
    return std::move(script_);
  }

 private:
  using Handler = void (Parser::*)(IpcLine&);
  static const std::unordered_map<std::string_view, Handler>& handlers();

  void parse_line(IpcLine& line) {
    const std::string keyword = line.word("the keyword");
    const auto found = handlers().find(keyword);
    if (found != handlers().end()) {
      (this->*found->second)(line);
      return;
    }
    std::vector<std::string_view> known;
    for (const auto& [name, handler] : handlers()) known.push_back(name);
    std::sort(known.begin(), known.end());
    const std::string_view nearest = nearest_name(keyword, known);
    const std::string hint = nearest.empty() ? "" : fmt::format("; did you mean `{}`?", nearest);
    line.warning("unknown keyword, ignored" + hint, keyword);
  }

  // These keywords set the integrator and the material.
  void energy(IpcLine& line) {
    const std::string name = line.word("the energy (NH or FCR)");
    if (name == "FCR") {
      script_.energy = ElasticModel::fixed_corotational;
    } else {
      script_.energy = ElasticModel::neo_hookean;
      if (name != "NH" && !name.empty()) line.warning("unknown energy: expected NH or FCR; NH is used", name);
    }
  }
  void time_integration(IpcLine& line) {
    const std::string name = line.word("the time integration (BE or NM)");
    script_.integrator = name == "NM" ? TimeIntegrator::implicit_newmark : TimeIntegrator::implicit_euler;
    if (name != "NM" && name != "BE" && !name.empty()) line.warning("expected BE or NM; BE is used", name);
    if (name == "NM" && line.next_is_number()) {
      script_.newmark_beta = line.real("beta");
      script_.newmark_gamma = line.real("gamma");
    }
  }
  void time(IpcLine& line) {
    script_.duration = line.real("the duration");
    script_.step = line.real("the time step");
    if (!(script_.duration > 0.0 && script_.step > 0.0)) line.error("duration and time step must be above 0");
  }
  void density(IpcLine& line) { script_.density = line.real("the density"); }
  void stiffness(IpcLine& line) {
    script_.youngs_modulus = line.real("Young's modulus");
    script_.poisson_ratio = line.real("Poisson's ratio");
  }
  void no_gravity(IpcLine&) { script_.has_gravity = false; }
  void damping_stiffness(IpcLine& line) { script_.damping_stiffness = std::max(0.0, line.real("the damping")); }
  void damping_ratio(IpcLine& line) { script_.damping_ratio = std::clamp(line.real("the damping ratio"), 0.0, 1.0); }

  // These keywords set the geometry.
  void size(IpcLine& line) { script_.size = line.real("the size"); }
  void rotate_model(IpcLine& line) {
    script_.model_axis = line.vector("the axis");
    script_.model_angle = line.real("the angle");
    if (script_.model_axis.isZero(0.0)) line.error("the axis must not be zero");
  }
  void handle_ratio(IpcLine& line) {
    script_.handle_ratio = line.real("the handle ratio");
    if (!(script_.handle_ratio > 0.0 && script_.handle_ratio < 0.5)) {
      line.error("must be between 0 and 0.5, both excluded", fmt::format("{}", script_.handle_ratio));
    }
  }
  void shape(IpcLine& line) {
    line.word("`input`");
    IpcShape shape;
    shape.line = line.number();
    shape.path = line.word("the path");
    script_.shapes.push_back(shape);
  }
  void shapes(IpcLine& line) {
    line.word("`input`");
    const int count = line.whole("the number of shapes");
    for (int i = 0; i < count;) {
      auto shape_line = text_.next_line();
      if (!shape_line) {
        line.error(fmt::format("{} lines of shapes must follow, found {}", count, i));
        return;
      }
      if (shape_line->is_empty() || shape_line->is_comment()) continue;
      parse_shape(*shape_line);
      ++i;
    }
  }
  void parse_shape(IpcLine& line) {
    while (line.take_continuation()) {
      const auto more = text_.next_line();
      if (!more) break;
      line.append(*more);
    }
    script_.shapes.push_back(parse_ipc_shape(line));
  }
  void shape_matrix(IpcLine& line) {
    line.word("`input`");
    IpcShape shape;
    shape.array.emplace();
    for (int& count : shape.array->counts) {
      count = line.whole("the number of copies");
      if (count < 1) line.error("the number of copies must be at least 1", fmt::format("{}", count));
    }
    if (line.next_is_number()) shape.translation = line.vector("the position");
    auto shape_line = text_.next_line();
    if (!shape_line) {
      line.error("the line of the shape must follow");
      return;
    }
    shape.line = shape_line->number();
    shape.path = shape_line->word("the path");
    shape.array->spacing = shape_line->vector("the distances");
    shape.rotation = shape_line->vector("the rotation");
    shape.scale = shape_line->vector("the scale");
    parse_ipc_shape_extras(*shape_line, shape);
    script_.shapes.push_back(shape);
  }

  // These keywords set scripted motions.
  void script(IpcLine& line) {
    script_.script = line.word("the name of the script");
    script_.script_line = line.number();
    if (script_.script == "meshSeqFromFile") {
      script_.script_folder = line.word("the folder");
      return;
    }
    if (!line.next_is_number()) return;
    const int count = line.whole("the number of parameters");
    for (int i = 0; i < count && line.next_is_number(); ++i)
      script_.script_parameters.push_back(line.real("a parameter"));
  }
  void dirichlet_time_range(IpcLine& line) {
    script_.dirichlet_start = line.real("the start");
    script_.dirichlet_end = read_ipc_end(line);
  }
  void neumann_time_range(IpcLine& line) {
    script_.neumann_start = line.real("the start");
    script_.neumann_end = read_ipc_end(line);
  }

  // These keywords set contact and friction.
  static double friction(IpcLine& line) {
    const double mu = line.real("mu");
    if (mu < 0.0) line.warning("a friction coefficient below 0 counts as 0", fmt::format("{}", mu));
    return std::max(0.0, mu);
  }
  void self_collision_on(IpcLine&) { script_.has_self_collision = true; }
  void self_collision_off(IpcLine& line) {
    script_.has_self_collision = false;
    script_.self_collision_line = line.number();
  }
  void self_friction(IpcLine& line) { script_.self_friction = friction(line); }
  void friction_iterations(IpcLine& line) { script_.friction_iterations = std::max(0, line.whole("the number")); }
  void friction_speed(IpcLine& line) {
    script_.tuning.resize(std::max<std::size_t>(script_.tuning.size(), 6), 1e-3);
    script_.tuning[4] = script_.tuning[5] = line.real("epsv");
  }
  // Half-spaces use their own coefficient, also where it is 0.
  void ground(IpcLine& line) {
    const double mu = friction(line);
    script_.half_spaces.push_back(
        {.point = {0.0, line.real("the height"), 0.0}, .normal = Vec<3>::UnitY(), .friction = mu});
  }
  void half_space(IpcLine& line) {
    HalfSpaceDesc half_space;
    half_space.point = line.vector("the point");
    half_space.normal = line.vector("the normal");
    half_space.friction = 0.0;
    if (half_space.normal.isZero(0.0)) line.error("the normal must not be zero");
    if (line.next_is_number()) line.real("the stiffness");
    if (line.next_is_number()) half_space.friction = friction(line);
    script_.half_spaces.push_back(half_space);
  }
  void mesh_obstacle(IpcLine& line) {
    IpcMeshObstacle obstacle;
    obstacle.line = line.number();
    obstacle.path = line.word("the path");
    obstacle.origin = line.vector("the origin");
    obstacle.scale = line.real("the scale");
    if (!(obstacle.scale > 0.0)) line.error("the scale must be above 0", fmt::format("{}", obstacle.scale));
    if (line.next_is_number()) line.real("the stiffness");
    if (line.next_is_number()) obstacle.friction = friction(line);
    if (!line.is_empty() && line.peek() == "rotate") {
      line.word("`rotate`");
      obstacle.rotation = line.vector("the rotation");
    }
    script_.mesh_obstacles.push_back(obstacle);
  }
  void dhat(IpcLine& line) {
    script_.tuning.resize(std::max<std::size_t>(script_.tuning.size(), 3), 1e-3);
    script_.tuning[1] = script_.tuning[2] = line.real("dHat");
  }
  // Reads a list of numbers. A file with more numbers than any script has is damaged.
  std::vector<double> list(IpcLine& line) {
    const int count = line.whole("the count");
    if (count >= 0 && count <= 1000000) return text_.next_numbers(count, line);
    line.error("expected a count of at most a million", fmt::format("{}", count));
    return {};
  }
  void tuning(IpcLine& line) { script_.tuning = list(line); }
  void tolerance(IpcLine& line) {
    script_.tolerances = list(line);
    if (script_.tolerances.empty()) script_.tolerances = {1e-2};
    const double last = script_.tolerances.back();
    for (const double value : script_.tolerances) {
      if (!(value > 0.0)) line.error("tolerances must be above 0", fmt::format("{}", value));
      if (value == last) continue;
      line.warning(
          fmt::format("tolerances that change from step to step are not supported; {} is used for all steps", last));
      break;
    }
  }
  void absolute_parameters(IpcLine&) { script_.has_absolute_parameters = true; }
  void kappa_min_multiplier(IpcLine& line) { script_.kappa_min_multiplier = line.real("the multiplier"); }

  // Solvers.
  void warm_start(IpcLine& line) {
    const int option = line.whole("the option");
    // Most scenes have 1. The starting guess changes the path to the solution, not the solution.
    if (option > 1)
      line.warning("warmStart is ignored; steps start from the last positions", fmt::format("{}", option));
  }
  void linear_solver(IpcLine& line) {
    const std::string name = line.word("the linear solver");
    if (name != "CHOLMOD" && name != "cholmod") line.warning("CHOLMOD is used instead", name);
  }
  void ccd_method(IpcLine& line) {
    const std::string name = line.word("the method");
    if (name == "TightInclusion" || name == "TightCCD") {
      script_.ccd = CcdMethod::tight_inclusion;
    } else if (name != "FloatingPointRootFinder") {
      line.warning("the method `clearance` is used instead", name);
    }
  }
  void constraint_solver(IpcLine& line) {
    std::string name = line.word("the constraint solver");
    if (name == "IP") name = "interiorPoint";
    script_.constraint_solver = name;
    if (name == "QP" || name == "SQP") {
      line.error("QP and SQP contact solvers are not supported; only interiorPoint is", name);
    } else if (name != "interiorPoint" && !name.empty()) {
      line.warning("unknown constraint solver; interiorPoint is used", name);
      script_.constraint_solver = "interiorPoint";
    }
  }
  // Lines for another constraint solver are skipped up to `section end`.
  void section(IpcLine& line) {
    while (!line.is_empty()) {
      const std::string name = line.word("the solver");
      if (name == "end" || name == script_.constraint_solver) return;
      if (name == "IP" && script_.constraint_solver == "interiorPoint") return;
    }
    while (auto skipped = text_.next_line()) {
      if (skipped->is_empty() || skipped->word("the keyword") != "section") continue;
      if (!skipped->is_empty() && skipped->word("`end`") == "end") return;
    }
  }

  void restart(IpcLine& line) {
    line.error(
        "status files are not read; run the script from its start without this line; `clearance run --resume` "
        "continues a run of this program");
  }
  // Viewer settings, and settings of features that are reported elsewhere.
  void ignore(IpcLine&) {}
  void ignore_loudly(IpcLine& line) { line.warning("this setting has no counterpart here and is ignored"); }

  IpcText text_;
  IpcScript script_;
};

const std::unordered_map<std::string_view, Parser::Handler>& Parser::handlers() {
  static const std::unordered_map<std::string_view, Handler> table = {
      {"energy", &Parser::energy},
      {"timeIntegration", &Parser::time_integration},
      {"time", &Parser::time},
      {"density", &Parser::density},
      {"stiffness", &Parser::stiffness},
      {"turnOffGravity", &Parser::no_gravity},
      {"dampingStiff", &Parser::damping_stiffness},
      {"dampingRatio", &Parser::damping_ratio},
      {"size", &Parser::size},
      {"rotateModel", &Parser::rotate_model},
      {"handleRatio", &Parser::handle_ratio},
      {"shape", &Parser::shape},
      {"shapes", &Parser::shapes},
      {"shapeMatrix", &Parser::shape_matrix},
      {"script", &Parser::script},
      {"DBCTimeRange", &Parser::dirichlet_time_range},
      {"NBCTimeRange", &Parser::neumann_time_range},
      {"selfCollisionOn", &Parser::self_collision_on},
      {"selfCollisionOff", &Parser::self_collision_off},
      {"selfFric", &Parser::self_friction},
      {"ground", &Parser::ground},
      {"halfSpace", &Parser::half_space},
      {"meshCO", &Parser::mesh_obstacle},
      {"dHat", &Parser::dhat},
      {"epsv", &Parser::friction_speed},
      {"fricIterAmt", &Parser::friction_iterations},
      {"tuning", &Parser::tuning},
      {"useAbsParameters", &Parser::absolute_parameters},
      {"kappaMinMultiplier", &Parser::kappa_min_multiplier},
      {"minBarrierStiffnessScale", &Parser::kappa_min_multiplier},
      {"tol", &Parser::tolerance},
      {"warmStart", &Parser::warm_start},
      {"linearSolver", &Parser::linear_solver},
      {"linSysSolver", &Parser::linear_solver},
      {"CCDMethod", &Parser::ccd_method},
      {"ccdMethod", &Parser::ccd_method},
      {"CCDTolerance", &Parser::ignore_loudly},
      {"ccdTolerance", &Parser::ignore_loudly},
      {"constraintSolver", &Parser::constraint_solver},
      {"constraintType", &Parser::ignore},
      {"constraintOffset", &Parser::ignore},
      {"QPSolver", &Parser::ignore},
      {"useActiveSetConvergence", &Parser::ignore},
      {"noActiveSetConvergence", &Parser::ignore},
      {"section", &Parser::section},
      {"restart", &Parser::restart},
      {"appendStr", &Parser::ignore},
      {"disableCout", &Parser::ignore},
      {"playBackSpeed", &Parser::ignore},
      {"view", &Parser::ignore},
      {"zoom", &Parser::ignore},
      {"cameraTracking", &Parser::ignore},
  };
  return table;
}

}  // namespace

IpcScript parse_ipc_script(std::string_view text, Issues& issues) {
  return Parser(text, issues).parse();
}

}  // namespace clearance
