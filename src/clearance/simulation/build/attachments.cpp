#include "clearance/simulation/build/attachments.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "clearance/bodies/links/link_potential.h"
#include "clearance/geometry/open_ways.h"
#include "clearance/math/dimension.h"
#include "clearance/math/rotation.h"
#include "clearance/model/feasible_model.h"
#include "clearance/scene/expression.h"
#include "clearance/simulation/build/body_points.h"
#include "clearance/simulation/build/time_window.h"
#include "clearance/simulation/load/named_instances.h"

namespace clearance {

namespace {

/// A link is this many times as stiff as the softer body there: its own stretch is a hundredth of the deformation of
/// the elements around its end.
constexpr double times_as_stiff = 100.0;
/// A node this close to a face, as a share of the face's size, lies on it.
constexpr double no_height = 1e-9;

/// Returns the mean stiffness [N/m] of each block against a displacement alone, of all elastic energies at x.
template <int dim>
VecX elastic_diagonal(const Model& model, const VecX& x) {
  VecX gradient = VecX::Zero(x.size()), diagonal = VecX::Zero(model.layout.num_blocks);
  for (const auto& of_model : model.potentials) {
    if (!of_model->is_elastic()) continue;
    const std::unique_ptr<Potential> potential = of_model->clone();
    BlockSparseMatrix matrix(dim, model.layout.num_blocks, potential->pattern());
    potential->add_derivatives(x, 1.0, gradient, matrix);
    for (int b = 0; b < model.layout.num_blocks; ++b) {
      diagonal[b] += matrix.diagonal_block<dim>(b).trace() / static_cast<double>(dim);
    }
  }
  return diagonal;
}

Issue negative_length(const std::string& formula, const std::string& place, double t, double length) {
  return {"", place, formula, fmt::format("a length cannot be negative, and at t = {:g} s it is {:g} m", t, length),
          Severity::error};
}

template <int dim>
class AttachmentMaker {
 public:
  AttachmentMaker(const SceneDesc& desc, const std::vector<BodyInstance>& bodies, const Unknowns& unknowns,
                  const Model& model, const VecX& x, double h, const std::shared_ptr<const Controls>& controls,
                  Issues& issues, Issues& idle)
      : desc_(desc),
        bodies_(bodies),
        unknowns_(unknowns),
        model_(model),
        h_(h),
        controls_(controls),
        issues_(issues),
        idle_(idle),
        points_(desc, bodies, unknowns, model, x),
        elastic_(elastic_diagonal<dim>(model, x)) {}

  SceneAttachments run() {
    std::vector<LinkGroup> groups;
    for (std::size_t i = 0; i < desc_.attachments.size(); ++i) {
      attachment_ = &desc_.attachments[i];
      place_ = fmt::format("attachments[{}]", i);
      groups.push_back(make_group());
    }
    if (has_errors(issues_)) return {};
    result_.links = std::make_shared<LinkPotential<dim>>(std::move(groups));
    return std::move(result_);
  }

 private:
  LinkGroup make_group() {
    LinkGroup group;
    const std::vector<int> attached = find_instances(desc_, bodies_, attachment_->body, place_ + ".body", issues_);
    int other = -1;
    if (!attachment_->to.empty()) {
      const auto found = find_instance(desc_, bodies_, attachment_->to, place_ + ".to", issues_);
      if (!found) return group;
      other = *found;
    }
    for (const int body : attached) add_links(body, other, group);
    if (group.links.empty() && !attached.empty() && !has_errors(issues_)) {
      idle_.push_back(
          {"", place_ + ".region", "",
           fmt::format("the region contains no node of body '{}', so that nothing is attached", attachment_->body),
           Severity::warning});
    }
    check_length(attached, other, group);
    add_formulas(group);
    return group;
  }

