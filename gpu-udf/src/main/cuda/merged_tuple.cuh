// Merged tuples by the lists beside their cells. KeyListLayout has the words of the lists,
// MergedTupleKernelLayout those of the parameter.
#pragma once

#include "tuple_space.cuh"

namespace sluice {

// The tuples of an image in one record, which the fast kernel takes as a parameter.
struct MergedTupleParameters {
    uint32_t words[MergedTupleKernelLayout::WORDS];
};

// The words of a key, in order; two make most keys.
SLUICE_FN uint32_t key_of_two(uint32_t first, uint32_t second) {
    // Turned, so that words whose lower bits are wild fill all bits of the sum.
    return first * 0x9e3779b1u + (second << 16 | second >> 16) * 0x85ebca6bu;
}

SLUICE_FN uint32_t key_with(uint32_t key, uint32_t word) {
    uint32_t h = (key ^ word) * 0xcc9e2d51u;
    return h ^ h >> 15;
}

SLUICE_FN uint32_t key_spread(uint32_t key) {
    uint32_t h = (key ^ key >> 15) * 0xc2b2ae35u;
    return h ^ h >> 16;
}

// An entry of a list: two loads of a sector.
struct Entry {
    Four first, second;

    SLUICE_FN Entry(const Image& w, uint32_t at) : first(w.four(at)), second(w.four(at + 4)) {}

    SLUICE_FN uint32_t rank() const { return first[KeyListLayout::RANK_WORD] & KeyListLayout::RANK; }

    SLUICE_FN uint32_t next() const { return first[KeyListLayout::NEXT_WORD]; }

    // Whether a header passes its three tests.
    template <class H>
    SLUICE_FN bool holds(const H& h) const {
        uint32_t positions = first[KeyListLayout::RANK_WORD];
        uint32_t third = h[next() >> KeyListLayout::THIRD_AT & KeyListLayout::POSITION];
        uint32_t differs =
                ((h[positions >> KeyListLayout::FIRST_AT & KeyListLayout::POSITION]
                  ^ first[KeyListLayout::FIRST_VALUE])
                 & first[KeyListLayout::FIRST_MASK])
                | ((h[positions >> KeyListLayout::SECOND_AT & KeyListLayout::POSITION]
                    ^ second[KeyListLayout::SECOND_VALUE])
                   & second[KeyListLayout::SECOND_MASK]);
        uint32_t value = second[KeyListLayout::THIRD_VALUE];
        uint32_t mask = second[KeyListLayout::THIRD_MASK];
        return differs == 0
                && ((next() & KeyListLayout::RANGES) == 0 ? ((third ^ value) & mask) == 0
                                                          : ports_hold(third, value, mask));
    }
};

// Tuples in groups: first the words of all their tables, whose loads do not wait for each other,
// then the lists that they name. Lists are in the order of their best rules, so that one that cannot
// win is told by its place.
template <class H, class Noted>
SLUICE_FN uint32_t merged_tuple(
        const Image& w, const MergedTupleParameters& parameters, const H& h, Noted noted) {
    using namespace MergedTupleKernelLayout;
    uint32_t tuples = parameters.words[TUPLES];
    uint32_t entries = parameters.words[ENTRIES] - KeyListLayout::ENTRY;
    uint32_t group = parameters.words[GROUP];
    uint32_t best = MISS;
    uint32_t limit = MISS;
    for (uint32_t t = 0; t < tuples;) {
        if (parameters.words[HEAD + t * RECORD + BEST] >= best) {
            break;
        }
        uint32_t from = t;
        uint32_t end = t + group < tuples ? t + group : tuples;
        uint32_t left = 0;
        for (; t < end; t += TOGETHER) {
            const uint32_t* records = parameters.words + HEAD + t * RECORD;
            uint32_t keys[TOGETHER];
            uint32_t named[TOGETHER];
            SLUICE_UNROLL
            for (uint32_t q = 0; q < TOGETHER; q++) {
                const uint32_t* record = records + q * RECORD;
                uint32_t key = key_of_two(
                        h[record[FIRST_POSITION]] & record[FIRST_MASK],
                        h[record[SECOND_POSITION]] & record[SECOND_MASK]);
                const uint32_t* pair = parameters.words + (record[MORE] & MORE_PLACE);
                for (uint32_t more = record[MORE] >> MORE_COUNT_AT; more > 0;
                     more--, pair += TupleSpaceLayout::TERM) {
                    uint32_t word = h[pair[TupleSpaceLayout::TERM_POSITION]];
                    key = key_with(key, word & pair[TupleSpaceLayout::TERM_MASK]);
                }
                keys[q] = key_spread(key);
            }
            SLUICE_UNROLL
            for (uint32_t q = 0; q < TOGETHER; q++) {
                const uint32_t* record = records + q * RECORD;
                named[q] = w[record[TABLE] + (keys[q] >> record[SHIFT])];
            }
            SLUICE_UNROLL
            for (uint32_t q = 0; q < TOGETHER; q++) {
                uint32_t other = named[q] ^ (keys[q] << KeyListLayout::LIST_BITS | 1u << KeyListLayout::LIST_BITS);
                bool may = other <= KeyListLayout::LIST_FIRST
                        || named[q] - 1 < KeyListLayout::LIST_FIRST;
                uint32_t first = named[q] & KeyListLayout::LIST_FIRST;
                noted[t - from + q] = first;
                left |= may && first < limit ? 1u << (t - from + q) : 0;
            }
        }
        // Every step takes an entry, so that the threads of a warp do the same.
        uint32_t next = 0;
        while ((next | left) != 0) {
            if (next == 0) {
                next = noted[lowest(left)];
                left &= left - 1;
                if (next >= limit) {
                    next = 0;
                    continue;
                }
            }
            Entry entry(w, entries + KeyListLayout::ENTRY * next);
            uint32_t rank = entry.rank();
            bool holds = entry.holds(h);
            uint32_t more = entry.next() >> KeyListLayout::MORE_AT;
            bool won = holds && more == 0 && rank < best;
            bool last = (entry.next() & KeyListLayout::LAST) != 0;
            bool over = won || rank >= best || (!holds && last);
            best = won ? rank : best;
            limit = won ? entry.next() & KeyListLayout::LIST_FIRST : limit;
            next = over ? 0 : next + (holds ? 1 : more + 1);
        }
    }
    return best;
}

}  // namespace sluice
