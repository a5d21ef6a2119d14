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
constexpr uint32_t PAIRS_MAP_STRIDE = 15;

// Words of a group's record, of a slot of its hash table, of a cell of its plain table.
constexpr uint32_t GROUP_WORDS = 4;
constexpr uint32_t SLOT_WORDS = 4;
constexpr uint32_t CELL_WORDS = 2;

SLUICE_FN uint32_t pair_hash(uint32_t source, uint32_t destination) {
    uint32_t h = source * 0x9e3779b1u ^ destination * 0x85ebca6bu;
    return h ^ h >> 15;
}

SLUICE_FN uint32_t word_of(const Header& h, uint32_t position) { return h[position]; }

SLUICE_FN uint32_t word_of(const uint32_t (&h)[4], uint32_t position) { return pick(h, position); }

// Longest prefix around an address: 1 + its index, 0 for none.
template <class Words>
SLUICE_FN uint32_t trie(const Image& w, uint32_t root, const Words& h) {
    uint32_t at = root;
    while (at >> 31 == 0) {
        uint32_t node = w[at];
        uint32_t bits = (word_of(h, node & 31) ^ w[at + 1]) >> (node >> 5 & 31)
                & 0xffffffffu >> (32 - (node >> 10 & 63));
        at = w[at + 2 + (node >> 16 != 0 ? (bits != 0 ? 1 : 0) : bits)];
    }
    return ~at;
}

// The list of a cell, 0 for none, and the row of its pattern.
SLUICE_FN Two pair_list(
        const Image& w, uint32_t cells, uint32_t mask, uint32_t source, uint32_t destination) {
    if (mask == 0xffffffffu) {
        return w.two(cells + CELL_WORDS * (source + destination));
    }
    if (source == 0 || destination == 0) {
        return Two{0, 0};
    }
    for (uint32_t slot = pair_hash(source, destination) & mask;; slot = (slot + 1) & mask) {
        Four found = w.four(cells + slot * SLOT_WORDS);
        if (found.of[0] == source && found.of[1] == destination) {
            return Two{found.of[2], found.of[3]};
        }
        if (found.of[0] == 0) {
            return Two{0, 0};
        }
    }
}

