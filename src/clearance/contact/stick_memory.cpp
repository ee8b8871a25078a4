#include "clearance/contact/stick_memory.h"

#include <Eigen/Geometry>
#include <algorithm>

namespace clearance {

namespace {

int num_vertices(const std::array<int, 6>& stencil) {
  return static_cast<int>(std::count_if(stencil.begin() + 1, stencil.begin() + 5, [](int v) { return v >= 0; }));
}

/// How many of the vertices are those of the first feature.
int num_first(const std::array<int, 6>& stencil) {
  const auto kind = static_cast<ContactKind>(stencil[0]);
  return kind == ContactKind::edge_edge || kind == ContactKind::mollified_edge_edge ? 2 : 1;
}

/// Whom vertex i of a stencil rubs against: a body, or -1 - plane.
int partner(const Model& model, const std::array<int, 6>& stencil, int i) {
  if (static_cast<ContactKind>(stencil[0]) == ContactKind::half_space) return -1 - stencil[5];
  const int other = i < num_first(stencil) ? num_vertices(stencil) - 1 : 0;
  return model.surface.vertex_body[static_cast<std::size_t>(stencil[static_cast<std::size_t>(1 + other)])];
}

/// The turn of the features between two configurations, as far as two of their edges tell.
Mat<3> turn_of(const Vec<3>& e_t0, const Vec<3>& f_t0, const Vec<3>& e_t1, const Vec<3>& f_t1) {
  constexpr double least_sine = 1e-2;
  const auto frame = [](const Vec<3>& e, const Vec<3>& f, Mat<3>& axes) {
    axes.col(0) = e.normalized();
    const Vec<3> across = f - f.dot(axes.col(0)) * axes.col(0);
    axes.col(1) = across.normalized();
    axes.col(2) = axes.col(0).cross(axes.col(1));
    return across.norm() > least_sine * f.norm();
  };
  Mat<3> from, to;
  const bool has_from = frame(e_t0, f_t0, from), has_to = frame(e_t1, f_t1, to);
  if (has_from && has_to) return to * from.transpose();
  return Eigen::Quaterniond::FromTwoVectors(e_t0, e_t1).toRotationMatrix();
}

/// `s` turned with the second feature (of two edges: with both).
Vec<3> turned(const Contact& contact, const VecX& x_t0, const VecX& x, const Vec<3>& s) {
  const auto edge = [&](const VecX& at, std::size_t i, std::size_t j) -> Vec<3> {
    return block<3>(at, contact.vertices[j]) - block<3>(at, contact.vertices[i]);
  };
  switch (contact.kind) {
    case ContactKind::point_triangle:
      return turn_of(edge(x_t0, 1, 2), edge(x_t0, 1, 3), edge(x, 1, 2), edge(x, 1, 3)) * s;
    case ContactKind::edge_edge:
    case ContactKind::mollified_edge_edge:
      return turn_of(edge(x_t0, 0, 1), edge(x_t0, 2, 3), edge(x, 0, 1), edge(x, 2, 3)) * s;
    case ContactKind::point_edge:
      return turn_of(edge(x_t0, 1, 2), edge(x_t0, 1, 2), edge(x, 1, 2), edge(x, 1, 2)) * s;
    default:
      return s;
  }
}

Vec<2> turned(const Contact& contact, const VecX& x_t0, const VecX& x, const Vec<2>& s) {
  if (contact.kind != ContactKind::point_edge) return s;
  const Vec<2> e_t0 = block<2>(x_t0, contact.vertices[2]) - block<2>(x_t0, contact.vertices[1]);
  const Vec<2> e_t1 = block<2>(x, contact.vertices[2]) - block<2>(x, contact.vertices[1]);
  const double cosine = e_t0.dot(e_t1), sine = e_t0[0] * e_t1[1] - e_t0[1] * e_t1[0];
  const double size = std::hypot(cosine, sine);
  if (!(size > 0.0)) return s;
  return Vec<2>(cosine * s[0] - sine * s[1], sine * s[0] + cosine * s[1]) / size;
}

}  // namespace

std::array<int, 6> stencil_of(const Contact& contact) {
  const auto& [v0, v1, v2, v3] = contact.vertices;
  return {static_cast<int>(contact.kind), v0, v1, v2, v3, contact.plane};
}

template <int dim>
StickMemory<dim>::StickMemory(const Model& model, const std::vector<StickContact>& contacts, const VecX& x_t0)
    : model_(model), contacts_(contacts), x_t0_(x_t0) {
  for (const StickContact& contact : contacts) {
    for (int i = 0; i < num_vertices(contact.stencil); ++i) {
      OfVertex& entry = of_vertex_[{contact.stencil[static_cast<std::size_t>(1 + i)],
                                    partner(model, contact.stencil, i)}];
      const Vec<dim> s = contact.displacement.template head<dim>();
      entry.sum += i < num_first(contact.stencil) ? s : Vec<dim>(-s);
      entry.weight += 1.0;
    }
  }
}

template <int dim>
Vec<dim> StickMemory<dim>::remembered(const Contact& contact) const {
  const std::array<int, 6> stencil = stencil_of(contact);
  const auto found = std::lower_bound(contacts_.begin(), contacts_.end(), stencil,
                                      [](const StickContact& a, const auto& b) { return a.stencil < b; });
  if (found != contacts_.end() && found->stencil == stencil) return found->displacement.template head<dim>();
  Vec<dim> sum = Vec<dim>::Zero();
  double weight = 0.0;
  for (int i = 0; i < contact.num_vertices(); ++i) {
    const auto at = of_vertex_.find({stencil[static_cast<std::size_t>(1 + i)], partner(model_, stencil, i)});
    if (at == of_vertex_.end()) continue;
    sum += i < num_first(stencil) ? at->second.sum : Vec<dim>(-at->second.sum);
    weight += at->second.weight;
  }
  return weight > 0.0 ? Vec<dim>(sum / weight) : Vec<dim>::Zero();
}

template <int dim>
Vec<dim> StickMemory<dim>::displacement(const Contact& contact, const VecX& x) const {
  const Vec<dim> s = remembered(contact);
  return s.isZero(0.0) ? s : Vec<dim>(turned(contact, x_t0_, x, s));
}

template class StickMemory<2>;
template class StickMemory<3>;

}  // namespace clearance
