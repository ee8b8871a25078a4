#include "clearance/remesh/remesher.h"

#include <Eigen/LU>
#include <algorithm>
#include <optional>
#include <queue>

#include "clearance/math/predicates.h"
#include "clearance/remesh/edge_energies.h"
#include "clearance/remesh/patch_problem.h"
#include "clearance/remesh/sizing_field.h"
#include "clearance/remesh/vertex_slide.h"

namespace clearance {

namespace {

/// Patches are no larger: beyond, the effect of an operation has decayed.
constexpr std::size_t most_cells_of_patch = 400;
/// Iterations before an operation is judged, without and with contact, and until its solution is good enough for others
/// to start from.
constexpr int first_iterations = 1, first_iterations_in_contact = 4, more_iterations = 20;
/// Of the range of energies: edges above are tried whatever their rank, and edges above are not collapsed.
constexpr double split_share = 0.95, collapse_share = 0.01;

using Edge = std::array<int, 2>;

Edge edge_of(int a, int b) {
  return {std::min(a, b), std::max(a, b)};
}

/// An edge that may be split, and how many splits of this step it comes from.
struct Candidate {
  double priority = 0.0;
  Edge edge = {};
  int depth = 0;
  /// Largest priority first, then the smallest numbers.
  bool operator<(const Candidate& other) const {
    return priority != other.priority ? priority < other.priority : edge > other.edge;
  }
};

/// Is every cell of positive volume, by exact arithmetic?
template <int dim>
bool are_positive(const AdaptingBody<dim>& body, const std::vector<int>& cells, Vec<dim> NodeFields<dim>::*at) {
  return std::all_of(cells.begin(), cells.end(), [&](int c) {
    const auto& v = body.mesh.cell(c);
    const auto x = [&](std::size_t i) -> const Vec<dim>& { return body.fields[static_cast<std::size_t>(v[i])].*at; };
    if constexpr (dim == 2) {
      return orient2d(x(0), x(1), x(2)) > 0;
    } else {
      return orient3d(x(0), x(1), x(2), x(3)) > 0;
    }
  });
}

/// The value that a share of all values is below.
double quantile(std::vector<double> values, double share) {
  if (values.empty()) return infinity;
  const auto rank = static_cast<std::ptrdiff_t>(share * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), values.begin() + rank, values.end());
  return values[static_cast<std::size_t>(rank)];
}

/// Operations on one body.
template <int dim>
class BodyRemesher {
 public:
  BodyRemesher(const RemeshInputs<dim>& in, AdaptingBody<dim>& body, const std::vector<BodySurface<dim>>& surfaces,
               const std::vector<double>& contact_of_vertex, RemeshReport& report)
      : in_(in),
        body_(body),
        mesh_(body.mesh),
        surfaces_(surfaces),
        contact_of_vertex_(contact_of_vertex),
        report_(report),
        dhat_(in.options.has_contact ? in.options.barrier.dhat : 0.0) {
    for (int c = 0; c < mesh_.num_cells(); ++c) {
      if (!mesh_.is_cell_alive(c)) continue;
      volume_ += mesh_.rest_volume(c);
      energy_ += cell_energy(body_, c);
    }
    for (const double energy : contact_of_vertex_) energy_ += std::max(0.0, energy);
    const RemeshOptions& options = body_.options;
    gain_ = options.gain > 0.0 ? options.gain : options.relative_gain * energy_;
    loss_ = options.loss > 0.0 ? options.loss : options.relative_loss * energy_;
  }

  void run() {
    const RemeshOptions& options = body_.options;
    rank_edges();
    if (options.split) split_edges();
    if (options.collapse) collapse_edges();
    if (options.swap) swap_edges();
    if (options.smooth) smooth_vertices();
  }

 private:
  bool has_sizes() const { return body_.options.criterion == RemeshCriterion::size; }

