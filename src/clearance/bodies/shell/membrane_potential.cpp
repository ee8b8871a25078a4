#include "clearance/bodies/shell/membrane_potential.h"

#include <Eigen/Geometry>
#include <Eigen/LU>
#include <algorithm>
#include <array>
#include <cmath>

#include "clearance/base/contract.h"
#include "clearance/bodies/shell/quartic.h"
#include "clearance/math/elementary.h"

namespace clearance {

namespace {

constexpr int grain = 256;  // triangles per task
/// Share of its area that a triangle keeps in one step of Newton's iteration.
constexpr double kept_area = 0.2;
/// Share of the determinant of sl^2 - C that a triangle keeps.
constexpr double kept_distance = 0.2;

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

Response of_law(const ShellMaterial& material, const Mat<3>& q, const Mat<2>& c, bool is_projected) {
  if (material.law == ElasticModel::st_venant_kirchhoff || material.orthotropy) return of_st_venant_kirchhoff(q, c);
  const double nu = material.poisson_ratio, e = material.youngs_modulus;
  return of_neo_hookean(e / (2.0 * (1.0 + nu)), e * nu / (1.0 - nu * nu), c, is_projected);
}

/// The barrier of one principal stretch and its derivatives by the square of the stretch.
struct LimitOfStretch {
  double energy = 0.0, first = 0.0, second = 0.0;
};

/// Returns the barrier for the square of a stretch s between s0 and the limit sl [Li21, section 5]:
/// f = -(s - s0)^2 ln((sl - s) / (sl - s0)), whose first two derivatives are 0 at s0.
LimitOfStretch limit_of(double square, double s0, double sl) {
  LimitOfStretch limit;
  const double s = std::sqrt(square);
  if (!(s > s0)) return limit;
  const double way = s - s0, rest = sl - s;
  if (!(rest > 0.0)) {
    limit.energy = infinity;
    return limit;
  }
  const double log = elementary::log(rest / (sl - s0));
  limit.energy = -way * way * log;
  const double first = way * way / rest - 2.0 * way * log;
  const double second = -2.0 * log + 4.0 * way / rest + way * way / (rest * rest);
  // By s^2: d/d(s^2) = 1/(2 s) d/ds.
  limit.first = first / (2.0 * s);
  limit.second = (second - first / s) / (4.0 * square);
  return limit;
}

/// Returns the barrier E (f(s1) + f(s2)) of both principal stretches.
Response of_strain_limit(double modulus, double limit, const Mat<2>& c, bool is_projected) {
  const double s0 = 1.0 + 0.5 * limit, sl = 1.0 + limit;
  Response r;
  const double mean = 0.5 * c.trace(), half = 0.5 * (c(0, 0) - c(1, 1)), radius = elementary::hypot(half, c(0, 1));
  if (mean + radius <= s0 * s0) return r;
  const LimitOfStretch one = limit_of(mean + radius, s0, sl), two = limit_of(mean - radius, s0, sl);
  r.energy = modulus * (one.energy + two.energy);
  if (r.energy == infinity) return r;
  // The direction of the larger stretch: twice its angle has the cosine half / radius.
  const double cosine2 = radius > 0.0 ? half / radius : 1.0, sine2 = radius > 0.0 ? c(0, 1) / radius : 0.0;
  // S = 2 dW/dC in principal axes, and turned into those of the cell.
  const double sum = one.first + two.first, difference = one.first - two.first;
  r.stress = modulus * Vec<3>(sum + difference * cosine2, sum - difference * cosine2, difference * sine2);
  // dS/dG in principal axes by the strains G11, G22 and 2 G12: 4 g'' along, and 2 (g1' - g2') / (C1 - C2) in shear.
  constexpr double same = 1e-9;
  const double shear = radius > same * mean ? difference / radius : one.second + two.second;
  Vec<3> tangent(4.0 * one.second, 4.0 * two.second, shear);
  if (is_projected) tangent = tangent.cwiseMax(0.0);
  // Strains in principal axes from those of the cell.
  const double cc = 0.5 * (1.0 + cosine2), ss = 0.5 * (1.0 - cosine2), cs = 0.5 * sine2;
  Mat<3> turn;
  turn << cc, ss, cs, ss, cc, -cs, -2.0 * cs, 2.0 * cs, cosine2;
  r.tangent = modulus * turn.transpose() * tangent.asDiagonal() * turn;
  return r;
}

Mat<2> as_matrix(const Vec<3>& stress) {
  Mat<2> s;
  s << stress[0], stress[2], stress[2], stress[1];
  return s;
}

/// Replaces the negative eigenvalue of a symmetric matrix by zero.
Mat<2> without_compression(const Mat<2>& s) {
  const double mean = 0.5 * s.trace(), half = 0.5 * (s(0, 0) - s(1, 1)), radius = elementary::hypot(half, s(0, 1));
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

/// Returns the largest alpha <= 1 for which the triangle keeps a share of its distance from the strain limit: the
/// determinant of sl^2 - C is positive as long as both stretches are below sl.
double limited_step(const ShellTriangle& triangle, double limit, const VecX& x, const VecX& dx) {
  const Mat<3, 2> f = map_of(triangle, x), d = map_of(triangle, dx);
  const Mat<2> c0 = f.transpose() * f, c2 = d.transpose() * d, cross = f.transpose() * d;
  const Mat<2> c1 = cross + cross.transpose();
  const double square = (1.0 + limit) * (1.0 + limit);
  // The entries of sl^2 - C, quadratics in alpha, and their products.
  const auto entry = [&](int i, int j) { return Vec<3>((i == j ? square : 0.0) - c0(i, j), -c1(i, j), -c2(i, j)); };
  const auto product = [](const Vec<3>& a, const Vec<3>& b) {
    return Vec<5>(a[0] * b[0], a[0] * b[1] + a[1] * b[0], a[0] * b[2] + a[1] * b[1] + a[2] * b[0],
                  a[1] * b[2] + a[2] * b[1], a[2] * b[2]);
  };
  const Vec<5> det = product(entry(0, 0), entry(1, 1)) - product(entry(0, 1), entry(0, 1));
  return first_root_bound({(1.0 - kept_distance) * det[0], det[1], det[2], det[3], det[4]});
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
  // Coefficients of its square, less what has to remain.
  const Quartic c = {(1.0 - kept_area * kept_area) * area_sq, 2.0 * n0.dot(n1), n1.squaredNorm() + 2.0 * n0.dot(n2),
                     2.0 * n1.dot(n2), n2.squaredNorm()};
  return first_root_bound(c);
}

/// Returns what resists the strain of a cell. The limit is that of each triangle, whose cell has less than its area.
Response respond(const ShellMesh& mesh, const StrainCell& cell, const Mat<3>& q, const Mat<2>& c, bool is_projected) {
  const ShellMaterial& material = mesh.materials[cell.material];
  Response response = of_law(material, q, c, is_projected);
  if (!material.strain_limit || cell.num_parts > 1) return response;
  const double share = mesh.triangles[cell.parts[0].triangle].area / cell.area;
  const Response limit = of_strain_limit(std::max(q(0, 0), q(1, 1)), *material.strain_limit, c, is_projected);
  response.energy += share * limit.energy;
  response.stress += share * limit.stress;
  response.tangent += share * limit.tangent;
  return response;
}

}  // namespace

MembranePotential::MembranePotential(std::shared_ptr<const ShellMesh> mesh) : mesh_(std::move(mesh)) {
  for (const ShellMaterial& material : mesh_->materials) stiffness_.push_back(material.plane_stress());
  auto stencils = std::make_shared<StencilList>();
  for (const StrainCell& cell : mesh_->cells) stencils->add(std::span(cell.nodes).first(cell.num_nodes));
  assembler_ = BlockAssembler(*stencils);
  stencils_ = std::move(stencils);
  restrict_to({});
}

void MembranePotential::restrict_to(const std::vector<char>& part) {
  active_ = stencils_->within(part, {0, stencils_->count()});
  assembler_.restrict_to(part);
}

double MembranePotential::energy_of(const StrainCell& cell, const VecX& x) const {
  const ShellMaterial& material = mesh_->materials[cell.material];
  const Response response = respond(*mesh_, cell, stiffness_[cell.material], stretch_of(cell, x).c, false);
  return cell.area * material.thickness * response.energy;
}

CompensatedSum MembranePotential::energy(const VecX& x) const {
  return ordered_sum(static_cast<int>(active_.size()), [&](int i) { return energy_of(mesh_->cells[active_[i]], x); });
}

void MembranePotential::add_body_energies(const VecX& x, const std::vector<int>& body_of_block, VecX& sums) const {
  for (const StrainCell& cell : mesh_->cells) sums[body_of_block[cell.nodes[0]]] += energy_of(cell, x);
}

void MembranePotential::add_gradient(const VecX& x, double scale, VecX& gradient) {
  const std::vector<StrainCell>& cells = mesh_->cells;
  forces_.resize(cells.size());
  parallel_for(static_cast<int>(active_.size()), grain, [&](int k) {
    const int i = active_[k];
    const StrainCell& cell = cells[i];
    const ShellMaterial& material = mesh_->materials[cell.material];
    const Stretch s = stretch_of(cell, x);
    const Response response = respond(*mesh_, cell, stiffness_[cell.material], s.c, false);
    const Mat<2> stress = cell.area * material.thickness * as_matrix(response.stress);
    // dE/dx_a = A t sum_k w_k F_k S g_a
    forces_[i].setZero();
    for (int p = 0; p < cell.num_parts; ++p) {
      forces_[i] += s.f[p] * (cell.parts[p].weight * stress) * cell.parts[p].gradients.transpose();
    }
  });
  // Cells share nodes, so that their forces are added one after the other.
  for (const int i : active_) {
    for (int a = 0; a < cells[i].num_nodes; ++a) block<3>(gradient, cells[i].nodes[a]) += scale * forces_[i].col(a);
  }
}

void MembranePotential::add(const VecX& x, double scale, bool is_projected, BlockSparseMatrix& matrix) {
  const bool is_bound = assembler_.bind(matrix);
  CLEARANCE_ASSERT(is_bound);
  const std::vector<StrainCell>& cells = mesh_->cells;
  locals_.resize(9 * static_cast<std::size_t>(stencils_->first_local_block.back()));
  parallel_for(static_cast<int>(active_.size()), grain, [&](int i) {
    const StrainCell& cell = cells[active_[i]];
    const ShellMaterial& material = mesh_->materials[cell.material];
    const Stretch s = stretch_of(cell, x);
    const Response response = respond(*mesh_, cell, stiffness_[cell.material], s.c, is_projected);
    const double volume = cell.area * material.thickness;
    const Mat<3> tangent = volume * response.tangent;
    const Mat<2> stress = volume * as_matrix(response.stress);
    // The strain turns with the triangles, and compression makes that indefinite.
    const Mat<2> geometric = is_projected ? without_compression(stress) : stress;
    std::array<Mat<3>, 4> strains;
    for (int a = 0; a < cell.num_nodes; ++a) strains[a] = strain_by_node(cell, s, a);
    double* local = locals_.data() + 9 * stencils_->first_local_block[active_[i]];
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
        const ShellTriangle& triangle = mesh_->triangles[t];
        StepLimit found{feasible_step(triangle, x, dx), t, triangle.nodes[0], "a triangle that collapses"};
        const std::optional<double>& limit = mesh_->materials[triangle.material].strain_limit;
        const double limited = limit ? limited_step(triangle, *limit, x, dx) : 1.0;
        if (limited < found.alpha) found = {limited, t, triangle.nodes[0], "the strain limit"};
        return found.alpha < 1.0 ? found : StepLimit{};
      },
      [](const StepLimit& a, const StepLimit& b) { return b.alpha < a.alpha ? b : a; });
}

bool MembranePotential::is_feasible(const VecX& x) const {
  return std::all_of(mesh_->triangles.begin(), mesh_->triangles.end(), [&](const ShellTriangle& triangle) {
    const Vec<3> origin = block<3>(x, triangle.nodes[0]);
    const Vec<3> e1 = block<3>(x, triangle.nodes[1]) - origin, e2 = block<3>(x, triangle.nodes[2]) - origin;
    const std::optional<double>& limit = mesh_->materials[triangle.material].strain_limit;
    return e1.cross(e2).squaredNorm() > 0.0 && (!limit || largest_stretch(triangle, x) < 1.0 + *limit);
  });
}

std::vector<ShellSample> MembranePotential::samples(const VecX& x) const {
  std::vector<ShellSample> samples;
  for (const StrainCell& cell : mesh_->cells) {
    const ShellMaterial& material = mesh_->materials[cell.material];
    const Mat<2> c = stretch_of(cell, x).c;
    const Response response = respond(*mesh_, cell, stiffness_[cell.material], c, false);
    for (int k = 0; k < cell.num_parts; ++k) {
      const StrainCell::Part& part = cell.parts[k];
      ShellSample sample{.triangle = part.triangle, .area = part.weight * cell.area, .axes = part.axes};
      sample.strain = Vec<3>(0.5 * (c(0, 0) - 1.0), 0.5 * (c(1, 1) - 1.0), c(0, 1));
      sample.stress = response.stress;
      sample.energy = material.thickness * response.energy;
      if (part.edge >= 0) {
        // The middle of the third of the triangle at the edge.
        sample.at.setConstant(4.0 / 9.0);
        sample.at[part.edge] = 1.0 / 9.0;
        samples.push_back(sample);
        continue;
      }
      // The middles of the sides integrate squares of what is linear exactly.
      sample.area /= 3.0;
      for (int i = 0; i < 3; ++i) {
        sample.at.setConstant(0.5);
        sample.at[i] = 0.0;
        samples.push_back(sample);
      }
    }
  }
  return samples;
}

}  // namespace clearance
