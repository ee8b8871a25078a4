// Forms of one state: integrals over straight elements and faces at rest.
#include <Eigen/LU>
#include <cmath>
#include <map>
#include <set>

#include "clearance/bodies/fem/elastic_laws.h"
#include "clearance/bodies/fem/simplex_quadrature.h"
#include "clearance/math/dimension.h"
#include "clearance/math/elementary.h"
#include "clearance/optimise/form.h"

namespace clearance::optimise {
namespace {

using Index = Eigen::Index;

/// Degree of the rule for stresses: that of PolyFEM's files (`quadrature_order`).
constexpr int degree_of_stresses = 5;

auto node_of(const VecX& x, int dim, int node) {
  return x.segment(static_cast<Index>(dim) * node, dim);
}
auto node_of(VecX& x, int dim, int node) {
  return x.segment(static_cast<Index>(dim) * node, dim);
}

/// A rule for simplices with the shape functions of an order at its points.
struct Rule {
  std::vector<double> weights;  // of the volume
  std::vector<VecX> values;     // per point, of all nodes
  std::vector<MatX> gradients;  // per point: one row per node, by the coordinates of the reference element
};

Rule make_rule(int dim, int order, int degree) {
  const std::vector<QuadraturePoint> points =
      dim == 1 ? conical_quadrature(1, degree) : symmetric_quadrature(dim, degree);
  const Index count = num_lagrange_nodes(dim, order);
  Rule rule;
  for (const QuadraturePoint& point : points) {
    VecX values(count);
    lagrange_values(dim, order, point.at, {values.data(), static_cast<std::size_t>(count)});
    std::vector<double> slopes(static_cast<std::size_t>(count * dim));
    lagrange_gradients(dim, order, point.at, slopes);
    rule.weights.push_back(point.weight);
    rule.values.push_back(std::move(values));
    rule.gradients.push_back(Eigen::Map<const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>(
        slopes.data(), count, dim));
  }
  return rule;
}

/// Rules by the order of the shape functions, made when they are first asked for.
class Rules {
 public:
  /// `degree`: of polynomials of the shape functions that are to be exact, for order 1.
  Rules(int dim, int degree_per_order, int least) : dim_(dim), per_order_(degree_per_order), least_(least) {
    for (int order = 1; order <= max_order; ++order) {
      const int degree = std::min(std::max(per_order_ * order, least_), max_symmetric_degree);
      rules_.push_back(make_rule(dim, order, degree));
    }
  }
  const Rule& of(int order) const { return rules_[static_cast<std::size_t>(order) - 1]; }
  int dim() const { return dim_; }

 private:
  int dim_, per_order_, least_;
  std::vector<Rule> rules_;
};

/// A straight simplex at rest: its measure, and the derivative of the measure by its corners.
class Simplex {
 public:
  Simplex(const StateCell& cell, int simplex_dim, int dim, const VecX& x_rest) : corners_(cell.nodes), dim_(dim) {
    corners_.resize(static_cast<std::size_t>(simplex_dim) + 1);
    edges_.resize(dim, simplex_dim);
    for (int i = 0; i < simplex_dim; ++i) {
      edges_.col(i) = node_of(x_rest, dim, corners_[i + 1]) - node_of(x_rest, dim, corners_[0]);
    }
    const MatX gram = edges_.transpose() * edges_;
    double factorial = 1.0;
    for (int i = 2; i <= simplex_dim; ++i) factorial *= i;
    measure_ = std::sqrt(gram.determinant()) / factorial;
  }
  double measure() const { return measure_; }
  const MatX& edges() const { return edges_; }
  /// Adds `factor` times the derivative of the measure.
  void add_gradient(double factor, VecX& by_rest) const {
    const MatX gram = edges_.transpose() * edges_;
    const MatX slope = factor * measure_ * edges_ * gram.inverse();
    for (Index i = 0; i < slope.cols(); ++i) {
      node_of(by_rest, dim_, corners_[static_cast<std::size_t>(i) + 1]) += slope.col(i);
      node_of(by_rest, dim_, corners_[0]) -= slope.col(i);
    }
  }

 private:
  std::vector<int> corners_;
  int dim_;
  MatX edges_;
  double measure_ = 0.0;
};

/// A form of one state.
class StateForm : public Form {
 public:
  StateForm(const StateMesh& mesh, std::size_t state) : mesh_(mesh), state_(state) {}