  /// Reports a length that is negative at the start, and warns of links that jump there or press into the thickness of
  /// what they join.
  void check_length(const std::vector<int>& attached, int other, const LinkGroup& group) {
    const std::string& formula = attachment_->length;
    if (formula.empty() || group.links.empty()) return;
    const Result<double> at_start = evaluate_time_formula(formula, place_ + ".length", attachment_->start, *controls_);
    if (!at_start) return;  // reported by the run
    if (*at_start < 0.0) {
      issues_.push_back(negative_length(formula, place_ + ".length", attachment_->start, *at_start));
      return;
    }
    const auto warn = [&](std::string message) {
      issues_.push_back({"", place_ + ".length", formula, std::move(message), Severity::warning});
    };
    double shortest = infinity, longest = 0.0;
    for (const Link& link : group.links) {
      shortest = std::min(shortest, link.length);
      longest = std::max(longest, link.length);
    }
    constexpr double tolerated = 0.01;  // share of the length
    if (shortest < (1.0 - tolerated) * *at_start || longest > (1.0 + tolerated) * *at_start) {
      warn(
          fmt::format("the links are {:.4g} m to {:.4g} m long at the start, but the formula says {:.4g} m at t = "
                      "{:g} s, so that they are pulled or pressed at once",
                      shortest, longest, *at_start, attachment_->start));
    }
    // Half of each thickness keeps the middles of both bodies apart.
    double apart = 0.0;
    for (const int body : {attached[0], other}) {
      if (body >= 0) apart += 0.5 * desc_.bodies[bodies_[body].desc].thickness.value_or(0.0);
    }
    constexpr int num_times = 64;
    const bool can_press = apart > 0.0 && can_touch(attached[0], other);
    for (int i = 0; i <= num_times && can_press; ++i) {
      const double t = desc_.time.duration * i / num_times;
      const Result<double> length = evaluate_time_formula(formula, place_ + ".length", t, *controls_);
      if (!length || *length >= apart) continue;
      warn(fmt::format(
          "at t = {:g} s the links are {:.4g} m long, but the thickness of what they join keeps it {:.4g} m "
          "apart; contact carries what they press",
          t, *length, apart));
      break;
    }
  }

  bool can_touch(int body, int other) const {
    return desc_.contact.enabled && other >= 0 && !model_.surface.is_ignored(body, other);
  }

  void add_formulas(LinkGroup& group) const {
    const TimeWindow window{attachment_->start, attachment_->end};
    group.is_active = [window](double h, double time_t1) { return window.contains(time_t1 - h, h); };
    const auto controls = controls_;
    if (!attachment_->length.empty()) {
      group.length = [formula = attachment_->length, place = place_ + ".length", controls](double t) {
        Result<double> length = evaluate_time_formula(formula, place, t, *controls);
        if (length && *length < 0.0) {
          return Result<double>(negative_length(formula, place, t, *length));
        }
        return length;
      };
    }
    if (attachment_->displacement) {
      std::vector<Vec<3>> points;
      for (const Link& link : group.links) points.push_back(attachment_->point.value_or(link.start));
      group.moved = [formulas = *attachment_->displacement, place = place_ + ".displacement", points,
                     controls](double t) { return evaluate(formulas, place, t, points, *controls); };
    }
  }

  void error(const std::string& key, const std::string& value, std::string message) {
    issues_.push_back({"", place_ + "." + key, value, std::move(message), Severity::error});
  }

  const Vec<3>& start_of(int body, int v) const { return points_.start_of(body, v); }

  // --- ends of links ---

  void add_links(int body, int other, LinkGroup& group) {
    if (!attachment_->pairs.empty()) return add_pairs(body, other, group);
    const std::vector<int> nodes = points_.nodes_of(body, attachment_->region);
    if (attachment_->tied) return add_ties(body, nodes, other, group);
    const bool keeps_places = other < 0 || (is_stiff(bodies_[other].kind) && attachment_->length.empty());
    if (keeps_places || attachment_->point) {
      for (const int v : nodes) add_link_to_place(body, v, other, group);
      return;
    }
    const NearestPoints surface(pieces_of(other), points_.starts_of(other));
    for (const int v : nodes) {
      const NearestPoint end = surface.find(start_of(body, v), other == body ? v : -1);
      if (end.piece < 0)
        return error("to_region", "", fmt::format("it contains no node of body '{}'", attachment_->to));
      add_link(body, v, other, surface.piece(end.piece), end.weights, group);
    }
  }

  std::vector<SurfacePiece> pieces_of(int body) const {
    return points_.pieces_of(body, attachment_->to_region.value_or(RegionDesc{}));
  }

