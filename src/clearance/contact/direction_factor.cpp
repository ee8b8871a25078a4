#include "clearance/contact/direction_factor.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace clearance {

namespace {

/// Normal of a facet by its vertices in order, not normalised; in the plane the edge turned to the right.
template <int dim>
Vec<dim> area_normal(const Vec<dim>& a, const Vec<dim>& b, [[maybe_unused]] const Vec<dim>& c) {
  if constexpr (dim == 2) {
    return Vec<2>(b[1] - a[1], a[0] - b[0]);
  } else {
    return cross_product(b - a, c - a);
  }
}

/// Smooth excess of `area` over `least`, with derivatives: 0 up to `least`, exactly `area - least` from twice `least`
/// on.
StepValue exceeding(double area, double least) {
  if (least <= 0.0) return {area, 1.0, 0.0};
  const StepValue step = smooth_step(3.0 * (area / least - 2.0));
  const double slope = 3.0 / least, more = area - least;
  return {more * step.value, step.value + more * slope * step.first,
          2.0 * slope * step.first + more * slope * slope * step.second};
}

}  // namespace

template <int dim>
double DirectionFactor<dim>::evaluate(const Contact& contact, const VecX& x) {
  x_ = &x;
  contact_ = contact;
  terms_.clear();
  value_ = 1.0;
  outside_ = {};
  areas_ = {};
  const ContactGap<dim> gap = compute_contact_gap<dim>(model_, contact, positions_of<dim>(contact, x));
  distance_ = gap.distance;
  normal_ = gap.normal;
  // The value is the product of the shares at the boundaries and the steps of each side; a factor of 0 ends it.
  if (!add_boundaries() || !add_features()) return 0.0;
  if (!options_.published) return value_ * area();
  const std::array<int, 4>& v = contact.vertices;
  if (dim == 2 && contact.kind == ContactKind::point_edge) measure(1, std::array{star_.edge_between(v[1], v[2])}, 1.0);
  if (contact.kind == ContactKind::point_triangle) measure_triangle();
  return value_ * areas_[0].published * areas_[1].published;
}

/// Multiplies the factor by the steps of both features; returns false if it is 0.
template <int dim>
bool DirectionFactor<dim>::add_features() {
  const std::array<int, 4>& v = contact_.vertices;
  switch (contact_.kind) {
    case ContactKind::half_space:
    case ContactKind::point_triangle:
      return add_vertex(0, v[0]);
    case ContactKind::point_point:
      if (!add_vertex(0, v[0]) || !add_vertex(1, v[1])) return false;
      // The other vertex has a contact of its own, which counts its area.
      areas_[1].least = 0.0;
      areas_[1].more = StepValue();
      return true;
    case ContactKind::point_edge:
      return add_vertex(0, v[0]) && (dim == 2 || add_edge(1, star_.edge_between(v[1], v[2])));
    case ContactKind::edge_edge:
      return add_edge(0, star_.edge_between(v[0], v[1])) && add_edge(1, star_.edge_between(v[2], v[3]));
    case ContactKind::mollified_edge_edge:
      assert(false);
  }
  return true;
}

/// Sets the published area of a side to the sum of the current lengths of `edges` to the power dim - 1, times `share`.
template <int dim>
void DirectionFactor<dim>::measure(int side, std::span<const int> edges, double share) {
  if (!options_.published || edges.empty()) return;
  double& sum = areas_[side].published = 0.0;
  for (const int edge : edges) {
    const std::array<int, 2>& e = model_.surface.edges[edge];
    const double length_sq = (at(e[1]) - at(e[0])).squaredNorm();
    sum += share * (dim == 2 ? std::sqrt(length_sq) : length_sq);
    terms_.push_back({Kind::length, side, {e[0], e[1], -1}, 1.0, 0.0, {}, 0.0, share});
  }
}

