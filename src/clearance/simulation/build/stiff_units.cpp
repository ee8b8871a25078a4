#include "clearance/simulation/build/stiff_units.h"

#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <map>

#include "clearance/bodies/fem/element_mesh.h"
#include "clearance/geometry/mass_properties.h"
#include "clearance/geometry/mesh_mass.h"
#include "clearance/math/dimension.h"
#include "clearance/math/rotation.h"
#include "clearance/scene/body_inertia.h"
#include "clearance/scene/body_shapes.h"
#include "clearance/simulation/build/affine_stiffness.h"
#include "clearance/simulation/load/region.h"
#include "clearance/solver/time_integrator.h"

namespace clearance {

namespace {

template <class Visit>
void for_each_element(const Mesh& mesh, const Visit& visit) {
  if (mesh.dim == 2) {
    for (const auto& triangle : mesh.triangles) visit(triangle);
  } else {
    for (const auto& tet : mesh.tets) visit(tet);
  }
}

/// Finds the elements of a deformable mesh with all corners among `nodes`, which ascend.
std::vector<std::size_t> elements_within(const Mesh& mesh, const std::vector<int>& nodes) {
  std::vector<std::size_t> within;
  std::size_t e = 0;
  for_each_element(mesh, [&](const auto& element) {
    const bool is_inside = std::all_of(element.begin(), element.end(),
                                       [&](int v) { return std::binary_search(nodes.begin(), nodes.end(), v); });
    if (is_inside) within.push_back(e);
    ++e;
  });
  return within;
}

Mesh mesh_of(const Mesh& mesh, const std::vector<std::size_t>& elements) {
  Mesh part;
  part.dim = mesh.dim;
  part.vertices = mesh.vertices;
  for (const std::size_t e : elements) {
    if (mesh.dim == 2) {
      part.triangles.push_back(mesh.triangles[e]);
    } else {
      part.tets.push_back(mesh.tets[e]);
    }
  }
  return part;
}

/// Exact integrals for the volume and moments of curved elements of an order. The second moments are integrals of
/// polynomials of degree 2 p + dim (p - 1).
template <int dim>
class CellIntegral {
 public:
  explicit CellIntegral(int order)
      : points_(conical_quadrature(dim, 2 * order + dim * (order - 1))), gradients_(order, points_) {
    for (const QuadraturePoint& point : points_) {
      std::vector<double>& values = values_.emplace_back(num_lagrange_nodes(dim, order));
      lagrange_values(dim, order, point.at, values);
    }
  }

  MassProperties of(std::span<const int> nodes, const std::vector<Vec<3>>& vertices) const {
    const auto at = [&](std::size_t a) { return vertices[nodes[a]]; };
    MassProperties sum;
    Vec<3> first = Vec<3>::Zero();  // about the first corner, as is the second moment until the end
    for (std::size_t q = 0; q < points_.size(); ++q) {
      Vec<3> x = Vec<3>::Zero();
      Mat<dim> derivative = Mat<dim>::Zero();
      for (std::size_t a = 0; a < nodes.size(); ++a) {
        const Vec<3> arm = at(a) - at(0);
        const Eigen::Map<const Vec<dim>> slope(gradients_.of_point(static_cast<int>(q)) + a * dim);
        x += values_[q][a] * arm;
        derivative += arm.head<dim>() * slope.transpose();
      }
      const double volume = points_[q].weight * derivative.determinant() / (dim == 2 ? 2.0 : 6.0);
      sum.measure += volume;
      first += volume * x;
      sum.second_moment += volume * x * x.transpose();
    }
    sum.second_moment -= first * first.transpose() / sum.measure;
    sum.center = at(0) + first / sum.measure;
    return sum;
  }

