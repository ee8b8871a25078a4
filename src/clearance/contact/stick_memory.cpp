#include "clearance/contact/stick_memory.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <map>

#include "clearance/math/elementary.h"

namespace clearance {

namespace {

bool is_first(const Contact& contact, int i) {
  return i < num_first(contact);
}

/// Returns the rotation of the features between two configurations, as far as two of their edges determine it.
Mat<3> turn_of(const Vec<3>& e_t0, const Vec<3>& f_t0, const Vec<3>& e_t1, const Vec<3>& f_t1) {
  const auto frame = [](const Vec<3>& e, const Vec<3>& f, Mat<3>& axes) {
    axes.col(0) = e.normalized();
    const Vec<3> across = f - f.dot(axes.col(0)) * axes.col(0);
    axes.col(1) = across.normalized();
    axes.col(2) = axes.col(0).cross(axes.col(1));
    return across.norm() > least_sine_of_memory * f.norm();
  };
  Mat<3> from, to;
  const bool has_from = frame(e_t0, f_t0, from), has_to = frame(e_t1, f_t1, to);
  if (has_from && has_to) return to * from.transpose();
  return Eigen::Quaterniond::FromTwoVectors(e_t0, e_t1).toRotationMatrix();
}

/// Returns `s` rotated with the second feature (of two edges: with both).
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
    case ContactKind::point_point:
    case ContactKind::half_space:
      break;
  }
  return s;
}

Vec<2> turned(const Contact& contact, const VecX& x_t0, const VecX& x, const Vec<2>& s) {
  if (contact.kind != ContactKind::point_edge) return s;
  const Vec<2> e_t0 = block<2>(x_t0, contact.vertices[2]) - block<2>(x_t0, contact.vertices[1]);
  const Vec<2> e_t1 = block<2>(x, contact.vertices[2]) - block<2>(x, contact.vertices[1]);
  const double cosine = e_t0.dot(e_t1), sine = e_t0[0] * e_t1[1] - e_t0[1] * e_t1[0];
  const double size = elementary::hypot(cosine, sine);
  if (!(size > 0.0)) return s;
  return Vec<2>(cosine * s[0] - sine * s[1], sine * s[0] + cosine * s[1]) / size;
}

}  // namespace

int partner_of(const Model& model, const Contact& contact, int i) {
  const auto [first, second] = bodies_of(model.surface, contact);
  return is_first(contact, i) ? second : first;
}

const StickVertex* find_stick(const std::vector<StickVertex>& list, int vertex, int partner) {
  const std::pair<int, int> key = {vertex, partner};
  const auto found = std::lower_bound(list.begin(), list.end(), key, [](const StickVertex& a, const auto& b) {
    return std::pair(a.vertex, a.partner) < b;
  });
  return found != list.end() && std::pair(found->vertex, found->partner) == key ? &*found : nullptr;
}

template <int dim>
Vec<dim> StickMemory<dim>::displacement(const Contact& contact, const std::array<double, 4>& weights,
                                        const VecX& x) const {
  Vec<dim> sum = Vec<dim>::Zero();
  if (vertices_.empty()) return sum;
  double total = 0.0;
  for (int i = 0; i < contact.num_vertices(); ++i) {
    const StickVertex* vertex = find(contact, i);
    if (vertex == nullptr) continue;
    const double weight = std::abs(weights[i]);
    // A memory is that of a vertex against its partner. The contact has the first feature against the second, so that
    // vertices of the second one count with the opposite sign.
    sum += (is_first(contact, i) ? weight : -weight) * vertex->displacement.head<dim>();
    total += weight;
  }
  if (!(total > 0.0) || sum.isZero(0.0)) return Vec<dim>::Zero();
  return turned(contact, x_t0_, x, Vec<dim>(sum / total));
}

template <int dim>
std::vector<StickVertex> StickMemory<dim>::updated(const std::vector<Update>& updates, const VecX& x) const {
  struct Sum {
    Vec<dim> displacement = Vec<dim>::Zero();
    double weight = 0.0;
  };
  std::map<std::pair<int, int>, Sum> sums;
  for (const Update& update : updates) {
    const Contact& contact = update.contact;
    for (int i = 0; i < contact.num_vertices(); ++i) {
      // A vertex in several contacts takes the mean by normal force and by nearness: bristles that carry more count
      // more.
      const double weight = update.force * std::abs(update.weights[i]);
      if (!(weight > 0.0)) continue;
      const double sign = is_first(contact, i) ? 1.0 : -1.0;
      // A vertex that remembers nothing starts from what the contact has.
      const StickVertex* vertex = find(contact, i);
      const Vec<dim> before = vertex == nullptr
                                  ? Vec<dim>(sign * update.displacement)
                                  : Vec<dim>(turned(contact, x_t0_, x, Vec<dim>(vertex->displacement.head<dim>())));
      Sum& sum = sums[{contact.vertices[i], partner_of(model_, contact, i)}];
      sum.displacement += weight * (before + sign * update.increment);
      sum.weight += weight;
    }
  }
  std::vector<StickVertex> vertices;
  for (const auto& [key, sum] : sums) {
    StickVertex& added = vertices.emplace_back();
    added.vertex = key.first;
    added.partner = key.second;
    added.displacement.template head<dim>() = sum.displacement / sum.weight;
  }
  return vertices;
}

template class StickMemory<2>;
template class StickMemory<3>;

}  // namespace clearance