  double contact_energy(const Edge& edge) const {
    const auto of = [&](int v) {
      return static_cast<std::size_t>(v) < contact_of_vertex_.size() ? contact_of_vertex_[static_cast<std::size_t>(v)]
                                                                     : 0.0;
    };
    return mesh_.is_boundary_edge(edge[0], edge[1]) ? 0.5 * (of(edge[0]) + of(edge[1])) : 0.0;
  }
  double length(const Edge& edge) const { return (mesh_.rest(edge[0]) - mesh_.rest(edge[1])).norm(); }

  /// Those of much energy to `splits_`, those of next to none to `collapses_`.
  void rank_edges() {
    const std::vector<Edge> edges = mesh_.edges();
    if (has_sizes()) {
      const SizingField<dim> sizes(in_, body_, surfaces_);
      for (const Edge& edge : edges) {
        const double ratio = length(edge) / sizes.at(edge[0], edge[1]);
        if (ratio > 4.0 / 3.0) splits_.push({ratio, edge, 0});
        if (ratio < 4.0 / 5.0) collapses_.push_back(edge);
      }
    } else {
      std::vector<double> elastic, contact;
      for (const Edge& edge : edges) {
        elastic.push_back(edge_energy(body_, edge[0], edge[1]));
        if (mesh_.is_boundary_edge(edge[0], edge[1])) contact.push_back(contact_energy(edge));
      }
      const auto upper = [&](const std::vector<double>& values) {
        const double most = values.empty() ? 0.0 : *std::max_element(values.begin(), values.end());
        return std::min(quantile(values, body_.options.split_quantile), split_share * most);
      };
      const auto lower = [&](const std::vector<double>& values) {
        const double most = values.empty() ? 0.0 : *std::max_element(values.begin(), values.end());
        return std::max(quantile(values, body_.options.collapse_quantile), collapse_share * most);
      };
      const double elastic_upper = upper(elastic), contact_upper = upper(contact);
      const double elastic_lower = lower(elastic), contact_lower = contact.empty() ? 0.0 : lower(contact);
      for (std::size_t i = 0; i < edges.size(); ++i) {
        const double of_contact = contact_energy(edges[i]);
        const bool is_high =
            (elastic[i] > 0.0 && elastic[i] >= elastic_upper) || (of_contact > 0.0 && of_contact >= contact_upper);
        // What an edge could bring at most by what it holds.
        if (is_high && elastic[i] + of_contact > 0.0) splits_.push({elastic[i] + of_contact, edges[i], 0});
        if (elastic[i] <= elastic_lower && of_contact <= contact_lower) collapses_.push_back(edges[i]);
      }
    }
    std::stable_sort(collapses_.begin(), collapses_.end(),
                     [&](const Edge& a, const Edge& b) { return length(a) < length(b); });
  }

  bool is_there(const Edge& edge) const {
    return mesh_.is_vertex_alive(edge[0]) && mesh_.is_vertex_alive(edge[1]) &&
           !mesh_.cells_at_edge(edge[0], edge[1]).empty();
  }

  void split_edges() {
    const RemeshOptions& options = body_.options;
    while (!splits_.empty()) {
      const Candidate candidate = splits_.top();
      splits_.pop();
      const auto [a, b] = candidate.edge;
      if (!is_there(candidate.edge)) continue;
      const auto num_at_edge = static_cast<int>(mesh_.cells_at_edge(a, b).size());
      const bool is_full = options.largest_count > 0 && mesh_.num_live_cells() + num_at_edge > options.largest_count;
      const bool is_short = dhat_ > 0.0 && mesh_.is_boundary_edge(a, b) && length(candidate.edge) < 4.0 * dhat_;
      if (is_full || is_short) {
        ++report_.num_unsafe;
        continue;
      }
      MeshEdit edit;
      const auto split = [&] {
        const EditRefusal refusal = mesh_.split(a, b, edit);
        if (refusal == EditRefusal::none) {
          body_.fields.push_back(NodeFields<dim>::midpoint(body_.fields[static_cast<std::size_t>(a)],
                                                           body_.fields[static_cast<std::size_t>(b)]));
        }
        return refusal;
      };
      if (!attempt(std::array{a, b}, edit, has_sizes() ? -infinity : gain_, split, [&] { body_.fields.pop_back(); }))
        continue;
      ++report_.num_splits;
      if (candidate.depth + 1 >= options.depth) continue;
      for (const int n : mesh_.neighbours(edit.vertex)) {
        const Edge child = edge_of(edit.vertex, n);
        const double priority = has_sizes() ? 0.5 * candidate.priority : edge_energy(body_, child[0], child[1]);
        if (!has_sizes() || priority > 4.0 / 3.0) splits_.push({priority, child, candidate.depth + 1});
      }
    }
  }

