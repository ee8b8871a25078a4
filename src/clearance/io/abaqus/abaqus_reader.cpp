#include "clearance/io/abaqus/abaqus_reader.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>

#include "clearance/geometry/simplex_boundary.h"
#include "clearance/io/abaqus/abaqus_deck.h"
#include "clearance/io/mesh/abaqus_includes.h"
#include "clearance/io/mesh/abaqus_lines.h"
#include "clearance/scene/validate.h"

namespace clearance {
namespace {

/// Elements that share nodes, and the sections that they have.
struct DeckBody {
  std::vector<const AbaqusSection*> sections;
  std::vector<std::string> sets;  ///< groups of elements that they belong to,
  int part = 0;                   ///< of which they are this part; 0: all
  std::vector<char> has_vertex;   ///< of all vertices of the file
  Mesh mesh;                      ///< its own elements; vertices are numbered as in the file
};

class DeckScene {
 public:
  DeckScene(const std::filesystem::path& path, const AbaqusMesh& read, const AbaqusDeck& deck, Issues& issues)
      : path_(path), read_(read), deck_(deck), issues_(issues) {}

  SceneDesc make() {
    find_bodies();
    // Further problems would be those of bodies that the file does not mean.
    if (has_errors(issues_)) return std::move(scene_);
    set_time();
    for (const DeckBody& body : bodies_) add(body);
    set_gravity();
    set_supports();
    set_forces();
    set_pressures();
    set_spins();
    set_velocities();
    set_contact();
    set_ties();
    set_probes();
    name_units();
    return std::move(scene_);
  }

  /// Makes what is said of a place of the scene speak of the line of the file that it is from.
  void name_lines(Issues& issues) const {
    for (Issue& issue : issues) {
      const std::string place = issue.place;
      std::size_t length = 0;
      for (const auto& [of_scene, line] : lines_) {
        if (of_scene.size() <= length || !place.starts_with(of_scene)) continue;
        length = of_scene.size();
        issue.place = line;
      }
      if (length == 0 || length == place.size()) continue;
      issue.message = fmt::format("{}: {}", place.substr(place[length] == '.' ? length + 1 : length), issue.message);
    }
  }

 private:
  void error(std::string place, std::string value, std::string message) {
    issues_.push_back({"", std::move(place), std::move(value), std::move(message)});
  }
  void warn(std::string place, std::string value, std::string message) {
    issues_.push_back({"", std::move(place), std::move(value), std::move(message), Severity::warning});
  }

  bool is_plane(const AbaqusSection& section) const { return type_of(section).starts_with("CP"); }

  const AbaqusSet& set_of(const AbaqusSection& section) const {
    return *find_set(read_.element_sets, section.set, section.instance);
  }

  /// Returns the name of the groups that the elements of a section are in the mesh.
  std::string group_of(const AbaqusSection& section) const { return group_name(read_.element_sets, set_of(section)); }

  /// Returns what elements of a type are: `C3D`, `CPS`, `CPE`, `M3D`, `B`, `T`, or `S` for shells.
  static std::string family_of(const std::string& type) {
    for (const char* family : {"C3D", "CPS", "CPE", "M3D", "B", "T", "S"}) {
      if (type.starts_with(family)) return family;
    }
    return type;
  }

  /// Reports elements that a section cannot be of.
  void check_elements(const AbaqusSection& section) {
    if (section.kind == BodyKind::obstacle) return;  // rigid elements without a section
    for (const std::int64_t number : set_of(section).elements) {
      const AbaqusElement& element = read_.elements.at(number);
      const std::string family = family_of(element.type);
      const bool is_good = section.kind == BodyKind::rod     ? family == "B"
                           : section.is_membrane             ? family == "M3D"
                           : section.kind == BodyKind::shell ? family == "S"
                                                             : family == "C3D" || family.starts_with("CP");
      if (!is_good && family == "T")
        return error(section.place, element.type,
                     "expected elements that resist bending: trusses are not supported, take beams (B31)");
      if (!is_good)
        return error(section.place, element.type, "expected a section that fits its elements, such as *SHELL SECTION");
      if (family != family_of(type_of(section)))
        return error(section.place, element.type, "expected elements of one kind in a section");
    }
  }

  /// Returns the type of the first element of a section.
  std::string type_of(const AbaqusSection& section) const {
    const AbaqusSet* set = &set_of(section);
    return set->elements.empty() ? "" : read_.elements.at(set->elements.front()).type;
  }

