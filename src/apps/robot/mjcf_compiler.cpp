#ifdef CLEARANCE_HAS_MUJOCO

#include "apps/robot/mjcf_compiler.h"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <map>
#include <optional>

#include "apps/robot/mjcf_text.h"
#include "clearance/geometry/mesh_checks.h"
#include "clearance/geometry/mesh_mass.h"
#include "clearance/geometry/surface.h"
#include "clearance/geometry/weld.h"

namespace clearance::robot {

namespace {

namespace fs = std::filesystem;

std::size_t at(int index) {
  return index;
}

struct Compiled {
  MjModelPointer model;
  std::string message;  ///< an error, or a warning
};

Compiled compile_file(const fs::path& path, const mjVFS* files) {
  char message[1000] = "";
  Compiled compiled{MjModelPointer(mj_loadXML(path.c_str(), files, message, sizeof(message))), message};
  std::replace(compiled.message.begin(), compiled.message.end(), '\n', ' ');
  return compiled;
}

/// Compiles the text as if it were a file in the folder `beside`.
Compiled compile_text(const std::string& text, const fs::path& beside) {
  constexpr const char* name = "clearance_model.xml";
  const auto files = std::make_unique<mjVFS>();
  mj_defaultVFS(files.get());
  if (mj_makeEmptyFileVFS(files.get(), name, static_cast<int>(text.size())) != 0) return {nullptr, "out of memory"};
  std::memcpy(files->filedata[mj_findFileVFS(files.get(), name)], text.data(), text.size());
  Compiled compiled = compile_file(beside.parent_path() / name, files.get());
  mj_deleteVFS(files.get());
  return compiled;
}

// --- what the installed version does not know ---

/// A complaint of libmujoco: `unrecognized attribute: 'NAME'  Element 'ELEMENT', line LINE` or `unrecognized element
/// Element 'ELEMENT', line LINE`.
struct Unknown {
  std::string kind, name, element;
  int line = 0;
};

std::optional<Unknown> unknown_in(const std::string& message) {
  const auto quoted_after = [&](const std::string& words) {
    const std::size_t start = message.find(words + " '");
    if (start == std::string::npos) return std::string();
    const std::size_t open = start + words.size() + 2;
    return message.substr(open, message.find('\'', open) - open);
  };
  Unknown unknown;
  unknown.element = quoted_after("Element");
  unknown.name = quoted_after("unrecognized attribute:");
  unknown.kind = "attribute";
  if (unknown.name.empty() && message.find("unrecognized element") != std::string::npos) {
    unknown.kind = "element";
    unknown.name = unknown.element;
  }
  if (unknown.name.empty()) return std::nullopt;
  const std::size_t line = message.find(", line ");
  if (line != std::string::npos) unknown.line = std::atoi(message.c_str() + line + 7);
  return unknown;
}

/// Returns the text without the unknown attribute; empty if it is not at that place.
std::string without(const std::string& text, const Unknown& unknown) {
  bool is_found = false;
  std::string rest = rewrite_tags(text, [&](XmlTag& tag, int line, const std::vector<const XmlTag*>&) {
    if (tag.name != unknown.element || line > unknown.line || is_found) return;
    // (The line is that of the tag; included tags share the line of their include.)
    if (line == unknown.line || unknown.line == 0) is_found = tag.erase(unknown.name);
  });
  return is_found ? rest : "";
}

Issue told(const Unknown& unknown) {
  const std::string what = unknown.kind == "attribute"
                               ? fmt::format("attribute '{}' of <{}>", unknown.name, unknown.element)
                               : fmt::format("element <{}>", unknown.name);
  return {"", unknown.line > 0 ? fmt::format("line {}", unknown.line) : "", "",
          fmt::format("{} is not known to MuJoCo {}, which reads MJCF here: it is misspelt, or the file is written for "
                      "a newer version. Remove it, or build with a libmujoco that has it",
                      what, mj_versionString()),
          Severity::error};
}

/// Reports every unknown attribute, not only the first.
void tell_why(std::string text, std::string message, const fs::path& path, Issues& issues) {
  constexpr int most = 50;
  for (int i = 0; i < most; ++i) {
    const std::optional<Unknown> unknown = unknown_in(message);
    if (!unknown) {
      if (message.empty()) return;
      issues.push_back({"", "", "", fmt::format("libmujoco {}: {}", mj_versionString(), message), Severity::error});
      return;
    }
    issues.push_back(told(*unknown));
    text = unknown->kind == "attribute" ? without(text, *unknown) : "";
    if (text.empty()) return;
    Compiled next = compile_text(text, path);
    if (next.model) return;
    message = next.message;
  }
}

// --- masses of meshes ---

/// Removes MuJoCo 3's attribute `inertia` from all meshes and returns its values.
std::map<std::string, std::string> take_inertias_of_meshes(std::string& text) {
  const MjcfDefaults defaults(text);
  std::map<std::string, std::string> inertia_of_mesh;
  text = rewrite_tags(text, [&](XmlTag& tag, int, const std::vector<const XmlTag*>& parents) {
    if (tag.name != "mesh") return;
    const std::string inertia = defaults.value_of(tag, "inertia", parents);
    tag.erase("inertia");
    if (inertia.empty() || parents.empty() || parents.back()->name != "asset") return;
    const std::string *name = tag.find("name"), *file = tag.find("file");
    inertia_of_mesh[name != nullptr ? *name : file != nullptr ? fs::path(*file).stem().string() : ""] = inertia;
  });
  return inertia_of_mesh;
}

/// Volume of the convex hull that MuJoCo uses for collisions [m^3]; none if the mesh does not collide.
std::optional<double> hull_volume(const mjModel& m, int id) {
  if (m.mesh_graphadr[id] < 0) return std::nullopt;
  const int* graph = m.mesh_graph + m.mesh_graphadr[id];
  const int num_vertices = graph[0], num_faces = graph[1];
  const int *of_mesh = graph + 2 + num_vertices, *face = graph + 2 + 3 * num_vertices + 3 * num_faces;
  const float* x = m.mesh_vert + 3 * m.mesh_vertadr[id];
  const auto vertex = [&](int v) { return Vec<3>(x[3 * v], x[3 * v + 1], x[3 * v + 2]); };
  Vec<3> middle = Vec<3>::Zero();
  for (int v = 0; v < num_vertices; ++v) middle += vertex(of_mesh[v]) / num_vertices;
  double volume = 0.0;
  for (int f = 0; f < num_faces; ++f, face += 3) {
    volume += std::abs(tet_volume(middle, vertex(face[0]), vertex(face[1]), vertex(face[2])));
  }
  return volume;
}

/// Returns the volume as in MuJoCo's `legacy` mode [m^3]: tetrahedra from the middle of the surface to all facets, all
/// counted as positive.
double legacy_volume(const Mesh& mesh) {
  const Vec<3> middle = mass_properties_of_triangles(mesh.vertices, mesh.triangles).center;
  double volume = 0.0;
  for (const auto& [a, b, c] : mesh.triangles) {
    volume += std::abs(tet_volume(middle, mesh.vertices[at(a)], mesh.vertices[at(b)], mesh.vertices[at(c)]));
  }
  return volume;
}

/// Computes the weight of meshes at density 1.
class MeshMeasures {
 public:
  MeshMeasures(const mjModel& model, const std::map<std::string, std::string>& inertia_of_mesh, Issues& issues)
      : m_(model), inertia_of_mesh_(inertia_of_mesh), issues_(issues) {}

