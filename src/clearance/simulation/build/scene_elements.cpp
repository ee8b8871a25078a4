#include "clearance/simulation/build/scene_elements.h"

#include <algorithm>
#include <utility>

#include "clearance/bodies/fem/hardening.h"
#include "clearance/simulation/load/kept_shape.h"
#include "clearance/simulation/load/material_fields.h"
#include "clearance/simulation/load/material_parts.h"

namespace clearance {

MaterialParameters make_material(const MaterialDesc& m) {
  // Materials that yield have a law of their own. Its energy is a barrier, as that of the neo-Hookean law is.
  const bool yields = m.yield_stress || !m.hardening.empty();
  const ElasticModel model = yields ? ElasticModel::neo_hookean : m.model;
  MaterialParameters material = make_material(m.plane_stress ? plane_stress_of(model) : model, m.youngs_modulus,
                                              m.poisson_ratio, m.density, m.damping);
  if (!m.hardening.empty()) {
    material.hardening = std::make_shared<const Hardening>(m.hardening, 0.0);
  } else if (m.yield_stress) {
    const std::vector<std::array<double, 2>> start = {{0.0, *m.yield_stress}};
    material.hardening = std::make_shared<const Hardening>(start, m.hardening_modulus);
  }
  return material;
}

MaterialDesc material_of_part(const BodyDesc& body, int part) {
  if (part < 0) return body.material;
  MaterialDesc material = body.material_parts[part].material;
  material.plane_stress = body.material.plane_stress;
  return material;
}

namespace {

/// The materials of a scene: those of each body and its parts, followed by those of elements with numbers of their own.
class Materials {
 public:
  explicit Materials(const SceneDesc& desc) : desc_(desc) {
    for (const BodyDesc& body : desc.bodies) {
      first_of_body_.push_back(static_cast<int>(all_.size()));
      for (int part = -1; part < static_cast<int>(body.material_parts.size()); ++part) {
        all_.push_back(make_material(material_of_part(body, part)));
      }
    }
  }

  const std::vector<MaterialParameters>& all() const { return all_; }

  int of_cell(const BodyInstance& body, const MaterialFields& fields, std::size_t cell) {
    const BodyDesc& desc = desc_.bodies[body.desc];
    const int part = body.material_part.empty() ? -1 : body.material_part[cell];
    const int material = first_of_body_[body.desc] + 1 + part;
    const auto density = element_density(desc, body, body.cell_at_start(cell));
    if (fields.empty()) return density ? with_density(material, *density) : material;
    MaterialDesc own = material_of_part(desc, part);
    if (density) own.density = *density;
    fields.apply(cell, own);
    return with_numbers(material, own);
  }

 private:
  int with_density(int material, double density) {
    const auto [known, is_new] = with_density_.try_emplace({material, density}, static_cast<int>(all_.size()));
    if (is_new) {
      all_.push_back(all_[material]);
      all_.back().density = density;
    }
    return known->second;
  }

  /// Elements with the same numbers share a material.
  int with_numbers(int material, const MaterialDesc& own) {
    const std::array<double, 5> numbers = {own.density, own.youngs_modulus, own.poisson_ratio, own.damping,
                                           own.yield_stress.value_or(0.0)};
    const auto [known, is_new] = with_numbers_.try_emplace({material, numbers}, static_cast<int>(all_.size()));
    if (is_new) all_.push_back(make_material(own));
    return known->second;
  }

  const SceneDesc& desc_;
  std::vector<MaterialParameters> all_;
  std::vector<int> first_of_body_;
  std::map<std::pair<int, double>, int> with_density_;
  std::map<std::pair<int, std::array<double, 5>>, int> with_numbers_;
};

template <int dim>
class ElementCollector {
 public:
  using Orders = typename SceneElements<dim>::Orders;

  ElementCollector(const SceneDesc& desc, const std::vector<BodyInstance>& bodies, const Unknowns& unknowns)
      : desc_(desc), bodies_(bodies), unknowns_(unknowns), materials_(desc) {}

