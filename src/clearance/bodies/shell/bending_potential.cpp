#include "clearance/bodies/shell/bending_potential.h"

#include <Eigen/Geometry>
#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <utility>

#include "clearance/base/contract.h"
#include "clearance/math/elementary.h"

namespace clearance {

namespace {

constexpr int grain = 64;  // elements per task

/// The outward tilt of a held normal d seen from a triangle, and its gradient by the triangle's nodes: those of the
/// edge in the direction in which the triangle runs through it, and the third.
struct Tilt {
  double angle = 0.0;
  Mat<3> gradient = Mat<3>::Zero();   // [1/m] per node, as columns
  Vec<3> by_normal = Vec<3>::Zero();  // by d
};

Tilt tilt_of(const Vec<3>& x0, const Vec<3>& x1, const Vec<3>& x2, const Vec<3>& d) {
  const Vec<3> e = x1 - x0, s = x2 - x0, n = e.cross(s);
  const double length = e.norm();
  const Vec<3> t = e / length, across = t.cross(n);
  // d = cos a N / |N| + sin a t x N / |N| + ..., so that tan a = d . (t x N) / d . N.
  const double sine = d.dot(across), cosine = d.dot(n);
  Tilt tilt;
  tilt.angle = elementary::atan2(sine, cosine);
  const double square = sine * sine + cosine * cosine;
  // sine = N . (d x t) and cosine = N . d; dN = de x s + e x ds, dt = (de - t (t . de)) / |e|.
  const Vec<3> by_n = (cosine * d.cross(t) - sine * d) / square;
  const Vec<3> by_t = cosine * n.cross(d) / square;
  const Vec<3> by_e = s.cross(by_n) + (by_t - t * t.dot(by_t)) / length;
  const Vec<3> by_s = by_n.cross(e);
  tilt.gradient << -by_e - by_s, by_e, by_s;
  tilt.by_normal = (cosine * across - sine * n) / square;
  return tilt;
}

/// Largest ratio of the stiffnesses of neighbours whose curvatures are compared. Where a stiff material ends,
/// curvatures jump.
constexpr double largest_ratio = 2.0;
/// Compliance of a mere difference of curvatures, as a share of that of the triangle.
constexpr double difference_compliance = 0.25;

using Corners = std::array<Vec<2>, 3>;

/// Returns the corners of a triangle at rest in its axes.
Corners corners_at_rest(const ShellTriangle& triangle) {
  const std::array<Vec<2>, 3> sides = sides_at_rest(triangle);
  return {Vec<2>::Zero(), sides[2], -sides[1]};
}

Vec<2> centre_of(const Corners& corners) {
  return (corners[0] + corners[1] + corners[2]) / 3.0;
}

/// Returns the curvatures k11, k22 and 2 k12 of a triangle per angle [rad] on each of its sides, as columns.
Mat<3> curvatures_of_angles(const std::array<Vec<2>, 3>& sides, double area) {
  Mat<3> columns;
  for (int i = 0; i < 3; ++i) {
    // |e| / A m m^T, with m across the side.
    const Vec<2>& side = sides[i];
    columns.col(i) = Vec<3>(side[1] * side[1], side[0] * side[0], -2.0 * side[0] * side[1]) / (area * side.norm());
  }
  return columns;
}

Mat<3> curvatures_of_angles(const ShellTriangle& triangle) {
  return curvatures_of_angles(sides_at_rest(triangle), triangle.area);
}

/// Returns the moments m11, m22 and m12 by the curvatures k11, k22 and 2 k12, for D = 1.
Mat<3> plate_stiffness(double nu) {
  Mat<3> c;
  c << 1.0, nu, 0.0, nu, 1.0, 0.0, 0.0, 0.0, 0.5 * (1.0 - nu);
  return c;
}

/// Returns the curvatures k11, k22 and 2 k12 at a place by the third derivatives 111, 112, 122 and 222 of a deflection
/// whose curvatures are zero at the origin.
Mat<3, 4> linear_curvature(const Vec<2>& at) {
  const double x = at[0], y = at[1];
  Mat<3, 4> k;
  k << x, y, 0.0, 0.0, 0.0, 0.0, x, y, 0.0, 2.0 * x, 2.0 * y, 0.0;
  return k;
}

/// Returns the energy per area, by third derivatives and for D = 1, that a linear moment has above the constant one
/// with the same mean normal moment on every side [Com89].
Mat<4> energy_of_change(const Corners& corners, double nu) {
  const Mat<3> c = plate_stiffness(nu);
  const Vec<2> centre = centre_of(corners);
  Mat<4> energy = Mat<4>::Zero();
  Mat<3> normal_moments;
  Mat<3, 4> wanted;
  for (std::size_t i = 0; i < 3; ++i) {
    // The squares of what is linear and zero at the centre have the mean of those at the corners over 4.
    const Mat<3, 4> at_corner = linear_curvature(corners[i] - centre);
    energy += at_corner.transpose() * c * at_corner / 12.0;
    const Vec<2>&a = corners[(i + 1) % 3], &b = corners[(i + 2) % 3];
    const Vec<2> side = (b - a).normalized();
    const Eigen::RowVector3d normal(side[1] * side[1], side[0] * side[0], -2.0 * side[0] * side[1]);
    const auto row = static_cast<Eigen::Index>(i);
    normal_moments.row(row) = normal;
    wanted.row(row) = normal * c * linear_curvature(0.5 * (a + b) - centre);
  }
  // The moment in the centre is zero, so that the energies of both parts add.
  const Mat<3, 4> moment = normal_moments.inverse() * wanted;
  return energy + moment.transpose() * c.inverse() * moment;
}

/// Returns the corners of a neighbour unfolded into the plane of a triangle: the one opposite to the common side, then
/// the ends of side i of the triangle.
Corners unfolded(const ShellTriangle& triangle, std::size_t i, const ShellTriangle& neighbour) {
  const Corners own = corners_at_rest(triangle), other = corners_at_rest(neighbour);
  const std::size_t first = (i + 1) % 3, second = (i + 2) % 3;
  const auto corner_of = [&](int node) {
    return std::find(neighbour.nodes.begin(), neighbour.nodes.end(), node) - neighbour.nodes.begin();
  };
  const auto a = corner_of(triangle.nodes[first]), b = corner_of(triangle.nodes[second]);
  const Vec<2> along = (other[b] - other[a]).normalized(), to_opposite = other[3 - a - b] - other[a];
  const Vec<2> t = (own[second] - own[first]).normalized(), outward(t[1], -t[0]);
  const double height = std::abs(along[0] * to_opposite[1] - along[1] * to_opposite[0]);
  return {own[first] + to_opposite.dot(along) * t + height * outward, own[first], own[second]};
}

/// Returns the stiffness [N m] of the three angles of a triangle with slopes.
Mat<3> triangle_stiffness(const ShellMesh& mesh, const ShellTriangle& triangle) {
  const ShellMaterial& material = mesh.materials[triangle.material];
  const std::array<Vec<2>, 3> edges = sides_at_rest(triangle);
  const double nu = material.poisson_ratio, factor = material.flexural_rigidity() / triangle.area;
  Mat<3> stiffness;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      // |e_i| |e_j| (nu + (1 - nu) (m_i . m_j)^2); the normals have the angle of the edges.
      const double lengths = edges[i].norm() * edges[j].norm(), product = edges[i].dot(edges[j]);
      stiffness(i, j) = factor * (nu * lengths + (1.0 - nu) * product * product / lengths);
    }
  }
  return stiffness;
}

