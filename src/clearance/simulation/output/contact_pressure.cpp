#include "clearance/simulation/output/contact_pressure.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <span>
#include <utility>

#include "clearance/bodies/fem/curved_faces.h"
#include "clearance/math/dimension.h"

namespace clearance {

namespace {

/// Smallest share of the load at a sharp edge. A face bears nothing if it looks along the force less than this times
/// the face that looks along it most.
constexpr double least_facing = 0.5;

/// Evaluates the Bernstein polynomials of an order at points, one column per polynomial.
MatX bernstein_at(int dim, int order, std::span<const Barycentrics> points) {
  MatX values(std::ssize(points), num_lagrange_nodes(dim, order));
  std::vector<double> row(values.cols());
  for (Eigen::Index r = 0; r < values.rows(); ++r) {
    bernstein_values(dim, order, points[r], row);
    values.row(r) = Eigen::Map<const Eigen::RowVectorXd>(row.data(), std::ssize(row));
  }
  return values;
}

/// Data that faces of the same orders share.
template <int dim>
struct FaceKind {
  FaceKind(int shape_order, int order_of_displacements, bool is_turned)
      : order(order_of_displacements), shape(shape_order, is_turned) {
    for (NodeIndex index : lagrange_nodes(dim - 1, order)) {
      for (int& part : index) part *= shape_order / order;
      coefficients.push_back(lagrange_node(dim - 1, shape_order, index));
    }
    std::vector<Barycentrics> nodes;
    for (const NodeIndex& index : lagrange_nodes(dim - 1, shape_order)) {
      nodes.push_back({});
      for (std::size_t i = 0; i < dim; ++i) nodes.back()[i] = static_cast<double>(index[i]) / shape_order;
    }
    at_nodes = bernstein_at(dim - 1, order, nodes);
  }

  int order;
  CurvedSweep<dim> shape;
  MatX at_nodes;                  // B_a, a row per node
  std::vector<int> coefficients;  // node of each B_a
};

/// A face of a surface. Its nodes are numbered as vertices of frames.
template <int dim>
struct Face {
  const FaceKind<dim>& kind;
  std::span<const int> nodes;     // nodes of its shape
  std::span<const int> vertices;  // surface vertices on the face
  std::span<const Barycentrics> at;
};

/// A face with a force.
template <int dim>
struct LoadedFace {
  const FaceKind<dim>* kind;
  std::vector<int> nodes, points, coefficients;  // all as vertices of frames; `points` are the vertices of the surface
  MatX at_points;                                // B_a, a row per point
  typename CurvedSweep<dim>::Nodes areas;        // [m^2] vectors: integrals of B_a n
};

template <int dim>
class PressureField {
 public:
  PressureField(const SceneModel& scene, const VecX& x, const VecX& forces)
      : scene_(scene), x_(scene.frames.vertex_map.apply(x)), forces_(forces), on_coefficients_(VecX::Zero(x_.size())) {}

  std::vector<double> run() {
    gather_forces();
    find_loaded_faces();
    std::vector<double> largest_facing(num_vertices(), 0.0), pressure = largest_facing;
    for_each_share([&](const LoadedFace<dim>& face, std::size_t a, std::size_t v) {
      largest_facing[v] = std::max(largest_facing[v], facing(face, a));
    });
    const auto bears = [&](const LoadedFace<dim>& face, std::size_t a) {
      const std::size_t v = face.coefficients[a];
      return largest_facing[v] > 0.0 && facing(face, a) >= least_facing * largest_facing[v];
    };
    // Sum of the area vectors [m^2] of the faces that bear a force, each turned to the same side. The component of the
    // force along these faces is no pressure: the gradients of nearly parallel edges have such a component at their
    // other ends.
    std::vector<Vec<dim>> areas(num_vertices(), Vec<dim>::Zero());
    for_each_share([&](const LoadedFace<dim>& face, std::size_t a, std::size_t v) {
      const Vec<dim> area = face.areas.col(static_cast<Eigen::Index>(a));
      if (bears(face, a)) areas[v] += area.dot(force_on(face.coefficients[a])) < 0.0 ? -area : area;
    });
    // Faces around a vertex have the same pressure there if they all bear the force.
    for (const LoadedFace<dim>& face : loaded_) {
      VecX p = VecX::Zero(std::ssize(face.coefficients));
      for (std::size_t a = 0; a < face.coefficients.size(); ++a) {
        const int v = face.coefficients[a];
        const Vec<dim>& area = areas[v];
        if (bears(face, a)) p[static_cast<Eigen::Index>(a)] = force_on(v).dot(area) / area.squaredNorm();
      }
      const auto raise = [&](const std::vector<int>& vertices, const VecX& values) {
        for (std::size_t i = 0; i < vertices.size(); ++i) {
          double& at = pressure[vertices[i]];
          at = std::max(at, values[static_cast<Eigen::Index>(i)]);
        }
      };
      raise(face.nodes, face.kind->at_nodes * p);
      raise(face.points, face.at_points * p);
    }
    return pressure;
  }

 private:
  std::size_t num_vertices() const { return scene_.frames.mesh.vertices.size(); }
  int frame_vertex(int surface_vertex) const { return scene_.vertex_of_surface[surface_vertex]; }
  Vec<dim> force_on(int v) const { return block<dim>(on_coefficients_, v); }

