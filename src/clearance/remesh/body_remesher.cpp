#include "clearance/remesh/body_remesher.h"

#include <algorithm>
#include <cmath>

#include "clearance/base/contract.h"
#include "clearance/base/parallel.h"
#include "clearance/geometry/boundary_collapse.h"
#include "clearance/math/elementary.h"
#include "clearance/remesh/split_estimate.h"
#include "clearance/remesh/target_lengths.h"

namespace clearance {

namespace {

/// Number of trials judged at once, and number of candidates examined to find them; the same for any number of threads.
constexpr std::size_t batch_size = 16, most_looked_at = 64;
/// Largest number of splits that are tried together.
constexpr std::size_t most_together = 4;
/// Least volume of a local problem, as a fraction of the body's volume.
constexpr double volume_share = 0.01;
/// Fraction of the required gain below which a trial on a narrow scope is not repeated on a wide one. Of 4168 such
/// trials of splits, in contact and without, 6 paid on the wide scope; of 5636 that brought more, 735.
constexpr double least_promise = 0.5;
/// Allowance for the motion of nodes in a local problem, as a fraction of the mean edge; nodes usually move less.
constexpr double allowance_share = 0.25;
/// By error: share of the reference that the elastic energy of a body has at least if its elements change. A body that
/// flies towards its first impact keeps those that it has: nothing says yet where it needs them.
constexpr double least_strained = 1e-6;
/// By total error: share of it that is aimed at. Errors of cells end up to long_share^(dim + 2) times above their aim.
constexpr double aimed_share = 0.8;
/// By error: share of the error of a body that the cells to split have to hold. Any change means that the step is
/// solved again, and less error than that is not worth it.
constexpr double least_wanting = 0.3;
/// By error: edges below this share of their target are collapsed if they are more than this share of all edges.
constexpr double shortest_needed = 0.4, least_collapsing = 0.1;
/// Strain whose energy is added to a body's energy before relative limits are taken of it.
constexpr double least_strain = 1e-7;

template <int dim>
double rest_volume(const SimplexMesh<dim>& mesh) {
  double sum = 0.0;
  for (int c = 0; c < mesh.num_cells(); ++c) {
    if (mesh.is_cell_alive(c)) sum += mesh.rest_volume(c);
  }
  return sum;
}

/// Quality of the worst of some elements.
template <int dim>
double worst_quality(const SimplexMesh<dim>& mesh, std::span<const int> cells) {
  double quality = 1.0;
  for (const int c : cells) quality = std::min(quality, mesh.quality(c));
  return quality;
}

/// False if a collapse of the edge would change the boundary, whichever end it keeps.
template <int dim>
bool keeps_boundary(const SimplexMesh<dim>& mesh, int a, int b) {
  const bool is_inside = !mesh.is_on_boundary(a) || !mesh.is_on_boundary(b);
  return is_inside || collapse_keeps_boundary(mesh, a, b) || collapse_keeps_boundary(mesh, b, a);
}

void count(MeshEdit::Kind kind, RemeshReport& report) {
  switch (kind) {
    case MeshEdit::Kind::split:
      ++report.num_splits;
      break;
    case MeshEdit::Kind::collapse:
      ++report.num_collapses;
      break;
    case MeshEdit::Kind::swap:
      ++report.num_swaps;
      break;
    case MeshEdit::Kind::smooth:
      ++report.num_smoothings;
      break;
  }
}

}  // namespace

template <int dim>
BodyRemesher<dim>::BodyRemesher(const RemeshInputs<dim>& in, AdaptingBody<dim>& body,
                                const SceneSurfaces<dim>& surroundings, RemeshReport& report)
    : report_(report),
      edited_(in, body, local_integrator<dim>(in, body.body)),
      setting_(in, edited_.body(), surroundings, edited_.surface()),
      scopes_(edited_.body(), volume_share * rest_volume(edited_.body().mesh)),
      generation_(body.fields.size(), 0) {
  for (const RejectedOperation& operation : body.rejected) {
    rejected_[{operation.edge, operation.is_collapse ? Kind::collapse : Kind::split}] = operation;
  }
}

template <int dim>
void BodyRemesher<dim>::run() {
  const RemeshOptions& o = options();
  if (is_by_error()) {
    run_by_error();
    return;
  }
  if (o.split) {
    rank();
    limits_ = {o.gain > 0.0 ? o.gain : o.relative_gain * energy_, is_energetic()};
    work_off(Kind::split, split_queue());
  }
  if (!o.collapse && !o.swap && !o.smooth) return;
  rank();
  limits_ = {-(o.loss > 0.0 ? o.loss : o.relative_loss * energy_), is_energetic()};
  if (o.collapse) work_off(Kind::collapse, collapse_queue());
  if (o.swap) work_off(Kind::swap, swap_queue());
  if (o.smooth) work_off(Kind::smooth, smooth_queue());
}

// --- by error ---

/// Splits cells whose error is too large, and collapses edges if many are much shorter than they need be.
template <int dim>
void BodyRemesher<dim>::run_by_error() {
  const CellErrors errors = cell_errors(body());
  const double reference = reference_energy(errors), total = options().total_error * reference;
  if (errors.elastic < least_strained * reference) return;
  const double allowed = total > 0.0 ? equal_error(dim, errors, aimed_share * total) : options().error * reference;
  if (!(allowed > 0.0)) return;
  set_cell_targets(errors, allowed);
  const bool is_coarse = total > 0.0 ? errors.sum() > total : has_much_to_split(errors, allowed);
  if (options().split && is_coarse) split_long_edges();
  edges_ = mesh().edges();
  Queue collapses = options().collapse ? collapse_queue() : Queue();
  if (!has_much_to_collapse(collapses)) return;
  rank();
  limits_ = {0.0, false};
  work_off(Kind::collapse, std::move(collapses));
}

/// Returns the energy [J] that errors are compared with: the elastic energy of the body, or what decides its motion if
/// that is more.
template <int dim>
double BodyRemesher<dim>::reference_energy(const CellErrors& errors) const {
  return std::max(
      {errors.elastic, elastic_energy_of_body() - errors.elastic, deciding_energy(setting_.in.state, body().body)});
}

/// Sets the target length of the longest edge of each cell, with which its error [J] is the one allowed.
template <int dim>
void BodyRemesher<dim>::set_cell_targets(const CellErrors& errors, double allowed) {
  cell_target_.assign(errors.error.size(), 0.0);
  for (int c = 0; c < mesh().num_cells(); ++c) {
    if (!mesh().is_cell_alive(c)) continue;
    const auto& corners = mesh().cell(c);
    double longest = 0.0;
    for (std::size_t i = 0; i <= dim; ++i) {
      for (std::size_t j = 0; j < i; ++j) longest = std::max(longest, edge_length(corners[i], corners[j]));
    }
    cell_target_[c] = wanted_length(dim, errors.error[c], allowed) * longest;
  }
}

/// True if the cells whose longest edge is too long hold enough of the error that a second solve of the step is worth
/// it.
template <int dim>
bool BodyRemesher<dim>::has_much_to_split(const CellErrors& errors, double allowed) const {
  // The edge of such a cell is longer than long_share of its target.
  const double most = allowed * elementary::pow(long_share, dim + 2.0);
  const double wanting =
      ordered_sum(mesh().num_cells(), [&](int c) { return errors.error[c] > most ? errors.error[c] : 0.0; }).value();
  return wanting > least_wanting * errors.sum();
}

/// Returns the least target [m] of the cells at an edge.
template <int dim>
double BodyRemesher<dim>::target_of(int a, int b) const {
  double target = infinity;
  for (const int c : mesh().cells_at_edge(a, b)) target = std::min(target, cell_target_[c]);
  return target;
}

/// Splits edges that are too long for a cell, the longest for its target first. Fields do not change by that, so that
/// nothing needs to be judged.
template <int dim>
void BodyRemesher<dim>::split_long_edges() {
  Queue queue;
  for (const auto& [a, b] : mesh().edges()) {
    const double length = edge_length(a, b), target = target_of(a, b);
    if (length > long_share * target) queue.insert({length / target, {a, b, -1}, 0.0});
  }
  refused_.clear();
  while (!queue.empty()) {
    const Candidate wish = *queue.begin();
    queue.erase(queue.begin());
    const auto [a, b, none] = wish.vertices;
    if (!mesh().is_vertex_alive(a) || mesh().cells_at_edge(a, b).empty()) continue;
    const Candidate target = longest_around(wish);
    if (refused_.contains(target.vertices)) continue;
    if (!split_at_once(target, queue)) {
      refused_.insert(target.vertices);
    } else if (target.vertices != wish.vertices) {
      queue.insert(wish);
    }
  }
}

/// Splits an edge and queues the edges of the new vertex that are too long. Returns false if the edge cannot be split.
template <int dim>
bool BodyRemesher<dim>::split_at_once(const Candidate& target, Queue& queue) {
  const auto [a, b, none] = target.vertices;
  changes_.clear();
  if (!may_split(a, b) || !apply({Kind::split, {a, b, -1}, false, Vec<dim>::Zero()})) {
    ++report_.num_unsafe;
    return false;
  }
  const Change<dim>& change = changes_.back();
  if (!keeps_distances(change.edit)) {
    ++report_.num_unsafe;
    undo_all();
    return false;
  }
  edited_.keep(change);
  inherit_targets(change.edit);
  count(Kind::split, report_);
  const int vertex = change.edit.vertex;
  for (const int v : mesh().neighbours(vertex)) {
    const double length = edge_length(v, vertex), wanted = target_of(std::min(v, vertex), std::max(v, vertex));
    if (length > long_share * wanted)
      queue.insert({length / wanted, {std::min(v, vertex), std::max(v, vertex), -1}, 0.0});
  }
  return true;
}

/// Gives new cells the least target of those that they replace. A new cell of a split has dim of its corners in common
/// with the one that it is a part of.
template <int dim>
void BodyRemesher<dim>::inherit_targets(const MeshEdit& edit) {
  cell_target_.resize(mesh().num_cells(), infinity);
  for (const int added : edit.added_cells) {
    const auto& corners = mesh().cell(added);
    double target = infinity;
    for (const int removed : edit.removed_cells) {
      const auto& others = mesh().cell(removed);
      const auto num_shared = std::count_if(corners.begin(), corners.end(), [&](int v) {
        return std::find(others.begin(), others.end(), v) != others.end();
      });
      if (num_shared == dim || edit.kind != Kind::split) target = std::min(target, cell_target_[removed]);
    }
    cell_target_[added] = target;
  }
}

/// True if so many edges may go that the projection of all fields is worth it.
template <int dim>
bool BodyRemesher<dim>::has_much_to_collapse(const Queue& queue) const {
  return static_cast<double>(queue.size()) > least_collapsing * static_cast<double>(edges_.size());
}

// --- candidates ---

/// Computes the energies of all edges and the thresholds from which on they are worth a trial.
template <int dim>
void BodyRemesher<dim>::rank() {
  // Collect the edges as they are now, and find what the boundary is near to.
  edges_ = mesh().edges();
  const auto count = static_cast<int>(edges_.size());
  elastic_.assign(edges_.size(), 0.0);
  contact_.assign(edges_.size(), 0.0);
  const BoundaryContacts<dim> boundary(setting_);
  near_.renew(boundary, body());
  const ContactEnergies contacts = boundary.energies();
  // Compute the elastic and the contact energy of every edge.
  parallel_for(count, 64, [&](int e) {
    const auto [a, b] = edges_[e];
    elastic_[e] = elastic_energy_of_edge(body(), a, b);
    contact_[e] = contact_energy_of_edge(body(), contacts, a, b);
  });
  // Derive target lengths for the criterion `size`, and the thresholds of both energies.
  if (!is_by_error() && !is_energetic()) target_ = target_lengths(body(), edges_, contacts, edited_.surface().dhat());
  of_elastic_ = cull(elastic_, options().split_quantile, options().collapse_quantile);
  of_contact_ = cull(contact_, options().split_quantile, options().collapse_quantile);
  energy_ = contacts.sum + elastic_energy_of_body();
}

/// Computes the elastic energy [J] of the body. The strain energy `least_strain` is added, so that rounding alone is no
/// reason to change a body that flies freely.
template <int dim>
double BodyRemesher<dim>::elastic_energy_of_body() const {
  return ordered_sum(mesh().num_cells(),
                     [&](int c) {
                       if (!mesh().is_cell_alive(c)) return 0.0;
                       const auto& m = body().materials[mesh().cell_label(c)];
                       return elastic_energy(body(), c) +
                              0.5 * (m.lambda + 2.0 * m.mu) * least_strain * least_strain * mesh().rest_volume(c);
                     })
      .value();
}

/// Returns the larger of the elastic and the contact energy, each relative to its threshold for splits; 0 if neither
/// exceeds its threshold.
template <int dim>
double BodyRemesher<dim>::split_priority(double elastic, double contact) const {
  double priority = 0.0;
  if (elastic > of_elastic_.split) priority = elastic / std::max(of_elastic_.split, 1e-300);
  if (contact > of_contact_.split) priority = std::max(priority, contact / std::max(of_contact_.split, 1e-300));
  return std::min(priority, 1e300);
}

template <int dim>
auto BodyRemesher<dim>::split_queue() const -> Queue {
  Queue queue;
  for (std::size_t e = 0; e < edges_.size(); ++e) {
    const auto [a, b] = edges_[e];
    if (is_energetic()) {
      const double priority = split_priority(elastic_[e], contact_[e]);
      if (priority > 0.0) queue.insert({priority, {a, b, -1}, contact_[e]});
    } else if (const double length = edge_length(a, b); length > long_share * target_[e]) {
      queue.insert({length / target_[e], {a, b, -1}, target_[e]});
    }
  }
  return queue;
}

template <int dim>
bool BodyRemesher<dim>::may_collapse(std::size_t edge, double length) const {
  if (is_by_error()) {
    // All cells that a collapse changes have to be finer than they need be.
    const auto is_fine = [&](int v) {
      const std::span<const int> cells = mesh().cells_at(v);
      return std::all_of(cells.begin(), cells.end(), [&](int c) { return length < shortest_needed * cell_target_[c]; });
    };
    const auto [a, b] = edges_[edge];
    return is_fine(a) && is_fine(b) && keeps_boundary(mesh(), a, b);
  }
  if (!is_energetic()) return length < short_share * target_[edge];
  return elastic_[edge] <= of_elastic_.collapse && contact_[edge] <= of_contact_.collapse;
}

/// Queues the edges to collapse, the shortest first. Long edges are left out: collapses undo refinement, they do not
/// coarsen the original mesh.
template <int dim>
auto BodyRemesher<dim>::collapse_queue() const -> Queue {
  // The default limit is the median length of the body's edges.
  double longest = options().longest_collapse;
  if (longest == 0.0 && !edges_.empty()) {
    std::vector<double> lengths;
    for (const auto& [a, b] : edges_) lengths.push_back(edge_length(a, b));
    const auto middle = lengths.begin() + static_cast<std::ptrdiff_t>(lengths.size() / 2);
    std::nth_element(lengths.begin(), middle, lengths.end());
    longest = *middle;
  }
  Queue queue;
  for (std::size_t e = 0; e < edges_.size(); ++e) {
    const auto [a, b] = edges_[e];
    const double length = edge_length(a, b);
    if (length < longest * (1.0 - 1e-9) && may_collapse(e, length)) queue.insert({-length, {a, b, -1}, 0.0});
  }
  return queue;
}

/// Queues edges and, in 3D, faces to swap, those of the worst elements first.
template <int dim>
auto BodyRemesher<dim>::swap_queue() const -> Queue {
  constexpr double good = 0.6;  // better elements are left alone
  Queue queue;
  // Rank an edge by the worst element around it.
  for (const auto& [a, b] : edges_) {
    double worst = 1.0;
    for (const int c : mesh().cells_at_edge(a, b)) worst = std::min(worst, mesh().quality(c));
    if (worst < good) queue.insert({-worst, {a, b, -1}, 0.0});
  }
  // A face of two bad elements is queued twice; the entry of the worse element comes first.
  if constexpr (dim == 3) {
    for (int c = 0; c < mesh().num_cells(); ++c) {
      if (!mesh().is_cell_alive(c) || mesh().quality(c) >= good) continue;
      for (std::size_t i = 0; i < 4; ++i) {
        std::array<int, 3> face = {mesh().cell(c)[(i + 1) % 4], mesh().cell(c)[(i + 2) % 4],
                                   mesh().cell(c)[(i + 3) % 4]};
        std::sort(face.begin(), face.end());
        queue.insert({-mesh().quality(c), face, 0.0});
      }
    }
  }
  return queue;
}

/// Queues the inner, free vertices to smooth, those of the worst elements first.
template <int dim>
auto BodyRemesher<dim>::smooth_queue() const -> Queue {
  constexpr double good = 0.6;
  Queue queue;
  for (int v = 0; v < mesh().num_vertices(); ++v) {
    if (!mesh().is_vertex_alive(v) || mesh().is_on_boundary(v) || !is_free(body(), v)) continue;
    double worst = 1.0;
    for (const int c : mesh().cells_at(v)) worst = std::min(worst, mesh().quality(c));
    if (worst < good) queue.insert({-worst, {v, -1, -1}, 0.0});
  }
  return queue;
}

// --- trials ---

/// Works through a queue. Batches of trials that do not affect each other are judged at once and committed in their
/// order. A trial that an earlier one of its batch has affected is judged again in the next batch.
template <int dim>
void BodyRemesher<dim>::work_off(Kind kind, Queue queue) {
  refused_.clear();
  unclear_.clear();
  doubtful_.clear();
  const auto& is_stop_wanted = setting_.in.hooks.is_stop_wanted;
  while (!queue.empty() && !(is_stop_wanted && is_stop_wanted())) {
    if (near_.is_stale()) near_.renew(BoundaryContacts<dim>(setting_), body());
    Batch batch = fill_batch(kind, queue);
    // Judge the batch in parallel; this changes neither mesh nor fields.
    parallel_for(static_cast<int>(batch.attempts.size()), 1,
                 [&](int i) { judge(setting_, limits_, batch.attempts[i].trial); });
    commit_batch(kind, batch, queue);
    queue.insert(batch.postponed.begin(), batch.postponed.end());
  }
}

/// Fills a batch from the front of the queue.
template <int dim>
auto BodyRemesher<dim>::fill_batch(Kind kind, Queue& queue) -> Batch {
  Batch batch;
  VertexMarks taken;  // vertices that trials of the batch move
  for (std::size_t i = 0; i < most_looked_at && batch.attempts.size() < batch_size && !queue.empty(); ++i) {
    const Candidate wish = *queue.begin();
    queue.erase(queue.begin());
    std::optional<Attempt> attempt = next_attempt(kind, wish);
    if (!attempt) continue;
    const std::vector<Way> ways = this->ways(kind, *attempt);
    // A trial that depends on vertices of the batch waits for the next batch.
    if (!find_free_scope(ways.front(), taken, *attempt)) {
      batch.postponed.push_back(wish);
    } else if (!prepare(kind, ways, *attempt)) {
      refuse(kind, *attempt, batch.postponed);
    } else {
      taken.add(attempt->trial.scope.moving);
      batch.attempts.push_back(std::move(*attempt));
    }
  }
  return batch;
}

/// Finds the scope of a trial. Returns false if it depends on the vertices `taken`.
template <int dim>
bool BodyRemesher<dim>::find_free_scope(const Way& way, const VertexMarks& taken, Attempt& attempt) {
  // The scope starts from the existing vertices of the operations.
  std::vector<int> seeds;
  for (const Operation<dim>& operation : way) {
    for (const int v : operation.vertices) {
      if (v >= 0 && v < mesh().num_vertices()) seeds.push_back(v);
    }
  }
  if (taken.has_any(seeds)) return false;
  attempt.trial.scope = scopes_.find(seeds, doubtful_.contains(attempt.target.vertices));
  return !depends_on(attempt.trial.scope, taken);
}

/// Commits the accepted trials in order, and requeues or refuses the others.
template <int dim>
void BodyRemesher<dim>::commit_batch(Kind kind, Batch& batch, Queue& queue) {
  VertexMarks changed;  // vertices that have changed since the trials were prepared
  for (const Attempt& attempt : batch.attempts) {
    const auto& [wish, target, is_together, trial] = attempt;
    if (trial.verdict != TrialVerdict::accepted) {
      postpone_or_refuse(kind, attempt, batch.postponed);
      continue;
    }
    // Judge again what an earlier commit of this batch has affected.
    const bool may_touch_changed =
        !trial.region && trial.clear_way < infinity && trial.after->way() >= near_.clear_way();
    if (may_touch_changed || changed.has_any(trial.before->vertices())) {
      batch.postponed.push_back(wish);
      continue;
    }
    commit(trial);
    changed.add(trial.scope.moving);
    for (const Change<dim>& change : changes_) {
      for (const int c : change.edit.added_cells) changed.add(mesh().cell(c));
      if (kind == Kind::split) add_children(target, change.edit.vertex, queue);
    }
    // The edge that the split was made for may still be too long.
    if (wish.vertices != target.vertices) queue.insert(wish);
  }
}

/// Postpones a trial that was not accepted if it is to be judged in another way, else refuses it.
template <int dim>
void BodyRemesher<dim>::postpone_or_refuse(Kind kind, const Attempt& attempt, std::vector<Candidate>& postponed) {
  const auto& [wish, target, is_together, trial] = attempt;
  // Judge it again with contacts.
  if (trial.verdict == TrialVerdict::unclear) {
    unclear_.insert(target.vertices);
    postponed.push_back(wish);
    return;
  }
  // A failure on the narrow scope is repeated on the wide one: a trial that pays with few moving nodes also pays
  // with more, but not the other way round.
  const bool is_hopeless =
      trial.verdict == TrialVerdict::no_gain && kind == Kind::split && trial.most < least_promise * limits_.least_gain;
  if (limits_.has_energy_test && !is_hopeless && doubtful_.insert(target.vertices).second) {
    postponed.push_back(wish);
    return;
  }
  if (trial.verdict == TrialVerdict::no_gain) {
    ++report_.num_rejected;
    note_rejected(kind, target, trial.most);
  }
  if (trial.verdict == TrialVerdict::unsafe) ++report_.num_unsafe;
  refuse(kind, attempt, postponed);
}

template <int dim>
bool BodyRemesher<dim>::is_in_vain(Kind kind, const Candidate& target) const {
  return refused_.contains(target.vertices) || !has_prospects(kind, target);
}

/// Returns the next trial for a candidate: a split of the longest edge around it, or, if that was refused, the splits
/// of the candidate and all longer edges around it together. A split that gains too little by itself must not block
/// others.
template <int dim>
auto BodyRemesher<dim>::next_attempt(Kind kind, const Candidate& wish) const -> std::optional<Attempt> {
  Attempt attempt{wish, kind == Kind::split ? longest_around(wish) : wish, false, {}};
  if (!is_in_vain(kind, attempt.target)) return attempt;
  if (attempt.target.vertices == wish.vertices || !limits_.has_energy_test || is_in_vain(kind, wish)) return {};
  attempt.target = wish;
  attempt.is_together = true;
  return attempt;
}

template <int dim>
void BodyRemesher<dim>::refuse(Kind kind, const Attempt& attempt, std::vector<Candidate>& postponed) {
  refused_.insert(attempt.target.vertices);
  if (kind == Kind::split && attempt.target.vertices != attempt.wish.vertices) postponed.push_back(attempt.wish);
}

/// Returns the edge to split for a candidate: the candidate itself if no element around it has a longer edge, else the
/// end of the path of longest edges [Riv97]. Repeated splits then never make elements thin; thin elements would be
/// stiff.
template <int dim>
auto BodyRemesher<dim>::longest_around(const Candidate& candidate) const -> Candidate {
  constexpr double longer = 1.0 + 1e-9;
  Candidate longest = candidate;
  if (!mesh().is_vertex_alive(candidate.vertices[0]) || !mesh().is_vertex_alive(candidate.vertices[1])) return longest;
  for (double length = 0.0;;) {
    const auto [a, b, none] = longest.vertices;
    length = std::max(length, edge_length(a, b));
    bool has_longer = false;
    // Move to the longest edge of the elements around; edges between frozen vertices cannot be split.
    for (const int cell : mesh().cells_at_edge(a, b)) {
      const auto& corners = mesh().cell(cell);
      for (std::size_t i = 0; i <= dim; ++i) {
        for (std::size_t j = 0; j < i; ++j) {
          const int v = std::min(corners[i], corners[j]), w = std::max(corners[i], corners[j]);
          if (edge_length(v, w) <= longer * length || (mesh().is_frozen(v) && mesh().is_frozen(w))) continue;
          length = edge_length(v, w);
          longest.vertices = {v, w, -1};
          has_longer = true;
        }
      }
    }
    if (!has_longer) return longest;
  }
}

/// True if the scope moves or contains vertices that another trial of the batch moves.
template <int dim>
bool BodyRemesher<dim>::depends_on(const Scope& scope, const VertexMarks& taken) const {
  return taken.has_any(scope.moving) ||
         std::any_of(scope.cells.begin(), scope.cells.end(), [&](int c) { return taken.has_any(mesh().cell(c)); });
}

/// Returns the ways to carry out an attempt, at least one. The first way that the mesh allows is tried.
template <int dim>
auto BodyRemesher<dim>::ways(Kind kind, const Attempt& attempt) -> std::vector<Way> {
  const auto [a, b, c] = attempt.target.vertices;
  if (attempt.is_together) return {splits_together(attempt.wish)};
  if (kind == Kind::smooth) {
    // Smoothing moves the vertex to the centre of its neighbours, or half or a quarter of the way.
    Vec<dim> centre = Vec<dim>::Zero();
    const std::vector<int> around = mesh().neighbours(a);
    for (const int v : around) centre += mesh().rest(v) / static_cast<double>(around.size());
    std::vector<Way> ways;
    for (const double share : {1.0, 0.5, 0.25}) {
      ways.push_back({{kind, {a, -1, -1}, false, mesh().rest(a) + share * (centre - mesh().rest(a))}});
    }
    return ways;
  }
  if (kind != Kind::collapse) return {{{kind, {a, b, c}, false, Vec<dim>::Zero()}}};
  // A collapse keeps the vertex on the boundary; between two inner vertices it prefers the midpoint.
  const Way towards_b{{kind, {a, b, -1}, false, Vec<dim>::Zero()}};
  const Way towards_a{{kind, {b, a, -1}, false, Vec<dim>::Zero()}};
  const bool is_a_outside = mesh().is_on_boundary(a), is_b_outside = mesh().is_on_boundary(b);
  if (is_a_outside && !is_b_outside) return {towards_a};
  if (is_b_outside && !is_a_outside) return {towards_b};
  if (is_a_outside) return {towards_b, towards_a};
  return {{{kind, {a, b, -1}, true, Vec<dim>::Zero()}}, towards_b, towards_a};
}

/// Returns the splits of all longer edges around an edge, in order, followed by that of the edge itself; empty if one
/// of them is impossible or if there are more than `most_together`.
template <int dim>
auto BodyRemesher<dim>::splits_together(const Candidate& wish) -> Way {
  // Apply the splits one by one to find the sequence, then undo them.
  Way way;
  bool is_complete = false;
  changes_.clear();
  while (!is_complete && way.size() < most_together) {
    const auto [a, b, none] = longest_around(wish).vertices;
    if (!may_split(a, b) || !apply({Kind::split, {a, b, -1}, false, Vec<dim>::Zero()})) break;
    way.push_back({Kind::split, {a, b, -1}, false, Vec<dim>::Zero()});
    is_complete = way.back().vertices == wish.vertices;
  }
  undo_all();
  if (!is_complete) way.clear();
  return way;
}

template <int dim>
bool BodyRemesher<dim>::may_split(int a, int b) const {
  const bool is_full = options().largest_count > 0 && mesh().num_live_cells() >= options().largest_count;
  return !is_full && depth_of(a, b) < options().depth;
}

/// True if a split leaves no boundary edge at the new vertex shorter than two activation distances: the barriers of
/// shorter edges would repel their neighbours.
template <int dim>
bool BodyRemesher<dim>::keeps_distances(const MeshEdit& edit) const {
  if (edit.kind != Kind::split || !edit.is_on_boundary || !edited_.surface().has_contact()) return true;
  for (const int f : edit.added_facets) {
    for (const int v : mesh().facet(f)) {
      if (v != edit.vertex && edge_length(v, edit.vertex) < 2.0 * edited_.surface().dhat()) return false;
    }
  }
  return true;
}

/// True if swapped or smoothed elements are better at rest than those that they replace.
template <int dim>
bool BodyRemesher<dim>::is_better(const Trial<dim>& trial) const {
  return trial.quality_after > trial.quality_before * (1.0 + 1e-3);
}

template <int dim>
bool BodyRemesher<dim>::apply(const Operation<dim>& operation) {
  Change<dim> change;
  if (edited_.apply(operation, change) != EditRefusal::none) return false;
  if (operation.kind == Kind::split) generation_.push_back(1 + depth_of(operation.vertices[0], operation.vertices[1]));
  changes_.push_back(std::move(change));
  return true;
}

template <int dim>
void BodyRemesher<dim>::undo_all() {
  for (; !changes_.empty(); changes_.pop_back()) {
    edited_.undo(changes_.back());
    if (changes_.back().edit.kind == Kind::split) generation_.pop_back();
  }
}

/// Accepts the last change only if it keeps distances on the boundary and, for swap and smooth, improves the elements.
template <int dim>
bool BodyRemesher<dim>::is_good_change(Kind kind, Trial<dim>& trial) const {
  const Change<dim>& change = changes_.back();
  if (kind == Kind::smooth) trial.quality_after = worst_quality(mesh(), change.reshaped_cells);
  if (kind == Kind::swap) {
    trial.quality_before = worst_quality(mesh(), change.edit.removed_cells);
    trial.quality_after = worst_quality(mesh(), change.edit.added_cells);
  }
  const bool has_to_be_better = kind == Kind::swap || kind == Kind::smooth;
  return keeps_distances(change.edit) && (!has_to_be_better || is_better(trial));
}

template <int dim>
bool BodyRemesher<dim>::apply_first(Kind kind, const std::vector<Way>& ways, Trial<dim>& trial,
                                    bool& parts_close_ones) {
  // Try the ways in order; undo one that fails before the next.
  changes_.clear();
  for (const Way& way : ways) {
    if (kind == Kind::smooth) trial.quality_before = worst_quality(mesh(), mesh().cells_at(way.front().vertices[0]));
    parts_close_ones = false;
    const bool is_possible = std::all_of(way.begin(), way.end(), [&](const Operation<dim>& operation) {
      if (!apply(operation) || !is_good_change(kind, trial)) return false;
      parts_close_ones = parts_close_ones || near_.parts_close_ones(body(), changes_.back().edit);
      return true;
    });
    trial.operations = way;
    if (is_possible) return true;
    undo_all();
  }
  return false;
}

/// True if a trial is worth any work. Counts and notes those that are not.
template <int dim>
bool BodyRemesher<dim>::may_be_tried(Kind kind, const Candidate& target, bool has_operations) {
  const auto [a, b, c] = target.vertices;
  // The queue may hold edges and vertices that no longer exist.
  const bool exists = kind == Kind::smooth ? mesh().is_vertex_alive(a)
                                           : mesh().is_vertex_alive(a) && mesh().is_vertex_alive(b) &&
                                                 !mesh().cells_at_edge(a, b).empty();
  if (!exists) return false;
  // The splits that must come together are impossible: note a small gain, so that they are not tried again at once.
  if (!has_operations) {
    note_rejected(kind, target, 0.01 * limits_.least_gain);
    return false;
  }
  if (kind == Kind::split && !may_split(a, b)) {
    ++report_.num_unsafe;
    return false;
  }
  return true;
}

/// Adds what the changes made replace to the scope of a trial, and returns the scope after them. The cells and facets
/// from `first_cell` and `first_facet` on are new.
template <int dim>
Scope BodyRemesher<dim>::extend_scope(int first_cell, int first_facet, Trial<dim>& trial) const {
  for (const auto& [edit, reshaped_cells, fields_before, x_tilde_before] : changes_) {
    add_replaced(edit, reshaped_cells, trial.scope);
    trial.changes_boundary = trial.changes_boundary || edit.is_on_boundary;
  }
  // Remove the cells and facets that one operation added and a later one removed.
  std::erase_if(trial.scope.cells, [&](int cell) { return cell >= first_cell; });
  std::erase_if(trial.scope.facets, [&](int facet) { return facet >= first_facet; });
  Scope after = trial.scope;
  for (const Change<dim>& change : changes_) after = scope_after(body(), after, change.edit);
  return after;
}

/// Chooses the region of contacts; it stays empty if the boundary of the scope is near nothing.
template <int dim>
void BodyRemesher<dim>::choose_region(Kind kind, bool parts_close_ones, Attempt& attempt) const {
  Trial<dim>& trial = attempt.trial;
  if (trial.scope.facets.empty() || !edited_.surface().has_contact()) return;
  const bool moves_boundary = kind == Kind::collapse && trial.changes_boundary;
  trial.clear_way = near_.clear_way();
  // The extents are those of the old boundary, which contains the new one.
  if (moves_boundary || parts_close_ones || near_.has_any(mesh(), trial.scope.facets) ||
      unclear_.contains(attempt.target.vertices)) {
    trial.region = region_of(trial.scope);
  }
}

/// Undoes the operations of a trial that is not worth any more work. Returns false.
template <int dim>
bool BodyRemesher<dim>::reject(Kind kind, const Candidate& target, double most) {
  undo_all();
  ++report_.num_rejected;
  note_rejected(kind, target, most);
  return false;
}

/// Prepares a trial to be judged. Returns false if it is refused or not worth the work. The body is unchanged
/// afterwards.
template <int dim>
bool BodyRemesher<dim>::prepare(Kind kind, const std::vector<Way>& ways, Attempt& attempt) {
  Trial<dim>& trial = attempt.trial;
  if (!may_be_tried(kind, attempt.target, !ways.front().empty())) return false;
  // Apply the operations to the mesh and find the scope before and after them.
  const int first_cell = mesh().num_cells(), first_facet = mesh().num_facets();
  trial.first_new_vertex = mesh().num_vertices();
  bool parts_close_ones = false;
  if (!apply_first(kind, ways, trial, parts_close_ones)) {
    ++report_.num_unsafe;
    return false;
  }
  const Scope after = extend_scope(first_cell, first_facet, trial);
  // Bound the gain without any solve; refuse a split that cannot reach the limit.
  const double most = kind == Kind::split && limits_.has_energy_test ? most_gain() : infinity;
  const bool is_promising = most > limits_.least_gain;
  choose_region(kind, parts_close_ones, attempt);
  // Several splits together are costly, and only contacts could make this trial pay, which is rare: 17 of 3800.
  if (!is_promising && (attempt.is_together || !trial.region)) return reject(kind, attempt.target, most);
  trial.after = std::make_unique<LocalProblem<dim>>(setting_, after, trial.region ? &*trial.region : nullptr);
  // Contacts that form only later reduce the gain further.
  if (!is_promising && !trial.after->has_contacts()) return reject(kind, attempt.target, most);
  undo_all();
  return true;
}

/// Returns a bound [J] on the gain of each split made, from the decrement of the new vertices without contacts.
template <int dim>
double BodyRemesher<dim>::most_gain() const {
  const auto& materials = body().materials;
  const bool is_damped =
      std::any_of(materials.begin(), materials.end(), [](const MaterialParameters& m) { return m.damping > 0.0; });
  std::vector<int> vertices;
  for (const Change<dim>& change : changes_) {
    if (is_free(body(), change.edit.vertex)) vertices.push_back(change.edit.vertex);
  }
  // The estimate ignores damping, so it bounds nothing for damped materials.
  if (vertices.empty()) return 0.0;
  const double count = static_cast<double>(changes_.size());
  return is_damped ? infinity : most_of_model * split_decrement(setting_, edited_.x_tilde(), vertices) / count;
}

template <int dim>
ContactRegion<dim> BodyRemesher<dim>::region_of(const Scope& scope) const {
  // Bound the facets at x1 and x0, and sum their edges for the mean length.
  Extent<dim> extent;
  double length = 0.0;
  for (const int f : scope.facets) {
    const auto& facet = mesh().facet(f);
    for (const int v : facet) {
      const NodeFields<dim>& fields = body().fields[v];
      extent.extend(fields.x1, fields.x0);
    }
    length += edge_length(facet[0], facet[1]);
  }
  // The region covers the activation distance and the allowance, both doubled.
  ContactRegion<dim> region;
  region.allowance = allowance_share * length / static_cast<double>(scope.facets.size());
  const double activation = edited_.surface().dhat() + setting_.options.barrier.min_separation;
  region.extent = extent.inflated(2.0 * (activation + region.allowance));
  return region;
}

/// Returns the energy [J] by which an edge is ranked.
template <int dim>
double BodyRemesher<dim>::energy_around(const Candidate& candidate) const {
  const std::array<int, 2> edge = {candidate.vertices[0], candidate.vertices[1]};
  const auto ranked = std::lower_bound(edges_.begin(), edges_.end(), edge);
  const bool is_ranked = ranked != edges_.end() && *ranked == edge;
  return elastic_energy_of_edge(body(), edge[0], edge[1]) +
         (is_ranked ? contact_[ranked - edges_.begin()] : candidate.inherited);
}

/// True if an operation that was rejected before may pay now. Its gain is assumed to be proportional to the energy
/// around it. This assumption loses validity with the age of the rejection, because the stress distribution changes.
/// Everything is therefore tried again after a while: first the operations that were close to paying, and not all in
/// the same step.
template <int dim>
bool BodyRemesher<dim>::has_prospects(Kind kind, const Candidate& candidate) const {
  constexpr int least_age = 8;
  const auto [a, b, none] = candidate.vertices;
  const auto found = rejected_.find({{a, b}, kind});
  if (found == rejected_.end()) return true;
  // Age in units of 8 to 15 steps; the spread by vertex numbers distributes the retrials over the steps.
  const double age =
      static_cast<double>(setting_.in.state.step - found->second.step) / (least_age + (a + b) % least_age);
  const double doubt = std::max(1.0, age * age);
  const double gain = found->second.share * energy_around(candidate);
  return (gain > 0.0 ? gain * doubt : gain / doubt) > limits_.least_gain;
}

template <int dim>
void BodyRemesher<dim>::note_rejected(Kind kind, const Candidate& candidate, double most) {
  const auto [a, b, none] = candidate.vertices;
  const bool is_of_edge = kind == Kind::split || kind == Kind::collapse;
  if (!is_of_edge || !limits_.has_energy_test) return;
  const double energy = energy_around(candidate);
  if (!(energy > 0.0) || !std::isfinite(most / energy)) return;
  rejected_[{{a, b}, kind}] = {body().body, {a, b}, kind == Kind::collapse, most / energy, setting_.in.state.step};
}

template <int dim>
void BodyRemesher<dim>::forget_rejected(const Change<dim>& change) {
  std::set<int> changed;
  for (const int c : change.edit.added_cells) changed.insert(mesh().cell(c).begin(), mesh().cell(c).end());
  for (const int c : change.reshaped_cells) changed.insert(mesh().cell(c).begin(), mesh().cell(c).end());
  for (const int v : changed) {
    for (const int w : mesh().neighbours(v)) {
      for (const Kind kind : {Kind::split, Kind::collapse}) rejected_.erase({{std::min(v, w), std::max(v, w)}, kind});
    }
  }
}

template <int dim>
std::vector<RejectedOperation> BodyRemesher<dim>::rejected() const {
  std::vector<RejectedOperation> list;
  for (const auto& [key, operation] : rejected_) {
    if (!mesh().cells_at_edge(operation.edge[0], operation.edge[1]).empty()) list.push_back(operation);
  }
  return list;
}

/// Takes over the positions that the local solve found. Numbers of new vertices have shifted since the trial.
template <int dim>
void BodyRemesher<dim>::move_vertices(const Trial<dim>& trial, int shift) {
  std::vector<int> moved;
  for (int i = 0; i < trial.after->num_moving(); ++i) {
    const int v = trial.after->vertices()[i];
    moved.push_back(v >= trial.first_new_vertex ? v + shift : v);
    edited_.set_x1(moved.back(), trial.after->position(i));
  }
  edited_.note_motion(moved);
  near_.note_motion(body(), moved);
}

template <int dim>
void BodyRemesher<dim>::commit(const Trial<dim>& trial) {
  // Vertex numbers of earlier commits of the batch shift those that the trial's new vertices had when it was prepared.
  const int shift = mesh().num_vertices() - trial.first_new_vertex;
  const auto number = [&](int v) { return v >= trial.first_new_vertex ? v + shift : v; };
  changes_.clear();
  for (Operation<dim> operation : trial.operations) {
    for (int& v : operation.vertices) v = number(v);
    // The operation was possible on the same elements in `prepare`.
    const bool is_done = apply(operation);
    CLEARANCE_ASSERT(is_done);
    if (!is_done) return;
    const Change<dim>& change = changes_.back();
    edited_.keep(change);
    near_.note_edit(change.edit, body());
    forget_rejected(change);
    if (is_by_error()) inherit_targets(change.edit);
    count(operation.kind, report_);
  }
  move_vertices(trial, shift);
  report_.gain += trial.fall;
}

/// Queues the edges of a new vertex that are still worth a split. Their contact energy is that of the parent edge.
template <int dim>
void BodyRemesher<dim>::add_children(const Candidate& parent, int vertex, Queue& queue) const {
  for (const int v : mesh().neighbours(vertex)) {
    if (depth_of(v, vertex) >= options().depth) continue;
    const std::array<int, 3> edge = {std::min(v, vertex), std::max(v, vertex), -1};
    if (!is_energetic()) {
      const double length = edge_length(v, vertex);
      if (length > long_share * parent.inherited) queue.insert({length / parent.inherited, edge, parent.inherited});
      continue;
    }
    const double contact = mesh().is_boundary_edge(vertex, v) ? parent.inherited : 0.0;
    const double priority = split_priority(elastic_energy_of_edge(body(), vertex, v), contact);
    if (priority > 0.0) queue.insert({priority, edge, contact});
  }
}

template class BodyRemesher<2>;
template class BodyRemesher<3>;

}  // namespace clearance
