#include "clearance/model/surface_map.h"

#include "clearance/base/parallel.h"

namespace clearance {

namespace {
constexpr int grain = 2048;
}

void SurfaceMap::append(bool is_affine, int first_block, int place) {
  const int vertex = num_vertices();
  if (runs_.empty() || runs_.back().is_affine != is_affine || (is_affine && runs_.back().first_block != first_block)) {
    runs_.push_back({vertex, vertex, is_affine, first_block});
  }
  ++runs_.back().end;
  run_of_vertex_.push_back(static_cast<int>(runs_.size()) - 1);
  place_.push_back(place);
}

void SurfaceMap::add_vertex(int block) {
  const Term term{block, 1.0};
  add_vertex({&term, 1});
}

void SurfaceMap::add_vertex(std::span<const Term> terms) {
  append(false, 0, static_cast<int>(offsets_.size()) - 1);
  terms_.insert(terms_.end(), terms.begin(), terms.end());
  offsets_.push_back(static_cast<int>(terms_.size()));
  is_selection_ = is_selection_ && terms.size() == 1 && terms[0].weight == 1.0;
}

void SurfaceMap::add_affine_vertex(int first_block, std::span<const double> weights) {
  append(true, first_block, static_cast<int>(weights_.size()));
  weights_.insert(weights_.end(), weights.begin(), weights.end());
  is_selection_ = false;
}

void SurfaceMap::add_vertex_of(const SurfaceMap& other, int vertex) {
  const Run& run = other.runs_[static_cast<std::size_t>(other.run_of_vertex_[static_cast<std::size_t>(vertex)])];
  const Terms terms = other.terms(vertex);
  if (run.is_affine) {
    add_affine_vertex(run.first_block, {other.weights_.data() + other.place_[static_cast<std::size_t>(vertex)],
                                        static_cast<std::size_t>(dim_)});
  } else {
    add_vertex({terms.begin(), terms.size()});
  }
}

template <int dim>
void SurfaceMap::apply_run(const Run& run, int begin, int end, const VecX& x, VecX& positions) const {
  if (!run.is_affine) {
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
  const double* weights = weights_.data() + place_[static_cast<std::size_t>(begin)];
  for (int v = begin; v < end; ++v, weights += dim) {
    Vec<dim> position = center;
    for (int i = 0; i < dim; ++i) position += weights[i] * map.col(i);
    block<dim>(positions, v) = position;
  }
}

VecX SurfaceMap::apply(const VecX& x) const {
  VecX positions(dim_ * num_vertices());
  parallel_for_chunks(num_vertices(), grain, [&](int begin, int end) {
    for (int v = begin; v < end;) {
      const Run& run = runs_[static_cast<std::size_t>(run_of_vertex_[static_cast<std::size_t>(v)])];
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
  // Serial: several vertices may share a block, and the order of the sum is fixed.
  for (int v = 0; v < map.num_vertices(); ++v) {
    const Vec<dim> of_vertex = block<dim>(surface_gradient, v);
    if (of_vertex.isZero(0.0)) continue;  // few vertices touch anything
    for (const SurfaceMap::Term& term : map.terms(v)) block<dim>(gradient, term.block) += term.weight * of_vertex;
  }
}

}  // namespace

void SurfaceMap::add_transposed(const VecX& surface_gradient, VecX& gradient) const {
  dim_ == 2 ? clearance::add_transposed<2>(*this, surface_gradient, gradient)
            : clearance::add_transposed<3>(*this, surface_gradient, gradient);
}

}  // namespace clearance