// The best rule of a list that holds in a class and beats what was found so far.
SLUICE_FN uint32_t best_of_list(
        const Image& w, uint32_t patterns, const Two& list, uint32_t c, uint32_t best) {
    if (patterns != 0) {
        uint32_t number = w.half(patterns, list.second + c);
        if (number == 0) {
            return best;
        }
        uint32_t position = w[list.first + number];
        return position < best ? position : best;
    }
    for (uint32_t at = list.first;; at += 2) {
        uint32_t last = w[at + 1];
        uint32_t position = last & 0x7fffffffu;
        if (position >= best) {
            return best;
        }
        if ((w[w[at] + (c >> 5)] >> (c & 31) & 1) != 0) {
            return position;
        }
        if (last >> 31 != 0) {
            return best;
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
    uint32_t stride = w[head + PAIRS_MAP_STRIDE];
    uint32_t sources = w[head + PAIRS_SOURCES] + source * stride;
    uint32_t destinations = w[head + PAIRS_DESTINATIONS] + destination * stride;
    uint32_t patterns = w[head + PAIRS_PATTERNS];
    uint32_t best = MISS;
    for (uint32_t g = 0; g < groups; g++) {
        uint32_t record = records + g * GROUP_WORDS;
        if (w[record + 2] >= best) {
            break;
        }
        Two list = pair_list(
                w, w[record], w[record + 1], w[sources + g], w[destinations + g]);
        if (list.first != 0) {
            best = best_of_list(w, patterns, list, c, best);
        }
    }
    return best;
}

// What the fast form below needs of an image, in one place: the kernel gets it as a parameter.
// Four header words at most, two chains of strides, a few class steps, a few groups.
struct PairsPlan {
    static constexpr int LEVELS = 4;
    static constexpr int STEPS = 7;
    static constexpr int GROUPS = 8;

    // A level: table, whether its entries have 32 bits, shift, mask, log2 of its width.
    struct Level {
        uint32_t table, wide, shift, mask, bits;
    };

    // A class step: inputs 0 for a chunk (position, shift, mask, upper shift, upper mask, bits of
    // the lower run), else 2 or 3 (step, stride) pairs.
    struct Step {
        uint32_t table, wide, inputs, a, b, c, d, e, f;
    };

    struct Group {
        uint32_t cells, mask, best;
    };

    // Levels 0: a trie, whose root takes the position's place.
    uint32_t source_levels, source_position, destination_levels, destination_position;
    uint32_t steps, groups, stride, sources, destinations, patterns;
    Level source[LEVELS];
    Level destination[LEVELS];
    Step step[STEPS];
    Group group[GROUPS];
};

SLUICE_FN uint32_t plan_entry(const Image& w, uint32_t table, uint32_t wide, uint32_t index) {
    return wide != 0 ? w[table + index] : w.half(table, index);
}

SLUICE_FN uint32_t pairs_planned(const Image& w, const PairsPlan& plan, const uint32_t (&h)[4]) {
    uint32_t source_word = pick(h, plan.source_position);
    uint32_t destination_word = pick(h, plan.destination_position);
    uint32_t source = 0;
    uint32_t destination = 0;
    SLUICE_UNROLL
    for (int l = 0; l < PairsPlan::LEVELS; l++) {
        // Both chains side by side: their loads do not wait for each other.
        if (l < (int) plan.source_levels) {
            const PairsPlan::Level& at = plan.source[l];
            source = plan_entry(
                    w, at.table, at.wide, (source << at.bits) + (source_word >> at.shift & at.mask));
        }
        if (l < (int) plan.destination_levels) {
            const PairsPlan::Level& at = plan.destination[l];
            destination = plan_entry(
                    w,
                    at.table,
                    at.wide,
                    (destination << at.bits) + (destination_word >> at.shift & at.mask));
        }
    }
    if (plan.source_levels == 0) {
        source = trie(w, plan.source_position, h);
    }
    if (plan.destination_levels == 0) {
        destination = trie(w, plan.destination_position, h);
    }
    uint32_t classes[PairsPlan::STEPS] = {};
    uint32_t c = 0;
    SLUICE_UNROLL
    for (int s = 0; s < PairsPlan::STEPS; s++) {
        if (s < (int) plan.steps) {
            const PairsPlan::Step& at = plan.step[s];
            uint32_t index;
            if (at.inputs == 0) {
                uint32_t word = pick(h, at.a);
                index = (word >> at.b & at.c) | (word >> at.d & at.e) << at.f;
            } else {
                index = pick(classes, at.a) * at.b + pick(classes, at.c);
                if (at.inputs == 3) {
                    index = pick(classes, at.a) * at.b + pick(classes, at.c) * at.d
                            + pick(classes, at.e);
                }
            }
            c = plan_entry(w, at.table, at.wide, index);
            classes[s] = c;
        }
    }
    uint32_t best = MISS;
    for (uint32_t from = 0; from < plan.groups && plan.group[from].best < best; from += 4) {
        Four s = w.four(plan.sources + source * plan.stride + from);
        Four d = w.four(plan.destinations + destination * plan.stride + from);
        Two lists[4];
        SLUICE_UNROLL
        for (int g = 0; g < 4; g++) {
            lists[g] = Two{0, 0};
            if (from + g < plan.groups) {
                const PairsPlan::Group& at = plan.group[from + g];
                lists[g] = pair_list(w, at.cells, at.mask, s.of[g], d.of[g]);
            }
        }
        SLUICE_UNROLL
        for (int g = 0; g < 4; g++) {
            if (lists[g].first != 0 && plan.group[from + g].best < best) {
                best = best_of_list(w, plan.patterns, lists[g], c, best);
            }
        }
    }
    return best;
}

}  // namespace sluice
