#include "clearance/io/mesh/vtu_data.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <type_traits>

#include "clearance/io/mesh/mesh_bytes.h"
#include "clearance/io/mesh/mesh_text.h"

namespace clearance {
namespace {

/// Largest compression ratio of zlib; a size that exceeds it is wrong.
constexpr std::uint64_t max_zlib_ratio = 1040;

class ArrayDecoder {
 public:
  ArrayDecoder(MeshInput& input, const VtuEncoding& encoding, const VtuArray& array)
      : input_(input), encoding_(encoding), array_(array) {}

  template <class T>
  bool decode(std::vector<T>& values) {
    if (array_.format == "ascii") return decode_ascii(values);
    std::string decoded;
    std::string_view bytes;
    if (!find_bytes(decoded, bytes)) return false;
    std::string data;
    if (encoding_.is_compressed) {
      if (!inflate_blocks(bytes, data)) return false;
      bytes = data;
    } else if (!strip_header(bytes)) {
      return false;
    }
    return convert(bytes, values);
  }

 private:
  bool fail(std::string_view value, const std::string& message) {
    input_.add_issue_at_line(array_.tag, value, fmt::format("array `{}`: {}", array_.name, message));
    return false;
  }

  template <class T>
  bool decode_ascii(std::vector<T>& values) {
    TextCursor cursor(input_.bytes().substr(0, array_.end), '\0', array_.begin);
    for (std::string_view word = cursor.next(); !word.empty(); word = cursor.next()) {
      T value{};
      bool is_number = false;
      if constexpr (std::is_same_v<T, double>)
        is_number = parse_real(word, value);
      else
        is_number = parse_integer(word, value);
      if (!is_number) {
        input_.add_issue_at_line(cursor.word_position(), word,
                                 fmt::format("array `{}`: expected a number", array_.name));
        return false;
      }
      values.push_back(value);
    }
    return true;
  }

  /// Finds the header and data of the array, decoded from base64 if necessary.
  bool find_bytes(std::string& decoded, std::string_view& bytes) {
    bool is_base64 = true;
    if (array_.format == "binary") {
      bytes = input_.bytes().substr(array_.begin, array_.end - array_.begin);
    } else if (array_.format == "appended") {
      const std::string_view appended = input_.bytes().substr(encoding_.appended_begin);
      if (encoding_.appended_begin == 0) return fail("", "expected an AppendedData element");
      if (array_.offset >= appended.size())
        return fail(fmt::format("{}", array_.offset), "expected an offset inside AppendedData");
      const std::uint64_t end = encoding_.is_appended_base64 ? array_.offset_end : appended.size();
      bytes = appended.substr(array_.offset, end - array_.offset);
      is_base64 = encoding_.is_appended_base64;
    } else {
      return fail(array_.format, "expected the format ascii, binary or appended");
    }
    if (!is_base64) return true;
    if (!decode_base64(bytes, decoded)) return false;
    bytes = decoded;
    return true;
  }

  static int base64_value(char c) {
    if (c >= 'A' && c <= 'Z') return c - 'A';
    if (c >= 'a' && c <= 'z') return c - 'a' + 26;
    if (c >= '0' && c <= '9') return c - '0' + 52;
    if (c == '+') return 62;
    return c == '/' ? 63 : -1;
  }

  /// Decodes groups of four digits. A padded group may be followed by more, because header and data are often encoded
  /// separately.
  bool decode_base64(std::string_view text, std::string& decoded) {
    decoded.reserve(text.size() / 4 * 3);
    std::uint32_t bits = 0;
    int num_digits = 0;
    int num_padding = 0;
    for (const char c : text) {
      if (c == ' ' || c == '\n' || c == '\r' || c == '\t') continue;
      if (c == '<') break;  // the closing tag of AppendedData
      const int value = base64_value(c);
      if (c != '=' && (value < 0 || num_padding > 0)) return fail(std::string_view(&c, 1), "expected base64 text");
      num_padding += c == '=' ? 1 : 0;
      bits = (bits << 6) | static_cast<std::uint32_t>(c == '=' ? 0 : value);
      if (++num_digits < 4) continue;
      if (num_padding > 2) return fail("===", "expected base64 text");
      for (int k = 0; k < 3 - num_padding; ++k) decoded.push_back(static_cast<char>((bits >> (16 - 8 * k)) & 0xFF));
      bits = 0;
      num_digits = 0;
      num_padding = 0;
    }
    return num_digits == 0 || fail("", "expected base64 text in groups of four");
  }

  bool read_length(ByteCursor& cursor, std::uint64_t& length) {
    std::uint32_t narrow = 0;
    const bool has_read = encoding_.header_bytes == 8 ? cursor.read(length) : cursor.read(narrow);
    if (encoding_.header_bytes != 8) length = narrow;
    return has_read || fail("", "expected a length before the data");
  }