  /// Makes bodies of sections, together where these share nodes.
  void find_bodies() {
    const int num_sections = static_cast<int>(deck_.sections.size());
    std::vector<int> root(static_cast<std::size_t>(num_sections));
    std::iota(root.begin(), root.end(), 0);
    const auto find = [&](int s) {
      while (root[s] != s) s = root[s] = root[root[s]];
      return s;
    };
    std::vector<int> section_of(read_.mesh.vertices.size(), -1);
    std::map<std::int64_t, int> section_of_element;
    for (int s = 0; s < num_sections; ++s) {
      const AbaqusSection& section = deck_.sections[s];
      for (const std::int64_t number : set_of(section).elements) {
        if (!section_of_element.emplace(number, s).second && section_of_element[number] != s)
          return error(section.place, section.set,
                       fmt::format("expected one section of element {}", name_of_number(read_, number)));
        for (const std::array<int, 4>& corners : read_.elements.at(number).simplices) {
          for (const int v : corners) {
            if (v < 0) continue;
            if (section_of[v] < 0) section_of[v] = s;
            root[std::max(find(s), find(section_of[v]))] = std::min(find(s), find(section_of[v]));
          }
        }
      }
    }
    if (section_of_element.size() < read_.elements.size())
      error("", "",
            fmt::format("expected a section of every element; {} have none",
                        read_.elements.size() - section_of_element.size()));
    std::map<int, std::vector<const AbaqusSection*>> by_root;
    for (int s = 0; s < num_sections; ++s) by_root[find(s)].push_back(&deck_.sections[s]);
    for (auto& [first, sections] : by_root) add_bodies(std::move(sections));
  }

  /// Adds the elements of sections as a body, or as several if they fall into parts that share no nodes.
  void add_bodies(std::vector<const AbaqusSection*> sections) {
    DeckBody body;
    body.sections = std::move(sections);
    for (const AbaqusSection* section : body.sections) {
      body.sets.push_back(group_of(*section));
      check_elements(*section);
      // A body in 2D has one law for its thickness.
      if (is_plane(*section) && family_of(type_of(*section)) != family_of(type_of(*body.sections[0])))
        error(section->place, section->set,
              "expected plane stress or plane strain where elements share nodes, not both (CPS and CPE)");
      if (section->kind != body.sections[0]->kind)
        error(section->place, section->set, "expected sections of one kind where elements share nodes; use *TIE");
    }
    body.mesh = mesh_of_sets(read_, body.sets);
    const std::vector<int> part_of_vertex = parts_of_vertices(body.mesh);
    const int num_parts = part_of_vertex.empty() ? 0 : *std::max_element(part_of_vertex.begin(), part_of_vertex.end());
    if (num_parts < 2) {
      body.has_vertex = vertices_of_elements(body.mesh);
      bodies_.push_back(std::move(body));
      return;
    }
    for (int part = 1; part <= num_parts; ++part) {
      DeckBody of_part{{}, body.sets, part, {}, mesh_of_part(body.mesh, part_of_vertex, part)};
      of_part.has_vertex = vertices_of_elements(of_part.mesh);
      for (const AbaqusSection* section : body.sections) {
        if (has_elements(of_part, *section)) of_part.sections.push_back(section);
      }
      bodies_.push_back(std::move(of_part));
    }
  }

  bool has_elements(const DeckBody& body, const AbaqusSection& section) const {
    const std::vector<std::int64_t>& elements = set_of(section).elements;
    return std::any_of(elements.begin(), elements.end(), [&](std::int64_t number) {
      return body.has_vertex[read_.elements.at(number).simplices[0][0]] != 0;
    });
  }

  /// A body has the name of the instance that it is, or else of its first set, with the number of its part.
  std::string name_of(const DeckBody& body) const {
    const std::string& instance = body.sections.front()->instance;
    const auto num_of_instance = std::count_if(bodies_.begin(), bodies_.end(), [&](const DeckBody& other) {
      return to_lower(other.sections.front()->instance) == to_lower(instance);
    });
    if (!instance.empty() && num_of_instance == 1) return instance;
    return body.part == 0 ? body.sets.front() : fmt::format("{} {}", body.sets.front(), body.part);
  }

  const AbaqusMaterial* material_of(const AbaqusSection& section) {
    const auto found = std::find_if(deck_.materials.begin(), deck_.materials.end(), [&](const AbaqusMaterial& m) {
      return to_lower(m.name) == to_lower(section.material);
    });
    if (found != deck_.materials.end() && found->is_elastic) return &*found;
    error(section.place, section.material,
          found == deck_.materials.end() ? "expected the name of a *MATERIAL" : "expected *ELASTIC in this material");
    return nullptr;
  }

  /// Densities matter with inertia and with weight.
  bool needs_density() const { return deck_.is_dynamic || !deck_.gravity.empty() || !deck_.spins.empty(); }