/// Returns the stiffness [N/m] that holds a slope that no energy depends on.
double idle_stiffness(const ShellMesh& mesh, const ShellEdge& edge) {
  const ShellMaterial& material = mesh.materials[mesh.triangles[edge.triangles[0]].material];
  return material.flexural_rigidity() / (edge.slope.length * edge.slope.length);
}

}  // namespace

/// Makes the elements of a mesh.
class BendingPotential::Builder {
 public:
  explicit Builder(const ShellMesh& mesh) : mesh_(mesh), element_of_triangle_(mesh.triangles.size(), -1) {}

  Elements build() {
    for (const ShellTriangle& triangle : mesh_.triangles) {
      if (mesh_.materials[triangle.material].bending == BendingModel::slopes) add_triangle(triangle);
    }
    for (std::size_t e = 0; e < mesh_.edges.size(); ++e) {
      const ShellEdge& edge = mesh_.edges[e];
      if (edge.triangles[1] < 0) continue;
      const ShellTriangle& triangle = mesh_.triangles[edge.triangles[0]];
      if (mesh_.materials[triangle.material].bending == BendingModel::hinges) add_hinge(static_cast<int>(e), triangle);
    }
    for (Element& element : elements_.all) {
      element.first_angle = elements_.num_angles;
      elements_.num_angles += element.num_angles;
    }
    for (Element& element : elements_.all) {
      if (element.num_angles == 3) compare_with_neighbours(element);
    }
    find_idle();
    return std::move(elements_);
  }

 private:
  void add_triangle(const ShellTriangle& triangle) {
    Element& element = elements_.all.emplace_back();
    element.num_angles = 3;
    element.stiffness.topLeftCorner<3, 3>() = triangle_stiffness(mesh_, triangle);
    const auto number = static_cast<int>(&triangle - mesh_.triangles.data());
    element_of_triangle_[number] = static_cast<int>(elements_.all.size()) - 1;
    for (std::size_t i = 0; i < 3; ++i) {
      const ShellEdge& edge = mesh_.edges[triangle.edges[i]];
      Angle& angle = element.angles[i];
      angle.edge = triangle.edges[i];
      angle.side = edge.triangles[0] == number ? 0 : 1;
      // The second triangle sees the slope, and where it is turned over also the angle, from the other side.
      const double sense = angle.side == 0 ? 1.0 : edge.sense;
      angle.share = edge.triangles[1] < 0 ? 0.0 : 0.5 * sense;
      angle.of_slope = (angle.side == 0 ? 1.0 : -sense) / edge.slope.length;
      place(edge, angle, element);
    }
  }

