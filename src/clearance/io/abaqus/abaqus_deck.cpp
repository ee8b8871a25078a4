#include "clearance/io/abaqus/abaqus_deck.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <utility>

#include "clearance/io/abaqus/abaqus_keywords.h"
#include "clearance/io/mesh/abaqus_lines.h"
#include "clearance/math/elementary.h"

namespace clearance {
namespace {

constexpr int num_components = 6;

/// Returns the root of an increasing function between two bounds.
template <class Function>
double root_between(double low, double high, const Function& function) {
  for (int k = 0; k < 100; ++k) (function(0.5 * (low + high)) < 0.0 ? low : high) = 0.5 * (low + high);
  return 0.5 * (low + high);
}

/// Returns by how much the force of a bar at a stretch of 1.5 differs, relative to that of Abaqus, if its energy is
/// mu / 2 (I1 - 3) - mu ln J + lambda / 2 ln^2 J and not that of Abaqus, mu / 2 (I1 J^(-2/3) - 3) + K / 2 (J - 1)^2.
double difference_of_laws(double mu, double bulk) {
  constexpr double s = 1.5;
  const double lambda = bulk - 2.0 / 3.0 * mu;
  // Its sides have no stress: t is the stretch across.
  const double t =
      root_between(0.2, 1.5, [&](double x) { return mu * (x * x - 1.0) + lambda * elementary::log(s * x * x); });
  const double ours = mu * (s - 1.0 / s) + lambda * elementary::log(s * t * t) / s;
  const auto across = [&](double x) {
    const double volume = s * x * x;
    return mu * elementary::pow(volume, -2.0 / 3.0) * (x - (s * s + 2.0 * x * x) / (3.0 * x)) +
           bulk * (volume - 1.0) * s * x;
  };
  const double u = root_between(0.2, 1.5, across), volume = s * u * u;
  const double theirs = mu * elementary::pow(volume, -2.0 / 3.0) * (s - (s * s + 2.0 * u * u) / (3.0 * s)) +
                        bulk * (volume - 1.0) * u * u;
  return ours / theirs - 1.0;
}

class DeckReader {
 public:
  DeckReader(MeshInput& input, const AbaqusMesh& mesh, Issues& warnings)
      : input_(input), mesh_(mesh), warnings_(warnings), lines_(input.bytes()), is_mesh_broken_(input.has_failed()) {}

  AbaqusDeck read() {
    AbaqusLine line;
    while (!input_.is_full() && lines_.next(line)) {
      if (line.is_keyword()) {
        start_keyword(line);
      } else if (read_data_ != nullptr && may_have(line)) {
        (this->*read_data_)(line);
      }
    }
    end_keyword();
    end_step();
    for (const AbaqusCoupling& coupling : deck_.couplings) {
      if (!coupling.is_distributing) move_with_reference(coupling);
    }
    if (deck_.increments.empty() && !input_.has_failed())
      input_.add_issue("", "", "expected a step: *STEP with *STATIC or *DYNAMIC");
    return std::move(deck_);
  }

 private:
  using Method = void (DeckReader::*)(const AbaqusLine&);
  struct Keyword {
    const char* name;
    Method start;  // null: passed over, as the mesh reader reads it or the result does not depend on it
  };

  void fail(const AbaqusLine& line, std::size_t word, std::string message) {
    const std::size_t at = std::min(word, line.words.size() - 1);
    input_.add_issue_at_line(line.places[at], word < line.words.size() ? line.words[at] : "", std::move(message));
  }

  std::string place_of(const AbaqusLine& line) { return input_.place_of_line(line.places[0]); }

  void warn(const AbaqusLine& line, std::string message) {
    warnings_.push_back({"", place_of(line), std::string(line.words[0]), std::move(message), Severity::warning});
  }

  /// Reports a name that the mesh does not have. If the mesh itself could not be read, that is what is told.
  void fail_to_find(const AbaqusLine& line, std::size_t word, std::string message) {
    if (!is_mesh_broken_) fail(line, word, std::move(message));
  }

  bool is_in_step() const { return step_.is_open; }

  /// Counts the data of the keyword above. Returns false if it has no such line.
  bool may_have(const AbaqusLine& line) {
    ++num_data_lines_;
    if (rules_ == nullptr) return true;
    if (rules_->num_lines > 0 && num_data_lines_ > rules_->num_lines) {
      fail(line, 0,
           fmt::format("expected at most {} line{} of data of {}; more may change the result", rules_->num_lines,
                       rules_->num_lines == 1 ? "" : "s", rules_->name));
      return false;
    }
    if (rules_->num_words > 0 && std::ssize(line.words) > rules_->num_words) {
      fail(line, static_cast<std::size_t>(rules_->num_words),
           fmt::format("expected at most {} values in a line of {}; more may change the result", rules_->num_words,
                       rules_->name));
      return false;
    }
    return true;
  }

  /// Refuses parameters that the keyword may not have. Returns true if there are none.
  bool check_parameters(const AbaqusLine& line) {
    bool are_known = true;
    for (std::size_t k = 1; rules_ != nullptr && k < line.words.size(); ++k) {
      const std::string_view word = line.words[k];
      if (word.empty() || may_have_parameter(*rules_, word.substr(0, word.find('=')))) continue;
      fail(line, k,
           fmt::format("expected a parameter of {} that is supported; this one may change the result, remove "
                       "it if it does not; supported: {}",
                       rules_->name, parameters_text(*rules_)));
      are_known = false;
    }
    return are_known;
  }

  /// Reports a keyword without the data that it needs.
  void end_keyword() {
    end_section();
    if (read_data_ != nullptr && rules_ != nullptr && rules_->needs_data && num_data_lines_ == 0)
      input_.add_issue(place_of_keyword_, "", fmt::format("expected data below {}", rules_->name));
  }

  /// Reads the number of a word; NaN if that fails. An empty or missing word is `otherwise`, if there is one.
  double number(const AbaqusLine& line, std::size_t word, const char* what, std::optional<double> otherwise = {}) {
    const bool is_missing = word >= line.words.size() || line.words[word].empty();
    if (is_missing && otherwise) return *otherwise;
    double value = 0.0;
    if (is_missing || !parse_abaqus_number(line.words[word], value) || !std::isfinite(value)) {
      fail(line, word, fmt::format("expected {}", what));
      return std::numeric_limits<double>::quiet_NaN();
    }
    return value;
  }

  double positive(const AbaqusLine& line, std::size_t word, const char* what, std::optional<double> otherwise = {}) {
    const double value = number(line, word, what, otherwise);
    if (value <= 0.0) fail(line, word, fmt::format("expected {}, above 0", what));
    return value;
  }