  /// Volume [m^3], or area [m^2] of a shell; none if MuJoCo's own mass has to suffice.
  std::optional<double> measure_of(const std::string& name) {
    const auto known = known_.find(name);
    if (known != known_.end()) return known->second;
    return known_[name] = compute(name);
  }

 private:
  std::optional<double> compute(const std::string& name) {
    const int id = mj_name2id(&m_, mjOBJ_MESH, name.c_str());
    if (id < 0) return std::nullopt;
    const Mesh mesh = mesh_of(m_, id);
    const MeshMass solid = mass_of_mesh(mesh, 0.0);
    if (solid.num_openings > 0 || !(solid.properties.measure > 0.0)) {
      warn(
          fmt::format("mesh '{}' is not closed ({} open edges): its geoms without a mass weigh what MuJoCo {} makes of "
                      "it; close it, or give them a mass",
                      name, solid.num_openings, mj_versionString()));
      return std::nullopt;
    }
    const double volume = solid.properties.measure;
    const auto wanted = inertia_of_mesh_.find(name);
    if (wanted == inertia_of_mesh_.end() || wanted->second == "exact") return volume;
    return as_wanted(name, id, wanted->second, mesh, volume);
  }

  std::optional<double> as_wanted(const std::string& name, int id, const std::string& inertia, const Mesh& mesh,
                                  double volume) {
    constexpr double same = 1e-5;  // MuJoCo's meshes are in single precision
    std::optional<double> measure;
    if (inertia == "convex") measure = hull_volume(m_, id);
    if (inertia == "legacy") measure = legacy_volume(mesh);
    if (inertia == "shell") measure = mass_properties_of_triangles(mesh.vertices, mesh.triangles).measure;
    if (measure && inertia != "shell" && std::abs(*measure - volume) < same * volume) return volume;
    const bool is_known = inertia == "convex" || inertia == "legacy" || inertia == "shell";
    warn(
        fmt::format("mesh '{}' has the attribute inertia=\"{}\", which MuJoCo {}, that reads MJCF here, does not know: "
                    "{}; centre of mass and radii of gyration are those of the solid ({:.6g} m^3)",
                    name, inertia, mj_versionString(),
                    measure    ? fmt::format("its geoms without a mass weigh their density times {:.6g} {}", *measure,
                                          inertia == "shell" ? "m^2" : "m^3")
                    : is_known ? "its hull is not known, because it does not collide"
                               : "expected exact, legacy, convex or shell",
                    volume));
    return measure.value_or(volume);
  }

