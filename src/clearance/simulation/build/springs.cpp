#include "clearance/simulation/build/springs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numeric>

#include "clearance/bodies/links/dashpot_potential.h"
#include "clearance/bodies/links/spring_potential.h"
#include "clearance/bodies/links/weighted_sum.h"
#include "clearance/math/dimension.h"
#include "clearance/model/feasible_model.h"
#include "clearance/scene/expression.h"
#include "clearance/simulation/build/body_points.h"
#include "clearance/simulation/build/time_window.h"
#include "clearance/simulation/load/named_instances.h"
#include "clearance/simulation/load/region.h"

namespace clearance {

namespace {

/// Blocks that one spring may couple: half a million pairs of them.
constexpr std::size_t most_blocks = 1000;
/// Ends this close to each other, as a share of the scene's size, are at one point.
constexpr double no_length = 1e-9;

bool is_number(const std::string& formula) {
  char* end = nullptr;
  (void)std::strtod(formula.c_str(), &end);
  return !formula.empty() && *end == '\0';
}

template <int dim>
class SpringMaker {
 public:
  SpringMaker(const SceneDesc& desc, const std::vector<BodyInstance>& bodies, const Unknowns& unknowns,
              const Model& model, const VecX& x, const std::shared_ptr<const Controls>& controls, Issues& issues)
      : desc_(desc),
        bodies_(bodies),
        unknowns_(unknowns),
        model_(model),
        controls_(controls),
        issues_(issues),
        points_(desc, bodies, unknowns, model, x) {}

  SceneSprings run() {
    for (std::size_t i = 0; i < desc_.springs.size(); ++i) {
      spring_ = &desc_.springs[i];
      place_ = fmt::format("springs[{}]", i);
      make_spring();
    }
    if (has_errors(issues_)) return {};
    // Driven springs are a potential of their own, because the drives do the work of all that it has.
    const bool has_still = !still_.empty();
    for (SpringPlace& place : result_.places) {
      if (place.potential == is_driven && !has_still) place.potential = 0;
    }
    if (has_still) result_.potentials.push_back(std::make_shared<SpringPotential<dim>>(std::move(still_)));
    if (!driven_.empty()) result_.potentials.push_back(std::make_shared<SpringPotential<dim>>(std::move(driven_)));
    if (!dampers_.empty()) {
      result_.potentials.push_back(std::make_shared<DashpotPotential<dim>>(std::move(dampers_)));
    }
    return std::move(result_);
  }

 private:
  /// Order of the potentials.
  static constexpr int is_still = 0, is_driven = 1;

  void error(const std::string& key, const std::string& value, std::string message) {
    issues_.push_back({"", place_ + key, value, std::move(message), Severity::error});
  }

  void make_spring() {
    SpringPlace& place = result_.places.emplace_back();
    const auto body = find_instance(desc_, bodies_, spring_->body, place_ + ".body", issues_);
    if (!body) return;
    BlockSum sum;
    Ends ends;
    ends.first = add_end(*body, spring_->region, spring_->point, "", 1.0, sum);
    int other = -1;
    if (spring_->to.empty()) {
      ends.second = spring_->to_point.value_or(ends.first);
      sum.offset -= ends.second;
    } else {
      const auto found = find_instance(desc_, bodies_, spring_->to, place_ + ".to", issues_);
      if (!found) return;
      other = *found;
      ends.second = add_end(other, spring_->to_region, spring_->to_point, "to_", -1.0, sum);
    }
    if (has_errors(issues_)) return;
    const std::vector<LinkTerm> terms = sum.terms();
    if (terms.empty()) return error("", "", "both ends are the same point of one body");
    if (terms.size() > most_blocks) {
      return error("", "",
                   fmt::format("the ends depend on {} nodes, and a spring couples each with each; give a `point` or a "
                               "region of fewer than {} nodes",
                               terms.size(), most_blocks));
    }
    finish(*body, other, ends, terms, sum.offset, place);
  }

  struct Ends {
    Vec<3> first, second;  // [m] at the start
  };

