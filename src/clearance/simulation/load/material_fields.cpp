#include "clearance/simulation/load/material_fields.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <utility>

#include "clearance/scene/enums.h"
#include "clearance/scene/expression.h"
#include "clearance/simulation/load/material_parts.h"

namespace clearance {

namespace {

/// The elements of a body: tetrahedra (2D: triangles) of a solid, triangles of a shell, edges of a rod.
class Elements {
 public:
  Elements(const BodyDesc& desc, const BodyInstance& body)
      : desc_(desc), body_(body), dimension_(element_dimension(body)) {}

  int dimension() const { return dimension_; }
  std::size_t count() const {
    switch (dimension_) {
      case 1:
        return body_.mesh.edges.size();
      case 2:
        return body_.mesh.triangles.size();
      default:
        return body_.mesh.tets.size();
    }
  }
  const char* name() const {
    constexpr std::array names = {"edges", "triangles", "tetrahedra"};
    return names[dimension_ - 1];
  }
  /// Returns the number of elements of the mesh before refinements.
  std::size_t count_before() const {
    if (body_.element_numbers) return body_.element_numbers->of_number.size();
    return count() >> (dimension_ * desc_.refinements);
  }
  std::size_t number_before(std::size_t element) const { return number_in_file(desc_, body_, element); }
  /// Returns the number of vertices of the mesh. Nodes that raising the order has added lie behind its vertices.
  std::size_t num_vertices() const {
    if (dimension_ == 1 || !body_.mesh.has_curved_cells()) return body_.num_source_vertices;
    int last = -1;
    for (std::size_t e = 0; e < count(); ++e) {
      for (const int v : corners(e)) last = std::max(last, body_.source_vertex[v]);
    }
    return static_cast<std::size_t>(last + 1);
  }
  std::span<const int> corners(std::size_t element) const {
    switch (dimension_) {
      case 1:
        return body_.mesh.edges[element];
      case 2:
        return body_.mesh.triangles[element];
      default:
        return body_.mesh.tets[element];
    }
  }
  Vec<3> centre(std::size_t element) const {
    Vec<3> sum = Vec<3>::Zero();
    const std::span<const int> nodes = corners(element);
    for (const int v : nodes) sum += body_.mesh.vertices[v];
    return sum / static_cast<double>(nodes.size());
  }

 private:
  const BodyDesc& desc_;
  const BodyInstance& body_;
  int dimension_;
};

/// Returns the array of the mesh file that a field names; null if there is none.
const MeshArray* find_array(const MaterialFieldDesc& field, const BodyInstance& body) {
  if (field.array.empty() || !body.arrays) return nullptr;
  const auto found = std::find_if(body.arrays->begin(), body.arrays->end(),
                                  [&](const MeshArray& array) { return array.name == field.array; });
  return found == body.arrays->end() ? nullptr : &*found;
}

/// Returns the list of a field: its own, or the array of elements or else of vertices that it names.
std::span<const double> values_of(const MaterialFieldDesc& field, const Elements& elements, const BodyInstance& body) {
  const MeshArray* const array = find_array(field, body);
  if (array == nullptr) return field.values;
  const std::vector<double>& of_elements = array->of_elements[elements.dimension()];
  return of_elements.empty() ? array->of_vertices : of_elements;
}

/// True if the list has a value for each vertex, and not for each element.
bool is_of_vertices(const MaterialFieldDesc& field, const Elements& elements, const BodyInstance& body) {
  const std::size_t given = values_of(field, elements, body).size();
  return given != elements.count_before() && (given == elements.num_vertices() || given == body.num_source_vertices);
}

Result<std::vector<double>> evaluate_field(const MaterialFieldDesc& field, const Elements& elements,
                                           const BodyInstance& body) {
  const std::size_t count = elements.count();
  std::vector<double> of_element(count);
  const std::span<const double> list = values_of(field, elements, body);
  if (list.empty()) {
    std::vector<Vec<3>> centres(count);
    for (std::size_t e = 0; e < count; ++e) centres[e] = elements.centre(e);
    const auto found = evaluate({field.expression, "0", "0"}, "expression", 0.0, centres);
    if (!found) return found.issues();
    for (std::size_t e = 0; e < count; ++e) of_element[e] = (*found)[e][0];
    return of_element;
  }
  const bool is_mean = is_of_vertices(field, elements, body);
  for (std::size_t e = 0; e < count; ++e) {
    if (!is_mean) {
      of_element[e] = list[elements.number_before(e)];
      continue;
    }
    double sum = 0.0;
    const std::span<const int> corners = elements.corners(e);
    for (const int v : corners) sum += list[body.source_vertex[v]];
    of_element[e] = sum / static_cast<double>(corners.size());
  }
  return of_element;
}

/// Returns what is wrong with a value; empty if nothing is.
std::string problem_of(MaterialNumber number, double value) {
  if (number == MaterialNumber::poisson_ratio) {
    return value > -1.0 && value < 0.5 ? "" : "expected a number above -1 and below 0.5";
  }
  if (number == MaterialNumber::damping) return value >= 0.0 ? "" : "expected a number that is at least 0";
  return value > 0.0 && std::isfinite(value) ? "" : "expected a positive number";
}

}  // namespace

MaterialFields::MaterialFields(const BodyDesc& desc, const BodyInstance& body) {
  const Elements elements(desc, body);
  for (const MaterialFieldDesc& field : desc.material_fields) {
    const Result<std::vector<double>> values = evaluate_field(field, elements, body);
    if (values) fields_.push_back({field.number, *values});
  }
}

void MaterialFields::apply(std::size_t element, MaterialDesc& material) const {
  for (const Values& field : fields_) {
    const double value = field.of_element[element];
    switch (field.number) {
      case MaterialNumber::density:
        material.density = value;
        break;
      case MaterialNumber::youngs_modulus:
        material.youngs_modulus = value;
        break;
      case MaterialNumber::poisson_ratio:
        material.poisson_ratio = value;
        break;
      case MaterialNumber::damping:
        material.damping = value;
        break;
      case MaterialNumber::yield_stress:
        if (material.yield_stress) material.yield_stress = value;
        break;
    }
  }
}

namespace {

/// Checks one field of one copy of a body.
class FieldCheck {
 public:
  FieldCheck(const BodyDesc& desc, const MaterialFieldDesc& field, const BodyInstance& body, Issue where)
      : desc_(desc), field_(field), body_(body), elements_(desc, body), where_(std::move(where)) {}

