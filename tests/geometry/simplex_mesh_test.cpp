// Operations on simplex meshes one by one: their results, and the reasons why they are refused.
#include "clearance/geometry/simplex_mesh.h"

#include <gtest/gtest.h>

#include "clearance/geometry/simplex_mesh_check.h"
#include "geometry/simplex_mesh_support.h"

namespace clearance::test {
namespace {

using Mesh2 = SimplexMesh<2>;
using Mesh3 = SimplexMesh<3>;

template <int dim>
int vertex_at(const SimplexMesh<dim>& mesh, const Vec<dim>& x) {
  for (int v = 0; v < mesh.num_vertices(); ++v) {
    if (mesh.is_vertex_alive(v) && mesh.rest(v) == x) return v;
  }
  ADD_FAILURE() << "no vertex at " << x.transpose();
  return 0;
}

/// Returns the vertices of the live cells, each turned by an even permutation to begin with its smallest vertex, in
/// ascending order.
template <int dim>
std::vector<std::array<int, dim + 1>> live_cells(const SimplexMesh<dim>& mesh) {
  std::vector<std::array<int, dim + 1>> cells;
  for (int c = 0; c < mesh.num_cells(); ++c) {
    if (!mesh.is_cell_alive(c)) continue;
    auto cell = mesh.cell(c);
    bool is_odd = false;
    for (std::size_t i = 0; i + 2 < cell.size(); ++i) {
      const auto smallest = std::min_element(cell.begin() + static_cast<int>(i), cell.end());
      if (*smallest == cell[i]) continue;
      std::swap(*smallest, cell[i]);
      is_odd = !is_odd;
    }
    if (is_odd) std::swap(cell[dim - 1], cell[dim]);
    cells.push_back(cell);
  }
  std::sort(cells.begin(), cells.end());
  return cells;
}

/// Returns a mesh of these cells, with its boundary labelled by planes.
Mesh3::Data make_tets(std::vector<Vec<3>> rest, std::vector<std::array<int, 4>> cells) {
  Mesh3::Data data;
  data.rest = std::move(rest);
  data.cells = std::move(cells);
  data.facets = boundary_triangles(data.cells);
  data.facet_label = planes_of_facets<3>(data.rest, data.facets);
  return data;
}

// --- quality and planes ---

TEST(MeanRatio, IsOneForEquilateralSimplicesWhateverTheirSizeAndPlace) {
  const double height = std::sqrt(3.0) / 2.0;
  EXPECT_NEAR(mean_ratio<2>({Vec<2>(5, 5), Vec<2>(7, 5), Vec<2>(6, 5 + 2 * height)}), 1.0, 1e-14);
  // Corners of a cube.
  const double a = 1e-3;
  EXPECT_NEAR(mean_ratio<3>({Vec<3>(0, 0, 0), Vec<3>(a, a, 0), Vec<3>(0, a, a), Vec<3>(a, 0, a)}), 1.0, 1e-14);
}

TEST(MeanRatio, MatchesClosedForms) {
  // The mean ratio of half a square: 4 sqrt(3) A / (sum of squared edges) = 4 sqrt(3) / 2 / 4.
  EXPECT_NEAR(mean_ratio<2>({Vec<2>(0, 0), Vec<2>(1, 0), Vec<2>(0, 1)}), std::sqrt(3.0) / 2.0, 1e-14);
  // The mean ratio of a cube's corner: 12 (3 V)^(2/3) / 9 with V = 1/6.
  const double corner = 12.0 * std::cbrt(0.25) / 9.0;
  EXPECT_NEAR(mean_ratio<3>({Vec<3>(0, 0, 0), Vec<3>(1, 0, 0), Vec<3>(0, 1, 0), Vec<3>(0, 0, 1)}), corner, 1e-14);
  EXPECT_NEAR(mean_ratio_power<3>({Vec<3>(0, 0, 0), Vec<3>(1, 0, 0), Vec<3>(0, 1, 0), Vec<3>(0, 0, 1)}),
              corner * corner * corner, 1e-14);
}

TEST(MeanRatio, IsZeroForFlatAndInvertedSimplices) {
  EXPECT_EQ(mean_ratio<2>({Vec<2>(0, 0), Vec<2>(1, 1), Vec<2>(2, 2)}), 0.0);
  EXPECT_EQ(mean_ratio<2>({Vec<2>(0, 0), Vec<2>(0, 1), Vec<2>(1, 0)}), 0.0);
  EXPECT_EQ(mean_ratio<2>({Vec<2>(1, 1), Vec<2>(1, 1), Vec<2>(1, 1)}), 0.0);
  EXPECT_EQ(mean_ratio<3>({Vec<3>(0, 0, 0), Vec<3>(1, 0, 0), Vec<3>(0, 1, 0), Vec<3>(1, 1, 0)}), 0.0);
}

TEST(PlanesOfFacets, CubeHasSixAndSquareFour) {
  const auto cube = make_data<3>(make_unit_grid<3>(3));
  EXPECT_EQ(*std::ranges::max_element(cube.facet_label), 5);
  for (std::size_t f = 0; f < cube.facets.size(); ++f) {
    for (std::size_t g = 0; g < f; ++g) {
      const auto side = [&](std::size_t i) {
        const Vec<3> x = center<3>(cube.rest, cube.facets[i]);
        Eigen::Index axis = 0;
        x.cwiseAbs().maxCoeff(&axis);
        return std::pair(axis, x[axis] > 0.0);
      };
      EXPECT_EQ(cube.facet_label[f] == cube.facet_label[g], side(f) == side(g));
    }
  }
  const auto square = make_data<2>(make_unit_grid<2>(3));
  EXPECT_EQ(*std::ranges::max_element(square.facet_label), 3);
}

TEST(PlanesOfFacets, CoplanarFacesThatDoNotTouchAreApart) {
  // The shape is a U: its two ends at the top lie on one line (plane) but are two facets, and so are inner and outer
  // sides.
  const auto is_in_u = [](const auto& x) { return x[1] < -1.0 / 6.0 || std::abs(x[0]) > 1.0 / 6.0; };
  const auto flat = make_data<2>(make_unit_grid<2>(3), is_in_u);
  EXPECT_EQ(*std::ranges::max_element(flat.facet_label) + 1, 8);
  const auto solid = make_data<3>(make_unit_grid<3>(3), is_in_u);
  EXPECT_EQ(*std::ranges::max_element(solid.facet_label) + 1, 10);
}

TEST(PlanesOfFacets, AreToldApartByTheLeastBend) {
  std::vector<Vec<2>> x = {{0, 0}, {1, 1}, {2, 2}, {3, std::nextafter(3.0, 4.0)}};
  EXPECT_EQ(planes_of_facets<2>(x, {{0, 1}, {1, 2}, {2, 3}}), (std::vector<int>{0, 0, 1}));
}

// --- split ---

template <class Mesh>
class SimplexMeshOf : public testing::Test {};
using Dimensions = testing::Types<std::integral_constant<int, 2>, std::integral_constant<int, 3>>;
TYPED_TEST_SUITE(SimplexMeshOf, Dimensions);

TYPED_TEST(SimplexMeshOf, SplitOfEveryEdgeKeepsVolumesAreasAndLabels) {
  constexpr int dim = TypeParam::value;
  SimplexMesh<dim> mesh(make_data<dim>(make_unit_grid<dim>(2)), {});
  const auto before = measures(mesh);
  for (const auto& [a, b] : mesh.edges()) {
    MeshEdit edit;
    const int num_cells = static_cast<int>(mesh.cells_at_edge(a, b).size());
    const bool is_outside = mesh.is_boundary_edge(a, b);
    ASSERT_EQ(mesh.split(a, b, edit), EditRefusal::none);
    EXPECT_EQ(edit.vertex, mesh.num_vertices() - 1);
    EXPECT_EQ(mesh.rest(edit.vertex), 0.5 * (mesh.rest(a) + mesh.rest(b)));
    EXPECT_EQ(edit.ends, (std::array<int, 2>{a, b}));
    EXPECT_EQ(static_cast<int>(edit.removed_cells.size()), num_cells);
    EXPECT_EQ(static_cast<int>(edit.added_cells.size()), 2 * num_cells);
    EXPECT_EQ(edit.removed_facets.size(), is_outside ? dim - 1u : 0u);
    EXPECT_EQ(edit.is_on_boundary, is_outside);
    EXPECT_EQ(find_defect(mesh), "");
    mesh.undo(edit);
  }
  for (const auto& [a, b] : mesh.edges()) {
    MeshEdit edit;
    ASSERT_EQ(mesh.split(a, b, edit), EditRefusal::none);
  }
  EXPECT_EQ(find_defect(mesh), "");
  EXPECT_TRUE(are_close(measures(mesh), before, 1e-14));
}

TYPED_TEST(SimplexMeshOf, MidpointIsInSetsOfBothEnds) {
  constexpr int dim = TypeParam::value;
  auto data = make_data<dim>(make_unit_grid<dim>(1));
  // Bit 0 marks all boundary vertices; bit 1 all of the volume; bit 2 the half at x < 0.
  data.boundary_sets = 1;
  for (const Vec<dim>& x : data.rest) data.sets.push_back(x[0] < 0.0 ? 7u : 3u);
  SimplexMesh<dim> mesh(data, {});
  int num_inside = 0;
  for (const auto& [a, b] : mesh.edges()) {
    const bool is_outside = mesh.is_boundary_edge(a, b);
    const bool is_in_half = mesh.rest(a)[0] < 0.0 && mesh.rest(b)[0] < 0.0;
    MeshEdit edit;
    ASSERT_EQ(mesh.split(a, b, edit), EditRefusal::none);
    // An edge through the volume between two boundary vertices is not on the boundary.
    EXPECT_EQ(mesh.sets(edit.vertex), (is_outside ? 1u : 0u) | 2u | (is_in_half ? 4u : 0u));
    EXPECT_FALSE(mesh.is_frozen(edit.vertex) || mesh.is_kept(edit.vertex));
    num_inside += !is_outside;
    mesh.undo(edit);
  }
  EXPECT_EQ(num_inside, 1);
}

TYPED_TEST(SimplexMeshOf, SplitIsRefusedForFrozenShortAndMissingEdges) {
  constexpr int dim = TypeParam::value;
  auto data = make_data<dim>(make_unit_grid<dim>(1));
  data.is_frozen_vertex.assign(data.rest.size(), 0);
  data.is_kept_vertex.assign(data.rest.size(), 1);
  Vec<dim> x = Vec<dim>::Constant(-0.5);
  SimplexMesh<dim> corners(data, {});
  const int a = vertex_at<dim>(corners, x);
  x[0] = 0.5;
  const int b = vertex_at<dim>(corners, x);
  data.is_frozen_vertex[a] = 1;
  MeshEdit edit;
  EXPECT_EQ(SimplexMesh<dim>(data, {}).split(a, b, edit), EditRefusal::none);
  EXPECT_EQ(SimplexMesh<dim>(data, {0.05, 0.5}).split(a, b, edit), EditRefusal::none);
  EXPECT_EQ(SimplexMesh<dim>(data, {0.05, 0.5 + 1e-15}).split(a, b, edit), EditRefusal::too_short);
  EXPECT_EQ(SimplexMesh<dim>(data, {}).split(a, a, edit), EditRefusal::no_such_feature);
  EXPECT_EQ(SimplexMesh<dim>(data, {0.9, 0.0}).split(a, b, edit), EditRefusal::quality);
  data.is_frozen_vertex[b] = 1;
  EXPECT_EQ(SimplexMesh<dim>(data, {}).split(a, b, edit), EditRefusal::frozen);

  SimplexMesh<dim> grid(make_data<dim>(make_unit_grid<dim>(4)), {});
  const int far = vertex_at<dim>(grid, Vec<dim>::Constant(0.5));
  EXPECT_EQ(grid.split(vertex_at<dim>(grid, Vec<dim>::Constant(-0.5)), far, edit), EditRefusal::no_such_feature);
}

// --- collapse ---

TYPED_TEST(SimplexMeshOf, CollapseToTheEndOfASplitEdgeIsItsReverse) {
  constexpr int dim = TypeParam::value;
  auto data = make_data<dim>(make_unit_grid<dim>(3));
  for (const auto& cell : data.cells) data.cell_label.push_back(center<dim>(data.rest, cell)[0] > 0.17 ? 1 : 0);
  SimplexMesh<dim> mesh(data, {});
  for (const auto& [a, b] : mesh.edges()) {
    const auto before = live_cells(mesh);
    MeshEdit split, collapse;
    ASSERT_EQ(mesh.split(a, b, split), EditRefusal::none);
    const EditRefusal refusal = mesh.collapse(split.vertex, a, false, collapse);
    if (refusal == EditRefusal::none) {
      EXPECT_EQ(live_cells(mesh), before);
      EXPECT_EQ(find_defect(mesh), "");
      EXPECT_EQ(collapse.vertex, a);
      EXPECT_EQ(collapse.ends, (std::array<int, 2>{a, split.vertex}));
      EXPECT_FALSE(mesh.is_vertex_alive(split.vertex));
      EXPECT_TRUE(mesh.neighbours(split.vertex).empty());
      mesh.undo(collapse);
    } else {
      // Cells of two labels meet there.
      EXPECT_EQ(refusal, EditRefusal::label);
    }
    mesh.undo(split);
    EXPECT_EQ(live_cells(mesh), before);
  }
}

TYPED_TEST(SimplexMeshOf, CollapseToTheMidpointMovesWhatIsLeftAndUndoMovesItBack) {
  constexpr int dim = TypeParam::value;
  auto data = make_data<dim>(make_unit_grid<dim>(5));
  SimplexMesh<dim> mesh(data, {});
  int num_done = 0;
  for (const auto& [kept, removed] : mesh.edges()) {
    const auto before = snapshot(mesh);
    const Vec<dim> middle = 0.5 * (mesh.rest(kept) + mesh.rest(removed));
    MeshEdit edit;
    const EditRefusal refusal = mesh.collapse(removed, kept, true, edit);
    if (mesh.is_on_boundary(kept) || mesh.is_on_boundary(removed)) {
      EXPECT_EQ(refusal, EditRefusal::boundary);
      continue;
    }
    if (refusal != EditRefusal::none) continue;
    ++num_done;
    EXPECT_TRUE(edit.is_at_midpoint);
    EXPECT_EQ(mesh.rest(kept), middle);
    EXPECT_EQ(find_defect(mesh), "");
    mesh.undo(edit);
    EXPECT_EQ(snapshot(mesh), before);
  }
  EXPECT_GT(num_done, 0);
}

TYPED_TEST(SimplexMeshOf, CollapseKeepsFrozenAndKeptVerticesSetsAndInterfaces) {
  constexpr int dim = TypeParam::value;
  const auto data = make_data<dim>(make_unit_grid<dim>(4));
  const SimplexMesh<dim> plain(data, {});
  const int a = vertex_at<dim>(plain, Vec<dim>::Zero());
  const int b = vertex_at<dim>(plain, 0.25 * Vec<dim>::Unit(0));
  const auto collapse = [&](const MeshData<dim>& changed, int removed, int kept, bool at_midpoint = false) {
    SimplexMesh<dim> mesh(changed, {});
    const auto before = snapshot(mesh);
    MeshEdit edit;
    const EditRefusal refusal = mesh.collapse(removed, kept, at_midpoint, edit);
    EXPECT_EQ(refusal != EditRefusal::none, snapshot(mesh) == before);
    return refusal;
  };
  EXPECT_EQ(collapse(data, a, b), EditRefusal::none);
  EXPECT_EQ(collapse(data, a, b, true), EditRefusal::none);
  EXPECT_EQ(collapse(data, a, a), EditRefusal::no_such_feature);
  for (const bool is_frozen : {false, true}) {
    auto changed = data;
    auto& marks = is_frozen ? changed.is_frozen_vertex : changed.is_kept_vertex;
    marks.assign(data.rest.size(), 0);
    marks[a] = 1;
    EXPECT_EQ(collapse(changed, a, b), EditRefusal::frozen);
    EXPECT_EQ(collapse(changed, b, a), EditRefusal::none);
    EXPECT_EQ(collapse(changed, b, a, true), EditRefusal::frozen);
  }
  auto changed = data;
  changed.sets.assign(data.rest.size(), 0);
  changed.sets[a] = 4;
  EXPECT_EQ(collapse(changed, a, b), EditRefusal::label);
  EXPECT_EQ(collapse(changed, b, a), EditRefusal::none);
  // An interface runs through a, along x = 0.
  changed = data;
  for (const auto& cell : data.cells) changed.cell_label.push_back(center<dim>(data.rest, cell)[0] > 0.0 ? 1 : 0);
  EXPECT_EQ(collapse(changed, a, b), EditRefusal::label);
  EXPECT_EQ(collapse(changed, b, a), EditRefusal::none);
  EXPECT_EQ(collapse(changed, b, a, true), EditRefusal::label);
}

TYPED_TEST(SimplexMeshOf, CollapseOnTheBoundaryGoesAlongFacesAndFeaturesAlone) {
  constexpr int dim = TypeParam::value;
  SimplexMesh<dim> mesh(make_data<dim>(make_unit_grid<dim>(4)), {0.0, 0.0});
  const auto num_sides = [&](int v) {
    return static_cast<int>(std::ranges::count(mesh.rest(v).cwiseAbs().eval(), 0.5));
  };
  int num_along_features = 0, num_along_faces = 0;
  for (const auto& [a, b] : mesh.edges()) {
    for (const auto& [removed, kept] : {std::array{a, b}, std::array{b, a}}) {
      if (num_sides(removed) == 0) continue;
      // Every side of the cube that contains `removed` must contain `kept`, which may lie on more sides.
      bool is_along = mesh.is_boundary_edge(removed, kept) && num_sides(removed) < dim;
      for (int k = 0; k < dim; ++k) {
        is_along &= std::abs(mesh.rest(removed)[k]) < 0.5 || mesh.rest(removed)[k] == mesh.rest(kept)[k];
      }
      MeshEdit edit;
      const EditRefusal refusal = mesh.collapse(removed, kept, false, edit);
      // Along those sides, the only other possible refusal is for the shape of the cells, which depends on the
      // diagonals.
      EXPECT_EQ(refusal == EditRefusal::boundary, !is_along);
      if (refusal != EditRefusal::none) continue;
      (num_sides(removed) > 1 ? num_along_features : num_along_faces) += 1;
      EXPECT_EQ(find_defect(mesh), "");
      mesh.undo(edit);
    }
  }
  EXPECT_GT(num_along_faces, 0);
  EXPECT_EQ(num_along_features > 0, dim == 3);
}

TEST(SimplexMesh, CollapseKeepsCornersOfAnotherLabelAmidAPlane2D) {
  auto data = make_data<2>(make_unit_grid<2>(4));
  for (std::size_t f = 0; f < data.facets.size(); ++f) {
    if (center<2>(data.rest, data.facets[f])[0] > 0.0) data.facet_label[f] += 10;
  }
  Mesh2 mesh(data, {});
  const auto at = [&](double x) { return vertex_at<2>(mesh, {x, -0.5}); };
  MeshEdit edit;
  EXPECT_EQ(mesh.collapse(at(0.0), at(0.25), false, edit), EditRefusal::boundary);
  EXPECT_EQ(mesh.collapse(at(0.25), at(0.0), false, edit), EditRefusal::none);
}

TEST(SimplexMesh, CollapseAlongTheBorderOfTwoLabelsInAPlaneNeedsAStraightBorder) {
  // The top face has two labels whose border runs along x = 0, and steps to x = 0.25 in the last cell: a bend at (0,
  // 0.25).
  auto data = make_data<3>(make_unit_grid<3>(4));
  for (std::size_t f = 0; f < data.facets.size(); ++f) {
    const Vec<3> x = center<3>(data.rest, data.facets[f]);
    if (x[2] == 0.5) data.facet_label[f] = x[0] < (x[1] < 0.25 ? 0.0 : 0.25) ? 20 : 21;
  }
  Mesh3 mesh(data, {0.0, 0.0});
  const auto at = [&](double x, double y) { return vertex_at<3>(mesh, {x, y, 0.5}); };
  MeshEdit edit;
  EXPECT_EQ(mesh.collapse(at(0.0, 0.25), at(0.0, 0.0), false, edit), EditRefusal::boundary);
  EXPECT_EQ(mesh.collapse(at(0.0, 0.0), at(0.25, 0.0), false, edit), EditRefusal::boundary);
  EXPECT_EQ(mesh.collapse(at(0.0, 0.0), at(0.0, -0.25), false, edit), EditRefusal::none);
  EXPECT_EQ(find_defect(mesh), "");
}

TEST(SimplexMesh, CollapseThatBendsALabelIsRefused) {
  // The facets of a disk all have one label, though they lie on many lines: none of its vertices may go.
  auto data = make_data<2>(make_disk(1.0, 3));
  std::ranges::fill(data.facet_label, 0);
  Mesh2 mesh(data, {});
  for (const auto& facet : data.facets) {
    MeshEdit edit;
    EXPECT_EQ(mesh.collapse(facet[0], facet[1], false, edit), EditRefusal::boundary);
  }
}

TEST(SimplexMesh, CollapseThatBendsASurfaceOfOneOrTwoLabelsIsRefused) {
  for (const bool has_halves : {false, true}) {
    auto data = make_data<3>(make_sphere(1.0, 2));
    for (std::size_t f = 0; f < data.facets.size(); ++f) {
      data.facet_label[f] = has_halves && center<3>(data.rest, data.facets[f])[1] > 0.0;
    }
    Mesh3 mesh(data, {0.0, 0.0});
    for (const auto& facet : data.facets) {
      MeshEdit edit;
      EXPECT_EQ(mesh.collapse(facet[0], facet[1], false, edit), EditRefusal::boundary);
    }
  }
}

TEST(SimplexMesh, CollapseThatTurnsAFacetOverIsRefused) {
  // A pyramid has a base with a dent at 3: seen from 1 the side 3 4 is turned away, from 3 no side is.
  Mesh3 mesh(make_tets({{0, 0, 0}, {2, -1, 0}, {2, 1, 0}, {0.2, 0.3, 0}, {-2, 3, 0}, {-2, -1, 0}, {0, 0, 1}},
                       {{0, 1, 2, 6}, {0, 2, 3, 6}, {0, 3, 4, 6}, {0, 4, 5, 6}, {0, 5, 1, 6}}),
             {0.0, 0.0});
  ASSERT_EQ(find_defect(mesh), "");
  MeshEdit edit;
  EXPECT_EQ(mesh.collapse(0, 1, false, edit), EditRefusal::boundary);
  EXPECT_EQ(mesh.collapse(0, 3, false, edit), EditRefusal::none);
  EXPECT_EQ(find_defect(mesh), "");
}

TEST(SimplexMesh, CollapseThatWouldCloseAHoleOrPinchIsRefused2D) {
  // A ring one cell wide around a hole: edges across it join both of its boundaries.
  const auto is_ring = [](const Vec<2>& x) { return x.cwiseAbs().maxCoeff() > 1.0 / 6.0; };
  Mesh2 mesh(make_data<2>(make_unit_grid<2>(3), is_ring), {0.0, 0.0});
  int num_across = 0;
  for (const auto& [a, b] : mesh.edges()) {
    if (!mesh.is_on_boundary(a) || !mesh.is_on_boundary(b) || mesh.is_boundary_edge(a, b)) continue;
    MeshEdit edit;
    EXPECT_EQ(mesh.collapse(a, b, false, edit), EditRefusal::boundary);
    EXPECT_EQ(mesh.collapse(b, a, false, edit), EditRefusal::boundary);
    EXPECT_FALSE(mesh.holds_link_condition(a, b));
    ++num_across;
  }
  EXPECT_GE(num_across, 8);
}

TEST(SimplexMesh, CollapseOfTheLastCellsIsRefusedByTheLinkCondition) {
  // A lone triangle and a lone tetrahedron; the latter also with a vertex amid an edge, which may go again.
  Mesh2::Data flat;
  flat.rest = {{0, 0}, {2, 0}, {0, 2}};
  flat.cells = {{0, 1, 2}};
  flat.facets = boundary_edges(flat.cells);
  flat.facet_label = {0, 0, 0};
  Mesh2 triangle(flat, {});
  EXPECT_FALSE(triangle.holds_link_condition(0, 1));
  Mesh3 tet(make_tets({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {{0, 1, 2, 3}}), {});
  EXPECT_FALSE(tet.holds_link_condition(0, 1));
  MeshEdit edit;
  ASSERT_EQ(tet.split(0, 1, edit), EditRefusal::none);
  EXPECT_TRUE(tet.holds_link_condition(edit.vertex, 0));
  EXPECT_EQ(tet.collapse(0, edit.vertex, false, edit), EditRefusal::boundary);
  EXPECT_EQ(tet.collapse(4, 0, false, edit), EditRefusal::none);
  EXPECT_EQ(find_defect(tet), "");
}

TEST(SimplexMesh, CollapseWithACommonNeighbourBeyondTheEdgeIsRefusedByTopology) {
  // A triangle a b p around an inner vertex q: a and b share p, which is not opposite of the edge; then contracting a b
  // would fold the three cells at q.
  Mesh2::Data data;
  data.rest = {{-1, 0}, {1, 0}, {0, 2}, {0, 0.7}, {0, -1}, {-3, -1}, {3, -1}, {0, 4}};
  data.cells = {{0, 1, 3}, {1, 2, 3}, {2, 0, 3}, {0, 4, 1}, {5, 4, 0},
                {4, 6, 1}, {6, 2, 1}, {6, 7, 2}, {7, 5, 2}, {5, 0, 2}};
  data.facets = boundary_edges(data.cells);
  data.facet_label = planes_of_facets<2>(data.rest, data.facets);
  Mesh2 mesh(data, {0.0, 0.0});
  ASSERT_EQ(find_defect(mesh), "");
  MeshEdit edit;
  EXPECT_EQ(mesh.collapse(0, 1, false, edit), EditRefusal::topology);
  EXPECT_EQ(mesh.collapse(0, 1, true, edit), EditRefusal::topology);
  EXPECT_EQ(mesh.collapse(3, 1, false, edit), EditRefusal::none);
  EXPECT_EQ(mesh.collapse(0, 1, false, edit), EditRefusal::none);
  EXPECT_EQ(find_defect(mesh), "");
}

TEST(SimplexMesh, CollapseOfAnEdgeWhoseEndsShareAnEdgeBeyondItIsRefusedByTopology) {
  // A tetrahedron inside is divided in four at its centre: each two of its corners are both joined to the edge of the
  // other two, but no cell contains all four.
  auto data = make_data<3>(make_unit_grid<3>(4));
  const auto is_inside = [&](const auto& cell) {
    return std::ranges::all_of(cell, [&](int v) { return data.rest[v].cwiseAbs().maxCoeff() < 0.5; });
  };
  const auto middle = std::ranges::find_if(data.cells, is_inside);
  ASSERT_NE(middle, data.cells.end());
  const std::array<int, 4> cell = *middle;
  const int added = static_cast<int>(data.rest.size());
  data.rest.push_back(center<3>(data.rest, cell));
  (*middle)[0] = added;
  for (std::size_t i = 1; i < 4; ++i) {
    data.cells.push_back(cell);
    data.cells.back()[i] = added;
  }
  Mesh3 mesh(data, {0.0, 0.0});
  ASSERT_EQ(find_defect(mesh), "");
  MeshEdit edit;
  for (std::size_t i = 0; i < 4; ++i) {
    for (std::size_t j = 0; j < 4; ++j) {
      if (i == j) continue;
      EXPECT_EQ(mesh.collapse(cell[i], cell[j], true, edit), EditRefusal::topology);
    }
  }
  ASSERT_EQ(mesh.collapse(added, cell[0], false, edit), EditRefusal::none);
  EXPECT_EQ(find_defect(mesh), "");
  EXPECT_TRUE(mesh.holds_link_condition(cell[0], cell[1]));
}

TEST(SimplexMesh, CollapseThatInvertsACellIsRefused) {
  // The star of vertex 0 is not convex: seen from vertex 1 the side 3-4 is turned away.
  Mesh2::Data data;
  data.rest = {{0, 0}, {2, -1}, {2, 1}, {0.2, 0.3}, {-2, 3}, {-2, -1}};
  data.cells = {{0, 1, 2}, {0, 2, 3}, {0, 3, 4}, {0, 4, 5}, {0, 5, 1}};
  data.facets = boundary_edges(data.cells);
  data.facet_label = planes_of_facets<2>(data.rest, data.facets);
  Mesh2 mesh(data, {0.0, 0.0});
  ASSERT_EQ(find_defect(mesh), "");
  MeshEdit edit;
  EXPECT_EQ(mesh.collapse(0, 1, false, edit), EditRefusal::inverted);
  EXPECT_EQ(mesh.collapse(0, 3, false, edit), EditRefusal::none);
  EXPECT_EQ(find_defect(mesh), "");
}

// --- swaps ---

TEST(SimplexMesh, SwapOfADiagonalAndBack) {
  Mesh2::Data data = make_data<2>(make_unit_grid<2>(1));
  Mesh2 mesh(data, {});
  const auto before = live_cells(mesh);
  for (const auto& [a, b] : mesh.edges()) {
    MeshEdit edit;
    if (mesh.is_boundary_edge(a, b)) {
      EXPECT_EQ(mesh.swap_edge(a, b, edit), EditRefusal::no_such_feature);
      continue;
    }
    ASSERT_EQ(mesh.swap_edge(a, b, edit), EditRefusal::none);
    EXPECT_EQ(find_defect(mesh), "");
    EXPECT_TRUE(mesh.cells_at_edge(a, b).empty());
    EXPECT_EQ(edit.ends, (std::array<int, 2>{a, b}));
    EXPECT_EQ(edit.vertex, -1);
    const std::vector<int> others = mesh.neighbours(a);  // not b any more
    ASSERT_EQ(others.size(), 2u);
    const int c = others[0], d = others[1];
    ASSERT_EQ(mesh.swap_edge(c, d, edit), EditRefusal::none);
    EXPECT_EQ(live_cells(mesh), before);
    break;
  }
}

TEST(SimplexMesh, SwapIsRefusedIfFrozenOfTwoLabelsOrNotConvex) {
  Mesh2::Data data;
  data.rest = {{0, -1}, {0, 1}, {-2, 2}, {2, 0}};
  data.cells = {{0, 1, 2}, {0, 3, 1}};
  data.facets = boundary_edges(data.cells);
  data.facet_label = {0, 1, 2, 3};
  MeshEdit edit;
  EXPECT_EQ(Mesh2(data, {0.0}).swap_edge(0, 1, edit), EditRefusal::inverted);  // straight at vertex 1
  data.rest[2] = {-2, 0.5};
  EXPECT_EQ(Mesh2(data, {0.0}).swap_edge(0, 1, edit), EditRefusal::none);
  EXPECT_EQ(Mesh2(data, {0.7}).swap_edge(0, 1, edit), EditRefusal::quality);
  data.cell_label = {0, 1};
  EXPECT_EQ(Mesh2(data, {0.0}).swap_edge(0, 1, edit), EditRefusal::label);
  data.cell_label = {1, 1};
  data.is_frozen_vertex = {1, 1, 0, 0};
  EXPECT_EQ(Mesh2(data, {0.0}).swap_edge(0, 1, edit), EditRefusal::frozen);
}

/// Two tetrahedra on the triangle 0 1 2: below it 3, above it 4.
Mesh3::Data make_bipyramid() {
  return make_tets({{1, 0, 0}, {-0.5, 0.9, 0}, {-0.5, -0.9, 0}, {0, 0, -1}, {0.1, 0, 1}}, {{0, 2, 1, 3}, {0, 1, 2, 4}});
}

TEST(SimplexMesh, SwapOfAFaceAndOfTheNewEdgeGivesTheSameCells) {
  Mesh3 mesh(make_bipyramid(), {});
  ASSERT_EQ(find_defect(mesh), "");
  const auto before = live_cells(mesh);
  for (const std::array<int, 3>& face : {std::array{0, 1, 2}, std::array{2, 1, 0}, std::array{1, 2, 0}}) {
    MeshEdit edit;
    ASSERT_EQ(mesh.swap_face(face, edit), EditRefusal::none);
    EXPECT_EQ(find_defect(mesh), "");
    EXPECT_EQ(mesh.num_live_cells(), 3);
    EXPECT_EQ(mesh.cells_at_edge(3, 4).size(), 3u);
    EXPECT_EQ(edit.removed_facets.size(), 0u);
    ASSERT_EQ(mesh.swap_edge(4, 3, edit), EditRefusal::none);
    EXPECT_EQ(live_cells(mesh), before);
  }
  MeshEdit edit;
  EXPECT_EQ(mesh.swap_face({0, 1, 3}, edit), EditRefusal::no_such_feature);
  EXPECT_EQ(mesh.swap_face({0, 1, 1}, edit), EditRefusal::no_such_feature);
  EXPECT_EQ(mesh.swap_edge(0, 1, edit), EditRefusal::no_such_feature);
}

TEST(SimplexMesh, SwapOfAFaceIsRefusedIfFrozenOfTwoLabelsOrNotConvex) {
  MeshEdit edit;
  Mesh3::Data data = make_bipyramid();
  data.cell_label = {0, 1};
  EXPECT_EQ(Mesh3(data, {}).swap_face({0, 1, 2}, edit), EditRefusal::label);
  data.cell_label = {};
  data.is_frozen_vertex = {1, 1, 1, 0, 0};
  EXPECT_EQ(Mesh3(data, {}).swap_face({0, 1, 2}, edit), EditRefusal::frozen);
  data.is_frozen_vertex = {1, 1, 0, 1, 1};
  EXPECT_EQ(Mesh3(data, {}).swap_face({0, 1, 2}, edit), EditRefusal::none);
  data.rest[4] = {3, 0, 1};
  EXPECT_EQ(Mesh3(data, {}).swap_face({0, 1, 2}, edit), EditRefusal::inverted);
}

TEST(SimplexMesh, SwapOfFourTakesTheBetterDiagonal) {
  // An octahedron around the long edge 0 1; of the ring 2 3 4 5 the diagonal 2 4 is the shorter one.
  Mesh3 mesh(make_tets({{0, 0, -1.3}, {0, 0, 1.3}, {0.7, 0, 0}, {0, 1, 0}, {-0.7, 0, 0}, {0, -1, 0}},
                       {{0, 1, 2, 3}, {0, 1, 3, 4}, {0, 1, 4, 5}, {0, 1, 5, 2}}),
             {});
  ASSERT_EQ(find_defect(mesh), "");
  const auto before = live_cells(mesh);
  MeshEdit edit;
  ASSERT_EQ(mesh.swap_edge(0, 1, edit), EditRefusal::none);
  EXPECT_EQ(find_defect(mesh), "");
  EXPECT_EQ(mesh.num_live_cells(), 4);
  EXPECT_EQ(mesh.cells_at_edge(2, 4).size(), 4u);
  // Swapped again, the edge becomes the next best one: 3 5, not back to the longest.
  MeshEdit second;
  ASSERT_EQ(mesh.swap_edge(2, 4, second), EditRefusal::none);
  EXPECT_EQ(find_defect(mesh), "");
  EXPECT_EQ(mesh.cells_at_edge(3, 5).size(), 4u);
  mesh.undo(second);
  mesh.undo(edit);
  EXPECT_EQ(live_cells(mesh), before);
}

TEST(SimplexMesh, SwapOfFourGoesBackToTheSameCellsWhereTheOtherWayIsNotValid) {
  // The surface is dented at vertex 2: the diagonal 3 5 would run outside.
  Mesh3 mesh(make_tets({{0, 0, -1}, {0, 0, 1}, {0.1, 0, 0}, {1, 1, 0}, {-1, 0, 0}, {1, -1, 0}},
                       {{0, 1, 2, 3}, {0, 1, 3, 4}, {0, 1, 4, 5}, {0, 1, 5, 2}}),
             {0.0, 0.0});
  ASSERT_EQ(find_defect(mesh), "");
  const auto before = live_cells(mesh);
  MeshEdit edit;
  ASSERT_EQ(mesh.swap_edge(0, 1, edit), EditRefusal::none);
  EXPECT_EQ(find_defect(mesh), "");
  EXPECT_EQ(mesh.cells_at_edge(2, 4).size(), 4u);
  ASSERT_EQ(mesh.swap_edge(4, 2, edit), EditRefusal::none);
  EXPECT_EQ(live_cells(mesh), before);
}

// --- smooth ---

TYPED_TEST(SimplexMeshOf, SmoothMovesInnerVerticesAsFarAsCellsStayPositive) {
  constexpr int dim = TypeParam::value;
  auto data = make_data<dim>(make_unit_grid<dim>(2));
  const SimplexMesh<dim> plain(data, {});
  const int v = vertex_at<dim>(plain, Vec<dim>::Zero());
  const Vec<dim> near = 0.1 * Vec<dim>::Unit(0), side = 0.5 * Vec<dim>::Unit(0);
  SimplexMesh<dim> mesh(data, {});
  const auto before = snapshot(mesh);
  MeshEdit edit;
  EXPECT_EQ(mesh.smooth(v, side, edit), EditRefusal::inverted);
  EXPECT_EQ(mesh.smooth(v, Vec<dim>::Constant(std::nan("")), edit), EditRefusal::inverted);
  EXPECT_EQ(mesh.smooth(v, 0.99 * side, edit), EditRefusal::quality);
  EXPECT_EQ(mesh.smooth(vertex_at<dim>(mesh, Vec<dim>::Constant(0.5)), near, edit), EditRefusal::boundary);
  EXPECT_EQ(snapshot(mesh), before);
  ASSERT_EQ(mesh.smooth(v, near, edit), EditRefusal::none);
  EXPECT_EQ(edit.vertex, v);
  EXPECT_EQ(mesh.rest(v), near);
  EXPECT_EQ(find_defect(mesh), "");
  mesh.undo(edit);
  EXPECT_EQ(snapshot(mesh), before);

  data.is_kept_vertex.assign(data.rest.size(), 0);
  data.is_kept_vertex[v] = 1;
  EXPECT_EQ(SimplexMesh<dim>(data, {}).smooth(v, near, edit), EditRefusal::frozen);
  data.is_kept_vertex = {};
  for (const auto& cell : data.cells) data.cell_label.push_back(center<dim>(data.rest, cell)[1] > 0.0);
  EXPECT_EQ(SimplexMesh<dim>(data, {}).smooth(v, near, edit), EditRefusal::label);
}

// --- numbering and checks ---

TYPED_TEST(SimplexMeshOf, CompactLeavesOutWhatIsDeadAndTellsOldNumbers) {
  constexpr int dim = TypeParam::value;
  auto data = make_data<dim>(make_unit_grid<dim>(3));
  for (std::size_t v = 0; v < data.rest.size(); ++v) data.sets.push_back(v);
  SimplexMesh<dim> mesh(data, {});
  const auto edges = mesh.edges();
  MeshEdit edit;
  int num_done = 0;
  for (const auto& [a, b] : edges) num_done += mesh.split(a, b, edit) == EditRefusal::none;
  for (const auto& [a, b] : mesh.edges()) {
    if (!mesh.cells_at_edge(a, b).empty()) num_done += mesh.collapse(b, a, false, edit) == EditRefusal::none;
  }
  ASSERT_GT(num_done, 0);
  std::vector<int> vertex_of, cell_of, facet_of;
  const auto compact = mesh.compact(&vertex_of, &cell_of, &facet_of);
  ASSERT_EQ(static_cast<int>(compact.cells.size()), mesh.num_live_cells());
  ASSERT_EQ(static_cast<int>(compact.rest.size()), mesh.num_live_vertices());
  EXPECT_TRUE(std::ranges::is_sorted(vertex_of) && std::ranges::is_sorted(cell_of) && std::ranges::is_sorted(facet_of));
  for (std::size_t v = 0; v < vertex_of.size(); ++v) {
    EXPECT_EQ(compact.rest[v], mesh.rest(vertex_of[v]));
    EXPECT_EQ(compact.sets[v], mesh.sets(vertex_of[v]));
  }
  for (std::size_t c = 0; c < cell_of.size(); ++c) {
    for (std::size_t i = 0; i <= dim; ++i) EXPECT_EQ(vertex_of[compact.cells[c][i]], mesh.cell(cell_of[c])[i]);
  }
  for (std::size_t f = 0; f < facet_of.size(); ++f) {
    EXPECT_EQ(compact.facet_label[f], mesh.facet_label(facet_of[f]));
    for (std::size_t i = 0; i < dim; ++i) EXPECT_EQ(vertex_of[compact.facets[f][i]], mesh.facet(facet_of[f])[i]);
  }
  const SimplexMesh<dim> again(compact, {});
  EXPECT_EQ(find_defect(again), "");
  EXPECT_TRUE(are_close(measures(again), measures(mesh), 1e-13));
}

TYPED_TEST(SimplexMeshOf, EdgesAndNeighboursAreAscendingAndComplete) {
  constexpr int dim = TypeParam::value;
  const SimplexMesh<dim> mesh(make_data<dim>(make_unit_grid<dim>(2)), {});
  const auto edges = mesh.edges();
  EXPECT_TRUE(std::ranges::is_sorted(edges));
  std::size_t num_neighbours = 0;
  for (int v = 0; v < mesh.num_vertices(); ++v) {
    const std::vector<int> neighbours = mesh.neighbours(v);
    EXPECT_TRUE(std::ranges::is_sorted(neighbours));
    num_neighbours += neighbours.size();
  }
  EXPECT_EQ(num_neighbours, 2 * edges.size());
  // With two cells per direction there are 12 (3D: 54) edges of the grid, a diagonal in each of 4 (36) faces and, in
  // 3D, one in each of 8 bricks.
  EXPECT_EQ(edges.size(), dim == 2 ? 12u + 4u : 54u + 36u + 8u);
}

TEST(FindDefect, FindsWhatIsWrong) {
  const Mesh3::Data good = make_data<3>(make_unit_grid<3>(2));
  const auto defect = [](const Mesh3::Data& data) { return find_defect(Mesh3(data, {})); };
  EXPECT_EQ(defect(good), "");
  auto data = good;
  data.facets.pop_back();
  data.facet_label.pop_back();
  EXPECT_NE(defect(data).find("has no facet"), std::string::npos);
  data = good;
  std::swap(data.facets[0][0], data.facets[0][1]);
  EXPECT_NE(defect(data).find("wrong way"), std::string::npos);
  data = good;
  data.facets.push_back(data.facets[0]);
  data.facet_label.push_back(0);
  EXPECT_NE(defect(data).find("more than twice"), std::string::npos);
  data = good;
  data.rest.push_back({5, 5, 5});
  EXPECT_NE(defect(data).find("alive without cells"), std::string::npos);
  // Two tetrahedra that share a vertex, and two that share an edge.
  data = make_tets({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {-1, 0, 0}, {0, -1, 0}, {0, 0, -1}},
                   {{0, 1, 2, 3}, {0, 5, 4, 6}});
  EXPECT_NE(defect(data).find("several parts"), std::string::npos);
  data = make_tets({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {-1, 0, 0}, {0, -1, 0}}, {{0, 1, 2, 3}, {0, 4, 5, 3}});
  EXPECT_NE(defect(data).find("several parts"), std::string::npos);
}

}  // namespace
}  // namespace clearance::test
