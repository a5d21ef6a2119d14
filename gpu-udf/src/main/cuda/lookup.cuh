// A header's verdict by whatever algorithm an image is of.
#pragma once

#include "bitvector.cuh"
#include "bloom.cuh"
#include "crossproduct.cuh"
#include "exact_first.cuh"
#include "forest.cuh"
#include "hash_tree.cuh"
#include "linear.cuh"
#include "mask_filter.cuh"
#include "rfc.cuh"
#include "routes.cuh"
#include "tuple.cuh"

namespace sluice {

// Codes in an image's header.
enum Algorithm : uint32_t {
    LINEAR = 1,
    TUPLE = 2,
    FOREST = 3,
    MERGED_TUPLE = 4,
    BLOOM = 5,
    BITVECTOR = 6,
    RFC = 7,
    BITMAP_RFC = 8,
    HASH_TREE = 9,
    EXACT_FIRST = 10,
    ROUTES = 11,
    MASK_FILTER = 12,
    PAIRS = 13
};

SLUICE_FN uint32_t look_up_within(const Image& w, const Header& h) {
    switch (w[ImageLayout::ALGORITHM_AT]) {
        case LINEAR:
            return linear(w, h);
        case TUPLE:
        case MERGED_TUPLE:
            return tuple(w, h);
        case FOREST:
            return forest(w, h);
        case BLOOM:
            return bloom(w, h);
        case BITVECTOR:
            return bitvector(w, h);
        case RFC:
        case BITMAP_RFC:
            return rfc(w, h);
        case HASH_TREE:
            return hash_tree(w, h);
        case ROUTES:
            return routes(w, h);
        case MASK_FILTER:
            return mask_filter(w, h);
        case PAIRS:
            return crossproduct(w, h);
        default:
            return MISS;
    }
}

SLUICE_FN uint32_t look_up(const Image& w, const Header& h) {
    return w[ImageLayout::ALGORITHM_AT] == EXACT_FIRST ? exact_first(w, h) : look_up_within(w, h);
}

}  // namespace sluice