  void collapse_edges() {
    for (const Edge& edge : collapses_) {
      if (!is_there(edge) || (!has_sizes() && length(edge) > body_.options.longest_collapse)) continue;
      const auto [a, b] = edge;
      const bool is_a_outside = mesh_.is_on_boundary(a), is_b_outside = mesh_.is_on_boundary(b);
      if (is_a_outside == is_b_outside) {
        if (!collapse(a, b, !is_a_outside) && is_a_outside) collapse(b, a, false);
      } else {
        collapse(is_a_outside ? b : a, is_a_outside ? a : b, false);
      }
    }
  }

  bool collapse(int removed, int kept, bool at_midpoint) {
    if (mesh_.is_on_boundary(removed) && !can_slide(in_, body_, surfaces_, removed, kept)) {
      ++report_.num_unsafe;
      return false;
    }
    const NodeFields<dim> before = body_.fields[static_cast<std::size_t>(kept)];
    MeshEdit edit;
    const auto operate = [&] {
      const EditRefusal refusal = mesh_.collapse(removed, kept, at_midpoint, edit);
      if (refusal == EditRefusal::none && at_midpoint) {
        body_.fields[static_cast<std::size_t>(kept)] =
            NodeFields<dim>::midpoint(before, body_.fields[static_cast<std::size_t>(removed)]);
      }
      return refusal;
    };
    const auto restore = [&] { body_.fields[static_cast<std::size_t>(kept)] = before; };
    if (!attempt(std::array{removed, kept}, edit, has_sizes() ? -infinity : -loss_, operate, restore)) return false;
    ++report_.num_collapses;
    return true;
  }

  /// Where the worst element at rest becomes better.
  void swap_edges() {
    for (const Edge& edge : mesh_.edges()) {
      if (!is_there(edge) || mesh_.is_boundary_edge(edge[0], edge[1])) continue;
      const double before = worst_quality(mesh_.cells_at_edge(edge[0], edge[1]));
      if (before > good_quality) continue;
      MeshEdit edit;
      const auto operate = [&] {
        const EditRefusal refusal = mesh_.swap_edge(edge[0], edge[1], edit);
        if (refusal != EditRefusal::none || worst_quality(edit.added_cells) > before) return refusal;
        mesh_.undo(edit);
        return EditRefusal::quality;
      };
      if (attempt(edge, edit, -loss_, operate, [] {})) ++report_.num_swaps;
    }
  }

