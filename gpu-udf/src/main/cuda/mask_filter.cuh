// Mask filter: a matrix of bits says which tuples are probed. MaskFilterLayout has its words.
#pragma once

#include "tuple_space.cuh"

namespace sluice {

// The rows of all keys, ANDed, leave the tuples that are probed.
SLUICE_FN uint32_t mask_filter(const Image& w, const Header& h) {
    TupleSearch search(w, h);
    if (w[TupleSpaceLayout::TUPLES_AT] == 0) {
        return MISS;
    }
    constexpr uint32_t FIRST_POSITION =
            MaskFilterLayout::FIRST_TERM + TupleSpaceLayout::TERM_POSITION;
    constexpr uint32_t FIRST_MASK = MaskFilterLayout::FIRST_TERM + TupleSpaceLayout::TERM_MASK;
    uint32_t head = w[TupleSpaceLayout::EXTRA_AT];
    uint32_t keys = w[head + MaskFilterLayout::KEYS];
    uint32_t row_words = w[head + MaskFilterLayout::ROW_WORDS];
    uint32_t row_bits = w[head + MaskFilterLayout::ROW_BITS];
    uint32_t by_number = w[head + MaskFilterLayout::BY_NUMBER];
    uint32_t rows[MaskFilterLayout::MOST_KEYS];
    for (uint32_t k = 0; k < keys; k++) {
        uint32_t key = w[head + MaskFilterLayout::FIRST_KEY + k];
        uint32_t terms = w[key + MaskFilterLayout::TERMS];
        uint32_t digest = 0;
        for (uint32_t t = 0; t < terms; t++) {
            digest = mix(
                    digest,
                    h[w[key + FIRST_POSITION + TupleSpaceLayout::TERM * t]]
                            & w[key + FIRST_MASK + TupleSpaceLayout::TERM * t]);
        }
        rows[k % MaskFilterLayout::MOST_KEYS] = w[key + MaskFilterLayout::TABLE]
                + (finish(digest) >> (32 - row_bits)) * row_words;
    }
    for (uint32_t word = 0; word < row_words; word++) {
        uint32_t left = 0xffffffffu;
        for (uint32_t k = 0; k < keys && left != 0; k++) {
            left &= w[rows[k % MaskFilterLayout::MOST_KEYS] + word];
        }
        for (; left != 0; left &= left - 1) {
            uint32_t record = w[by_number + 32 * word + lowest(left)];
            if (record != 0 && w[record + TupleSpaceLayout::BEST] < search.best) {
                search.probe(record);
            }
        }
    }
    return search.best;
}

}  // namespace sluice
