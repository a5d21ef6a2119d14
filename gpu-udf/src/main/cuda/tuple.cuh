// Tuple space search: tuples in the order of their best rank, until none can win.
#pragma once

#include "tuple_space.cuh"

namespace sluice {

template <bool LIVE>
SLUICE_FN uint32_t tuple_in(const Image& w, const Header& h) {
    TupleSearch search(w, h);
    search_tuples<false>(search);
    return answer<LIVE>(search);
}

SLUICE_FN uint32_t tuple(const Image& w, const Header& h) { return tuple_in<false>(w, h); }

}  // namespace sluice