  const FaceKind<dim>& kind_of(int shape_order, int order) {
    return kinds_.try_emplace({shape_order, order}, shape_order, order, scene_.is_axisymmetric).first->second;
  }

  /// Visits the faces of elements whose boundary is the surface, and the pieces of all other surfaces.
  template <class Visit>
  void for_each_face(const Visit& visit) {
    static constexpr std::array<Barycentrics, 3> corners = {{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}}};
    const SurfaceTopology& surface = scene_.model.surface;
    std::vector<char> has_faces(surface.num_bodies(), 0);
    const auto body_of = [&](int v) { return surface.vertex_body[v]; };
    for (const BoundaryFace& face : scene_.boundary_faces) {
      if (face.vertices.empty()) continue;
      has_faces[body_of(face.vertices[0])] = 1;
      const int shape_order = order_of_nodes(dim - 1, face.nodes.size());
      visit(Face<dim>{kind_of(shape_order, face.order), face.nodes, face.vertices, face.at});
    }
    const FaceKind<dim>& flat = kind_of(1, 1);
    const auto visit_pieces = [&](const auto& pieces) {
      for (const auto& piece : pieces) {
        if (has_faces[body_of(piece[0])] != 0) continue;
        std::array<int, dim> nodes;
        for (std::size_t i = 0; i < dim; ++i) nodes[i] = frame_vertex(piece[i]);
        visit(Face<dim>{flat, nodes, piece, std::span(corners).first(dim)});
      }
    };
    if constexpr (dim == 3) {
      visit_pieces(surface.triangles);
    } else {
      visit_pieces(surface.edges);
    }
  }

  /// Computes sum_s B_a(s) f_s with each vertex counted once. The sum for a coefficient is stored at its node.
  void gather_forces() {
    std::vector<char> is_counted(scene_.vertex_of_surface.size(), 0);
    std::vector<double> weights;
    for_each_face([&](const Face<dim>& face) {
      for (std::size_t i = 0; i < face.vertices.size(); ++i) {
        const int s = face.vertices[i];
        const Vec<dim> force = block<dim>(forces_, s);
        if (std::exchange(is_counted[s], 1) != 0 || force.isZero(0.0)) continue;
        weights.resize(face.kind.coefficients.size());
        bernstein_values(dim - 1, face.kind.order, face.at[i], weights);
        for (std::size_t a = 0; a < weights.size(); ++a) {
          const int node = face.nodes[face.kind.coefficients[a]];
          block<dim>(on_coefficients_, node) += weights[a] * force;
        }
      }
    });
  }

  void find_loaded_faces() {
    for_each_face([&](const Face<dim>& face) {
      std::vector<int> coefficients;
      bool is_loaded = false;
      for (const int node : face.kind.coefficients) {
        coefficients.push_back(face.nodes[node]);
        is_loaded = is_loaded || !force_on(coefficients.back()).isZero(0.0);
      }
      if (!is_loaded) return;
      typename CurvedSweep<dim>::Nodes at(dim, std::ssize(face.nodes));
      for (Eigen::Index i = 0; i < at.cols(); ++i) at.col(i) = block<dim>(x_, face.nodes[i]);
      LoadedFace<dim> loaded{&face.kind, {face.nodes.begin(), face.nodes.end()}, {}, std::move(coefficients), {}, {}};
      for (const int s : face.vertices) loaded.points.push_back(frame_vertex(s));
      loaded.at_points = bernstein_at(dim - 1, face.kind.order, face.at);
      // The gradient of a swept volume that is zero holds the integrals of the shape functions.
      loaded.areas = face.kind.shape.gradient(at, at) * face.kind.at_nodes;
      loaded_.push_back(std::move(loaded));
    });
  }

  /// Calls visit(face, a, node) for the coefficients that forces act on.
  template <class Visit>
  void for_each_share(const Visit& visit) const {
    for (const LoadedFace<dim>& face : loaded_) {
      for (std::size_t a = 0; a < face.coefficients.size(); ++a) {
        if (force_on(face.coefficients[a]).isZero(0.0)) continue;
        visit(face, a, face.coefficients[a]);
      }
    }
  }

  /// Returns the magnitude of the cosine between a face's normal and the force.
  double facing(const LoadedFace<dim>& face, std::size_t a) const {
    const Vec<dim> area = face.areas.col(static_cast<Eigen::Index>(a)), force = force_on(face.coefficients[a]);
    return area.isZero(0.0) ? 0.0 : std::abs(area.dot(force)) / (area.norm() * force.norm());
  }

  const SceneModel& scene_;
  VecX x_;  // [m] positions of the vertices of frames
  const VecX& forces_;
  VecX on_coefficients_;                               // [N] per vertex of frames
  std::map<std::array<int, 2>, FaceKind<dim>> kinds_;  // keys: the orders of the shape and of the displacements
  std::vector<LoadedFace<dim>> loaded_;
};

}  // namespace

std::vector<double> contact_pressures(const SceneModel& scene, const VecX& x, const VecX& forces) {
  return with_dimension(scene.dim, [&](auto dim) { return PressureField<dim>(scene, x, forces).run(); });
}

}  // namespace clearance