  void start_keyword(const AbaqusLine& line) {
    static constexpr Keyword keywords[] = {
        {"*heading", nullptr},
        {"*node", nullptr},
        {"*element", nullptr},
        {"*nset", nullptr},
        {"*elset", nullptr},
        {"*surface", nullptr},
        {"*part", nullptr},
        {"*endpart", nullptr},
        {"*assembly", nullptr},
        {"*endassembly", nullptr},
        {"*instance", nullptr},
        {"*endinstance", nullptr},
        {"*preprint", nullptr},
        {"*restart", nullptr},
        {"*output", nullptr},
        {"*nodeoutput", nullptr},
        {"*elementoutput", nullptr},
        {"*contactoutput", nullptr},
        {"*energyoutput", nullptr},
        {"*nodefile", nullptr},
        {"*elfile", nullptr},
        {"*elementfile", nullptr},
        {"*contactfile", nullptr},
        {"*elprint", nullptr},
        {"*contactprint", nullptr},
        {"*energyprint", nullptr},
        {"*sectionprint", nullptr},
        {"*monitor", nullptr},
        {"*controls", nullptr},
        {"*timepoints", nullptr},
        {"*expansion", nullptr},  // temperatures themselves are refused
        {"*conductivity", nullptr},
        {"*specificheat", nullptr},
        {"*sectioncontrols", nullptr},
        {"*contactcontrols", nullptr},
        {"*noanalysis", nullptr},
        {"*print", nullptr},
        {"*diagnostics", nullptr},
        {"*orientation", nullptr},  // materials are isotropic
        {"*physicalconstants", nullptr},
        {"*contactinclusions", nullptr},  // all bodies are in contact
        {"*contactformulation", nullptr},
        {"*nodeprint", &DeckReader::start_node_print},
        {"*material", &DeckReader::start_material},
        {"*elastic", &DeckReader::start_elastic},
        {"*hyperelastic", &DeckReader::start_hyperelastic},
        {"*density", &DeckReader::start_density},
        {"*plastic", &DeckReader::start_plastic},
        {"*damping", &DeckReader::start_damping},
        {"*solidsection", &DeckReader::start_section},
        {"*shellsection", &DeckReader::start_section},
        {"*membranesection", &DeckReader::start_section},
        {"*beamsection", &DeckReader::start_section},
        {"*amplitude", &DeckReader::start_amplitude},
        {"*boundary", &DeckReader::start_boundary},
        {"*cload", &DeckReader::start_cload},
        {"*dload", &DeckReader::start_dload},
        {"*dsload", &DeckReader::start_dsload},
        {"*initialconditions", &DeckReader::start_initial_conditions},
        {"*contactpair", &DeckReader::start_contact_pair},
        {"*surfaceinteraction", &DeckReader::start_interaction},
        {"*surfacebehavior", &DeckReader::start_behavior},
        {"*friction", &DeckReader::start_friction},
        {"*contact", &DeckReader::start_general_contact},
        {"*contactpropertyassignment", &DeckReader::start_contact_property},
        {"*tie", &DeckReader::start_tie},
        {"*rigidbody", &DeckReader::start_rigid_body},
        {"*coupling", &DeckReader::start_coupling},
        {"*kinematic", &DeckReader::start_kinematic},
        {"*distributing", &DeckReader::start_distributing},
        {"*step", &DeckReader::start_step},
        {"*static", &DeckReader::start_static},
        {"*dynamic", &DeckReader::start_dynamic},
        {"*endstep", &DeckReader::start_end_step},
    };
    end_keyword();
    end_coupling();
    read_data_ = nullptr;
    rules_ = nullptr;
    num_data_lines_ = 0;
    const std::string name = line.keyword();
    const auto found =
        std::find_if(std::begin(keywords), std::end(keywords), [&](const Keyword& k) { return name == k.name; });
    if (found == std::end(keywords)) {
      step_.is_broken = true;
      return fail(line, 0,
                  "expected a keyword that is supported (docs/abaqus.md); this one may change the result, remove it if "
                  "it does not");
    }
    rules_ = find_abaqus_keyword(name);
    const bool are_known = check_parameters(line);
    if (name == "*amplitude" && !are_known) bad_amplitudes_.insert(to_lower(line.parameter("name")));
    if (!are_known && name != "*step" && name != "*static" && name != "*dynamic" && name != "*material" &&
        name != "*surfaceinteraction")
      return;
    if (rules_ != nullptr && rules_->needs_data) place_of_keyword_ = place_of(line);
    if (found->start != nullptr) (this->*found->start)(line);
  }

  // Materials.

  AbaqusMaterial* material_above(const AbaqusLine& line) {
    if (deck_.materials.empty()) fail(line, 0, "expected *MATERIAL above");
    return deck_.materials.empty() ? nullptr : &deck_.materials.back();
  }

  void start_material(const AbaqusLine& line) {
    const std::string name = line.parameter("name");
    if (name.empty()) return fail(line, 0, "expected the name of the material: NAME=");
    deck_.materials.push_back({name, place_of(line), {}});
  }

  void start_elastic(const AbaqusLine& line) {
    const std::string type = to_lower(line.parameter("type"));
    if (!type.empty() && type != "iso" && type != "isotropic")
      return fail(line, 0, "expected an isotropic material: TYPE=ISO");
    if (material_above(line) != nullptr) read_data_ = &DeckReader::read_elastic;
  }
  void read_elastic(const AbaqusLine& line) {
    AbaqusMaterial& material = deck_.materials.back();
    if (material.is_elastic) return warn(line, "values at further temperatures are left out");
    material.is_elastic = true;
    material.desc.youngs_modulus = positive(line, 0, "Young's modulus");
    material.desc.poisson_ratio = number(line, 1, "Poisson's ratio", 0.0);
  }

