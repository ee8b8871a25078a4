#include "clearance/optimise/polyfem_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "clearance/io/files/text_file.h"
#include "clearance/io/json_text.h"
#include "clearance/io/polyfem/polyfem_values.h"
#include "clearance/io/scene_reader.h"
#include "clearance/optimise/form_reader.h"
#include "clearance/scene/json.h"

namespace clearance::optimise {
namespace {

namespace fs = std::filesystem;
using Index = Eigen::Index;

/// Change of a vertex in the first iteration of a shape, as a share of the mean edge.
constexpr double first_share_of_edge = 0.2;

class PlanReader {
 public:
  PlanReader(const Json& root, const fs::path& file, const PolyfemPlanOptions& options)
      : json_(root), root_(root, "", issues_), options_(options) {
    plan_.file = file;
  }

  Result<PolyfemPlan> read() {
    warn_of_ignored_keys();
    read_states();
    // Maps and forms refer to numbers of the states.
    const bool has_states = !has_errors(issues_) && !plan_.meshes.empty();
    const std::optional<Index> size = read_size(has_states ? size_of_shape() : std::nullopt);
    if (has_states) {
      read_variables(size);
      read_forms("functionals", plan_.objective);
      read_forms("stopping_conditions", plan_.conditions);
      read_forms("constraints", plan_.constraints);
      if (plan_.objective.empty() && !root_.has("functionals"))
        root_.error("functionals", "is missing: a list of forms");
      if (size) read_start(*size);
    }
    if (size) read_solver(*size);
    if (has_states && !has_errors(issues_)) prepare_shape();
    set_file(issues_, plan_.file.string());
    if (has_errors(issues_)) return issues_;
    plan_.warnings = std::move(issues_);
    return std::move(plan_);
  }

 private:
  void warn_of_ignored_keys() const {
    std::vector<std::string> reported;
    root_.warn_of_unknown_keys({"states", "parameters", "variable_to_simulation", "functionals", "stopping_conditions",
                                "constraints", "solver", "output", "common"},
                               reported);
    if (root_.has("common")) root_.error("common", "files that others are merged into are not read here yet");
    const ForeignObject solver = root_.child("solver"), advanced = solver.child("advanced");
    solver.warn_of_unknown_keys({"nonlinear", "advanced", "max_threads"}, reported);
    if (solver.has("max_threads")) solver.warning("max_threads", "it has no effect; use --threads");
    advanced.warn_of_unknown_keys({"enable_slim", "solve_in_parallel", "characteristic_length"}, reported);
  }

  void read_states() {
    for (const ForeignObject& entry : objects_of(root_, "states")) {
      std::vector<std::string> reported;
      entry.warn_of_unknown_keys({"path", "initial_guess"}, reported);
      if (entry.has("initial_guess")) entry.warning("initial_guess", "it has no effect: each state starts at rest");
      const std::string name = entry.word("path", "");
      const fs::path path = plan_.file.parent_path() / name;
      std::error_code error;
      if (name.empty() || !fs::is_regular_file(path, error)) {
        entry.error("path", "expected a scene of PolyFEM; there is no such file");
        continue;
      }
      add_state(path);
    }
    if (plan_.states.empty() && !has_errors(issues_)) root_.error("states", "is missing: a list of scenes");
  }

  void add_state(const fs::path& path) {
    const Result<Json> root = read_json(path);
    if (!root) return append(root.issues(), path);
    if (const auto text = read_text_file(path)) plan_.inputs += *text;
    Result<PolyfemState> state = read_polyfem_state(*root, path, read_json);
    if (!state) return append(state.issues(), path);
    append(state->loaded.warnings, path);
    if (!options_.overrides.empty()) {
      const SceneDesc& scene = state->loaded.scene;
      Result<LoadedScene> other =
          load_scene_text(scene_text("", scene), path.string(), scene.base_directory, options_.overrides);
      if (!other) return append(other.issues(), path);
      state->loaded = std::move(*other);
    }
    free_contact(path, state->loaded.scene);
    Result<StateMesh> mesh = make_state_mesh(*state);
    if (!mesh) return append(mesh.issues(), path);
    plan_.state_files.push_back(path);
    plan_.states.push_back(std::move(*state));
    plan_.meshes.push_back(std::make_unique<const StateMesh>(std::move(*mesh)));
  }