  SceneElements<dim> collect() {
    // Cells of frames begin with the solid elements of all bodies.
    int num_cells = 0;
    for (int b = 0; b < static_cast<int>(bodies_.size()); ++b) {
      const BodyInstance& body = bodies_[b];
      if (body.kind == BodyKind::deformable) add_body(b, num_cells);
      num_cells += static_cast<int>(dim == 3 ? body.mesh.tets.size() : body.mesh.triangles.size());
    }
    elements_.linear.x_rest = unknowns_.x_rest;
    elements_.linear.materials = materials_.all();
    elements_.linear.is_axisymmetric = desc_.axisymmetric;
    for (auto& [orders, of_order] : elements_.curved) {
      of_order.order = orders[0];
      of_order.higher_shape_order = orders[1] > orders[0] ? orders[1] : 0;
      of_order.x_rest = unknowns_.x_rest;
      of_order.materials = materials_.all();
      of_order.is_axisymmetric = desc_.axisymmetric;
      const std::vector<int>& cells = cell_of_curved_[orders];
      elements_.cell_of_element.insert(elements_.cell_of_element.end(), cells.begin(), cells.end());
    }
    return std::move(elements_);
  }

 private:
  void add_body(int b, int first_cell) {
    const BodyInstance& body = bodies_[b];
    const BodyBlocks& blocks = unknowns_.blocks[b];
    const MaterialFields fields(desc_.bodies[body.desc], body);
    const std::vector<char> is_stiff_element = stiff_elements(body.mesh, unknowns_.stiff_units, b);
    for (std::size_t cell = 0; cell < is_stiff_element.size(); ++cell) {
      if (is_stiff_element[cell]) continue;
      const int number = first_cell + static_cast<int>(cell);
      if (body.mesh.order_of_cell(cell) > 1) {
        add_curved(body, fields, cell, blocks, number);
      } else {
        add_linear(body, fields, cell, blocks, number);
      }
    }
  }

  void add_linear(const BodyInstance& body, const MaterialFields& fields, std::size_t cell, const BodyBlocks& blocks,
                  int number) {
    std::array<int, dim + 1> nodes{};
    for (std::size_t i = 0; i <= dim; ++i) {
      nodes[i] =
          blocks.of_node(dim == 3 ? body.mesh.tets[cell][i] : body.mesh.triangles[cell][std::min<std::size_t>(i, 2)]);
    }
    elements_.linear.add(nodes, materials_.of_cell(body, fields, cell));
    elements_.cell_of_element.push_back(number);
  }

  void add_curved(const BodyInstance& body, const MaterialFields& fields, std::size_t cell, const BodyBlocks& blocks,
                  int number) {
    const int shape_order = body.mesh.order_of_cell(cell);
    const int order = body.displacement_order > 0 ? body.displacement_order : shape_order;
    ElementMesh<dim>& of_order = elements_.curved[{order, shape_order}];
    for (const int v : nodes_of_displacements(body.mesh, cell, order)) of_order.nodes.push_back(blocks.of_node(v));
    if (order != shape_order) {
      for (const int v : body.mesh.nodes_of_cell(cell)) {
        const Vec<3>& x = body.mesh.vertices[v];
        of_order.shapes_at_rest.insert(of_order.shapes_at_rest.end(), x.data(), x.data() + dim);
      }
    }
    of_order.material_of_element.push_back(materials_.of_cell(body, fields, cell));
    cell_of_curved_[{order, shape_order}].push_back(number);
  }

  const SceneDesc& desc_;
  const std::vector<BodyInstance>& bodies_;
  const Unknowns& unknowns_;
  Materials materials_;
  SceneElements<dim> elements_;
  std::map<Orders, std::vector<int>> cell_of_curved_;
};

}  // namespace

template <int dim>
SceneElements<dim> collect_elements(const SceneDesc& desc, const std::vector<BodyInstance>& bodies,
                                    const Unknowns& unknowns) {
  return ElementCollector<dim>(desc, bodies, unknowns).collect();
}

template SceneElements<2> collect_elements<2>(const SceneDesc&, const std::vector<BodyInstance>&, const Unknowns&);
template SceneElements<3> collect_elements<3>(const SceneDesc&, const std::vector<BodyInstance>&, const Unknowns&);

}  // namespace clearance
