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
constexpr uint32_t PAIRS_AXES = 4;
constexpr uint32_t PAIRS_GROUPS = 16;
constexpr uint32_t PAIRS_GROUP_COUNT = 17;
constexpr uint32_t PAIRS_PATTERNS = 18;
constexpr uint32_t PAIRS_PATTERN_ENTRIES = 20;
constexpr uint32_t PAIRS_LISTS = 21;
constexpr uint32_t PAIRS_LIST_BITS = 22;
constexpr uint32_t PAIRS_CELL_BITS = 23;

// Words of an address's record, and how its prefix is found.
constexpr uint32_t AXIS_WORDS = 6;
constexpr uint32_t AXIS_FORM = 0;
constexpr uint32_t AXIS_AT = 1;
constexpr uint32_t AXIS_POSITION = 2;
constexpr uint32_t AXIS_PARENTS = 3;
constexpr uint32_t AXIS_ROWS = 4;
constexpr uint32_t AXIS_ROW_WORDS = 5;
constexpr uint32_t FORM_LEVELS = 0;
constexpr uint32_t FORM_TRIE = 1;

// Ranges: chunks by the upper half of an address, their first prefix and its number of prefixes in
// a word; behind them each prefix's first and last address in its chunk.
constexpr uint32_t CHUNK_COUNT_BITS = 11;
constexpr uint32_t CHUNKS = 65536;

// Words of a group's record, of a slot of its hash table or a cell of its lists.
constexpr uint32_t GROUP_WORDS = 10;
constexpr uint32_t SLOT_WORDS = 2;

// In place of a mask of slots.
constexpr uint32_t CELLS_DIRECT = 0xffffffffu;
constexpr uint32_t CELLS_BY_SOURCE = 0xfffffffeu;
constexpr uint32_t CELLS_BY_DESTINATION = 0xfffffffdu;

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

// A binary search for the last prefix that starts at or before an address.
struct RangeSearch {
    uint32_t ranges, key, prefix, left;

    SLUICE_FN static RangeSearch none() { return RangeSearch{0, 0, 0, 0}; }

    SLUICE_FN static RangeSearch of(const Image& w, uint32_t root, uint32_t address) {
        uint32_t chunk = w[root + (address >> 16)];
        return RangeSearch{
                root + CHUNKS,
                address & 0xffffu,
                chunk >> CHUNK_COUNT_BITS,
                chunk & ((1u << CHUNK_COUNT_BITS) - 1)};
    }

    SLUICE_FN bool open() const { return left > 1; }

    SLUICE_FN void step(const Image& w) {
        if (left > 1) {
            uint32_t half = left >> 1;
            prefix += w[ranges + prefix + half] >> 16 <= key ? half : 0;
            left -= half;
        }
    }

    // The longest prefix around the address: what was found, or one around that.
    SLUICE_FN uint32_t around(const Image& w, uint32_t parents) const {
        uint32_t at = prefix;
        if (left == 0) {
            return at;
        }
        for (uint32_t range = w[ranges + at]; key < range >> 16 || key > (range & 0xffffu);
             range = w[ranges + at]) {
            uint32_t parent = w[parents + at];
            at = parent & 0x7fffffffu;
            if (parent >> 31 != 0) {
                break;
            }
        }
        return at;
    }
};

// A group: its cells, and where rows hold its prefixes.
struct PairGroup {
    uint32_t cells, mask, best, width;
    uint32_t source_word, source_shift, source_mask;
    uint32_t destination_word, destination_shift, destination_mask;
};

// Where the cell of two prefixes is looked for first, MISS for nowhere.
SLUICE_FN uint32_t pair_at(const PairGroup& group, uint32_t source, uint32_t destination) {
    if (group.mask == CELLS_DIRECT) {
        return group.cells + source * group.width + destination;
    }
    if (source == 0 || destination == 0) {
        return MISS;
    }
    uint32_t number = group.mask == CELLS_BY_SOURCE        ? source - 1
                      : group.mask == CELLS_BY_DESTINATION ? destination - 1
                                                           : pair_hash(source, destination) & group.mask;
    return group.cells + number * SLOT_WORDS;
}