template <int dim>
void DirectionFactor<dim>::measure_triangle() {
  if constexpr (dim == 3) {
    const auto& [p, a, b, c] = contact_.vertices;
    areas_[1].published = 0.5 * area_normal<3>(at(a), at(b), at(c)).norm();
    terms_.push_back({Kind::triangle, 1, {a, b, c}, 1.0, 0.0, {}, 0.0, 1.0});
  }
}

/// Multiplies the factor by the step of a cosine; returns false if the factor is 0. `extent` is the size of the element
/// that is shared [m]; infinity if it does not matter.
template <int dim>
bool DirectionFactor<dim>::add(Kind kind, int side, const std::array<int, 3>& vertices, double cosine, double extent) {
  // Next to small elements the step narrows to H((1 + alpha d / l) t . u), with l half the extent (see the header).
  const double narrowing = options_.published ? 0.0 : options_.alpha_t / (0.5 * extent);
  StepValue step;
  if (!options_.published) {
    step = smooth_step_of_cosine((1.0 + distance_ * narrowing) * cosine, options_.alpha_t);
    // The boundary has the share H, the feature the rest.
    if (kind == Kind::boundary) step = {1.0 - step.value, -step.first, -step.second};
  } else {
    step = kind == Kind::boundary ? published_mollifier(cosine) : published_step(cosine, options_.alpha_t);
  }
  value_ *= step.value;
  if (!(value_ > 0.0)) return false;
  if (!step.is_constant()) terms_.push_back({kind, side, vertices, 1.0, cosine, step, narrowing});
  return true;
}

/// Length of an edge at rest [m].
template <int dim>
double DirectionFactor<dim>::length(int edge) const {
  return std::sqrt(model_.edge_rest_length_sq[edge]);
}

template <int dim>
bool DirectionFactor<dim>::add_boundaries() {
  const auto& [a, b, c, d] = contact_.vertices;
  switch (contact_.kind) {
    case ContactKind::point_edge: {
      const double extent = length(star_.edge_between(b, c));
      return add_boundary(a, b, -1, extent) && add_boundary(a, c, -1, extent);
    }
    case ContactKind::point_triangle: {
      const int triangle = star_.triangle_of(b, c, d);
      const std::array<int, 3>& t = model_.surface.triangles[triangle];
      for (std::size_t i = 0; i < 3; ++i) {
        if (!add_boundary(a, t[i], t[(i + 1) % 3], star_.height(triangle, i))) return false;
      }
      return true;
    }
    case ContactKind::edge_edge:
      return add_boundary(a, c, d, infinity) && add_boundary(b, c, d, infinity) && add_boundary(c, a, b, infinity) &&
             add_boundary(d, a, b, infinity);
    default:
      return true;
  }
}

template <int dim>
bool DirectionFactor<dim>::add_boundary(int point, int line0, int line1, double extent) {
  const double distance_sq = line1 < 0 ? point_point_distance_sq<dim>(at(point), at(line0))
                                       : point_line_distance_sq<dim>(at(point), at(line0), at(line1));
  // cos(theta) is the distance of the features over that of the boundary.
  const double sine_sq = 1.0 - distance_ * distance_ / distance_sq;
  return add(Kind::boundary, 0, {point, line0, line1}, -std::sqrt(std::max(0.0, sine_sq)), extent);
}

template <int dim>
bool DirectionFactor<dim>::add_vertex(int side, int vertex) {
  const Vec<dim> u = towards(side), p = at(vertex);
  measure(side, star_.edges_of(vertex), dim == 3 ? 1.0 / 3.0 : star_.edges_of(vertex).size() == 1 ? 1.0 : 0.5);
  for (const int edge : star_.edges_of(vertex)) {
    const int other = star_.other_end(edge, vertex);
    const Vec<dim> t = at(other) - p;
    if (!add(Kind::edge, side, {vertex, other, -1}, t.dot(u) / t.norm(), side == 0 ? infinity : length(edge))) {
      return false;
    }
  }
  const bool has_area = side == 0 || contact_.kind == ContactKind::point_point;
  return add_surroundings(side, vertex, star_.is_solid_vertex(vertex), star_.facets_of(vertex), has_area,
                          rest_.areas.vertex, rest_.vertex_sharpness);
}

