#include "clearance/simulation/build/attachments.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "clearance/bodies/links/link_potential.h"
#include "clearance/geometry/curved_cells.h"
#include "clearance/geometry/nearest_point.h"
#include "clearance/geometry/surface.h"
#include "clearance/math/dimension.h"
#include "clearance/model/feasible_model.h"
#include "clearance/scene/expression.h"
#include "clearance/simulation/build/time_window.h"
#include "clearance/simulation/load/named_instances.h"
#include "clearance/simulation/load/region.h"

namespace clearance {

namespace {

/// A link is this many times as stiff as the softer body there: its own stretch is a hundredth of the deformation of
/// the elements around its end.
constexpr double times_as_stiff = 100.0;

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
        elastic_(elastic_diagonal<dim>(model, x)) {
    const VecX flat = unknowns.vertex_map.apply(x);
    for (const BodyInstance& body : bodies) {
      first_vertex_.push_back(static_cast<int>(start_.size()));
      for (std::size_t v = 0; v < body.mesh.vertices.size(); ++v) {
        Vec<3>& at = start_.emplace_back(Vec<3>::Zero());
        at.head<dim>() = flat.segment<dim>(dim * (std::ssize(start_) - 1));
      }
    }
  }

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
  using Terms = std::map<int, double>;

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

  const TransformDesc& transform_of(int body) const { return desc_.bodies[bodies_[body].desc].transform; }
  const Vec<3>& start_of(int body, int v) const { return start_[first_vertex_[body] + v]; }
  std::span<const Vec<3>> starts_of(int body) const {
    return std::span<const Vec<3>>(start_).subspan(first_vertex_[body], bodies_[body].mesh.vertices.size());
  }

  // --- ends of links ---

  void add_vertex(int body, int v, double weight, Terms& terms, Vec<3>& offset) const {
    Vec<3> at = Vec<3>::Zero();
    for (const SurfaceMap::Term& term : unknowns_.vertex_map.terms(first_vertex_[body] + v)) {
      terms[term.block] += weight * term.weight;
      at.head<dim>() += term.weight * model_.x_rest.template segment<dim>(dim * static_cast<Eigen::Index>(term.block));
    }
    // A vertex of a body that keeps its shape has an offset beside its terms.
    if (!bodies_[body].followed.empty()) offset += weight * (bodies_[body].mesh.vertices[v] - at);
  }

  /// Adds the point of a stiff body that is at p at the start, with the weight -1.
  void add_place(int body, const Vec<3>& p, Terms& terms) const {
    for (const StiffUnit& unit : unknowns_.stiff_units) {
      if (unit.body != body || unit.is_part()) continue;
      const Vec<dim + 1> weights = weights_of<dim>(unit.frame, p);
      for (int i = 0; i <= dim; ++i) terms[unit.first_block + i] -= weights[i];
    }
  }

  void add_links(int body, int other, LinkGroup& group) {
    if (!attachment_->pairs.empty()) return add_pairs(body, other, group);
    const std::vector<int> nodes = select_nodes(bodies_[body], transform_of(body), attachment_->region, dim);
    const bool keeps_places = other < 0 || (is_stiff(bodies_[other].kind) && attachment_->length.empty());
    if (keeps_places || attachment_->point) {
      for (const int v : nodes) add_link_to_place(body, v, other, group);
      return;
    }
    const NearestPoints surface(pieces_of(other), starts_of(other));
    for (const int v : nodes) {
      const NearestPoint end = surface.find(start_of(body, v), other == body ? v : -1);
      if (end.piece < 0)
        return error("to_region", "", fmt::format("it contains no node of body '{}'", attachment_->to));
      add_link(body, v, other, surface.piece(end.piece), end.weights, group);
    }
  }

  /// Links a node to a place in the world or in a stiff body: to its own, or to the given point.
  void add_link_to_place(int body, int v, int other, LinkGroup& group) {
    Link link;
    Terms terms;
    add_vertex(body, v, 1.0, terms, link.offset);
    const Vec<3> start = start_of(body, v), end = attachment_->point.value_or(start);
    if (other < 0) {
      link.offset -= end;
    } else {
      add_place(other, end, terms);
    }
    finish(body, v, other, (start - end).norm(), terms, std::move(link), group);
  }

