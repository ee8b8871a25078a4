// The remeshing of one body within a step: the choice of operations, their order, and the commit of those accepted.
#pragma once

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "clearance/remesh/cell_errors.h"
#include "clearance/remesh/edge_energies.h"
#include "clearance/remesh/trial.h"

namespace clearance {

/// A set of vertices.
class VertexMarks {
 public:
  void add(std::span<const int> vertices) {
    for (const int v : vertices) {
      if (v >= std::ssize(is_in_)) is_in_.resize(2 * v + 1, 0);
      is_in_[v] = 1;
    }
  }
  bool has_any(std::span<const int> vertices) const {
    return std::any_of(vertices.begin(), vertices.end(),
                       [&](int v) { return v < std::ssize(is_in_) && is_in_[v] != 0; });
  }

 private:
  std::vector<char> is_in_;
};

template <int dim>
class BodyRemesher {
 public:
  /// All arguments must outlive the object.
  BodyRemesher(const RemeshInputs<dim>& in, AdaptingBody<dim>& body, const SceneSurfaces<dim>& surroundings,
               RemeshReport& report);

  /// Runs the phases that the options ask for: splits, collapses, swaps, smoothing.
  void run();
  /// Returns the boundary of the mesh in its present state.
  BodySurface<dim> surface() const { return edited_.surface().whole(); }
  /// Returns the operations that were rejected, in this step and before, on edges that still exist.
  std::vector<RejectedOperation> rejected() const;

 private:
  /// An operation to be tried. The candidate with the highest priority comes first.
  struct Candidate {
    double priority = 0.0;
    std::array<int, 3> vertices = {-1, -1, -1};
    double inherited = 0.0;  // Splits only: [J] contact energy of the edge; by size, its target length [m].
    bool operator<(const Candidate& other) const {
      return priority != other.priority ? priority > other.priority : vertices < other.vertices;
    }
  };
  using Queue = std::set<Candidate>;
  using Kind = MeshEdit::Kind;

  void rank();
  void run_by_error();
  double reference_energy(const CellErrors& errors) const;
  void set_cell_targets(const CellErrors& errors, double allowed);
  void split_long_edges();
  bool split_at_once(const Candidate& target, Queue& queue);
  void inherit_targets(const MeshEdit& edit);
  double target_of(int a, int b) const;
  bool has_much_to_split(const CellErrors& errors, double allowed) const;
  bool has_much_to_collapse(const Queue& queue) const;
  double elastic_energy_of_body() const;
  bool is_by_error() const { return options().is_by_error(); }
  bool is_energetic() const { return options().criterion == RemeshCriterion::energy; }
  Queue split_queue() const;
  Queue collapse_queue() const;
  Queue swap_queue() const;
  Queue smooth_queue() const;
  double split_priority(double elastic, double contact) const;
  bool may_collapse(std::size_t edge, double length) const;

  /// A trial for a candidate. Its target is the candidate itself or an edge that must be split first; `is_together`
  /// splits the candidate and all such edges at once.
  struct Attempt {
    Candidate wish, target;
    bool is_together = false;
    Trial<dim> trial;
  };
  /// Operations that are applied one after the other.
  using Way = std::vector<Operation<dim>>;

  /// Trials that do not affect each other, and candidates that wait for the next batch.
  struct Batch {
    std::vector<Attempt> attempts;
    std::vector<Candidate> postponed;
  };

  void work_off(Kind kind, Queue queue);
  Batch fill_batch(Kind kind, Queue& queue);
  bool find_free_scope(const Way& way, const VertexMarks& taken, Attempt& attempt);
  void commit_batch(Kind kind, Batch& batch, Queue& queue);
  void postpone_or_refuse(Kind kind, const Attempt& attempt, std::vector<Candidate>& postponed);
  std::optional<Attempt> next_attempt(Kind kind, const Candidate& wish) const;
  bool is_in_vain(Kind kind, const Candidate& target) const;
  void refuse(Kind kind, const Attempt& attempt, std::vector<Candidate>& postponed);
  bool may_be_tried(Kind kind, const Candidate& target, bool has_operations);
  Scope extend_scope(int first_cell, int first_facet, Trial<dim>& trial) const;
  void choose_region(Kind kind, bool parts_close_ones, Attempt& attempt) const;
  bool prepare(Kind kind, const std::vector<Way>& ways, Attempt& attempt);
  bool reject(Kind kind, const Candidate& target, double most);
  bool is_good_change(Kind kind, Trial<dim>& trial) const;
  bool apply_first(Kind kind, const std::vector<Way>& ways, Trial<dim>& trial, bool& parts_close_ones);
  bool apply(const Operation<dim>& operation);
  void undo_all();
  std::vector<Way> ways(Kind kind, const Attempt& attempt);
  Way splits_together(const Candidate& wish);
  bool may_split(int a, int b) const;
  bool is_better(const Trial<dim>& trial) const;
  bool keeps_distances(const MeshEdit& edit) const;
  ContactRegion<dim> region_of(const Scope& scope) const;
  void commit(const Trial<dim>& trial);
  void move_vertices(const Trial<dim>& trial, int shift);
  // The memory of operations that earlier steps have rejected.
  bool has_prospects(Kind kind, const Candidate& candidate) const;
  void note_rejected(Kind kind, const Candidate& candidate, double most);
  double energy_around(const Candidate& candidate) const;
  double most_gain() const;
  /// Forgets the rejected operations on all edges of elements that have changed.
  void forget_rejected(const Change<dim>& change);
  Candidate longest_around(const Candidate& candidate) const;
  bool depends_on(const Scope& scope, const VertexMarks& taken) const;
  /// Returns how many splits of this step, one after the other, led to an edge.
  int depth_of(int a, int b) const { return std::max(generation_[a], generation_[b]); }
  void add_children(const Candidate& parent, int vertex, Queue& queue) const;

  const AdaptingBody<dim>& body() const { return edited_.body(); }
  const SimplexMesh<dim>& mesh() const { return edited_.body().mesh; }
  const RemeshOptions& options() const { return edited_.body().options; }
  double edge_length(int a, int b) const { return (mesh().rest(a) - mesh().rest(b)).norm(); }

  RemeshReport& report_;
  EditedBody<dim> edited_;
  LocalSetting<dim> setting_;
  ScopeFinder<dim> scopes_;

  // Data of the current phase (splits, collapses, ...).
  std::vector<std::array<int, 2>> edges_;
  std::vector<double> elastic_, contact_;  // per edge
  std::vector<double> target_;             // [m] per edge, by size
  std::vector<double> cell_target_;        // [m] per cell, by error: its longest edge
  Culling of_elastic_, of_contact_;
  double energy_ = 0.0;  // [J] elastic energy and contact energy of the body
  TrialLimits limits_;
  NearVertices<dim> near_;
  // Targets of this phase that were refused; those to be judged with contacts even if nothing is near; and those to be
  // judged on a wider part of the body.
  std::set<std::array<int, 3>> refused_, unclear_, doubtful_;
  std::vector<Change<dim>> changes_;  // changes that the current trial has made to the body
  std::vector<int> generation_;       // per vertex: number of successive splits in this step that led to it
  std::map<std::pair<std::array<int, 2>, Kind>, RejectedOperation> rejected_;
};

}  // namespace clearance