  /// Lets the program choose the stiffness of contacts in motion, where a fixed one leaves gaps of 1e-9 m and less, at
  /// which forces have too few digits for derivatives.
  void free_contact(const fs::path& path, SceneDesc& scene) {
    const bool is_fixed = scene.contact.kappa > 0.0 && scene.contact.formulation() == ContactFormulation::ipc;
    const bool is_given = std::any_of(options_.overrides.begin(), options_.overrides.end(),
                                      [](const std::string& text) { return text.starts_with("contact.kappa="); });
    if (!is_fixed || is_given || scene.time.integrator == TimeIntegrator::quasi_static) return;
    const double fixed = std::exchange(scene.contact.kappa, 0.0);
    issues_.push_back({path.string(), "solver.contact.barrier_stiffness", fmt::format("{:g}", fixed),
                       "the program chooses the stiffness of contacts instead, because derivatives need forces with "
                       "more digits than a fixed one leaves; --set contact.kappa=... keeps one",
                       Severity::warning});
  }

  void append(Issues issues, const fs::path& path) {
    set_file(issues, path.string());
    issues_.insert(issues_.end(), issues.begin(), issues.end());
  }

  /// Returns the vertices that a shape consists of, if they alone are the parameters and start where the mesh has them;
  /// the file need not count them then.
  std::optional<Index> size_of_shape() const {
    Issues ignored;  // of the variable, which is read later
    const ForeignObject quiet(json_, "", ignored);
    const std::vector<ForeignObject> blocks = objects_of(quiet, "parameters"),
                                     list = objects_of(quiet, "variable_to_simulation");
    if (blocks.size() != 1 || blocks[0].has("initial") || list.size() != 1) return std::nullopt;
    const int state = list[0].integer("state", 0);
    const bool is_shape = list[0].word("type", "") == "shape" && objects_of(list[0], "composition").empty();
    if (!is_shape || state < 0 || state >= std::ssize(plan_.meshes)) return std::nullopt;
    const StateMesh& mesh = *plan_.meshes[static_cast<std::size_t>(state)];
    std::vector<int> vertices;
    if (!read_vertices(list[0], mesh, vertices)) return std::nullopt;
    return mesh.dim * static_cast<Index>(vertices.size());
  }

  /// Returns the number of parameters. `of_shape`: where it follows from the mesh.
  std::optional<Index> read_size(std::optional<Index> of_shape) {
    Index size = 0;
    bool is_complete = true;
    const std::vector<ForeignObject> blocks = objects_of(root_, "parameters");
    if (blocks.empty()) root_.error("parameters", "is missing: a list of blocks with a `number`");
    for (const ForeignObject& block : blocks) {
      std::vector<std::string> reported;
      block.warn_of_unknown_keys({"number", "initial"}, reported);
      const Json* number = block.find("number");
      if (of_shape) {
        if (number != nullptr && *number != Json(*of_shape) && *number != Json("auto")) {
          block.warning("number", fmt::format("the shape has {} coordinates, which are taken", *of_shape));
        }
        first_of_block_ = {0, *of_shape};
        return of_shape;
      }
      if (number == nullptr || !number->is_number_integer() || number->get<int>() < 1) {
        block.error("number", "expected how many parameters the block has, as a whole number");
        is_complete = false;
        continue;
      }
      first_of_block_.push_back(size);
      size += number->get<int>();
    }
    first_of_block_.push_back(size);
    return is_complete && size > 0 ? std::optional(size) : std::nullopt;
  }