  /// Returns the triangle across a side with which curvatures are compared; -1: none, because they may jump there.
  int comparable_neighbour(const Angle& angle) const {
    const ShellEdge& edge = mesh_.edges[angle.edge];
    if (edge.triangles[1] < 0 || edge.is_seam || edge.clamp >= 0) return -1;
    const auto rigidity = [&](int t) { return mesh_.materials[mesh_.triangles[t].material].flexural_rigidity(); };
    const auto [less, more] = std::minmax({rigidity(edge.triangles[0]), rigidity(edge.triangles[1])});
    const int neighbour = edge.triangles[1 - angle.side];
    return more <= largest_ratio * less && element_of_triangle_[neighbour] >= 0 ? neighbour : -1;
  }

  /// Adds the energy of moments that change within a triangle, by the angles that its neighbours have on its sides.
  void compare_with_neighbours(Element& element) const {
    const Angle& any = element.angles[0];
    const ShellTriangle& triangle = mesh_.triangles[mesh_.edges[any.edge].triangles[any.side]];
    const ShellMaterial& material = mesh_.materials[triangle.material];
    const double nu = material.poisson_ratio;
    const Corners corners = corners_at_rest(triangle);
    const Mat<3> curvatures = curvatures_of_angles(triangle);
    // Sides without a neighbour have no difference: their rows of `difference` are zero.
    Mat<3, 4> of_cubics = Mat<3, 4>::Zero();
    Mat<3> of_curvature = Mat<3>::Zero(), without = Mat<3>::Zero();
    Mat<3, 6> difference = Mat<3, 6>::Zero();
    for (std::size_t i = 0; i < 3; ++i) {
      const auto row = static_cast<Eigen::Index>(i);
      const int t = comparable_neighbour(element.angles[i]);
      if (t < 0) {
        without(row, row) = 1.0;
        continue;
      }
      const ShellTriangle& neighbour = mesh_.triangles[t];
      const Corners other = unfolded(triangle, i, neighbour);
      const std::array<Vec<2>, 3> sides = {other[2] - other[1], other[0] - other[2], other[1] - other[0]};
      of_curvature.row(row) = curvatures_of_angles(sides, neighbour.area).inverse().row(0);
      of_cubics.row(row) = of_curvature.row(row) * linear_curvature(centre_of(other) - centre_of(corners));
      difference.block<1, 3>(row, 0) = -of_curvature.row(row) * curvatures;
      difference(row, row + 3) = 1.0;
      element.across[i] = angle_on(t, element.angles[i].edge);
    }
    const Mat<3> compliance =
        of_cubics * energy_of_change(corners, nu).inverse() * of_cubics.transpose() +
        difference_compliance * of_curvature * plate_stiffness(nu).inverse() * of_curvature.transpose() + without;
    element.stiffness +=
        material.flexural_rigidity() * triangle.area * difference.transpose() * compliance.inverse() * difference;
  }

  /// Returns the number of the angle of a triangle on an edge among those of all elements.
  std::size_t angle_on(int triangle, int edge) const {
    const std::array<int, 3>& edges = mesh_.triangles[triangle].edges;
    const auto side = std::find(edges.begin(), edges.end(), edge) - edges.begin();
    return elements_.all[element_of_triangle_[triangle]].first_angle + static_cast<std::size_t>(side);
  }

  void add_hinge(int e, const ShellTriangle& triangle) {
    const ShellEdge& edge = mesh_.edges[e];
    Element& element = elements_.all.emplace_back();
    element.num_angles = 1;
    const ShellTriangle& other = mesh_.triangles[edge.triangles[1]];
    const double area = triangle.area + other.area;
    const double rigidity = 0.5 * (mesh_.materials[triangle.material].flexural_rigidity() +
                                   mesh_.materials[other.material].flexural_rigidity());
    element.stiffness(0, 0) = rigidity * edge.length * edge.length / area;
    element.angles[0].edge = e;
    place(edge, element.angles[0], element);
  }

  /// Finds the blocks of an angle among those of the element, and appends the missing ones.
  static void place(const ShellEdge& edge, Angle& angle, Element& element) {
    const auto at = [&](int block) {
      if (block < 0) return -1;
      const auto found = std::find(element.blocks.begin(), element.blocks.end(), block);
      const auto index = static_cast<int>(found - element.blocks.begin());
      if (found == element.blocks.end()) element.blocks.push_back(block);
      return index;
    };
    angle.at = {at(edge.nodes[0]), at(edge.nodes[1]), at(edge.opposite[0]), at(edge.opposite[1])};
    if (angle.of_slope != 0.0) angle.slope_at = at(edge.slope.block);
  }

  /// Finds the components behind the last slope of a body.
  void find_idle() {
    for (std::size_t e = 0; e < mesh_.edges.size(); ++e) {
      const AngleUnknown& slope = mesh_.edges[e].slope;
      const bool is_last = e + 1 == mesh_.edges.size() || mesh_.edges[e + 1].slope.block != slope.block;
      if (slope.block < 0 || !is_last) continue;
      for (int c = slope.component + 1; c < 3; ++c) {
        elements_.always_idle.push_back({slope.block, c, idle_stiffness(mesh_, mesh_.edges[e])});
      }
    }
  }

  const ShellMesh& mesh_;
  std::vector<int> element_of_triangle_;  // -1: none with slopes
  Elements elements_;
};