template <int dim>
bool DirectionFactor<dim>::add_edge(int side, int edge) {
  const std::array<int, 2>& e = model_.surface.edges[edge];
  const Vec<dim> u = towards(side), along = (at(e[1]) - at(e[0])).normalized();
  measure(side, std::array{edge}, 1.0);
  for (const int triangle : star_.triangles_of_edge(edge)) {
    const int opposite = star_.opposite(triangle, edge);
    const Vec<dim> r = at(opposite) - at(e[0]);
    const Vec<dim> t = (r - r.dot(along) * along).normalized();
    double extent = infinity;
    if (contact_.kind == ContactKind::point_edge) {
      const std::array<int, 3>& edges = star_.edges_of_triangle(triangle);
      extent = star_.height(triangle, std::find(edges.begin(), edges.end(), edge) - edges.begin());
    }
    if (!add(Kind::face, side, {e[0], e[1], opposite}, t.dot(u), extent)) return false;
  }
  return add_surroundings(side, edge, star_.is_solid_edge(edge), star_.triangles_of_edge(edge),
                          contact_.kind == ContactKind::edge_edge, rest_.areas.edge, rest_.edge_sharpness);
}

/// Adds the surroundings of a feature of a side if it is one of a solid, and the area if that side has one.
template <int dim>
bool DirectionFactor<dim>::add_surroundings(int side, int feature, bool is_solid, std::span<const int> facets,
                                            bool has_area, const std::vector<double>& measures,
                                            const std::vector<double>& sharpness) {
  const std::size_t i = feature;
  const bool has_facet_area = is_solid && has_area && !rest_.facet_share.empty() && !options_.published;
  if (has_area && !has_facet_area) areas_[side].more.value = measures[i];
  return !is_solid || add_facets(side, facets, has_facet_area, has_facet_area ? sharpness[i] : 0.0);
}

/// Adds all facets around a feature of a solid. Returns false if the factor is 0.
template <int dim>
bool DirectionFactor<dim>::add_facets(int side, std::span<const int> facets, bool has_area, double sharpness) {
  facing_.clear();
  FacetSums sums;
  const std::size_t first = terms_.size();
  for (const int facet : facets) add_facet(side, facet, has_area, sums);
  StepValue& outside = outside_[side];
  const double slope = options_.published && dim == 2 ? 3.0 / options_.alpha_n : 3.0;
  // The factor is the smooth step of slope * (sum - 1), see the header; its derivatives are by the sum.
  outside = smooth_step(slope * (sums.outside - 1.0));
  outside.first *= slope;
  outside.second *= slope * slope;
  // If the step is constant, the normals do not vary the factor.
  if (outside.is_constant()) terms_.resize(first);
  value_ *= outside.value;
  if (has_area) {
    StepValue faced = smooth_step(3.0 * (sums.facing - 1.0));
    faced.first *= 3.0;
    faced.second *= 9.0;
    areas_[side] = {sharpness, exceeding(sums.shares, sharpness), faced};
    terms_.insert(terms_.end(), facing_.begin(), facing_.end());
  }
  return value_ > 0.0;
}

