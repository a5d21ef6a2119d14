// A header's verdict by whatever algorithm an image is of.
#pragma once

#include "bitvector.cuh"
#include "classes.cuh"
#include "forest.cuh"
#include "hashtree.cuh"
#include "linear.cuh"
#include "pairs.cuh"
#include "rfc.cuh"
#include "routes.cuh"

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

constexpr uint32_t EXACT_INNER = 0;
constexpr uint32_t EXACT_MAP = 2;
constexpr uint32_t EXACT_WINS = 3;
constexpr uint32_t EXACT_BEST_WILDCARD = 4;
constexpr int MOST_HEADER_WORDS = 19;

SLUICE_FN uint32_t look_up_plain(const Image& w, const Header& h) {
    switch (w[ALGORITHM_AT]) {
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
            return pairs(w, h);
        default:
            return MISS;
    }
}

// Exact entries first, then, where they have not decided, the image of the wildcard rules.
SLUICE_FN uint32_t exact_first(const Image& w, const Header& h) {
    ClassSearch search(w, h);
    search_classes<false>(search);
    uint32_t head = w[EXTRA_AT];
    if (search.best != MISS
            && (w[head + EXACT_WINS] != 0 || search.best < w[head + EXACT_BEST_WILDCARD])) {
        return search.best;
    }
    Image inner{w.words + w[head + EXACT_INNER]};
    // The wildcard rules may look at fewer words.
    uint32_t words[MOST_HEADER_WORDS];
    uint32_t layout = w[LAYOUT_AT];
    int n = 0;
    for (uint32_t left = inner[LAYOUT_AT]; left != 0; left &= left - 1) {
        words[n++] = h[position_in(layout, lowest(left))];
    }
    uint32_t found = look_up_plain(inner, Header{words, 1});
    if (found != MISS) {
        found = w[w[head + EXACT_MAP] + found];
    }
    return found < search.best ? found : search.best;
}

SLUICE_FN uint32_t look_up(const Image& w, const Header& h) {
    return w[ALGORITHM_AT] == EXACT_FIRST ? exact_first(w, h) : look_up_plain(w, h);
}

}  // namespace sluice