  void finish(int body, int other, const Ends& ends, const std::vector<LinkTerm>& terms, const Vec<3>& offset,
              SpringPlace& place) {
    const double distance = (ends.first - ends.second).norm();
    const bool is_point = distance <= no_length * model_.bbox_diagonal;
    if (is_point && !has_direction()) return;
    const TimeWindow window{spring_->start, spring_->end};
    const auto is_active = [window](double h, double time_t1) { return window.contains(time_t1 - h, h); };
    // A spring between ends that start at one point acts in all directions, unless a length gives it one.
    const bool is_alike = is_point && spring_->length.empty();
    place.damper = {terms, offset, spring_->damping, !is_alike, is_active};
    if (spring_->damping > 0.0) dampers_.push_back(place.damper);
    if (spring_->stiffness > 0.0 || !spring_->tension.empty()) {
      Spring spring{.terms = terms,
                    .offset = offset,
                    .start = ends.first,
                    .start_length = is_alike ? 0.0 : distance,
                    .stiffness = spring_->stiffness,
                    .length = is_alike ? 0.0 : distance,
                    .is_pull_only = spring_->pull_only,
                    .locked_from = spring_->locked_from,
                    .is_active = is_active};
      set_formulas(spring);
      place.potential = spring.is_driven() ? is_driven : is_still;
      std::vector<Spring>& list = spring.is_driven() ? driven_ : still_;
      place.index = static_cast<int>(list.size());
      list.push_back(std::move(spring));
    }
    if (spring_->stiffness > 0.0 && spring_->start == 0.0 && !spring_->locked_from) {
      result_.bodies.push_back({body, other});
    }
  }

  /// Reports what needs a direction, which ends at one point do not have.
  bool has_direction() {
    const char* key = !spring_->tension.empty() ? "tension" : spring_->pull_only ? "pull_only" : nullptr;
    if (spring_->locked_from) key = "locked_from";
    if (key == nullptr) return true;
    error(fmt::format(".{}", key), "",
          "both ends start at the same point, so that the spring has no direction; move one of them");
    return false;
  }

  void set_formulas(Spring& spring) {
    const auto read = [&](const std::string& formula, const char* key, double& constant,
                          std::function<Result<double>(double)>& by_time) {
      if (formula.empty()) return;
      const std::string place = place_ + key;
      if (!is_number(formula)) {
        by_time = [formula, place, controls = controls_](double t) {
          return evaluate_time_formula(formula, place, t, *controls);
        };
        return;
      }
      if (const Result<double> value = evaluate_time_formula(formula, place, 0.0, *controls_)) constant = *value;
    };
    read(spring_->length, ".length", spring.length, spring.length_at);
    read(spring_->tension, ".tension", spring.tension, spring.tension_at);
    if (spring.length_at) {
      spring.length_at = [length = spring.length_at, formula = spring_->length, place = place_](double t) {
        Result<double> value = length(t);
        if (value && *value < 0.0) {
          return Result<double>(Issue{
              "", place + ".length", formula,
              fmt::format("a length cannot be negative, and at t = {:g} s it is {:g} m", t, *value), Severity::error});
        }
        return value;
      };
    } else if (spring.length < 0.0) {
      error(".length", spring_->length, "a length cannot be negative");
    }
  }

  // --- ends ---

  /// Adds an end with a weight; returns where it starts.
  Vec<3> add_end(int body, const std::optional<RegionDesc>& region, const std::optional<Vec<3>>& point,
                 const std::string& to, double weight, BlockSum& sum) {
    if (point) return add_point(body, *point, place_ + "." + to + "point", weight, sum);
    if (!region && is_stiff(bodies_[body].kind)) {
      const Vec<3> center = center_of(body);
      points_.add_place(body, center, weight, sum);
      return center;
    }
    const std::vector<int> nodes = points_.nodes_of(body, region.value_or(RegionDesc{}));
    if (nodes.empty()) {
      error("." + to + "region", "", fmt::format("it contains no node of body '{}'", bodies_[body].name));
      return Vec<3>::Zero();
    }
    const std::vector<double> shares = region ? shares_of_area(body, nodes, *region) : shares_of_mass(body, nodes);
    Vec<3> start = Vec<3>::Zero();
    for (std::size_t k = 0; k < nodes.size(); ++k) {
      if (shares[k] == 0.0) continue;
      points_.add_vertex(body, nodes[k], weight * shares[k], sum);
      start += shares[k] * points_.start_of(body, nodes[k]);
    }
    return start;
  }

  Vec<3> center_of(int body) const {
    for (const StiffUnit& unit : unknowns_.stiff_units) {
      if (unit.body == body && !unit.is_part()) return unit.frame.center;
    }
    return Vec<3>::Zero();
  }

