// Alembic archives in Ogawa, Alembic's own container format: a tree of objects with properties, which have values for
// samples of time. Places and sizes of a file are checked before use, so that broken files end in issues.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "clearance/io/mesh/mesh_file.h"

namespace clearance {

/// Times [s] of samples.
struct AbcTimeSampling {
  double time_per_cycle = 1.0;
  std::vector<double> times;  ///< of one cycle; of all samples if they are uneven
  bool is_uneven = false;

  /// Returns the time of a sample. Uneven times end with the last one.
  double time(std::size_t sample) const;
};

/// A property of an object. A compound has other properties instead of values.
struct AbcProperty {
  enum class Kind : std::uint8_t { compound, scalar, array };
  std::string name;
  Kind kind = Kind::compound;
  int pod = 0;     ///< code of the type of its numbers
  int extent = 1;  ///< numbers of an element
  std::size_t num_samples = 0;
  std::size_t first_changed = 0, last_changed = 0;  ///< samples between which values are stored one by one
  std::size_t time_sampling = 0;
  std::uint64_t group = 0;  ///< place in the file

  bool is_constant() const { return last_changed == 0; }
};

struct AbcObject {
  std::string path;    ///< /run/ball
  std::string schema;  ///< AbcGeom_PolyMesh_v1, ...; may be empty
  bool is_instance = false;
  std::uint64_t properties = 0;  ///< place of the group of its properties
  std::vector<AbcObject> children;
};

class OgawaReader {
 public:
  /// Reads the tree of objects. Reports to `input` what it cannot read; `input` must outlive the archive.
  explicit OgawaReader(MeshInput& input);

  const AbcObject& root() const { return root_; }
  const AbcTimeSampling& time_sampling(const AbcProperty& property) const {
    return time_samplings_[property.time_sampling];
  }
  /// Returns the properties in a group, by their names. `owner` is told in issues.
  std::map<std::string, AbcProperty> properties(std::uint64_t group, const std::string& owner);
  /// Returns the numbers of a sample; nothing after an issue. `owner` is told in issues.
  std::optional<std::vector<double>> numbers(const AbcProperty& property, std::size_t sample, const std::string& owner);

 private:
  using Place = std::uint64_t;  // with the top bit: data, otherwise a group

  bool is_group(Place place) const;
  std::size_t num_children(Place group);
  std::optional<Place> child(Place group, std::size_t index);
  std::optional<std::string_view> data(Place place);
  std::optional<std::string_view> child_data(Place group, std::size_t index);
  void fail(std::string place, std::string message);

  void read_root();
  bool read_time_samplings(std::string_view bytes);
  bool read_metadata(std::string_view bytes);
  void read_object(Place group, AbcObject& object, int depth);

  MeshInput& input_;
  AbcObject root_;
  std::vector<AbcTimeSampling> time_samplings_;
  std::vector<std::string> metadata_;
  std::size_t num_objects_ = 0;
};

}  // namespace clearance