  bool strip_header(std::string_view& bytes) {
    ByteCursor cursor(bytes, encoding_.is_swapped);
    std::uint64_t length = 0;
    if (!read_length(cursor, length)) return false;
    if (length > cursor.num_bytes_left()) {
      return fail(fmt::format("{}", length),
                  fmt::format("expected a length of at most {} bytes", cursor.num_bytes_left()));
    }
    bytes = bytes.substr(cursor.position(), length);
    return true;
  }

  /// Inflates the blocks. Their header is the number of blocks, the size of a block, the size of the last one (0: as
  /// the others) and the compressed sizes; then the blocks follow.
  bool inflate_blocks(std::string_view bytes, std::string& data) {
    ByteCursor sizes(bytes, encoding_.is_swapped);
    std::uint64_t num_blocks = 0;
    std::uint64_t block_size = 0;
    std::uint64_t last_size = 0;
    if (!read_length(sizes, num_blocks)) return false;
    if (num_blocks == 0) return true;
    if (!read_length(sizes, block_size) || !read_length(sizes, last_size)) return false;
    if (num_blocks > sizes.num_bytes_left() / encoding_.header_bytes) {
      return fail(fmt::format("{}", num_blocks), "expected a number of blocks that fits the file; is it cut off?");
    }
    ByteCursor blocks(bytes, encoding_.is_swapped, sizes.position() + num_blocks * encoding_.header_bytes);
    for (std::uint64_t b = 0; b < num_blocks; ++b) {
      std::uint64_t packed = 0;
      if (!read_length(sizes, packed)) return false;
      const std::uint64_t size = b + 1 == num_blocks && last_size != 0 ? last_size : block_size;
      if (packed > blocks.num_bytes_left() || size / max_zlib_ratio > packed) {
        return fail(fmt::format("{}", packed), "expected the compressed size of a block");
      }
      if (!inflate_block(bytes.substr(blocks.position(), packed), size, data)) return false;
      blocks.skip(packed);
    }
    return true;
  }

  bool inflate_block(std::string_view packed, std::uint64_t size, std::string& data) {
    const std::size_t begin = data.size();
    data.resize(begin + size);
    uLongf written = static_cast<uLongf>(size);
    const int status = uncompress(reinterpret_cast<Bytef*>(data.data() + begin), &written,
                                  reinterpret_cast<const Bytef*>(packed.data()), static_cast<uLong>(packed.size()));
    return (status == Z_OK && written == size) || fail("", "expected data compressed by zlib");
  }

  template <class T>
  bool convert(std::string_view bytes, std::vector<T>& values) {
    if (array_.type == "Float64") return convert_as<double>(bytes, values);
    if (array_.type == "Float32") return convert_as<float>(bytes, values);
    if (array_.type == "Int64") return convert_as<std::int64_t>(bytes, values);
    if (array_.type == "UInt64") return convert_as<std::uint64_t>(bytes, values);
    if (array_.type == "Int32") return convert_as<std::int32_t>(bytes, values);
    if (array_.type == "UInt32") return convert_as<std::uint32_t>(bytes, values);
    if (array_.type == "Int16") return convert_as<std::int16_t>(bytes, values);
    if (array_.type == "UInt16") return convert_as<std::uint16_t>(bytes, values);
    if (array_.type == "Int8") return convert_as<std::int8_t>(bytes, values);
    if (array_.type == "UInt8") return convert_as<std::uint8_t>(bytes, values);
    return fail(array_.type, "expected the type Float32, Float64 or an integer type");
  }

  template <class Stored, class T>
  bool convert_as(std::string_view bytes, std::vector<T>& values) {
    if constexpr (std::is_floating_point_v<Stored> && !std::is_same_v<T, double>) {
      return fail(array_.type, "expected an integer type");
    } else {
      if (bytes.size() % sizeof(Stored) != 0) {
        return fail(fmt::format("{} bytes", bytes.size()),
                    fmt::format("expected whole numbers of {} bytes", sizeof(Stored)));
      }
      values.resize(bytes.size() / sizeof(Stored));
      for (std::size_t i = 0; i < values.size(); ++i) {
        values[i] = static_cast<T>(load_number<Stored>(bytes.data() + i * sizeof(Stored), encoding_.is_swapped));
      }
      return true;
    }
  }

  MeshInput& input_;
  const VtuEncoding& encoding_;
  const VtuArray& array_;
};

}  // namespace

bool decode_array(MeshInput& input, const VtuEncoding& encoding, const VtuArray& array, std::vector<double>& values) {
  return ArrayDecoder(input, encoding, array).decode(values);
}

bool decode_array(MeshInput& input, const VtuEncoding& encoding, const VtuArray& array,
                  std::vector<std::int64_t>& values) {
  return ArrayDecoder(input, encoding, array).decode(values);
}

}  // namespace clearance