 private:
  std::vector<QuadraturePoint> points_;
  ShapeGradients<dim> gradients_;
  std::vector<std::vector<double>> values_;
};

/// Makes the simplex of uniform density that has the centre and, per measure, the second moment of a shape. It
/// represents curved elements in make_affine_frame.
template <int dim>
Mesh equivalent_simplex(const MassProperties& properties) {
  // The r_i are the corners of a regular simplex with sum r_i = 0 and sum r_i r_i^T = (dim + 1) (dim + 2) I. Its second
  // moment is the identity times its measure.
  Eigen::Matrix<double, dim, dim + 1> corners;
  if constexpr (dim == 3) {
    corners << 1.0, 1.0, -1.0, -1.0, 1.0, -1.0, -1.0, 1.0, 1.0, -1.0, 1.0, -1.0;
    corners *= std::sqrt(5.0);
  } else {
    corners << -std::sqrt(6.0), std::sqrt(6.0), 0.0, -std::sqrt(2.0), -std::sqrt(2.0), 2.0 * std::sqrt(2.0);
  }
  const Mat<dim> moment = properties.second_moment.topLeftCorner<dim, dim>() / properties.measure;
  const Mat<dim> root = moment.llt().matrixL();
  Mesh mesh;
  mesh.dim = dim;
  for (int i = 0; i <= dim; ++i) {
    Vec<3> x = properties.center;
    x.head<dim>() += root * corners.col(i);
    mesh.vertices.push_back(x);
  }
  if constexpr (dim == 3) {
    mesh.tets.push_back({0, 1, 2, 3});
  } else {
    mesh.triangles.push_back({0, 1, 2});
  }
  return mesh;
}

/// Computes the frame of elements some of which are curved, by integration over them; `nodes` holds all their nodes.
template <int dim>
Result<AffineFrame> frame_of_curved(const Mesh& mesh, const std::vector<std::size_t>& elements,
                                    const std::vector<int>& nodes, double density) {
  MassProperties properties;
  std::vector<std::size_t> linear;
  std::map<int, CellIntegral<dim>> integrals;
  for (const std::size_t e : elements) {
    const int order = mesh.order_of_cell(e);
    if (order == 1) {
      linear.push_back(e);
      continue;
    }
    const CellIntegral<dim>& integral = integrals.try_emplace(order, order).first->second;
    properties = combine(properties, integral.of(mesh.nodes_of_cell(e), mesh.vertices));
  }
  properties = combine(properties, mass_of_mesh(mesh_of(mesh, linear), 0.0).properties);
  StiffBodyOptions options;
  options.mass = density * properties.measure;
  Result<AffineFrame> frame = make_affine_frame(equivalent_simplex<dim>(properties), options);
  if (!frame) return frame;
  frame->volume = properties.measure;
  frame->radius = 0.0;
  for (const int v : nodes) {
    frame->radius = std::max(frame->radius, (mesh.vertices[v] - frame->center).norm());
  }
  return frame;
}

/// Adds the nodes of curved elements whose corners are in a region although the nodes themselves are not.
void tie_whole_elements(const Mesh& mesh, const std::vector<std::size_t>& elements, std::vector<int>& nodes) {
  for (const std::size_t e : elements) {
    const std::span<const int> of_element = mesh.nodes_of_cell(e);
    nodes.insert(nodes.end(), of_element.begin(), of_element.end());
  }
  std::sort(nodes.begin(), nodes.end());
  nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
}

/// Computes the frame of the elements of a part, which may be none.
Result<AffineFrame> frame_of_part(const Mesh& mesh, const std::vector<std::size_t>& elements, double density) {
  std::vector<int> nodes;
  for (const std::size_t e : elements) {
    const std::span<const int> of_element = mesh.nodes_of_cell(e);
    nodes.insert(nodes.end(), of_element.begin(), of_element.end());
  }
  if (nodes.empty()) return make_affine_frame(mesh_of(mesh, elements), {density, {}, {}, 1.0});
  return with_dimension(mesh.dim, [&](auto dim) { return frame_of_curved<dim>(mesh, elements, nodes, density); });
}

class Finder {
 public:
  Finder(const SceneDesc& scene, const std::vector<BodyInstance>& bodies, Issues& issues)
      : scene_(scene), bodies_(bodies), issues_(issues) {}

  std::vector<StiffUnit> run() {
    for (std::size_t b = 0; b < bodies_.size(); ++b) {
      const BodyInstance& body = bodies_[b];
      const BodyDesc& desc = scene_.bodies[body.desc];
      unit_ = {};
      unit_.body = static_cast<int>(b);
      unit_.place = fmt::format("bodies[{}]", body.desc);
      if (is_stiff(body.kind)) {
        add_body(body, desc);
      } else if (!body.is_obstacle) {
        add_parts(body, desc);
      }
    }
    return std::move(units_);
  }

 private:
  void add_body(const BodyInstance& body, const BodyDesc& desc) {
    unit_.stiffness = desc.material.stiffness.value_or(0.0);
    unit_.is_rigid = body.kind == BodyKind::rigid;
    // A relative dhat is the share of a size of 1 m here, because a single point has no size.
    const double dhat = scene_.contact.dhat_is_absolute
                            ? scene_.contact.dhat
                            : unit_system_of(scene_).from_si(scene_.contact.dhat, dimension::length);
    StiffBodyOptions options = {desc.material.density, desc.mass, desc.thickness, 10.0 * dhat};
    if (collides_as_shape(scene_, desc)) set_round_mass(body, desc, options);
    const Mat<3> rotation = rotation_from_euler_xyz(desc.transform.rotation);
    if (desc.center_of_mass) {
      options.center = rotation * desc.transform.scale.cwiseProduct(*desc.center_of_mass) + desc.transform.translation +
                       body.array_offset + body.shift;
    }
    if (desc.inertia) {
      options.second_moment = rotation * second_moment_of(inertia_tensor(*desc.inertia)) * rotation.transpose();
    }
    add(make_affine_frame(body.mesh, options), body.name);
    if (turns_freely(body) && !units_.empty() && units_.back().body == unit_.body) {
      units_.back().symmetry_axis = symmetry_axis_of(units_.back().frame.second_moment);
    }
  }

