// Tuple space search behind Bloom filters: tuples whose filter has the header's key are probed.
#pragma once

#include "tuple_space.cuh"

namespace sluice {

template <bool LIVE>
SLUICE_FN uint32_t bloom_in(const Image& w, const Header& h) {
    TupleSearch search(w, h);
    search_tuples<true>(search);
    return answer<LIVE>(search);
}

SLUICE_FN uint32_t bloom(const Image& w, const Header& h) { return bloom_in<false>(w, h); }

}  // namespace sluice
