#include "clearance/exchange/hdf5_file.h"

#include <hdf5.h>

#include <algorithm>
#include <array>

#include "clearance/exchange/file_set.h"
#include "clearance/io/mesh/quiet_hdf5.h"

namespace clearance::exchange {
namespace {

/// [rows] Largest chunk, 0.4 MB of vectors. A chunk is read and compressed as a whole.
constexpr std::size_t most_rows_of_chunk = 16384;
/// Compression level of zlib. Higher levels take more time and save little space.
constexpr unsigned compression_level = 4;

}  // namespace

static_assert(sizeof(hid_t) == sizeof(std::int64_t));

Hdf5File::Hdf5File(std::filesystem::path path) : path_(std::move(path)) {
  // A file cannot be closed on a full disk. HDF5 1.10 would try again when the process ends, and crash.
  H5dont_atexit();
  const QuietHdf5 quiet;
  file_ = H5Fcreate(path_.c_str(), H5F_ACC_EXCL, H5P_DEFAULT, H5P_DEFAULT);
  has_failed_ = file_ < 0;
}

Hdf5File::~Hdf5File() {
  const QuietHdf5 quiet;
  if (file_ >= 0) H5Fclose(file_);
}

void Hdf5File::add(const std::string& name, std::span<const double> numbers, std::size_t num_columns) {
  add_array(name, numbers.data(), H5T_NATIVE_DOUBLE, numbers.size(), num_columns);
}

void Hdf5File::add(const std::string& name, std::span<const std::int32_t> numbers, std::size_t num_columns) {
  add_array(name, numbers.data(), H5T_NATIVE_INT32, numbers.size(), num_columns);
}

void Hdf5File::add_array(const std::string& name, const void* numbers, std::int64_t type, std::size_t size,
                         std::size_t num_columns) {
  if (has_failed_) return;
  const QuietHdf5 quiet;
  const std::size_t num_rows = size / num_columns;
  const int rank = num_columns == 1 ? 1 : 2;
  const std::array<hsize_t, 2> shape = {num_rows, num_columns};
  const std::array<hsize_t, 2> chunk = {std::clamp<std::size_t>(num_rows, 1, most_rows_of_chunk), num_columns};
  const hid_t groups = H5Pcreate(H5P_LINK_CREATE), layout = H5Pcreate(H5P_DATASET_CREATE);
  const hid_t space = H5Screate_simple(rank, shape.data(), nullptr);
  bool is_good = groups >= 0 && layout >= 0 && space >= 0 && H5Pset_create_intermediate_group(groups, 1) >= 0 &&
                 H5Pset_chunk(layout, rank, chunk.data()) >= 0 && H5Pset_shuffle(layout) >= 0 &&
                 H5Pset_deflate(layout, compression_level) >= 0;
  const hid_t array = is_good ? H5Dcreate2(file_, name.c_str(), type, space, groups, layout, H5P_DEFAULT) : -1;
  is_good = array >= 0 && (size == 0 || H5Dwrite(array, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, numbers) >= 0);
  // Some calls report a full disk only when they close.
  if (array >= 0) is_good = H5Dclose(array) >= 0 && is_good;
  if (space >= 0) H5Sclose(space);
  if (layout >= 0) H5Pclose(layout);
  if (groups >= 0) H5Pclose(groups);
  has_failed_ = !is_good;
}

Result<Done> Hdf5File::close() {
  const QuietHdf5 quiet;
  const std::int64_t file = std::exchange(file_, -1);
  if (file < 0 || H5Fclose(file) < 0 || has_failed_) return write_failure(path_);
  return Done{};
}

}  // namespace clearance::exchange