// The words there: of a plain table only the second counts.
SLUICE_FN Two pair_first(const Image& w, const PairGroup& group, uint32_t at) {
    if (at == MISS) {
        return Two{0, 0};
    }
    return group.mask == CELLS_DIRECT ? Two{0, w[at]} : w.two(at);
}

// The cell of two prefixes, 0 for none.
SLUICE_FN uint32_t pair_cell(
        const Image& w,
        const PairGroup& group,
        uint32_t bits,
        uint32_t source,
        uint32_t destination,
        uint32_t at,
        Two found) {
    if (group.mask == CELLS_DIRECT || at == MISS) {
        return found.second;
    }
    if (group.mask >= CELLS_BY_DESTINATION) {
        uint32_t other = group.mask == CELLS_BY_SOURCE ? destination : source;
        while ((found.first & 0x7fffffffu) != other) {
            if (found.first >> 31 != 0) {
                return 0;
            }
            at += SLOT_WORDS;
            found = w.two(at);
        }
        return found.second;
    }
    uint32_t lower = source << group.width | destination;
    uint32_t upper = source >> (32 - group.width);
    while (found.second != 0) {
        if (found.first == lower && found.second >> bits == upper) {
            return found.second & ((1u << bits) - 1);
        }
        at += SLOT_WORDS;
        at = at == group.cells + (group.mask + 1) * SLOT_WORDS ? group.cells : at;
        found = w.two(at);
    }
    return 0;
}

// What cells name.
struct PairLists {
    uint32_t patterns, entries, lists, list_bits, rules;
};

// Number, from 1 on, of the first rule of a cell that holds in a class, 0 for none.
SLUICE_FN uint32_t number_in(const Image& w, const PairLists& of, uint32_t cell, uint32_t c) {
    return w.half(of.patterns, (cell >> of.list_bits) * of.entries + c);
}

// That rule: the cell names it, or the list that the cell names.
SLUICE_FN uint32_t rule_in(const Image& w, const PairLists& of, uint32_t cell, uint32_t number) {
    uint32_t position = (cell & ((1u << of.list_bits) - 1)) - 1;
    return position < of.rules ? position : w[of.lists + (position - of.rules) + number - 1];
}

