#include "clearance/io/polyfem/polyfem_limits.h"

#include <fmt/format.h>

#include <algorithm>

#include "clearance/io/polyfem/polyfem_values.h"

namespace clearance {
namespace {

using Keys = std::vector<std::string_view>;

// A section `a.b` of the scene and its known keys.
struct Section {
  std::vector<const char*> path;
  Keys keys;
};
const Section sections[] = {
    {{},
     {"geometry", "space", "time", "contact", "materials", "boundary_conditions", "initial_conditions", "solver",
      "output", "tests", "units", "constraints", "input", "preset_problem", "root_path", "optimization", "authen"}},
    {{"space"},
     {"discr_order", "discr_orderq", "pressure_discr_order", "basis_type", "poly_basis_type", "use_p_ref", "remesh",
      "advanced"}},
    {{"space", "advanced"},
     {"bc_method", "quadrature_order", "mass_quadrature_order", "isoparametric", "discr_order_max",
      "n_boundary_samples", "n_harmonic_samples", "use_corner_quadrature", "use_particle_advection", "B", "h1_formula",
      "count_flipped_els", "integral_constraints"}},
    {{"space", "remesh"}, {"enabled", "type", "split", "collapse", "swap", "smooth", "local_relaxation"}},
    {{"space", "remesh", "split"},
     {"enabled", "acceptance_tolerance", "culling_threshold", "max_depth", "min_edge_length"}},
    {{"space", "remesh", "collapse"},
     {"enabled", "acceptance_tolerance", "culling_threshold", "max_depth", "rel_max_edge_length",
      "abs_max_edge_length"}},
    {{"space", "remesh", "swap"}, {"enabled", "acceptance_tolerance", "max_depth"}},
    {{"space", "remesh", "smooth"}, {"enabled", "acceptance_tolerance", "max_iters"}},
    {{"space", "remesh", "local_relaxation"}, {"local_mesh_n_ring", "local_mesh_rel_area", "max_nl_iterations"}},
    {{"time"}, {"t0", "tend", "dt", "time_steps", "integrator", "quasistatic"}},
    {{"contact"},
     {"enabled",
      "dhat",
      "dhat_percentage",
      "epsv",
      "friction_coefficient",
      "use_convergent_formulation",
      "use_area_weighting",
      "use_improved_max_operator",
      "use_physical_barrier",
      "use_gcp_formulation",
      "use_smooth_formulation",
      "alpha_t",
      "alpha_n",
      "beta_t",
      "beta_n",
      "use_adaptive_dhat",
      "min_distance_ratio",
      "periodic",
      "collision_mesh",
      "adhesion"}},
    {{"boundary_conditions"},
     {"rhs", "dirichlet_boundary", "neumann_boundary", "normal_aligned_neumann_boundary", "pressure_boundary",
      "pressure_cavity", "obstacle_displacements", "periodic_boundary"}},
    {{"initial_conditions"}, {"solution", "velocity", "acceleration"}},
    {{"solver"},
     {"max_threads", "linear", "adjoint_linear", "nonlinear", "augmented_lagrangian", "contact", "rayleigh_damping",
      "advanced"}},
    {{"solver", "contact"},
     {"CCD", "barrier_stiffness", "initial_barrier_stiffness", "friction_iterations", "friction_convergence_tol",
      "tangential_adhesion_iterations"}},
};
const Keys geometry_keys = {"mesh",
                            "type",
                            "is_obstacle",
                            "enabled",
                            "n_refs",
                            "array",
                            "unit",
                            "mesh_sequence",
                            "fps",
                            "extract",
                            "transformation",
                            "advanced",
                            "volume_selection",
                            "surface_selection",
                            "point_selection",
                            "curve_selection",
                            "point",
                            "normal",
                            "height"};

bool is_empty(const Json* value) {
  return value == nullptr || value->empty() || *value == Json("") || *value == Json(false);
}

class Refusal {
 public:
  explicit Refusal(const ForeignObject& root) : root_(root) {}

  void run() {
    refuse_space();
    refuse_contact();
    refuse_conditions();
    refuse_units();
    const ForeignObject solver = root_.child("solver");
    refuse_if_given(solver, "rayleigh_damping", "Rayleigh damping is");
    refuse_if_given(root_.child("input").child("data"), "state", "starting from a stored state is");
  }