/// Adds the steps of one facet to the sums and, as far as they are not constant, its terms.
template <int dim>
void DirectionFactor<dim>::add_facet(int side, int facet, bool has_area, FacetSums& sums) {
  std::array<int, 3> v = {-1, -1, -1};
  if constexpr (dim == 2) {
    const auto& e = model_.surface.edges[facet];
    v = {e[0], e[1], -1};
  } else {
    v = model_.surface.triangles[facet];
  }
  const auto sign = static_cast<double>(star_.outside(facet));
  const Vec<dim> n = area_normal<dim>(at(v[0]), at(v[1]), at(v[dim - 1]));
  const double cosine = -sign * n.dot(towards(side)) / n.norm();
  const StepValue step =
      options_.published ? published_step(cosine, options_.alpha_n) : smooth_step_of_cosine(cosine, options_.alpha_n);
  sums.outside += step.value;
  if (!step.is_constant()) terms_.push_back({Kind::normal, side, v, sign, cosine, step});
  if (!has_area) return;
  const StepValue faces = facing_step(cosine);
  const double share = rest_.facet_share[facet];
  sums.facing += faces.value;
  sums.shares += share * faces.value;
  if (!faces.is_constant()) facing_.push_back({Kind::facing, side, v, sign, cosine, faces, 0.0, share});
}

template <int dim>
double DirectionFactor<dim>::area() const {
  double sum = 0.0;
  for (std::size_t side = 0; side < 2; ++side) {
    sum += areas_[side].least + areas_[side].more.value * areas_[1 - side].faced.value;
  }
  return sum;
}

template <int dim>
bool DirectionFactor<dim>::varies() const {
  return !terms_.empty();
}

template <int dim>
void DirectionFactor<dim>::add_neighbours(std::vector<int>& neighbours) const {
  const auto begin = static_cast<std::ptrdiff_t>(neighbours.size());
  const auto& own = contact_.vertices;
  for (const Term& term : terms_) {
    for (const int v : term.vertices) {
      if (v >= 0 && std::find(own.begin(), own.end(), v) == own.end()) neighbours.push_back(v);
    }
  }
  std::sort(neighbours.begin() + begin, neighbours.end());
  neighbours.erase(std::unique(neighbours.begin() + begin, neighbours.end()), neighbours.end());
}

template <int dim>
std::size_t DirectionFactor<dim>::place_of(int vertex, std::span<const int> neighbours) const {
  for (std::size_t i = 0; i < 4; ++i) {
    if (contact_.vertices[i] == vertex) return i;
  }
  return 4 + std::lower_bound(neighbours.begin(), neighbours.end(), vertex) - neighbours.begin();
}

/// Adds the gradient of the scalar of a term, its cosine or the measure of an edge or a triangle, to `gradient`.
template <int dim>
class DirectionFactor<dim>::TermGradient {
 public:
  TermGradient(const DirectionFactor& factor, const ContactFrame<dim>& frame, std::span<const int> neighbours,
               std::vector<double>& gradient)
      : factor_(factor), frame_(frame), neighbours_(neighbours), gradient_(gradient) {}

  void add(const Term& term) const {
    switch (term.kind) {
      case Kind::edge:
        return add_edge(term);
      case Kind::face:
        return add_face(term);
      case Kind::normal:
      case Kind::facing:
        return add_normal(term);
      case Kind::length:
        return add_length(term);
      case Kind::triangle:
        return add_triangle(term);
      case Kind::boundary:
        return add_boundary(term);
    }
  }

 private:
  Vec<dim> at(int vertex) const { return factor_.at(vertex); }
  Eigen::Map<Vec<dim>> part(int vertex) const {
    return Eigen::Map<Vec<dim>>(gradient_.data() + dim * factor_.place_of(vertex, neighbours_));
  }
  Eigen::Map<Vec<dim>> part_of_feature(std::size_t i) const { return Eigen::Map<Vec<dim>>(gradient_.data() + dim * i); }
  std::size_t num_features() const { return frame_.num_vertices; }
  static double side_sign(const Term& term) { return term.side == 0 ? 1.0 : -1.0; }
  /// Unit vector towards the feature of the term.
  Vec<dim> towards(const Term& term) const { return side_sign(term) * frame_.normal; }

  void add_edge(const Term& term) const {
    const auto& [v0, v1, v2] = term.vertices;
    const Vec<dim> u = towards(term);
    const Vec<dim> edge = at(v1) - at(v0);
    const double length = edge.norm();
    // The scalar is t . u, with t the unit vector along the edge: t changes by the part of the edge's change across
    // t, over the length.
    const Vec<dim> t = edge / length;
    const Vec<dim> across = (u - term.cosine * t) / length;
    part(v1) += across;
    part(v0) -= across;
    add_turning(t, side_sign(term));
  }

