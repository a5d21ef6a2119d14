// Exact entries in one tuple, then the image of the wildcard rules, which is another algorithm's.
// ExactFirstLayout has the words of the head.
#pragma once

#include "tuple_space.cuh"
#include "within.cuh"

namespace sluice {

// Exact entries first, then, where they have not decided, the image of the wildcard rules.
SLUICE_FN uint32_t exact_first(const Image& w, const Header& h) {
    TupleSearch search(w, h);
    search_tuples<false>(search);
    uint32_t head = w[TupleSpaceLayout::EXTRA_AT];
    if (search.best != MISS
            && (w[head + ExactFirstLayout::EXACT_WINS] != 0
                || search.best < w[head + ExactFirstLayout::BEST_WILDCARD])) {
        return search.best;
    }
    uint32_t found = look_up_within<1>(
            w, h, w[head + ExactFirstLayout::INNER], w[head + ExactFirstLayout::MAP]);
    return found < search.best ? found : search.best;
}

template <>
constexpr int NESTING<exact_first> = 2;

}  // namespace sluice