  void add(const DeckBody& from) {
    const AbaqusSection& first = *from.sections.front();
    BodyDesc body;
    body.kind = first.kind;
    body.name = name_of(from);
    body.mesh = path_.filename().string();
    if (bodies_.size() > 1)
      body.mesh +=
          fmt::format("<{}{}>", fmt::join(from.sets, ","), from.part == 0 ? "" : fmt::format("#{}", from.part));
    if (is_plane(first)) {
      scene_.dimension = 2;
      if (first.thickness != 1.0)
        warn(first.place, first.set,
             fmt::format("forces and energies are those of a slice one unit thick: multiply them by the thickness, {}",
                         first.thickness));
    }
    for (const AbaqusSection* section : from.sections) {
      if (section->kind == BodyKind::obstacle) continue;
      const AbaqusMaterial* material = material_of(*section);
      if (material == nullptr) continue;
      if (needs_density() && !material->has_density) {
        error(material->place, material->name, "expected *DENSITY, since inertia or gravity acts");
        continue;
      }
      MaterialDesc desc = material->desc;
      desc.plane_stress = type_of(*section).starts_with("CPS");
      if (section == &first) {
        body.material = desc;
      } else if (first.kind == BodyKind::deformable) {
        RegionDesc region;
        region.tags = {fmt::format("{}:{}", is_plane(first) ? "triangles" : "tets", group_of(*section))};
        body.material_parts.push_back({{}, std::move(region), desc});
      } else if (section->material != first.material || section->thickness != first.thickness) {
        error(section->place, section->set, "expected one material and one size of a shell or a beam");
      }
    }
    if (is_thin(first.kind)) body.thickness = first.thickness;
    if (first.kind == BodyKind::shell && first.is_membrane) body.shell.emplace().bending = BendingModel::none;
    if (first.kind == BodyKind::rod && first.rectangle) {
      body.rod.emplace().section = first.rectangle;
      // Abaqus takes the axis (0, 0, -1) if the file names none, CalculiX too.
      body.rod->up = first.first_axis.value_or(-Vec<3>::UnitZ());
    }
    lines_[fmt::format("bodies[{}]", scene_.bodies.size())] = first.place;
    scene_.bodies.push_back(std::move(body));
  }

  /// Sets a step length of which every step of the file takes a whole number.
  void set_time() {
    constexpr double default_static = 1.0, default_dynamic = 0.01;  // shares of the period of a step without increment
    scene_.time.integrator = deck_.is_dynamic ? TimeIntegrator::bdf2_in_flight : TimeIntegrator::quasi_static;
    scene_.time.duration = deck_.duration;
    double step = infinity;
    for (const auto& [period, increment] : deck_.increments) {
      const double wanted =
          increment > 0.0 ? increment : period * (deck_.is_dynamic ? default_dynamic : default_static);
      step = std::min(step, period / std::ceil(period / wanted - 1e-9));
    }
    const bool fits = std::all_of(deck_.increments.begin(), deck_.increments.end(), [&](const auto& of_step) {
      const double count = of_step[0] / step;
      return std::abs(count - std::round(count)) < 1e-6 * count;
    });
    if (!fits) {
      warn("", fmt::format("{}", step),
           "the periods of the steps are no multiples of one increment, so that a step of the run may reach over the "
           "end "
           "of a step of the file");
    }
    scene_.time.step = step;
  }

  /// The gravity of a body is that of the sets that have all its elements. It is that of the scene if it is constant
  /// and the same for all bodies.
  void set_gravity() {
    scene_.gravity = Vec<3>::Zero();
    if (deck_.gravity.empty()) return;
    std::map<std::int64_t, std::size_t> body_of;
    for (std::size_t b = 0; b < bodies_.size(); ++b) {
      for (const auto& [number, element] : read_.elements) {
        if (!element.simplices.empty() && bodies_[b].has_vertex[element.simplices[0][0]] != 0) body_of[number] = b;
      }
    }
    std::vector<std::size_t> num_elements(bodies_.size(), 0);
    for (const auto& [number, b] : body_of) ++num_elements[b];
    std::vector<std::array<AbaqusHistory, 3>> of_body(bodies_.size());
    std::vector<std::string> places(bodies_.size());
    for (const auto& [name, gravity] : deck_.gravity) {
      std::vector<std::set<std::int64_t>> heavy(bodies_.size());
      for (const auto& [number, b] : body_of) {
        if (name.empty()) heavy[b].insert(number);
      }
      const AbaqusSet* set = name.empty() ? nullptr : find_set(read_.element_sets, name);
      for (const std::int64_t number : set != nullptr ? set->elements : std::vector<std::int64_t>()) {
        if (body_of.contains(number)) heavy[body_of[number]].insert(number);
      }
      for (std::size_t b = 0; b < bodies_.size(); ++b) {
        if (heavy[b].empty()) continue;
        if (heavy[b].size() < num_elements[b])
          error(gravity.place, fmt::format("{} of {} elements", heavy[b].size(), num_elements[b]),
                "expected gravity (*DLOAD, GRAV) on all elements of a body or on none");
        for (int c = 0; c < 3; ++c) of_body[b][c] += gravity.value[c];
        places[b] = gravity.place;
      }
    }
    const auto last_of = [](const std::array<AbaqusHistory, 3>& g) {
      return Vec<3>(g[0].last(), g[1].last(), g[2].last());
    };
    std::set<std::array<double, 3>> values;
    for (std::size_t b = 0; b < bodies_.size(); ++b) {
      const Vec<3> value = last_of(of_body[b]);
      if (scene_.bodies[b].kind != BodyKind::obstacle) values.insert({value[0], value[1], value[2]});
    }
    if (deck_.is_gravity_constant && values.size() < 2) {
      for (const auto& [x, y, z] : values) scene_.gravity = {x, y, z};
      return;
    }
    for (std::size_t b = 0; b < bodies_.size(); ++b) {
      LoadDesc load;
      load.kind = LoadKind::acceleration;
      Expressions expressions;
      for (int c = 0; c < 3; ++c) expressions[c] = of_body[b][c].formula();
      if (scene_.bodies[b].kind == BodyKind::obstacle) continue;
      if (expressions == Expressions{"0", "0", "0"}) continue;
      load.expression = expressions;
      add_load(b, std::move(load), places[b]);
    }
  }