  void read_variables(std::optional<Index> size) {
    const std::vector<ForeignObject> list = objects_of(root_, "variable_to_simulation");
    if (list.empty()) root_.error("variable_to_simulation", "is missing: a list of maps");
    std::optional<int> varied;
    for (const ForeignObject& from : list) {
      std::vector<std::string> reported;
      from.warn_of_unknown_keys({"type", "state", "composition", "composite_map_type", "surface_selection",
                                 "active_geometry_nodes", "matching"},
                                reported);
      const int state = from.integer("state", 0);
      if (state < 0 || state >= std::ssize(plan_.states)) {
        from.error("state", fmt::format("expected the number of a state, from 0 to {}", plan_.states.size() - 1));
        continue;
      }
      if (varied && *varied != state) {
        from.error("state",
                   fmt::format("the maps before this one change the state {}; only one can be changed", *varied));
        continue;
      }
      varied = state;
      plan_.varied = static_cast<std::size_t>(state);
      read_variable(from, *plan_.meshes[plan_.varied], size);
    }
  }

  void read_variable(const ForeignObject& from, const StateMesh& mesh, std::optional<Index> size) {
    DesignVariable variable;
    Index expected = 0;
    std::string meaning;
    const std::string type = from.word("type", "");
    if (type == "elastic") {
      variable.kind = VariableKind::elastic;
      expected = 2 * static_cast<Index>(mesh.num_cells());
      meaning = fmt::format("lambda and mu of {} elements", mesh.num_cells());
    } else if (type == "initial") {
      variable.kind = VariableKind::initial;
      expected = 2 * mesh.x_rest.size();
      meaning =
          fmt::format("{} coordinates of the displacement and of the velocity of {} nodes", mesh.dim, mesh.num_nodes());
    } else if (type == "shape") {
      variable.kind = VariableKind::shape;
      if (!read_vertices(from, mesh, variable.vertices)) return;
      expected = mesh.dim * static_cast<Index>(variable.vertices.size());
      meaning = fmt::format("{} coordinates of {} vertices", mesh.dim, variable.vertices.size());
    } else {
      return from.error("type", "this variable is not known here; expected elastic, initial or shape");
    }
    const std::vector<ForeignObject> maps = objects_of(from, "composition");
    bool is_complete = true;
    for (const ForeignObject& map : maps) {
      std::unique_ptr<MapStep> step = read_map(map, mesh);
      is_complete = is_complete && step;
      if (step) variable.map.add(std::move(step));
    }
    if (!is_complete || !size) return;
    const Result<Index> result = variable.map.check(*size);
    if (!result) {
      for (Issue issue : result.issues()) {
        issue.place = from.place_of("composition") + issue.place;
        issues_.push_back(std::move(issue));
      }
    } else if (*result != expected) {
      from.error("composition", fmt::format("the maps make {} numbers of {} parameters; expected {}: {}", *result,
                                            *size, expected, meaning));
    } else {
      plan_.variables.push_back(std::move(variable));
    }
  }

  /// Reads the vertices that a shape consists of, in the older and in the newer way of writing.
  static bool read_vertices(const ForeignObject& from, const StateMesh& mesh, std::vector<int>& vertices) {
    const bool is_new = from.has("active_geometry_nodes");
    const ForeignObject nodes = is_new ? from.child("active_geometry_nodes") : from;
    const char *key = is_new ? "type" : "composite_map_type", *selection = is_new ? "selection" : "surface_selection";
    const std::string kind = nodes.word(key, "");
    std::vector<int> ids;
    if (kind == "boundary_excluding_surface") {
      if (!read_integers(nodes, selection, ids)) return false;
    } else if (kind != "boundary") {
      nodes.error(key, "these vertices cannot be changed here; expected boundary or boundary_excluding_surface");
      return false;
    }
    vertices = mesh.boundary_without(ids);
    return true;
  }