  void add_face(const Term& term) const {
    const auto& [v0, v1, v2] = term.vertices;
    const Vec<dim> u = towards(term);
    const Vec<dim> along = at(v1) - at(v0), r = at(v2) - at(v0);
    // The scalar is t . u, with t the unit height of v2 over the edge v0 v1, whose foot moves with v0 and v1.
    const double foot = r.dot(along) / along.squaredNorm();
    const Vec<dim> height = r - foot * along;
    const double length = height.norm();
    const Vec<dim> t = height / length;
    const Vec<dim> across = (u - term.cosine * t) / length;
    part(v2) += across;
    part(v0) -= (1.0 - foot) * across;
    part(v1) -= foot * across;
    add_turning(t, side_sign(term));
  }

  void add_normal(const Term& term) const {
    const auto& [v0, v1, v2] = term.vertices;
    const Vec<dim> u = towards(term);
    Vec<dim> n = area_normal<dim>(at(v0), at(v1), at(term.vertices[dim - 1]));
    const double length = n.norm();
    n *= term.sign / length;
    // The scalar is -n . u. An area normal N changes the unit normal by its part across n over |N|, so y is the
    // derivative of the scalar by N.
    const Vec<dim> y = (-term.sign / length) * (u + term.cosine * n);
    if constexpr (dim == 2) {
      // In the plane N is the edge turned to the right, so y turned to the left acts on its ends.
      const Vec<2> turned(-y[1], y[0]);
      part(v1) += turned;
      part(v0) -= turned;
    } else {
      const Vec<3> b = at(v1) - at(v0), c = at(v2) - at(v0);
      // With N = b x c, y . dN = db . (c x y) + dc . (y x b).
      const Vec<3> of_b = cross_product(c, y), of_c = cross_product(y, b);
      part(v1) += of_b;
      part(v2) += of_c;
      part(v0) -= of_b + of_c;
    }
    add_turning(n, -side_sign(term));
  }

  void add_length(const Term& term) const {
    const auto& [v0, v1, v2] = term.vertices;
    const Vec<dim> edge = at(v1) - at(v0);
    // The scalar is share * length^(dim - 1).
    const Vec<dim> pull = term.share * (dim == 2 ? 1.0 / edge.norm() : 2.0) * edge;
    part(v1) += pull;
    part(v0) -= pull;
  }

  void add_triangle(const Term& term) const {
    if constexpr (dim == 3) {
      const auto& [v0, v1, v2] = term.vertices;
      // The scalar is the area. Its derivative by a vertex is half the cross product of the unit normal and the
      // opposite edge.
      const Vec<3> n = 0.5 * area_normal<3>(at(v0), at(v1), at(v2)).normalized();
      part(v0) += cross_product(n, Vec<3>(at(v2) - at(v1)));
      part(v1) += cross_product(n, Vec<3>(at(v0) - at(v2)));
      part(v2) += cross_product(n, Vec<3>(at(v1) - at(v0)));
    }
  }

  void add_boundary(const Term& term) const {
    const auto& [v0, v1, v2] = term.vertices;
    // The scalar is -sin(theta), where cos(theta) is the distance of the features over that of the boundary.
    Vec<dim> gap = at(v0) - at(v1);
    double foot = 0.0;
    if (v2 >= 0) {
      const Vec<dim> along = at(v2) - at(v1);
      foot = gap.dot(along) / along.squaredNorm();
      gap -= foot * along;
    }
    const double distance = gap.norm();
    const double ratio = factor_.distance_ / distance;
    // With ratio r = cos(theta) and cosine = -sin(theta), d cosine = (r / sin(theta)) dr = scale (d distance_ /
    // distance_ - d distance / distance), since scale = r^2 / sin(theta).
    const double scale = -ratio * ratio / term.cosine;
    for (std::size_t i = 0; i < num_features(); ++i) {
      part_of_feature(i) += scale / factor_.distance_ * frame_.weights[i] * frame_.normal;
    }
    // The distance of the boundary changes along its own gap; the foot moves with the ends of its edge.
    const Vec<dim> towards_point = (-scale / distance) * (gap / distance);
    part(v0) += towards_point;
    part(v1) -= (1.0 - foot) * towards_point;
    if (v2 >= 0) part(v2) -= foot * towards_point;
  }