  /// Towards the middle of the neighbours, where the worst element at rest becomes better.
  void smooth_vertices() {
    const int num_vertices = mesh_.num_vertices();
    for (int v = 0; v < num_vertices; ++v) {
      if (!mesh_.is_vertex_alive(v) || mesh_.is_on_boundary(v) || mesh_.is_frozen(v)) continue;
      const std::vector<int> cells(mesh_.cells_at(v).begin(), mesh_.cells_at(v).end());
      const double before = worst_quality(cells);
      if (before > good_quality) continue;
      const std::vector<int> neighbours = mesh_.neighbours(v);
      const auto mean = [&](const auto& of) {
        Vec<dim> sum = Vec<dim>::Zero();
        for (const int n : neighbours) sum += of(n);
        return Vec<dim>(sum / static_cast<double>(neighbours.size()));
      };
      const Vec<dim> middle = mean([&](int n) { return mesh_.rest(n); });
      const NodeFields<dim> fields = body_.fields[static_cast<std::size_t>(v)];
      for (const double share : {1.0, 0.5}) {
        const Vec<dim> to = mesh_.rest(v) + share * (middle - mesh_.rest(v));
        const std::optional<NodeFields<dim>> moved = fields_at(cells, to);
        if (!moved) continue;
        MeshEdit edit;
        const auto operate = [&] {
          const EditRefusal refusal = mesh_.smooth(v, to, edit);
          if (refusal != EditRefusal::none) return refusal;
          const std::span<const int> around = mesh_.cells_at(v);
          if (worst_quality({around.begin(), around.end()}) > before) {
            body_.fields[static_cast<std::size_t>(v)] = *moved;
            return refusal;
          }
          mesh_.undo(edit);
          return EditRefusal::quality;
        };
        const auto restore = [&] { body_.fields[static_cast<std::size_t>(v)] = fields; };
        if (!attempt(std::array{v, v}, edit, -loss_, operate, restore)) continue;
        ++report_.num_smoothings;
        break;
      }
    }
  }

  /// Of the cell that holds a point at rest; nothing if none of them does.
  std::optional<NodeFields<dim>> fields_at(const std::vector<int>& cells, const Vec<dim>& point) const {
    for (const int c : cells) {
      const auto& corners = mesh_.cell(c);
      Mat<dim> edges;
      for (std::size_t i = 0; i < dim; ++i)
        edges.col(static_cast<Eigen::Index>(i)) = mesh_.rest(corners[i + 1]) - mesh_.rest(corners[0]);
      const Vec<dim> at = edges.inverse() * (point - mesh_.rest(corners[0]));
      if (at.minCoeff() < 0.0 || at.sum() > 1.0) continue;
      std::array<double, dim + 1> weights{1.0 - at.sum()};
      for (std::size_t i = 0; i < dim; ++i) weights[i + 1] = at[static_cast<Eigen::Index>(i)];
      std::array<const NodeFields<dim>*, dim + 1> fields{};
      for (std::size_t i = 0; i <= dim; ++i) fields[i] = &body_.fields[static_cast<std::size_t>(corners[i])];
      return NodeFields<dim>::weighted(fields, weights);
    }
    return std::nullopt;
  }

  double worst_quality(const std::vector<int>& cells) const {
    double worst = 1.0;
    for (const int c : cells) worst = std::min(worst, mesh_.quality(c));
    return worst;
  }

