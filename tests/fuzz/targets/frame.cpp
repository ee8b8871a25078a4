// Frames of result folders and their list: an input that begins with `<` and holds `Collection` is a list.
#include "clearance/io/mesh/vtu.h"
#include "clearance/io/result/pvd.h"
#include "fuzz/targets/target.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace clearance;
  static const fuzz::InputFolder folder;
  const std::string_view text = fuzz::text_of(data, size);
  if (text.find("Collection") != std::string_view::npos) {
    const auto list = read_pvd(folder.put("frames.pvd", text));
    if (!list) fuzz::require_reasons(list.issues());
    return 0;
  }
  const Result<Frame> frame = read_whole_frame(folder.put("a.vtu", text));
  if (!frame) {
    fuzz::require_reasons(frame.issues());
    return 0;
  }
  // A frame that was read can be written, and is then read again with as many vertices.
  const std::filesystem::path again = folder.path() / "b.vtu";
  fuzz::require(write_frame(again, *frame).has_value(), "a frame that was read can be written");
  const Result<Frame> read = read_whole_frame(again);
  fuzz::require(read.has_value(), "a frame that was written can be read");
  fuzz::require(read->mesh.vertices.size() == frame->mesh.vertices.size(), "no vertex is lost");
  return 0;
}
