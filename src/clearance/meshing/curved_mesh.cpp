#include "clearance/meshing/curved_mesh.h"

#include <algorithm>
#include <numeric>

#include "clearance/base/parallel.h"
#include "clearance/geometry/curved_cells.h"
#include "clearance/geometry/curved_volume.h"
#include "clearance/geometry/node_bending.h"
#include "clearance/geometry/volume_coefficients.h"
#include "clearance/meshing/blunt_tetrahedra.h"
#include "clearance/meshing/sharp_curves.h"
#include "clearance/meshing/surface_fit.h"

namespace clearance {

namespace {

// Vertices of the straight mesh lie on sharp edges up to rounding, as a share of the size.
constexpr double on_curve = 1e-6;
// Least ratio of the smallest to the largest volume function of an element.
constexpr double least_ratio = 0.05;
// Nodes are held back by halves; after this many their elements are straight.
constexpr int most_halvings = 6;

std::vector<double> numbers_of(const Mesh& mesh, std::size_t cell) {
  std::vector<double> x;
  for (const int v : mesh.nodes_of_cell(cell)) x.insert(x.end(), mesh.vertices[v].begin(), mesh.vertices[v].end());
  return x;
}

/// Returns the ratio of the least to the largest volume function of each element; 0 if it may not be valid.
std::vector<double> volume_ratios(const Mesh& mesh) {
  const CurvedVolume<3> volume(mesh.order_of_cell(0));
  std::vector<double> ratios(mesh.tets.size());
  parallel_for(static_cast<int>(ratios.size()), 16, [&](int cell) {
    const std::vector<double> x = numbers_of(mesh, cell);
    const auto [least, largest] = volume.volume_bounds(x);
    ratios[cell] = least > 0.0 && volume.is_valid(x) ? least / largest : 0.0;
  });
  return ratios;
}

/// Nodes of the boundary on their way from straight elements to the surface.
class Approach {
 public:
  Approach(const Mesh& straight, std::vector<NodePlace> places)
      : straight_(straight), places_(std::move(places)), halvings_(places_.size(), 0) {
    std::vector<int> place_of(straight.vertices.size(), -1);
    for (std::size_t i = 0; i < places_.size(); ++i) place_of[places_[i].node] = static_cast<int>(i);
    for (std::size_t cell = 0; cell < straight.tets.size(); ++cell) {
      places_of_cell_.emplace_back();
      for (const int v : straight.nodes_of_cell(cell)) {
        if (place_of[v] >= 0) places_of_cell_.back().push_back(place_of[v]);
      }
    }
  }

  Mesh bent() const {
    Mesh mesh = straight_;
    NodeBending bending(mesh);
    for (std::size_t i = 0; i < places_.size(); ++i) {
      const auto& [node, place] = places_[i];
      const Vec<3>& from = straight_.vertices[node];
      const double share = halvings_[i] >= most_halvings ? 0.0 : 1.0 / (1 << halvings_[i]);
      bending.move_to(node, share == 1.0 ? place : Vec<3>(from + share * (place - from)));
    }
    bending.run();
    return mesh;
  }

  /// Halves the way of the nodes of some elements. Returns false if all of these are straight already.
  bool hold_back(const std::vector<double>& ratios) {
    std::vector<char> is_held(places_.size(), 0);
    for (std::size_t cell = 0; cell < ratios.size(); ++cell) {
      if (ratios[cell] >= least_ratio) continue;
      for (const int i : places_of_cell_[cell]) is_held[i] = halvings_[i] < most_halvings ? 1 : 0;
    }
    for (std::size_t i = 0; i < is_held.size(); ++i) halvings_[i] += is_held[i];
    return std::find(is_held.begin(), is_held.end(), 1) != is_held.end();
  }

  int num_nodes() const { return static_cast<int>(places_.size()); }
  int num_held() const {
    return static_cast<int>(std::count_if(halvings_.begin(), halvings_.end(), [](int n) { return n > 0; }));
  }

 private:
  const Mesh& straight_;
  std::vector<NodePlace> places_;
  std::vector<int> halvings_;
  std::vector<std::vector<int>> places_of_cell_;
};

}  // namespace

double volume_of_curved(const Mesh& mesh) {
  const VolumeCoefficients<3> volume(mesh.order_of_cell(0));
  double sum = 0.0;
  std::vector<double> coefficients;
  for (std::size_t cell = 0; cell < mesh.tets.size(); ++cell) {
    // All Bernstein polynomials of a degree have the same integral.
    volume.values(numbers_of(mesh, cell), 0, coefficients);
    sum += std::accumulate(coefficients.begin(), coefficients.end(), 0.0) / static_cast<double>(coefficients.size());
  }
  return sum / 6.0;
}

CurvedMesh curve_to_surface(Mesh straight, const Mesh& surface, int order, double sharp_angle) {
  const SharpCurves sharp = find_sharp_curves(surface, sharp_angle);
  const double tolerance = on_curve * bounding_box(surface.vertices).diagonal();
  const CurvePieces pieces =
      match_curves(sharp.curves, straight.vertices, boundary_triangles(straight.tets), tolerance);
  split_blunt_tetrahedra([&](const std::array<int, 2>& edge) { return pieces.contains(edge); }, straight);
  change_order(straight, order);

  Approach approach(straight, fit_boundary_nodes(straight, surface, sharp, pieces));
  CurvedMesh curved;
  while (true) {
    curved.mesh = approach.bent();
    const std::vector<double> ratios = volume_ratios(curved.mesh);
    curved.flattest = *std::min_element(ratios.begin(), ratios.end());
    if (curved.flattest >= least_ratio || !approach.hold_back(ratios)) break;
  }
  curved.num_nodes = approach.num_nodes();
  curved.num_held = approach.num_held();
  return curved;
}

}  // namespace clearance
