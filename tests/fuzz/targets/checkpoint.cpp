// Checkpoints. The hash at the end of the file is put right first, so that what it protects is read.
#include "clearance/base/hash.h"
#include "clearance/io/result/checkpoint_file.h"
#include "fuzz/targets/target.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace clearance;
  static const fuzz::InputFolder folder;
  std::string bytes(fuzz::text_of(data, size));
  if (bytes.size() >= 16) {
    Hash hash;
    hash.add(bytes.data(), bytes.size() - 8);
    const std::uint64_t value = hash.value();
    bytes.replace(bytes.size() - 8, 8, reinterpret_cast<const char*>(&value), 8);
  }
  const Result<Checkpoint> checkpoint = read_checkpoint_file(folder.put("state.bin", bytes));
  if (!checkpoint) {
    fuzz::require_reasons(checkpoint.issues());
    return 0;
  }
  const std::filesystem::path again = folder.path() / "again.bin";
  fuzz::require(write_checkpoint_file(again, *checkpoint).has_value(), "a checkpoint can be written");
  const Result<Checkpoint> read = read_checkpoint_file(again);
  fuzz::require(read && read->arrays.size() == checkpoint->arrays.size(), "a checkpoint can be read again");
  return 0;
}