  std::unique_ptr<MapStep> read_map(const ForeignObject& from, const StateMesh& mesh) const {
    const std::string type = from.word("type", "");
    if (type == "exp") return exp_map(std::max(from.integer("from", 0), 0), from.integer("to", -1));
    if (type == "scale") return scale_map(from.number("value", 1.0));
    if (type == "power") return power_map(from.number("power", 1.0));
    if (type == "append-const") {
      const int count = from.integer("size", 0);
      if (count < 1) {
        from.error("size", "expected how many numbers are to be inserted, at least 1");
        return nullptr;
      }
      return append_map(std::vector<double>(static_cast<std::size_t>(count), from.number("value", 0.0)),
                        from.integer("start", -1));
    }
    if (type == "append-values") {
      const Json* values = from.find("values");
      const bool is_list = values != nullptr && values->is_array() &&
                           std::all_of(values->begin(), values->end(), [](const Json& v) { return v.is_number(); });
      if (!is_list) {
        from.error("values", "expected a list of numbers");
        return nullptr;
      }
      return append_map(values->get<std::vector<double>>(), from.integer("start", -1));
    }
    if (type == "per-body-to-per-elem") return spread(mesh.body_of_cell(), 1);
    if (type == "per-body-to-per-node") return spread(mesh.body_of_node(), mesh.dim);
    if (type == "E-nu-to-lambda-mu") return lame_map(from.flag("is_volume", mesh.dim == 3));
    if (type == "slice") return read_slice(from);
    from.error("type",
               "this map is not known here; expected exp, scale, power, slice, append-const, append-values, "
               "per-body-to-per-elem, per-body-to-per-node or E-nu-to-lambda-mu");
    return nullptr;
  }

  static std::unique_ptr<MapStep> spread(std::vector<int> owner, Index width) {
    const int count = 1 + *std::max_element(owner.begin(), owner.end());
    return spread_map(std::move(owner), count, width);
  }

  std::unique_ptr<MapStep> read_slice(const ForeignObject& from) const {
    if (from.has("parameter_index")) {
      const int block = from.integer("parameter_index", 0);
      if (block < 0 || block + 1 >= std::ssize(first_of_block_)) {
        from.error("parameter_index", fmt::format("expected the number of a block of parameters, from 0 to {}",
                                                  std::ssize(first_of_block_) - 2));
        return nullptr;
      }
      return slice_map(first_of_block_[static_cast<std::size_t>(block)],
                       first_of_block_[static_cast<std::size_t>(block) + 1]);
    }
    const int begin = from.integer("from", 0), end = from.integer("to", from.integer("last", -1));
    if (begin < 0 || end <= begin) {
      from.error("to", "expected a number above `from`");
      return nullptr;
    }
    return slice_map(begin, end);
  }

  void read_forms(const char* key, std::vector<FormPtr>& forms) {
    FormReader reader(plan_.meshes, plan_.varied, plan_.file.parent_path(), plan_.inputs);
    for (const ForeignObject& from : objects_of(root_, key)) {
      if (FormPtr form = reader.read(from)) forms.push_back(std::move(form));
    }
  }

  /// Reads where the search starts: values of the blocks, or those that the state has.
  void read_start(Index size) {
    const std::vector<ForeignObject> blocks = objects_of(root_, "parameters");
    std::optional<VecX> of_state;
    plan_.start.resize(size);
    for (std::size_t b = 0; b < blocks.size(); ++b) {
      const Index first = first_of_block_[b], count = first_of_block_[b + 1] - first;
      const Json* initial = blocks[b].find("initial");
      if (initial != nullptr) {
        plan_.start.segment(first, count) = per_parameter(*initial, count, blocks[b], "initial");
      } else {
        if (!of_state) of_state = start_of_state();
        if (of_state && of_state->size() == size) {
          plan_.start.segment(first, count) = of_state->segment(first, count);
        } else if (!has_errors(issues_)) {
          blocks[b].error("initial", "is missing, and the maps cannot be inverted; expected a number or a list");
        }
      }
    }
  }