  void add_load(std::size_t b, LoadDesc load, const std::string& place) {
    lines_[fmt::format("bodies[{}].loads[{}]", b, scene_.bodies[b].loads.size())] = place;
    scene_.bodies[b].loads.push_back(std::move(load));
  }

  /// How one component of nodes is prescribed.
  struct Held {
    int component;
    std::string formula;
    double start, end;
    auto operator<=>(const Held&) const = default;
  };

  /// Prescribes nodes: of each component those with the same history together, so that the nodes that quadratic
  /// elements add between them follow, and components of the same nodes together.
  void set_supports() {
    for (std::size_t b = 0; b < bodies_.size(); ++b) {
      std::map<Held, std::vector<int>> nodes_of;
      for (const auto& [freedom, support] : deck_.supports) {
        const auto& [v, component] = freedom;
        if (bodies_[b].has_vertex[v] == 0 || component >= scene_.dimension) continue;
        const AbaqusHistory& history = support.displacement;
        nodes_of[{component, history.is_constant() ? fmt::format("{}", history.last()) : history.formula(),
                  support.start, support.end}]
            .push_back(v);
      }
      std::vector<MotionDesc>& motions = scene_.bodies[b].motions;
      for (auto& [held, nodes] : nodes_of) {
        add_middles(read_, nodes);
        const auto same = std::find_if(motions.begin(), motions.end(), [&](const MotionDesc& motion) {
          return motion.region.nodes == nodes && motion.start == held.start && motion.end == held.end &&
                 !motion.components[held.component];
        });
        const bool is_new = same == motions.end();
        MotionDesc& motion = is_new ? motions.emplace_back() : *same;
        if (is_new) {
          motion.components = {false, false, false};
          const auto support = deck_.supports.find({nodes.front(), held.component});
          if (support != deck_.supports.end())
            lines_[fmt::format("bodies[{}].motions[{}]", b, motions.size() - 1)] = support->second.place;
        }
        motion.region.nodes = std::move(nodes);
        motion.components[held.component] = true;
        motion.start = held.start;
        motion.end = held.end;
        if (held.formula == "0") continue;
        if (!motion.displacement) motion.displacement = Expressions{"0", "0", "0"};
        (*motion.displacement)[held.component] = held.formula;
      }
      if (is_thin(scene_.bodies[b].kind)) clamp(b);
    }
  }

  /// Clamps the nodes of a thin body whose rotations are held, which must be all three.
  void clamp(std::size_t b) {
    std::vector<int> clamped;
    for (const auto& [freedom, support] : deck_.supports) {
      const auto& [v, component] = freedom;
      if (component < 3 || bodies_[b].has_vertex[v] == 0) continue;
      if (support.displacement.last() != 0.0 || !support.displacement.is_constant())
        return error(support.place, "", "expected rotations of 0: prescribed rotations are not supported");
      for (int c = 0; c < 6; ++c) {
        if (!deck_.supports.contains({v, c}))
          return error(support.place, "",
                       "expected nodes whose displacements and rotations are all held, or no rotation");
      }
      if (component == 3) clamped.push_back(v);
    }
    if (clamped.empty()) return;
    if (scene_.bodies[b].kind == BodyKind::rod && !has_edge_between(bodies_[b].mesh, clamped)) {
      return error(
          "", scene_.bodies[b].name,
          "expected clamps of beams at both nodes of an element: a beam keeps the direction of elements, not of "
          "single nodes; add a short element at the clamp");
    }
    for (MotionDesc& motion : scene_.bodies[b].motions) {
      motion.clamp = std::all_of(motion.region.nodes.begin(), motion.region.nodes.end(),
                                 [&](int v) { return std::binary_search(clamped.begin(), clamped.end(), v); });
    }
  }

