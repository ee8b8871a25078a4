// Numbers of binary files: bounds are checked before every read, byte order is the file's.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstring>
#include <string_view>

namespace clearance {

/// Returns the number at the start of `bytes`, which must be long enough. `swapped` is true if its byte order is not
/// the machine's.
template <class T>
T load_number(const char* bytes, bool swapped) {
  char copy[sizeof(T)];
  std::memcpy(copy, bytes, sizeof(T));
  if (swapped) std::reverse(copy, copy + sizeof(T));
  T value;
  std::memcpy(&value, copy, sizeof(T));
  return value;
}

inline bool is_swapped(std::endian file_order) {
  return file_order != std::endian::native;
}

class ByteCursor {
 public:
  ByteCursor(std::string_view bytes, bool swapped, std::size_t position = 0)
      : bytes_(bytes), position_(std::min(position, bytes.size())), swapped_(swapped) {}

  std::size_t position() const { return position_; }
  std::size_t num_bytes_left() const { return bytes_.size() - position_; }
  void set_swapped(bool swapped) { swapped_ = swapped; }

  /// Reads a number. Returns false, and reads nothing, if the file ends first.
  template <class T>
  bool read(T& value) {
    if (num_bytes_left() < sizeof(T)) return false;
    value = load_number<T>(bytes_.data() + position_, swapped_);
    position_ += sizeof(T);
    return true;
  }
  bool skip(std::size_t num_bytes) {
    if (num_bytes_left() < num_bytes) return false;
    position_ += num_bytes;
    return true;
  }

 private:
  std::string_view bytes_;
  std::size_t position_ = 0;
  bool swapped_ = false;
};

}  // namespace clearance