  /// Returns the parameters at which the maps make what the state has.
  std::optional<VecX> start_of_state() const {
    if (plan_.variables.size() != 1) return std::nullopt;
    const DesignVariable& variable = plan_.variables[0];
    const StateMesh& mesh = *plan_.meshes[plan_.varied];
    if (variable.kind == VariableKind::elastic) return variable.map.invert(mesh.lame);
    if (variable.kind == VariableKind::initial) return std::nullopt;
    VecX places(mesh.dim * static_cast<Index>(variable.vertices.size()));
    for (std::size_t k = 0; k < variable.vertices.size(); ++k) {
      places.segment(mesh.dim * static_cast<Index>(k), mesh.dim) =
          mesh.x_rest.segment(static_cast<Index>(mesh.dim) * variable.vertices[k], mesh.dim);
    }
    return variable.map.invert(places);
  }

  /// Lets the inside follow the shape, and smooths its changes.
  void prepare_shape() {
    const ForeignObject advanced = root_.child("solver").child("advanced");
    const StateMesh& mesh = *plan_.meshes[plan_.varied];
    const bool is_smoothed = options_.smoothing_length > 0.0;
    bool has_shape = false;
    for (DesignVariable& variable : plan_.variables) {
      if (variable.kind != VariableKind::shape) continue;
      has_shape = true;
      // PolyFEM moves the inside by itself after a step (SLIM); here it is part of the design.
      if (is_smoothed || advanced.flag("enable_slim", false)) {
        variable.inside = std::make_unique<const InsideMotion>(mesh, variable.vertices);
      }
    }
    if (has_shape) plan_.minimiser.first_length = first_share_of_edge * mean_edge(mesh);
    if (!is_smoothed) return;
    const MinimiseOptions& minimiser = plan_.minimiser;
    const auto is_finite = [](double number) { return std::isfinite(number); };
    const bool is_bounded = std::any_of(minimiser.lower.begin(), minimiser.lower.end(), is_finite) ||
                            std::any_of(minimiser.upper.begin(), minimiser.upper.end(), is_finite) ||
                            std::any_of(minimiser.max_change.begin(), minimiser.max_change.end(), is_finite);
    if (!has_shape || plan_.variables.size() != 1 || !plan_.variables[0].map.is_identity() || is_bounded) {
      issues_.push_back(
          {"", "--smooth", "", "only a shape whose vertices are the parameters, without bounds, can be smoothed"});
      return;
    }
    plan_.smoothing =
        std::make_unique<const SmoothChange>(mesh, plan_.variables[0].vertices, options_.smoothing_length);
  }

  /// Reads a number for all parameters, or a list of one for each.
  static VecX per_parameter(const Json& value, Index size, const ForeignObject& from, const char* key) {
    if (value.is_number()) return VecX::Constant(size, value.get<double>());
    const bool is_list = value.is_array() && std::ssize(value) == size &&
                         std::all_of(value.begin(), value.end(), [](const Json& v) { return v.is_number(); });
    if (is_list) {
      const auto numbers = value.get<std::vector<double>>();
      return Eigen::Map<const VecX>(numbers.data(), size);
    }
    from.error(key, fmt::format("expected a number, or a list of {} numbers", size));
    return VecX::Zero(size);
  }

  void read_method(const ForeignObject& solver, const std::string& name) {
    if (name == "MMA") {
      plan_.minimiser.method = MinimiseMethod::mma;
    } else if (name != "L-BFGS" && name != "L-BFGS-B") {
      solver.error("solver", "this method is not known here; expected L-BFGS, L-BFGS-B or MMA");
    } else if (root_.has("constraints")) {
      root_.error("constraints",
                  fmt::format("{} knows no constraints; expected \"MMA\" at solver.nonlinear.solver", name));
    }
  }

