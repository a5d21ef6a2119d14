// Tuples: cuckoo tables of rules that share a mask. TupleSpaceLayout has their words.
#pragma once

#include "words.cuh"

namespace sluice {

SLUICE_FN uint32_t mix(uint32_t digest, uint32_t word) {
    uint32_t k = (word ^ word >> 16) * HashMultipliers::WORD;
    uint32_t h = (digest ^ (k ^ k >> 15)) * HashMultipliers::GOLDEN;
    return h ^ h >> 15;
}

SLUICE_FN uint32_t finish(uint32_t digest) {
    uint32_t h = digest * HashMultipliers::FINISH_1;
    return h ^ h >> 13;
}

SLUICE_FN uint32_t filter_bit(uint32_t digest, int function, uint32_t bits) {
    return digest * (function == 0 ? HashMultipliers::GOLDEN : HashMultipliers::FINISH_2) >> (32 - bits);
}

SLUICE_FN bool signed_by(const Image& w, uint32_t signatures, uint32_t bits, uint32_t key) {
    uint32_t signature = 1u << (key & 31) | 1u << (key >> 5 & 31);
    uint32_t word = bits == 0 ? 0 : key * HashMultipliers::GOLDEN >> (32 - bits);
    return (w[signatures + word] & signature) == signature;
}

// Which slots a search may answer with: all.
struct EverySlot {
    SLUICE_FN bool operator()(uint32_t) const { return true; }
};

// The best rule found so far, as its rank: MISS is worse than any.
struct TupleSearch {
    Image w;
    Header h;
    int size;
    int ports;
    uint32_t rows;
    uint32_t stride;
    uint32_t best;

    SLUICE_FN TupleSearch(const Image& image, const Header& header)
        : w(image),
          h(header),
          size(header_words(image)),
          ports((int) image[TupleSpaceLayout::PORTS_AT]),
          rows(image[TupleSpaceLayout::ROWS_AT]),
          stride(image[TupleSpaceLayout::STRIDE_AT]),
          best(MISS) {}

    // Every word is compared, so that the threads of a warp do the same.
    SLUICE_FN bool row_holds(uint32_t row, uint32_t mask, const Four& second) const {
        uint32_t differs = 0;
        for (int p = 0; p < size; p += 4) {
            Four value = w.four(row + TupleSpaceLayout::VALUES + p);
            Four named = w.four(mask + p);
            SLUICE_UNROLL
            for (int q = 0; q < 4; q++) {
                if (p + q < size) {
                    differs |= (h[p + q] ^ value[q]) & named[q];
                }
            }
        }
        return differs == 0
                && (ports < 0
                    || ports_hold(
                            h[ports],
                            second[TupleSpaceLayout::SRC_PORTS],
                            second[TupleSpaceLayout::DST_PORTS]));
    }

    // Tests a list of rows, best first, given by its first + 1.
    template <class Slots = EverySlot>
    SLUICE_FN void chain(uint32_t first, Slots slots = {}) {
        uint32_t next = first;
        while (next != 0) {
            uint32_t row = 0;
            uint32_t rank = MISS;
            uint32_t mask = 0;
            uint32_t at = 0;
            bool may = false;
            Four second = {};
            // One word rules most rows out.
            do {
                at = next;
                row = rows + (next - 1) * stride;
                Four head = w.four(row);
                second = w.four(row + TupleSpaceLayout::CHECK_VALUE);
                rank = head[TupleSpaceLayout::RANK];
                mask = head[TupleSpaceLayout::MASK];
                next = rank < best ? head[TupleSpaceLayout::NEXT] : 0;
                may = rank < best
                        && (size == 0
                                || ((h[head[TupleSpaceLayout::CHECK]]
                                     ^ second[TupleSpaceLayout::CHECK_VALUE])
                                    & second[TupleSpaceLayout::CHECK_MASK])
                                        == 0);
            } while (!may && next != 0);
            if (may && row_holds(row, mask, second) && slots(at - 1)) {
                best = rank;
                return;
            }
        }
    }

