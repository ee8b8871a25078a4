#include "clearance/bodies/shell/membrane_potential.h"

#include <Eigen/Geometry>
#include <Eigen/LU>
#include <algorithm>
#include <array>
#include <cmath>

#include "clearance/base/contract.h"
#include "clearance/math/elementary.h"

namespace clearance {

namespace {

constexpr int grain = 256;  // triangles per task
/// Share of its area that a triangle keeps in one step of Newton's iteration.
constexpr double kept_area = 0.2;

/// The maps of a cell's triangles and its strain.
struct Stretch {
  std::array<Mat<3, 2>, 2> f;  // F of each part
  Mat<2> c = Mat<2>::Zero();   // C
};

Stretch stretch_of(const StrainCell& cell, const VecX& x) {
  const Vec<3> origin = block<3>(x, cell.nodes[0]);
  Stretch s;
  for (int k = 0; k < cell.num_parts; ++k) {
    const StrainCell::Part& part = cell.parts[k];
    // The gradients of all nodes cancel, so that those of node 0 need not be added.
    s.f[k] = (block<3>(x, cell.nodes[1]) - origin) * part.gradients.row(1);
    for (int a = 2; a < cell.num_nodes; ++a) s.f[k] += (block<3>(x, cell.nodes[a]) - origin) * part.gradients.row(a);
    s.c += part.weight * s.f[k].transpose() * s.f[k];
  }
  return s;
}

/// Energy density [J/m^3], stress S = 2 dW/dC and tangent dS/dG [Pa], by the strains G11, G22 and 2 G12.
struct Response {
  double energy = 0.0;
  Vec<3> stress = Vec<3>::Zero();
  Mat<3> tangent = Mat<3>::Zero();
};

Response of_st_venant_kirchhoff(const Mat<3>& q, const Mat<2>& c) {
  const Vec<3> g(0.5 * (c(0, 0) - 1.0), 0.5 * (c(1, 1) - 1.0), c(0, 1));
  Response r;
  r.stress = q * g;
  r.energy = 0.5 * g.dot(r.stress);
  r.tangent = q;
  return r;
}

Response of_neo_hookean(double mu, double lambda, const Mat<2>& c, bool is_projected) {
  Response r;
  // With C = 1 + E, det C = 1 + tr E + det E: small strains keep their digits.
  const Mat<2> e = c - Mat<2>::Identity();
  const double growth = e.trace() + e.determinant();
  if (!(growth > -1.0)) {
    r.energy = infinity;
    return r;
  }
  const double log_det = elementary::log1p(growth);
  const Mat<2> inverse = c.inverse();
  r.energy = 0.5 * mu * (e.trace() - log_det) + 0.125 * lambda * log_det * log_det;
  // S = mu (1 - C^-1) + L/2 ln det C C^-1, and 1 - C^-1 = C^-1 E.
  const double along = 0.5 * lambda * log_det - mu;
  const Vec<3> n(inverse(0, 0), inverse(1, 1), inverse(0, 1));
  const Mat<2> change = inverse * e;
  r.stress = mu * Vec<3>(change(0, 0), change(1, 1), change(0, 1)) + 0.5 * lambda * log_det * n;
  // dS = L/2 tr(C^-1 dC) C^-1 - along C^-1 dC C^-1 with dC = 2 dG. The second term is negative in strong stretch.
  const double across = is_projected ? std::max(0.0, -along) : -along;
  r.tangent = (is_projected ? std::max(0.0, lambda) : lambda) * n * n.transpose();
  // Half of C^-1 dC C^-1 by G11, G22, 2 G12.
  const double p = n[0], w = n[1], m = n[2];
  Mat<3> square;
  square << p * p, m * m, p * m, m * m, w * w, w * m, p * m, w * m, 0.5 * (p * w + m * m);
  r.tangent += 2.0 * across * square;
  return r;
}

Response respond(const ShellMaterial& material, const Mat<3>& q, const Mat<2>& c, bool is_projected) {
  if (material.law == ElasticModel::st_venant_kirchhoff || material.orthotropy) return of_st_venant_kirchhoff(q, c);
  const double nu = material.poisson_ratio, e = material.youngs_modulus;
  return of_neo_hookean(e / (2.0 * (1.0 + nu)), e * nu / (1.0 - nu * nu), c, is_projected);
}

Mat<2> as_matrix(const Vec<3>& stress) {
  Mat<2> s;
  s << stress[0], stress[2], stress[2], stress[1];
  return s;
}

/// Replaces the negative eigenvalue of a symmetric matrix by zero.
Mat<2> without_compression(const Mat<2>& s) {
  const double mean = 0.5 * s.trace(), half = 0.5 * (s(0, 0) - s(1, 1)), radius = std::hypot(half, s(0, 1));
  if (mean >= radius) return s;
  if (mean <= -radius) return Mat<2>::Zero();
  // The part of the positive eigenvalue mean + radius: its projector is (s - (mean - radius)) / (2 radius).
  return (mean + radius) / (2.0 * radius) * (s - (mean - radius) * Mat<2>::Identity());
}

/// Returns the strains G11, G22, 2 G12 by the position of a node.
Mat<3> strain_by_node(const StrainCell& cell, const Stretch& s, int node) {
  Mat<3> b = Mat<3>::Zero();
  for (int k = 0; k < cell.num_parts; ++k) {
    const Mat<3, 2>& f = s.f[k];
    const double g0 = cell.parts[k].weight * cell.parts[k].gradients(node, 0);
    const double g1 = cell.parts[k].weight * cell.parts[k].gradients(node, 1);
    b.row(0) += g0 * f.col(0).transpose();
    b.row(1) += g1 * f.col(1).transpose();
    b.row(2) += g0 * f.col(1).transpose() + g1 * f.col(0).transpose();
  }
  return b;
}

/// Returns a lower bound of the first time at which a quartic, given by its Bernstein coefficients on [begin, end], is
/// not positive; `end` if there is none. It is positive at `begin`.
double first_root_bound(const std::array<double, 5>& b, double begin, double end, int depth) {
  if (std::all_of(b.begin(), b.end(), [](double value) { return value > 0.0; })) return end;
  if (depth == 0) return begin;
  // De Casteljau's algorithm halves the interval.
  std::array<double, 5> left{}, right = b;
  for (std::size_t k = 0; k < 5; ++k) {
    left[k] = right[0];
    for (std::size_t i = 0; i + k + 1 < 5; ++i) right[i] = 0.5 * (right[i] + right[i + 1]);
  }
  const double middle = 0.5 * (begin + end);
  const double found = first_root_bound(left, begin, middle, depth - 1);
  if (found < middle) return found;
  return first_root_bound(right, middle, end, depth - 1);
}

/// Returns the largest alpha <= 1 for which the triangle keeps the share of its area.
double feasible_step(const ShellTriangle& triangle, const VecX& x, const VecX& dx) {
  const auto side = [&](const VecX& of, int i) -> Vec<3> {
    return block<3>(of, triangle.nodes[i]) - block<3>(of, triangle.nodes[0]);
  };
  const Vec<3> e1 = side(x, 1), e2 = side(x, 2), d1 = side(dx, 1), d2 = side(dx, 2);
  // The area vector is n0 + s n1 + s^2 n2.
  const Vec<3> n0 = e1.cross(e2), n1 = d1.cross(e2) + e1.cross(d2), n2 = d1.cross(d2);
  const double area_sq = n0.squaredNorm();
  // Power coefficients of its square, less what has to remain.
  const std::array<double, 5> c = {(1.0 - kept_area * kept_area) * area_sq, 2.0 * n0.dot(n1),
                                   n1.squaredNorm() + 2.0 * n0.dot(n2), 2.0 * n1.dot(n2), n2.squaredNorm()};
  // Bernstein coefficients: b_k = sum over j <= k of binomial(k, j) / binomial(4, j) c_j.
  const std::array<double, 5> b = {c[0], c[0] + c[1] / 4.0, c[0] + c[1] / 2.0 + c[2] / 6.0,
                                   c[0] + 3.0 * c[1] / 4.0 + c[2] / 2.0 + c[3] / 4.0, c[0] + c[1] + c[2] + c[3] + c[4]};
  constexpr int most_halvings = 40;
  return first_root_bound(b, 0.0, 1.0, most_halvings);
}

}  // namespace

MembranePotential::MembranePotential(std::shared_ptr<const ShellMesh> mesh) : mesh_(std::move(mesh)) {
  for (const ShellMaterial& material : mesh_->materials) stiffness_.push_back(material.plane_stress());
  StencilList stencils;
  for (const StrainCell& cell : mesh_->cells) {
    stencils.add(std::span(cell.nodes).first(cell.num_nodes));
    first_local_.push_back(num_locals_);
    num_locals_ += num_stencil_blocks(cell.num_nodes);
  }
  assembler_ = BlockAssembler(stencils);
}

double MembranePotential::energy_of(const StrainCell& cell, const VecX& x) const {
  const ShellMaterial& material = mesh_->materials[cell.material];
  const Response response = respond(material, stiffness_[cell.material], stretch_of(cell, x).c, false);
  return cell.area * material.thickness * response.energy;
}

CompensatedSum MembranePotential::energy(const VecX& x) const {
  return ordered_sum(static_cast<int>(mesh_->cells.size()), [&](int i) { return energy_of(mesh_->cells[i], x); });
}

void MembranePotential::add_body_energies(const VecX& x, const std::vector<int>& body_of_block, VecX& sums) const {
  for (const StrainCell& cell : mesh_->cells) sums[body_of_block[cell.nodes[0]]] += energy_of(cell, x);
}

void MembranePotential::add_gradient(const VecX& x, double scale, VecX& gradient) {
  const std::vector<StrainCell>& cells = mesh_->cells;
  forces_.resize(cells.size());
  parallel_for(static_cast<int>(cells.size()), grain, [&](int i) {
    const StrainCell& cell = cells[i];
    const ShellMaterial& material = mesh_->materials[cell.material];
    const Stretch s = stretch_of(cell, x);
    const Response response = respond(material, stiffness_[cell.material], s.c, false);
    const Mat<2> stress = cell.area * material.thickness * as_matrix(response.stress);
    // dE/dx_a = A t sum_k w_k F_k S g_a
    forces_[i].setZero();
    for (int k = 0; k < cell.num_parts; ++k) {
      forces_[i] += s.f[k] * (cell.parts[k].weight * stress) * cell.parts[k].gradients.transpose();
    }
  });
  // Cells share nodes, so that their forces are added one after the other.
  for (std::size_t i = 0; i < cells.size(); ++i) {
    for (int a = 0; a < cells[i].num_nodes; ++a) block<3>(gradient, cells[i].nodes[a]) += scale * forces_[i].col(a);
  }
}

void MembranePotential::add(const VecX& x, double scale, bool is_projected, BlockSparseMatrix& matrix) {
  const bool is_bound = assembler_.bind(matrix);
  CLEARANCE_ASSERT(is_bound);
  const std::vector<StrainCell>& cells = mesh_->cells;
  locals_.resize(9 * num_locals_);
  parallel_for(static_cast<int>(cells.size()), grain, [&](int i) {
    const StrainCell& cell = cells[i];
    const ShellMaterial& material = mesh_->materials[cell.material];
    const Stretch s = stretch_of(cell, x);
    const Response response = respond(material, stiffness_[cell.material], s.c, is_projected);
    const double volume = cell.area * material.thickness;
    const Mat<3> tangent = volume * response.tangent;
    const Mat<2> stress = volume * as_matrix(response.stress);
    // The strain turns with the triangles, and compression makes that indefinite.
    const Mat<2> geometric = is_projected ? without_compression(stress) : stress;
    std::array<Mat<3>, 4> strains;
    for (int a = 0; a < cell.num_nodes; ++a) strains[a] = strain_by_node(cell, s, a);
    double* local = locals_.data() + 9 * first_local_[i];
    for (int a = 0; a < cell.num_nodes; ++a) {
      const Mat<3> left = strains[a].transpose() * tangent;
      for (int b = 0; b <= a; ++b, local += 9) {
        double along = 0.0;
        for (int k = 0; k < cell.num_parts; ++k) {
          const StrainCell::Part& part = cell.parts[k];
          along += part.weight * part.gradients.row(a).dot(part.gradients.row(b) * geometric);
        }
        Eigen::Map<Mat<3>>{local} = left * strains[b] + along * Mat<3>::Identity();
      }
    }
  });
  assembler_.add_to<3>(matrix, locals_, scale);
}

void MembranePotential::add_exact_derivatives(const VecX& x, double scale, VecX& gradient, BlockSparseMatrix& matrix) {
  add_gradient(x, scale, gradient);
  add(x, scale, false, matrix);
}

StepLimit MembranePotential::max_feasible_step(const VecX& x, const VecX& dx) {
  return ordered_reduce(
      static_cast<int>(mesh_->triangles.size()), StepLimit{},
      [&](int t) {
        const double alpha = feasible_step(mesh_->triangles[t], x, dx);
        return alpha < 1.0 ? StepLimit{alpha, t} : StepLimit{};
      },
      [](const StepLimit& a, const StepLimit& b) { return b.alpha < a.alpha ? b : a; });
}

bool MembranePotential::is_feasible(const VecX& x) const {
  return std::all_of(mesh_->triangles.begin(), mesh_->triangles.end(), [&](const ShellTriangle& triangle) {
    const Vec<3> origin = block<3>(x, triangle.nodes[0]);
    const Vec<3> e1 = block<3>(x, triangle.nodes[1]) - origin, e2 = block<3>(x, triangle.nodes[2]) - origin;
    return e1.cross(e2).squaredNorm() > 0.0;
  });
}

}  // namespace clearance