  void start_hyperelastic(const AbaqusLine& line) {
    if (line.parameter("neo hooke").empty() && line.parameter("neohooke").empty())
      return fail(line, 0, "expected NEO HOOKE; other hyperelastic materials are not supported");
    if (material_above(line) != nullptr) read_data_ = &DeckReader::read_hyperelastic;
  }
  /// U = C10 (I1 - 3) + (J - 1)^2 / D1, so that mu = 2 C10 and K = 2 / D1.
  void read_hyperelastic(const AbaqusLine& line) {
    AbaqusMaterial& material = deck_.materials.back();
    if (material.is_elastic) return warn(line, "values at further temperatures are left out");
    material.is_elastic = true;
    const double mu = 2.0 * positive(line, 0, "C10"), d1 = number(line, 1, "D1", 0.0);
    // Without D1 both programs take a material that is nearly incompressible.
    const double poisson_ratio = d1 > 0.0 ? (6.0 / d1 - 2.0 * mu) / (2.0 * (6.0 / d1 + mu)) : 0.475;
    if (d1 <= 0.0) warn(line, "without D1 Poisson's ratio is 0.475, as in Abaqus");
    material.desc.poisson_ratio = poisson_ratio;
    material.desc.youngs_modulus = 2.0 * mu * (1.0 + poisson_ratio);
    if (!(mu > 0.0)) return;
    const double bulk = material.desc.youngs_modulus / (3.0 - 6.0 * poisson_ratio);
    const double difference = bulk > 0.0 ? difference_of_laws(mu, bulk) : 0.0;
    if (std::abs(difference) > 0.01)
      warn(line, fmt::format("the law of volume is another one than in Abaqus: a bar stretched by half has {:.2g} % {} "
                             "force; small strains agree (docs/abaqus.md)",
                             100.0 * std::abs(difference), difference > 0.0 ? "more" : "less"));
  }

  void start_density(const AbaqusLine& line) {
    if (material_above(line) != nullptr) read_data_ = &DeckReader::read_density;
  }
  void read_density(const AbaqusLine& line) {
    AbaqusMaterial& material = deck_.materials.back();
    if (material.has_density) return warn(line, "values at further temperatures are left out");
    material.has_density = true;
    material.desc.density = positive(line, 0, "a density");
  }

  void start_plastic(const AbaqusLine& line) {
    const std::string hardening = to_lower(line.parameter("hardening"));
    if (!hardening.empty() && hardening != "isotropic")
      return fail(line, 0, "expected isotropic hardening; other kinds are not supported");
    if (material_above(line) != nullptr) read_data_ = &DeckReader::read_plastic;
  }
  void read_plastic(const AbaqusLine& line) {
    std::vector<std::array<double, 2>>& curve = deck_.materials.back().desc.hardening;
    const double stress = positive(line, 0, "a yield stress"), strain = number(line, 1, "a plastic strain", 0.0);
    if (!curve.empty() && strain == 0.0) return warn(line, "values at further temperatures are left out");
    curve.push_back({strain, stress});
  }

  void start_damping(const AbaqusLine& line) {
    if (material_above(line) == nullptr) return;
    for (std::size_t k = 1; k < line.words.size(); ++k) {
      const std::string_view word = line.words[k];
      const std::size_t equals = std::min(word.find('='), word.size());
      double value = 0.0;
      if (equals == word.size() || !parse_abaqus_number(word.substr(equals + 1), value)) continue;
      if (to_lower(word.substr(0, equals)) == "beta")
        deck_.materials.back().desc.damping = value;
      else if (value != 0.0)
        fail(line, k, "expected BETA, damping by stiffness; other kinds are not supported");
    }
  }

  // Sections.

  void start_section(const AbaqusLine& line) {
    AbaqusSection section;
    section.place = place_of(line);
    section.set = line.parameter("elset");
    section.instance = lines_.instance();
    section.material = line.parameter("material");
    const std::string keyword = line.keyword();
    if (find_set(mesh_.element_sets, section.set, section.instance) == nullptr)
      return fail_to_find(line, 0, "expected a set of elements of the file: ELSET=");
    if (section.material.empty()) return fail(line, 0, "expected one material: MATERIAL=");
    if (!line.parameter("composite").empty()) return fail(line, 0, "expected a section of one layer");
    section.kind = keyword == "*solidsection"  ? BodyKind::deformable
                   : keyword == "*beamsection" ? BodyKind::rod
                                               : BodyKind::shell;
    section.is_membrane = keyword == "*membranesection";
    if (!line.parameter("orientation").empty())
      warn(line, "the orientation is left out, since materials are isotropic");
    if (parameter_value(line, "offset") != 0.0 || parameter_value(line, "offset1") != 0.0 ||
        parameter_value(line, "offset2") != 0.0)
      return fail(line, 0, "expected a section whose reference surface is its middle: OFFSET=0");
    if (section.kind == BodyKind::rod) {
      beam_shape_ = to_lower(line.parameter("section"));
      if (beam_shape_ != "rect" && beam_shape_ != "circ") return fail(line, 0, "expected SECTION=RECT or SECTION=CIRC");
    }
    section_ = std::move(section);
    num_section_lines_ = 0;
    read_data_ = &DeckReader::read_section;
  }

  double parameter_value(const AbaqusLine& line, const char* name) {
    double value = 0.0;
    const std::string text = line.parameter(name);
    if (!text.empty() && !parse_abaqus_number(text, value)) fail(line, 0, fmt::format("expected a number: {}=", name));
    return value;
  }

  void read_section(const AbaqusLine& line) {
    const int row = num_section_lines_++;
    AbaqusSection& section = *section_;
    if (section.kind == BodyKind::rod && row == 0) {
      if (line.words.size() > 2) return fail(line, 2, "expected the sizes of a rectangle or a circle");
      const double a =
          positive(line, 0, beam_shape_ == "rect" ? "the height of the section" : "the radius of the section");
      if (beam_shape_ == "circ") {
        if (number(line, 1, "the radius of the section", a) != a)
          return fail(line, 1, "expected a circle: two radii that are the same, or one");
        section.thickness = 2.0 * a;
      } else {
        // The first side is along the first axis.
        section.rectangle = {a, positive(line, 1, "the width of the section")};
        section.thickness = std::min((*section.rectangle)[0], (*section.rectangle)[1]);
      }
    } else if (section.kind == BodyKind::rod && row == 1) {
      Vec<3> axis;
      for (int c = 0; c < 3; ++c)
        axis[c] = number(line, static_cast<std::size_t>(c), "the first axis of the section", 0.0);
      if (axis.norm() > 0.0) section.first_axis = axis;
    } else if (row == 0) {
      section.thickness = positive(line, 0, "a thickness", 1.0);
    }
  }

  void end_section() {
    if (!section_) return;
    if (num_section_lines_ == 0 && section_->kind != BodyKind::deformable)
      input_.add_issue(section_->place, "", "expected the sizes of the section in the next line");
    deck_.sections.push_back(std::move(*section_));
    section_.reset();
  }

  // Targets.