  void warn(std::string message) { issues_.push_back({"", "", "", std::move(message), Severity::warning}); }

  const mjModel& m_;
  const std::map<std::string, std::string>& inertia_of_mesh_;
  Issues& issues_;
  std::map<std::string, std::optional<double>> known_;
};

/// The bodies of a text, numbered in its order.
class BodiesOfText {
 public:
  explicit BodiesOfText(const std::string& text) {
    bool is_always_from_geoms = false;
    Cursor cursor;
    rewrite_tags(text, [&](XmlTag& tag, int, const std::vector<const XmlTag*>& parents) {
      const int parent = cursor.enter(tag, parents);
      if (tag.name == "body") facts_.push_back({parent, false, false});
      const bool is_of_body = parent >= 0 && parents.back()->name == "body";
      if (is_of_body && tag.name == "inertial") facts_[at(parent)].has_inertia = true;
      if (is_of_body && (tag.name == "joint" || tag.name == "freejoint")) facts_[at(parent)].has_joint = true;
      const std::string* from_geoms = tag.name == "compiler" ? tag.find("inertiafromgeom") : nullptr;
      is_always_from_geoms = is_always_from_geoms || (from_geoms != nullptr && *from_geoms == "true");
    });
    if (!is_always_from_geoms) return;
    for (Facts& facts : facts_) facts.has_inertia = false;
  }

  /// True if the body's motion depends on the weight of its geoms.
  bool has_weight_of_geoms(int body) const {
    if (body < 0 || facts_[at(body)].has_inertia) return false;
    for (int b = body; b >= 0; b = facts_[at(b)].parent) {
      if (facts_[at(b)].has_joint) return true;
    }
    return false;
  }

  /// Follows the order of the text.
  class Cursor {
   public:
    /// Returns the innermost body that contains the tag; -1 if there is none.
    int enter(const XmlTag& tag, const std::vector<const XmlTag*>& parents) {
      open_.resize(parents.size(), -1);
      const int around = open_.empty() ? -1 : open_.back();
      open_.push_back(tag.name == "body" ? count_++ : around);
      return around;
    }

