#include "clearance/io/polyfem/polyfem_materials.h"

#include <fmt/format.h>

#include <algorithm>

#include "clearance/io/polyfem/polyfem_selection.h"

namespace clearance {
namespace {

const std::vector<std::string_view> material_keys = {"type",   "id", "E",   "nu",  "rho",
                                                     "lambda", "mu", "phi", "psi", "models"};

struct Model {
  const char* name;
  ElasticModel native;
};
constexpr Model models[] = {{"NeoHookean", ElasticModel::neo_hookean},
                            {"LinearElasticity", ElasticModel::linear_elasticity},
                            {"HookeLinearElasticity", ElasticModel::linear_elasticity},
                            {"SaintVenant", ElasticModel::st_venant_kirchhoff},
                            {"FixedCorotational", ElasticModel::fixed_corotational}};

struct Lame {
  double lambda = 0.0, mu = 0.0;  ///< [Pa]
};

// Returns PolyFEM's Lame parameters, which in 2D are those of plane stress.
Lame lame_of(double e, double nu, int dim) {
  return {e * nu / (dim == 3 ? (1.0 + nu) * (1.0 - 2.0 * nu) : 1.0 - nu * nu), e / (2.0 * (1.0 + nu))};
}

void set_lame(const Lame& lame, MaterialDesc& material) {
  material.poisson_ratio = lame.lambda / (2.0 * (lame.lambda + lame.mu));
  material.youngs_modulus = 2.0 * lame.mu * (1.0 + material.poisson_ratio);
}

class MaterialReader {
 public:
  explicit MaterialReader(const PolyfemValues& values) : values_(values) {}

  MaterialDesc read(const ForeignObject& from) {
    std::vector<std::string> reported;
    from.warn_of_unknown_keys(material_keys, reported);
    MaterialDesc material;
    material.density = values_.number(from, "rho", 1.0, positive("", ""));
    for (const char* damping : {"phi", "psi"}) {
      if (values_.number(from, damping, 0.0) != 0.0) from.error(damping, "viscous damping is not supported yet");
    }
    if (from.word("type", "") == "MaterialSum") {
      read_sum(from, material);
      return material;
    }
    const Model* model = read_model(from);
    if (model == nullptr) return material;
    material.model = model->native;
    if (from.has("E") && values_.dim == 3) {
      // In 3D, E and nu have the same meaning and are taken unchanged.
      material.youngs_modulus = values_.number(from, "E", 1e5, positive("", ""));
      material.poisson_ratio = values_.number(from, "nu", 0.0, poisson_range());
    } else {
      set_lame(read_lame(from), material);
    }
    return material;
  }

 private:
  // In 2D lambda stays finite up to a Poisson's ratio of 1.
  Field poisson_range() const { return above(-1.0, "", "").below(values_.dim == 3 ? 0.5 : 1.0, true); }

  static const Model* read_model(const ForeignObject& from) {
    const std::string type = from.word("type", "");
    const auto* found =
        std::find_if(std::begin(models), std::end(models), [&](const Model& m) { return m.name == type; });
    if (found != std::end(models)) return found;
    from.error("type", type.empty() ? "expected the name of a material"
                                    : fmt::format("the material {} is not supported yet", type));
    return nullptr;
  }

  Lame read_lame(const ForeignObject& from) const {
    if (from.has("E") || !from.has("mu")) {
      if (!from.has("E")) from.error("E", "expected Young's modulus, or lambda and mu");
      const double e = values_.number(from, "E", 1e5, positive("", ""));
      return lame_of(e, values_.number(from, "nu", 0.0, poisson_range()), values_.dim);
    }
    return {values_.number(from, "lambda", 0.0, at_least(0.0, "", "")),
            values_.number(from, "mu", 1.0, positive("", ""))};
  }

  // Reads a sum of models. The parameters of energies of one kind add.
  void read_sum(const ForeignObject& from, MaterialDesc& material) {
    Lame sum;
    int count = 0;
    for (const ForeignObject& part : objects_of(from, "models")) {
      if (part.word("type", "") == "InversionBarrier") {
        part.warning("type",
                     "this is no longer a material of PolyFEM and is left out; NeoHookean elements never invert");
        continue;
      }
      const Model* model = read_model(part);
      if (model == nullptr) continue;
      if (count++ > 0 && model->native != material.model) {
        part.error("type", "sums of different materials are not supported yet");
        continue;
      }
      material.model = model->native;
      const Lame lame = read_lame(part);
      sum = {sum.lambda + lame.lambda, sum.mu + lame.mu};
    }
    if (count == 0) {
      from.error("models", "expected at least one material");
    } else {
      set_lame(sum, material);
    }
  }

  const PolyfemValues& values_;
};

}  // namespace

PolyfemMaterials::PolyfemMaterials(const ForeignObject& root, const PolyfemValues& values) {
  const Json* list = root.find("materials");
  if (list == nullptr) root.error("materials", "expected a list of materials");
  for (const ForeignObject& from : objects_of(root, "materials")) {
    Entry entry;
    entry.is_of_all = list->is_object();
    if (!entry.is_of_all) read_ids(from, entry.ids, entry.is_of_all, 0);
    entry.material = MaterialReader(values).read(from);
    entries_.push_back(std::move(entry));
  }
}

const MaterialDesc* PolyfemMaterials::find(int body_id) const {
  const auto found = std::find_if(entries_.begin(), entries_.end(), [&](const Entry& entry) {
    return entry.is_of_all || std::find(entry.ids.begin(), entry.ids.end(), body_id) != entry.ids.end();
  });
  return found == entries_.end() ? nullptr : &found->material;
}

}  // namespace clearance
