// Text scripts of the IPC reference. Two small meshes are there, `tet.msh` and `tri.obj`.
#include "clearance/io/ipc/ipc_script_reader.h"
#include "fuzz/targets/scene.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace clearance;
  static const fuzz::InputFolder folder;
  static const auto meshes = std::array{
      folder.put("tet.msh",
                 "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n4\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n$EndNodes\n"
                 "$Elements\n1\n1 4 2 1 1 1 2 3 4\n$EndElements\n"),
      folder.put("tri.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")};
  fuzz::require_clear_answer(read_ipc_script_text(std::string(fuzz::text_of(data, size)), folder.path() / "scene.txt"));
  return 0;
}