BendingPotential::BendingPotential(std::shared_ptr<const ShellMesh> mesh) : mesh_(std::move(mesh)) {
  elements_ = std::make_shared<const Elements>(Builder(*mesh_).build());
  has_yield_ = std::any_of(mesh_->materials.begin(), mesh_->materials.end(), [](const ShellMaterial& material) {
    return material.yield_curvature.has_value() && material.bending != BendingModel::none;
  });
  rotations_.resize(mesh_->clamps.size());
  normals_.resize(mesh_->clamps.empty() ? 0 : mesh_->edges.size(), Vec<3>::Zero());
  for (std::size_t e = 0; e < normals_.size(); ++e) {
    const ShellEdge& edge = mesh_->edges[e];
    if (edge.clamp < 0) continue;
    const DihedralNodes x = nodes_of(edge, mesh_->x_start);
    const Vec<3> along = x[1] - x[0];
    normals_[e] = along.cross(x[2] - x[0]).normalized();
    if (edge.triangles[1] >= 0) normals_[e] += (x[3] - x[0]).cross(along).normalized();
    normals_[e].normalize();
  }
  auto stencils = std::make_shared<StencilList>();
  for (const Element& element : elements_->all) stencils->add(element.blocks);
  // Edges whose normal is held leave their slope without a stiffness of its own.
  for (const auto& idle : elements_->always_idle) stencils->add(std::array{idle.block});
  for (const ShellEdge& edge : mesh_->edges) {
    if (edge.clamp >= 0 && edge.slope.block >= 0) stencils->add(std::array{edge.slope.block});
  }
  assembler_ = BlockAssembler(*stencils);
  stencils_ = std::move(stencils);
  restrict_to({});
  (void)begin_step(mesh_->x_start, 0.0, 0.0);
}

void BendingPotential::restrict_to(const std::vector<char>& part) {
  active_ = stencils_->within(part, {0, static_cast<int>(elements_->all.size())});
  assembler_.restrict_to(part);
}

Result<Done> BendingPotential::begin_step(const VecX& /*x_t0*/, double h, double time_t1) {
  for (std::size_t c = 0; c < rotations_.size(); ++c) rotations_[c] = mesh_->clamps[c].rotation(h, time_t1);
  return Done{};
}

DihedralNodes BendingPotential::nodes_of(const ShellEdge& edge, const VecX& x) const {
  DihedralNodes nodes;
  nodes[0] = block<3>(x, edge.nodes[0]);
  nodes[1] = block<3>(x, edge.nodes[1]);
  nodes[2] = block<3>(x, edge.opposite[0]);
  if (edge.opposite[1] < 0) return nodes;
  nodes[3] = block<3>(x, edge.opposite[1]);
  return nodes;
}

HistoryLayout BendingPotential::history_layout() const {
  HistoryLayout layout;
  if (!has_yield_) return layout;
  layout.num_per_point = 1;
  for (const Element& element : elements_->all) {
    for (int k = 0; k < element.num_angles; ++k) {
      const ShellEdge& edge = mesh_->edges[element.angles[k].edge];
      const Vec<3> middle = 0.5 * (block<3>(mesh_->x_start, edge.nodes[0]) + block<3>(mesh_->x_start, edge.nodes[1]));
      layout.points.push_back({middle, edge.nodes[0]});
    }
  }
  return layout;
}

namespace {

/// Returns what the principal curvatures exceed the limit by, as k11, k22 and 2 k12.
Vec<3> excess_curvature(const Vec<3>& curvature, double limit) {
  const double mean = 0.5 * (curvature[0] + curvature[1]);
  const Vec<2> deviator(0.5 * (curvature[0] - curvature[1]), 0.5 * curvature[2]);
  const double radius = deviator.norm();
  const auto excess = [&](double principal) { return principal - std::clamp(principal, -limit, limit); };
  const double first = excess(mean + radius), second = excess(mean - radius);
  const Vec<2> direction = radius > 0.0 ? Vec<2>(deviator / radius) : Vec<2>(Vec<2>::Zero());
  const double half_sum = 0.5 * (first + second);
  const Vec<2> part = 0.5 * (first - second) * direction;
  return {half_sum + part[0], half_sum - part[0], 2.0 * part[1]};
}

/// Returns the derivative of excess_curvature.
Mat<3> excess_slope(const Vec<3>& curvature, double limit) {
  const double mean = 0.5 * (curvature[0] + curvature[1]);
  const Vec<2> deviator(0.5 * (curvature[0] - curvature[1]), 0.5 * curvature[2]);
  const double radius = deviator.norm();
  const auto excess = [&](double principal) { return principal - std::clamp(principal, -limit, limit); };
  const auto slope = [&](double principal) { return std::abs(principal) > limit ? 1.0 : 0.0; };
  const double of_first = slope(mean + radius), of_second = slope(mean - radius);
  const Vec<2> direction = radius > 0.0 ? Vec<2>(deviator / radius) : Vec<2>(1.0, 0.0);
  // Principal axes turn with the deviator.
  const double turned = radius > 0.0 ? 0.5 * (excess(mean + radius) - excess(mean - radius)) / radius : of_first;
  Mat<3> result;
  for (int c = 0; c < 3; ++c) {
    const double by_mean = c < 2 ? 0.5 : 0.0;
    const Vec<2> by_deviator(c == 0 ? 0.5 : c == 1 ? -0.5 : 0.0, c == 2 ? 0.5 : 0.0);
    const double by_radius = direction.dot(by_deviator);
    const double first = of_first * (by_mean + by_radius), second = of_second * (by_mean - by_radius);
    const Vec<2> part = 0.5 * (first - second) * direction + turned * (by_deviator - by_radius * direction);
    result.col(c) << 0.5 * (first + second) + part[0], 0.5 * (first + second) - part[0], 2.0 * part[1];
  }
  return result;
}

}  // namespace

