#include "clearance/io/result/checkpoint_file.h"

#include <cstdint>
#include <cstring>
#include <fstream>
#include <iterator>
#include <limits>
#include <optional>

#include "clearance/base/hash.h"
#include "clearance/io/files/atomic_file.h"

namespace clearance {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view magic = "CLRCKPT2";
constexpr std::string_view magic_without_hash = "CLRCKPT1";  // written by earlier programs

template <class T>
void put(std::string& bytes, const T& value) {
  bytes.append(reinterpret_cast<const char*>(&value), sizeof(T));
}

std::uint64_t hash_of(std::string_view bytes) {
  Hash hash;
  hash.add(bytes.data(), bytes.size());
  return hash.value();
}

/// Reads from a byte string without ever running over its end.
class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) : bytes_(bytes) {}
  bool take(void* to, std::size_t count) {
    if (count > bytes_.size() - at_) return false;
    // An empty array may have a null address, which memcpy does not allow.
    if (count > 0) std::memcpy(to, bytes_.data() + at_, count);
    at_ += count;
    return true;
  }
  std::size_t num_left() const { return bytes_.size() - at_; }

 private:
  std::string_view bytes_;
  std::size_t at_ = 0;
};

/// Parses the bytes between the magic and the hash.
std::optional<Checkpoint> parse(std::string_view bytes) {
  ByteReader reader(bytes);
  Checkpoint checkpoint;
  std::int64_t step = 0;
  std::uint64_t num_arrays = 0;
  if (!reader.take(&step, 8) || !reader.take(&checkpoint.time, 8) || !reader.take(&num_arrays, 8)) return std::nullopt;
  if (step < 0 || step > std::numeric_limits<int>::max()) return std::nullopt;
  checkpoint.step = static_cast<int>(step);
  for (std::uint64_t a = 0; a < num_arrays; ++a) {
    std::uint64_t name_size = 0, count = 0;
    if (!reader.take(&name_size, 8) || name_size > reader.num_left()) return std::nullopt;
    std::string name(name_size, ' ');
    if (!reader.take(name.data(), name_size) || !reader.take(&count, 8)) return std::nullopt;
    if (count > reader.num_left() / 8) return std::nullopt;
    std::vector<double> values(count);
    if (!reader.take(values.data(), 8 * count)) return std::nullopt;
    checkpoint.arrays[name] = std::move(values);
  }
  if (reader.num_left() != 0) return std::nullopt;
  return checkpoint;
}

}  // namespace

Result<Done> write_checkpoint_file(const fs::path& path, const Checkpoint& checkpoint) {
  std::string bytes(magic);
  put(bytes, static_cast<std::int64_t>(checkpoint.step));
  put(bytes, checkpoint.time);
  put(bytes, static_cast<std::uint64_t>(checkpoint.arrays.size()));
  for (const auto& [name, values] : checkpoint.arrays) {
    put(bytes, static_cast<std::uint64_t>(name.size()));
    bytes += name;
    put(bytes, static_cast<std::uint64_t>(values.size()));
    bytes.append(reinterpret_cast<const char*>(values.data()), 8 * values.size());
  }
  put(bytes, hash_of(bytes));
  return write_file_atomically(path, bytes);
}

Result<Checkpoint> read_checkpoint_file(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    return Issue{path.string(), "", "",
                 "there is no checkpoint to resume from; nothing was changed; start again with --overwrite, or in "
                 "another folder"};
  }
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  const Issue broken{path.string(), "", "",
                     "the file is not a complete checkpoint of this program; nothing was changed; start again with "
                     "--overwrite, or in another folder"};
  std::string_view content = bytes;
  if (content.starts_with(magic)) {
    std::uint64_t hash = 0;
    if (content.size() < magic.size() + sizeof(hash)) return broken;
    std::memcpy(&hash, content.data() + content.size() - sizeof(hash), sizeof(hash));
    content.remove_suffix(sizeof(hash));
    if (hash != hash_of(content)) return broken;
  } else if (!content.starts_with(magic_without_hash)) {
    return broken;
  }
  content.remove_prefix(magic.size());
  std::optional<Checkpoint> checkpoint = parse(content);
  if (!checkpoint) return broken;
  return *std::move(checkpoint);
}

}  // namespace clearance