  /// Returns the vertices that a word names: a node, or a set of nodes.
  std::vector<int> nodes_of(const AbaqusLine& line, std::size_t word) {
    if (const std::optional<std::int64_t> node = number_of(mesh_, line.words[word], lines_.instance())) {
      const auto found = mesh_.vertex_of_node.find(*node);
      if (found != mesh_.vertex_of_node.end()) return {found->second};
    } else if (const AbaqusSet* set = find_set(mesh_.node_sets, std::string(line.words[word]), lines_.instance())) {
      std::vector<int> nodes = set->nodes;
      std::sort(nodes.begin(), nodes.end());
      nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
      return nodes;
    }
    fail_to_find(line, word, "expected the number of a node or the name of a set of nodes");
    return {};
  }

  /// Returns the number of a degree of freedom from 0.
  std::optional<int> component(const AbaqusLine& line, std::size_t word, std::optional<double> otherwise = {}) {
    const double value = number(line, word, "a degree of freedom, 1 to 6", otherwise);
    if (value >= 1.0 && value <= num_components && value == std::floor(value)) return static_cast<int>(value) - 1;
    if (!std::isnan(value)) fail(line, word, "expected a degree of freedom, 1 to 6");
    return std::nullopt;
  }

  // Time.

  void start_amplitude(const AbaqusLine& line) {
    const std::string name = to_lower(line.parameter("name"));
    const std::string definition = to_lower(line.parameter("definition"));
    if (name.empty()) return fail(line, 0, "expected the name of the amplitude: NAME=");
    bad_amplitudes_.insert(name);
    if (!definition.empty() && definition != "tabular") return fail(line, 0, "expected DEFINITION=TABULAR");
    if (to_lower(line.parameter("time")) == "total time" || !line.parameter("shiftx").empty() ||
        !line.parameter("shifty").empty() || !line.parameter("user").empty())
      return fail(line, 0, "expected an amplitude over the time of its step, without shifts");
    if (to_lower(line.parameter("value")) == "absolute" || parameter_value(line, "smooth") != 0.0)
      return fail(line, 0, "expected factors of the values of loads, with straight lines between them: VALUE=RELATIVE");
    bad_amplitudes_.erase(name);
    amplitude_ = &amplitudes_[name];
    read_data_ = &DeckReader::read_amplitude;
  }
  void read_amplitude(const AbaqusLine& line) {
    for (std::size_t k = 0; k + 1 < line.words.size(); k += 2) {
      const double time = number(line, k, "a time"), value = number(line, k + 1, "a value");
      if (!amplitude_->empty() && !(time > amplitude_->back()[0]))
        return fail(line, k, "expected a time after the one before");
      amplitude_->push_back({time, value});
    }
  }

  void start_step(const AbaqusLine& line) {
    end_step();
    step_ = {};
    step_.is_open = true;
    if (!line.parameter("perturbation").empty()) {
      step_.is_broken = true;
      return fail(line, 0, "expected a step that changes the state; use `clearance modes` for frequencies");
    }
    step_.place = place_of(line);
    step_.start = step_.end = deck_.duration;
    step_.steps_loads = to_lower(line.parameter("amplitude")) == "step";
    step_.ramps = to_lower(line.parameter("amplitude")) == "ramp";
  }

  /// The period of a step stands in its second line, before the loads that depend on it.
  void start_static(const AbaqusLine& line) { start_analysis(line, false); }
  void start_dynamic(const AbaqusLine& line) { start_analysis(line, true); }
  void start_analysis(const AbaqusLine& line, bool is_dynamic) {
    if (!is_in_step()) return fail(line, 0, "expected *STEP before");
    if (to_lower(line.parameter("application")) == "quasi-static")
      fail(line, 0, "expected *STATIC for a process without inertia, not APPLICATION=QUASI-STATIC");
    if (!deck_.increments.empty() && deck_.is_dynamic != is_dynamic)
      return fail(line, 0, "expected steps of one kind; static and dynamic steps cannot follow one another");
    deck_.is_dynamic = is_dynamic;
    if (to_lower(line.parameter("amplitude")) == "step" || (is_dynamic && !step_.ramps)) step_.steps_loads = true;
    step_.steps_supports = is_dynamic && !step_.ramps;
    deck_.increments.push_back({1.0, is_dynamic ? 0.0 : 1.0});
    step_.end = deck_.duration = step_.start + 1.0;
    step_.has_analysis = true;
    read_data_ = &DeckReader::read_analysis;
  }
  void read_analysis(const AbaqusLine& line) {
    const double period = positive(line, 1, "the period of the step", 1.0);
    const double increment = number(line, 0, "the first increment", 0.0);
    deck_.increments.back() = {period, increment > 0.0 ? std::min(increment, period) : 0.0};
    step_.end = deck_.duration = step_.start + period;
  }

  void start_end_step(const AbaqusLine&) { end_step(); }

  /// Ends what OP=NEW has removed and nobody has named again.
  void end_step() {
    if (!step_.is_open) return;
    if (!step_.has_analysis && !step_.is_broken)
      input_.add_issue(step_.place, "", "expected *STATIC or *DYNAMIC in this step");
    move_early_supports();
    for (const AbaqusFreedom& freedom : step_.old_supports) {
      if (step_.start > 0.0)
        deck_.supports.at(freedom).end = step_.start;
      else
        deck_.supports.erase(freedom);
    }
    for (const AbaqusFreedom& freedom : step_.old_forces)
      deck_.forces.at(freedom).go_to(0.0, step_.start, step_.end, step_.steps_loads);
    for (const std::string& key : step_.old_pressures)
      deck_.pressures.at(key).value.go_to(0.0, step_.start, step_.end, step_.steps_loads);
    for (const std::string& set : step_.old_spins)
      deck_.spins.at(set).value.go_to(0.0, step_.start, step_.end, step_.steps_loads);
    for (const std::string& set : step_.old_gravity) {
      for (AbaqusHistory& value : deck_.gravity.at(set).value)
        value.go_to(0.0, step_.start, step_.end, step_.steps_loads);
      deck_.is_gravity_constant = false;
    }
    step_ = {};
  }

  /// Reads the parameters of a condition. Returns false if it cannot be read.
  bool start_condition(const AbaqusLine& line, bool only_in_steps) {
    if (only_in_steps && !is_in_step()) {
      fail(line, 0, "expected *STEP before");
      return false;
    }
    if (is_in_step() && !step_.has_analysis) {
      if (!step_.is_broken) fail(line, 0, "expected *STATIC or *DYNAMIC before the loads of the step");
      return false;
    }
    if (const std::string op = to_lower(line.parameter("op")); !op.empty() && op != "new" && op != "mod") {
      fail(line, 0, fmt::format("expected OP=MOD or OP=NEW, not {}", op));
      return false;
    }
    if (is_in_step()) move_early_supports();
    const std::string name = to_lower(line.parameter("amplitude"));
    amplitude_ = nullptr;
    if (!name.empty()) {
      if (bad_amplitudes_.contains(name)) return false;
      const auto found = amplitudes_.find(name);
      if (found == amplitudes_.end() || found->second.empty()) {
        fail(line, 0, fmt::format("expected an *AMPLITUDE above: {}", name));
        return false;
      }
      amplitude_ = &found->second;
    }
    return true;
  }