  /// Adds sign * (derivative of `direction` . n by the turning of the gap, with `direction` fixed): n stays orthogonal
  /// to the tangents of the features, which tilt, and follows the gap across them.
  void add_turning(const Vec<dim>& direction, double sign) const {
    if (factor_.contact_.kind == ContactKind::half_space) return;
    // The part of `direction` along neither the normal nor a tangent is left after the loop.
    Vec<dim> free = direction - direction.dot(frame_.normal) * frame_.normal;
    for (int j = 0; j < frame_.num_tangents; ++j) {
      const double along = direction.dot(frame_.tangents[j]);
      free -= along * frame_.tangents[j];
      for (std::size_t i = 0; i < num_features(); ++i) {
        // A tilt g_ij (n . dx_i) turns tangent j towards n, and n by as much away from it.
        part_of_feature(i) -= sign * along * frame_.tilts[j][i] * frame_.normal;
      }
    }
    // Across the features, the gap vector changes by w_i dx_i, and n by that over the distance.
    for (std::size_t i = 0; i < num_features(); ++i) {
      part_of_feature(i) += sign * frame_.weights[i] / factor_.distance_ * free;
    }
  }

  const DirectionFactor& factor_;
  const ContactFrame<dim>& frame_;
  std::span<const int> neighbours_;
  std::vector<double>& gradient_;
};

/// Adds the Hessian of the scalar of a term to a sum.
template <int dim>
class DirectionFactor<dim>::TermCurvature {
 public:
  TermCurvature(const DirectionFactor& factor, std::span<const int> neighbours, DirectionCurvature<dim>& sum)
      : factor_(factor), neighbours_(neighbours), sum_(sum) {}

  void add(const Term& term, double coefficient) const {
    const auto& [v0, v1, v2] = term.vertices;
    const double sided = term.side == 0 ? coefficient : -coefficient;
    switch (term.kind) {
      case Kind::edge:
        return sum_.add_cosine(sided, DirectionVector<dim>::along(between(v1, v0)));
      case Kind::face:
        return sum_.add_cosine(sided, DirectionVector<dim>::across(between(v2, v0), between(v1, v0)));
      case Kind::normal:
      case Kind::facing:
        return sum_.add_cosine(-sided * term.sign, normal(term));
      case Kind::length:
        if constexpr (dim == 3) {
          return sum_.add_squared_length(coefficient * term.share, between(v1, v0));
        } else {
          return sum_.add_half_length(2.0 * coefficient * term.share, DirectionVector<dim>::along(between(v1, v0)));
        }
      case Kind::triangle:
        return sum_.add_half_length(coefficient, normal(term));
      case Kind::boundary:
        return add_boundary(term, coefficient);
    }
  }

 private:
  std::size_t place(int vertex) const { return factor_.place_of(vertex, neighbours_); }
  PlaceDifference<dim> between(int to, int from) const {
    return {place(to), place(from), factor_.at(to) - factor_.at(from)};
  }
  /// Area normal of a facet.
  DirectionVector<dim> normal(const Term& term) const {
    const auto& [v0, v1, v2] = term.vertices;
    if constexpr (dim == 2) {
      return DirectionVector<2>::turned(between(v1, v0));
    } else {
      return DirectionVector<3>::product(between(v1, v0), between(v2, v0));
    }
  }
  void add_boundary(const Term& term, double coefficient) const {
    const auto& [v0, v1, v2] = term.vertices;
    Contact boundary;
    boundary.kind = v2 < 0 ? ContactKind::point_point : ContactKind::point_edge;
    boundary.vertices = {v0, v1, v2, -1};
    const ContactFrame<dim> frame =
        compute_contact_frame<dim>(factor_.model_, boundary, positions_of<dim>(boundary, *factor_.x_));
    sum_.add_boundary(coefficient, term.cosine, frame, {place(v0), place(v1), v2 < 0 ? 0 : place(v2)});
  }

