#include "clearance/model/surface_map.h"

#include <algorithm>

#include "clearance/base/parallel.h"

namespace clearance {

namespace {
constexpr int grain = 2048;
}

void SurfaceMap::append(Kind kind, int first_block, int place, const Vec<3>& offset) {
  const int vertex = num_vertices();
  if (runs_.empty() || runs_.back().kind != kind || runs_.back().first_block != first_block) {
    runs_.push_back({vertex, vertex, kind, first_block});
  }
  if (!offset.isZero(0.0)) {
    offsets_of_vertices_.resize(dim_ * vertex, 0.0);
    offsets_of_vertices_.insert(offsets_of_vertices_.end(), offset.data(), offset.data() + dim_);
  }
  ++runs_.back().end;
  run_of_vertex_.push_back(static_cast<int>(runs_.size()) - 1);
  place_.push_back(place);
}

void SurfaceMap::add_vertex(int block) {
  const Term term{block, 1.0};
  add_vertex({&term, 1});
}

void SurfaceMap::add_vertex(std::span<const Term> terms, const Vec<3>& offset) {
  const bool is_block = terms.size() == 1 && terms[0].weight == 1.0;
  append(is_block ? Kind::block : Kind::sum, 0, static_cast<int>(offsets_.size()) - 1, offset);
  terms_.insert(terms_.end(), terms.begin(), terms.end());
  offsets_.push_back(static_cast<int>(terms_.size()));
}

void SurfaceMap::add_affine_vertex(int first_block, std::span<const double> weights) {
  append(Kind::affine, first_block, static_cast<int>(weights_.size()), Vec<3>::Zero());
  weights_.insert(weights_.end(), weights.begin(), weights.end());
}

void SurfaceMap::add_vertex_of(const SurfaceMap& other, int vertex) {
  const Run& run = other.runs_[other.run_of_vertex_[vertex]];
  const Terms terms = other.terms(vertex);
  if (run.kind == Kind::affine) {
    add_affine_vertex(run.first_block, std::span(other.weights_).subspan(other.place_[vertex], dim_));
  } else {
    const std::size_t first = dim_ * vertex;
    Vec<3> offset = Vec<3>::Zero();
    if (first < other.offsets_of_vertices_.size()) {
      std::copy_n(other.offsets_of_vertices_.data() + first, dim_, offset.data());
    }
    add_vertex({terms.begin(), terms.size()}, offset);
  }
}

template <int dim>
void SurfaceMap::apply_run(const Run& run, int begin, int end, const VecX& x, VecX& positions) const {
  if (run.kind != Kind::affine) {
    for (int v = begin; v < end; ++v) {
      Vec<dim> position = Vec<dim>::Zero();
      for (const Term& term : terms(v)) position += term.weight * block<dim>(x, term.block);
      block<dim>(positions, v) = position;
    }
    return;
  }
  const Vec<dim> center = block<dim>(x, run.first_block);
  Mat<dim> map;
  for (int i = 0; i < dim; ++i) map.col(i) = block<dim>(x, run.first_block + 1 + i);
  const double* weights = weights_.data() + place_[begin];
  for (int v = begin; v < end; ++v, weights += dim) {
    Vec<dim> position = center;
    for (int i = 0; i < dim; ++i) position += weights[i] * map.col(i);
    block<dim>(positions, v) = position;
  }
}

VecX SurfaceMap::apply(const VecX& x) const {
  VecX positions = apply_linear(x);
  for (std::size_t i = 0; i < offsets_of_vertices_.size(); ++i) {
    positions[static_cast<Eigen::Index>(i)] += offsets_of_vertices_[i];
  }
  return positions;
}

VecX SurfaceMap::apply_linear(const VecX& x) const {
  VecX positions(dim_ * num_vertices());
  parallel_for_chunks(num_vertices(), grain, [&](int begin, int end) {
    for (int v = begin; v < end;) {
      const Run& run = runs_[run_of_vertex_[v]];
      const int stop = std::min(end, run.end);
      if (dim_ == 2) {
        apply_run<2>(run, v, stop, x, positions);
      } else {
        apply_run<3>(run, v, stop, x, positions);
      }
      v = stop;
    }
  });
  return positions;
}

namespace {

template <int dim>
void add_transposed(const SurfaceMap& map, const VecX& surface_gradient, VecX& gradient) {
  // This loop is serial, because several vertices may share a block and the order of the sum is fixed.
  for (int v = 0; v < static_cast<int>(surface_gradient.size() / dim); ++v) {
    const Vec<dim> of_vertex = block<dim>(surface_gradient, v);
    if (of_vertex.isZero(0.0)) continue;  // most vertices have no contact
    for (const SurfaceMap::Term& term : map.terms(v)) block<dim>(gradient, term.block) += term.weight * of_vertex;
  }
}

}  // namespace

void SurfaceMap::add_transposed(const VecX& surface_gradient, VecX& gradient) const {
  dim_ == 2 ? clearance::add_transposed<2>(*this, surface_gradient, gradient)
            : clearance::add_transposed<3>(*this, surface_gradient, gradient);
}

}  // namespace clearance