/// Returns the angle beyond which a hinge yields; nothing if it does not.
std::optional<double> BendingPotential::limit_of_hinge(const Element& element) const {
  const ShellEdge& edge = mesh_->edges[element.angles[0].edge];
  const auto limit_of = [&](int t) { return mesh_->materials[mesh_->triangles[t].material].yield_curvature; };
  const std::optional<double> first = limit_of(edge.triangles[0]), second = limit_of(edge.triangles[1]);
  if (!first || !second) return std::nullopt;
  const double area = mesh_->triangles[edge.triangles[0]].area + mesh_->triangles[edge.triangles[1]].area;
  return std::max(*first, *second) * area / edge.length;
}

/// Returns the angles by which an element yields at the end of a step at x.
Vec<3> BendingPotential::excess_angles(const Element& element, const VecX& x) const {
  const Vec<3> none = Vec<3>::Zero();
  if (element.num_angles == 3) {
    const int t = triangle_of(element);
    const std::optional<double>& limit = mesh_->materials[mesh_->triangles[t].material].yield_curvature;
    if (!limit) return none;
    // The columns are in the order of the triangle's sides, which is that of the angles.
    const Mat<3> curvatures = curvatures_of_angles(mesh_->triangles[t]);
    const Vec<3> excess = excess_curvature(curvatures * angles_of(element, x).head<3>(), *limit);
    return excess.isZero(0.0) ? none : Vec<3>(curvatures.inverse() * excess);
  }
  const std::optional<double> limit = limit_of_hinge(element);
  if (!limit) return none;
  const double angle = angles_of(element, x)[0];
  return {angle - std::clamp(angle, -*limit, *limit), 0.0, 0.0};
}

/// Returns the derivatives of kept . excess by the angles of an element.
Vec<3> BendingPotential::pull_back_excess(const Element& element, const Vec<3>& angles, const Vec<3>& kept) const {
  const Vec<3> none = Vec<3>::Zero();
  if (element.num_angles == 3) {
    const ShellTriangle& triangle = mesh_->triangles[triangle_of(element)];
    const std::optional<double>& limit = mesh_->materials[triangle.material].yield_curvature;
    if (!limit) return none;
    const Mat<3> curvatures = curvatures_of_angles(triangle);
    const Mat<3> slope = excess_slope(curvatures * angles, *limit);
    return curvatures.transpose() * (slope.transpose() * (curvatures.inverse().transpose() * kept));
  }
  const std::optional<double> limit = limit_of_hinge(element);
  return limit && std::abs(angles[0]) > *limit ? Vec<3>(kept[0], 0.0, 0.0) : none;
}

void BendingPotential::pull_back_history(const VecX& /*x_t0*/, const VecX& x_t1, std::span<const double> kept,
                                         MemoryCotangent result) const {
  Bend bent;
  for (const Element& element : elements_->all) {
    bend(element, x_t1, bent);
    Vec<3> of_element = Vec<3>::Zero();
    for (int k = 0; k < element.num_angles; ++k)
      of_element[k] = kept[element.first_angle + static_cast<std::size_t>(k)];
    const Vec<3> of_angles = pull_back_excess(element, bent.angles.head<3>(), of_element);
    for (int k = 0; k < element.num_angles; ++k) {
      result.history[element.first_angle + static_cast<std::size_t>(k)] += of_element[k] - of_angles[k];
    }
    for (std::size_t a = 0; a < element.blocks.size(); ++a) {
      block<3>(result.x_t1, element.blocks[a]) +=
          bent.by_x.topRows<3>().middleCols<3>(3 * static_cast<Eigen::Index>(a)).transpose() * of_angles;
    }
  }
}

void BendingPotential::pull_back_gradient(const VecX& /*x_t0*/, const VecX& x_t1, const VecX& motion,
                                          MemoryCotangent result) const {
  Bend bent;
  for (const Element& element : elements_->all) {
    bend(element, x_t1, bent);
    Vec<6> rates = Vec<6>::Zero();
    for (std::size_t a = 0; a < element.blocks.size(); ++a) {
      rates += bent.by_x.middleCols<3>(3 * static_cast<Eigen::Index>(a)) * block<3>(motion, element.blocks[a]);
    }
    const Vec<6> of_angles = element.stiffness * rates;
    for (int k = 0; k < element.num_angles; ++k) {
      result.history[element.first_angle + static_cast<std::size_t>(k)] -= of_angles[k];
      if (element.across[k]) {
        result.history[*element.across[k]] -= mesh_->edges[element.angles[k].edge].sense * of_angles[k + 3];
      }
    }
  }
}

void BendingPotential::end_step(const VecX& x_t1, std::span<double> history) const {
  if (history.empty()) return;
  for (const Element& element : elements_->all) {
    const Vec<3> excess = excess_angles(element, x_t1);
    for (int k = 0; k < element.num_angles; ++k) {
      const std::size_t at = element.first_angle + static_cast<std::size_t>(k);
      history[at] = (yielded_.empty() ? 0.0 : yielded_[at]) + excess[k];
    }
  }
}