 protected:
  const StateHistory& history(const Histories& histories) const { return histories[state_]; }
  Simplex cell_at_rest(int cell, const StateHistory& history) const {
    return {mesh_.cells[cell], mesh_.dim, mesh_.dim, history.x_rest};
  }
  const StateMesh& mesh_;
  std::size_t state_;
};

/// Weighted sum of the integrals of the coordinates.
VecX integral_of(const StateMesh& mesh, const Rules& rules, const std::vector<int>& cells, const StateHistory& history,
                 std::size_t step) {
  VecX sum = VecX::Zero(mesh.dim);
  for (const int c : cells) {
    const StateCell& cell = mesh.cells[c];
    const Simplex at_rest(cell, mesh.dim, mesh.dim, history.x_rest);
    const Rule& rule = rules.of(cell.order);
    for (std::size_t q = 0; q < rule.weights.size(); ++q) {
      for (std::size_t a = 0; a < cell.nodes.size(); ++a) {
        sum += at_rest.measure() * rule.weights[q] * rule.values[q][static_cast<Index>(a)] *
               node_of(history.x[step], mesh.dim, cell.nodes[a]);
      }
    }
  }
  return sum;
}

/// Adds the derivative of `factors` times the integral.
void add_gradient_of_integral(const StateMesh& mesh, const Rules& rules, const std::vector<int>& cells,
                              const StateHistory& history, std::size_t step, const VecX& factors, Seeds& seeds) {
  for (const int c : cells) {
    const StateCell& cell = mesh.cells[c];
    const Simplex at_rest(cell, mesh.dim, mesh.dim, history.x_rest);
    const Rule& rule = rules.of(cell.order);
    double mean = 0.0;  // of factors times x
    for (std::size_t a = 0; a < cell.nodes.size(); ++a) {
      double weight = 0.0;
      for (std::size_t q = 0; q < rule.weights.size(); ++q) {
        weight += rule.weights[q] * rule.values[q][static_cast<Index>(a)];
      }
      node_of(seeds.by_x[step], mesh.dim, cell.nodes[a]) += at_rest.measure() * weight * factors;
      mean += weight * factors.dot(node_of(history.x[step], mesh.dim, cell.nodes[a]));
    }
    at_rest.add_gradient(mean, seeds.by_rest);
  }
}

class Position final : public StateForm {
 public:
  Position(const StateMesh& mesh, std::size_t state, std::vector<int> cells, int axis)
      : StateForm(mesh, state), cells_(std::move(cells)), axis_(axis), rules_(mesh.dim, 1, 1) {}

 protected:
  double raw_value(const Histories& histories, std::size_t step) const override {
    return integral_of(mesh_, rules_, cells_, history(histories), step)[axis_];
  }
  void add_raw_gradient(const Histories& histories, std::size_t step, std::size_t of, double factor,
                        Seeds& seeds) const override {
    if (of != state_) return;
    add_gradient_of_integral(mesh_, rules_, cells_, history(histories), step, factor * VecX::Unit(mesh_.dim, axis_),
                             seeds);
  }

 private:
  std::vector<int> cells_;
  int axis_;
  Rules rules_;
};

class CenterTarget final : public StateForm {
 public:
  CenterTarget(const StateMesh& mesh, std::size_t state, std::size_t target_state, std::vector<int> cells)
      : StateForm(mesh, state), target_state_(target_state), cells_(std::move(cells)), rules_(mesh.dim, 1, 1) {}

 protected:
  double raw_value(const Histories& histories, std::size_t step) const override {
    return distance(histories, step).squaredNorm();
  }
  void add_raw_gradient(const Histories& histories, std::size_t step, std::size_t of, double factor,
                        Seeds& seeds) const override {
    if (of != state_) return;
    add_gradient_of_integral(mesh_, rules_, cells_, history(histories), step, 2.0 * factor * distance(histories, step),
                             seeds);
  }

 private:
  /// The target's integral is over its own shape.
  VecX distance(const Histories& histories, std::size_t step) const {
    return integral_of(mesh_, rules_, cells_, history(histories), step) -
           integral_of(mesh_, rules_, cells_, histories[target_state_], step);
  }
  std::size_t target_state_;
  std::vector<int> cells_;
  Rules rules_;
};

class Volume final : public StateForm {
 public:
  Volume(const StateMesh& mesh, std::size_t state, std::vector<int> cells)
      : StateForm(mesh, state), cells_(std::move(cells)) {}