// The best rule of a list of pairs that holds in a class and beats what was found so far.
SLUICE_FN uint32_t best_of_list(const Image& w, uint32_t list, uint32_t c, uint32_t best) {
    for (uint32_t at = list;; at += 2) {
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

// The best rule of a cell that holds in a class and beats what was found so far.
SLUICE_FN uint32_t best_of_cell(
        const Image& w, const PairLists& of, uint32_t cell, uint32_t c, uint32_t best) {
    if (cell == 0) {
        return best;
    }
    if (of.patterns == 0) {
        return best_of_list(w, cell, c, best);
    }
    uint32_t number = number_in(w, of, cell, c);
    uint32_t position = number == 0 ? MISS : rule_in(w, of, cell, number);
    return position < best ? position : best;
}

// Offset of the row of an address.
SLUICE_FN uint32_t pair_row(
        const Image& w, uint32_t axis, const Header& h, const uint32_t* classes) {
    uint32_t form = w[axis + AXIS_FORM];
    uint32_t at = w[axis + AXIS_AT];
    uint32_t found;
    if (form == FORM_LEVELS) {
        found = classes[at];
    } else if (form == FORM_TRIE) {
        found = trie(w, at, h);
    } else {
        RangeSearch search = RangeSearch::of(w, at, h[w[axis + AXIS_POSITION]]);
        while (search.open()) {
            search.step(w);
        }
        found = search.around(w, w[axis + AXIS_PARENTS]);
    }
    return w[axis + AXIS_ROWS] + found * w[axis + AXIS_ROW_WORDS];
}

SLUICE_FN uint32_t pairs(const Image& w, const Header& h) {
    uint32_t head = w[PAIRS_HEAD_AT];
    uint32_t classes[MOST_STEPS];
    rfc_steps(w, w[head + PAIRS_STEPS], w[head + PAIRS_STEP_COUNT], h, classes);
    uint32_t c = classes[w[head + PAIRS_CLASS_STEP]];
    uint32_t sources = pair_row(w, head + PAIRS_AXES, h, classes);
    uint32_t destinations = pair_row(w, head + PAIRS_AXES + AXIS_WORDS, h, classes);
    uint32_t groups = w[head + PAIRS_GROUP_COUNT];
    uint32_t bits = w[head + PAIRS_CELL_BITS];
    PairLists lists{
            w[head + PAIRS_PATTERNS],
            w[head + PAIRS_PATTERN_ENTRIES],
            w[head + PAIRS_LISTS],
            w[head + PAIRS_LIST_BITS],
            w[RULES_AT]};
    uint32_t best = MISS;
    for (uint32_t g = 0; g < groups; g++) {
        uint32_t r = w[head + PAIRS_GROUPS] + g * GROUP_WORDS;
        PairGroup group{
                w[r], w[r + 1], w[r + 2], w[r + 3], w[r + 4],
                w[r + 5], w[r + 6], w[r + 7], w[r + 8], w[r + 9]};
        if (group.best >= best) {
            break;
        }
        uint32_t source =
                w[sources + group.source_word] >> group.source_shift & group.source_mask;
        uint32_t destination = w[destinations + group.destination_word] >> group.destination_shift
                & group.destination_mask;
        uint32_t at = pair_at(group, source, destination);
        uint32_t cell = pair_cell(
                w, group, bits, source, destination, at, pair_first(w, group, at));
        best = best_of_cell(w, lists, cell, c, best);
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

    // In place of a number of levels; none is a trie.
    static constexpr uint32_t RANGES = LEVELS + 1;

    // An address: levels, root of its trie or of its ranges, parents, rows.
    struct Axis {
        uint32_t levels, root, position, parents, rows, row_words;
        Level level[LEVELS];
    };

    uint32_t steps, groups, patterns, entries, lists, list_bits, cell_bits, rules;
    Axis source;
    Axis destination;
    Step step[STEPS];
    PairGroup group[GROUPS];
};

SLUICE_FN uint32_t plan_entry(const Image& w, uint32_t table, uint32_t wide, uint32_t index) {
    return wide != 0 ? w[table + index] : w.half(table, index);
}

SLUICE_FN uint32_t plan_level(
        const Image& w, const PairsPlan::Level& at, uint32_t above, uint32_t address) {
    return plan_entry(w, at.table, at.wide, (above << at.bits) + (address >> at.shift & at.mask));
}

SLUICE_FN RangeSearch plan_ranges(const Image& w, const PairsPlan::Axis& axis, uint32_t address) {
    return axis.levels == PairsPlan::RANGES ? RangeSearch::of(w, axis.root, address)
                                            : RangeSearch::none();
}

// Up to four words of the row of an address.
SLUICE_FN Four plan_row(const Image& w, const PairsPlan::Axis& axis, uint32_t found) {
    uint32_t at = axis.rows + found * axis.row_words;
    if (axis.row_words == 1) {
        return Four{{w[at], 0, 0, 0}};
    }
    if (axis.row_words == 2) {
        Two two = w.two(at);
        return Four{{two.first, two.second, 0, 0}};
    }
    return w.four(at);
}

SLUICE_FN uint32_t plan_class(
        const Image& w,
        const PairsPlan::Step& at,
        const uint32_t (&h)[4],
        const uint32_t (&classes)[PairsPlan::STEPS]) {
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
    return plan_entry(w, at.table, at.wide, index);
}

// The look-up in stages whose loads do not wait for each other: a level of both addresses and a
// step of the class; rows and the rest of the class; cells; patterns; lists.
SLUICE_FN uint32_t pairs_planned(const Image& w, const PairsPlan& plan, const uint32_t (&h)[4]) {
    uint32_t source_word = pick(h, plan.source.position);
    uint32_t destination_word = pick(h, plan.destination.position);
    RangeSearch source_range = plan_ranges(w, plan.source, source_word);
    RangeSearch destination_range = plan_ranges(w, plan.destination, destination_word);
    uint32_t source = 0;
    uint32_t destination = 0;
    uint32_t classes[PairsPlan::STEPS] = {};
    uint32_t c = 0;
    SLUICE_UNROLL
    for (int l = 0; l < PairsPlan::LEVELS; l++) {
        if (plan.source.levels != PairsPlan::RANGES && l < (int) plan.source.levels) {
            source = plan_level(w, plan.source.level[l], source, source_word);
        }
        if (plan.destination.levels != PairsPlan::RANGES && l < (int) plan.destination.levels) {
            destination = plan_level(w, plan.destination.level[l], destination, destination_word);
        }
        if (l < (int) plan.steps) {
            c = classes[l] = plan_class(w, plan.step[l], h, classes);
        }
    }
    while (source_range.open() || destination_range.open()) {
        source_range.step(w);
        destination_range.step(w);
    }
    if (plan.source.levels == PairsPlan::RANGES) {
        source = source_range.around(w, plan.source.parents);
    } else if (plan.source.levels == 0) {
        source = trie(w, plan.source.root, h);
    }
    if (plan.destination.levels == PairsPlan::RANGES) {
        destination = destination_range.around(w, plan.destination.parents);
    } else if (plan.destination.levels == 0) {
        destination = trie(w, plan.destination.root, h);
    }
    Four sources = plan_row(w, plan.source, source);
    Four destinations = plan_row(w, plan.destination, destination);
    SLUICE_UNROLL
    for (int s = PairsPlan::LEVELS; s < PairsPlan::STEPS; s++) {
        if (s < (int) plan.steps) {
            c = classes[s] = plan_class(w, plan.step[s], h, classes);
        }
    }
    PairLists lists{plan.patterns, plan.entries, plan.lists, plan.list_bits, plan.rules};
    uint32_t best = MISS;
    constexpr int SIDE_BY_SIDE = 4;
    for (uint32_t from = 0; from < plan.groups && plan.group[from].best < best;
         from += SIDE_BY_SIDE) {
        uint32_t s[SIDE_BY_SIDE], d[SIDE_BY_SIDE], at[SIDE_BY_SIDE], cells[SIDE_BY_SIDE];
        Two first[SIDE_BY_SIDE];
        SLUICE_UNROLL
        for (int g = 0; g < SIDE_BY_SIDE; g++) {
            at[g] = MISS;
            first[g] = Two{0, 0};
            s[g] = 0;
            d[g] = 0;
            if (from + g < plan.groups) {
                const PairGroup& group = plan.group[from + g];
                s[g] = pick(sources.of, group.source_word) >> group.source_shift
                        & group.source_mask;
                d[g] = pick(destinations.of, group.destination_word) >> group.destination_shift
                        & group.destination_mask;
                at[g] = pair_at(group, s[g], d[g]);
                first[g] = pair_first(w, group, at[g]);
            }
        }
        SLUICE_UNROLL
        for (int g = 0; g < SIDE_BY_SIDE; g++) {
            cells[g] = at[g] == MISS ? 0
                                     : pair_cell(
                                             w,
                                             plan.group[from + g],
                                             plan.cell_bits,
                                             s[g],
                                             d[g],
                                             at[g],
                                             first[g]);
        }
        if (plan.patterns == 0) {
            for (int g = 0; g < SIDE_BY_SIDE; g++) {
                best = best_of_cell(w, lists, cells[g], c, best);
            }
            continue;
        }
        uint32_t number[SIDE_BY_SIDE];
        SLUICE_UNROLL
        for (int g = 0; g < SIDE_BY_SIDE; g++) {
            number[g] = cells[g] == 0 ? 0 : number_in(w, lists, cells[g], c);
        }
        SLUICE_UNROLL
        for (int g = 0; g < SIDE_BY_SIDE; g++) {
            uint32_t position = number[g] == 0 ? MISS : rule_in(w, lists, cells[g], number[g]);
            best = position < best ? position : best;
        }
    }
    return best;
}

}  // namespace sluice
