#include "clearance/io/mesh/ogawa_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "clearance/io/mesh/mesh_bytes.h"
#include "clearance/math/types.h"

namespace clearance {
namespace {

constexpr std::uint64_t data_mark = std::uint64_t{1} << 63;
constexpr std::size_t header_size = 16, digest_size = 16;
/// Objects may nest this deep, and have paths of so many characters. Broken files can have cycles.
constexpr int max_depth = 100;
constexpr std::size_t max_path = 10000;
/// Spacing that stands for uneven times.
constexpr double uneven_spacing = std::numeric_limits<double>::max() / 32.0;

/// Reads numbers and texts one after another. Once the bytes end too early, everything is zero or empty.
class Cursor {
 public:
  explicit Cursor(std::string_view bytes) : bytes_(bytes), left_(bytes, is_swapped(std::endian::little)) {}

  template <class T>
  T number() {
    T value{};
    has_ended_ = has_ended_ || !left_.read(value);
    return value;
  }
  /// Reads a whole number of 1, 2 or 4 bytes, by their code.
  std::uint32_t number_of_size(std::uint32_t size_code) {
    if (size_code == 0) return number<std::uint8_t>();
    if (size_code == 1) return number<std::uint16_t>();
    if (size_code == 2) return number<std::uint32_t>();
    has_ended_ = true;
    return 0;
  }
  std::string text(std::size_t size) {
    const std::size_t begin = left_.position();
    has_ended_ = has_ended_ || !left_.skip(size);
    return has_ended_ ? std::string() : std::string(bytes_.substr(begin, size));
  }
  bool has_more() const { return !has_ended_ && left_.num_bytes_left() > 0; }
  std::size_t num_bytes_left() const { return left_.num_bytes_left(); }
  bool has_ended() const { return has_ended_; }

 private:
  std::string_view bytes_;
  ByteCursor left_;
  bool has_ended_ = false;
};

/// Returns the value of a key in metadata of the form `key=value;key=value`.
std::string metadata_value(const std::string& metadata, const std::string& key) {
  const std::string text = ";" + metadata + ";";
  const std::size_t at = text.find(";" + key + "=");
  if (at == std::string::npos) return "";
  const std::size_t begin = at + key.size() + 2;
  return text.substr(begin, text.find(';', begin) - begin);
}

double half_to_double(std::uint16_t half) {
  const int exponent = half >> 10 & 31, fraction = half & 1023;
  const double sign = (half & 0x8000) != 0 ? -1.0 : 1.0;
  if (exponent == 31) return fraction == 0 ? sign * infinity : std::nan("");
  return sign * (exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25));
}

template <class T>
double load(const char* bytes) {
  return static_cast<double>(load_number<T>(bytes, is_swapped(std::endian::little)));
}

/// How the numbers of a type are stored.
struct Pod {
  std::size_t size;
  double (*load)(const char*);
};
/// Types by their codes: bool, whole numbers of 8 to 64 bits, without sign and with one, floating-point numbers of 16,
/// 32 and 64 bits. Texts follow; they are not read.
const std::array pods = {
    Pod{1, load<std::uint8_t>},
    Pod{1, load<std::uint8_t>},
    Pod{1, load<std::int8_t>},
    Pod{2, load<std::uint16_t>},
    Pod{2, load<std::int16_t>},
    Pod{4, load<std::uint32_t>},
    Pod{4, load<std::int32_t>},
    Pod{8, load<std::uint64_t>},
    Pod{8, load<std::int64_t>},
    Pod{2,
        [](const char* bytes) {
          return half_to_double(load_number<std::uint16_t>(bytes, is_swapped(std::endian::little)));
        }},
    Pod{4, load<float>},
    Pod{8, load<double>}};

}  // namespace

double AbcTimeSampling::time(std::size_t sample) const {
  if (is_uneven) return times[std::min(sample, times.size() - 1)];
  return times[sample % times.size()] + time_per_cycle * static_cast<double>(sample / times.size());
}

OgawaReader::OgawaReader(MeshInput& input) : input_(input) {
  const std::string_view bytes = input.bytes();
  if (bytes.starts_with("\x89HDF\r\n\x1a\n")) {
    input.add_issue("", "HDF5",
                    "expected an Alembic archive of the kind Ogawa; convert this old one with `abcconvert -toOgawa "
                    "old.abc new.abc`");
  } else if (bytes.size() < header_size || !bytes.starts_with("Ogawa")) {
    input.add_issue("", bytes.substr(0, 8), "expected an Alembic archive, which begins with `Ogawa`");
  } else if (bytes[5] != '\xff') {
    input.add_issue("", "", "the Alembic archive is not finished; its program ended while it was writing");
  } else if (bytes[6] != 0 || bytes[7] != 1) {
    fail("header", "expected version 1 of the format");
  } else {
    read_root();
  }
}

void OgawaReader::fail(std::string place, std::string message) {
  input_.add_issue(std::move(place), "", std::move(message));
}

