// A new Alembic archive in its own container format, Ogawa: objects in a tree, each with properties that have a value
// for each sample of time. Values go to the file as they come; the tree follows when the archive is closed.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <list>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "clearance/base/result.h"

namespace clearance::exchange {

/// Types of numbers, by their codes in the file.
enum class AbcPod : std::uint8_t {
  boolean = 0,
  uint8 = 1,
  uint32 = 5,
  int32 = 6,
  uint64 = 7,
  float32 = 10,
  float64 = 11,
  string = 12
};

/// Words that say what an object or a property is, by their keys.
using AbcMetadata = std::map<std::string, std::string>;
using AbcDigest = std::array<std::uint64_t, 2>;

/// Times [s] of the samples of an archive.
struct AbcTimes {
  std::vector<double> times;  ///< ascending
  double spacing = 0.0;       ///< of even times; 0 if they are uneven
};

class OgawaWriter {
 public:
  /// A compound of other properties, or a property with samples.
  struct Property {
    enum class Kind : std::uint8_t { compound = 0, scalar = 1, array = 2 };
    std::string name;
    AbcMetadata metadata;
    Kind kind = Kind::compound;
    std::list<Property> children = {};  ///< of a compound

    // The rest belongs to properties with samples.
    AbcPod pod = AbcPod::boolean;
    std::uint8_t extent = 1;  ///< numbers of an element
    bool is_timed = false;    ///< has samples at the archive's times; others have one value
    std::vector<std::uint64_t> places =
        {};  ///< where its values are in the file; repeated ones at the end are left out
    std::uint32_t num_samples = 0;
    std::uint32_t first_changed = 0;  ///< first sample that differs from the first one; 0 if none does
    std::uint32_t last_changed = 0;   ///< last sample that differs from the one before it
    AbcDigest last = {}, all = {};    ///< digests of the last value and of all of them
    std::uint64_t num_elements = 0;   ///< of the last value
    bool is_single = true;            ///< every value has one element
    bool is_homogeneous = true;       ///< every value has the same number of elements
  };

  struct Object {
    std::string name;
    AbcMetadata metadata = {};
    Property properties = {};
    std::list<Object> children = {};

    Object& add_object(std::string child, AbcMetadata words) {
      return children.emplace_back(Object{std::move(child), std::move(words)});
    }
  };

  /// Opens a new file. `close` reports failures.
  OgawaWriter(std::filesystem::path path, AbcTimes times, AbcMetadata metadata);

  Object& root() { return root_; }

  /// Adds the next value of a property. A value that is equal to the last one takes no room, and equal values of
  /// different properties are stored once.
  template <class T>
  void add(Property& property, std::span<const T> numbers) {
    add_bytes(property, {reinterpret_cast<const char*>(numbers.data()), numbers.size_bytes()},
              numbers.size() / property.extent);
  }
  void add(Property& property, const std::string& text) { add_bytes(property, {text.c_str(), text.size() + 1}, 1); }

  bool has_failed() const { return !file_; }
  Result<Done> close();

 private:
  void add_bytes(Property& property, std::string_view bytes, std::uint64_t num_elements);
  void write(std::string_view bytes);
  std::uint64_t write_data(std::string_view head, std::string_view bytes);
  std::uint64_t write_group(const std::vector<std::uint64_t>& children);
  std::uint64_t write_property(const Property& property, AbcDigest& digest);
  std::uint64_t write_object(const Object& object, AbcDigest& digest);
  void add_header(const Property& property, std::string& headers);
  std::uint32_t metadata_index(const std::string& words);
  std::string time_samplings() const;

  std::filesystem::path path_;
  std::ofstream file_;
  std::uint64_t position_ = 0;
  AbcTimes times_;
  AbcMetadata metadata_;
  Object root_;
  std::vector<std::string> known_metadata_;
  std::map<std::pair<AbcDigest, std::uint64_t>, std::uint64_t> stored_;  // by digest and size: places in the file
};

/// Adds a compound of properties, such as the schema of an object.
OgawaWriter::Property& add_compound(OgawaWriter::Property& parent, std::string name, AbcMetadata metadata = {});
/// Adds a property with one value, or with one at each of the archive's times.
OgawaWriter::Property& add_scalar(OgawaWriter::Property& parent, std::string name, AbcPod pod, int extent,
                                  bool is_timed, AbcMetadata metadata = {});
/// Adds a property whose values are lists of elements.
OgawaWriter::Property& add_array(OgawaWriter::Property& parent, std::string name, AbcPod pod, int extent, bool is_timed,
                                 AbcMetadata metadata = {});

/// Returns the digest of bytes by which Alembic tells values apart: MurmurHash3 for x64 with 128 bits.
AbcDigest abc_digest(std::string_view bytes);

}  // namespace clearance::exchange
