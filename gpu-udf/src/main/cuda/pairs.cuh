// Address pairs: two longest-prefix matches and the class of the other fields name, for each
// group of rules, a cell and its best rule.
#pragma once

#include "rfc.cuh"

namespace sluice {

constexpr uint32_t PAIRS_HEAD_AT = OWN_AT;

// Words of the head.
constexpr uint32_t PAIRS_STEPS = 0;
constexpr uint32_t PAIRS_STEP_COUNT = 1;
constexpr uint32_t PAIRS_CLASS_STEP = 3;
constexpr uint32_t PAIRS_SOURCE_STEP = 4;
constexpr uint32_t PAIRS_DESTINATION_STEP = 5;
constexpr uint32_t PAIRS_SOURCE_ROOT = 6;
constexpr uint32_t PAIRS_DESTINATION_ROOT = 7;
constexpr uint32_t PAIRS_GROUPS = 8;
constexpr uint32_t PAIRS_GROUP_COUNT = 9;
constexpr uint32_t PAIRS_PATTERNS = 11;
constexpr uint32_t PAIRS_SOURCES = 13;
constexpr uint32_t PAIRS_DESTINATIONS = 14;

// Words of a group's record, and of a slot of its hash table.
constexpr uint32_t GROUP_WORDS = 4;
constexpr uint32_t SLOT_WORDS = 4;

SLUICE_FN uint32_t pair_hash(uint32_t source, uint32_t destination) {
    uint32_t h = source * 0x9e3779b1u ^ destination * 0x85ebca6bu;
    return h ^ h >> 15;
}

// Longest prefix around an address: 1 + its index, 0 for none.
SLUICE_FN uint32_t trie(const Image& w, uint32_t root, const Header& h) {
    uint32_t at = root;
    while (at >> 31 == 0) {
        uint32_t node = w[at];
        uint32_t bits = (h[node & 31] ^ w[at + 1]) >> (node >> 5 & 31)
                & 0xffffffffu >> (32 - (node >> 10 & 63));
        at = w[at + 2 + (node >> 16 != 0 ? (bits != 0 ? 1 : 0) : bits)];
    }
    return ~at;
}

SLUICE_FN uint32_t pair_list(
        const Image& w, uint32_t record, uint32_t source, uint32_t destination) {
    uint32_t cells = w[record];
    uint32_t mask = w[record + 1];
    if (mask == 0xffffffffu) {
        return w[cells + source + destination];
    }
    if (source == 0 || destination == 0) {
        return 0;
    }
    for (uint32_t slot = pair_hash(source, destination) & mask;; slot = (slot + 1) & mask) {
        uint32_t cell = cells + slot * SLOT_WORDS;
        uint32_t found = w[cell];
        if (found == 0) {
            return 0;
        }
        if (found == source && w[cell + 1] == destination) {
            return w[cell + 2];
        }
    }
}

SLUICE_FN uint32_t pairs(const Image& w, const Header& h) {
    uint32_t head = w[PAIRS_HEAD_AT];
    uint32_t classes[MOST_STEPS];
    rfc_steps(w, w[head + PAIRS_STEPS], w[head + PAIRS_STEP_COUNT], h, classes);
    uint32_t c = classes[w[head + PAIRS_CLASS_STEP]];
    uint32_t source_step = w[head + PAIRS_SOURCE_STEP];
    uint32_t destination_step = w[head + PAIRS_DESTINATION_STEP];
    uint32_t source = source_step == MISS ? trie(w, w[head + PAIRS_SOURCE_ROOT], h)
                                          : classes[source_step];
    uint32_t destination = destination_step == MISS ? trie(w, w[head + PAIRS_DESTINATION_ROOT], h)
                                                    : classes[destination_step];
    uint32_t groups = w[head + PAIRS_GROUP_COUNT];
    uint32_t records = w[head + PAIRS_GROUPS];
    uint32_t sources = w[head + PAIRS_SOURCES] + source * groups;
    uint32_t destinations = w[head + PAIRS_DESTINATIONS] + destination * groups;
    uint32_t patterns = w[head + PAIRS_PATTERNS];
    uint32_t best = MISS;
    for (uint32_t g = 0; g < groups; g++) {
        uint32_t record = records + g * GROUP_WORDS;
        if (w[record + 2] >= best) {
            break;
        }
        uint32_t list = pair_list(w, record, w[sources + g], w[destinations + g]);
        if (list == 0) {
            continue;
        }
        if (patterns != 0) {
            uint32_t number = w.half(patterns, w[list] + c);
            if (number != 0) {
                uint32_t position = w[list + number];
                best = position < best ? position : best;
            }
            continue;
        }
        for (;; list += 2) {
            uint32_t last = w[list + 1];
            uint32_t position = last & 0x7fffffffu;
            if (position >= best) {
                break;
            }
            if ((w[w[list] + (c >> 5)] >> (c & 31) & 1) != 0) {
                best = position;
                break;
            }
            if (last >> 31 != 0) {
                break;
            }
        }
    }
    return best;
}

}  // namespace sluice