  /// Links a node to a place in the world or in a stiff body: to its own, or to the given point.
  void add_link_to_place(int body, int v, int other, LinkGroup& group) {
    BlockSum sum;
    points_.add_vertex(body, v, 1.0, sum);
    const Vec<3> start = start_of(body, v), end = attachment_->point.value_or(start);
    if (other < 0) {
      sum.offset -= end;
    } else {
      points_.add_place(other, end, -1.0, sum);
    }
    finish(body, v, other, (start - end).norm(), sum, group);
  }

  void add_link(int body, int v, int other, const SurfacePiece& piece, const std::array<double, 3>& weights,
                LinkGroup& group) {
    BlockSum sum;
    points_.add_vertex(body, v, 1.0, sum);
    for (std::size_t k = 0; k < 3; ++k) {
      if (piece[k] < 0 || weights[k] == 0.0) continue;
      points_.add_vertex(other, piece[k], -weights[k], sum);
    }
    const Vec<3> end = place_on(other, piece, weights);
    finish(body, v, other, (start_of(body, v) - end).norm(), sum, group);
  }

  // --- ties ---

  /// Ties the nodes that are near enough to the other body and on the side towards it.
  void add_ties(int body, const std::vector<int>& nodes, int other, LinkGroup& group) {
    const std::vector<SurfacePiece> pieces = pieces_of(other);
    if (pieces.empty()) return error("to_region", "", fmt::format("it contains no node of '{}'", attachment_->to));
    if (pieces.front()[dim - 1] < 0) {
      return error("to_region", "",
                   fmt::format("nodes are tied to {}, and it contains none of '{}'", dim == 3 ? "faces" : "edges",
                               attachment_->to));
    }
    constexpr double share_of_size = 0.02, share_of_touch = 1e-6;
    const double size = std::min(points_.diagonal_of(body), points_.diagonal_of(other));
    const double reach = attachment_->distance.value_or(share_of_size * size);
    const NearestPoints surface(pieces, points_.starts_of(other));
    const OpenWays ways = ways_from(body);
    double nearest = infinity, furthest = 0.0;
    std::size_t num_left_out = 0, num_behind = 0;
    for (const int v : nodes) {
      const NearestPoint end = surface.find(start_of(body, v));
      nearest = std::min(nearest, end.distance);
      furthest = std::max(furthest, end.distance);
      if (end.distance > reach) {
        ++num_left_out;
      } else if (!ways.is_open(v, place_on(other, surface.piece(end.piece), end.weights), share_of_touch * size)) {
        ++num_behind;
      } else if (is_stiff(bodies_[other].kind)) {
        add_link_to_place(body, v, other, group);
      } else {
        add_tie(body, v, other, surface.piece(end.piece), group);
      }
    }
    if (!nodes.empty() && num_left_out == nodes.size()) {
      return error("distance", fmt::format("{:g}", reach),
                   fmt::format("no node of '{}' is within this distance of '{}', and the nearest one is {:.4g} m away; "
                               "give a larger `distance`",
                               bodies_[body].name, attachment_->to, nearest));
    }
    if (!nodes.empty() && num_left_out + num_behind == nodes.size()) {
      return error("body", '"' + attachment_->body + '"',
                   fmt::format("{} nodes are within `distance` ({:.4g} m) of '{}', but they are inside of '{}' or on "
                               "sides of it that do not look towards '{}', and only nodes on such sides are tied",
                               num_behind, reach, attachment_->to, bodies_[body].name, attachment_->to));
    }
    // A region says which nodes are meant; without one the distance says so.
    if (!has_selection(attachment_->region)) return;
    const auto warn = [&](const char* key, const std::string& value, std::string message) {
      issues_.push_back({"", place_ + "." + key, value, std::move(message), Severity::warning});
    };
    if (num_left_out > 0) {
      warn("distance", fmt::format("{:g}", reach),
           fmt::format("{} of {} nodes of the region are further from '{}' and are not tied, the furthest "
                       "by {:.4g} m; give a larger `distance` to tie them",
                       num_left_out, nodes.size(), attachment_->to, furthest));
    }
    if (num_behind > 0) {
      warn("region", "",
           fmt::format("{} of {} nodes of the region are near '{}', but are inside of '{}' or on sides of it that do "
                       "not look towards '{}', and are not tied",
                       num_behind, nodes.size(), attachment_->to, bodies_[body].name, attachment_->to));
    }
  }

