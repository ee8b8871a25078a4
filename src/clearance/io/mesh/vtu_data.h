// The arrays of .vtu files: ascii, base64 or raw, inline or appended, compressed by zlib or not.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "clearance/io/mesh/mesh_file.h"

namespace clearance {

/// Encoding of all arrays, as the root element declares it.
struct VtuEncoding {
  bool is_swapped = false;       ///< byte order is not the machine's
  std::size_t header_bytes = 4;  ///< size of the lengths before binary data: 4 or 8
  bool is_compressed = false;
  std::size_t appended_begin = 0;  ///< after the underscore of AppendedData; 0 if there is none
  bool is_appended_base64 = false;
};

/// One DataArray element
struct VtuArray {
  std::string name;
  std::string type;    ///< `Float64`, `Int32`, ...
  std::string format;  ///< `ascii`, `binary` (base64 between the tags) or `appended`
  int num_components = 1;
  std::uint64_t offset = 0;      ///< of appended data, after appended_begin
  std::uint64_t offset_end = 0;  ///< where the next appended array starts, or the data end
  std::size_t tag = 0;           ///< offset of the element in the file
  std::size_t begin = 0;         ///< content between the tags
  std::size_t end = 0;
};

/// Decodes all numbers of an array. Returns false, with the problem reported, if that fails. Memory grows only with the
/// bytes that are present in the file.
bool decode_array(MeshInput& input, const VtuEncoding& encoding, const VtuArray& array, std::vector<double>& values);
bool decode_array(MeshInput& input, const VtuEncoding& encoding, const VtuArray& array,
                  std::vector<std::int64_t>& values);

}  // namespace clearance
