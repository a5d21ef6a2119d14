// Bitvector search: each field's range by k-ary search, then the AND of the ranges' bitvectors,
// whose aggregates say which words are worth reading.
#pragma once

#include "words.cuh"

namespace sluice {

// Parts that a search divides a list of bounds into at a time.
constexpr uint32_t WAYS = 32;

SLUICE_FN uint32_t aggregate_words(uint32_t vector_words) {
    return (vector_words + BitvectorLayout::AGGREGATED - 1) / BitvectorLayout::AGGREGATED;
}

SLUICE_FN uint32_t range_words(uint32_t vector_words) {
    return aggregate_words(vector_words) + BitvectorLayout::VECTOR_WORD * vector_words;
}

SLUICE_FN uint32_t bound(const Image& w, uint32_t bounds, uint32_t bits, uint32_t index) {
    if (bits <= 8) {
        return w[bounds + (index >> 2)] >> 8 * (index & 3) & 0xff;
    }
    return bits <= 16 ? w[bounds + (index >> 1)] >> 16 * (index & 1) & 0xffff : w[bounds + index];
}

// Offset of the bitvector of a value's range, MISS if no rule covers it.
SLUICE_FN uint32_t field_range(const Image& w, uint32_t field, const Header& h, uint32_t words) {
    uint32_t bits = w[field + BitvectorLayout::BITS];
    uint32_t mask = bits == 32 ? 0xffffffffu : (1u << bits) - 1;
    uint32_t value =
            h[w[field + BitvectorLayout::POSITION]] >> w[field + BitvectorLayout::SHIFT] & mask;
    uint32_t ranges = w[field + BitvectorLayout::RANGES];
    uint32_t lows = w[field + BitvectorLayout::LOWS];
    uint32_t from = 0;
    uint32_t to = ranges;
    while (to > from + 1) {
        uint32_t step = (to - from + WAYS - 1) / WAYS;
        uint32_t below = 0;
        for (uint32_t k = from + step; k < to; k += step) {
            below += bound(w, lows, bits, k) <= value ? 1 : 0;
        }
        from += below * step;
        to = to < from + step ? to : from + step;
    }
    if (ranges == 0 || bound(w, lows, bits, from) > value
            || bound(w, w[field + BitvectorLayout::HIGHS], bits, from) < value) {
        return MISS;
    }
    return w[field + BitvectorLayout::VECTORS] + from * range_words(words);
}

SLUICE_FN uint32_t bitvector(const Image& w, const Header& h) {
    uint32_t fields = w[BitvectorLayout::FIELDS_AT];
    uint32_t count = w[BitvectorLayout::COUNT_AT];
    uint32_t words = w[BitvectorLayout::VECTOR_WORDS_AT];
    if (count == 0) {
        return w[ImageLayout::RULES_AT] == 0 ? MISS : 0;
    }
    uint32_t at[BitvectorLayout::MOST_FIELDS];
    for (uint32_t f = 0; f < count; f++) {
        at[f] = field_range(w, fields + f * BitvectorLayout::RECORD, h, words);
        if (at[f] == MISS) {
            return MISS;
        }
    }
    uint32_t aggregate = aggregate_words(words);
    for (uint32_t a = 0; a < aggregate; a++) {
        uint32_t candidates = 0xffffffffu;
        for (uint32_t f = 0; f < count; f++) {
            candidates &= w[at[f] + a];
        }
        for (; candidates != 0; candidates &= candidates - 1) {
            uint32_t v = BitvectorLayout::AGGREGATED * a + lowest(candidates);
            uint32_t low = 0xffffffffu;
            uint32_t high = 0xffffffffu;
            for (uint32_t f = 0; f < count && (low | high) != 0; f++) {
                uint32_t word = at[f] + aggregate + BitvectorLayout::VECTOR_WORD * v;
                low &= w[word];
                high &= w[word + 1];
            }
            if ((low | high) != 0) {
                return 64 * v + (low != 0 ? lowest(low) : 32 + lowest(high));
            }
        }
    }
    return MISS;
}

}  // namespace sluice
