// Random operations on meshes of shapes with holes, several labels, sets and frozen parts: an operation keeps the
// invariants, and one that is undone leaves no trace. CLEARANCE_FUZZ_EDITS=N does N operations in 2D and as many in 3D.
#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>
#include <random>

#include "clearance/geometry/simplex_mesh_check.h"
#include "geometry/simplex_mesh_support.h"

namespace clearance::test {
namespace {

struct Options {
  unsigned seed = 1;
  double quality = 0.05;
  double shortest_edge = 0.0;
  bool is_turned = false;  ///< no coordinate is exact then, and no face flat but up to rounding
};

/// Turns and shifts the mesh, so that boundary vertices lie on their planes only up to rounding.
template <int dim>
void turn(std::vector<Vec<dim>>& rest) {
  const double c = 0.8, s = std::sqrt(1.0 - c * c);
  for (Vec<dim>& x : rest) {
    const Vec<dim> old = x;
    x[0] = c * old[0] - s * old[1] + 3.1;
    x[1] = s * old[0] + c * old[1] - 1.7;
    if constexpr (dim == 3) {
      const double y = x[1];
      x[1] = c * y - s * old[2];
      x[2] = s * y + c * old[2];
    }
  }
}

/// Makes a plate or block with a hole and a corner cut out, irregular inside. It has labels of cells and facets whose
/// borders are straight and bent, also amid a plane, sets inside and on the boundary, and parts that are frozen or
/// kept.
template <int dim>
MeshData<dim> make_shape(const Options& options) {
  constexpr int cells = dim == 2 ? 12 : 4;
  const auto is_solid = [](const Vec<dim>& x) {
    const bool is_hole = x[0] > -0.25 && x[0] < 0.0 && x[1] > -0.25 && x[1] < 0.0;
    return !is_hole && !(x[0] > 0.25 && x[1] > 0.25);
  };
  MeshData<dim> data = make_data<dim>(make_unit_grid<dim>(cells), is_solid);
  for (std::size_t f = 0; f < data.facets.size(); ++f) {
    const Vec<dim> x = center<dim>(data.rest, data.facets[f]);
    const bool is_straight = data.facet_label[f] % 2 == 0;
    data.facet_label[f] = 2 * data.facet_label[f] + (is_straight ? x[0] > 0.0 : x[0] + 0.7 * x[dim - 1] > 0.1);
  }
  for (const auto& cell : data.cells) data.cell_label.push_back(center<dim>(data.rest, cell)[1] > 0.25 ? 7 : 2);
  data.boundary_sets = 1;
  for (const Vec<dim>& x : data.rest) {
    data.sets.push_back((x[1] == -0.5 ? 1u : 0u) | (x[0] < -0.2 ? 2u : 0u));
    data.is_frozen_vertex.push_back(x[0] > 0.2 && x[1] < -0.2);
    data.is_kept_vertex.push_back(x[0] == -0.5 && x[1] == 0.25);
  }

  // Vertices inside one label are moved at random.
  std::mt19937 engine(options.seed);
  std::uniform_real_distribution<double> offset(-0.15 / cells, 0.15 / cells);
  SimplexMesh<dim> mesh(data, {});
  for (int v = 0; v < mesh.num_vertices(); ++v) {
    Vec<dim> x = mesh.rest(v);
    for (double& component : x) component += offset(engine);
    MeshEdit edit;
    mesh.smooth(v, x, edit);
  }
  data = mesh.compact();
  if (options.is_turned) turn<dim>(data.rest);
  return data;
}

template <int dim>
class Editor {
 public:
  explicit Editor(const Options& options)
      : options_(options),
        engine_(options.seed),
        mesh_(make_shape<dim>(options), {options.quality, options.shortest_edge}),
        measures_(measures(mesh_)),
        usual_size_(mesh_.num_live_cells()) {}