double BendingPotential::yield_work(const VecX& x) const {
  BendingPotential after = *this;
  after.yielded_.resize(elements_->num_angles);
  end_step(x, after.yielded_);
  return energy(x).value() - after.energy(x).value();
}

BendingPotential::HeldNormal BendingPotential::held_normal(const Angle& angle, const VecX& x) const {
  const ShellEdge& edge = mesh_->edges[angle.edge];
  const Mat<3>& rotation = *rotations_[edge.clamp];
  const double side = angle.side == 0 ? 1.0 : edge.sense;
  HeldNormal held;
  held.normal = side * (rotation * normals_[angle.edge]);
  const Vec<3>& axis = edge.free_axis;
  if (axis.isZero(0.0)) return held;
  // The edge at the start and now, seen along the axis: the normal turns by the angle between them.
  const auto seen = [&](const Vec<3>& e) -> Vec<3> { return e - axis * axis.dot(e); };
  const auto along = [&](const VecX& at) -> Vec<3> {
    return block<3>(at, edge.nodes[1]) - block<3>(at, edge.nodes[0]);
  };
  const Vec<3> from = seen(rotation * along(mesh_->x_start)), to = seen(along(x));
  const double lengths = from.norm() * to.norm(), cosine = from.dot(to) / lengths;
  const double sine = axis.dot(from.cross(to)) / lengths;
  const Vec<3> d = held.normal;
  held.normal = cosine * d + sine * axis.cross(d) + (1.0 - cosine) * axis.dot(d) * axis;
  held.by_turn = axis.cross(held.normal);
  held.turn_by_x = axis.cross(to) / to.squaredNorm();
  return held;
}

namespace {

/// The nodes of the edge in the direction in which the triangle on a side runs through it, as numbers of the dihedral.
std::array<int, 3> wing_nodes(int side, double sense) {
  if (side == 0) return {0, 1, 2};
  return sense > 0.0 ? std::array{1, 0, 3} : std::array{0, 1, 3};
}

}  // namespace

Vec<6> BendingPotential::angles_of(const Element& element, const VecX& x) const {
  Vec<6> angles = Vec<6>::Zero();
  for (int k = 0; k < element.num_angles; ++k) {
    const Angle& angle = element.angles[k];
    const ShellEdge& edge = mesh_->edges[angle.edge];
    const DihedralNodes nodes = nodes_of(edge, x);
    if (angle.of_slope != 0.0 && is_clamped(edge)) {
      const auto [a, b, c] = wing_nodes(angle.side, edge.sense);
      angles[k] = tilt_of(nodes[a], nodes[b], nodes[c], held_normal(angle, x).normal).angle - rest_angle(element, k);
      continue;
    }
    const double folded = angle.share != 0.0 ? angle.share * dihedral_angle(nodes) : 0.0;
    const double turned = angle.of_slope != 0.0 ? angle.of_slope * x[edge.slope.place()] : 0.0;
    angles[k] = folded - rest_angle(element, k) + turned;
    // The slope turns the normal away from the neighbour as far as towards it.
    if (element.across[k]) angles[k + 3] = folded - rest_angle_across(element, k) - turned;
  }
  return angles;
}

void BendingPotential::bend(const Element& element, const VecX& x, Bend& result) const {
  result.angles.setZero();
  result.by_x.setZero(6, 3 * std::ssize(element.blocks));
  for (int k = 0; k < element.num_angles; ++k) {
    const Angle& angle = element.angles[k];
    const ShellEdge& edge = mesh_->edges[angle.edge];
    const DihedralNodes nodes = nodes_of(edge, x);
    const auto add = [&](int row, int at, const Vec<3>& gradient) {
      result.by_x.block<1, 3>(row, 3 * static_cast<Eigen::Index>(at)) += gradient.transpose();
    };
    if (angle.of_slope != 0.0 && is_clamped(edge)) {
      const std::array<int, 3> wing = wing_nodes(angle.side, edge.sense);
      const HeldNormal held = held_normal(angle, x);
      const Tilt tilt = tilt_of(nodes[wing[0]], nodes[wing[1]], nodes[wing[2]], held.normal);
      result.angles[k] = tilt.angle - rest_angle(element, k);
      for (int i = 0; i < 3; ++i) add(k, angle.at[wing[i]], tilt.gradient.col(i));
      if (edge.free_axis.isZero(0.0)) continue;
      const Vec<3> by_second = tilt.by_normal.dot(held.by_turn) * held.turn_by_x;
      add(k, angle.at[1], by_second);
      add(k, angle.at[0], -by_second);
      continue;
    }
    const bool is_compared = element.across[k].has_value();
    result.angles[k] = -rest_angle(element, k);
    if (is_compared) result.angles[k + 3] = -rest_angle_across(element, k);
    if (angle.share != 0.0) {
      const DihedralGradient dihedral = dihedral_gradient(nodes);
      for (int row = k; row <= (is_compared ? k + 3 : k); row += 3) {
        result.angles[row] += angle.share * dihedral.angle;
        for (int i = 0; i < 4; ++i) add(row, angle.at[i], angle.share * dihedral.gradient.segment<3>(3 * i));
      }
    }
    if (angle.of_slope == 0.0) continue;
    const Eigen::Index slope = 3 * static_cast<Eigen::Index>(angle.slope_at) + edge.slope.component;
    result.angles[k] += angle.of_slope * x[edge.slope.place()];
    result.by_x(k, slope) += angle.of_slope;
    if (!is_compared) continue;
    // The slope turns the normal away from the neighbour as far as towards it.
    result.angles[k + 3] -= angle.of_slope * x[edge.slope.place()];
    result.by_x(k + 3, slope) -= angle.of_slope;
  }
}

