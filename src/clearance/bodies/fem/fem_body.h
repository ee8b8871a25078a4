// Deformable bodies: simplex elements in 2D and 3D, linear or of order 2 to 4. Code that builds a model from them
// needs:
//   ElementMesh<dim>             element_mesh.h       nodes, elements and materials of all elements of an order
//   ElasticPotential<dim>        elastic_potential.h  elastic energy, inversion-free step bound, exact verdict
//   GravityPotential<dim>        gravity_potential.h
//   LoadPotential                load_potential.h     forces that depend on time only
//   LaggedDampingPotential<dim>  damping_potential.h
//   InversionBarrier<dim>        inversion_barrier.h  for elements whose own energy can stay finite when pressed flat
//   lumped_mass, ConsistentMass  mass.h
#pragma once

#include "clearance/bodies/fem/damping_potential.h"
#include "clearance/bodies/fem/elastic_potential.h"
#include "clearance/bodies/fem/gravity_potential.h"
#include "clearance/bodies/fem/inversion_barrier.h"
#include "clearance/bodies/fem/load_potential.h"
#include "clearance/bodies/fem/mass.h"
