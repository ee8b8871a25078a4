// Reader of pictures that shares no code with the writer.
#pragma once

#include <gtest/gtest.h>
#include <zlib.h>

#include <string>

#include "clearance/render/image.h"

namespace clearance::cli {

inline std::uint32_t big_endian(const std::string& bytes, std::size_t at) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < 4; ++i) value = (value << 8) | static_cast<unsigned char>(bytes[at + i]);
  return value;
}

/// Decodes the picture; checks every chunk's checksum and undoes the row filters None and Up.
inline render::Image decode_png(const std::string& png) {
  render::Image image(0, 0);
  std::string stream;
  EXPECT_EQ(png.substr(1, 3), "PNG");
  for (std::size_t at = 8; at < png.size();) {
    const std::uint32_t size = big_endian(png, at);
    const std::string type = png.substr(at + 4, 4), data = png.substr(at + 8, size);
    EXPECT_EQ(crc32(0, reinterpret_cast<const Bytef*>(png.data() + at + 4), size + 4), big_endian(png, at + 8 + size));
    if (type == "IHDR")
      image = render::Image(static_cast<int>(big_endian(data, 0)), static_cast<int>(big_endian(data, 4)));
    if (type == "IDAT") stream += data;
    at += 12 + size;
  }
  const std::size_t row = 3 * static_cast<std::size_t>(image.width);
  std::string raw((row + 1) * image.height, '\0');
  uLongf raw_size = raw.size();
  EXPECT_EQ(uncompress(reinterpret_cast<Bytef*>(raw.data()), &raw_size, reinterpret_cast<const Bytef*>(stream.data()),
                       stream.size()),
            Z_OK);
  EXPECT_EQ(raw_size, raw.size());
  for (int y = 0; y < image.height; ++y) {
    const char* line = raw.data() + y * (row + 1);
    EXPECT_TRUE(line[0] == 0 || line[0] == 2);
    for (std::size_t i = 0; i < row; ++i) {
      const int above = y > 0 && line[0] == 2 ? image.rgb[(y - 1) * row + i] : 0;
      image.rgb[y * row + i] = static_cast<std::uint8_t>(line[1 + i] + above);
    }
  }
  return image;
}

}  // namespace clearance::cli