  static bool has_edge_between(const Mesh& mesh, const std::vector<int>& nodes) {
    const auto is_one = [&](int v) { return std::find(nodes.begin(), nodes.end(), v) != nodes.end(); };
    return std::any_of(mesh.edges.begin(), mesh.edges.end(),
                       [&](const auto& e) { return is_one(e[0]) && is_one(e[1]); });
  }

  /// A point of a plane of thickness t carries F / t per unit of thickness.
  double force_scale(const AbaqusSection& section) const { return is_plane(section) ? 1.0 / section.thickness : 1.0; }

  /// Sets the force of a load from the histories of its components, which are null where there is none.
  static void set_value(LoadDesc& load, const std::array<const AbaqusHistory*, 3>& forces, double scale) {
    const bool is_constant = std::all_of(forces.begin(), forces.end(),
                                         [](const AbaqusHistory* f) { return f == nullptr || f->is_constant(); });
    Expressions expressions;
    for (int c = 0; c < 3; ++c) {
      if (is_constant && forces[c] != nullptr) load.value[c] = scale * forces[c]->last();
      expressions[c] = forces[c] == nullptr ? "0"
                       : scale == 1.0       ? forces[c]->formula()
                                            : fmt::format("{} * ({})", scale, forces[c]->formula());
    }
    if (!is_constant) load.expression = expressions;
  }

  /// Spreads the force on a reference node evenly over its surface. Returns false if the node has none.
  bool spread(int v, const std::array<const AbaqusHistory*, 3>& forces) {
    bool is_reference = false;
    for (const AbaqusCoupling& coupling : deck_.couplings) {
      if (coupling.reference != v || !coupling.is_distributing) continue;
      is_reference = true;
      const AbaqusSet& surface = *find_set(read_.surfaces, coupling.surface);
      const std::vector<std::size_t> bodies = bodies_of(coupling.surface);
      // Away from the centre of the surface the force would have a moment.
      Vec<3> center = Vec<3>::Zero();
      double area = 0.0, size = 0.0;
      const auto& x = read_.mesh.vertices;
      for (const auto& [a, b, c, none] : surface.faces) {
        const double of_face = 0.5 * (x[b] - x[a]).cross(x[c] - x[a]).norm();
        center += of_face / 3.0 * (x[a] + x[b] + x[c]);
        area += of_face;
      }
      center /= area;
      for (const int n : coupling.nodes) size = std::max(size, (x[n] - center).norm());
      if (bodies.size() != 1 || !((x[v] - center).norm() < 1e-2 * size)) {
        error(coupling.place, coupling.surface,
              "expected faces of one body, and a reference node in their centre of area: moments are not supported");
        continue;
      }
      LoadDesc load;
      load.kind = LoadKind::force;
      load.region.tags = {fmt::format("triangles:{}", group_name(read_.surfaces, surface))};
      set_value(load, forces, 1.0);
      scene_.bodies[bodies[0]].loads.push_back(std::move(load));
    }
    return is_reference;
  }

  /// Gives bodies that turn the acceleration away from the axis, where they are at the start.
  void set_spins() {
    for (const auto& [name, spin] : deck_.spins) {
      const std::vector<std::int64_t>& elements = find_set(read_.element_sets, name)->elements;
      const std::set<std::int64_t> spinning(elements.begin(), elements.end());
      for (std::size_t b = 0; b < bodies_.size(); ++b) {
        std::size_t num_elements = 0, num_spinning = 0;
        for (const auto& [number, element] : read_.elements) {
          if (element.simplices.empty() || bodies_[b].has_vertex[element.simplices[0][0]] == 0) continue;
          ++num_elements;
          num_spinning += spinning.contains(number) ? 1 : 0;
        }
        if (num_spinning == 0) continue;
        if (num_spinning < num_elements)
          error(spin.place, spin.set, "expected CENTRIF on all elements of a body or on none");
        const Mat<3> across = Mat<3>::Identity() - spin.axis * spin.axis.transpose();
        if (read_.mesh.dim == 2 && !across.row(2).isZero(0.0)) {
          error(spin.place, spin.set, "expected an axis across the plane, 0, 0, 1");
          continue;
        }
        LoadDesc load;
        load.kind = LoadKind::acceleration;
        Expressions expressions;
        for (int c = 0; c < 3; ++c) {
          if (across.row(c).isZero(0.0)) {
            expressions[c] = "0";
            continue;
          }
          expressions[c] =
              fmt::format("({}) * ({} * (x - {}) + {} * (y - {}) + {} * (z - {}))", spin.value.formula(), across(c, 0),
                          spin.point[0], across(c, 1), spin.point[1], across(c, 2), spin.point[2]);
        }
        load.expression = expressions;
        add_load(b, std::move(load), spin.place);
      }
    }
  }