 protected:
  double raw_value(const Histories& histories, std::size_t /*step*/) const override {
    double sum = 0.0;
    for (const int c : cells_) sum += cell_at_rest(c, history(histories)).measure();
    return sum;
  }
  void add_raw_gradient(const Histories& histories, std::size_t /*step*/, std::size_t of, double factor,
                        Seeds& seeds) const override {
    if (of != state_) return;
    for (const int c : cells_) cell_at_rest(c, history(histories)).add_gradient(factor, seeds.by_rest);
  }

 private:
  std::vector<int> cells_;
};

class Target final : public StateForm {
 public:
  Target(const StateMesh& mesh, std::size_t state, std::size_t target_state, std::vector<int> parts, bool is_of_faces)
      : StateForm(mesh, state),
        target_state_(target_state),
        parts_(std::move(parts)),
        is_of_faces_(is_of_faces),
        rules_(is_of_faces ? mesh.dim - 1 : mesh.dim, 2, 1) {}

 protected:
  double raw_value(const Histories& histories, std::size_t step) const override {
    double sum = 0.0;
    for_each(histories, step, [&](const StateCell& /*part*/, const Simplex& at_rest, const Rule& rule, const MatX& d) {
      sum += at_rest.measure() * mean_square(rule, d);
    });
    return sum;
  }
  void add_raw_gradient(const Histories& histories, std::size_t step, std::size_t of, double factor,
                        Seeds& seeds) const override {
    if (of != state_) return;
    for_each(histories, step, [&](const StateCell& part, const Simplex& at_rest, const Rule& rule, const MatX& d) {
      for (std::size_t q = 0; q < rule.weights.size(); ++q) {
        const VecX at_point = d * rule.values[q];
        for (std::size_t a = 0; a < part.nodes.size(); ++a) {
          node_of(seeds.by_x[step], mesh_.dim, part.nodes[a]) +=
              2.0 * factor * at_rest.measure() * rule.weights[q] * rule.values[q][static_cast<Index>(a)] * at_point;
        }
      }
      at_rest.add_gradient(factor * mean_square(rule, d), seeds.by_rest);
    });
  }

 private:
  static double mean_square(const Rule& rule, const MatX& d) {
    double sum = 0.0;
    for (std::size_t q = 0; q < rule.weights.size(); ++q) sum += rule.weights[q] * (d * rule.values[q]).squaredNorm();
    return sum;
  }
  /// Calls visit with each part, and the differences of its nodes in columns.
  template <class Visit>
  void for_each(const Histories& histories, std::size_t step, const Visit& visit) const {
    const VecX &x = history(histories).x[step], &aim = histories[target_state_].x[step];
    for (const int p : parts_) {
      const StateCell& part = is_of_faces_ ? mesh_.faces[p] : mesh_.cells[p];
      MatX d(mesh_.dim, static_cast<Index>(part.nodes.size()));
      for (Index a = 0; a < d.cols(); ++a) {
        const int node = part.nodes[static_cast<std::size_t>(a)];
        d.col(a) = node_of(x, mesh_.dim, node) - node_of(aim, mesh_.dim, node);
      }
      visit(part, Simplex(part, rules_.dim(), mesh_.dim, history(histories).x_rest), rules_.of(part.order), d);
    }
  }
  std::size_t target_state_;
  std::vector<int> parts_;
  bool is_of_faces_;
  Rules rules_;
};

class NodeTarget final : public StateForm {
 public:
  NodeTarget(const StateMesh& mesh, std::size_t state, std::vector<int> nodes, VecX places)
      : StateForm(mesh, state), nodes_(std::move(nodes)), places_(std::move(places)) {}

 protected:
  double raw_value(const Histories& histories, std::size_t step) const override {
    double sum = 0.0;
    for (std::size_t k = 0; k < nodes_.size(); ++k) sum += distance(histories, step, k).squaredNorm();
    return sum;
  }
  void add_raw_gradient(const Histories& histories, std::size_t step, std::size_t of, double factor,
                        Seeds& seeds) const override {
    if (of != state_) return;
    for (std::size_t k = 0; k < nodes_.size(); ++k) {
      node_of(seeds.by_x[step], mesh_.dim, nodes_[k]) += 2.0 * factor * distance(histories, step, k);
    }
  }