  void run(const ForeignObject& entry) {
    const std::string type = entry.word("type", "mesh");
    if (type == "mesh_sequence" && !entry.flag("is_obstacle", false)) {
      entry.error("type", "only obstacles can follow a sequence of meshes");
    } else if (type != "mesh" && type != "mesh_array" && type != "mesh_sequence" && type != "plane" &&
               type != "ground") {
      entry.error("type", "expected mesh, mesh_array, mesh_sequence, plane or ground");
    }
    if (entry.child("advanced").flag("normalize_mesh", false)) {
      entry.error("advanced", "normalize_mesh is not supported yet");
    }
    const std::string extract = entry.word("extract", "volume");
    if (extract == "points" || extract == "edges") entry.error("extract", "only surfaces are supported yet");
    if (!is_empty(entry.find("unit")) && entry.word("unit", "m") != "m") {
      entry.error("unit", "units of meshes are not supported yet; use `scale`");
    }
  }

 private:
  void refuse_if_given(const ForeignObject& from, const char* key, const char* what) const {
    if (!is_empty(from.find(key))) from.error(key, fmt::format("{} not supported yet", what));
  }

  void refuse_space() const {
    const ForeignObject space = root_.child("space");
    const std::string basis = space.word("basis_type", "Lagrange");
    if (basis != "Lagrange") space.error("basis_type", "only Lagrange elements are supported");
    refuse_if_given(space, "use_p_ref", "refinement of the order is");
    const ForeignObject advanced = space.child("advanced");
    for (const char* key : {"quadrature_order", "mass_quadrature_order"}) {
      if (advanced.integer(key, -1) > 0) {
        advanced.warning(key,
                         "this key has no effect, because the order of the elements determines the quadrature points");
      }
    }
    if (advanced.word("bc_method", "sample") == "lsq") {
      advanced.warning("bc_method", "this method has no effect: the values at the nodes are used, as with `sample`");
    }
  }

  void refuse_contact() const {
    const ForeignObject contact = root_.child("contact");
    if (!contact.flag("enabled", false)) return;
    if (contact.child("adhesion").flag("adhesion_enabled", false)) {
      contact.error("adhesion", "adhesion is not supported yet");
    }
    refuse_if_given(contact, "periodic", "periodic contact is");
  }

  void refuse_conditions() const {
    const ForeignObject boundary = root_.child("boundary_conditions");
    refuse_if_given(boundary, "normal_aligned_neumann_boundary", "traction along normals is");
    refuse_if_given(boundary, "pressure_cavity", "pressure of cavities is");
    if (boundary.child("periodic_boundary").flag("enabled", false)) {
      boundary.error("periodic_boundary", "periodic boundaries are not supported yet");
    }
    const ForeignObject initial = root_.child("initial_conditions");
    refuse_if_given(initial, "solution", "a displacement at the start is");
    refuse_if_given(initial, "acceleration", "an acceleration at the start is");
    const ForeignObject constraints = root_.child("constraints");
    refuse_if_given(constraints, "hard", "linear constraints are");
    refuse_if_given(constraints, "soft", "soft constraints are");
  }

  // Values without a unit are in these units.
  void refuse_units() const {
    const ForeignObject units = root_.child("units");
    for (const auto& [key, usual] : {std::pair("length", "m"), std::pair("mass", "kg"), std::pair("time", "s")}) {
      if (units.word(key, usual) != usual) units.error(key, fmt::format("only {} is supported yet", usual));
    }
  }

  const ForeignObject& root_;
};

}  // namespace

void refuse_unsupported(const ForeignObject& root, const std::vector<ForeignObject>& geometry) {
  Refusal refusal(root);
  refusal.run();
  for (const ForeignObject& entry : geometry) refusal.run(entry);
}

void warn_of_unknown_keys(const ForeignObject& root, const std::vector<ForeignObject>& geometry) {
  for (const Section& section : sections) {
    const ForeignObject* at = &root;
    std::vector<ForeignObject> way;
    way.reserve(section.path.size());
    for (const char* key : section.path) {
      way.push_back(at->child(key));
      at = &way.back();
    }
    std::vector<std::string> reported;
    at->warn_of_unknown_keys(section.keys, reported);
  }
  std::vector<std::string> reported;
  for (const ForeignObject& entry : geometry) entry.warn_of_unknown_keys(geometry_keys, reported);
}

}  // namespace clearance