  /// Returns an empty text, or a description of what went wrong.
  std::string run(long num_edits, long num_checked, long check_every) {
    for (num_done_ = 0; num_done_ < num_edits;) {
      if (uniform(256) == 0) {
        if (std::string failure = edit_and_undo(); !failure.empty()) return describe(failure);
      }
      choose_phase();
      MeshEdit edit;
      if (!edit_somewhere(edit)) continue;
      ++num_done_;
      if (edit.kind != MeshEdit::Kind::smooth && edit.kind != MeshEdit::Kind::swap) num_tried_before_edit_ = num_tried_;
      if (num_done_ <= num_checked || num_done_ % check_every == 0) {
        if (std::string failure = check(); !failure.empty()) return describe(failure);
      }
      // A new mesh made from the rest continues like the old one.
      if (mesh_.num_cells() > 20 * usual_size_) {
        mesh_ = SimplexMesh<dim>(mesh_.compact(), {options_.quality, options_.shortest_edge});
      }
    }
    std::string failure = check();
    return failure.empty() ? failure : describe(failure);
  }

  /// Accepted operations by kind: split, collapse, collapse to a midpoint, swap of an edge, of a face, smooth.
  const std::array<long, 6>& num_accepted() const { return num_accepted_; }
  long num_boundary_collapses() const { return num_boundary_collapses_; }
  int num_starts() const { return num_starts_; }
  long num_tried() const { return num_tried_; }

 private:
  int uniform(int end) { return std::uniform_int_distribution<int>(0, end - 1)(engine_); }

  std::string describe(const std::string& failure) const {
    return "seed " + std::to_string(options_.seed) + ", edit " + std::to_string(num_done_) + ": " + failure + "\n";
  }

  std::string check() const {
    if (std::string defect = find_defect(mesh_); !defect.empty()) return defect;
    return are_close(measures(mesh_), measures_, 1e-12) ? "" : "the measure of a label is another";
  }

  /// Makes the mesh finer and coarser in turns; starts anew when hardly anything but moves and swaps is allowed any
  /// more.
  void choose_phase() {
    const int size = mesh_.num_live_cells();
    const long patience = 20 * usual_size_;
    const bool is_stuck = num_tried_ > num_tried_before_phase_ + patience;
    if (is_growing_ ? size > 3 * usual_size_ || is_stuck : size < 3 * usual_size_ / 2 || is_stuck) {
      is_growing_ = !is_growing_;
      num_tried_before_phase_ = num_tried_;
    }
    if (size < 6 * usual_size_ && num_tried_ < num_tried_before_edit_ + patience) return;
    mesh_ = SimplexMesh<dim>(make_shape<dim>(options_), {options_.quality, options_.shortest_edge});
    is_growing_ = true;
    num_tried_before_phase_ = num_tried_before_edit_ = num_tried_;
    ++num_starts_;
  }

  double worst_of(const std::vector<int>& cells) const {
    double worst = infinity;
    for (const int c : cells) worst = std::min(worst, mesh_.quality(c));
    return worst;
  }

  /// Returns, half of the time, the centre of the neighbours, which improves the mesh.
  Vec<dim> somewhere_near(int v) {
    const std::vector<int> neighbours = mesh_.neighbours(v);
    Vec<dim> x = Vec<dim>::Zero();
    for (const int w : neighbours) x += mesh_.rest(w) / static_cast<double>(neighbours.size());
    if (uniform(2) == 0) return x;
    const double length = (mesh_.rest(neighbours[0]) - mesh_.rest(v)).norm();
    x = mesh_.rest(v);
    for (double& component : x) component += length * std::uniform_real_distribution<double>(-0.3, 0.3)(engine_);
    return x;
  }