    SLUICE_FN uint32_t digest(uint32_t record, uint32_t seed_at) const {
        uint32_t digest = w[record + seed_at];
        uint32_t at = record + TupleSpaceLayout::FIRST_TERM;
        for (uint32_t t = w[record + TupleSpaceLayout::TERMS]; t > 0;
             t--, at += TupleSpaceLayout::TERM) {
            digest = mix(
                    digest,
                    h[w[at + TupleSpaceLayout::TERM_POSITION]]
                            & w[at + TupleSpaceLayout::TERM_MASK]);
        }
        return finish(digest);
    }

    // Signatures, where the tuple has them, rule most keys out with one load.
    template <class Slots = EverySlot>
    SLUICE_FN void probe_signed(uint32_t record, Slots slots = {}) {
        uint32_t key = digest(record, TupleSpaceLayout::SEED);
        uint32_t signatures = w[record + TupleSpaceLayout::FILTER];
        if (signatures == 0
                || signed_by(w, signatures, w[record + TupleSpaceLayout::FILTER_BITS], key)) {
            probe(record, key, slots);
        }
    }

    // Number of the cell of a key in a subtable, counted from the first subtable's first.
    SLUICE_FN uint32_t cell_of(uint32_t record, uint32_t subtable, uint32_t key, uint32_t depth) const {
        uint32_t pair =
                record + TupleSpaceLayout::CONSTANTS + TupleSpaceLayout::CONSTANT_PAIR * subtable;
        uint32_t a = w[pair + TupleSpaceLayout::FACTOR];
        uint32_t b = w[pair + TupleSpaceLayout::SUMMAND];
        return subtable * depth + times_high(a * key + b, depth);
    }

    SLUICE_FN void probe(uint32_t record) { probe(record, digest(record, TupleSpaceLayout::SEED)); }

    template <class Slots = EverySlot>
    SLUICE_FN void probe(uint32_t record, uint32_t key, Slots slots = {}) {
        uint32_t cells = w[record + TupleSpaceLayout::CELLS];
        uint32_t depth = w[record + TupleSpaceLayout::DEPTH];
        for (uint32_t s = 0; s < TupleSpaceLayout::SUBTABLES; s++) {
            uint32_t cell = cells + TupleSpaceLayout::CELL * cell_of(record, s, key, depth);
            Two pair = w.two(cell);
            if (pair.first == key) {
                chain(pair.second, slots);
            }
        }
        uint32_t stashed = w[record + TupleSpaceLayout::STASHED];
        uint32_t stash = w[record + TupleSpaceLayout::STASH];
        for (uint32_t k = 0; k < stashed; k++) {
            uint32_t cell = stash + TupleSpaceLayout::CELL * k;
            if (w[cell + TupleSpaceLayout::CELL_DIGEST] == key) {
                chain(w[cell + TupleSpaceLayout::CELL_FIRST], slots);
            }
        }
    }

    SLUICE_FN bool passes(uint32_t record) const {
        uint32_t key = digest(record, TupleSpaceLayout::FILTER_SEED);
        uint32_t filter = w[record + TupleSpaceLayout::FILTER];
        uint32_t bits = w[record + TupleSpaceLayout::FILTER_BITS];
        uint32_t a = filter_bit(key, 0, bits);
        uint32_t b = filter_bit(key, 1, bits);
        return (w[filter + (a >> 5)] >> (a & 31) & w[filter + (b >> 5)] >> (b & 31) & 1) != 0;
    }
};

// All tuples in the order of their best rank, until none can win.
template <bool FILTERED, class Slots = EverySlot>
SLUICE_FN void search_tuples(TupleSearch& search, Slots slots = {}) {
    const Image& w = search.w;
    uint32_t order = w[TupleSpaceLayout::ORDER_AT];
    uint32_t tuples = w[TupleSpaceLayout::TUPLES_AT];
    for (uint32_t t = 0; t < tuples; t++) {
        uint32_t entry = order + TupleSpaceLayout::ORDER_ENTRY * t;
        if (w[entry + TupleSpaceLayout::ORDER_BEST] >= search.best) {
            return;
        }
        uint32_t record = w[entry + TupleSpaceLayout::ORDER_RECORD];
        if (!FILTERED) {
            search.probe_signed(record, slots);
        } else if (search.passes(record)) {
            search.probe(record, search.digest(record, TupleSpaceLayout::SEED), slots);
        }
    }
}

}  // namespace sluice