  /// Returns the ways from the nodes of a body that lead out of it. Points and rods have no sides.
  OpenWays ways_from(int body) const {
    const Mesh& mesh = bodies_[body].mesh;
    const bool is_solid = dim == 2 ? !mesh.triangles.empty() : !mesh.tets.empty();
    std::vector<SurfacePiece> sides = points_.pieces_of(body, RegionDesc{});
    if (!is_solid && (dim == 2 || mesh.triangles.empty())) sides.clear();
    return {dim, std::move(sides), points_.starts_of(body), is_solid};
  }

  Vec<3> place_on(int body, const SurfacePiece& piece, const std::array<double, 3>& weights) const {
    Vec<3> place = Vec<3>::Zero();
    for (std::size_t k = 0; k < 3 && piece[k] >= 0; ++k) place += weights[k] * start_of(body, piece[k]);
    return place;
  }

  static bool has_selection(const RegionDesc& region) {
    return region.box || !region.nodes.empty() || !region.tags.empty();
  }

  /// Ties a node to a face. Its place is a weighted sum of the corners, which need not be positive, and a height above
  /// the plane of the face.
  void add_tie(int body, int v, int other, const SurfacePiece& piece, LinkGroup& group) {
    const Vec<3>& p = start_of(body, v);
    const std::array<Vec<3>, 3> c = {start_of(other, piece[0]), start_of(other, piece[1]),
                                     dim == 3 ? start_of(other, piece[dim - 1]) : Vec<3>(Vec<3>::Zero())};
    std::array<double, 3> weights{};
    Vec<3> normal = Vec<3>::Zero();
    const Vec<3> u = c[1] - c[0], w = p - c[0];
    if constexpr (dim == 3) {
      const Vec<3> side = c[2] - c[0];
      normal = cross_matrix(u) * side;
      const double area_sq = normal.squaredNorm();
      weights[1] = normal.dot(cross_matrix(w) * side) / area_sq;
      weights[2] = normal.dot(cross_matrix(u) * w) / area_sq;
    } else {
      normal = Vec<3>(-u[1], u[0], 0.0);
      weights[1] = w.dot(u) / u.squaredNorm();
    }
    weights[0] = 1.0 - weights[1] - weights[2];
    const double height = w.dot(normal) / normal.norm();

    BlockSum sum;
    points_.add_vertex(body, v, 1.0, sum);
    Link link;
    // A node on the face needs no normal.
    const bool is_above = std::abs(height) > no_height * std::sqrt(normal.norm());
    for (std::size_t k = 0; k < dim; ++k) {
      points_.add_vertex(other, piece[k], -weights[k], sum);
      if (!is_above) continue;
      BlockSum corner;
      points_.add_vertex(other, piece[k], 1.0, corner);
      link.corners.push_back({corner.terms(), corner.offset});
    }
    if (is_above) link.height = height;
    finish(body, v, other, 0.0, sum, group, std::move(link));
  }

  /// Returns the stiffness [N/m] of a grain, which has no elasticity: against acceleration, which statics do not have,
  /// and so that its weight stretches a link by a hundred-thousandth of its length or of the grain.
  double of_grain(int body, double length, const BlockSum& sum) const {
    constexpr double weights_of_length = 1e3;
    const double size = std::max(length, desc_.bodies[bodies_[body].desc].thickness.value_or(0.0));
    double per_mass = size > 0.0 ? weights_of_length * desc_.gravity.norm() / size : 0.0;
    if (per_mass == 0.0 || desc_.time.integrator != TimeIntegrator::quasi_static) per_mass += 1.0 / (h_ * h_);
    double mass = 0.0;
    for (const auto& [block, weight] : sum.weights) {
      if (unknowns_.body_of_block[block] == body) mass += std::abs(weight) * model_.mass[block];
    }
    return per_mass * mass;
  }