  bool is_new(const AbaqusLine& line) const { return to_lower(line.parameter("op")) == "new"; }

  void change(AbaqusHistory& history, double value, bool jumps) {
    if (amplitude_ != nullptr)
      history.follow(*amplitude_, value, step_.start, step_.end);
    else
      history.go_to(value, step_.start, step_.end, jumps);
  }

  /// Changes a load: the first time in a step that of the steps before, and then by as much more.
  void load(AbaqusHistory& history, double value, bool is_first) {
    if (is_first) return change(history, value, step_.steps_loads);
    AbaqusHistory more;
    change(more, value, step_.steps_loads);
    history += more;
  }

  void start_boundary(const AbaqusLine& line) {
    if (!start_condition(line, false)) return;
    const std::string type = to_lower(line.parameter("type"));
    if (!type.empty() && type != "displacement")
      return fail(line, 0, "expected prescribed displacements: TYPE=DISPLACEMENT");
    if (!line.parameter("submodel").empty() || !line.parameter("user").empty())
      return fail(line, 0, "expected displacements as numbers, without SUBMODEL and USER");
    keeps_place_ = !line.parameter("fixed").empty();
    if (is_new(line)) {
      for (const auto& [freedom, support] : deck_.supports) {
        if (support.end == infinity && !step_.named_supports.contains(freedom)) step_.old_supports.insert(freedom);
      }
    }
    read_data_ = &DeckReader::read_boundary;
  }
  void read_boundary(const AbaqusLine& line) {
    const std::vector<int> nodes = nodes_of(line, 0);
    if (nodes.empty()) return;
    if (line.words.size() < 2) return fail(line, 1, "expected a degree of freedom, 1 to 6");
    const std::vector<int> named = components_of_name(to_lower(line.words[1]));
    if (!named.empty()) {
      if (line.words.size() > 2) return fail(line, 2, "expected nothing after the name of a support");
      for (const int c : named) support(line, nodes, c, 0.0);
      return;
    }
    const std::optional<int> first = component(line, 1);
    if (!first) return;
    const std::optional<int> last = component(line, 2, *first + 1.0);
    if (!last) return;
    const double value = number(line, 3, "a displacement", 0.0);
    if (*last < *first) return fail(line, 2, "expected a last degree of freedom that is not before the first");
    for (int c = *first; c <= *last; ++c) support(line, nodes, c, value);
  }

  void move_early_supports() {
    amplitude_ = nullptr;
    for (const auto& [nodes, component, value] : std::exchange(early_supports_, {})) {
      for (const int v : nodes) change(deck_.supports[{v, component}].displacement, value, step_.steps_supports);
    }
  }

  static std::vector<int> components_of_name(const std::string& name) {
    static const std::map<std::string, std::vector<int>> names = {
        {"encastre", {0, 1, 2, 3, 4, 5}},
        {"pinned", {0, 1, 2}},
        {"xsymm", {0, 4, 5}},
        {"ysymm", {1, 3, 5}},
        {"zsymm", {2, 3, 4}},
    };
    const auto found = names.find(name);
    return found == names.end() ? std::vector<int>{} : found->second;
  }

  void support(const AbaqusLine& line, const std::vector<int>& nodes, int component, double value) {
    // A displacement before the first step is that of its end.
    if (!is_in_step() && value != 0.0) early_supports_.push_back({nodes, component, value});
    bool is_late = false;
    for (const int v : nodes) {
      const auto [at, is_new] = deck_.supports.try_emplace({v, component});
      AbaqusSupport& support = at->second;
      if (support.end < infinity) return fail(line, 0, "expected nodes that an earlier step has not let go");
      if (is_new) support.place = place_of(line);
      if (is_new) support.start = step_.start;
      // FIXED: nodes stay where the step before has brought them.
      const double target = keeps_place_ ? support.displacement.before_step(step_.start) : value;
      if (is_in_step()) change(support.displacement, target, step_.steps_supports);
      step_.old_supports.erase({v, component});
      step_.named_supports.insert({v, component});
      is_late = is_late || (support.start > 0.0 && support.start == step_.start && !keeps_place_);
    }
    if (is_late && step_.late_supports.insert(line.places[0]).second)
      warn(line,
           "nodes that were free in the steps before: displacements are counted from where they are at the start of "
           "this step, not from their place at rest");
  }

  void start_cload(const AbaqusLine& line) {
    if (!start_condition(line, true)) return;
    if (is_new(line)) {
      for (const auto& [freedom, force] : deck_.forces) {
        if (!step_.named_forces.contains(freedom)) step_.old_forces.insert(freedom);
      }
    }
    read_data_ = &DeckReader::read_cload;
  }
  void read_cload(const AbaqusLine& line) {
    const std::vector<int> nodes = nodes_of(line, 0);
    if (nodes.empty()) return;
    const std::optional<int> direction = component(line, 1);
    const double value = number(line, 2, "a force");
    if (!direction) return;
    if (*direction > 2) return fail(line, 1, "expected a force along 1, 2 or 3; moments on nodes are not supported");
    for (const int v : nodes) {
      const AbaqusFreedom freedom = {v, *direction};
      load(deck_.forces[freedom], value, step_.named_forces.insert(freedom).second);
      deck_.places_of_forces.try_emplace(freedom, place_of(line));
      step_.old_forces.erase(freedom);
    }
  }

  void start_dload(const AbaqusLine& line) {
    if (!start_condition(line, true)) return;
    if (is_new(line)) forget_pressures();
    read_data_ = &DeckReader::read_dload;
  }
  void start_dsload(const AbaqusLine& line) {
    if (!start_condition(line, true)) return;
    if (is_new(line)) forget_pressures();
    read_data_ = &DeckReader::read_dsload;
  }
  void forget_pressures() {
    for (const auto& [key, pressure] : deck_.pressures) {
      if (!step_.named_pressures.contains(key)) step_.old_pressures.insert(key);
    }
    for (const auto& [set, gravity] : deck_.gravity) {
      if (!step_.named_gravity.contains(set)) step_.old_gravity.insert(set);
    }
    for (const auto& [set, spin] : deck_.spins) {
      if (!step_.named_spins.contains(set)) step_.old_spins.insert(set);
    }
  }

