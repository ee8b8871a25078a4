#include "clearance/base/sha256.h"

#include <gtest/gtest.h>

#include <string>

namespace clearance {
namespace {

std::string hash_of(const std::string& text, std::size_t part = 1000) {
  Sha256 hash;
  for (std::size_t at = 0; at < text.size(); at += part) hash.add(std::string_view(text).substr(at, part));
  return to_text(hash.finish());
}

TEST(Sha256, HasThePublishedValues) {
  EXPECT_EQ(hash_of(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(hash_of("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(hash_of("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(hash_of(std::string(1'000'000, 'a')), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Sha256, PartsMakeNoDifference) {
  std::string text;
  for (int i = 0; i < 300; ++i) {
    text += static_cast<char>(i * 7);
    for (const std::size_t part : {1, 3, 63, 64, 65}) EXPECT_EQ(hash_of(text, part), hash_of(text)) << i;
  }
}

}  // namespace
}  // namespace clearance
