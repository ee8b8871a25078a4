#include "clearance/exchange/ogawa_writer.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>

#include "clearance/exchange/file_set.h"

namespace clearance::exchange {
namespace {

static_assert(std::endian::native == std::endian::little, "numbers are written as they are in memory");

using Property = OgawaWriter::Property;

/// Marks a place in the file as one of data; others are groups. Place 0 means empty.
constexpr std::uint64_t data_mark = std::uint64_t{1} << 63;
/// Stands for the spacing of uneven times.
constexpr double uneven_spacing = std::numeric_limits<double>::max() / 32.0;
/// Index of metadata that stand beside their object or property and not in the archive's list.
constexpr std::uint32_t own_metadata = 255;

template <class T>
void append(std::string& bytes, T number) {
  bytes.append(reinterpret_cast<const char*>(&number), sizeof(number));
}

template <class T>
std::string_view bytes_of(const T& numbers) {
  return {reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(numbers[0])};
}

/// Returns metadata in the form `key=value;key=value`, ordered by the keys.
std::string text_of(const AbcMetadata& metadata) {
  std::string text;
  for (const auto& [key, value] : metadata) {
    if (!value.empty()) text += (text.empty() ? "" : ";") + key + '=' + value;
  }
  return text;
}

AbcDigest digest_of(const std::vector<AbcDigest>& parts, const std::string& words) {
  return abc_digest(std::string(bytes_of(parts)) + words);
}

Property& add_property(Property& parent, std::string name, Property::Kind kind, AbcMetadata metadata) {
  return parent.children.emplace_back(Property{std::move(name), std::move(metadata), kind});
}

}  // namespace

AbcDigest abc_digest(std::string_view bytes) {
  constexpr std::uint64_t c1 = 0x87c37b91114253d5, c2 = 0x4cf5ad432745937f;
  std::uint64_t h1 = 0, h2 = 0;
  const auto mix1 = [](std::uint64_t k) { return std::rotl(k * c1, 31) * c2; };
  const auto mix2 = [](std::uint64_t k) { return std::rotl(k * c2, 33) * c1; };
  const std::size_t num_blocks = bytes.size() / 16;
  std::array<std::uint64_t, 2> k = {};
  for (std::size_t i = 0; i < num_blocks; ++i) {
    std::memcpy(k.data(), bytes.data() + 16 * i, 16);
    h1 = (std::rotl(h1 ^ mix1(k[0]), 27) + h2) * 5 + 0x52dce729;
    h2 = (std::rotl(h2 ^ mix2(k[1]), 31) + h1) * 5 + 0x38495ab5;
  }
  // Missing bytes of the last block count as zeros, which change nothing.
  k = {};
  const std::string_view tail = bytes.substr(16 * num_blocks);
  if (!tail.empty()) std::memcpy(k.data(), tail.data(), tail.size());
  h1 ^= mix1(k[0]) ^ bytes.size();
  h2 ^= mix2(k[1]) ^ bytes.size();
  const auto finish = [](std::uint64_t h) {
    h = (h ^ (h >> 33)) * 0xff51afd7ed558ccd;
    h = (h ^ (h >> 33)) * 0xc4ceb9fe1a85ec53;
    return h ^ (h >> 33);
  };
  h1 += h2;
  h2 += h1;
  h1 = finish(h1);
  h2 = finish(h2);
  h1 += h2;
  return {h1, h2 + h1};
}

Property& add_compound(Property& parent, std::string name, AbcMetadata metadata) {
  return add_property(parent, std::move(name), Property::Kind::compound, std::move(metadata));
}

Property& add_scalar(Property& parent, std::string name, AbcPod pod, int extent, bool is_timed, AbcMetadata metadata) {
  Property& property = add_property(parent, std::move(name), Property::Kind::scalar, std::move(metadata));
  property.pod = pod;
  property.extent = static_cast<std::uint8_t>(extent);
  property.is_timed = is_timed;
  return property;
}

Property& add_array(Property& parent, std::string name, AbcPod pod, int extent, bool is_timed, AbcMetadata metadata) {
  Property& property = add_scalar(parent, std::move(name), pod, extent, is_timed, std::move(metadata));
  property.kind = Property::Kind::array;
  return property;
}

OgawaWriter::OgawaWriter(std::filesystem::path path, AbcTimes times, AbcMetadata metadata)
    : path_(std::move(path)),
      file_(path_, std::ios::binary),
      times_(std::move(times)),
      metadata_(std::move(metadata)),
      root_{"ABC"} {
  // Name and version of the format. The zeros say that the archive is not finished, and stand for the place of its
  // root.
  write(std::string_view("Ogawa\0\0\1\0\0\0\0\0\0\0\0", 16));
}

void OgawaWriter::write(std::string_view bytes) {
  file_.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  position_ += bytes.size();
}

/// Writes bytes in two parts after their number. Returns their place.
std::uint64_t OgawaWriter::write_data(std::string_view head, std::string_view bytes) {
  const std::uint64_t place = position_, size = head.size() + bytes.size();
  if (size == 0) return data_mark;
  write({reinterpret_cast<const char*>(&size), sizeof(size)});
  write(head);
  write(bytes);
  return place | data_mark;
}

std::uint64_t OgawaWriter::write_group(const std::vector<std::uint64_t>& children) {
  if (children.empty()) return 0;
  const std::uint64_t place = position_, count = children.size();
  write({reinterpret_cast<const char*>(&count), sizeof(count)});
  write(bytes_of(children));
  return place;
}

void OgawaWriter::add_bytes(Property& property, std::string_view bytes, std::uint64_t num_elements) {
  const AbcDigest digest = abc_digest(bytes);
  const std::uint32_t sample = property.num_samples++;
  const bool is_first = sample == 0;
  const bool is_equal = !is_first && digest == property.last && num_elements == property.num_elements;
  property.all = is_first ? digest : digest_of({property.all, digest}, "");
  if (is_equal) return;

  const bool is_array = property.kind == Property::Kind::array;
  const auto add_place = [&](std::uint64_t place) {
    property.places.push_back(place);
    // Dimensions follow a list; empty ones mean that its size tells them.
    if (is_array) property.places.push_back(data_mark);
  };
  // Values between two changes are named again, those before the first change are not.
  if (property.first_changed != 0) {
    const std::uint64_t last = property.places[property.places.size() - (is_array ? 2 : 1)];
    for (std::uint32_t i = property.last_changed + 1; i < sample; ++i) add_place(last);
  }
  const auto [stored, is_new] = stored_.try_emplace({digest, bytes.size()}, 0);
  if (is_new) stored->second = write_data(bytes_of(digest), bytes);
  add_place(stored->second);
  property.is_single = property.is_single && num_elements == 1;
  property.is_homogeneous = property.is_homogeneous && (is_first || num_elements == property.num_elements);
  property.last = digest;
  property.num_elements = num_elements;
  if (property.first_changed == 0) property.first_changed = sample;
  property.last_changed = sample;
}

/// Returns the number of metadata in the archive's list, counted from 1.
std::uint32_t OgawaWriter::metadata_index(const std::string& words) {
  if (words.empty()) return 0;
  const auto known = std::find(known_metadata_.begin(), known_metadata_.end(), words);
  if (known != known_metadata_.end()) return static_cast<std::uint32_t>(known - known_metadata_.begin()) + 1;
  if (words.size() >= 256 || known_metadata_.size() + 1 >= own_metadata) return own_metadata;
  known_metadata_.push_back(words);
  return static_cast<std::uint32_t>(known_metadata_.size());
}

void OgawaWriter::add_header(const Property& property, std::string& headers) {
  const std::string words = text_of(property.metadata);
  const std::uint32_t index = metadata_index(words);
  // Bits 2 and 3 say how many bytes each number below has.
  const std::size_t largest =
      std::max({words.size(), property.name.size(), static_cast<std::size_t>(property.num_samples)});
  const std::uint32_t size_code = largest < 256 ? 0 : largest < 65536 ? 1 : 2;
  const auto append_number = [&](std::uint32_t number) {
    headers.append(reinterpret_cast<const char*>(&number), std::size_t{1} << size_code);
  };
  std::uint32_t info = static_cast<std::uint32_t>(property.kind) | size_code << 2 | index << 20;
  if (property.kind == Property::Kind::compound) {
    append(headers, info);
  } else {
    const bool is_constant = property.last_changed == 0;
    const bool changes_always = property.first_changed == 1 && property.last_changed + 1 == property.num_samples;
    if (property.is_single) info |= 1;
    info |= static_cast<std::uint32_t>(property.pod) << 4 | static_cast<std::uint32_t>(property.extent) << 12;
    if (property.is_timed) info |= 0x100;
    if (!is_constant && !changes_always) info |= 0x200;
    if (property.is_homogeneous) info |= 0x400;
    if (is_constant) info |= 0x800;
    append(headers, info);
    append_number(property.num_samples);
    if (!is_constant && !changes_always) {
      append_number(property.first_changed);
      append_number(property.last_changed);
    }
    if (property.is_timed) append_number(1);
  }
  append_number(static_cast<std::uint32_t>(property.name.size()));
  headers += property.name;
  if (index != own_metadata) return;
  append_number(static_cast<std::uint32_t>(words.size()));
  headers += words;
}

/// Writes the group of a property. Returns its place.
std::uint64_t OgawaWriter::write_property(const Property& property, AbcDigest& digest) {
  std::vector<std::uint64_t> places = property.places;
  std::vector<AbcDigest> digests;
  std::string headers;
  for (const Property& child : property.children) {
    places.push_back(write_property(child, digests.emplace_back()));
    add_header(child, headers);
  }
  if (!headers.empty()) places.push_back(write_data("", headers));
  if (property.num_samples > 0) digests.push_back(property.all);
  digest = digest_of(digests, property.name + text_of(property.metadata));
  return write_group(places);
}

/// Writes an object and those below it. Returns its place.
std::uint64_t OgawaWriter::write_object(const Object& object, AbcDigest& digest) {
  std::vector<std::uint64_t> places;
  AbcDigest of_properties = {};
  places.push_back(write_property(object.properties, of_properties));
  std::vector<AbcDigest> digests;
  std::string headers;
  for (const Object& child : object.children) {
    places.push_back(write_object(child, digests.emplace_back()));
    append(headers, static_cast<std::uint32_t>(child.name.size()));
    headers += child.name;
    const std::string words = text_of(child.metadata);
    const std::uint32_t index = metadata_index(words);
    headers += static_cast<char>(index);
    if (index != own_metadata) continue;
    append(headers, static_cast<std::uint32_t>(words.size()));
    headers += words;
  }
  // Digests of the properties and of the children let readers find equal objects.
  const AbcDigest of_children = digests.empty() ? AbcDigest{} : digest_of(digests, "");
  for (const AbcDigest& part : {of_properties, of_children}) headers += bytes_of(part);
  places.push_back(write_data("", headers));
  digest = digest_of({of_properties, of_children}, object.name + text_of(object.metadata));
  return write_group(places);
}

std::string OgawaWriter::time_samplings() const {
  std::string bytes;
  const auto add_sampling = [&](std::size_t num_samples, double spacing, std::span<const double> times) {
    append(bytes, static_cast<std::uint32_t>(num_samples));
    append(bytes, spacing);
    append(bytes, static_cast<std::uint32_t>(times.size()));
    bytes += bytes_of(times);
  };
  // The first one belongs to properties without times.
  add_sampling(1, 1.0, std::vector<double>{0.0});
  const bool is_even = times_.spacing > 0.0;
  add_sampling(times_.times.size(), is_even ? times_.spacing : uneven_spacing,
               is_even ? std::span(times_.times).first(1) : std::span(times_.times));
  return bytes;
}

Result<Done> OgawaWriter::close() {
  // Version of the arrangement, and that of the library whose files look like this: 1.8.9.
  constexpr std::array<std::int32_t, 2> versions = {0, 10809};
  std::vector<std::uint64_t> places;
  for (const std::int32_t& version : versions) {
    places.push_back(write_data("", {reinterpret_cast<const char*>(&version), sizeof(version)}));
  }
  AbcDigest ignored;
  places.push_back(write_object(root_, ignored));
  places.push_back(write_data("", text_of(metadata_)));
  places.push_back(write_data("", time_samplings()));
  std::string list;
  for (const std::string& words : known_metadata_) list += static_cast<char>(words.size()) + words;
  places.push_back(write_data("", list));
  const std::uint64_t place = write_group(places);
  file_.seekp(8);
  write({reinterpret_cast<const char*>(&place), sizeof(place)});
  // From here on the archive counts as finished.
  file_.seekp(5);
  write("\xff");
  file_.close();
  if (!file_) return write_failure(path_);
  return Done{};
}

}  // namespace clearance::exchange