 private:
  VecX distance(const Histories& histories, std::size_t step, std::size_t k) const {
    return node_of(history(histories).x[step], mesh_.dim, nodes_[k]) - node_of(places_, mesh_.dim, static_cast<int>(k));
  }
  std::vector<int> nodes_;
  VecX places_;
};

/// Returns d2 psi / dF2 : direction.
template <int dim>
Mat<dim> stress_change(ElasticModel law, const Mat<dim>& f, const Mat<dim>& direction, double mu, double lambda);

template <int dim>
SmallMatrix<double, dim> small(const Mat<dim>& m) {
  SmallMatrix<double, dim> result;
  for (int c = 0; c < dim; ++c) {
    for (int r = 0; r < dim; ++r) result(r, c) = m(r, c);
  }
  return result;
}

template <int dim>
Mat<dim> large(const SmallMatrix<double, dim>& m) {
  Mat<dim> result;
  for (int c = 0; c < dim; ++c) {
    for (int r = 0; r < dim; ++r) result(r, c) = m(r, c);
  }
  return result;
}

template <int dim>
Mat<dim> stress_at(ElasticModel law, const Mat<dim>& f, double mu, double lambda) {
  return large<dim>(material_kernels::stress(law, small<dim>(f), mu, lambda));
}

template <int dim>
Mat<dim> stress_change(ElasticModel law, const Mat<dim>& f, const Mat<dim>& direction, double mu, double lambda) {
  namespace kernels = material_kernels;
  const SvdFrame<double, dim> frame = kernels::principal_frame(law, small<dim>(f));
  const Mat<dim> u = large<dim>(frame.u), v = large<dim>(frame.v);
  const auto h = kernels::principal_hessian(law, frame.sigma, mu, lambda);
  const Mat<dim> d = u.transpose() * direction * v;
  Mat<dim> change = Mat<dim>::Zero();
  for (int i = 0; i < dim; ++i) {
    for (int j = 0; j < dim; ++j) change(i, i) += h.scaling(i, j) * d(j, j);
  }
  for (int p = 0; p < kernels::num_pairs<dim>; ++p) {
    const int i = kernels::pair_first(p), j = kernels::pair_second(p);
    const double flip = 0.5 * h.flip[p] * (d(i, j) + d(j, i)), twist = 0.5 * h.twist[p] * (d(i, j) - d(j, i));
    change(i, j) = flip + twist;
    change(j, i) = flip - twist;
  }
  return u * change * v.transpose();
}

class StressNorm final : public StateForm {
 public:
  StressNorm(const StateMesh& mesh, std::size_t state, std::vector<int> cells, double power)
      : StateForm(mesh, state), cells_(std::move(cells)), power_(power), rules_(mesh.dim, 0, degree_of_stresses) {}

 protected:
  double raw_value(const Histories& histories, std::size_t step) const override {
    return with_dimension(mesh_.dim, [&](auto dim) { return value_in<dim>(history(histories), step); });
  }
  void add_raw_gradient(const Histories& histories, std::size_t step, std::size_t of, double factor,
                        Seeds& seeds) const override {
    if (of != state_) return;
    with_dimension(mesh_.dim, [&](auto dim) { add_gradient_in<dim>(history(histories), step, factor, seeds); });
  }