  void read_dload(const AbaqusLine& line) {
    if (line.words.size() < 2) return fail(line, 1, "expected the kind of load: GRAV, or P with a number");
    const std::string kind = to_lower(line.words[1]);
    if (kind == "grav") return read_gravity(line);
    if (kind == "centrif") return read_spin(line);
    std::vector<std::int64_t> numbers;
    if (const std::optional<std::int64_t> element = number_of(mesh_, line.words[0], lines_.instance())) {
      numbers = {*element};
    } else if (const AbaqusSet* set = find_set(mesh_.element_sets, std::string(line.words[0]))) {
      numbers = set->elements;
      std::sort(numbers.begin(), numbers.end());
      numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
    } else {
      return fail_to_find(line, 0, "expected the number of an element or the name of a set of elements");
    }
    if (line.words.size() > 3) return fail(line, 3, "expected a pressure and nothing after it");
    const bool is_side = kind.size() == 2 && kind[0] == 'p' && kind[1] >= '1' && kind[1] <= '6';
    if (kind != "p" && !is_side)
      return fail(line, 1, "expected GRAV, CENTRIF, P, or P1 to P6; other loads are not supported");
    std::vector<std::array<int, 4>> faces;
    for (const std::int64_t element : numbers) {
      const auto found = mesh_.elements.find(element);
      if (found == mesh_.elements.end()) continue;
      const AbaqusElement& of = found->second;
      const std::vector<std::array<int, 4>> side = of.is_shell() && kind == "p" ? of.simplices
                                                   : is_side                    ? side_of(of, kind[1] - '0')
                                                                                : std::vector<std::array<int, 4>>();
      if (side.empty())
        return fail(line, 1,
                    "expected sides of solids, P1 to P6, of elements in the plane, P1 to P4, or shells with P");
      faces.insert(faces.end(), side.begin(), side.end());
    }
    if (faces.empty()) return fail_to_find(line, 0, "expected elements of the file");
    // A pressure P on a shell acts along its normals, one on a surface against the outside.
    press(line, fmt::format("{} {}", to_lower(line.words[0]), kind), faces, kind == "p" ? -1.0 : 1.0, false);
  }

  void read_spin(const AbaqusLine& line) {
    const std::string set(line.words[0]);
    if (find_set(mesh_.element_sets, set) == nullptr) return fail_to_find(line, 0, "expected a set of elements");
    const double value = number(line, 2, "the square of an angular velocity");
    AbaqusSpin spin{place_of(line), set, {}, {}, {}};
    for (std::size_t c = 0; c < 3; ++c) {
      spin.point[static_cast<int>(c)] = number(line, 3 + c, "a point of the axis", 0.0);
      spin.axis[static_cast<int>(c)] = number(line, 6 + c, "a component of the axis", 0.0);
    }
    if (!(spin.axis.norm() > 0.0)) return fail(line, 6, "expected the direction of an axis");
    spin.axis.normalize();
    AbaqusSpin& known = deck_.spins.emplace(to_lower(set), spin).first->second;
    if (known.point != spin.point || known.axis != spin.axis) return fail(line, 3, "expected one axis of this set");
    load(known.value, value, step_.named_spins.insert(to_lower(set)).second);
    step_.old_spins.erase(to_lower(set));
  }

  void read_gravity(const AbaqusLine& line) {
    // Without a set it acts on the whole model.
    const std::string set(line.words[0]);
    if (!set.empty() && find_set(mesh_.element_sets, set) == nullptr)
      return fail_to_find(line, 0, "expected a set of elements");
    if (line.words.size() > 6) return fail(line, 6, "expected an acceleration and its direction");
    const double magnitude = number(line, 2, "an acceleration");
    Vec<3> direction;
    for (int c = 0; c < 3; ++c)
      direction[c] = number(line, static_cast<std::size_t>(3 + c), "a component of the direction", 0.0);
    if (!(direction.norm() > 0.0)) return fail(line, 3, "expected a direction");
    const Vec<3> gravity = magnitude / direction.norm() * direction;
    AbaqusGravity& of_set = deck_.gravity[to_lower(set)];
    if (of_set.place.empty()) of_set.place = place_of(line);
    const bool is_first = step_.named_gravity.insert(to_lower(set)).second;
    for (int c = 0; c < 3; ++c) load(of_set.value[c], gravity[c], is_first);
    step_.old_gravity.erase(to_lower(set));
    if (amplitude_ != nullptr || step_.start > 0.0) deck_.is_gravity_constant = false;
  }

  void read_dsload(const AbaqusLine& line) {
    const AbaqusSet* surface = find_set(mesh_.surfaces, std::string(line.words[0]));
    if (surface == nullptr || surface->faces.empty())
      return fail_to_find(line, 0, "expected a surface of elements (*SURFACE)");
    if (line.words.size() < 2 || to_lower(line.words[1]) != "p")
      return fail(line, 1, "expected P, a pressure; other loads are not supported");
    if (surface->has_both_sides || surface->has_no_side)
      return fail(line, 0, "expected a surface on one side of a shell: SPOS or SNEG in all its lines");
    press(line, to_lower(line.words[0]), surface->faces, surface->is_negative ? -1.0 : 1.0, true);
  }

  void press(const AbaqusLine& line, const std::string& key, const std::vector<std::array<int, 4>>& faces, double sign,
             bool is_named) {
    const double value = sign * number(line, 2, "a pressure");
    AbaqusPressure& pressure = deck_.pressures[key];
    const bool is_new = pressure.place.empty();
    if (is_new) pressure.place = place_of(line);
    pressure.faces = faces;
    pressure.is_named = is_named;
    load(pressure.value, value, step_.named_pressures.insert(key).second);
    step_.old_pressures.erase(key);
    if (is_new && acts_elsewhere(key, faces))
      fail(line, 0, "expected faces on which the steps before have no pressure, or the name that it has there");
  }

  /// Returns true if a step before has put a pressure on one of these faces by another name, which stays.
  bool acts_elsewhere(const std::string& key, const std::vector<std::array<int, 4>>& faces) const {
    const std::set<std::array<int, 4>> own(faces.begin(), faces.end());
    return std::any_of(deck_.pressures.begin(), deck_.pressures.end(), [&](const auto& of_name) {
      const auto& [name, other] = of_name;
      if (name == key || step_.named_pressures.contains(name) || step_.old_pressures.contains(name)) return false;
      return std::any_of(other.faces.begin(), other.faces.end(), [&](const auto& face) { return own.contains(face); });
    });
  }