  /// Adds the place of a stiff body at p, or the point of the surface of another body that is nearest to p.
  Vec<3> add_point(int body, const Vec<3>& p, const std::string& place, double weight, BlockSum& sum) {
    if (is_stiff(bodies_[body].kind)) {
      points_.add_place(body, p, weight, sum);
      return p;
    }
    const NearestPoints surface(points_.pieces_of(body, RegionDesc{}), points_.starts_of(body));
    const NearestPoint end = surface.find(p);
    constexpr double tolerated = 0.01;  // share of the body's size
    if (end.distance > tolerated * points_.diagonal_of(body)) {
      issues_.push_back({"", place, fmt::format("[{}, {}, {}]", p[0], p[1], p[2]),
                         fmt::format("the surface of '{}' is {:.4g} m away, and the spring ends there; give a point on "
                                     "the surface, or a region",
                                     bodies_[body].name, end.distance),
                         Severity::warning});
    }
    Vec<3> start = Vec<3>::Zero();
    for (std::size_t k = 0; k < 3; ++k) {
      const int v = surface.piece(end.piece)[k];
      if (v < 0 || end.weights[k] == 0.0) continue;
      points_.add_vertex(body, v, weight * end.weights[k], sum);
      start += end.weights[k] * points_.start_of(body, v);
    }
    return start;
  }

  /// Returns numbers as shares of their sum; equal shares if that is not positive.
  static std::vector<double> as_shares(std::vector<double> numbers) {
    const double total = std::accumulate(numbers.begin(), numbers.end(), 0.0);
    for (double& number : numbers) number = total > 0.0 ? number / total : 1.0 / static_cast<double>(numbers.size());
    return numbers;
  }

  /// Returns the share of each node of a region in the area of its faces: equal shares if it has none.
  std::vector<double> shares_of_area(int body, const std::vector<int>& nodes, const RegionDesc& region) const {
    const std::vector<double> areas = share_face_areas(bodies_[body], points_.transform_of(body), region, {.dim = dim});
    std::vector<double> of_nodes;
    for (const int v : nodes) of_nodes.push_back(areas[v]);
    return as_shares(std::move(of_nodes));
  }

  /// Returns the share of each node in the mass of its body: equal shares in an obstacle, which has none.
  std::vector<double> shares_of_mass(int body, const std::vector<int>& nodes) const {
    std::vector<double> masses;
    for (const int v : nodes) {
      BlockSum sum;
      points_.add_vertex(body, v, 1.0, sum);
      double mass = 0.0;
      for (const auto& [block, weight] : sum.weights) mass += weight * model_.mass[block];
      masses.push_back(bodies_[body].is_obstacle ? 0.0 : mass);
    }
    return as_shares(std::move(masses));
  }

  const SceneDesc& desc_;
  const std::vector<BodyInstance>& bodies_;
  const Unknowns& unknowns_;
  const Model& model_;
  std::shared_ptr<const Controls> controls_;
  Issues& issues_;
  BodyPoints<dim> points_;
  const SpringDesc* spring_ = nullptr;
  std::string place_;
  std::vector<Spring> still_, driven_;
  std::vector<Dashpot> dampers_;
  SceneSprings result_;
};

}  // namespace

SceneSprings make_springs(const SceneDesc& desc, const std::vector<BodyInstance>& bodies, const Unknowns& unknowns,
                          const Model& model, const VecX& x, const std::shared_ptr<const Controls>& controls,
                          Issues& issues) {
  if (desc.springs.empty() || has_errors(issues)) return {};
  return with_dimension(unknowns.layout.dim, [&](auto dim) {
    return SpringMaker<dim>(desc, bodies, unknowns, model, x, controls, issues).run();
  });
}

SpringState spring_state(const SceneSprings& springs, const Model& model, const State& state, double h, int spring) {
  return with_dimension(model.layout.dim, [&](auto dim) {
    const SpringPlace& place = springs.places[spring];
    const Dashpot& damper = place.damper;
    const Vec<dim> r = difference_of<dim>(damper.terms, damper.offset, state.x);
    // At the start of a run no step has ended: this is the spring of the first one.
    const double time_t1 = state.step == 0 ? state.time + h : state.time;
    SpringState result;
    result.length = r.norm();
    if (place.potential >= 0) {
      const std::size_t potential = springs.first_potential + place.potential;
      const std::unique_ptr<Potential> copy = model.potentials[potential]->clone();
      copy->set_history(history_of(state, potential));
      (void)copy->begin_step(state.x, h, time_t1);
      result.tension = static_cast<const SpringPotential<dim>&>(*copy).tension(place.index, state.x);
    }
    const Vec<dim> n = result.length > 0.0 ? Vec<dim>(r / result.length) : Vec<dim>(Vec<dim>::Zero());
    Vec<dim> force = -result.tension * n;
    if (damper.damping > 0.0 && damper.is_active(h, time_t1)) {
      const Vec<dim> rate = difference_of<dim>(damper.terms, Vec<3>::Zero(), state.v);
      const double along = damper.damping * rate.dot(n);
      result.tension += along;
      force -= damper.has_direction ? Vec<dim>(along * n) : Vec<dim>(damper.damping * rate);
    }
    result.force.template head<dim>() = force;
    return result;
  });
}

}  // namespace clearance