  /// Appends a link with the difference `sum` of its ends; `link` has what else is known of it.
  void finish(int body, int v, int other, double length, const BlockSum& sum, LinkGroup& group, Link link = {}) {
    double softest = infinity;
    for (const bool is_first : {true, false}) {
      double stiffness = 0.0;
      for (const auto& [block, weight] : sum.weights) {
        const bool belongs = unknowns_.body_of_block[block] == (is_first ? body : other);
        if (belongs) stiffness += std::abs(weight) * elastic_[block];
      }
      if (stiffness > 0.0) softest = std::min(softest, stiffness);
    }
    link.stiffness =
        attachment_->stiffness.value_or(times_as_stiff * (softest < infinity ? softest : of_grain(body, length, sum)));
    if (attachment_->break_force) link.break_force = *attachment_->break_force;
    link.length = length;
    link.start = start_of(body, v);
    link.offset = sum.offset;
    link.terms = sum.terms();
    // The blocks of a face belong to its link even where the node is above one of its corners.
    for (const LinkCorner& corner : link.corners) {
      for (const LinkTerm& term : corner.terms) {
        const auto at = std::lower_bound(link.terms.begin(), link.terms.end(), term.block,
                                         [](const LinkTerm& a, int block) { return a.block < block; });
        if (at == link.terms.end() || at->block != term.block) link.terms.insert(at, {term.block, 0.0});
      }
    }
    group.links.push_back(std::move(link));
    if (attachment_->start == 0.0) result_.bodies.push_back({body, other});
  }

  // --- what the scene selects ---

  /// Returns the vertex of a number in the mesh of a body; reports one that it lacks.
  int vertex_of(int body, int number, std::size_t pair, std::size_t side) {
    const std::vector<int>& numbers = bodies_[body].source_vertex;
    const auto found = std::find(numbers.begin(), numbers.end(), number);
    if (found != numbers.end()) return static_cast<int>(found - numbers.begin());
    error(fmt::format("pairs[{}][{}]", pair, side), fmt::format("{}", number),
          fmt::format("no element of body '{}' has this vertex; those of its mesh are 0 to {}", bodies_[body].name,
                      static_cast<long>(bodies_[body].num_source_vertices) - 1));
    return -1;
  }

  void add_pairs(int body, int other, LinkGroup& group) {
    for (std::size_t i = 0; i < attachment_->pairs.size(); ++i) {
      const int first = vertex_of(body, attachment_->pairs[i][0], i, 0);
      const int second = vertex_of(other, attachment_->pairs[i][1], i, 1);
      if (first < 0 || second < 0) continue;
      if (body == other && first == second) {
        error(fmt::format("pairs[{}]", i), fmt::format("{}", attachment_->pairs[i][0]), "a link joins two vertices");
        continue;
      }
      add_link(body, first, other, {second, -1, -1}, {1.0, 0.0, 0.0}, group);
    }
  }

  const SceneDesc& desc_;
  const std::vector<BodyInstance>& bodies_;
  const Unknowns& unknowns_;
  const Model& model_;
  double h_;
  std::shared_ptr<const Controls> controls_;
  Issues& issues_;
  Issues& idle_;
  BodyPoints<dim> points_;
  VecX elastic_;  // [N/m] per block
  const AttachmentDesc* attachment_ = nullptr;
  std::string place_;
  SceneAttachments result_;
};

}  // namespace

SceneAttachments make_attachments(const SceneDesc& desc, const std::vector<BodyInstance>& bodies,
                                  const Unknowns& unknowns, const Model& model, const VecX& x, double h,
                                  const std::shared_ptr<const Controls>& controls, Issues& issues, Issues& idle) {
  if (desc.attachments.empty() || has_errors(issues)) return {};
  return with_dimension(unknowns.layout.dim, [&](auto dim) {
    return AttachmentMaker<dim>(desc, bodies, unknowns, model, x, h, controls, issues, idle).run();
  });
}

LinkForce attachment_force(const Model& model, std::size_t potential, const State& state, double h, int attachment) {
  return with_dimension(model.layout.dim, [&](auto dim) {
    // The links of the model have begun no step: a copy begins the one that has ended.
    const std::unique_ptr<Potential> copy = model.potentials[potential]->clone();
    copy->set_history(history_of(state, potential));
    // At the start of a run no step has ended: these are the links that act in the first one.
    (void)copy->begin_step(state.x, h, state.step == 0 ? state.time + h : state.time);
    return static_cast<const LinkPotential<dim>&>(*copy).force_of(attachment, state.x);
  });
}

}  // namespace clearance
