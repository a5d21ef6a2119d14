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
    return first * HashMultipliers::GOLDEN + (second << 16 | second >> 16) * HashMultipliers::FINISH_1;
}

SLUICE_FN uint32_t key_with(uint32_t key, uint32_t word) {
    uint32_t h = (key ^ word) * HashMultipliers::WORD;
    return h ^ h >> 15;
}

SLUICE_FN uint32_t key_spread(uint32_t key) {
    uint32_t h = (key ^ key >> 15) * HashMultipliers::FINISH_2;
    return h ^ h >> 16;
}

// Tuples in groups: first the words of all their tables, whose loads do not wait for each other,
// then the lists that they name. Lists lie in the order of their best rules, so that the place of
// a list tells whether it may win.
template <class H, class Noted>
SLUICE_FN uint32_t merged_tuple(
        const Image& w, const MergedTupleParameters& parameters, const H& h, Noted noted) {
    using namespace KeyListLayout;
    namespace Kernel = MergedTupleKernelLayout;
    uint32_t tuples = parameters.words[Kernel::TUPLES];
    uint32_t entries = parameters.words[Kernel::ENTRIES] - ENTRY;
    uint32_t group = parameters.words[Kernel::GROUP];
    uint32_t best = MISS;
    uint32_t limit = MISS;
    for (uint32_t t = 0; t < tuples;) {
        if (parameters.words[Kernel::HEAD + t * Kernel::RECORD + Kernel::BEST] >= best) {
            break;
        }
        uint32_t from = t;
        uint32_t end = t + group < tuples ? t + group : tuples;
        uint32_t left = 0;
        for (; t < end; t += Kernel::TOGETHER) {
            const uint32_t* records = parameters.words + Kernel::HEAD + t * Kernel::RECORD;
            uint32_t keys[Kernel::TOGETHER];
            uint32_t named[Kernel::TOGETHER];
            SLUICE_UNROLL
            for (uint32_t q = 0; q < Kernel::TOGETHER; q++) {
                const uint32_t* record = records + q * Kernel::RECORD;
                uint32_t key = key_of_two(
                        h[record[Kernel::FIRST_POSITION]] & record[Kernel::FIRST_MASK],
                        h[record[Kernel::SECOND_POSITION]] & record[Kernel::SECOND_MASK]);
                const uint32_t* pair = parameters.words + (record[Kernel::MORE] & Kernel::MORE_PLACE);
                for (uint32_t more = record[Kernel::MORE] >> Kernel::MORE_COUNT_AT; more > 0;
                     more--, pair += TupleSpaceLayout::TERM) {
                    uint32_t word = h[pair[TupleSpaceLayout::TERM_POSITION]];
                    key = key_with(key, word & pair[TupleSpaceLayout::TERM_MASK]);
                }
                keys[q] = key_spread(key);
            }
            SLUICE_UNROLL
            for (uint32_t q = 0; q < Kernel::TOGETHER; q++) {
                const uint32_t* record = records + q * Kernel::RECORD;
                named[q] = w[record[Kernel::TABLE] + (keys[q] >> record[Kernel::SHIFT])];
            }
            SLUICE_UNROLL
            for (uint32_t q = 0; q < Kernel::TOGETHER; q++) {
                uint32_t other = named[q] ^ (keys[q] << LIST_BITS | 1u << LIST_BITS);
                bool may = other <= LIST_FIRST || named[q] - 1 < LIST_FIRST;
                uint32_t first = named[q] & LIST_FIRST;
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
            Four a = w.four(entries + ENTRY * next);
            Four b = w.four(entries + ENTRY * next + SECOND_VALUE);
            uint32_t rank = a[RANK_WORD] & RANK;
            uint32_t third = h[a[NEXT_WORD] >> THIRD_AT & POSITION];
            uint32_t differs =
                    ((h[a[RANK_WORD] >> FIRST_AT & POSITION] ^ a[FIRST_VALUE])
                     & a[FIRST_MASK])
                    | ((h[a[RANK_WORD] >> SECOND_AT & POSITION] ^ b[SECOND_VALUE])
                       & b[SECOND_MASK]);
            bool holds = differs == 0
                    && ((a[NEXT_WORD] & RANGES) == 0
                            ? ((third ^ b[THIRD_VALUE]) & b[THIRD_MASK]) == 0
                            : ports_hold(third, b[THIRD_VALUE], b[THIRD_MASK]));
            uint32_t more = a[NEXT_WORD] >> MORE_AT;
            bool won = holds && more == 0 && rank < best;
            bool over = won || rank >= best || (!holds && (a[RANK_WORD] & LAST) != 0);
            best = won ? rank : best;
            limit = won ? a[NEXT_WORD] & LIST_FIRST : limit;
            next = over ? 0 : next + (holds ? 1 : more + 1);
        }
    }
    return best;
}

}  // namespace sluice
