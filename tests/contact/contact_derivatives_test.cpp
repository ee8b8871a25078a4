// Derivatives of single contacts of every kind, at random states, against finite differences and their own structure.
#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <iostream>

#include "clearance/contact/ipc_contact_model.h"
#include "clearance/geometry/mollifier.h"
#include "contact/contact_models.h"
#include "support/finite_differences.h"

namespace clearance {
namespace {

using test::Random;
using test::relative_difference;

constexpr int num_states = 25;

struct KindCase {
  const char* name;
  ContactKind kind;
  EdgeEdgeType type = EdgeEdgeType::ea_eb;
};

const std::vector<KindCase> planar_kinds = {{"point_point", ContactKind::point_point},
                                            {"point_edge", ContactKind::point_edge},
                                            {"half_space", ContactKind::half_space}};

std::vector<KindCase> spatial_kinds() {
  std::vector<KindCase> kinds = planar_kinds;
  kinds.push_back({"point_triangle", ContactKind::point_triangle});
  kinds.push_back({"edge_edge", ContactKind::edge_edge});
  const std::array<const char*, 9> names = {"ea0_eb0", "ea0_eb1", "ea1_eb0", "ea1_eb1", "ea_eb0",
                                            "ea_eb1",  "ea0_eb",  "ea1_eb",  "ea_eb"};
  for (int t = 0; t < 9; ++t) {
    kinds.push_back({names[t], ContactKind::mollified_edge_edge, static_cast<EdgeEdgeType>(t)});
  }
  return kinds;
}

template <int dim>
std::vector<KindCase> kinds_of() {
  if constexpr (dim == 2) return planar_kinds;
  return spatial_kinds();
}

/// Returns the squared distance by the closed formula of the contact's own features, wherever the foot points lie.
template <int dim>
double feature_distance_sq(const Model& model, const Contact& contact, const VecX& x) {
  const auto p = [&](int i) -> Vec<dim> { return block<dim>(x, contact.vertices[i]); };
  switch (contact.kind) {
    case ContactKind::point_point:
      return point_point_distance_sq<dim>(p(0), p(1));
    case ContactKind::point_edge:
      return point_line_distance_sq<dim>(p(0), p(1), p(2));
    case ContactKind::half_space: {
      const HalfSpace& plane = model.half_spaces[contact.plane];
      const double d = plane.normal.head<dim>().dot(p(0)) - plane.offset;
      return d * d;
    }
    default:
      break;
  }
  if constexpr (dim == 3) {
    if (contact.kind == ContactKind::point_triangle) return point_plane_distance_sq(p(0), p(1), p(2), p(3));
    if (contact.kind == ContactKind::edge_edge) return line_line_distance_sq(p(0), p(1), p(2), p(3));
    return edge_edge_distance_sq(p(0), p(1), p(2), p(3), contact.edge_edge_type);
  }
  return 0.0;
}

/// A contact of the wanted kind at a random state, within its barrier.
template <int dim>
struct State {
  Model model;
  Contact contact;
  VecX x;
  BarrierOptions options;
  double gap = 0.0;  ///< [m] distance minus min_separation