   private:
    std::vector<int> open_;  // per open element: the innermost body
    int count_ = 0;
  };

 private:
  struct Facts {
    int parent;
    bool has_inertia, has_joint;
  };
  std::vector<Facts> facts_;
};

/// Returns the text with a mass for every mesh geom whose weight matters.
std::string with_masses(const std::string& text, MeshMeasures& measures) {
  const MjcfDefaults defaults(text);
  const BodiesOfText bodies(text);
  BodiesOfText::Cursor cursor;
  return rewrite_tags(text, [&](XmlTag& tag, int, const std::vector<const XmlTag*>& parents) {
    const int body = cursor.enter(tag, parents);
    if (tag.name != "geom" || parents.empty() || parents.back()->name != "body") return;
    if (!bodies.has_weight_of_geoms(body)) return;
    const auto value_of = [&](const char* name) { return defaults.value_of(tag, name, parents); };
    if (value_of("type") != "mesh" || !value_of("mass").empty()) return;
    const std::optional<double> measure = measures.measure_of(value_of("mesh"));
    if (!measure) return;
    const std::string density = value_of("density");
    constexpr double usual_density = 1000.0;  // [kg/m^3]
    const double mass = *measure * (density.empty() ? usual_density : std::strtod(density.c_str(), nullptr));
    tag.set("mass", fmt::format("{:.17g}", mass));
  });
}

}  // namespace

Mesh mesh_of(const mjModel& m, int id) {
  Mesh mesh;
  const float* x = m.mesh_vert + 3 * m.mesh_vertadr[id];
  for (int v = 0; v < m.mesh_vertnum[id]; ++v, x += 3) mesh.vertices.push_back(Vec<3>(x[0], x[1], x[2]));
  // MuJoCo repeats the vertices of faces that have normals of their own.
  const std::vector<int> first = weld(mesh.vertices);
  const int* f = m.mesh_face + 3 * m.mesh_faceadr[id];
  for (int t = 0; t < m.mesh_facenum[id]; ++t, f += 3) {
    const int a = first[at(f[0])], b = first[at(f[1])], c = first[at(f[2])];
    if (a != b && b != c && a != c) mesh.triangles.push_back({a, b, c});
  }
  return surface_of(mesh);
}

MjModelPointer compile_mjcf(const fs::path& path, Issues& issues) {
  Compiled compiled = compile_file(path, nullptr);
  if (compiled.model && compiled.model->nmesh == 0) {
    if (!compiled.message.empty()) {
      issues.push_back({"", "", "", "libmujoco: " + compiled.message, Severity::warning});
    }
    return std::move(compiled.model);
  }
  Result<std::string> read = read_mjcf_text(path);
  if (!read) {
    for (const Issue& issue : read.issues()) issues.push_back({"", "", "", to_string(issue), Severity::error});
    return nullptr;
  }
  std::string text = std::move(*read);
  const std::map<std::string, std::string> inertia_of_mesh = take_inertias_of_meshes(text);
  if (!compiled.model && !inertia_of_mesh.empty()) compiled = compile_text(text, path);
  if (!compiled.model) {
    tell_why(std::move(text), compiled.message, path, issues);
    return nullptr;
  }
  if (compiled.model->nmesh > 0) {
    MeshMeasures measures(*compiled.model, inertia_of_mesh, issues);
    Compiled weighed = compile_text(with_masses(text, measures), path);
    if (weighed.model) {
      compiled = std::move(weighed);
    } else {
      issues.push_back({"", "", "",
                        fmt::format("geoms of meshes without a mass weigh what MuJoCo {} makes of them, not the volume "
                                    "of the mesh times their density: {}",
                                    mj_versionString(), weighed.message),
                        Severity::warning});
    }
  }
  if (!compiled.message.empty()) {
    issues.push_back({"", "", "", "libmujoco: " + compiled.message, Severity::warning});
  }
  return std::move(compiled.model);
}

}  // namespace clearance::robot

#endif