  void set_forces() {
    std::map<int, std::array<const AbaqusHistory*, 3>> of_node;
    for (const auto& [freedom, force] : deck_.forces) of_node[freedom[0]][freedom[1]] = &force;
    for (const auto& [v, forces] : of_node) {
      bool is_used = spread(v, forces);
      const std::string& place = deck_.places_of_forces.lower_bound({v, 0})->second;
      // A node belongs to one body: bodies share none.
      for (std::size_t b = 0; b < bodies_.size() && !is_used; ++b) {
        is_used = bodies_[b].has_vertex[v] != 0;
        if (!is_used) continue;
        LoadDesc load;
        load.kind = LoadKind::force;
        load.region.nodes = {v};
        set_value(load, forces, force_scale(*bodies_[b].sections.front()));
        add_load(b, std::move(load), place);
      }
      if (!is_used) error(place, "", "expected forces on nodes of elements only");
    }
  }

  void set_pressures() {
    for (const auto& [key, pressure] : deck_.pressures) {
      std::map<std::size_t, std::vector<std::array<int, 4>>> of_body;
      for (const std::array<int, 4>& face : pressure.faces) {
        for (std::size_t b = 0; b < bodies_.size(); ++b) {
          if (bodies_[b].has_vertex[face[0]] != 0) of_body[b].push_back(face);
        }
      }
      for (auto& [b, faces] : of_body) {
        LoadDesc load;
        load.kind = LoadKind::pressure;
        load.pressure =
            pressure.value.is_constant() ? fmt::format("{}", pressure.value.last()) : pressure.value.formula();
        const AbaqusSet* surface = pressure.is_named ? find_set(read_.surfaces, key) : nullptr;
        if (surface != nullptr) {
          load.region.tags = {
              fmt::format("{}:{}", faces[0][2] < 0 ? "edges" : "triangles", group_name(read_.surfaces, *surface))};
        } else {
          load.region.nodes = vertices_of(faces);
          if (num_faces_between(bodies_[b].mesh, load.region.nodes) != faces.size())
            error(pressure.place, key,
                  "expected faces with no other face between their nodes; name them by a *SURFACE");
        }
        add_load(b, std::move(load), pressure.place);
      }
    }
  }

  static std::vector<int> vertices_of(const std::vector<std::array<int, 4>>& faces) {
    std::vector<int> vertices;
    for (const std::array<int, 4>& face : faces) {
      for (const int v : face) {
        if (v >= 0) vertices.push_back(v);
      }
    }
    std::sort(vertices.begin(), vertices.end());
    vertices.erase(std::unique(vertices.begin(), vertices.end()), vertices.end());
    return vertices;
  }

  /// Returns the number of boundary faces whose vertices are all among `vertices`, which ascend.
  static std::size_t num_faces_between(const Mesh& mesh, const std::vector<int>& vertices) {
    const auto count = [&](const auto& faces) {
      return static_cast<std::size_t>(std::count_if(faces.begin(), faces.end(), [&](const auto& face) {
        return std::all_of(face.begin(), face.end(),
                           [&](int v) { return std::binary_search(vertices.begin(), vertices.end(), v); });
      }));
    };
    if (mesh.dim == 2) return count(boundary_edges(mesh.triangles));
    return mesh.tets.empty() ? count(mesh.triangles) : count(boundary_triangles(mesh.tets));
  }

  /// Velocities are those of whole bodies.
  void set_velocities() {
    for (std::size_t b = 0; b < bodies_.size(); ++b) {
      std::array<std::map<int, double>, 3> values;
      for (const AbaqusVelocity& velocity : deck_.velocities) {
        for (const int v : velocity.nodes) {
          if (bodies_[b].has_vertex[v] != 0) values[velocity.component][v] = velocity.value;
        }
      }
      auto num_vertices = std::count(bodies_[b].has_vertex.begin(), bodies_[b].has_vertex.end(), 1);
      // Nodes of the file alone have a velocity there.
      for (const AbaqusMiddle& middle : read_.middles) num_vertices -= bodies_[b].has_vertex[middle.vertex];
      for (int c = 0; c < 3; ++c) {
        if (values[c].empty()) continue;
        const double value = values[c].begin()->second;
        const bool is_uniform = std::ssize(values[c]) == num_vertices &&
                                std::all_of(values[c].begin(), values[c].end(),
                                            [&](const auto& of_vertex) { return of_vertex.second == value; });
        if (!is_uniform)
          error("", scene_.bodies[b].name, "expected one initial velocity of all nodes of the body");
        else
          scene_.bodies[b].linear_velocity[c] = value;
      }
    }
  }

