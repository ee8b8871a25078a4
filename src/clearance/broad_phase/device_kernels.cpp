#include "clearance/broad_phase/device_kernels.h"

namespace clearance {

// A box is six integers: the least coordinates, then the largest ones.
const char* const tree_kernels = R"CL(
#pragma OPENCL FP_CONTRACT OFF

// The float that an integer of a box stands for.
float value_of(int order) { return as_float(order ^ ((order >> 31) & 0x7FFFFFFF)); }

// The box around the vertices of a primitive.
void box_of(__global const int* vertex_boxes, __global const int* corners, int arity, uint primitive, int* box) {
  for (int k = 0; k < 3; ++k) {
    box[k] = INT_MAX;
    box[3 + k] = INT_MIN;
  }
  for (int i = 0; i < arity; ++i) {
    __global const int* of_vertex = vertex_boxes + 6 * (size_t)corners[arity * (size_t)primitive + i];
    for (int k = 0; k < 3; ++k) {
      box[k] = min(box[k], of_vertex[k]);
      box[3 + k] = max(box[3 + k], of_vertex[3 + k]);
    }
  }
}

int do_overlap(const int* a, __global const int* b) {
  return (a[0] <= b[3]) & (b[0] <= a[3]) & (a[1] <= b[4]) & (b[1] <= a[4]) & (a[2] <= b[5]) & (b[2] <= a[5]);
}

// Ten bits with two zeros between each.
uint spread(uint bits) {
  bits = (bits | (bits << 16)) & 0x030000FF;
  bits = (bits | (bits << 8)) & 0x0300F00F;
  bits = (bits | (bits << 4)) & 0x030C30C3;
  return (bits | (bits << 2)) & 0x09249249;
}

// Places of primitives along a Morton curve through the box of their tree.
__kernel void find_keys(__global const int* vertex_boxes, __global const int* corners, const int arity,
                        __global const int* tree_of, __global const int* tree_boxes, __global uint* keys,
                        __global uint* order, const uint count) {
  const uint i = get_global_id(0);
  if (i >= count) return;
  int box[6];
  box_of(vertex_boxes, corners, arity, i, box);
  __global const int* around = tree_boxes + 6 * (size_t)tree_of[i];
  // Cells are cubes: a curve through flat cells would go to and fro across a sheet.
  float size = 0.0f;
  for (int k = 0; k < 3; ++k) size = max(size, value_of(around[3 + k]) - value_of(around[k]));
  uint key = 0;
  for (int k = 0; k < 3; ++k) {
    const float place = (0.5f * value_of(box[k]) + 0.5f * value_of(box[3 + k]) - value_of(around[k])) / size * 1024.0f;
    // Zero also stands for what is no number.
    const uint cell = place >= 1.0f ? (place < 1023.0f ? (uint)place : 1023) : 0;
    key |= spread(cell) << k;
  }
  keys[i] = key;
  order[i] = i;
}

// A stable sort by four bits at a time: every worker has a slice of the order.
__kernel void count_digits(__global const uint* keys, const int shift, __global const uint* order, const uint total,
                           __global uint* counts, const uint count) {
  const uint worker = get_global_id(0);
  if (worker >= count) return;
  const uint slice = (total + count - 1) / count;
  const uint begin = min(total, worker * slice), end = min(total, begin + slice);
  uint digits[16];
  for (int d = 0; d < 16; ++d) digits[d] = 0;
  for (uint i = begin; i < end; ++i) ++digits[(keys[order[i]] >> shift) & 15];
  for (int d = 0; d < 16; ++d) counts[d * count + worker] = digits[d];
}

// Replaces each number by the sum of those before it. One group; `sums` has a number for each of its items.
__kernel void sum_before(__global uint* numbers, const uint total, __global uint* sums) {
  const uint item = get_local_id(0), size = get_local_size(0);
  const uint slice = (total + size - 1) / size;
  const uint begin = min(total, item * slice), end = min(total, begin + slice);
  uint sum = 0;
  for (uint i = begin; i < end; ++i) sum += numbers[i];
  sums[item] = sum;
  barrier(CLK_GLOBAL_MEM_FENCE);
  sum = 0;
  for (uint i = 0; i < item; ++i) sum += sums[i];
  for (uint i = begin; i < end; ++i) {
    const uint number = numbers[i];
    numbers[i] = sum;
    sum += number;
  }
}

__kernel void move_by_digits(__global const uint* keys, const int shift, __global const uint* order, const uint total,
                             __global const uint* counts, __global uint* moved, const uint count) {
  const uint worker = get_global_id(0);
  if (worker >= count) return;
  const uint slice = (total + count - 1) / count;
  const uint begin = min(total, worker * slice), end = min(total, begin + slice);
  uint places[16];
  for (int d = 0; d < 16; ++d) places[d] = counts[d * count + worker];
  for (uint i = begin; i < end; ++i) {
    const uint primitive = order[i];
    moved[places[(keys[primitive] >> shift) & 15]++] = primitive;
  }
}

// Puts vertices and numbers of the primitives in order. A vertex is its own number.
__kernel void arrange(__global const uint* order, __global const int* corners, const int arity,
                      __global int* ordered_corners, __global int* numbers, const uint count) {
  const uint i = get_global_id(0);
  if (i >= count) return;
  const uint primitive = order[i];
  for (int k = 0; k < arity; ++k) {
    ordered_corners[arity * (size_t)i + k] = corners[arity * (size_t)primitive + k];
  }
  numbers[i] = arity == 1 ? corners[primitive] : (int)primitive;
}

__kernel void fit_leaves(__global const int* vertex_boxes, __global const int* ordered_corners, const int arity,
                         __global int* boxes, const uint count) {
  const uint i = get_global_id(0);
  if (i >= count) return;
  int box[6];
  box_of(vertex_boxes, ordered_corners, arity, i, box);
  for (int k = 0; k < 6; ++k) boxes[6 * (size_t)i + k] = box[k];
}

// Nodes of one level, the first of which has the number `first` among all that are not leaves.
__kernel void fit_nodes(__global const int2* children, const uint num_leaves, const uint first, __global int* boxes,
                        const uint count) {
  const uint i = get_global_id(0);
  if (i >= count) return;
  const int2 range = children[first + i];
  int box[6];
  for (int k = 0; k < 6; ++k) box[k] = boxes[6 * (size_t)range.x + k];
  for (int child = range.x + 1; child < range.y; ++child) {
    for (int k = 0; k < 3; ++k) {
      box[k] = min(box[k], boxes[6 * (size_t)child + k]);
      box[3 + k] = max(box[3 + k], boxes[6 * (size_t)child + 3 + k]);
    }
  }
  for (int k = 0; k < 6; ++k) boxes[6 * ((size_t)num_leaves + first + i) + k] = box[k];
}

// Every item is a leaf of one tree that meets another tree. A tree pair is its first item, the first of its leaves, the
// root of the other tree, and 1 if both are of one body. `flags`: 1 if both sides are of one kind; 2 if the leaves are
// the second of the pair. Found pairs beyond the capacity are counted only. An item that finds
// one beyond `most` stops, so that the count stays below `most` plus the number of items.
__kernel void join(__global const int* boxes, __global const int* corners, __global const int* numbers, const int arity,
                   __global const int* other_boxes, __global const int* other_corners,
                   __global const int* other_numbers, const int other_arity, __global const int2* children,
                   __global const int* last_leaves, const int other_leaves, __global const int4* tree_pairs,
                   const uint num_tree_pairs, const int flags, __global ulong* found, const uint capacity,
                   volatile __global uint* num_found, const uint most, const uint count) {
  const uint item = get_global_id(0);
  if (item >= count) return;
  // The tree pair of the item is the last that does not begin behind it.
  uint low = 0, high = num_tree_pairs;
  while (high - low > 1) {
    const uint middle = low + (high - low) / 2;
    if ((uint)tree_pairs[middle].x <= item) low = middle; else high = middle;
  }
  const int4 trees = tree_pairs[low];
  const int leaf = trees.y + (int)(item - (uint)trees.x);
  const int is_same_body = trees.w, is_self = is_same_body & flags & 1;

  int box[6];
  for (int k = 0; k < 6; ++k) box[k] = boxes[6 * (size_t)leaf + k];
  if (!do_overlap(box, other_boxes + 6 * (size_t)trees.z)) return;

  // Nodes that wait: at most seven siblings a level, and eight of the last.
  int stack[80];
  int size = 0;
  int2 range = (int2)(trees.z, trees.z + 1);
  for (;;) {
    for (int child = range.x; child < range.y; ++child) {
      const int is_leaf = child < other_leaves;
      // In a tree with itself each pair of leaves is met from the earlier one.
      if (is_self && (is_leaf ? child : last_leaves[child - other_leaves]) <= leaf) continue;
      if (!do_overlap(box, other_boxes + 6 * (size_t)child)) continue;
      if (!is_leaf) {
        stack[size++] = child;
        continue;
      }
      int is_shared = 0;
      if (is_same_body) {
        for (int i = 0; i < arity; ++i) {
          for (int j = 0; j < other_arity; ++j) {
            is_shared |= corners[arity * (size_t)leaf + i] == other_corners[other_arity * (size_t)child + j];
          }
        }
      }
      if (is_shared) continue;
      const uint a = (uint)numbers[leaf], b = (uint)other_numbers[child];
      const uint first = flags & 1 ? min(a, b) : (flags & 2 ? b : a);
      const uint second = flags & 1 ? max(a, b) : (flags & 2 ? a : b);
      const uint place = atomic_inc(num_found);
      if (place < capacity) found[place] = ((ulong)first << 32) | second;
      if (place >= most) return;
    }
    if (size == 0) return;
    range = children[stack[--size] - other_leaves];
  }
}
)CL";

}  // namespace clearance
