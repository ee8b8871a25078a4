#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include "apps/python/arrays.h"
#include "apps/python/bindings.h"
#include "apps/python/refusal.h"
#include "clearance/io/mesh/vtu.h"
#include "clearance/io/result/result_check.h"
#include "clearance/io/result/result_files.h"
#include "clearance/page/page.h"
#include "clearance/verify/folder/verify_folder.h"
#include "clearance/verify/rest_shape.h"

namespace clearance::python {

namespace {

namespace fs = std::filesystem;

/// Returns the files and times of the stored frames.
py::list frames_of(const fs::path& folder) {
  value_or_throw(check_result_folder(folder, "frames.pvd"), "ResultError");
  py::list frames;
  for (const PvdEntry& entry : value_or_throw(read_stored_frames(folder), "ResultError")) {
    frames.append(py::make_tuple(entry.file, entry.time));
  }
  return frames;
}

/// Returns the arrays by name: one number (n,), a vector (n, 3).
py::dict arrays_of(const std::vector<FrameArray>& arrays) {
  py::dict by_name;
  for (const FrameArray& array : arrays) {
    const auto size = static_cast<py::ssize_t>(array.num_components);
    const auto count = static_cast<py::ssize_t>(array.values.size()) / size;
    by_name[py::str(array.name)] =
        size == 1 ? array_of(array.values) : Array<double>({count, size}, array.values.data());
  }
  return by_name;
}

py::dict verify_result(const fs::path& folder) {
  const auto [contents, report, offenses] = [&] {
    const py::gil_scoped_release release;
    const verify::VerifyFolder read = value_or_throw(verify::read_verify_folder(folder), "ResultError");
    verify::VerifyReport judged = verify::verify_folder(read);
    std::vector<std::string> texts = verify::offense_texts(read, judged);
    return std::make_tuple(read, std::move(judged), std::move(texts));
  }();
  py::dict verdict;
  verdict["ok"] = report.is_clean();
  verdict["frames"] = report.verdicts.size();
  verdict["intersections"] = report.num_intersections;
  verdict["inversions"] = report.num_inversions;
  verdict["half_space_violations"] = report.num_half_space_violations;
  verdict["not_finite"] = report.num_not_finite;
  verdict["too_close"] = report.num_too_close;
  verdict["min_distance"] = report.min_distance;
  verdict["problems"] = report.problems;
  verdict["notes"] = contents.notes;
  verdict["offenses"] = offenses;
  return verdict;
}

/// Writes one file for browsers. The returned dict describes its content.
py::dict export_page(const fs::path& folder, const fs::path& output, const fs::path& viewer, double max_megabytes,
                     bool is_exact) {
  const page::PageReport report = [&] {
    const py::gil_scoped_release release;
    value_or_throw(check_result_folder(folder, "frames.pvd"), "ResultError");
    return value_or_throw(page::write_page({folder, output, max_megabytes, is_exact}, viewer), "ResultError");
  }();
  py::dict made;
  made["frames"] = report.num_kept;
  made["frames_of_run"] = report.num_frames;
  made["triangles"] = report.num_triangles;
  made["position_error"] = report.position_error;
  made["bytes"] = report.num_bytes;
  return made;
}

}  // namespace

void bind_results(py::module_& module) {
  sealed_class<Frame>(module, "FrameData")
      .def_readonly("time", &Frame::time)
      .def_readonly("mesh", &Frame::mesh)
      .def_property_readonly("velocities", [](const Frame& f) { return array_of(f.velocity); })
      .def_property_readonly("contact_forces", [](const Frame& f) { return array_of(f.contact_force); })
      .def_property_readonly("cell_body", [](const Frame& f) { return array_of(f.cell_body); })
      .def_property_readonly(
          "point_arrays", [](const Frame& f) { return arrays_of(f.point_arrays); },
          "Further arrays of a frame that was read whole.")
      .def_property_readonly("cell_arrays", [](const Frame& f) { return arrays_of(f.cell_arrays); });
  module.def(
      "read_frame",
      [](const fs::path& path, bool is_whole) {
        const py::gil_scoped_release release;
        return value_or_throw(is_whole ? read_whole_frame(path) : read_frame(path), "ResultError");
      },
      py::arg("path"), py::arg("is_whole"));
  module.def(
      "rest_positions",
      [](const fs::path& path) {
        const std::vector<Vec<3>> rest = [&] {
          const py::gil_scoped_release release;
          return verify::rest_positions(value_or_throw(read_whole_frame(path), "ResultError"));
        }();
        return array_of(rest);
      },
      py::arg("path"));
  module.def("frames_of", &frames_of, py::arg("folder"));
  module.def("verify", &verify_result, py::arg("folder"));
  module.def("export_page", &export_page, py::arg("folder"), py::arg("output"), py::arg("viewer"),
             py::arg("max_megabytes"), py::arg("is_exact"));
}

}  // namespace clearance::python