  /// Returns the numbers of the bodies that have nodes of a surface.
  std::vector<std::size_t> bodies_of(const std::string& surface) const {
    const AbaqusSet& set = *find_set(read_.surfaces, surface);
    std::vector<std::size_t> result;
    for (std::size_t b = 0; b < bodies_.size(); ++b) {
      const auto has = [&](int v) { return v >= 0 && bodies_[b].has_vertex[v] != 0; };
      const bool is_there = std::any_of(set.nodes.begin(), set.nodes.end(), has) ||
                            std::any_of(set.faces.begin(), set.faces.end(), [&](const auto& f) { return has(f[0]); });
      if (is_there) result.push_back(b);
    }
    return result;
  }

  bool is_tied(const AbaqusContactPair& pair) const { return deck_.tied_interactions.contains(pair.interaction); }

  void set_contact() {
    if (const auto general = deck_.friction.find(deck_.general_interaction); general != deck_.friction.end()) {
      scene_.friction.coefficient = general->second;
    } else if (!deck_.general_interaction.empty()) {
      error(deck_.general_place, deck_.general_interaction, "expected the name of a *SURFACE INTERACTION");
    }
    std::map<std::array<std::size_t, 2>, double> friction;
    for (const AbaqusContactPair& pair : deck_.contact_pairs) {
      if (is_tied(pair)) continue;
      const auto of_pair = deck_.friction.find(pair.interaction);
      if (of_pair == deck_.friction.end() && !pair.interaction.empty())
        error(pair.place, pair.interaction, "expected the name of a *SURFACE INTERACTION");
      const double coefficient = of_pair == deck_.friction.end() ? 0.0 : of_pair->second;
      for (const std::size_t a : bodies_of(pair.surfaces[0])) {
        for (const std::size_t b : bodies_of(pair.surfaces[1])) {
          const std::array key = {std::min(a, b), std::max(a, b)};
          const auto [at, is_new] = friction.emplace(key, coefficient);
          if (!is_new && at->second != coefficient)
            error(pair.place, pair.interaction, "expected one coefficient of friction between two bodies");
        }
      }
    }
    for (const auto& [pair, coefficient] : friction) {
      if (coefficient != scene_.friction.coefficient)
        scene_.friction.pairs.push_back({{scene_.bodies[pair[0]].name, scene_.bodies[pair[1]].name}, coefficient});
    }
    // Surfaces of files usually touch: gaps are made where they do.
    // Bodies of order 2 cannot be separated, and those that touch are refused.
    if ((deck_.has_general_contact || !deck_.contact_pairs.empty()) && !read_.mesh.has_curved_cells())
      scene_.start.overlaps = OverlapHandling::separate;
  }

  void set_ties() {
    std::vector<AbaqusTie> ties = deck_.ties;
    for (const AbaqusContactPair& pair : deck_.contact_pairs) {
      if (is_tied(pair)) ties.push_back({pair.place, pair.surfaces, {}});
    }
    for (const AbaqusTie& tie : ties) {
      const std::vector<std::size_t> slaves = bodies_of(tie.surfaces[0]), masters = bodies_of(tie.surfaces[1]);
      if (slaves.size() != 1 || masters.size() != 1 || slaves == masters) {
        error(tie.place, fmt::format("{}, {}", tie.surfaces[0], tie.surfaces[1]),
              "expected surfaces of two bodies, which share no nodes");
        continue;
      }
      AttachmentDesc attachment;
      attachment.body = scene_.bodies[slaves[0]].name;
      attachment.to = scene_.bodies[masters[0]].name;
      const AbaqusSet& slave = *find_set(read_.surfaces, tie.surfaces[0]);
      attachment.region.nodes = slave.faces.empty() ? slave.nodes : nodes_of_faces(read_.mesh, slave.faces);
      attachment.tied = true;
      attachment.distance = tie.tolerance;
      lines_[fmt::format("attachments[{}]", scene_.attachments.size())] = tie.place;
      scene_.attachments.push_back(std::move(attachment));
    }
  }

