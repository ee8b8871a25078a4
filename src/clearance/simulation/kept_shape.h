// Bodies whose elements keep a shape of a higher order than that of their displacements (`keep_shape`) [Fer23,
// sec. 5.4]: which vertices of the mesh are nodes of the displacements, and which nodes the others follow.
#pragma once

#include "clearance/simulation/body_instance.h"

namespace clearance {

/// Per vertex of a mesh, all elements of which have an order that is a multiple of `order`: the nodes of elements of
/// `order` that its displacement follows; none for these nodes themselves.
NodeWeights followed_nodes(const Mesh& mesh, int order);

/// Of an element, its nodes of displacements of `order`, numbered within as by lagrange_nodes.
std::vector<int> nodes_of_displacements(const Mesh& mesh, std::size_t cell, int order);

/// values, per vertex of the mesh: nodes get what those that follow them have, by their weights.
void give_to_nodes(const BodyInstance& body, std::vector<double>& values);

}  // namespace clearance
