// Tuple space search behind Bloom filters: tuples whose filter has the header's key are probed.
#pragma once

#include "tuple_space.cuh"

namespace sluice {

SLUICE_FN uint32_t bloom(const Image& w, const Header& h) {
    TupleSearch search(w, h);
    search_tuples<true>(search);
    return search.best;
}

}  // namespace sluice