  const DirectionFactor& factor_;
  std::span<const int> neighbours_;
  DirectionCurvature<dim>& sum_;
};

/// Collects the summands of the logarithm of the factor: those of single terms, then those of sums over terms.
template <int dim>
class DirectionFactor<dim>::LogTerms {
 public:
  LogTerms(const DirectionFactor& factor, const ContactFrame<dim>& frame, std::span<const int> neighbours,
           DirectionCurvature<dim>* curvature)
      : factor_(factor),
        frame_(frame),
        neighbours_(neighbours),
        curvature_(curvature),
        size_(dim * (4 + neighbours.size())),
        area_(factor.area()) {
    for (std::size_t side = 0; side < 2; ++side) {
      const StepValue& outside = factor_.outside_[side];
      if (outside.is_constant()) continue;
      const double first = outside.first / outside.value;
      sums_[side] = {first, outside.second / outside.value - first * first, std::vector<double>(size_, 0.0)};
    }
  }

  void add(const Term& term) {
    LogTerm log{0.0, 0.0, gradient_of(term)};
    const std::size_t side = term.side;
    if (term.kind == Kind::normal) {
      add_to(sums_[side].gradient, term.step.first, log.gradient);
      log.second = sums_[side].first * term.step.second;
      add_curvature(term, sums_[side].first * term.step.first, log.gradient);
    } else if (term.kind == Kind::length || term.kind == Kind::triangle) {
      add_to(published_[side], 1.0, log.gradient);
      add_curvature(term, 1.0 / factor_.areas_[side].published, log.gradient);
      return;
    } else if (term.kind == Kind::facing) {
      add_to(shares_[side], term.share * term.step.first, log.gradient);
      add_to(facing_[side], term.step.first, log.gradient);
      const Area &own = factor_.areas_[side], &other = factor_.areas_[1 - side];
      // Second derivative of log(area) through this facet's step: d area / d step, times the second derivative of the
      // step.
      const double slope = term.share * own.more.first * other.faced.value + own.faced.first * other.more.value;
      log.second = slope * term.step.second / area_;
      add_curvature(term, slope * term.step.first / area_, log.gradient);
    } else {
      log.first = term.step.first / term.step.value;
      log.second = term.step.second / term.step.value - log.first * log.first;
      add_curvature(term, log.first, log.gradient);
    }
    result_.push_back(std::move(log));
  }

  /// Adds the sums over the normals, which are complete now, and the published areas, whose logarithms are summands.
  void add_sums() {
    for (LogTerm& sum : sums_) {
      if (!sum.gradient.empty()) result_.push_back(std::move(sum));
    }
    for (std::size_t side = 0; side < 2; ++side) {
      const double own = factor_.areas_[side].published;
      if (!published_[side].empty()) result_.push_back({1.0 / own, -1.0 / (own * own), std::move(published_[side])});
    }
  }

