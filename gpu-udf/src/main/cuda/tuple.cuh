// Tuple space search: tuples in the order of their best rank, until none can win.
#pragma once

#include "tuple_space.cuh"

namespace sluice {

SLUICE_FN uint32_t tuple(const Image& w, const Header& h) {
    TupleSearch search(w, h);
    search_tuples<false>(search);
    return search.best;
}

}  // namespace sluice