 private:
  /// Calls visit(cell, weight [m^dim], gradients of the nodes, gradients of the corners, F) at all points.
  template <int dim, class Visit>
  void for_each_point(const StateHistory& history, std::size_t step, const Visit& visit) const {
    for (const int c : cells_) {
      const StateCell& cell = mesh_.cells[c];
      const Simplex at_rest(cell, dim, dim, history.x_rest);
      const Mat<dim> inverse = Mat<dim>(at_rest.edges()).inverse();
      Eigen::Matrix<double, dim + 1, dim> of_corners;
      of_corners.template bottomRows<dim>() = inverse;
      of_corners.row(0) = -inverse.colwise().sum();
      const Rule& rule = rules_.of(cell.order);
      for (std::size_t q = 0; q < rule.weights.size(); ++q) {
        const Eigen::Matrix<double, Eigen::Dynamic, dim> gradients = rule.gradients[q] * inverse;
        Mat<dim> f = Mat<dim>::Zero();
        for (Index a = 0; a < gradients.rows(); ++a) {
          f += Vec<dim>(node_of(history.x[step], dim, cell.nodes[static_cast<std::size_t>(a)])) * gradients.row(a);
        }
        visit(c, at_rest.measure() * rule.weights[q], gradients, of_corners, f);
      }
    }
  }
  template <int dim>
  double value_in(const StateHistory& history, std::size_t step) const {
    double sum = 0.0;
    for_each_point<dim>(history, step, [&](int c, double part, const auto&, const auto&, const Mat<dim>& f) {
      sum += part *
             elementary::pow(stress_at<dim>(mesh_.law[c], f, mu_of(history, c), lambda_of(history, c)).norm(), power_);
    });
    return sum;
  }
  template <int dim>
  void add_gradient_in(const StateHistory& history, std::size_t step, double factor, Seeds& seeds) const {
    for_each_point<dim>(
        history, step, [&](int c, double part, const auto& gradients, const auto& of_corners, const Mat<dim>& f) {
          const double mu = mu_of(history, c), lambda = lambda_of(history, c);
          const ElasticModel law = mesh_.law[c];
          const Mat<dim> stress = stress_at<dim>(law, f, mu, lambda);
          const double norm = stress.norm();
          if (norm == 0.0) return;
          const double density = elementary::pow(norm, power_);
          const Mat<dim> by_stress = power_ * elementary::pow(norm, power_ - 2.0) * stress;
          const Mat<dim> by_f = stress_change<dim>(law, f, by_stress, mu, lambda);
          // A change of the shape changes F by -F G and the volume by its trace, G = sum of dX_a times the gradient of
          // a.
          const Mat<dim> by_shape = density * Mat<dim>::Identity() - f.transpose() * by_f;
          const StateCell& cell = mesh_.cells[c];
          for (Index a = 0; a < gradients.rows(); ++a) {
            node_of(seeds.by_x[step], dim, cell.nodes[static_cast<std::size_t>(a)]) +=
                factor * part * by_f * gradients.row(a).transpose();
          }
          for (int i = 0; i <= dim; ++i) {
            node_of(seeds.by_rest, dim, cell.nodes[i]) += factor * part * by_shape * of_corners.row(i).transpose();
          }
          // Stresses are linear in Lame's parameters.
          const double by_lambda = by_stress.cwiseProduct(stress_at<dim>(law, f, 0.0, 1.0)).sum();
          const double by_mu = by_stress.cwiseProduct(stress_at<dim>(law, f, 1.0, 0.0)).sum();
          seeds.by_lame[c] += factor * part * by_lambda;
          seeds.by_lame[mesh_.num_cells() + c] += factor * part * by_mu;
        });
  }
  double lambda_of(const StateHistory& history, int cell) const { return history.lame[cell]; }
  double mu_of(const StateHistory& history, int cell) const { return history.lame[mesh_.num_cells() + cell]; }

  std::vector<int> cells_;
  double power_;
  Rules rules_;
};

class BoundarySmoothing final : public StateForm {
 public:
  BoundarySmoothing(const StateMesh& mesh, std::size_t state, const std::vector<int>& faces, bool is_scale_invariant,
                    double power)
      : StateForm(mesh, state), is_scale_invariant_(is_scale_invariant), power_(power) {
    for (const int f : faces) {
      const std::vector<int>& nodes = mesh.faces[f].nodes;
      for (int i = 0; i < mesh.dim; ++i) {
        for (int j = 0; j < mesh.dim; ++j) {
          if (i != j) neighbours_[nodes[i]].insert(nodes[j]);
        }
      }
    }
  }