bool OgawaReader::is_group(Place place) const {
  return (place & data_mark) == 0;
}

/// Returns how many children a group has; 0 after an issue.
std::size_t OgawaReader::num_children(Place group) {
  if (group == 0) return 0;
  const std::string_view bytes = input_.bytes();
  if (group < header_size || group > bytes.size() || bytes.size() - group < 8) {
    fail(fmt::format("byte {}", group), "a group begins beyond the end of the file; the archive is damaged or cut off");
    return 0;
  }
  const auto count = load_number<std::uint64_t>(bytes.data() + group, is_swapped(std::endian::little));
  if (count <= (bytes.size() - group - 8) / 8) return count;
  fail(fmt::format("byte {}", group), "a group goes beyond the end of the file; the archive is damaged or cut off");
  return 0;
}

std::optional<OgawaReader::Place> OgawaReader::child(Place group, std::size_t index) {
  if (index >= num_children(group)) return {};
  return load_number<std::uint64_t>(input_.bytes().data() + group + 8 + 8 * index, is_swapped(std::endian::little));
}

std::optional<std::string_view> OgawaReader::data(Place place) {
  if (is_group(place)) return {};
  place &= ~data_mark;
  if (place == 0) return std::string_view();
  const std::string_view bytes = input_.bytes();
  if (place >= header_size && place <= bytes.size() && bytes.size() - place >= 8) {
    const auto size = load_number<std::uint64_t>(bytes.data() + place, is_swapped(std::endian::little));
    if (size <= bytes.size() - place - 8) return bytes.substr(place + 8, size);
  }
  fail(fmt::format("byte {}", place), "data go beyond the end of the file; the archive is damaged or cut off");
  return {};
}

std::optional<std::string_view> OgawaReader::child_data(Place group, std::size_t index) {
  const std::optional<Place> place = child(group, index);
  return place ? data(*place) : std::optional<std::string_view>();
}

void OgawaReader::read_root() {
  const Place root = load_number<std::uint64_t>(input_.bytes().data() + 8, is_swapped(std::endian::little));
  // Version, library, objects, metadata, times, list of metadata.
  const std::optional<Place> objects = child(root, 2);
  const auto version = child_data(root, 0), times = child_data(root, 4), list = child_data(root, 5);
  if (input_.has_failed()) return;
  if (!objects || !is_group(*objects) || !version || !times || !list)
    return fail("", "the file is of the format Ogawa, but expected an Alembic archive in it");
  if (*version != std::string_view("\0\0\0\0", 4)) return fail("", "expected version 0 of Alembic's arrangement");
  if (!read_time_samplings(*times) || !read_metadata(*list)) return;
  read_object(*objects, root_, 0);
}

bool OgawaReader::read_time_samplings(std::string_view bytes) {
  Cursor cursor(bytes);
  while (cursor.has_more()) {
    AbcTimeSampling& sampling = time_samplings_.emplace_back();
    cursor.number<std::uint32_t>();  // the number of samples, which properties have themselves
    sampling.time_per_cycle = cursor.number<double>();
    sampling.is_uneven = sampling.time_per_cycle == uneven_spacing;
    const auto count = cursor.number<std::uint32_t>();
    if (count == 0 || count > cursor.num_bytes_left() / sizeof(double)) break;
    for (std::uint32_t i = 0; i < count; ++i) sampling.times.push_back(cursor.number<double>());
    double before = -infinity;
    for (const double time : sampling.times) {
      if (!(time > before) || !std::isfinite(time)) {
        fail("times", "expected ascending times of samples");
        return false;
      }
      before = time;
    }
    if (!sampling.is_uneven && !(sampling.time_per_cycle > 0.0 && sampling.time_per_cycle < uneven_spacing &&
                                 before - sampling.times[0] <= sampling.time_per_cycle)) {
      fail("times", "expected samples that follow one another");
      return false;
    }
  }
  if (!time_samplings_.empty() && !time_samplings_.back().times.empty() && !cursor.has_ended()) return true;
  fail("times", "the list of times is damaged");
  return false;
}

bool OgawaReader::read_metadata(std::string_view bytes) {
  metadata_ = {""};
  Cursor cursor(bytes);
  while (cursor.has_more()) metadata_.push_back(cursor.text(cursor.number<std::uint8_t>()));
  if (cursor.has_ended()) fail("metadata", "the list of metadata is damaged");
  return !cursor.has_ended();
}