template <class Visit>
void BendingPotential::for_each_idle(const Visit& visit) const {
  for (const auto& idle : elements_->always_idle) visit(idle.block, idle.component, idle.stiffness);
  if (rotations_.empty()) return;
  for (const ShellEdge& edge : mesh_->edges) {
    if (edge.slope.block < 0 || !is_clamped(edge)) continue;
    visit(edge.slope.block, edge.slope.component, idle_stiffness(*mesh_, edge));
  }
}

double BendingPotential::energy_of(const Element& element, const VecX& x) const {
  const Vec<6> angles = angles_of(element, x);
  return 0.5 * angles.dot(element.stiffness * angles);
}

CompensatedSum BendingPotential::energy(const VecX& x) const {
  CompensatedSum sum =
      ordered_sum(static_cast<int>(active_.size()), [&](int i) { return energy_of(elements_->all[active_[i]], x); });
  for_each_idle([&](int block, int component, double stiffness) {
    const double u = x[3 * static_cast<Eigen::Index>(block) + component];
    sum.add(0.5 * stiffness * u * u);
  });
  return sum;
}

void BendingPotential::add_body_energies(const VecX& x, const std::vector<int>& body_of_block, VecX& sums) const {
  for (const Element& element : elements_->all) sums[body_of_block[element.blocks[0]]] += energy_of(element, x);
}

void BendingPotential::add_gradient(const VecX& x, double scale, VecX& gradient) {
  constexpr std::size_t most = 27;
  const std::vector<Element>& elements = elements_->all;
  forces_.resize(most * elements.size());
  parallel_for(static_cast<int>(active_.size()), grain, [&](int k) {
    const int i = active_[k];
    Bend bent;
    bend(elements[i], x, bent);
    Eigen::Map<VecX>(forces_.data() + most * static_cast<std::size_t>(i), bent.by_x.cols()) =
        bent.by_x.transpose() * (elements[i].stiffness * bent.angles);
  });
  // Elements share blocks, so that their forces are added one after the other.
  for (const int i : active_) {
    const double* force = forces_.data() + most * static_cast<std::size_t>(i);
    for (const int b : elements[i].blocks) {
      block<3>(gradient, b) += scale * Eigen::Map<const Vec<3>>(force);
      force += 3;
    }
  }
  for_each_idle([&](int block, int component, double stiffness) {
    const Eigen::Index at = 3 * static_cast<Eigen::Index>(block) + component;
    gradient[at] += scale * stiffness * x[at];
  });
}

void BendingPotential::add(const VecX& x, double scale, bool is_exact, BlockSparseMatrix& matrix) {
  const bool is_bound = assembler_.bind(matrix);
  CLEARANCE_ASSERT(is_bound);
  const std::vector<Element>& elements = elements_->all;
  locals_.resize(9 * static_cast<std::size_t>(stencils_->first_local_block.back()));
  parallel_for(static_cast<int>(active_.size()), grain, [&](int i) {
    const Element& element = elements[active_[i]];
    Bend bent;
    bend(element, x, bent);
    double* const locals = locals_.data() + 9 * stencils_->first_local_block[active_[i]];
    // The block (a, b), a >= b, is number a (a + 1) / 2 + b: the transposed derivatives by a, the stiffness, those by
    // b.
    double* local = locals;
    for (Eigen::Index a = 0; a < std::ssize(element.blocks); ++a) {
      const Mat<3, 6> left = bent.by_x.middleCols<3>(3 * a).transpose().lazyProduct(element.stiffness);
      for (Eigen::Index b = 0; b <= a; ++b, local += 9) {
        Eigen::Map<Mat<3>>{local} = left.lazyProduct(bent.by_x.middleCols<3>(3 * b));
      }
    }
    if (!is_exact) return;
    const Vec<6> moments = element.stiffness * bent.angles;
    for (int k = 0; k < element.num_angles; ++k) {
      const Angle& angle = element.angles[k];
      const ShellEdge& edge = mesh_->edges[angle.edge];
      if (angle.share == 0.0 || (angle.of_slope != 0.0 && is_clamped(edge))) continue;
      // The angle that the neighbour has depends on the positions as the own one does.
      const double moment = moments[k] + moments[k + 3];
      const Mat<12> second = dihedral_hessian(nodes_of(edge, x));
      for (int m = 0; m < 4; ++m) {
        for (int n = 0; n < 4; ++n) {
          const int a = angle.at[m], b = angle.at[n];
          if (a < b) continue;
          Eigen::Map<Mat<3>>{locals + 9 * (static_cast<std::ptrdiff_t>(a) * (a + 1) / 2 + b)} +=
              angle.share * moment * second.block<3, 3>(3 * m, 3 * n);
        }
      }
    }
  });
  // The stencils behind those of the elements hold what is idle: first what always is, then the clamped slopes.
  double* local = locals_.data() + 9 * stencils_->first_local_block[elements.size()];
  std::fill(local, locals_.data() + locals_.size(), 0.0);
  for (const auto& idle : elements_->always_idle) {
    local[4 * idle.component] = idle.stiffness;
    local += 9;
  }
  for (const ShellEdge& edge : mesh_->edges) {
    if (edge.clamp < 0 || edge.slope.block < 0) continue;
    if (is_clamped(edge)) local[4 * edge.slope.component] = idle_stiffness(*mesh_, edge);
    local += 9;
  }
  assembler_.add_to<3>(matrix, locals_, scale);
}

