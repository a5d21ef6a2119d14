// Generated from the registry of algorithms: change what an algorithm says of its kernels, then
// run src/main/cuda/headers. A test compares this text with the registry.
#pragma once

#include "bitvector.cuh"
#include "bloom.cuh"
#include "crossproduct.cuh"
#include "exact_first.cuh"
#include "families.cuh"
#include "forest.cuh"
#include "hash_tree.cuh"
#include "linear.cuh"
#include "mask_filter.cuh"
#include "rfc.cuh"
#include "routes.cuh"
#include "tuple.cuh"

// Name of a kernel behind its family, its look-up, and the codes of the algorithms whose images
// it reads.
#define SLUICE_LOOK_UPS(X) \
    X(linear, linear, case 1:) \
    X(tuple, tuple, case 2: case 4:) \
    X(forest, forest, case 3:) \
    X(bloom, bloom, case 5:) \
    X(bitvector, bitvector, case 6:) \
    X(rfc, rfc, case 7: case 8:) \
    X(hash_tree, hash_tree, case 9:) \
    X(exact_first, exact_first, case 10:) \
    X(routes, routes, case 11:) \
    X(mask_filter, mask_filter, case 12:) \
    X(pairs, crossproduct, case 13:) \
    X(families, families, case 14:)