  // Start.

  void start_initial_conditions(const AbaqusLine& line) {
    const std::string type = to_lower(line.parameter("type"));
    if (type == "temperature") return;  // which cannot change: other temperatures are refused
    if (type != "velocity")
      return fail(line, 0, "expected velocities: TYPE=VELOCITY; other conditions are not supported");
    read_data_ = &DeckReader::read_velocity;
  }
  void read_velocity(const AbaqusLine& line) {
    AbaqusVelocity velocity{nodes_of(line, 0), 0, number(line, 2, "a velocity")};
    const std::optional<int> direction = component(line, 1);
    if (!direction) return;
    if (*direction > 2) return fail(line, 1, "expected a velocity along 1, 2 or 3");
    velocity.component = *direction;
    deck_.velocities.push_back(std::move(velocity));
  }

  // Contact.

  void start_contact_pair(const AbaqusLine& line) {
    interaction_ = to_lower(line.parameter("interaction"));
    if (!line.parameter("adjust").empty())
      warn(line, "nodes are not moved onto the other surface (ADJUST); see docs/abaqus.md");
    read_data_ = &DeckReader::read_contact_pair;
  }
  void read_contact_pair(const AbaqusLine& line) {
    if (line.words.size() < 2) return fail(line, 1, "expected two surfaces; a body always collides with itself");
    for (std::size_t k = 0; k < 2; ++k) {
      if (find_set(mesh_.surfaces, std::string(line.words[k])) == nullptr)
        return fail_to_find(line, k, "expected a surface (*SURFACE)");
    }
    deck_.contact_pairs.push_back(
        {place_of(line), {std::string(line.words[0]), std::string(line.words[1])}, interaction_});
  }
  void start_interaction(const AbaqusLine& line) {
    interaction_ = to_lower(line.parameter("name"));
    deck_.friction.emplace(interaction_, 0.0);
  }
  void start_behavior(const AbaqusLine& line) {
    const std::string law = to_lower(line.parameter("pressure-overclosure"));
    if (law == "tied") deck_.tied_interactions.insert(interaction_);
    if (!law.empty() && law != "tied" && law != "hard")
      warn(line, "contact is hard: the law of pressure over overclosure is left out, since surfaces do not overlap");
  }
  void start_friction(const AbaqusLine&) { read_data_ = &DeckReader::read_friction; }
  void read_friction(const AbaqusLine& line) {
    deck_.friction[interaction_] = number(line, 0, "a coefficient of friction");
    if (deck_.friction[interaction_] < 0.0) fail(line, 0, "expected a coefficient of friction, at least 0");
  }

  /// General contact is what every scene has.
  void start_general_contact(const AbaqusLine&) { deck_.has_general_contact = true; }
  void start_contact_property(const AbaqusLine&) { read_data_ = &DeckReader::read_contact_property; }
  void read_contact_property(const AbaqusLine& line) {
    if (line.words.size() < 3) return fail(line, 2, "expected two surfaces, which may be empty, and an interaction");
    const std::string interaction = to_lower(line.words[2]);
    if (line.words[0].empty() && line.words[1].empty()) {
      deck_.general_interaction = interaction;
      deck_.general_place = place_of(line);
    } else {
      deck_.contact_pairs.push_back(
          {place_of(line), {std::string(line.words[0]), std::string(line.words[1])}, interaction});
    }
  }

  void start_tie(const AbaqusLine& line) {
    tie_tolerance_.reset();
    if (const double tolerance = parameter_value(line, "position tolerance"); tolerance > 0.0)
      tie_tolerance_ = tolerance;
    read_data_ = &DeckReader::read_tie;
  }
  void read_tie(const AbaqusLine& line) {
    if (line.words.size() < 2) return fail(line, 1, "expected two surfaces, the slave and the master");
    for (std::size_t k = 0; k < 2; ++k) {
      if (find_set(mesh_.surfaces, std::string(line.words[k])) == nullptr)
        return fail_to_find(line, k, "expected a surface (*SURFACE)");
    }
    deck_.ties.push_back({place_of(line), {std::string(line.words[0]), std::string(line.words[1])}, tie_tolerance_});
  }

  // Reference nodes.

  /// Returns the one node that a parameter names by its number or by a set; nothing if there is none.
  std::optional<int> reference_node(const AbaqusLine& line, const char* name) {
    const std::string text = line.parameter(name);
    const std::optional<std::int64_t> number = number_of(mesh_, text, lines_.instance());
    if (number && mesh_.vertex_of_node.contains(*number)) return mesh_.vertex_of_node.at(*number);
    const AbaqusSet* set = number ? nullptr : find_set(mesh_.node_sets, text, lines_.instance());
    if (set != nullptr && set->nodes.size() == 1) return set->nodes[0];
    fail(line, 0, fmt::format("expected one node: {}=", name));
    return std::nullopt;
  }

  void start_rigid_body(const AbaqusLine& line) {
    const std::optional<int> reference = reference_node(line, "ref node");
    if (!reference) return;
    AbaqusCoupling coupling{place_of(line), *reference};
    if (!line.parameter("rot node").empty()) coupling.rotation = reference_node(line, "rot node");
    const std::string elements = line.parameter("elset");
    for (const char* name : {"nset", "tie nset"}) {
      if (const AbaqusSet* set = find_set(mesh_.node_sets, line.parameter(name), lines_.instance()))
        coupling.nodes.insert(coupling.nodes.end(), set->nodes.begin(), set->nodes.end());
    }
    if (const AbaqusSet* set = find_set(mesh_.element_sets, elements, lines_.instance())) {
      for (const std::int64_t number : set->elements) {
        const std::vector<int>& nodes = mesh_.elements.at(number).nodes;
        coupling.nodes.insert(coupling.nodes.end(), nodes.begin(), nodes.end());
      }
      // Elements that are rigid by their type need no section. They are what others hit.
      if (!set->elements.empty() && mesh_.elements.at(set->elements.front()).type.starts_with("R3D")) {
        AbaqusSection section;
        section.place = coupling.place;
        section.set = elements;
        section.instance = lines_.instance();
        section.kind = BodyKind::obstacle;
        deck_.sections.push_back(std::move(section));
      }
    }
    if (coupling.nodes.empty()) return fail(line, 0, "expected nodes or elements that are rigid: NSET= or ELSET=");
    deck_.couplings.push_back(std::move(coupling));
  }