/// Reads the children of an object, and theirs.
void OgawaReader::read_object(Place group, AbcObject& object, int depth) {
  if (group == 0) return;
  const std::string owner = object.path.empty() ? "/" : object.path;
  // Each object takes at least 8 bytes, so that a file with more of them has groups that contain themselves.
  if (depth > max_depth || object.path.size() > max_path || ++num_objects_ > input_.bytes().size() / 8)
    return fail(owner.substr(0, 100), "objects are nested without an end; the archive is damaged");
  const std::size_t count = num_children(group);
  if (count == 0) return;
  if (const auto properties = child(group, 0); properties && is_group(*properties)) object.properties = *properties;
  const std::optional<Place> last = child(group, count - 1);
  if (!last || is_group(*last)) return;
  const std::optional<std::string_view> headers = data(*last);
  // Two digests follow the headers.
  if (!headers || headers->size() <= 2 * digest_size) return;
  Cursor cursor(headers->substr(0, headers->size() - 2 * digest_size));
  for (std::size_t k = 1; cursor.has_more() && !input_.has_failed(); ++k) {
    AbcObject& next = object.children.emplace_back();
    const std::string name = cursor.text(cursor.number<std::uint32_t>());
    const auto index = cursor.number<std::uint8_t>();
    std::string metadata;
    if (index == 255)
      metadata = cursor.text(cursor.number<std::uint32_t>());
    else if (index < metadata_.size())
      metadata = metadata_[index];
    const std::optional<Place> place = child(group, k);
    if (cursor.has_ended() || name.empty() || (index != 255 && index >= metadata_.size()) || !place ||
        !is_group(*place))
      return fail(owner, "the list of objects is damaged");
    next.path = object.path + "/" + name;
    next.schema = metadata_value(metadata, "schema");
    next.is_instance = metadata_value(metadata, "isInstance") == "1";
    read_object(*place, next, depth + 1);
  }
}

std::map<std::string, AbcProperty> OgawaReader::properties(std::uint64_t group, const std::string& owner) {
  std::map<std::string, AbcProperty> result;
  const std::size_t count = num_children(group);
  if (count == 0) return result;
  const auto headers = child_data(group, count - 1);
  if (!headers) return result;
  const auto damaged = [&] {
    fail(owner, "the list of properties is damaged");
    return std::map<std::string, AbcProperty>();
  };
  Cursor cursor(*headers);
  for (std::size_t k = 0; cursor.has_more(); ++k) {
    AbcProperty property;
    const auto info = cursor.number<std::uint32_t>();
    const std::uint32_t size_code = info >> 2 & 3;
    const bool is_compound = (info & 3) == 0;
    if (!is_compound) {
      property.kind = (info & 3) == 1 ? AbcProperty::Kind::scalar : AbcProperty::Kind::array;
      property.pod = static_cast<int>(info >> 4 & 15);
      property.extent = static_cast<int>(info >> 12 & 255);
      property.num_samples = cursor.number_of_size(size_code);
      if ((info & 0x200) != 0) {
        property.first_changed = cursor.number_of_size(size_code);
        property.last_changed = cursor.number_of_size(size_code);
      } else if ((info & 0x800) == 0 && property.num_samples > 0) {
        property.first_changed = 1;
        property.last_changed = property.num_samples - 1;
      }
      if ((info & 0x100) != 0) property.time_sampling = cursor.number_of_size(size_code);
      if (property.time_sampling >= time_samplings_.size() || property.first_changed > property.last_changed ||
          property.extent == 0) {
        return damaged();
      }
    }
    property.name = cursor.text(cursor.number_of_size(size_code));
    if ((info >> 20 & 255) == 255) cursor.text(cursor.number_of_size(size_code));
    const std::optional<Place> place = child(group, k);
    if (cursor.has_ended() || property.name.empty() || !place || !is_group(*place)) return damaged();
    property.group = *place;
    result.emplace(property.name, std::move(property));
  }
  return result;
}

std::optional<std::vector<double>> OgawaReader::numbers(const AbcProperty& property, std::size_t sample,
                                                        const std::string& owner) {
  const std::string place = owner + "." + property.name;
  const auto refuse = [&](const std::string& message) {
    // An issue about data that are cut off is enough.
    if (!input_.has_failed()) fail(place, message);
    return std::optional<std::vector<double>>();
  };
  if (property.kind == AbcProperty::Kind::compound || property.pod >= static_cast<int>(pods.size()))
    return refuse("expected numbers");
  // Samples before the first change and after the last one are not stored.
  const std::size_t value = property.is_constant() || sample < property.first_changed
                                ? 0
                                : std::min(sample, property.last_changed) - property.first_changed + 1;
  const auto bytes = child_data(property.group, property.kind == AbcProperty::Kind::array ? 2 * value : value);
  if (!bytes) return refuse("a sample is missing; the archive is damaged");
  std::vector<double> numbers;
  if (bytes->empty()) return numbers;
  const Pod& pod = pods[static_cast<std::size_t>(property.pod)];
  if (bytes->size() < digest_size || (bytes->size() - digest_size) % pod.size != 0)
    return refuse("a sample has another size than its numbers; the archive is damaged");
  numbers.reserve((bytes->size() - digest_size) / pod.size);
  for (std::size_t at = digest_size; at < bytes->size(); at += pod.size)
    numbers.push_back(pod.load(bytes->data() + at));
  return numbers;
}

}  // namespace clearance
