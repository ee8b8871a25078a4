#include "clearance/io/mesh/mesh_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "clearance/geometry/boundary_descriptions.h"
#include "clearance/io/files/text_lines.h"
#include "clearance/io/mesh/mesh_cells.h"
#include "clearance/io/mesh/mesh_formats.h"
#include "clearance/io/mesh/mesh_text.h"
#include "clearance/io/mesh/stage.h"
#include "clearance/io/mesh/vtu.h"

namespace clearance {
namespace {

namespace fs = std::filesystem;

void make_all_vertices_points(Mesh& mesh) {
  mesh.points.clear();
  for (std::size_t v = 0; v < mesh.vertices.size(); ++v) mesh.points.push_back(static_cast<int>(v));
}

bool has_elements(const Mesh& mesh) {
  return !mesh.tets.empty() || !mesh.triangles.empty() || !mesh.edges.empty() || !mesh.points.empty();
}

void drop_z(MeshInput& input, Mesh& mesh) {
  for (std::size_t v = 0; v < mesh.vertices.size() && !input.is_full(); ++v) {
    const double z = mesh.vertices[v][2];
    if (z != 0.0) input.add_issue(fmt::format("vertex {}", v), fmt::format("{}", z), "expected z = 0 in a 2D mesh");
    mesh.vertices[v][2] = 0.0;
  }
  if (!mesh.tets.empty()) {
    input.add_issue("", fmt::format("{} tetrahedra", mesh.tets.size()), "expected triangles and edges in a 2D mesh");
  }
  mesh.dim = 2;
}

/// Finishes the mesh of any format once its file is read.
Result<Mesh> finish(MeshInput& input, Mesh mesh, const MeshReadOptions& options) {
  if (input.has_failed()) return input.issues();
  if (mesh.vertices.empty()) {
    input.add_issue("", "", "expected a mesh, found no vertices");
    return input.issues();
  }
  if (has_elements(mesh))
    drop_boundary_descriptions(mesh);
  else
    make_all_vertices_points(mesh);
  mesh.dim = 3;
  if (options.dim == 2) drop_z(input, mesh);
  if (input.has_failed()) return input.issues();
  return mesh;
}

/// Opens a file as text. Wide characters are a problem. Binary STL files are not opened here, because they may start
/// with any bytes.
MeshInput open_text(const fs::path& path) {
  MeshInput input(path);
  if (has_wide_characters(input.bytes())) input.add_issue("", "", wide_characters_message);
  return input;
}

using FormatReader = void (*)(MeshInput&, Mesh&);

FormatReader find_reader(const std::string& extension) {
  if (extension == ".msh") return read_gmsh;
  if (extension == ".obj") return read_obj;
  if (extension == ".ply") return read_ply;
  if (extension == ".stl") return read_stl;
  if (extension == ".off") return read_off;
  if (extension == ".vtk") return read_legacy_vtk;
  if (extension == ".seg") return read_seg;
  return nullptr;
}

/// Reads TetGen's two files; a .node file alone is a set of points.
Result<Mesh> read_tetgen_pair(const fs::path& path, const MeshReadOptions& options) {
  fs::path node_path = path;
  fs::path element_path = path;
  node_path.replace_extension(".node");
  element_path.replace_extension(".ele");
  MeshInput nodes = open_text(node_path);
  if (nodes.has_failed()) return nodes.issues();
  Mesh mesh;
  std::error_code ignored;
  if (path.extension() == ".node" && !fs::exists(element_path, ignored)) {
    read_tetgen(nodes, nullptr, mesh);
    return finish(nodes, std::move(mesh), options);
  }
  MeshInput elements = open_text(element_path);
  if (elements.has_failed()) return elements.issues();
  read_tetgen(nodes, &elements, mesh);
  if (nodes.has_failed()) return nodes.issues();
  return finish(elements, std::move(mesh), options);
}

/// Reads .seg and .pt files of the IPC authors. If the file itself is missing, the .obj beside it gives the edges or
/// the vertices.
Result<Mesh> read_segments_or_points(const fs::path& path, const std::string& extension,
                                     const MeshReadOptions& options) {
  std::error_code ignored;
  fs::path obj_path = path;
  obj_path.replace_extension(".obj");
  const bool has_own_file = fs::exists(path, ignored) || !fs::exists(obj_path, ignored);
  MeshInput input = open_text(has_own_file ? path : obj_path);
  if (input.has_failed()) return input.issues();
  Mesh mesh;
  if (has_own_file && extension == ".seg")
    read_seg(input, mesh);
  else
    read_obj(input, mesh);
  if (input.has_failed()) return input.issues();
  if (extension == ".seg" && !has_own_file) {
    const auto edges = sorted_edges(mesh);
    mesh.edges.insert(mesh.edges.end(), edges.begin(), edges.end());
    mesh.triangles.clear();
  } else if (extension == ".pt") {
    mesh.triangles.clear();
    mesh.edges.clear();
    mesh.points.clear();
  }
  return finish(input, std::move(mesh), options);
}

Result<Mesh> read_grid(const fs::path& path, const MeshReadOptions& options) {
  Result<Frame> frame = read_frame(path, "", options.dim);
  if (!frame) return frame.issues();
  MeshInput input(path.string(), "");
  return finish(input, std::move(frame->mesh), options);
}

}  // namespace

Result<Mesh> read_mesh(const fs::path& path, const MeshReadOptions& options) {
  const std::string extension = to_lower(is_stage_path(path) ? ".usda" : path.extension().string());
  if (options.dim != 2 && options.dim != 3) {
    return Issue{path.string(), "", fmt::format("{}", options.dim), "expected dimension 2 or 3", Severity::error};
  }
  const bool reads_texture = options.reads_texture && extension == ".obj";
  if (options.reads_texture && !reads_texture) {
    return Issue{path.string(), "", path.extension().string(), "expected an .obj file, which has texture coordinates",
                 Severity::error};
  }
  if (extension == ".seg" || extension == ".pt") return read_segments_or_points(path, extension, options);
  // The IPC authors' scenes name TetGen's pair without an extension.
  if (extension == ".node" || extension == ".ele" || extension.empty()) return read_tetgen_pair(path, options);
  if (extension == ".vtu") return read_grid(path, options);
  if (is_stage_path(path)) {
    const auto [file, shape] = split_stage_path(path);
    MeshInput input(file);
    Mesh mesh;
    if (!input.has_failed()) read_stage(input, shape, mesh);
    return finish(input, std::move(mesh), options);
  }
  if (const auto [file, sets] = split_stage_path(path); to_lower(file.extension().string()) == ".inp") {
    MeshInput input = open_text(file);
    Mesh mesh;
    mesh.dim = options.dim;
    if (!input.has_failed()) read_abaqus(input, sets, mesh);
    return finish(input, std::move(mesh), options);
  }
  const FormatReader reader = reads_texture ? read_obj_texture : find_reader(extension);
  if (reader == nullptr) {
    return Issue{
        path.string(), "", path.extension().string(),
        "expected a mesh file: .msh, .obj, .ply, .stl, .off, .vtu, .vtk, .inp, .usda, .abc, .node, .ele, .seg or .pt",
        Severity::error};
  }
  MeshInput input = reader == read_stl ? MeshInput(path) : open_text(path);
  Mesh mesh;
  mesh.dim = options.dim;
  if (!input.has_failed()) reader(input, mesh);
  return finish(input, std::move(mesh), options);
}

}  // namespace clearance
