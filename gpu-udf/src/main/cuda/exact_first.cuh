// Exact entries in one tuple, then the image of the wildcard rules, which is another algorithm's.
// ExactFirstLayout has the words of the head.
#pragma once

#include "tuple_space.cuh"

namespace sluice {

// Looks a header up in an image of any algorithm; lookup.cuh defines it.
template <bool WITHIN>
SLUICE_FN uint32_t look_up_in(const Image& w, const Header& h);

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
    Image inner{w.words + w[head + ExactFirstLayout::INNER]};
    // The wildcard rules may look at fewer words.
    uint32_t words[HeaderWord::COUNT];
    uint32_t layout = w[ImageLayout::LAYOUT_AT];
    int n = 0;
    for (uint32_t left = inner[ImageLayout::LAYOUT_AT]; left != 0; left &= left - 1) {
        words[n++] = h[position_in(layout, lowest(left))];
    }
    uint32_t found = look_up_in<true>(inner, Header{words, 1});
    if (found != MISS) {
        found = w[w[head + ExactFirstLayout::MAP] + found];
    }
    return found < search.best ? found : search.best;
}

template <>
constexpr bool CONTAINS_IMAGE<exact_first> = true;

}  // namespace sluice