  Issues find() const {
    if (!field_.array.empty() && find_array(field_, body_) == nullptr) return {unknown_array()};
    const std::size_t given = values_of(field_, elements_, body_).size();
    if (field_.expression.empty()) {
      const bool is_mean = desc_.refinements == 0 && is_of_vertices(field_, elements_, body_);
      if (!is_mean && given != elements_.count_before()) return {wrong_length(given)};
    } else if (depends_on_time()) {
      return {problem(".expression", field_.expression,
                      "the numbers of a material do not change in time: expected a "
                      "formula of x, y and z alone")};
    }
    const Result<std::vector<double>> values = evaluate_field(field_, elements_, body_);
    if (!values) {
      Issues issues;
      for (const Issue& issue : values.issues()) issues.push_back(problem(".expression", issue.value, issue.message));
      return issues;
    }
    const auto is_wrong = [&](double value) { return !problem_of(field_.number, value).empty(); };
    const auto wrong = std::find_if(values->begin(), values->end(), is_wrong);
    if (wrong == values->end()) return {};
    const auto count = std::count_if(values->begin(), values->end(), is_wrong);
    return {wrong_value(static_cast<std::size_t>(wrong - values->begin()), *wrong, count)};
  }

 private:
  Issue problem(const std::string& key, const std::string& value, const std::string& message) const {
    Issue issue = where_;
    issue.place += key;
    issue.value = value;
    issue.message = message;
    return issue;
  }

  bool depends_on_time() const {
    const std::vector<Vec<3>> middle = {elements_.count() > 0 ? elements_.centre(0) : Vec<3>(Vec<3>::Zero())};
    const Expressions formulas = {field_.expression, "0", "0"};
    const auto now = evaluate(formulas, "", 0.0, middle), later = evaluate(formulas, "", 1.0, middle);
    return now && later && (*now)[0] != (*later)[0];
  }

  Issue unknown_array() const {
    std::vector<std::string> names;
    for (const MeshArray& array : *body_.arrays) names.push_back("'" + array.name + "'");
    return problem(".array", field_.array,
                   names.empty() ? fmt::format("the mesh file of '{}' has no arrays of single numbers", body_.name)
                                 : fmt::format("expected one of the arrays of single numbers of the mesh file: {}",
                                               fmt::join(names, ", ")));
  }

  Issue wrong_length(std::size_t given) const {
    const char* const key = field_.array.empty() ? ".values" : ".array";
    if (desc_.refinements > 0) {
      return problem(key, fmt::format("{} numbers", given),
                     fmt::format("body '{}' has {} {} before its refinements; expected one number for each (for each "
                                 "vertex only without `refinements`)",
                                 body_.name, elements_.count_before(), elements_.name()));
    }
    return problem(key, fmt::format("{} numbers", given),
                   fmt::format("body '{}' has {} {} and {} vertices; expected one number for each of either",
                               body_.name, elements_.count_before(), elements_.name(), elements_.num_vertices()));
  }

  Issue wrong_value(std::size_t element, double value, std::ptrdiff_t count) const {
    const Vec<3> at = elements_.centre(element);
    return problem(
        "", fmt::format("{:g}", value),
        fmt::format("{} is out of range in {} of the {} {} of '{}', first in number {}, whose middle is at "
                    "({:.4g}, {:.4g}, {:.4g}); {}",
                    enum_name(field_.number), count, elements_.count(), elements_.name(), body_.name,
                    elements_.number_before(element), at[0], at[1], at[2], problem_of(field_.number, value)));
  }

  const BodyDesc& desc_;
  const MaterialFieldDesc& field_;
  const BodyInstance& body_;
  Elements elements_;
  Issue where_;
};

}  // namespace

void check_material_fields(const BodyDesc& desc, const Issue& where, const std::vector<BodyInstance>& copies,
                           Issues& issues) {
  for (std::size_t f = 0; f < desc.material_fields.size(); ++f) {
    Issue of_field = where;
    of_field.place += fmt::format(".material_fields[{}]", f);
    for (const BodyInstance& body : copies) {
      const Issues found = FieldCheck(desc, desc.material_fields[f], body, of_field).find();
      issues.insert(issues.end(), found.begin(), found.end());
      // Other copies would repeat the problem.
      if (!found.empty()) break;
    }
  }
}

}  // namespace clearance