void BendingPotential::add_exact_derivatives(const VecX& x, double scale, VecX& gradient, BlockSparseMatrix& matrix) {
  add_gradient(x, scale, gradient);
  add(x, scale, true, matrix);
}

void BendingPotential::add_clamp_torques(const VecX& x, VecX& torques) const {
  for (const Element& element : elements_->all) {
    for (int k = 0; k < element.num_angles; ++k) {
      const Angle& angle = element.angles[k];
      const ShellEdge& edge = mesh_->edges[angle.edge];
      if (angle.of_slope == 0.0 || !is_clamped(edge)) continue;
      const double moment = element.stiffness.row(k).dot(angles_of(element, x));
      const DihedralNodes nodes = nodes_of(edge, x);
      const auto [a, b, c] = wing_nodes(angle.side, edge.sense);
      // A rotation w of the normal d changes the tilt by w . (d x g), where g is its derivative by d. About a free axis
      // the nodes of the edge turn the normal.
      const Vec<3> d = held_normal(angle, x).normal;
      Vec<3> torque = moment * d.cross(tilt_of(nodes[a], nodes[b], nodes[c], d).by_normal);
      torque -= edge.free_axis * edge.free_axis.dot(torque);
      for (const int node : edge.nodes) block<3>(torques, node) += 0.5 * torque;
    }
  }
}

std::vector<ShellSample> BendingPotential::samples(const VecX& x) const {
  std::vector<Vec<3>> curvature(mesh_->triangles.size(), Vec<3>::Zero());
  // The energy per area of moments that change within a triangle, beside that of their mean.
  std::vector<double> of_change(mesh_->triangles.size(), 0.0);
  // An angle on edge i of a triangle adds angle |e| / A m m^T.
  const auto add = [&](int t, int e, double angle) {
    const ShellTriangle& triangle = mesh_->triangles[t];
    const auto i = std::find(triangle.edges.begin(), triangle.edges.end(), e) - triangle.edges.begin();
    curvature[t] += angle * curvatures_of_angles(triangle).col(i);
  };
  for (const Element& element : elements_->all) {
    const Vec<6> angles = angles_of(element, x);
    if (element.num_angles == 3) {
      const int t = triangle_of(element);
      curvature[t] = curvatures_of_angles(mesh_->triangles[t]) * angles.head<3>();
      const Vec<3> own = angles.head<3>();
      const double of_mean = 0.5 * own.dot(triangle_stiffness(*mesh_, mesh_->triangles[t]) * own);
      of_change[t] = (0.5 * angles.dot(element.stiffness * angles) - of_mean) / mesh_->triangles[t].area;
      continue;
    }
    // Each triangle of a hinge has half of its angle.
    const ShellEdge& edge = mesh_->edges[element.angles[0].edge];
    add(edge.triangles[0], element.angles[0].edge, 0.5 * angles[0]);
    add(edge.triangles[1], element.angles[0].edge, 0.5 * edge.sense * angles[0]);
  }
  std::vector<ShellSample> samples;
  for (std::size_t t = 0; t < curvature.size(); ++t) {
    const ShellTriangle& triangle = mesh_->triangles[t];
    const ShellMaterial& material = mesh_->materials[triangle.material];
    if (material.bending == BendingModel::none) continue;
    const double d = material.flexural_rigidity(), nu = material.poisson_ratio;
    const Vec<3>& k = curvature[t];
    const Vec<3> moment = d * Vec<3>(k[0] + nu * k[1], k[1] + nu * k[0], 0.5 * (1.0 - nu) * k[2]);
    // The middles of the sides integrate squares of what is linear exactly.
    for (int i = 0; i < 3; ++i) {
      Vec<3> at = Vec<3>::Constant(0.5);
      at[i] = 0.0;
      const double energy = 0.5 * k.dot(moment) + of_change[t];
      samples.push_back({static_cast<int>(t), at, triangle.area / 3.0, triangle.axes, k, moment, energy});
    }
  }
  return samples;
}

void BendingPotential::add_stiffness(const VecX& x, VecX& stiffness) const {
  Bend bent;
  for (const Element& element : elements_->all) {
    bend(element, x, bent);
    for (std::size_t a = 0; a < element.blocks.size(); ++a) {
      const auto columns = bent.by_x.middleCols<3>(3 * static_cast<Eigen::Index>(a));
      stiffness[element.blocks[a]] += (columns.transpose() * element.stiffness * columns).trace() / 3.0;
    }
  }
}

}  // namespace clearance