  /// Makes probes of the values that a file prints of nodes.
  void set_probes() {
    for (const AbaqusPrint& print : deck_.prints) {
      std::vector<int> nodes = find_set(read_.node_sets, print.set)->nodes;
      // A reference node stands for the nodes that it moves.
      for (const AbaqusCoupling& coupling : deck_.couplings) {
        if (!coupling.is_distributing && std::erase(nodes, coupling.reference) > 0)
          nodes.insert(nodes.end(), coupling.nodes.begin(), coupling.nodes.end());
      }
      std::sort(nodes.begin(), nodes.end());
      nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
      for (std::size_t b = 0; b < bodies_.size(); ++b) {
        RegionDesc region;
        for (const int v : nodes) {
          if (bodies_[b].has_vertex[v] != 0) region.nodes.push_back(v);
        }
        if (region.nodes.empty()) continue;
        add_middles(read_, region.nodes);
        const std::string name = bodies_.size() > 1 && num_bodies_of(nodes) > 1
                                     ? fmt::format("{} {}", print.set, scene_.bodies[b].name)
                                     : print.set;
        const bool is_held = std::any_of(region.nodes.begin(), region.nodes.end(), [&](int v) {
          const auto support = deck_.supports.lower_bound({v, 0});
          return support != deck_.supports.end() && support->first[0] == v;
        });
        if (print.has_displacement) add_probe(name, ProbeKind::position, b, region, print.place);
        if (print.has_force && is_held)
          add_probe(fmt::format("{} force", name), ProbeKind::reaction, b, region, print.place);
        if (print.has_force && !is_held)
          warn(print.place, print.set, "no probe of RF: no *BOUNDARY holds a node of this set");
      }
    }
  }
  int num_bodies_of(const std::vector<int>& nodes) const {
    return static_cast<int>(std::count_if(bodies_.begin(), bodies_.end(), [&](const DeckBody& body) {
      return std::any_of(nodes.begin(), nodes.end(), [&](int v) { return body.has_vertex[v] != 0; });
    }));
  }
  void add_probe(std::string name, ProbeKind kind, std::size_t body, const RegionDesc& region,
                 const std::string& place) {
    const bool is_known = std::any_of(scene_.output.probes.begin(), scene_.output.probes.end(),
                                      [&](const ProbeDesc& probe) { return probe.name == name; });
    if (is_known) return;
    ProbeDesc probe;
    probe.name = std::move(name);
    probe.kind = kind;
    probe.body = scene_.bodies[body].name;
    probe.region = region;
    lines_[fmt::format("output.probes[{}]", scene_.output.probes.size())] = place;
    scene_.output.probes.push_back(std::move(probe));
  }

  /// Files have no units. Densities tell them: nothing solid is lighter than 1 kg/m^3, and all is in t/mm^3.
  void name_units() {
    constexpr double lightest = 1.0, heaviest_in_tonnes = 1e-6;
    bool is_known = false;
    for (const AbaqusMaterial& material : deck_.materials) {
      if (!material.has_density) continue;
      if (material.desc.density < heaviest_in_tonnes) scene_.units = UnitSystemName::mm_n_mpa;
      is_known = is_known || material.desc.density < heaviest_in_tonnes || material.desc.density >= lightest;
    }
    if (!is_known) {
      warn("", "",
           "the file does not say its units, and they are taken for m, N and Pa; `--set units=mm-N-MPa` names "
           "others");
    }
  }

  std::filesystem::path path_;
  const AbaqusMesh& read_;
  const AbaqusDeck& deck_;
  Issues& issues_;
  SceneDesc scene_;
  std::vector<DeckBody> bodies_;              // as scene_.bodies
  std::map<std::string, std::string> lines_;  // of the file, by the places of the scene
};

/// Returns true if the file has elements of planes (CPS3, CPE6, ...).
bool has_planes(std::string_view text) {
  AbaqusLines lines(text);
  AbaqusLine line;
  while (lines.next(line)) {
    if (line.is_keyword() && line.keyword() == "*element" && to_lower(line.parameter("type")).starts_with("cp"))
      return true;
  }
  return false;
}

}  // namespace

Result<LoadedScene> read_abaqus_scene(const std::filesystem::path& path) {
  MeshInput input(path);
  follow_abaqus_includes(input);
  if (input.has_failed()) return input.issues();
  const AbaqusMesh read = read_abaqus_mesh(input, has_planes(input.bytes()) ? 2 : 3);
  Issues issues;
  const AbaqusDeck deck = read_abaqus_deck(input, read, issues);
  if (!input.has_failed() && deck.sections.empty())
    input.add_issue("", "", "expected a section that gives elements a material, such as *SOLID SECTION");
  if (input.has_failed()) return input.issues();
  DeckScene deck_scene(path, read, deck, issues);
  SceneDesc scene = deck_scene.make();
  scene.name = path.stem().string();
  scene.base_directory = path.parent_path().string();
  name_bodies(scene);
  Result<LoadedScene> loaded = finish_import(std::move(scene), std::move(issues), path.string());
  Issues told = loaded ? std::move(loaded->warnings) : loaded.issues();
  deck_scene.name_lines(told);
  if (!loaded) return told;
  loaded->warnings = std::move(told);
  return loaded;
}

}  // namespace clearance