 protected:
  double raw_value(const Histories& histories, std::size_t /*step*/) const override {
    double sum = 0.0;
    for (const auto& [vertex, others] : neighbours_) {
      const auto [offset, length] = offset_of(history(histories).x_rest, vertex, others);
      if (is_scale_invariant_) {
        sum += elementary::pow(offset.norm() / length, power_);
      } else {
        sum += (offset / static_cast<double>(others.size())).squaredNorm();
      }
    }
    return sum;
  }
  void add_raw_gradient(const Histories& histories, std::size_t /*step*/, std::size_t of, double factor,
                        Seeds& seeds) const override {
    if (of != state_) return;
    const VecX& x = history(histories).x_rest;
    for (const auto& [vertex, others] : neighbours_) {
      const auto [offset, length] = offset_of(x, vertex, others);
      const double norm = offset.norm(), count = static_cast<double>(others.size());
      VecX by_offset = 2.0 / (count * count) * offset;
      double by_length = 0.0;
      if (is_scale_invariant_) {
        if (norm == 0.0) continue;
        const double share = norm / length;
        by_offset = power_ * elementary::pow(share, power_ - 1.0) / (length * norm) * offset;
        by_length = -power_ * elementary::pow(share, power_) / length;
      }
      for (const int other : others) {
        const VecX edge = node_of(x, mesh_.dim, vertex) - node_of(x, mesh_.dim, other);
        const VecX slope = factor * (by_offset + by_length * edge.normalized());
        node_of(seeds.by_rest, mesh_.dim, vertex) += slope;
        node_of(seeds.by_rest, mesh_.dim, other) -= slope;
      }
    }
  }

 private:
  /// Returns the sum of the edges that end in a vertex, and of their lengths.
  std::pair<VecX, double> offset_of(const VecX& x, int vertex, const std::set<int>& others) const {
    VecX offset = VecX::Zero(mesh_.dim);
    double length = 0.0;
    for (const int other : others) {
      const VecX edge = node_of(x, mesh_.dim, vertex) - node_of(x, mesh_.dim, other);
      offset += edge;
      length += edge.norm();
    }
    return {offset, length};
  }
  std::map<int, std::set<int>> neighbours_;
  bool is_scale_invariant_;
  double power_;
};

class SmallestDeterminant final : public StateForm {
 public:
  using StateForm::StateForm;

 protected:
  double raw_value(const Histories& histories, std::size_t /*step*/) const override {
    return determinant_of(smallest(histories), histories);
  }
  void add_raw_gradient(const Histories& histories, std::size_t /*step*/, std::size_t of, double factor,
                        Seeds& seeds) const override {
    if (of != state_) return;
    const int cell = smallest(histories);
    const Simplex at_rest = cell_at_rest(cell, history(histories));
    at_rest.add_gradient(factor * determinant_of(cell, histories) / at_rest.measure(), seeds.by_rest);
  }

 private:
  double determinant_of(int cell, const Histories& histories) const {
    return cell_at_rest(cell, history(histories)).edges().determinant();
  }
  int smallest(const Histories& histories) const {
    int best = 0;
    double least = infinity;
    for (int c = 0; c < mesh_.num_cells(); ++c) {
      const double determinant = determinant_of(c, histories);
      if (determinant < least) {
        least = determinant;
        best = c;
      }
    }
    return best;
  }
};

}  // namespace

FormPtr position(const StateMesh& mesh, std::size_t state, std::vector<int> cells, int axis) {
  return std::make_unique<Position>(mesh, state, std::move(cells), axis);
}
FormPtr volume(const StateMesh& mesh, std::size_t state, std::vector<int> cells) {
  return std::make_unique<Volume>(mesh, state, std::move(cells));
}
FormPtr target(const StateMesh& mesh, std::size_t state, std::size_t target_state, std::vector<int> parts,
               bool is_of_faces) {
  return std::make_unique<Target>(mesh, state, target_state, std::move(parts), is_of_faces);
}
FormPtr center_target(const StateMesh& mesh, std::size_t state, std::size_t target_state, std::vector<int> cells) {
  return std::make_unique<CenterTarget>(mesh, state, target_state, std::move(cells));
}
FormPtr node_target(const StateMesh& mesh, std::size_t state, std::vector<int> nodes, VecX places) {
  return std::make_unique<NodeTarget>(mesh, state, std::move(nodes), std::move(places));
}
FormPtr stress_norm(const StateMesh& mesh, std::size_t state, std::vector<int> cells, double power) {
  return std::make_unique<StressNorm>(mesh, state, std::move(cells), power);
}
FormPtr boundary_smoothing(const StateMesh& mesh, std::size_t state, const std::vector<int>& faces,
                           bool is_scale_invariant, double power) {
  return std::make_unique<BoundarySmoothing>(mesh, state, faces, is_scale_invariant, power);
}
FormPtr smallest_determinant(const StateMesh& mesh, std::size_t state) {
  return std::make_unique<SmallestDeterminant>(mesh, state);
}

}  // namespace clearance::optimise
