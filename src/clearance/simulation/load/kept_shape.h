// Bodies whose elements keep a shape of a higher order than that of their displacements (`keep_shape`)
// [Fer23, sec. 5.4]. Some vertices of the mesh are nodes of the displacements; the others follow these nodes.
#pragma once

#include "clearance/simulation/load/body_instance.h"

namespace clearance {

/// Returns for each vertex of a mesh the nodes of elements of `order` that its displacement follows; none for these
/// nodes themselves. The order of every element must be a multiple of `order`.
NodeWeights followed_nodes(const Mesh& mesh, int order);

/// Returns the nodes of an element for displacements of `order`, in the order of lagrange_nodes.
std::vector<int> nodes_of_displacements(const Mesh& mesh, std::size_t cell, int order);

/// Moves `values`, one per vertex of the mesh, to the nodes: each node receives the values of the vertices that follow
/// it, times their weights.
void give_to_nodes(const BodyInstance& body, std::vector<double>& values);

}  // namespace clearance