  void add_link(int body, int v, int other, const SurfacePiece& piece, const std::array<double, 3>& weights,
                LinkGroup& group) {
    Link link;
    Terms terms;
    add_vertex(body, v, 1.0, terms, link.offset);
    Vec<3> end = Vec<3>::Zero();
    for (std::size_t k = 0; k < 3; ++k) {
      if (piece[k] < 0 || weights[k] == 0.0) continue;
      add_vertex(other, piece[k], -weights[k], terms, link.offset);
      end += weights[k] * start_of(other, piece[k]);
    }
    finish(body, v, other, (start_of(body, v) - end).norm(), terms, std::move(link), group);
  }

  /// Returns the stiffness [N/m] of a grain, which has no elasticity: against acceleration, which statics do not have,
  /// and so that its weight stretches a link by a hundred-thousandth of its length or of the grain.
  double of_grain(int body, double length, const Terms& terms) const {
    constexpr double weights_of_length = 1e3;
    const double size = std::max(length, desc_.bodies[bodies_[body].desc].thickness.value_or(0.0));
    double per_mass = size > 0.0 ? weights_of_length * desc_.gravity.norm() / size : 0.0;
    if (per_mass == 0.0 || desc_.time.integrator != TimeIntegrator::quasi_static) per_mass += 1.0 / (h_ * h_);
    double mass = 0.0;
    for (const auto& [block, weight] : terms) {
      if (unknowns_.body_of_block[block] == body) mass += std::abs(weight) * model_.mass[block];
    }
    return per_mass * mass;
  }

  void finish(int body, int v, int other, double length, const Terms& terms, Link link, LinkGroup& group) {
    double softest = infinity;
    for (const bool is_first : {true, false}) {
      double stiffness = 0.0;
      for (const auto& [block, weight] : terms) {
        const bool belongs = unknowns_.body_of_block[block] == (is_first ? body : other);
        if (belongs) stiffness += std::abs(weight) * elastic_[block];
      }
      if (stiffness > 0.0) softest = std::min(softest, stiffness);
    }
    link.stiffness = attachment_->stiffness.value_or(times_as_stiff *
                                                     (softest < infinity ? softest : of_grain(body, length, terms)));
    if (attachment_->break_force) link.break_force = *attachment_->break_force;
    link.length = length;
    link.start = start_of(body, v);
    for (const auto& [block, weight] : terms) {
      if (weight != 0.0) link.terms.push_back({block, weight});
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

  /// Returns the pieces of a body's surface on which links may end: faces, else edges, else nodes of the region.
  std::vector<SurfacePiece> pieces_of(int body) const {
    const Mesh& mesh = bodies_[body].mesh;
    const RegionDesc region = attachment_->to_region.value_or(RegionDesc{});
    const std::vector<int> nodes = select_nodes(bodies_[body], transform_of(body), region, dim);
    const auto is_selected = [&](int v) { return v < 0 || std::binary_search(nodes.begin(), nodes.end(), v); };
    std::vector<SurfacePiece> pieces;
    const auto add = [&](const SurfacePiece& piece) {
      if (std::all_of(piece.begin(), piece.end(), is_selected)) pieces.push_back(piece);
    };
    if (dim == 3) {
      for (const auto& t : mesh.tets.empty() ? mesh.triangles : boundary_triangles(mesh)) add({t[0], t[1], t[2]});
    }
    if (pieces.empty()) {
      const auto edges = dim == 2 ? boundary_edges(mesh) : mesh.edges;
      for (const auto& e : edges) add({e[0], e[1], -1});
    }
    if (pieces.empty()) {
      for (const int v : nodes) pieces.push_back({v, -1, -1});
    }
    return pieces;
  }

  const SceneDesc& desc_;
  const std::vector<BodyInstance>& bodies_;
  const Unknowns& unknowns_;
  const Model& model_;
  double h_;
  std::shared_ptr<const Controls> controls_;
  Issues& issues_;
  Issues& idle_;
  VecX elastic_;               // [N/m] per block
  std::vector<Vec<3>> start_;  // [m] per vertex of all bodies
  std::vector<int> first_vertex_;
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
