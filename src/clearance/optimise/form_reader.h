// Reads the forms of an objective from PolyFEM's optimisation files.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "clearance/optimise/form.h"
#include "clearance/scene/foreign_object.h"

namespace clearance::optimise {

class FormReader {
 public:
  /// `meshes`: per state. Data files are relative to `folder`; their text is appended to `inputs`.
  FormReader(const std::vector<std::unique_ptr<const StateMesh>>& meshes, std::size_t varied,
             std::filesystem::path folder, std::string& inputs)
      : meshes_(meshes), varied_(varied), folder_(std::move(folder)), inputs_(inputs) {}

  /// Returns the form that an object describes; null after an issue.
  FormPtr read(const ForeignObject& from);

 private:
  using Reader = FormPtr (FormReader::*)(const ForeignObject&);
  struct Kind;
  static const std::vector<Kind>& kinds();

  FormPtr child(const ForeignObject& from, const char* key);
  /// Returns the mesh of the state that the form reads; null after an issue.
  const StateMesh* mesh_of(const ForeignObject& from);
  std::optional<std::size_t> target_of(const ForeignObject& from);
  /// Indices of the cells or faces that a selection names; all without one. Empty after an issue.
  std::vector<int> parts(const ForeignObject& from, const char* key, const std::vector<StateCell>& all);

  FormPtr read_transient(const ForeignObject& from);
  FormPtr read_divide(const ForeignObject& from);
  FormPtr read_plus_const(const ForeignObject& from);
  FormPtr read_power(const ForeignObject& from);
  FormPtr read_soft_constraint(const ForeignObject& from);
  FormPtr read_position(const ForeignObject& from);
  FormPtr read_volume(const ForeignObject& from);
  FormPtr read_target(const ForeignObject& from);
  FormPtr read_center_target(const ForeignObject& from);
  FormPtr read_node_target(const ForeignObject& from);
  FormPtr read_stress_norm(const ForeignObject& from);
  FormPtr read_boundary_smoothing(const ForeignObject& from);
  FormPtr read_min_jacobian(const ForeignObject& from);

  const std::vector<std::unique_ptr<const StateMesh>>& meshes_;
  std::size_t varied_;
  std::filesystem::path folder_;
  std::string& inputs_;
};

/// Reads one whole number or a list of them. Returns false, after an issue, if the value is something else.
bool read_integers(const ForeignObject& from, const char* key, std::vector<int>& numbers);

}  // namespace clearance::optimise