  void start_coupling(const AbaqusLine& line) {
    coupling_.reset();
    const std::optional<int> reference = reference_node(line, "ref node");
    if (!reference) return;
    const AbaqusSet* surface = find_set(mesh_.surfaces, line.parameter("surface"), lines_.instance());
    if (surface == nullptr) return fail(line, 0, "expected a surface: SURFACE=");
    if (!line.parameter("orientation").empty() || !line.parameter("influence radius").empty())
      return fail(line, 0, "expected a coupling along the axes, of the whole surface");
    coupling_ = AbaqusCoupling{place_of(line), *reference};
    coupling_->nodes = surface->faces.empty() ? surface->nodes : nodes_of_faces(mesh_.mesh, surface->faces);
    coupling_->surface = line.parameter("surface");
  }
  void start_kinematic(const AbaqusLine& line) {
    if (!coupling_) return fail(line, 0, "expected *COUPLING above");
    deck_.couplings.push_back(*coupling_);
    read_data_ = &DeckReader::read_kinematic;
    coupled_ = {};
  }
  void read_kinematic(const AbaqusLine& line) {
    const std::optional<int> first = component(line, 0);
    if (!first) return;
    const std::optional<int> last = component(line, 1, *first + 1.0);
    for (int c = *first; last && c <= *last; ++c) coupled_[c] = true;
    is_coupled_in_part_ = !(coupled_[0] && coupled_[1] && coupled_[2]);
    partial_coupling_ = deck_.couplings.back().place;
  }
  void end_coupling() {
    if (std::exchange(is_coupled_in_part_, false))
      input_.add_issue(partial_coupling_, "", "expected a coupling of all three displacements: 1, 2 and 3");
  }
  void start_distributing(const AbaqusLine& line) {
    if (!coupling_) return fail(line, 0, "expected *COUPLING above");
    coupling_->is_distributing = true;
    deck_.couplings.push_back(*coupling_);
  }

  /// Prescribes the nodes of a coupling as their reference node, which must not turn.
  void move_with_reference(const AbaqusCoupling& coupling) {
    const auto of = [&](int vertex, int component) {
      const auto found = deck_.supports.find({vertex, component});
      return found == deck_.supports.end() ? nullptr : &found->second;
    };
    bool is_held = true;
    for (int c = 0; c < 3; ++c) {
      const AbaqusSupport* turn = coupling.rotation ? of(*coupling.rotation, c) : of(coupling.reference, 3 + c);
      const bool keeps_direction = turn != nullptr && turn->displacement.is_constant() &&
                                   turn->displacement.last() == 0.0 && turn->end == infinity;
      is_held = is_held && keeps_direction && of(coupling.reference, c) != nullptr;
    }
    if (!is_held) {
      return input_.add_issue(
          coupling.place, "",
          "expected a reference node whose displacements and rotations are all prescribed, these as "
          "0: rigid parts that move freely or turn are not supported");
    }
    for (int c = 0; c < 3; ++c) {
      const AbaqusSupport support = *of(coupling.reference, c);
      for (const int v : coupling.nodes) {
        if (v == coupling.reference) continue;
        deck_.supports.insert_or_assign(AbaqusFreedom{v, c}, support);
      }
    }
  }

  // Output.

  void start_node_print(const AbaqusLine& line) {
    const std::string set = line.parameter("nset");
    if (set.empty()) return warn(line, "no probe is made without a set of nodes: NSET=");
    if (find_set(mesh_.node_sets, set, lines_.instance()) == nullptr)
      return fail_to_find(line, 0, fmt::format("expected the name of a set of nodes: NSET={}", set));
    deck_.prints.push_back({set, false, false, place_of(line)});
    read_data_ = &DeckReader::read_node_print;
  }
  void read_node_print(const AbaqusLine& line) {
    for (const std::string_view word : line.words) {
      const std::string name = to_lower(word);
      if (name == "u") deck_.prints.back().has_displacement = true;
      if (name == "rf") deck_.prints.back().has_force = true;
      if (name != "u" && name != "rf")
        warn(line, fmt::format("of what is printed U and RF become probes, and not {}", word));
    }
  }

  struct Step {
    bool is_open = false;
    std::string place = {};
    double start = 0.0, end = 0.0;
    bool steps_loads = false;     // loads act at once, not along a ramp
    bool steps_supports = false;  // displacements
    bool ramps = false;           // AMPLITUDE=RAMP of a dynamic step
    bool has_analysis = false;
    bool is_broken = false;                                      // something in it has been refused
    std::set<AbaqusFreedom> old_supports = {}, old_forces = {};  // removed, unless they are named again
    std::set<std::string> old_pressures = {}, old_gravity = {}, old_spins = {};
    std::set<AbaqusFreedom> named_supports = {}, named_forces = {};  // in this step
    std::set<std::string> named_pressures = {}, named_gravity = {}, named_spins = {};
    std::set<std::size_t> late_supports = {};  // places of lines that are told
  };

  MeshInput& input_;
  const AbaqusMesh& mesh_;
  Issues& warnings_;
  AbaqusLines lines_;
  AbaqusDeck deck_;
  Method read_data_ = nullptr;            // for the lines below the present keyword,
  const AbaqusKeyword* rules_ = nullptr;  // what it may have,
  int num_data_lines_ = 0;                // what it has,
  std::string place_of_keyword_;          // and where it is, if it needs data
  bool is_mesh_broken_ = false;
  Step step_;
  struct EarlySupport {
    std::vector<int> nodes;
    int component;
    double displacement;
  };
  std::vector<EarlySupport> early_supports_;  // other than 0, before the first step
  std::optional<AbaqusSection> section_;      // under way
  int num_section_lines_ = 0;
  std::string beam_shape_;
  std::map<std::string, AmplitudePoints> amplitudes_;
  std::set<std::string> bad_amplitudes_;  // that are refused
  AmplitudePoints* amplitude_ = nullptr;  // of the present keyword
  bool keeps_place_ = false;              // of the present *BOUNDARY: FIXED
  std::string interaction_;
  std::optional<double> tie_tolerance_;
  std::optional<AbaqusCoupling> coupling_;  // of the last *COUPLING
  std::array<bool, num_components> coupled_ = {};
  bool is_coupled_in_part_ = false;
  std::string partial_coupling_;  // its place
};

}  // namespace

AbaqusDeck read_abaqus_deck(MeshInput& input, const AbaqusMesh& mesh, Issues& warnings) {
  return DeckReader(input, mesh, warnings).read();
}

}  // namespace clearance