  /// Adds the area, the sum of least + more(shares) * faced(facing of the other side). Its own second derivatives by
  /// these scalars become terms of their own.
  void add_area() {
    std::vector<double> of_area;
    for (std::size_t side = 0; side < 2; ++side) {
      const Area &own = factor_.areas_[side], &other = factor_.areas_[1 - side];
      if (facing_[side].empty()) continue;
      add_to(of_area, own.more.first * other.faced.value, shares_[side]);
      add_to(of_area, own.faced.first * other.more.value, facing_[side]);
      result_.push_back({0.0, own.more.second * other.faced.value / area_, shares_[side]});
      result_.push_back({0.0, own.faced.second * other.more.value / area_, facing_[side]});
      const double mixed = own.more.first * other.faced.first / area_;
      if (mixed != 0.0) {  // a b^T + b a^T
        std::vector<double> plus = shares_[side], minus = shares_[side];
        add_to(plus, 1.0, facing_[1 - side]);
        add_to(minus, -1.0, facing_[1 - side]);
        result_.push_back({0.0, 0.5 * mixed, std::move(plus)});
        result_.push_back({0.0, -0.5 * mixed, std::move(minus)});
      }
    }
    // Last comes the logarithm of the area by the area itself.
    if (!of_area.empty()) result_.push_back({1.0 / area_, -1.0 / (area_ * area_), std::move(of_area)});
  }

  std::vector<LogTerm> take() { return std::move(result_); }

 private:
  std::vector<double> gradient_of(const Term& term) const {
    std::vector<double> gradient(size_, 0.0);
    TermGradient(factor_, frame_, neighbours_, gradient).add(term);
    // The step is taken of (1 + distance * narrowing) * cosine: the product rule.
    if (term.narrowing > 0.0) {
      for (double& slope : gradient) slope *= 1.0 + factor_.distance_ * term.narrowing;
      for (int i = 0; i < frame_.num_vertices; ++i) {
        Eigen::Map<Vec<dim>>(gradient.data() + dim * i) +=
            term.cosine * term.narrowing * frame_.weights[i] * frame_.normal;
      }
    }
    return gradient;
  }
  /// Adds `slope` times the Hessian of the scalar of a term, whose gradient is `gradient`.
  void add_curvature(const Term& term, double slope, const std::vector<double>& gradient) {
    if (curvature_ == nullptr || slope == 0.0) return;
    const double stretch = 1.0 + factor_.distance_ * term.narrowing;
    TermCurvature(factor_, neighbours_, *curvature_).add(term, slope * stretch);
    if (!(term.narrowing > 0.0)) return;
    // The scalar is (1 + distance * narrowing) * cosine: the product rule. The gradient of the cosine follows from that
    // of the product.
    const std::span<const double> of_distance = curvature_->distance_gradient();
    std::vector<double> of_cosine = gradient;
    for (std::size_t i = 0; i < of_cosine.size(); ++i) {
      of_cosine[i] = (of_cosine[i] - term.cosine * term.narrowing * of_distance[i]) / stretch;
    }
    curvature_->add_product(slope * term.narrowing, of_distance, of_cosine);
    curvature_->add_distance(slope * term.narrowing * term.cosine);
  }
  void add_to(std::vector<double>& sum, double factor, const std::vector<double>& gradient) const {
    sum.resize(size_, 0.0);
    for (std::size_t i = 0; i < gradient.size(); ++i) sum[i] += factor * gradient[i];
  }

  const DirectionFactor& factor_;
  const ContactFrame<dim>& frame_;
  std::span<const int> neighbours_;
  DirectionCurvature<dim>* curvature_;
  std::size_t size_;
  double area_;
  std::vector<LogTerm> result_;
  // Each side has one scalar for the sum over its normals; the sums over the facets that face the contact are scalars,
  // too.
  std::array<LogTerm, 2> sums_;
  std::array<std::vector<double>, 2> shares_, facing_, published_;
};

template <int dim>
auto DirectionFactor<dim>::log_terms(const ContactFrame<dim>& frame, std::span<const int> neighbours,
                                     DirectionCurvature<dim>* curvature) const -> std::vector<LogTerm> {
  LogTerms log(*this, frame, neighbours, curvature);
  for (const Term& term : terms_) log.add(term);
  log.add_sums();
  log.add_area();
  return log.take();
}

template class DirectionFactor<2>;
template class DirectionFactor<3>;

}  // namespace clearance