  bool edit_somewhere(MeshEdit& edit) {
    int c = uniform(mesh_.num_cells());
    while (!mesh_.is_cell_alive(c)) c = uniform(mesh_.num_cells());
    auto cell = mesh_.cell(c);
    std::shuffle(cell.begin(), cell.end(), engine_);
    const int a = cell[0], b = cell[1];
    int kind = uniform(10) < 4 ? 0 : uniform(6);
    if (kind == 0 && !is_growing_) kind = 1 + uniform(2);
    const bool is_outside = mesh_.is_on_boundary(a);
    ++num_tried_;
    EditRefusal refusal = EditRefusal::none;
    switch (kind) {
      case 0:
        refusal = mesh_.split(a, b, edit);
        break;
      case 1:
        refusal = mesh_.collapse(a, b, false, edit);
        break;
      case 2:
        refusal = mesh_.collapse(a, b, true, edit);
        break;
      case 3:
        refusal = mesh_.swap_edge(a, b, edit);
        break;
      case 4:
        refusal = mesh_.swap_face({a, b, cell[2]}, edit);
        break;
      default:
        refusal = mesh_.smooth(a, somewhere_near(a), edit);
    }
    if (refusal != EditRefusal::none) return false;
    if (edit.kind == MeshEdit::Kind::swap && worst_of(edit.added_cells) < worst_of(edit.removed_cells)) {
      mesh_.undo(edit);
      return false;
    }
    ++num_accepted_[kind];
    num_boundary_collapses_ += kind == 1 && is_outside;
    return true;
  }

  /// Does some operations and takes them back in reverse order; refused ones among them must change nothing.
  std::string edit_and_undo() {
    std::vector<std::vector<std::uint64_t>> states = {snapshot(mesh_)};
    std::vector<MeshEdit> edits;
    const std::size_t num_wanted = 1 + static_cast<std::size_t>(uniform(4));
    for (int attempt = 0; attempt < 40 && edits.size() < num_wanted; ++attempt) {
      MeshEdit edit;
      if (!edit_somewhere(edit)) continue;
      edits.push_back(edit);
      states.push_back(snapshot(mesh_));
    }
    for (; !edits.empty(); edits.pop_back()) {
      mesh_.undo(edits.back());
      states.pop_back();
      if (snapshot(mesh_) != states.back()) return "what was undone or refused left something";
    }
    return "";
  }

  Options options_;
  std::mt19937 engine_;
  SimplexMesh<dim> mesh_;
  std::map<int, double> measures_;
  int usual_size_;
  bool is_growing_ = true;
  long num_done_ = 0, num_tried_ = 0, num_boundary_collapses_ = 0;
  long num_tried_before_phase_ = 0, num_tried_before_edit_ = 0;
  int num_starts_ = 1;
  std::array<long, 6> num_accepted_ = {};
};

template <int dim>
void edit_at_random() {
  const char* text = std::getenv("CLEARANCE_FUZZ_EDITS");
  const Options runs[] = {{1}, {2, 0.05, 0.02, true}, {3, 0.0}, {4, 0.0, 0.0, true}};
  const long num_edits = (text != nullptr ? std::atol(text) : 3000) / std::ssize(runs);
  for (const Options& options : runs) {
    Editor<dim> editor(options);
    EXPECT_EQ(editor.run(num_edits, 100, text != nullptr ? 1000 : 50), "");
    const auto& n = editor.num_accepted();
    std::cout << dim << "D, seed " << options.seed << ": " << n[0] << " splits, " << n[1] + n[2] << " collapses ("
              << n[2] << " to a midpoint, " << editor.num_boundary_collapses() << " on the boundary), " << n[3]
              << " swaps of edges, " << n[4] << " of faces, " << n[5] << " moves, of " << editor.num_tried()
              << " that were tried; " << editor.num_starts() << " starts\n";
    for (std::size_t kind = 0; kind < n.size(); ++kind) EXPECT_TRUE(n[kind] > 0 || (dim == 2 && kind == 4)) << kind;
    EXPECT_GT(editor.num_boundary_collapses(), 0);
  }
}

TEST(SimplexMeshFuzz, OperationsKeepAllThatTheyPromise2D) {
  edit_at_random<2>();
}

TEST(SimplexMeshFuzz, OperationsKeepAllThatTheyPromise3D) {
  edit_at_random<3>();
}

}  // namespace
}  // namespace clearance::test
