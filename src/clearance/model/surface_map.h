// The map from the unknowns to the surface vertices.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "clearance/math/types.h"

namespace clearance {

/// Surface vertex i is at offset_i + sum_j weight_ij * x[block_ij]: the operator Phi of [Fer23h], J of [Lan22]. The map
/// is exact for FEM of any order and for affine bodies (blocks: translation and columns of A, weights [1, x_rest]).
/// Rigid bodies have maps of the same form; their unknowns move on curves (LocalCoordinates). A proxy that follows the
/// displacements of elements, V_S + W (x - X) [Fer23, eq. 5.4], has the offset V_S - W X.
class SurfaceMap {
 public:
  struct Term {
    int block;
    double weight;
  };

  /// The terms of one vertex, by value; valid as long as the map.
  class Terms {
   public:
    explicit Terms(std::span<const Term> stored) : stored_(stored.data()), size_(stored.size()) {}
    Terms(int first_block, const double* weights, int dim) : size_(dim + 1) {
      own_[0] = {first_block, 1.0};
      for (int i = 0; i < dim; ++i) own_[i + 1] = {first_block + 1 + i, weights[i]};
    }
    const Term* begin() const { return stored_ != nullptr ? stored_ : own_.data(); }
    const Term* end() const { return begin() + size_; }
    std::size_t size() const { return size_; }
    const Term& operator[](std::size_t i) const { return begin()[i]; }

   private:
    const Term* stored_ = nullptr;
    std::size_t size_;
    std::array<Term, 4> own_;
  };

  explicit SurfaceMap(int dim) : dim_(dim) {}

  /// Appends a surface vertex that coincides with one block of unknowns.
  void add_vertex(int block);
  /// Appends a surface vertex that is a weighted sum of blocks plus a constant offset [m].
  void add_vertex(std::span<const Term> terms, const Vec<3>& offset = Vec<3>::Zero());
  /// Appends a vertex of an affine body: x[first_block] + sum_i weights[i] x[first_block + 1 + i].
  void add_affine_vertex(int first_block, std::span<const double> weights);
  /// Appends a copy of a vertex of another map.
  void add_vertex_of(const SurfaceMap& other, int vertex);

  int dim() const { return dim_; }
  int num_vertices() const { return static_cast<int>(place_.size()); }
  Terms terms(int vertex) const {
    const int place = place_[vertex];
    const Run& run = runs_[run_of_vertex_[vertex]];
    if (run.kind == Kind::affine) return {run.first_block, weights_.data() + place, dim_};
    return Terms({terms_.data() + offsets_[place], terms_.data() + offsets_[place + 1]});
  }
  /// True if the vertex is one block with weight 1, so that local derivatives need no pull-back.
  bool is_block(int vertex) const { return runs_[run_of_vertex_[vertex]].kind == Kind::block; }
  /// True if a and b are vertices of the same affine body and so have the same blocks.
  bool share_blocks(int a, int b) const {
    const int run = run_of_vertex_[a];
    return run == run_of_vertex_[b] && runs_[run].kind == Kind::affine;
  }

  /// Returns the world positions of all surface vertices, flat, for the unknowns x.
  VecX apply(const VecX& x) const;
  /// Applies the map without the offset, for displacements and velocities.
  VecX apply_linear(const VecX& dx) const;
  /// Adds J^T surface_gradient to the gradient. There may be fewer numbers than vertices: the others are zero.
  void add_transposed(const VecX& surface_gradient, VecX& gradient) const;

 private:
  enum class Kind {
    block,   // one block per vertex
    sum,     // a sum of terms per vertex
    affine,  // vertices of one affine body
  };
  /// Consecutive vertices of one kind.
  struct Run {
    int begin = 0, end = 0;
    Kind kind = Kind::block;
    int first_block = 0;  // of the affine body
  };
  template <int dim>
  void apply_run(const Run& run, int begin, int end, const VecX& x, VecX& positions) const;
  void append(Kind kind, int first_block, int place, const Vec<3>& offset);

  int dim_;
  std::vector<Run> runs_;
  std::vector<int> run_of_vertex_;
  std::vector<int> place_;  // per vertex: index into weights_ if its run is affine, else into offsets_
  std::vector<int> offsets_ = {0};
  std::vector<Term> terms_;
  std::vector<double> weights_;              // dim numbers per vertex of affine bodies
  std::vector<double> offsets_of_vertices_;  // flat, up to the last vertex with an offset
};

}  // namespace clearance
