#include "clearance/contact/friction_potential.h"

#include <Eigen/Geometry>
#include <algorithm>

#include "clearance/base/parallel.h"
#include "clearance/model/half_space_pairs.h"

namespace clearance {

FrictionCoefficients friction_coefficients(const Model& model, const Contact& contact) {
  const auto [first, second] = bodies_of(model.surface, contact);
  return second < 0 ? friction_with_half_space(model.friction, first, -1 - second)
                    : model.friction.between(first, second);
}

template <int dim>
void FrictionPotential<dim>::lag(const ContactSet& set, const VecX& x, const VecX& displacement, double kappa,
                                 double share) {
  prepared_for_.clear();
  double strongest = 0.0;
  for (LaggedContact& contact : contacts_) {
    // The potential so far keeps the rest of the share.
    contact.limit *= 1.0 - share;
    strongest = std::max(strongest, std::abs(contact.limit));
  }
  // Contacts whose remaining limit has become negligible are dropped.
  std::erase_if(contacts_, [&](const LaggedContact& contact) { return !(std::abs(contact.limit) > 1e-4 * strongest); });
  for (const Contact& contact : set.contacts) {
    const FrictionCoefficients mu = friction_coefficients(model_, contact);
    if (mu.is_zero()) continue;
    const ContactPositions<dim> positions = positions_of<dim>(contact, x);
    const ContactGap<dim> gap = compute_contact_gap<dim>(model_, contact, positions);
    // This is lambda of [Fer23, eq. 2.14] in the units of the incremental potential; a subtracted contact has a
    // negative one.
    const double force = kappa * contact_model_.normal_force(contact, gap, positions);
    if (!(std::abs(force) > 0.0)) continue;
    LaggedContact lagged;
    lagged.num_vertices = contact.num_vertices();
    lagged.vertices = contact.vertices;
    lagged.weights = gap.weights;
    lagged.normal = gap.normal;
    lagged.contact = contact;
    const FrictionScales scales = scales_of(contact);
    const double eps = scales.eps_v * scales.h;
    lagged.law.eps = scales.stick > 0.0 ? scales.stick : eps;
    lagged.has_memory = scales.stick > 0.0;
    double slid = sliding(lagged, displacement).norm();
    if (lagged.has_memory) {
      const Vec<dim> s = memory_.displacement(contact, gap.weights, x);
      lagged.stick = s - gap.normal.dot(s) * gap.normal;
      // Elastic sliding is no slip, and the coefficient is static as long as nothing slips: only what exceeds the
      // stick length counts, on top of the eps up to which the coefficient is static.
      slid = eps + std::max(0.0, stretch(lagged, displacement).norm() - scales.stick);
    }
    lagged.limit = share * force * coefficient(mu, slid, eps);
    contacts_.push_back(lagged);
  }
}

template <int dim>
FrictionScales FrictionPotential<dim>::scales_of(const Contact& contact) const {
  if (model_.contact_scales.is_empty()) return scales_;
  FrictionScales scales{scales_.h, infinity, infinity};
  for (int i = 0; i < contact.num_vertices(); ++i) {
    const std::size_t v = contact.vertices[i];
    scales.eps_v = std::min(scales.eps_v, model_.contact_scales.eps_v[v]);
    scales.stick = std::min(scales.stick, model_.contact_scales.stick[v]);
  }
  return scales;
}

template <int dim>
Vec<dim> FrictionPotential<dim>::sliding(const LaggedContact& contact, const VecX& displacement) {
  Vec<dim> u = Vec<dim>::Zero();
  for (int i = 0; i < contact.num_vertices; ++i) {
    const std::size_t at = i;
    // The sum is Gamma of [Fer23, app. A.8] times the displacement. Its part across the normal is the sliding in world
    // coordinates, without the basis P: |u| is the same in any basis.
    u += contact.weights[at] * block<dim>(displacement, contact.vertices[at]);
  }
  return u - contact.normal.dot(u) * contact.normal;
}

template <int dim>
CompensatedSum FrictionPotential<dim>::energy(const VecX& x) const {
  if (contacts_.empty()) return {};
  const VecX displacement = x - x_t0_;
  return ordered_sum(static_cast<int>(contacts_.size()), [&](int k) {
    const LaggedContact& contact = contacts_[k];
    return contact.limit * contact.law.potential(stretch(contact, displacement).norm());
  });
}

template <int dim>
double FrictionPotential<dim>::work(const VecX& x) const {
  if (contacts_.empty()) return 0.0;
  const VecX displacement = x - x_t0_;
  double work = 0.0;
  for (const LaggedContact& contact : contacts_) {
    const Vec<dim> u = stretch(contact, displacement);
    work += contact.limit * contact.law.force_over_distance(u.norm()) * u.dot(sliding(contact, displacement));
  }
  return work;
}

template <int dim>
void FrictionPotential<dim>::add_work_gaps(const VecX& x, double scale, VecX& gaps, VecX& works) const {
  if (contacts_.empty()) return;
  const VecX displacement = x - x_t0_;
  for (const LaggedContact& contact : contacts_) {
    const Vec<dim> u = stretch(contact, displacement);
    const double work = contact.law.force_over_distance(u.norm()) * u.dot(sliding(contact, displacement));
    // The elastic sliding stored at the start is `stick`; what the work exceeds the change of f_0 by is lost, as for
    // barriers.
    const double change = contact.law.potential(u.norm()) - contact.law.potential(contact.stick.norm());
    add_to_bodies(model_, contact.contact, scale * contact.limit * (work - change), gaps);
    add_to_bodies(model_, contact.contact, scale * contact.limit * work, works);
  }
}

template <int dim>
std::vector<StickVertex> FrictionPotential<dim>::stick(const VecX& x) const {
  std::vector<typename StickMemory<dim>::Update> updates;
  const VecX displacement = contacts_.empty() ? VecX() : VecX(x - x_t0_);
  for (const LaggedContact& contact : contacts_) {
    if (!contact.has_memory || contact.limit < 0.0) continue;
    Vec<dim> u = stretch(contact, displacement);
    // The part beyond the elastic sliding has slipped.
    const double y = u.norm();
    // This is the return mapping: the force is mu lambda along u with f_1 = 1 from eps on, and so the spring keeps a
    // length of eps in the direction of u.
    if (y > contact.law.eps) u *= contact.law.eps / y;
    updates.push_back({contact.contact, contact.weights, contact.stick, u - contact.stick, contact.limit});
  }
  return memory_.updated(updates, x);
}

template <int dim>
void FrictionPotential<dim>::add_gradient(const VecX& x, VecX& gradient) const {
  if (contacts_.empty()) return;
  const VecX displacement = x - x_t0_;
  for (const LaggedContact& contact : contacts_) {
    const Vec<dim> u = stretch(contact, displacement);
    const Vec<dim> force = contact.limit * contact.law.force_over_distance(u.norm()) * u;
    for (int i = 0; i < contact.num_vertices; ++i) {
      const std::size_t at = i;
      for (const SurfaceMap::Term& term : model_.surface_map.terms(contact.vertices[at])) {
        block<dim>(gradient, term.block) += (contact.weights[at] * term.weight) * force;
      }
    }
  }
}

template <int dim>
void FrictionPotential<dim>::visit_forces(const VecX& x, double scale, const ForceVisitor<dim>& visit) const {
  const VecX displacement = x - x_t0_;
  for (const LaggedContact& contact : contacts_) {
    const Vec<dim> u = stretch(contact, displacement);
    const Vec<dim> force = -contact.limit * contact.law.force_over_distance(u.norm()) * u;
    for (int i = 0; i < contact.num_vertices; ++i) {
      const std::size_t at = i;
      visit(contact.contact, contact.vertices[at], scale * (contact.weights[at] * force));
    }
  }
}

template <int dim>
const std::vector<BlockKey>& FrictionPotential<dim>::prepare_hessian(const std::vector<char>& is_fixed) {
  if (prepared_for_ == is_fixed) return hessians_.keys();
  prepared_for_ = is_fixed;
  std::vector<ContactVertices> vertices;
  vertices.reserve(contacts_.size());
  for (const LaggedContact& contact : contacts_) {
    vertices.push_back({contact.vertices, contact.num_vertices, 0, 0});
  }
  hessians_.prepare(model_.surface_map, std::move(vertices), {}, is_fixed);
  return hessians_.keys();
}

namespace {

/// Returns a unit vector orthogonal to the unit vector n.
template <int dim>
Vec<dim> any_tangent(const Vec<dim>& n) {
  if constexpr (dim == 2) {
    return {-n[1], n[0]};
  } else {
    return n.unitOrthogonal();
  }
}

}  // namespace

template <int dim>
void FrictionPotential<dim>::add_derivatives(const VecX& x, double secant_share, HessianKind kind, VecX& gradient,
                                             BlockSparseMatrix& matrix) {
  if (contacts_.empty()) return;
  add_gradient(x, gradient);
  const VecX displacement = x - x_t0_;
  hessians_.add_to(matrix, 1.0, [&](int k, RankOneSum<dim>& sum) {
    const LaggedContact& contact = contacts_[k];
    // Contacts of negative weight have no positive part.
    if (contact.limit < 0.0 && kind == HessianKind::projected) return;
    const Vec<dim> u = stretch(contact, displacement);
    const double y = u.norm();
    const double across = contact.law.force_over_distance(y);
    // The stiffness across u is the secant stiffness, and along u at least a share of it.
    // In [Fer23, eq. A.17] the eigenvalue along u is f_1', and across u it is f_1 / |u|. Neither is negative, so that
    // the projection of the 2 x 2 matrix changes nothing. At u = 0 both are 2 / eps, and any direction will do.
    const double along = std::max(contact.law.stiffness(y), secant_share * across);
    const Vec<dim> direction = y > 0.0 ? Vec<dim>(u / y) : any_tangent<dim>(contact.normal);
    if (along > 0.0) sum.add(contact.limit * along, contact.weights, direction);
    if constexpr (dim == 3) {
      sum.add(contact.limit * across, contact.weights, Vec<3>(contact.normal.cross(direction)));
    }
  });
}

template class FrictionPotential<2>;
template class FrictionPotential<3>;

}  // namespace clearance