  /// An operation at the ends of an edge: taken if the incremental potential around it falls by more than `least_gain`
  /// [J], else it is as if it had not been. `operate` edits the mesh and the fields, `restore` takes back what undo
  /// does not.
  template <class Operate, class Restore>
  bool attempt(const std::array<int, 2>& ends, MeshEdit& edit, double least_gain, const Operate& operate,
               const Restore& restore) {
    const std::vector<int> cells = cells_around<dim>(body_, ends, volume_, most_cells_of_patch);
    const bool is_judged = least_gain > -infinity;
    double before = 0.0;
    if (is_judged) {
      PatchProblem<dim> problem(in_, body_, surfaces_, make_patch<dim>(in_, body_, cells, ends));
      if (!problem.solve(0)) {
        ++report_.num_unsafe;
        return false;
      }
      before = problem.energy();
    }
    if (operate() != EditRefusal::none) {
      ++report_.num_unsafe;
      return false;
    }
    const auto give_up = [&](int& count) {
      mesh_.undo(edit);
      restore();
      ++count;
      return false;
    };
    std::vector<int> new_cells;
    std::set_difference(cells.begin(), cells.end(), edit.removed_cells.begin(), edit.removed_cells.end(),
                        std::back_inserter(new_cells));
    new_cells.insert(new_cells.end(), edit.added_cells.begin(), edit.added_cells.end());
    std::sort(new_cells.begin(), new_cells.end());
    std::vector<int> changed = edit.added_cells;
    if (edit.vertex >= 0) {
      const std::span<const int> at = mesh_.cells_at(edit.vertex);
      changed.insert(changed.end(), at.begin(), at.end());
    }
    if (!are_positive<dim>(body_, changed, &NodeFields<dim>::x1) ||
        !are_positive<dim>(body_, changed, &NodeFields<dim>::x0)) {
      return give_up(report_.num_unsafe);
    }
    std::vector<int> near(ends.begin(), ends.end());
    if (edit.vertex >= 0) near.push_back(edit.vertex);
    const Patch<dim> patch = make_patch<dim>(in_, body_, std::move(new_cells), near);
    PatchProblem<dim> problem(in_, body_, surfaces_, patch);
    if (!problem.solve(patch.has_contact ? first_iterations_in_contact : first_iterations)) {
      return give_up(report_.num_unsafe);
    }
    const double gain = before - problem.energy();
    if (is_judged && !(gain > least_gain)) return give_up(report_.num_rejected);
    if (!problem.solve(more_iterations)) return give_up(report_.num_unsafe);
    problem.write_back(body_);
    if (is_judged) report_.gain += before - problem.energy();
    body_.has_changed = true;
    body_.is_nested = body_.is_nested && edit.kind == MeshEdit::Kind::split;
    return true;
  }

  static constexpr double good_quality = 0.5;

  const RemeshInputs<dim>& in_;
  AdaptingBody<dim>& body_;
  SimplexMesh<dim>& mesh_;
  const std::vector<BodySurface<dim>>& surfaces_;
  const std::vector<double>& contact_of_vertex_;  // [J] per vertex of the mesh before
  RemeshReport& report_;
  double dhat_;
  double volume_ = 0.0, energy_ = 0.0;  // [m^3], [J] of the body
  double gain_ = 0.0, loss_ = 0.0;      // [J]
  std::priority_queue<Candidate> splits_;
  std::vector<Edge> collapses_;  // shortest first
};

}  // namespace

template <int dim>
RemeshReport remesh(const RemeshInputs<dim>& in, std::vector<AdaptingBody<dim>>& bodies) {
  RemeshReport report;
  std::vector<BodySurface<dim>> surfaces = surfaces_of<dim>(in);
  const std::vector<double> of_surface = contact_energies<dim>(in);
  // Blocks of the nodes of a body follow each other, in the order of its vertices.
  std::vector<int> first_block(bodies.size(), 0);
  for (std::size_t k = 0; k < bodies.size(); ++k) {
    const auto& of = in.model.body_of_block;
    first_block[k] = static_cast<int>(std::find(of.begin(), of.end(), bodies[k].body) - of.begin());
  }
  for (std::size_t k = 0; k < bodies.size(); ++k) {
    AdaptingBody<dim>& body = bodies[k];
    std::vector<double> contact(body.fields.size(), 0.0);
    for (int v = 0; v < in.model.surface.num_vertices; ++v) {
      if (in.model.surface.vertex_body[static_cast<std::size_t>(v)] != body.body) continue;
      const int node = in.model.surface_map.terms(v)[0].block - first_block[k];
      contact[static_cast<std::size_t>(node)] = of_surface[static_cast<std::size_t>(v)];
    }
    BodyRemesher<dim>(in, body, surfaces, contact, report).run();
    for (BodySurface<dim>& surface : surfaces) {
      if (surface.body == body.body) surface = surface_of_body<dim>(body, surface.like);
    }
  }
  return report;
}

template RemeshReport remesh<2>(const RemeshInputs<2>&, std::vector<AdaptingBody<2>>&);
template RemeshReport remesh<3>(const RemeshInputs<3>&, std::vector<AdaptingBody<3>>&);

}  // namespace clearance
