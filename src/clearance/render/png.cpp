// Encodes PNG (ISO/IEC 15948): signature, IHDR, one IDAT with the zlib stream, IEND.
#include <zlib.h>

#include "clearance/io/files/atomic_file.h"
#include "clearance/render/image.h"

namespace clearance::render {
namespace {

void append_big_endian(std::string& out, std::uint32_t value) {
  for (int shift = 24; shift >= 0; shift -= 8) out.push_back(static_cast<char>((value >> shift) & 0xFF));
}

void append_chunk(std::string& out, const std::string& type, const std::string& data) {
  append_big_endian(out, static_cast<std::uint32_t>(data.size()));
  const std::string body = type + data;
  out += body;
  append_big_endian(out, static_cast<std::uint32_t>(
                             crc32(0, reinterpret_cast<const Bytef*>(body.data()), static_cast<uInt>(body.size()))));
}

/// Returns every row as differences from the row above (filter 2, Up). Smooth pictures compress twice as well this way.
std::string filter_rows(const Image& image) {
  const std::size_t row_bytes = 3 * image.width;
  std::string filtered;
  filtered.reserve((row_bytes + 1) * image.height);
  for (int y = 0; y < image.height; ++y) {
    const std::uint8_t* row = image.pixel(0, y);
    filtered.push_back(2);
    for (std::size_t i = 0; i < row_bytes; ++i) {
      const int above = y > 0 ? row[static_cast<std::ptrdiff_t>(i) - static_cast<std::ptrdiff_t>(row_bytes)] : 0;
      filtered.push_back(static_cast<char>(row[i] - above));
    }
  }
  return filtered;
}

}  // namespace

std::string encode_png(const Image& image) {
  std::string header;
  append_big_endian(header, static_cast<std::uint32_t>(image.width));
  append_big_endian(header, static_cast<std::uint32_t>(image.height));
  header += std::string("\x08\x02\x00\x00\x00", 5);  // 8 bits, RGB, deflate, adaptive filters, not interlaced

  const std::string filtered = filter_rows(image);
  uLongf size = compressBound(static_cast<uLong>(filtered.size()));
  std::string compressed(size, '\0');
  compress2(reinterpret_cast<Bytef*>(compressed.data()), &size, reinterpret_cast<const Bytef*>(filtered.data()),
            static_cast<uLong>(filtered.size()), 6);
  compressed.resize(size);

  std::string png("\x89PNG\r\n\x1a\n", 8);
  append_chunk(png, "IHDR", header);
  append_chunk(png, "IDAT", compressed);
  append_chunk(png, "IEND", "");
  return png;
}

Result<Done> write_png(const std::filesystem::path& path, const Image& image) {
  return write_user_file_atomically(path, encode_png(image));
}

}  // namespace clearance::render