  VecX local() const {
    VecX p(dim * contact.num_vertices());
    for (int i = 0; i < contact.num_vertices(); ++i) p.segment<dim>(dim * i) = x.segment<dim>(dim * vertex(i));
    return p;
  }
  VecX placed(const VecX& p) const {
    VecX moved = x;
    for (int i = 0; i < contact.num_vertices(); ++i) moved.segment<dim>(dim * vertex(i)) = p.segment<dim>(dim * i);
    return moved;
  }
  double energy(const VecX& p) const {
    const VecX moved = placed(p);
    Contact measured = contact;
    measured.distance_sq = feature_distance_sq<dim>(model, contact, moved);
    return contacts().energy_of(measured, moved);
  }
  VecX gradient(const VecX& p) const { return contacts().gradient_of(contact, placed(p)).head(p.size()); }
  MatX hessian(bool is_projected) const {
    const int n = dim * contact.num_vertices();
    return (is_projected ? projected_derivatives() : contacts().exact_derivatives_of(contact, x))
        .hessian.topLeftCorner(n, n);
  }
  ContactDerivatives<dim> projected_derivatives() const {
    RankOneSum<dim> sum;
    const Vec<4 * dim> gradient_of_all = contacts().derivatives_of(contact, x, HessianKind::projected, sum);
    return {gradient_of_all, sum.dense()};
  }
  IpcContactModel<dim> contacts() const { return {model, options}; }
  int vertex(int i) const { return contact.vertices[i]; }
};

ContactDerivatives<3> projected_derivatives(const Model& model, const Contact& contact, const VecX& x,
                                            const BarrierOptions& options) {
  RankOneSum<3> sum;
  const Vec<12> gradient = IpcContactModel<3>(model, options).derivatives_of(contact, x, HessianKind::projected, sum);
  return {gradient, sum.dense()};
}

/// True if the features themselves are well shaped: no edge too short, no triangle too thin, edges at an angle.
template <int dim>
bool is_well_shaped(const Contact& contact, const VecX& x) {
  const auto p = [&](int i) -> Vec<dim> { return block<dim>(x, contact.vertices[i]); };
  if (contact.kind == ContactKind::point_edge) return (p(2) - p(1)).norm() > 0.3;
  if constexpr (dim == 3) {
    if (contact.kind == ContactKind::point_triangle) return cross_product(p(2) - p(1), p(3) - p(1)).norm() > 0.3;
    if (contact.num_vertices() == 4) {
      return cross_product(p(1) - p(0), p(3) - p(2)).norm() > 0.3 && (p(1) - p(0)).norm() > 0.3 &&
             (p(3) - p(2)).norm() > 0.3;
    }
  }
  return true;
}

template <int dim>
State<dim> random_state(const KindCase& kind, Random& random) {
  State<dim> state;
  state.contact.kind = kind.kind;
  state.contact.edge_edge_type = kind.type;
  state.contact.weight = random.uniform(1.0, 5.0);
  const std::array<int, 4> order = {3, 0, 5, 1};  // any vertices, in any order
  for (int i = 0; i < state.contact.num_vertices(); ++i) {
    state.contact.vertices[i] = order[i];
  }
  state.contact.plane = kind.kind == ContactKind::half_space ? 1 : -1;
  Vec<3> normal = random.vector(3, -1.0, 1.0);
  if (dim == 2) normal[2] = 0.0;
  state.model.half_spaces = {{Vec<3>::UnitX(), -9.0}, {normal.normalized(), -2.0}};

  double distance = 0.0;
  do {
    state.x = random.vector(6 * dim, -1.0, 1.0);
    distance = std::sqrt(feature_distance_sq<dim>(state.model, state.contact, state.x));
  } while (distance < 0.05 || !is_well_shaped<dim>(state.contact, state.x));
  state.options.min_separation = distance * std::array{0.0, 0.3, 0.9}[random.integer(0, 2)];
  state.gap = distance - state.options.min_separation;
  state.options.dhat = state.contact.dhat = state.gap * random.uniform(1.05, 10.0);
  state.contact.distance_sq = distance * distance;
  if constexpr (dim == 3) {
    if (kind.kind == ContactKind::mollified_edge_edge) {
      const auto p = [&](int i) -> Vec<3> { return block<3>(state.x, state.vertex(i)); };
      state.contact.mollifier_scale = edge_edge_cross_sq(p(0), p(1), p(2), p(3)) * random.uniform(1.1, 20.0);
    }
  }
  return state;
}

/// Returns edges of similar lengths at angles where the mollifier acts, at some distance within the barrier.
State<3> nearly_parallel_edges(Random& random) {
  State<3> state;
  state.contact.kind = ContactKind::mollified_edge_edge;
  state.contact.vertices = {0, 1, 2, 3};
  state.options.dhat = state.contact.dhat = std::pow(10.0, random.uniform(-4.0, -1.0));
  const double sine = std::pow(10.0, random.uniform(-9.0, -1.6)), distance = random.uniform(0.05, 0.95);
  do {
    const auto random_vector = [&]() -> Vec<3> { return random.vector(3, -1.0, 1.0); };
    const Vec<3> a = random_vector(), b0 = random.uniform(-1.0, 1.0) * a, b = random.uniform(-2.0, 2.0) * a;
    const Vec<3> turn = cross_product(b, random_vector()).normalized() * (sine * b.norm());
    const Vec<3> gap = cross_product(a, random_vector()).normalized() * (distance * state.options.dhat);
    state.x.resize(12);
    state.x << Vec<3>::Zero(), a, b0 + gap, b0 + gap + b + turn;
    const auto p = [&](int i) -> Vec<3> { return block<3>(state.x, i); };
    state.contact.edge_edge_type = edge_edge_type(p(0), p(1), p(2), p(3));
    state.contact.distance_sq = feature_distance_sq<3>(state.model, state.contact, state.x);
    state.contact.mollifier_scale =
        edge_edge_mollifier_threshold((p(1) - p(0)).squaredNorm(), (p(3) - p(2)).squaredNorm());
  } while (state.contact.distance_sq >= state.options.activation_sq());
  return state;
}

/// Runs check(state) for every kind at many random states.
template <int dim, class Check>
void for_all_states(const Check& check) {
  for (const KindCase& kind : kinds_of<dim>()) {
    for (unsigned seed = 0; seed < num_states; ++seed) {
      SCOPED_TRACE(testing::Message() << dim << "D " << kind.name << " seed " << seed);
      Random random(seed);
      check(random_state<dim>(kind, random), random);
    }
  }
}

double smallest_eigenvalue(const MatX& matrix) {
  return Eigen::SelfAdjointEigenSolver<MatX>(matrix, Eigen::EigenvaluesOnly).eigenvalues().minCoeff();
}

MatX psd_part(const MatX& matrix) {
  const Eigen::SelfAdjointEigenSolver<MatX> solver(matrix);
  return solver.eigenvectors() * solver.eigenvalues().cwiseMax(0.0).asDiagonal() * solver.eigenvectors().transpose();
}

template <int dim>
void check_energy(const State<dim>& state) {
  double expected = state.contact.weight * barrier(state.contact.distance_sq, state.options);
  if constexpr (dim == 3) {
    if (state.contact.kind == ContactKind::mollified_edge_edge) {
      const VecX p = state.local();
      const Vec<3> a = p.segment<3>(3) - p.segment<3>(0), b = p.segment<3>(9) - p.segment<3>(6);
      const double ratio = cross_product(a, b).squaredNorm() / state.contact.mollifier_scale;
      expected *= ratio * (2.0 - ratio);  // [Fer23, eq. 2.24]
    }
  }
  EXPECT_GT(expected, 0.0);
  EXPECT_NEAR(state.energy(state.local()) / expected, 1.0, 1e-10);
}

template <int dim>
void check_derivatives(const State<dim>& state) {
  const VecX p = state.local();
  const double step = test::finite_difference_step * state.gap;
  const VecX gradient = state.gradient(p);
  const VecX by_difference = test::finite_difference_gradient([&](const VecX& q) { return state.energy(q); }, p, step);
  EXPECT_GT(gradient.cwiseAbs().maxCoeff(), 0.0);
  EXPECT_LT(relative_difference(gradient, by_difference, 1e-300), 1e-5);

  const MatX hessian = state.hessian(false);
  const MatX jacobian = test::finite_difference_jacobian([&](const VecX& q) { return state.gradient(q); }, p, step);
  EXPECT_GT(hessian.cwiseAbs().maxCoeff(), 0.0);
  EXPECT_LT(relative_difference(hessian, jacobian, 1e-300), 1e-5);
  EXPECT_LT(relative_difference(hessian, hessian.transpose(), 1e-300), 1e-12);

  // Entries of vertices that a contact does not have are zero; both functions agree on the gradient.
  const ContactDerivatives<dim> whole = state.projected_derivatives();
  EXPECT_EQ(whole.gradient.tail(4 * dim - p.size()).cwiseAbs().sum(), 0.0);
  EXPECT_EQ(whole.hessian.bottomRows(4 * dim - p.size()).cwiseAbs().sum(), 0.0);
  EXPECT_LT(relative_difference(whole.gradient.head(p.size()), gradient, 1e-300), 1e-13);
}

/// Largest |P|_F / |H+|_F so far; H+ is the nearest positive semi-definite matrix to the exact Hessian H.
double largest_ratio = 0.0;

template <int dim>
void check_projection(const State<dim>& state, Random& random, double most = 1.6) {
  const MatX exact = state.hessian(false), projected = state.hessian(true);
  const double norm = projected.norm(), tolerance = 1e-12 * (norm + exact.norm());
  EXPECT_LE((projected - projected.transpose()).cwiseAbs().maxCoeff(), 1e-15 * norm);  // only one half is used
  EXPECT_GE(smallest_eigenvalue(projected), -1e-12 * norm);
  // Each part of the Hessian is replaced by its positive part, so P - H is a sum of positive parts.
  EXPECT_GE(smallest_eigenvalue(projected - exact), -tolerance);
  for (int i = 0; i < 10; ++i) {
    const VecX v = random.vector(exact.rows(), -1.0, 1.0);
    EXPECT_GE(v.dot(projected * v), v.dot(exact * v) - tolerance * v.squaredNorm());
  }
  // Any P >= H that is positive semi-definite has at least the norm of H+; it should not be much more.
  const double ratio = norm / psd_part(exact).norm();
  EXPECT_GE(ratio, 1.0 - 1e-12);
  EXPECT_LT(ratio, most);
  largest_ratio = std::max(largest_ratio, ratio);
}

template <int dim>
void check_invariance(const State<dim>& state) {
  if (state.contact.kind == ContactKind::half_space) return;
  const VecX p = state.local(), gradient = state.gradient(p);
  const MatX hessian = state.hessian(false), projected = state.hessian(true);
  const int n = state.contact.num_vertices();
  VecX spin(p.size());
  for (int axis = 0; axis < dim; ++axis) {
    VecX shift(p.size());
    for (int i = 0; i < n; ++i) {
      shift.segment<dim>(dim * i) = Vec<dim>::Unit(axis);
      // Rotation in the plane of this axis and the next.
      spin.segment<dim>(dim * i).setZero();
      spin[dim * i + axis] = -p[dim * i + (axis + 1) % dim];
      spin[dim * i + (axis + 1) % dim] = p[dim * i + axis];
    }
    const double scale = gradient.norm(), curvature = hessian.norm();
    EXPECT_LT(std::abs(shift.dot(gradient)), 1e-11 * scale);
    EXPECT_LT(std::abs(spin.dot(gradient)), 1e-11 * scale);
    EXPECT_LT((hessian * shift).norm(), 1e-11 * curvature);
    EXPECT_LT((projected * shift).norm(), 1e-11 * projected.norm());
  }
}

template <int dim>
void check_terms(const State<dim>& state) {
  // The exact terms add up to the exact Hessian.
  RankOneSum<dim> exact_sum;
  state.contacts().derivatives_of(state.contact, state.x, HessianKind::exact, exact_sum);
  const ContactDerivatives<dim> exact = state.contacts().exact_derivatives_of(state.contact, state.x);
  EXPECT_LE((exact_sum.dense() - exact.hessian).norm(), 1e-12 * exact.hessian.norm());

  // With a weight below zero, weight times Hessian is projected; the result lies above it and is not negative.
  State<dim> negative = state;
  negative.contact.weight = -negative.contact.weight;
  const ContactDerivatives<dim> projected = negative.projected_derivatives();
  const double norm = exact.hessian.norm();
  EXPECT_GE(smallest_eigenvalue(projected.hessian), -1e-11 * norm);
  EXPECT_GE(smallest_eigenvalue(projected.hessian + exact.hessian), -1e-11 * norm);
  EXPECT_LE((projected.gradient + exact.gradient).norm(), 1e-12 * exact.gradient.norm());
}

// A mollified contact of a point of the second edge pointed the other way, and sticking remembered there had the wrong
// sign.
template <int dim>
void check_orientation(const State<dim>& state) {
  if (state.contact.kind == ContactKind::half_space) return;
  const ContactGap<dim> gap =
      compute_contact_gap<dim>(state.model, state.contact, positions_of<dim>(state.contact, state.x));
  double of_first = 0.0, of_second = 0.0, distance = 0.0;
  for (int i = 0; i < state.contact.num_vertices(); ++i) {
    const double weight = gap.weights[i];
    (i < num_first(state.contact) ? of_first : of_second) += weight;
    distance += weight * gap.normal.dot(block<dim>(state.x, state.vertex(i)));
  }
  EXPECT_NEAR(of_first, 1.0, 1e-9);
  EXPECT_NEAR(of_second, -1.0, 1e-9);
  EXPECT_NEAR(distance, gap.distance, 1e-9);
}

}  // namespace

TEST(ContactFrame, PointsFromTheSecondFeatureToTheFirst) {
  for_all_states<2>([](const auto& state, Random&) { check_orientation<2>(state); });
  for_all_states<3>([](const auto& state, Random&) { check_orientation<3>(state); });
}

TEST(ContactEnergy, IsWeightTimesBarrierTimesMollifier) {
  for_all_states<2>([](const auto& state, Random&) { check_energy(state); });
  for_all_states<3>([](const auto& state, Random&) { check_energy(state); });
}

TEST(ContactDerivatives, MatchFiniteDifferencesForEveryKind) {
  for_all_states<2>([](const auto& state, Random&) { check_derivatives(state); });
  for_all_states<3>([](const auto& state, Random&) { check_derivatives(state); });
}

TEST(ContactDerivatives, ProjectedHessianIsPsdAndDominatesTheExactOne) {
  for_all_states<2>([](const auto& state, Random& random) { check_projection(state, random); });
  for_all_states<3>([](const auto& state, Random& random) { check_projection(state, random); });
  RecordProperty("largest_norm_ratio", std::to_string(largest_ratio));
  std::cout << "largest |P| / |H+|: " << largest_ratio << "\n";
}

TEST(ContactDerivatives, ProjectedHessianOfNearlyParallelEdgesIsAlmostTheNearest) {
  largest_ratio = 0.0;
  for (unsigned seed = 0; seed < 2000; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Random random(seed);
    check_projection(nearly_parallel_edges(random), random, 1.1);
  }
  std::cout << "largest |P| / |H+| of nearly parallel edges: " << largest_ratio << "\n";
}

TEST(ContactDerivatives, RankOneTermsAddUpToTheProjectedHessian) {
  for_all_states<2>([](const auto& state, Random&) { check_terms(state); });
  for_all_states<3>([](const auto& state, Random&) { check_terms(state); });
}

TEST(ContactDerivatives, NeitherForceNorTorqueOnTheWhole) {
  for_all_states<2>([](const auto& state, Random&) { check_invariance(state); });
  for_all_states<3>([](const auto& state, Random&) { check_invariance(state); });
}

TEST(ContactDerivatives, HoldForTinyDistances) {
  // A point 1e-9 m above a triangle: the force along the normal is b' 2d, split by the barycentric weights.
  Model model;
  Contact contact;
  contact.kind = ContactKind::point_triangle;
  contact.vertices = {0, 1, 2, 3};
  VecX x(12);
  x << 0.25, 0.5, 1e-9, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0;
  contact.distance_sq = 1e-18;
  const BarrierOptions options;
  contact.dhat = options.dhat;
  const ContactDerivatives<3> local = projected_derivatives(model, contact, x, options);
  const double force = 2e-9 * barrier_derivatives(1e-18, options).first;
  const std::array<double, 4> weights = {1.0, -0.25, -0.25, -0.5};
  for (int i = 0; i < 4; ++i) {
    EXPECT_NEAR(local.gradient[3 * i + 2] / (force * weights[i]), 1.0, 1e-12);
    EXPECT_LT(local.gradient.segment<2>(3 * i).norm(), 1e-12 * std::abs(force));
  }
  EXPECT_TRUE(local.hessian.allFinite());
  EXPECT_GE(smallest_eigenvalue(local.hessian), -1e-12 * local.hessian.norm());
}

TEST(ContactDerivatives, ParallelEdgesFeelNothingWithTheirMollifier) {
  // Exactly parallel edges: the mollifier and its gradient are zero, whatever the closest features.
  Model model;
  VecX x(12);
  x << 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.25, 0.0, 0.1, 1.25, 0.0, 0.1;
  for (int type = 0; type < 8; ++type) {
    Contact contact;
    contact.kind = ContactKind::mollified_edge_edge;
    contact.edge_edge_type = static_cast<EdgeEdgeType>(type);
    contact.vertices = {0, 1, 2, 3};
    contact.mollifier_scale = 1e-3;
    BarrierOptions options;
    options.dhat = contact.dhat = 5.0;
    contact.distance_sq = feature_distance_sq<3>(model, contact, x);
    const ContactDerivatives<3> local = projected_derivatives(model, contact, x, options);
    EXPECT_EQ(IpcContactModel<3>(model, options).energy_of(contact, x), 0.0) << type;
    EXPECT_EQ(local.gradient.norm(), 0.0) << type;
    EXPECT_TRUE(local.hessian.allFinite()) << type;
    EXPECT_GE(smallest_eigenvalue(local.hessian), -1e-12 * local.hessian.norm()) << type;
  }
}

}  // namespace clearance