  void read_solver(Index size) {
    MinimiseOptions& options = plan_.minimiser;
    const ForeignObject solver = root_.child("solver").child("nonlinear"), line = solver.child("line_search"),
                        box = solver.child("box_constraints"), advanced = solver.child("advanced"),
                        lbfgsb = solver.child("L-BFGS-B"), lbfgs = solver.child("L-BFGS");
    std::vector<std::string> reported;
    solver.warn_of_unknown_keys(
        {"solver", "max_iterations", "grad_norm", "line_search", "box_constraints", "L-BFGS-B", "L-BFGS", "advanced"},
        reported);
    const std::string name = solver.word("solver", "L-BFGS");
    read_method(solver, name);
    options.max_iterations = solver.integer("max_iterations", options.max_iterations);
    if (options.max_iterations < 1) solver.error("max_iterations", "must be at least 1");
    options.gradient_tolerance = solver.number("grad_norm", options.gradient_tolerance, at_least(0.0, "", ""));
    options.history_size = (name == "L-BFGS-B" ? lbfgsb : lbfgs).integer("history_size", options.history_size);
    if (options.history_size < 1) lbfgsb.error("history_size", "must be at least 1");
    line.warn_of_unknown_keys({"method", "min_step_size"}, reported);
    const std::string search = line.word("method", "Backtracking");
    const bool is_mma = options.method == MinimiseMethod::mma;
    if (is_mma && line.has("method")) line.warning("method", "it has no effect with MMA, which searches no line");
    options.searches_line = is_mma || search != "None";
    if (!is_mma && options.searches_line && search != "Backtracking") {
      line.warning("method", "Backtracking is used instead");
    }
    if (options.searches_line) options.least_step = line.number("min_step_size", options.least_step, above_zero());
    if (advanced.word("apply_gradient_fd", "None") != "None") {
      advanced.warning("apply_gradient_fd", "it has no effect; --check compares derivatives with differences");
    }
    options.lower = VecX::Constant(size, -infinity);
    options.upper = VecX::Constant(size, infinity);
    options.max_change = VecX::Constant(size, infinity);
    if (const Json* bounds = box.find("bounds")) {
      if (!bounds->is_array() || bounds->size() != 2) {
        box.error("bounds", "expected two numbers or two lists: the lower and the upper bounds");
      } else {
        options.lower = per_parameter((*bounds)[0], size, box, "bounds");
        options.upper = per_parameter((*bounds)[1], size, box, "bounds");
      }
      if ((options.lower.array() > options.upper.array()).any()) {
        box.error("bounds", "expected lower bounds that are not above the upper ones");
      }
      if (name == "L-BFGS") box.warning("bounds", "PolyFEM's L-BFGS knows no bounds; here they hold");
    }
    if (const Json* change = box.find("max_change")) {
      options.max_change = per_parameter(*change, size, box, "max_change");
      if (!(options.max_change.array() > 0.0).all()) box.error("max_change", "must be above 0");
    }
  }

  static const Field& above_zero() {
    static const Field field = positive("", "");
    return field;
  }

  Issues issues_;
  const Json& json_;
  const ForeignObject root_;
  const PolyfemPlanOptions& options_;
  PolyfemPlan plan_;
  std::vector<Index> first_of_block_;  // and the number of all parameters
};

}  // namespace

bool is_polyfem_plan(const fs::path& file) {
  const Result<Json> root = read_json(file);
  return root && is_polyfem_optimisation(*root);
}

Result<PolyfemPlan> read_polyfem_plan(const fs::path& file, const PolyfemPlanOptions& options) {
  const Result<Json> root = read_json(file);
  if (!root) return root.issues();
  Result<PolyfemPlan> plan = PlanReader(*root, file, options).read();
  if (!plan) return plan;
  plan->inputs = root->dump() + plan->inputs;
  for (const std::string& text : options.overrides) plan->inputs += text + '\n';
  if (options.smoothing_length > 0.0) plan->inputs += fmt::format("--smooth {}\n", options.smoothing_length);
  return plan;
}

}  // namespace clearance::optimise
