#include "clearance/bodies/fem/element_moments.h"

#include <Eigen/LU>
#include <map>
#include <span>

#include "clearance/base/parallel.h"
#include "clearance/bodies/fem/simplex_quadrature.h"
#include "clearance/geometry/lagrange.h"

namespace clearance {

namespace {

/// The shape functions at the points of a rule.
struct Rule {
  std::vector<double> weights;    ///< their sum is the volume of the reference simplex
  std::vector<double> values;     ///< per point and node
  std::vector<double> gradients;  ///< per point, node and coordinate
};

/// Returns a rule that integrates x x^T det dx/dxi over elements of an order.
Rule make_rule(int dim, int order) {
  Rule rule;
  const std::size_t num_nodes = num_lagrange_nodes(dim, order), size = num_nodes * dim;
  // x x^T has the degree 2 * order, and the determinant of dim derivatives has the degree dim * (order - 1).
  for (const auto& [at, weight] : conical_quadrature(dim, 2 * order + dim * (order - 1))) {
    rule.weights.push_back(weight / (dim == 2 ? 2.0 : 6.0));
    rule.values.resize(rule.values.size() + num_nodes);
    lagrange_values(dim, order, at, std::span(rule.values).last(num_nodes));
    rule.gradients.resize(rule.gradients.size() + size);
    lagrange_gradients(dim, order, at, std::span(rule.gradients).last(size));
  }
  return rule;
}

/// Computes the properties of a linear element. With n corners, the mean of x x^T about the centre is its sum over the
/// corners / (n (n + 1)).
MassProperties linear_element(int dim, std::span<const int> corners, const Vertices& vertices) {
  const auto count = static_cast<double>(corners.size());
  const auto corner = [&](std::size_t i) -> const Vec<3>& { return vertices[corners[i]]; };
  // The determinant of the edges gives the measure, their sum the centre.
  Mat<3> edges = Mat<3>::Identity();
  Vec<3> sum = Vec<3>::Zero();
  for (std::size_t i = 1; i < corners.size(); ++i) {
    edges.col(static_cast<Eigen::Index>(i) - 1) = corner(i) - corner(0);
    sum += corner(i) - corner(0);
  }
  MassProperties element;
  element.measure = edges.determinant() / (dim == 2 ? 2.0 : 6.0);
  element.center = corner(0) + sum / count;
  for (std::size_t i = 0; i < corners.size(); ++i) {
    const Vec<3> arm = corner(i) - element.center;
    element.second_moment += element.measure / (count * (count + 1.0)) * (arm * arm.transpose());
  }
  return element;
}

MassProperties curved_element(int dim, const Rule& rule, std::span<const int> nodes, const Vertices& vertices) {
  // Integrate 1, x and x x^T relative to the first node.
  const Vec<3>& origin = vertices[nodes[0]];
  const std::size_t size = dim;
  double measure = 0.0;
  Vec<3> first = Vec<3>::Zero();
  Mat<3> second = Mat<3>::Zero();
  for (std::size_t q = 0; q < rule.weights.size(); ++q) {
    Vec<3> x = Vec<3>::Zero();
    Mat<3> derivative = Mat<3>::Identity();
    derivative.leftCols(dim).setZero();
    for (std::size_t a = 0; a < nodes.size(); ++a) {
      const Vec<3> node = vertices[nodes[a]] - origin;
      const std::size_t place = q * nodes.size() + a;
      x += rule.values[place] * node;
      for (std::size_t k = 0; k < size; ++k) {
        derivative.col(static_cast<Eigen::Index>(k)) += rule.gradients[place * size + k] * node;
      }
    }
    // The volume at a point is its weight times det dx/dxi.
    const double volume = rule.weights[q] * derivative.determinant();
    measure += volume;
    first += volume * x;
    second += volume * x * x.transpose();
  }
  // Move the second moment to the centre.
  const Vec<3> center = measure != 0.0 ? Vec<3>(first / measure) : Vec<3>(Vec<3>::Zero());
  return {measure, origin + center, second - measure * center * center.transpose()};
}

}  // namespace

std::vector<MassProperties> element_mass_properties(const Mesh& mesh) {
  // Make one rule per order that occurs.
  std::map<int, Rule> rules;
  for (std::size_t cell = 0; cell < mesh.num_solid_cells(); ++cell) {
    const int order = mesh.order_of_cell(cell);
    if (order > 1 && !rules.contains(order)) rules.emplace(order, make_rule(mesh.dim, order));
  }
  std::vector<MassProperties> elements(mesh.num_solid_cells());
  parallel_for(static_cast<int>(elements.size()), 16, [&](int i) {
    const std::size_t cell = i;
    const std::span<const int> nodes = mesh.nodes_of_cell(cell);
    if (!nodes.empty()) {
      elements[cell] = curved_element(mesh.dim, rules.at(mesh.order_of_cell(cell)), nodes, mesh.vertices);
    } else if (mesh.dim == 3) {
      elements[cell] = linear_element(3, mesh.tets[cell], mesh.vertices);
    } else {
      elements[cell] = linear_element(2, mesh.triangles[cell], mesh.vertices);
    }
  });
  return elements;
}

}  // namespace clearance
