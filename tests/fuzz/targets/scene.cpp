// Native scenes, scenes of Rigid IPC and of PolyFEM.
#include "fuzz/targets/scene.h"
#include "clearance/io/json_text.h"
#include "clearance/io/polyfem/polyfem_reader.h"
#include "clearance/io/rigid_ipc/rigid_ipc_reader.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace clearance;
  static const fuzz::InputFolder folder;
  const std::string text(fuzz::text_of(data, size));
  const Result<Json> root = parse_json_text(text);
  if (!root) {
    fuzz::require_reasons(root.issues());
  } else if (is_rigid_ipc(*root)) {
    fuzz::require_clear_answer(read_rigid_ipc(*root, folder.path() / "scene.json"));
  } else if (is_polyfem(*root)) {
    fuzz::require_clear_answer(read_polyfem(*root, folder.path() / "scene.json", read_json));
  } else {
    fuzz::require_clear_answer(load_scene_text(text, "scene.json", folder.path()));
  }
  return 0;
}
