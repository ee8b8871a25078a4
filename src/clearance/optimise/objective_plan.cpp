#include "clearance/optimise/objective_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "clearance/io/files/text_file.h"
#include "clearance/io/json_text.h"
#include "clearance/optimise/minimise_objective.h"
#include "clearance/scene/json.h"
#include "clearance/scene/loaded_scene.h"

namespace clearance::optimise {
namespace {

namespace fs = std::filesystem;
using sweep::PlanObject;

/// Keys that a fit does not have.
constexpr const char* own_keys[] = {"objective", "constraints", "optimiser", "quantities"};

/// True if formulas can have the name.
bool is_name(const std::string& text) {
  const Result<Formula> formula = Formula::parse(text, "");
  return formula && formula->names() == std::vector<std::string>{text};
}

/// Adds an issue if a name of the plan is used already.
void refuse_known_name(const ObjectivePlan& plan, PlanObject& object, const std::string& name) {
  const auto has_name = [&](const auto& other) { return other.name == name; };
  if (std::any_of(plan.parameters.begin(), plan.parameters.end(), has_name)) {
    object.error("name", Json(name), "a parameter has this name, too");
  } else if (std::any_of(plan.quantities.begin(), plan.quantities.end(), has_name)) {
    object.error("name", Json(name), "another quantity has this name, too");
  }
}

/// Refuses names of parameters that formulas cannot have, such as that of a constant.
void check_parameter_names(const ObjectivePlan& plan, Issues& issues) {
  for (std::size_t i = 0; i < plan.parameters.size(); ++i) {
    const std::string& name = plan.parameters[i].name;
    if (is_name(name) || name.empty()) continue;
    issues.push_back(
        {"", element_path("parameters", i) + ".name", name,
         "formulas cannot have this name; expected letters, digits, `_` and `.`, a letter first, and not `pi`"});
  }
}

void read_quantities(PlanObject& root, ObjectivePlan& plan, Issues& issues) {
  const Json* list = root.list("quantities");
  for (std::size_t i = 0; list != nullptr && i < list->size(); ++i) {
    PlanObject object((*list)[i], element_path("quantities", i), issues);
    Quantity quantity;
    const auto probe = object.text("probe"), name = object.text("name");
    if (!probe && object.find("probe") == nullptr) object.error("probe", "is missing: a column of probes.csv");
    if (!name && object.find("name") == nullptr) object.error("name", "is missing: the name in formulas");
    quantity.column = probe.value_or("");
    quantity.name = name.value_or("");
    if (name && !is_name(*name))
      object.error("name", Json(*name), "expected letters, digits, `_` and `.`, a letter first");
    if (name) refuse_known_name(plan, object, *name);
    const auto taken = object.word("take", {"last", "min", "max", "mean"});
    const auto at = object.number("at");
    if (object.find("take") != nullptr && object.find("at") != nullptr) object.error("give either `take` or `at`");
    if (taken) quantity.taken = std::vector{Taken::at_end, Taken::min, Taken::max, Taken::mean}[*taken];
    if (at) {
      quantity.taken = Taken::at_time;
      quantity.time = *at;
    }
    object.refuse_other_keys();
    plan.quantities.push_back(std::move(quantity));
  }
}

/// Makes names of formulas that are neither parameters nor quantities columns at the end of the run.
void add_columns(const Formula& formula, ObjectivePlan& plan) {
  for (const std::string& name : formula.names()) {
    const auto has_name = [&](const auto& other) { return other.name == name; };
    if (std::any_of(plan.parameters.begin(), plan.parameters.end(), has_name)) continue;
    if (std::any_of(plan.quantities.begin(), plan.quantities.end(), has_name)) continue;
    plan.quantities.push_back({name, name});
  }
}

/// Reads a formula under a key of an object.
std::optional<Formula> read_formula(PlanObject& object, const char* key, ObjectivePlan& plan, Issues& issues) {
  const auto text = object.text(key);
  if (!text) {
    if (object.find(key) == nullptr) object.error(key, "is missing: a formula of parameters and columns of probes");
    return std::nullopt;
  }
  Result<Formula> formula = Formula::parse(*text, object.place_of(key));
  if (!formula) {
    issues.insert(issues.end(), formula.issues().begin(), formula.issues().end());
    return std::nullopt;
  }
  add_columns(*formula, plan);
  return std::move(*formula);
}

void read_constraints(PlanObject& root, ObjectivePlan& plan, Issues& issues) {
  const Json* list = root.list("constraints");
  for (std::size_t i = 0; list != nullptr && i < list->size(); ++i) {
    PlanObject object((*list)[i], element_path("constraints", i), issues);
    const std::optional<Formula> formula = read_formula(object, "formula", plan, issues);
    const Json* text = object.find("formula");
    const std::string name =
        object.text("name").value_or(text != nullptr && text->is_string() ? text->get<std::string>() : "");
    const auto at_most = object.number("at_most"), at_least = object.number("at_least");
    if (object.find("at_most") == nullptr && object.find("at_least") == nullptr) {
      object.error("expected `at_most` or `at_least`, a bound of the formula");
    }
    if (at_most && at_least && *at_least >= *at_most) {
      object.error("at_least", *at_least, fmt::format("expected a number below `at_most`, which is {}", *at_most));
    }
    const auto is_same = [&](const BoundedFormula& other) { return other.name == name; };
    if (!name.empty() && std::any_of(plan.constraints.begin(), plan.constraints.end(), is_same)) {
      object.error("name", Json(name), "another constraint has this name, too");
    }
    object.refuse_other_keys();
    if (!formula) continue;
    if (at_most) plan.constraints.push_back({name, *formula, *at_most, true});
    if (at_least) plan.constraints.push_back({name, *formula, *at_least, false});
  }
}

void read_optimiser(PlanObject& root, ObjectivePlan& plan, Issues& issues) {
  const bool has_constraints = root.find("constraints") != nullptr;
  plan.method = has_constraints ? MinimiseMethod::mma : MinimiseMethod::lbfgs;
  const Json* json = root.find("optimiser");
  if (json == nullptr) return;
  PlanObject object(*json, "optimiser", issues);
  if (const auto kind = object.word("kind", {"lbfgs", "mma"})) {
    plan.method = *kind == 0 ? MinimiseMethod::lbfgs : MinimiseMethod::mma;
    if (has_constraints && plan.method != MinimiseMethod::mma) {
      object.error("kind", *object.find("kind"), "it keeps no `constraints`; expected `mma`");
    }
  }
  plan.max_iterations = static_cast<int>(object.integer("iterations", 1, 100000).value_or(plan.max_iterations));
  if (const auto tolerance = object.number("tolerance")) {
    plan.tolerance = *tolerance;
    if (!(*tolerance > 0.0)) object.error("tolerance", *tolerance, "expected a number above 0");
  }
  object.refuse_other_keys();
}

}  // namespace

bool is_objective_plan(const fs::path& file) {
  const Result<std::string> text = read_text_file(file);
  if (!text) return false;
  const Result<Json> root = parse_json_text(*text);
  return root && root->is_object() &&
         std::any_of(std::begin(own_keys), std::end(own_keys), [&](const char* key) { return root->contains(key); });
}

Result<ObjectivePlan> read_objective_plan(const fs::path& file) {
  const Result<std::string> text = read_text_file(file);
  if (!text) return text.issues();
  Result<Json> json = parse_json_text(*text);
  if (!json) {
    Issues issues = json.issues();
    set_file(issues, file.string());
    return issues;
  }
  ObjectivePlan plan;
  plan.file = file;
  plan.inputs = *text;
  Issues issues;
  PlanObject root(*json, "", issues);
  read_plan_scene(root, plan, issues);
  check_parameter_names(plan, issues);
  read_quantities(root, plan, issues);
  if (auto objective = read_formula(root, "objective", plan, issues)) plan.objective = std::move(*objective);
  read_constraints(root, plan, issues);
  read_optimiser(root, plan, issues);
  if (root.find("fit") != nullptr) root.error("fit", "a plan has either `fit` or `objective`");
  root.refuse_other_keys();
  set_file(issues, file.string());
  std::error_code error;
  if (!issues.empty() && fs::is_regular_file(plan.scene, error)) {
    // Problems of the scene are told at once with those of the plan.
    Issues of_scene = check_objective(plan).issues();
    set_file(of_scene, plan.scene.string());
    issues.insert(issues.end(), of_scene.begin(), of_scene.end());
  }
  if (!issues.empty()) return issues;
  return plan;
}

}  // namespace clearance::optimise