  /// True if the free motion of a body is followed exactly, if its inertia is symmetric: where it collides as spheres
  /// and capsules, and by methods of ours. The methods of published scenes turn as published.
  bool turns_freely(const BodyInstance& body) const {
    return !body.round_shapes.empty() || (scene_.dimension == 3 && has_restarts(scene_.time.integrator));
  }

  /// Returns the axis about which the inertia is symmetric: the other two second moments are the same. -1: none.
  static int symmetry_axis_of(const Vec<3>& moments) {
    constexpr double same = 1e-6;
    for (int axis = 2; axis >= 0; --axis) {
      const double a = moments[(axis + 1) % 3], b = moments[(axis + 2) % 3];
      if (std::abs(a - b) <= same * std::max(a, b)) return axis;
    }
    return -1;
  }

  /// Sets the mass properties of the one round shape that the body is.
  static void set_round_mass(const BodyInstance& body, const BodyDesc& desc, StiffBodyOptions& options) {
    const RoundShape& shape = body.round_shapes.front();
    const MassProperties properties = mass_properties_of_capsule(
        body.mesh.vertices[shape.vertices.front()], body.mesh.vertices[shape.vertices.back()], shape.radius);
    options.mass = desc.mass.value_or(desc.material.density * properties.measure);
    options.center = properties.center;
    options.second_moment = (*options.mass / properties.measure) * properties.second_moment;
  }

  void add_parts(const BodyInstance& body, const BodyDesc& desc) {
    std::vector<char> is_taken(body.mesh.vertices.size(), 0);
    for (std::size_t p = 0; p < desc.stiff_parts.size(); ++p) {
      const StiffPartDesc& part = desc.stiff_parts[p];
      StiffUnit& unit = unit_;
      unit.place = fmt::format("bodies[{}].stiff_parts[{}]", body.desc, p);
      unit.stiffness = part.stiffness.value_or(0.0);
      unit.tied_nodes = select_nodes(body, desc.transform, part.region, scene_.dimension);
      const std::vector<std::size_t> elements = elements_within(body.mesh, unit.tied_nodes);
      tie_whole_elements(body.mesh, elements, unit.tied_nodes);
      for (int v : unit.tied_nodes) {
        if (std::exchange(is_taken[v], 1) == 0) continue;
        issues_.push_back({"", unit.place + ".region", "",
                           "this stiff part shares nodes with another stiff part of the body", Severity::error});
        break;
      }
      add(frame_of_part(body.mesh, elements, part.density), body.name);
    }
  }

  void add(Result<AffineFrame> frame, const std::string& name) {
    if (!frame) {
      for (Issue issue : frame.issues()) {
        issue.place = unit_.place;
        issue.message = fmt::format("body '{}': {}", name, issue.message);
        issues_.push_back(std::move(issue));
      }
      return;
    }
    unit_.frame = std::move(frame).value();
    units_.push_back(unit_);
  }

  const SceneDesc& scene_;
  const std::vector<BodyInstance>& bodies_;
  Issues& issues_;
  StiffUnit unit_;
  std::vector<StiffUnit> units_;
};

}  // namespace

std::vector<StiffUnit> find_stiff_units(const SceneDesc& scene, const std::vector<BodyInstance>& bodies,
                                        Issues& issues) {
  std::vector<StiffUnit> units = Finder(scene, bodies, issues).run();
  choose_stiffness(scene, bodies, units);
  return units;
}

std::vector<char> stiff_elements(const Mesh& mesh, const std::vector<StiffUnit>& units, int body) {
  std::vector<int> unit_of_node(mesh.vertices.size(), -1);
  for (std::size_t u = 0; u < units.size(); ++u) {
    if (units[u].body != body) continue;
    for (int v : units[u].tied_nodes) unit_of_node[v] = static_cast<int>(u);
  }
  // The corners decide: if they are tied, all nodes of the element are, and if they are not, no other node may make it
  // stiff.
  std::vector<char> is_stiff_element;
  for_each_element(mesh, [&](const auto& element) {
    const int unit = unit_of_node[element[0]];
    is_stiff_element.push_back(
        unit >= 0 && std::all_of(element.begin(), element.end(), [&](int v) { return unit_of_node[v] == unit; }));
  });
  return is_stiff_element;
}

}  // namespace clearance
