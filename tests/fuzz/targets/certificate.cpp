// Certificates of paths. Hashes of records are put right first, so that what they protect is read.
#include <cstring>

#include "clearance/base/sha256.h"
#include "clearance/verify/paths/certificate.h"
#include "fuzz/targets/target.h"

namespace {

using namespace clearance;

/// Writes the hash of every record that ends within the bytes.
void put_hashes_right(std::string& bytes) {
  constexpr std::size_t head = 16, hash_size = sizeof(Sha256::Digest);
  Sha256::Digest last{};
  for (std::size_t at = 0; bytes.size() - at >= head + hash_size;) {
    std::uint64_t size = 0;
    std::memcpy(&size, bytes.data() + at + 8, 8);
    if (size > bytes.size() - at - head - hash_size) return;
    Sha256 hash;
    hash.add(last.data(), last.size());
    hash.add(std::string_view(bytes).substr(at, head + size));
    last = hash.finish();
    std::memcpy(bytes.data() + at + head + size, last.data(), hash_size);
    at += head + size + hash_size;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const fuzz::InputFolder folder;
  std::string bytes(fuzz::text_of(data, size));
  put_hashes_right(bytes);
  verify::CertificateReader reader(folder.put("certificate.bin", bytes));
  while (const auto record = reader.next()) {
    for (const verify::PathMove& move : record->moves) {
      fuzz::require(move.x_t0.size() == move.x_t1.size(), "a move has as many numbers at both ends");
    }
    const verify::PathLayout& layout = reader.layout();
    fuzz::require(layout.first_term.size() == layout.offsets.size() + 1, "every vertex has its terms");
    for (const auto& term : layout.terms) {
      fuzz::require(term.block >= 0 && term.block < layout.num_blocks, "a vertex follows blocks that are there");
    }
  }
  return 0;
}
