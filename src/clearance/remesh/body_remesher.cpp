#include "clearance/remesh/body_remesher.h"

#include <algorithm>
#include <cmath>

#include "clearance/base/contract.h"
#include "clearance/base/parallel.h"
#include "clearance/remesh/split_estimate.h"
#include "clearance/remesh/target_lengths.h"

namespace clearance {

namespace {

/// So many trials are judged at once, and so many candidates are looked at for them; no matter how many threads.
constexpr std::size_t batch_size = 16, most_looked_at = 64;
/// Of the body's volume: what a local problem has at least.
constexpr double volume_share = 0.01;
/// Nodes move by less than this part of the mean edge in a local problem, as a rule.
constexpr double allowance_share = 0.25;
/// What shares of a body's energy are shares of has at least that of this strain.
constexpr double least_strain = 1e-7;

template <int dim>
double rest_volume(const SimplexMesh<dim>& mesh) {
  double sum = 0.0;
  for (int c = 0; c < mesh.num_cells(); ++c) {
    if (mesh.is_cell_alive(c)) sum += mesh.rest_volume(c);
  }
  return sum;
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

// --- candidates ---

/// Energies of all edges, and from which on they are worth a trial.
template <int dim>
void BodyRemesher<dim>::rank() {
  edges_ = mesh().edges();
  const auto count = static_cast<int>(edges_.size());
  elastic_.assign(edges_.size(), 0.0);
  contact_.assign(edges_.size(), 0.0);
  const BoundaryContacts<dim> boundary(setting_);
  near_.renew(boundary, body());
  const ContactEnergies contacts = boundary.energies();
  parallel_for(count, 64, [&](int e) {
    const auto [a, b] = edges_[static_cast<std::size_t>(e)];
    elastic_[static_cast<std::size_t>(e)] = elastic_energy_of_edge(body(), a, b);
    contact_[static_cast<std::size_t>(e)] = contact_energy_of_edge(body(), contacts, a, b);
  });
  if (!is_energetic()) target_ = target_lengths(body(), edges_, contacts, edited_.surface().dhat());
  of_elastic_ = cull(elastic_, options().split_quantile, options().collapse_quantile);
  of_contact_ = cull(contact_, options().split_quantile, options().collapse_quantile);
  // What rounding makes of a body that flies freely is no reason to change it.
  energy_ = contacts.sum + ordered_sum(mesh().num_cells(), [&](int c) {
                             if (!mesh().is_cell_alive(c)) return 0.0;
                             const auto& m = body().materials[static_cast<std::size_t>(mesh().cell_label(c))];
                             return elastic_energy(body(), c) +
                                    0.5 * (m.lambda + 2.0 * m.mu) * least_strain * least_strain * mesh().rest_volume(c);
                           }).value();
}

/// The larger of two, as parts of what is worth a split; at most 0: it is not.
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
  if (!is_energetic()) return length < short_share * target_[edge];
  return elastic_[edge] <= of_elastic_.collapse && contact_[edge] <= of_contact_.collapse;
}

/// The shortest first, and none that is long: collapses take refinement back, they do not coarsen what was there.
template <int dim>
auto BodyRemesher<dim>::collapse_queue() const -> Queue {
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

/// Edges and, in 3D, faces of the worst elements first.
template <int dim>
auto BodyRemesher<dim>::swap_queue() const -> Queue {
  constexpr double good = 0.6;  // elements that are better stay
  Queue queue;
  for (const auto& [a, b] : edges_) {
    double worst = 1.0;
    for (const int c : mesh().cells_at_edge(a, b)) worst = std::min(worst, mesh().quality(c));
    if (worst < good) queue.insert({-worst, {a, b, -1}, 0.0});
  }
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

/// Vertices of the worst elements first.
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

/// Batches of trials that do not touch each other are judged at once, and committed in their order. What an earlier one
/// of the batch has changed is judged again in the next.
template <int dim>
void BodyRemesher<dim>::work_off(Kind kind, Queue queue) {
  std::set<std::array<int, 3>> refused;
  unclear_.clear();
  doubtful_.clear();
  const auto& is_stop_wanted = setting_.in.options.is_stop_wanted;
  while (!queue.empty() && !(is_stop_wanted && is_stop_wanted())) {
    if (near_.is_stale()) near_.renew(BoundaryContacts<dim>(setting_), body());
    std::vector<Trial<dim>> batch;
    std::vector<Candidate> of_batch, wanted, postponed;  // what is tried, and what it is tried for
    VertexMarks taken, changed;  // vertices that trials of the batch move; that have changed since they were prepared
    for (std::size_t i = 0; i < most_looked_at && batch.size() < batch_size && !queue.empty(); ++i) {
      const Candidate wish = *queue.begin();
      queue.erase(queue.begin());
      const Candidate candidate = kind == Kind::split ? longest_around(wish) : wish;
      Trial<dim> trial;
      // Edges that are held gain nothing, and may be in the way of those at them.
      trial.needs_gain = candidate.vertices == wish.vertices || !limits_.has_energy_test || !is_held(candidate);
      const bool is_in_vain = trial.needs_gain ? refused.contains(candidate.vertices) || !has_prospects(kind, candidate)
                                               : refused.contains(wish.vertices) || !has_promise(wish);
      if (is_in_vain) continue;
      const auto seeds = std::span(candidate.vertices).first(num_seeds(candidate));
      const bool is_free_of_others = !taken.has_any(seeds);
      const bool is_wide = !limits_.has_energy_test || doubtful_.contains(candidate.vertices);
      if (is_free_of_others) trial.scope = scopes_.find(seeds, is_wide);
      if (!is_free_of_others || depends_on(trial.scope, taken)) {
        postponed.push_back(wish);
        continue;
      }
      if (!prepare(kind, candidate, trial)) {
        refused.insert(trial.needs_gain ? candidate.vertices : wish.vertices);
        continue;
      }
      taken.add(trial.scope.moving);
      batch.push_back(std::move(trial));
      of_batch.push_back(candidate);
      wanted.push_back(wish);
    }
    parallel_for(static_cast<int>(batch.size()), 1,
                 [&](int i) { judge(setting_, limits_, batch[static_cast<std::size_t>(i)]); });
    for (std::size_t i = 0; i < batch.size(); ++i) {
      Trial<dim>& trial = batch[i];
      if (trial.verdict == TrialVerdict::unclear) {
        unclear_.insert(of_batch[i].vertices);
        postponed.push_back(wanted[i]);
        continue;
      }
      if (trial.verdict != TrialVerdict::accepted && !trial.needs_gain) {
        ++report_.num_unsafe;
        refused.insert(wanted[i].vertices);
        continue;
      }
      // What pays where hardly anything moves does, but not the other way round.
      if (trial.verdict != TrialVerdict::accepted && doubtful_.insert(of_batch[i].vertices).second) {
        postponed.push_back(wanted[i]);
        continue;
      }
      if (trial.verdict == TrialVerdict::no_gain) {
        ++report_.num_rejected;
        note_rejected(kind, of_batch[i], trial.most);
      }
      if (trial.verdict == TrialVerdict::unsafe) ++report_.num_unsafe;
      if (trial.verdict != TrialVerdict::accepted) {
        refused.insert(of_batch[i].vertices);
        continue;
      }
      const bool may_touch_changed =
          !trial.region && trial.clear_way < infinity && trial.after->way() >= near_.clear_way();
      if (may_touch_changed || changed.has_any(trial.before->vertices())) {
        postponed.push_back(wanted[i]);
        continue;
      }
      commit(trial);
      changed.add(trial.scope.moving);
      for (const int c : edited_.edit().added_cells) changed.add(mesh().cell(c));
      if (kind != Kind::split) continue;
      add_children(of_batch[i], edited_.edit().vertex, queue);
      // What it was split for may still be too long.
      if (wanted[i].vertices != of_batch[i].vertices) queue.insert(wanted[i]);
    }
    queue.insert(postponed.begin(), postponed.end());
  }
}

/// An edge is split where none of the elements around it has a longer one, else the longest of these goes first
/// [Riv97]: however often elements are split, they do not become thin, and thin ones would be stiff.
template <int dim>
auto BodyRemesher<dim>::longest_around(const Candidate& candidate) const -> Candidate {
  constexpr double longer = 1.0 + 1e-9;
  Candidate longest = candidate;
  if (!mesh().is_vertex_alive(candidate.vertices[0]) || !mesh().is_vertex_alive(candidate.vertices[1])) return longest;
  for (double length = 0.0;;) {
    const auto [a, b, none] = longest.vertices;
    length = std::max(length, edge_length(a, b));
    bool has_longer = false;
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

template <int dim>
std::size_t BodyRemesher<dim>::num_seeds(const Candidate& candidate) {
  return static_cast<std::size_t>(
      std::count_if(candidate.vertices.begin(), candidate.vertices.end(), [](int v) { return v >= 0; }));
}

/// Something that the trial is solved with belongs to another one.
template <int dim>
bool BodyRemesher<dim>::depends_on(const Scope& scope, const VertexMarks& taken) const {
  return taken.has_any(scope.moving) ||
         std::any_of(scope.cells.begin(), scope.cells.end(), [&](int c) { return taken.has_any(mesh().cell(c)); });
}

/// The operations that a candidate stands for; the first one that the mesh allows is tried.
template <int dim>
std::vector<Operation<dim>> BodyRemesher<dim>::operations(Kind kind, const Candidate& candidate) const {
  const auto [a, b, c] = candidate.vertices;
  if (kind == Kind::smooth) {
    Vec<dim> centre = Vec<dim>::Zero();
    const std::vector<int> around = mesh().neighbours(a);
    for (const int v : around) centre += mesh().rest(v) / static_cast<double>(around.size());
    std::vector<Operation<dim>> ways;
    for (const double share : {1.0, 0.5, 0.25}) {
      ways.push_back({kind, {a, -1, -1}, false, mesh().rest(a) + share * (centre - mesh().rest(a))});
    }
    return ways;
  }
  if (kind != Kind::collapse) return {{kind, {a, b, c}, false, Vec<dim>::Zero()}};
  const Operation<dim> towards_b{kind, {a, b, -1}, false, Vec<dim>::Zero()};
  const Operation<dim> towards_a{kind, {b, a, -1}, false, Vec<dim>::Zero()};
  const bool is_a_outside = mesh().is_on_boundary(a), is_b_outside = mesh().is_on_boundary(b);
  if (is_a_outside && !is_b_outside) return {towards_a};
  if (is_b_outside && !is_a_outside) return {towards_b};
  if (is_a_outside) return {towards_b, towards_a};
  return {{kind, {a, b, -1}, true, Vec<dim>::Zero()}, towards_b, towards_a};
}

template <int dim>
bool BodyRemesher<dim>::may_split(const Candidate& candidate) const {
  const auto [a, b, none] = candidate.vertices;
  const bool is_full = options().largest_count > 0 && mesh().num_live_cells() >= options().largest_count;
  return !is_full && depth_of(a, b) < options().depth;
}

/// Nothing moves what is put between its ends.
template <int dim>
bool BodyRemesher<dim>::is_held(const Candidate& candidate) const {
  const auto [a, b, none] = candidate.vertices;
  return b >= 0 && none < 0 && (mesh().sets(a) & mesh().sets(b) & body().prescribed_sets) != 0;
}

/// Its new vertex alone could gain enough.
template <int dim>
bool BodyRemesher<dim>::has_promise(const Candidate& candidate) {
  const auto [a, b, none] = candidate.vertices;
  if (!may_split(candidate) || edited_.apply({Kind::split, {a, b, -1}, false, Vec<dim>::Zero()}) != EditRefusal::none) {
    return false;
  }
  const double most = most_gain(edited_.edit().vertex);
  edited_.undo();
  return most > limits_.least_gain;
}

/// Barriers of edges that are hardly longer than their reach repel their neighbours.
template <int dim>
bool BodyRemesher<dim>::keeps_distances() const {
  const MeshEdit& edit = edited_.edit();
  if (edit.kind != Kind::split || !edit.is_on_boundary || !edited_.surface().has_contact()) return true;
  for (const int f : edit.added_facets) {
    for (const int v : mesh().facet(f)) {
      if (v != edit.vertex && edge_length(v, edit.vertex) < 2.0 * edited_.surface().dhat()) return false;
    }
  }
  return true;
}

/// Swapped and smoothed elements have to be better at rest than those that they replace.
template <int dim>
bool BodyRemesher<dim>::is_better(const Trial<dim>& trial) const {
  return trial.quality_after > trial.quality_before * (1.0 + 1e-3);
}

template <int dim>
bool BodyRemesher<dim>::apply_first(Kind kind, const Candidate& candidate, Trial<dim>& trial) {
  const auto worst = [&](std::span<const int> cells) {
    double quality = 1.0;
    for (const int c : cells) quality = std::min(quality, mesh().quality(c));
    return quality;
  };
  for (const Operation<dim>& operation : operations(kind, candidate)) {
    std::vector<int> before;
    if (kind == Kind::smooth) {
      const auto around = mesh().cells_at(operation.vertices[0]);
      before.assign(around.begin(), around.end());
      trial.quality_before = worst(before);
    }
    if (edited_.apply(operation) != EditRefusal::none) continue;
    trial.operation = operation;
    if (kind == Kind::smooth) trial.quality_after = worst(edited_.reshaped_cells());
    if (kind == Kind::swap) {
      trial.quality_before = worst(edited_.edit().removed_cells);
      trial.quality_after = worst(edited_.edit().added_cells);
    }
    const bool has_to_be_better = kind == Kind::swap || kind == Kind::smooth;
    if (keeps_distances() && (!has_to_be_better || is_better(trial))) return true;
    edited_.undo();
  }
  return false;
}

/// A trial, ready to be judged; false if it is refused, or not worth the work. The body is as before afterwards.
template <int dim>
bool BodyRemesher<dim>::prepare(Kind kind, const Candidate& candidate, Trial<dim>& trial) {
  const auto [a, b, c] = candidate.vertices;
  const bool exists = kind == Kind::smooth ? mesh().is_vertex_alive(a)
                                           : mesh().is_vertex_alive(a) && mesh().is_vertex_alive(b) &&
                                                 !mesh().cells_at_edge(a, b).empty();
  if (!exists) return false;
  if (kind == Kind::split && !may_split(candidate)) return false;
  if (!apply_first(kind, candidate, trial)) {
    ++report_.num_unsafe;
    return false;
  }
  const MeshEdit edit = edited_.edit();
  const std::vector<int> reshaped = edited_.reshaped_cells();
  add_replaced(edit, reshaped, trial.scope);
  const Scope after = scope_after(body(), trial.scope, edit);
  trial.changes_boundary = edit.is_on_boundary;
  trial.new_vertex = kind == Kind::split ? edit.vertex : -1;
  const double most = kind == Kind::split && limits_.has_energy_test ? most_gain(edit.vertex) : infinity;
  const auto refuse = [&] {
    edited_.undo();
    ++report_.num_rejected;
    note_rejected(kind, candidate, most);
    return false;
  };
  const bool is_promising = most > limits_.least_gain || !trial.needs_gain;
  if (!trial.scope.facets.empty() && edited_.surface().has_contact()) {
    const bool moves_boundary = kind == Kind::collapse && edit.is_on_boundary;
    trial.clear_way = near_.clear_way();
    // Extents are those of the old boundary, which holds the new one.
    if (moves_boundary || near_.has_any(mesh(), trial.scope.facets) || near_.parts_close_ones(body(), edit) ||
        unclear_.contains(candidate.vertices)) {
      trial.region = region_of(trial.scope);
    }
  }
  if (!trial.needs_gain && trial.region) {
    // More vertices there change what contacts store.
    edited_.undo();
    ++report_.num_unsafe;
    return false;
  }
  if (!is_promising && !trial.region) return refuse();
  trial.after = std::make_unique<LocalProblem<dim>>(setting_, after, trial.region ? &*trial.region : nullptr);
  // What comes to touch only later lets it gain even less.
  if (!is_promising && !trial.after->has_contacts()) return refuse();
  edited_.undo();
  return true;
}

/// [J] By the decrement of the new vertex, were there no contacts.
template <int dim>
double BodyRemesher<dim>::most_gain(int vertex) const {
  if (!is_free(body(), vertex)) return 0.0;
  const auto& materials = body().materials;
  const bool is_damped =
      std::any_of(materials.begin(), materials.end(), [](const MaterialParameters& m) { return m.damping > 0.0; });
  return is_damped ? infinity : most_of_model * split_decrement(setting_, edited_.x_tilde(), vertex);
}

template <int dim>
ContactRegion<dim> BodyRemesher<dim>::region_of(const Scope& scope) const {
  Extent<dim> extent;
  double length = 0.0;
  for (const int f : scope.facets) {
    const auto& facet = mesh().facet(f);
    for (const int v : facet) {
      const NodeFields<dim>& fields = body().fields[static_cast<std::size_t>(v)];
      extent.extend(fields.x1, fields.x0);
    }
    length += edge_length(facet[0], facet[1]);
  }
  ContactRegion<dim> region;
  region.allowance = allowance_share * length / static_cast<double>(scope.facets.size());
  const double activation = edited_.surface().dhat() + setting_.options.barrier.min_separation;
  region.extent = extent.inflated(2.0 * (activation + region.allowance));
  return region;
}

/// [J] That an edge was ranked by.
template <int dim>
double BodyRemesher<dim>::energy_around(const Candidate& candidate) const {
  const std::array<int, 2> edge = {candidate.vertices[0], candidate.vertices[1]};
  const auto ranked = std::lower_bound(edges_.begin(), edges_.end(), edge);
  const bool is_ranked = ranked != edges_.end() && *ranked == edge;
  return elastic_energy_of_edge(body(), edge[0], edge[1]) +
         (is_ranked ? contact_[static_cast<std::size_t>(ranked - edges_.begin())] : candidate.inherited);
}

/// What an operation gains goes with the energy around it. What had none is tried again after some steps all the same,
/// not all of it in the same one: stresses may have another shape.
template <int dim>
bool BodyRemesher<dim>::has_prospects(Kind kind, const Candidate& candidate) const {
  constexpr int least_age = 8;
  const auto [a, b, none] = candidate.vertices;
  const auto found = rejected_.find({{a, b}, kind});
  if (found == rejected_.end() || setting_.in.state.step - found->second.step >= least_age + (a + b) % least_age) {
    return true;
  }
  return found->second.share * energy_around(candidate) > limits_.least_gain;
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
void BodyRemesher<dim>::forget_rejected() {
  std::set<int> changed;
  for (const int c : edited_.edit().added_cells) changed.insert(mesh().cell(c).begin(), mesh().cell(c).end());
  for (const int c : edited_.reshaped_cells()) changed.insert(mesh().cell(c).begin(), mesh().cell(c).end());
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

template <int dim>
void BodyRemesher<dim>::commit(const Trial<dim>& trial) {
  // It was possible on the same elements.
  const EditRefusal refusal = edited_.apply(trial.operation);
  CLEARANCE_ASSERT(refusal == EditRefusal::none);
  if (refusal != EditRefusal::none) return;
  const MeshEdit& edit = edited_.edit();
  std::vector<int> moved;
  for (int i = 0; i < trial.after->num_moving(); ++i) {
    int vertex = trial.after->vertices()[static_cast<std::size_t>(i)];
    // Others of its batch may have taken the number that its vertex had when it was tried.
    if (vertex == trial.new_vertex) vertex = edit.vertex;
    edited_.set_x1(vertex, trial.after->position(i));
    moved.push_back(vertex);
  }
  edited_.keep();
  edited_.note_motion(moved);
  near_.note_edit(edit, body());
  near_.note_motion(body(), moved);
  forget_rejected();
  report_.gain += trial.fall;
  switch (trial.operation.kind) {
    case Kind::split:
      ++report_.num_splits;
      generation_.push_back(1 + std::max(generation_[static_cast<std::size_t>(edit.ends[0])],
                                         generation_[static_cast<std::size_t>(edit.ends[1])]));
      break;
    case Kind::collapse:
      ++report_.num_collapses;
      break;
    case Kind::swap:
      ++report_.num_swaps;
      break;
    case Kind::smooth:
      ++report_.num_smoothings;
      break;
  }
}

/// The edges of a new vertex, where they are still worth it. What contacts have on them is that of their parent.
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
