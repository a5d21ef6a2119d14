// Crossproduct of two addresses: two longest-prefix matches and the class of the other fields name,
// for each group of rules, a cell and its best rule. CrossproductLayout has the words of an image,
// CrossproductKernelLayout those of the parameter.
#pragma once

#include <cstddef>

#include "rfc.cuh"

namespace sluice {

SLUICE_FN uint32_t cell_bucket(uint32_t source, uint32_t destination, uint32_t shift) {
    uint32_t h = source * HashMultipliers::GOLDEN ^ destination * HashMultipliers::FINISH_1;
    return h * HashMultipliers::FINISH_2 >> shift;
}

SLUICE_FN uint32_t cell_place(
        uint32_t source, uint32_t destination, uint32_t seed, uint32_t places) {
    uint32_t h = source * HashMultipliers::GOLDEN
            ^ (destination ^ seed * HashMultipliers::FINISH_1) * HashMultipliers::FINISH_2;
    h = (h ^ h >> 15) * HashMultipliers::WORD;
    return (uint32_t)((uint64_t)h * places >> 32);
}

SLUICE_FN uint32_t word_of(const Header& h, uint32_t position) { return h[position]; }

SLUICE_FN uint32_t word_of(
        const uint32_t (&h)[CrossproductKernelLayout::HEADER_WORDS], uint32_t position) {
    return pick(h, position);
}

// Longest prefix around an address that begins at a position of the header: 1 + its index, 0 for
// none.
template <class Words>
SLUICE_FN uint32_t trie(
        const Image& w, uint32_t root, uint32_t around, uint32_t position, const Words& h) {
    using namespace PrefixTrieLayout;
    uint32_t at = root;
    while (at >> 31 == 0) {
        uint32_t node = w[at + NODE];
        uint32_t value = word_of(h, node & FIVE_BITS) >> (node >> SHIFT_AT & FIVE_BITS)
                & 0xffffffffu >> (32 - (node >> WIDTH_AT));
        at = w[at + CHILDREN + value];
    }
    uint32_t found = ~at;
    uint32_t words = w[around + ADDRESS_WORDS];
    uint32_t records = around + RECORDS;
    uint32_t record = records + found * (words + 1);
    uint32_t equal = 0;
    for (uint32_t k = 0; k < words && equal == 32 * k; k++) {
        equal += leading_zeros(word_of(h, position + k) ^ w[record + 1 + k]);
    }
    // The longest one is the first that ends before the address differs from what was found.
    for (uint32_t own = w[record]; (own & LENGTH) > equal; own = w[records + found * (words + 1)]) {
        found = own >> PARENT_AT;
    }
    return found;
}

// A binary search for the last prefix that starts at or before an address.
struct RangeSearch {
    uint32_t ranges, key, prefix, left;

    SLUICE_FN static RangeSearch none() { return RangeSearch{0, 0, 0, 0}; }

    SLUICE_FN static RangeSearch open_at(const Image& w, uint32_t root, uint32_t address) {
        uint32_t chunk = w[root + (address >> (32 - PrefixRangesLayout::CHUNK_BITS))];
        return RangeSearch{
                root + PrefixRangesLayout::CHUNKS,
                address & PrefixRangesLayout::WITHIN_CHUNK,
                chunk >> PrefixRangesLayout::COUNT_BITS,
                chunk & PrefixRangesLayout::COUNT};
    }

    SLUICE_FN bool open() const { return left > 1; }

    SLUICE_FN void step(const Image& w) {
        if (left > 1) {
            uint32_t half = left >> 1;
            prefix += w[ranges + prefix + half] >> PrefixRangesLayout::FIRST_SHIFT <= key ? half : 0;
            left -= half;
        }
    }

    // The longest prefix around the address: what was found, or one around that.
    SLUICE_FN uint32_t around(const Image& w, uint32_t parents) const {
        uint32_t at = prefix;
        if (left == 0) {
            return at;
        }
        for (uint32_t range = w[ranges + at]; key < range >> PrefixRangesLayout::FIRST_SHIFT
             || key > (range & PrefixRangesLayout::LAST);
             range = w[ranges + at]) {
            uint32_t parent = w[parents + at];
            at = parent & PrefixRangesLayout::PARENT;
            if ((parent & PrefixRangesLayout::HOLDS_CHUNK) != 0) {
                break;
            }
        }
        return at;
    }
};

// Where the row of an address holds the number of a group's prefix.
struct RowField {
    uint32_t word, shift, mask;
};

// A group's record: its cells, and where rows hold its prefixes.
struct CellGroup {
    uint32_t cells, form, best, width, seeds, bucket_shift, places;
    RowField source, destination;
};

static_assert(sizeof(CellGroup) == 4 * CrossproductLayout::RECORD, "CrossproductLayout");
static_assert(offsetof(CellGroup, cells) == 4 * CrossproductLayout::CELLS, "CrossproductLayout");
static_assert(
        offsetof(CellGroup, form) == 4 * CrossproductLayout::GROUP_FORM, "CrossproductLayout");
static_assert(offsetof(CellGroup, best) == 4 * CrossproductLayout::BEST, "CrossproductLayout");
static_assert(offsetof(CellGroup, width) == 4 * CrossproductLayout::WIDTH, "CrossproductLayout");
static_assert(offsetof(CellGroup, seeds) == 4 * CrossproductLayout::SEEDS, "CrossproductLayout");
static_assert(
        offsetof(CellGroup, bucket_shift) == 4 * CrossproductLayout::BUCKET_SHIFT,
        "CrossproductLayout");
static_assert(
        offsetof(CellGroup, places) == 4 * CrossproductLayout::PLACES, "CrossproductLayout");
static_assert(offsetof(CellGroup, source) == 4 * CrossproductLayout::FIELDS, "CrossproductLayout");
static_assert(sizeof(RowField) == 4 * CrossproductLayout::FIELD, "CrossproductLayout");

// Where the cell of two prefixes is looked for first, MISS for nowhere.
SLUICE_FN uint32_t cell_at(
        const Image& w, const CellGroup& group, uint32_t source, uint32_t destination) {
    if (group.form == CrossproductLayout::DIRECT) {
        return group.cells + source * group.width + destination;
    }
    if (group.form == CrossproductLayout::MAPPED) {
        uint32_t entry = source * group.width + (destination >> CrossproductLayout::MAP_SHIFT);
        return group.seeds + entry * CrossproductLayout::MAP_ENTRY;
    }
    if (source == 0 || destination == 0) {
        return MISS;
    }
    uint32_t number;
    if (group.form == CrossproductLayout::HASHED) {
        uint32_t bucket = cell_bucket(source, destination, group.bucket_shift);
        number = cell_place(source, destination, w.half(group.seeds, bucket), group.places);
    } else {
        number = (group.form == CrossproductLayout::LISTED_BY_SOURCE ? source : destination) - 1;
    }
    return group.cells + number * CrossproductLayout::KEYED_CELL;
}

// The words there: of a plain table only the second counts, of a map it is an entry.
SLUICE_FN Two cell_words(const Image& w, const CellGroup& group, uint32_t at) {
    if (at == MISS) {
        return Two{0, 0};
    }
    return group.form == CrossproductLayout::DIRECT ? Two{0, w[at]} : w.two(at);
}

// The cell of two prefixes, 0 for none.
SLUICE_FN uint32_t cell_in(
        const Image& w,
        const CellGroup& group,
        uint32_t bits,
        uint32_t source,
        uint32_t destination,
        uint32_t at,
        Two found) {
    if (group.form == CrossproductLayout::DIRECT || at == MISS) {
        return found.second;
    }
    if (group.form == CrossproductLayout::MAPPED) {
        // The entry of a map: bits of pairs, and the number of their first cell.
        uint32_t bit = 1u << (destination & 31);
        return (found.first & bit) != 0
                ? w[group.cells + found.second + popcount(found.first & (bit - 1))]
                : 0;
    }
    if (group.form == CrossproductLayout::HASHED) {
        uint32_t lower = source << group.width | destination;
        uint32_t upper = source >> (32 - group.width);
        return found.first == lower && found.second >> bits == upper
                ? found.second & ((1u << bits) - 1)
                : 0;
    }
    uint32_t other = group.form == CrossproductLayout::LISTED_BY_SOURCE ? destination : source;
    while ((found.first & CrossproductLayout::UNMARKED) != other) {
        if ((found.first & CrossproductLayout::LAST) != 0) {
            return 0;
        }
        at += CrossproductLayout::KEYED_CELL;
        found = w.two(at);
    }
    return found.second;
}

// A position as a verdict.
SLUICE_FN uint32_t verdict_of(uint32_t position) {
    return position == CrossproductLayout::NO_RULE ? MISS : position;
}

// The rule of two prefixes and a class, where a cell names a row of rules.
SLUICE_FN uint32_t rule_of_row(
        const Image& w,
        uint32_t cells,
        uint32_t width,
        uint32_t pieces,
        uint32_t source,
        uint32_t destination,
        uint32_t c) {
    uint32_t cell = cells + (source * width + destination) * pieces
            + (c >> CrossproductLayout::PIECE_BITS);
    return verdict_of(w[w[cell] + (c & (CrossproductLayout::PIECE - 1))]);
}

// What cells name.
struct CellLists {
    uint32_t form, patterns, entries, lists, list_bits, rules;
};

// What a header has beyond its addresses: the class of the other fields, and its ports.
struct Others {
    uint32_t c, ports;
};

// Number, from 1 on, of the first rule of a cell that holds in a class, 0 for none.
SLUICE_FN uint32_t number_in(const Image& w, const CellLists& in, uint32_t cell, uint32_t c) {
    return w.half(in.patterns, (cell >> in.list_bits) * in.entries + c);
}

// That rule: the cell names it, or the list that the cell names.
SLUICE_FN uint32_t rule_in(const Image& w, const CellLists& in, uint32_t cell, uint32_t number) {
    uint32_t position = (cell & ((1u << in.list_bits) - 1)) - 1;
    return position < in.rules ? position : w[in.lists + (position - in.rules) + number - 1];
}

// The best rule of a list of pairs that holds in a class and beats what was found so far.
SLUICE_FN uint32_t best_of_list(const Image& w, uint32_t list, uint32_t c, uint32_t best) {
    for (uint32_t at = list;; at += CrossproductLayout::LISTED) {
        uint32_t last = w[at + CrossproductLayout::LIST_POSITION];
        uint32_t position = last & CrossproductLayout::UNMARKED;
        if (position >= best) {
            return best;
        }
        if ((w[w[at + CrossproductLayout::LIST_ROW] + (c >> 5)] >> (c & 31) & 1) != 0) {
            return position;
        }
        if ((last & CrossproductLayout::LAST) != 0) {
            return best;
        }
    }
}

// The better of two positions, of which the first may be none.
SLUICE_FN uint32_t better_of(uint32_t position, uint32_t best) {
    return position < best && position != CrossproductLayout::NO_RULE ? position : best;
}

// The best rule of a chain that holds for a port, where it beats what was found so far.
SLUICE_FN uint32_t best_of_chain(const Image& w, uint32_t link, uint32_t port, uint32_t best) {
    using namespace CrossproductLayout;
    for (;; link += LINK) {
        Two rule = w.two(link);
        uint32_t position = rule.second & UNMARKED;
        if (position >= best) {
            return best;
        }
        if (port >= rule.first >> 16 && port <= (rule.first & 0xffff)) {
            return position;
        }
        if ((rule.second & LAST) != 0) {
            return best;
        }
    }
}

// The interval of a service in a list: an index leaves those that begin in a part of the services,
// and the one before.
SLUICE_FN uint32_t interval_at(
        const Image& w, uint32_t list, uint32_t intervals, bool indexed, uint32_t service) {
    using namespace CrossproductLayout;
    uint32_t at = list + INTERVALS;
    uint32_t left = intervals;
    if (indexed) {
        uint32_t shape = w[list - PARTS_SHAPE];
        uint32_t from = w[list - PARTS_FROM];
        uint32_t part = service < from ? 0 : (service - from) >> (shape >> PARTS_SHIFT_AT);
        uint32_t last = shape & LAST_PART;
        uint32_t entry = list - PARTS_BEFORE - (part < last ? part : last);
        uint32_t before = w[entry];
        left = w[entry - 1] - before + 1;
        at += before;
    }
    while (left > 1) {
        uint32_t half = left >> 1;
        at = w[at + half] <= service ? at + half : at;
        left -= half;
    }
    return at;
}

// The best rule of a list of intervals of services, where it beats what was found so far: by
// destination port, then, where the list is divided, by source port.
SLUICE_FN uint32_t best_of_services(
        const Image& w, uint32_t list, const Others& others, uint32_t best) {
    using namespace CrossproductLayout;
    uint32_t searched = others.ports & 0xffff;
    uint32_t other = others.ports >> 16;
    for (;;) {
        if (w[list + BEST_OF_LIST] >= best) {
            return best;
        }
        uint32_t head = w[list + INTERVALS];
        uint32_t intervals = head & INTERVAL_COUNT;
        uint32_t at = interval_at(
                w,
                list,
                intervals,
                (head & INDEXED) != 0,
                others.c << SERVICE_SHIFT | searched);
        uint32_t named = w[at + intervals];
        if (named >> 31 == 0) {
            best = better_of(named, best);
        } else {
            best = best_of_chain(w, ~named, other, best);
        }
        if ((head & DIVIDED) == 0) {
            return best;
        }
        list = w[list + INTERVALS + 2 * intervals];
        uint32_t source = other;
        other = searched;
        searched = source;
    }
}

// The best rule of a cell that holds for a header and beats what was found so far.
SLUICE_FN uint32_t best_of_cell(
        const Image& w, const CellLists& in, uint32_t cell, const Others& others, uint32_t best) {
    if (cell == 0) {
        return best;
    }
    if (in.form == CrossproductLayout::BY_SERVICE) {
        return best_of_services(w, cell, others, best);
    }
    if (in.form == CrossproductLayout::BY_KIND) {
        return best_of_list(w, cell, others.c, best);
    }
    uint32_t number = number_in(w, in, cell, others.c);
    uint32_t position = number == 0 ? MISS : rule_in(w, in, cell, number);
    return position < best ? position : best;
}

// Offset of the row of an address.
SLUICE_FN uint32_t row_at(
        const Image& w, uint32_t axis, const Header& h, const uint32_t* classes) {
    uint32_t form = w[axis + CrossproductLayout::FORM];
    uint32_t at = w[axis + CrossproductLayout::AT];
    uint32_t found;
    if (form == CrossproductLayout::LEVELS) {
        found = classes[at];
    } else if (form == CrossproductLayout::TRIE) {
        found = trie(
                w,
                at,
                w[axis + CrossproductLayout::PARENTS],
                w[axis + CrossproductLayout::POSITION],
                h);
    } else {
        RangeSearch search = RangeSearch::open_at(w, at, h[w[axis + CrossproductLayout::POSITION]]);
        while (search.open()) {
            search.step(w);
        }
        found = search.around(w, w[axis + CrossproductLayout::PARENTS]);
    }
    return w[axis + CrossproductLayout::ROWS] + found * w[axis + CrossproductLayout::ROW_WORDS];
}

SLUICE_FN RowField row_field(const Image& w, uint32_t at) {
    return RowField{
            w[at + CrossproductLayout::FIELD_WORD],
            w[at + CrossproductLayout::FIELD_SHIFT],
            w[at + CrossproductLayout::FIELD_MASK]};
}

SLUICE_FN uint32_t crossproduct(const Image& w, const Header& h) {
    uint32_t head = w[CrossproductLayout::HEAD_AT];
    uint32_t classes[RfcLayout::MOST_STEPS];
    rfc_steps(
            w,
            w[head + CrossproductLayout::STEPS],
            w[head + CrossproductLayout::STEP_COUNT],
            h,
            classes);
    uint32_t form = w[head + CrossproductLayout::LIST_FORM];
    Others others{
            classes[w[head + CrossproductLayout::CLASS_STEP]],
            form == CrossproductLayout::BY_SERVICE ? h[w[head + CrossproductLayout::PORTS_POSITION]]
                                                   : 0};
    uint32_t sources = row_at(w, head + CrossproductLayout::AXES, h, classes);
    uint32_t destinations =
            row_at(w, head + CrossproductLayout::AXES + CrossproductLayout::AXIS, h, classes);
    uint32_t groups = w[head + CrossproductLayout::GROUP_COUNT];
    uint32_t bits = w[head + CrossproductLayout::CELL_BITS];
    CellLists lists{
            form,
            w[head + CrossproductLayout::PATTERNS],
            w[head + CrossproductLayout::PATTERN_ENTRIES],
            w[head + CrossproductLayout::LISTS],
            w[head + CrossproductLayout::LIST_BITS],
            w[ImageLayout::RULES_AT]};
    if (form == CrossproductLayout::BY_CLASS) {
        uint32_t r = w[head + CrossproductLayout::GROUPS];
        RowField source = row_field(w, r + CrossproductLayout::FIELDS);
        RowField destination =
                row_field(w, r + CrossproductLayout::FIELDS + CrossproductLayout::FIELD);
        return rule_of_row(
                w,
                w[r + CrossproductLayout::CELLS],
                w[r + CrossproductLayout::WIDTH],
                w[r + CrossproductLayout::PIECES],
                w[sources + source.word] >> source.shift & source.mask,
                w[destinations + destination.word] >> destination.shift & destination.mask,
                others.c);
    }
    uint32_t best = w[w[head + CrossproductLayout::CATCH_ALLS] + others.c];
    for (uint32_t g = 0; g < groups; g++) {
        uint32_t r = w[head + CrossproductLayout::GROUPS] + g * CrossproductLayout::RECORD;
        CellGroup group{
                w[r + CrossproductLayout::CELLS],
                w[r + CrossproductLayout::GROUP_FORM],
                w[r + CrossproductLayout::BEST],
                w[r + CrossproductLayout::WIDTH],
                w[r + CrossproductLayout::SEEDS],
                w[r + CrossproductLayout::BUCKET_SHIFT],
                w[r + CrossproductLayout::PLACES],
                row_field(w, r + CrossproductLayout::FIELDS),
                row_field(w, r + CrossproductLayout::FIELDS + CrossproductLayout::FIELD)};
        if (group.best >= best) {
            break;
        }
        uint32_t source = w[sources + group.source.word] >> group.source.shift & group.source.mask;
        uint32_t destination = w[destinations + group.destination.word] >> group.destination.shift
                & group.destination.mask;
        uint32_t at = cell_at(w, group, source, destination);
        uint32_t cell = cell_in(
                w, group, bits, source, destination, at, cell_words(w, group, at));
        best = best_of_cell(w, lists, cell, others, best);
    }
    return verdict_of(best);
}

// What the fast form below needs of an image, in one place: the kernel takes it as a parameter.
struct CrossproductParameters {
    static constexpr int LEVELS = CrossproductKernelLayout::LEVELS;
    static constexpr int STEPS = CrossproductKernelLayout::STEPS;

    // In place of a number of levels; none is a trie.
    static constexpr uint32_t RANGES = CrossproductKernelLayout::RANGES;

    // A level: table, whether its entries have 32 bits, shift, mask, log2 of its width.
    struct Level {
        uint32_t table, wide, shift, mask, bits;
    };

    // A class step: inputs 0 for a chunk (position, shift, mask, upper shift, upper mask, bits of
    // the lower run), else 2 or 3 (step, stride) pairs.
    struct Step {
        uint32_t table, wide, inputs, a, b, c, d, e, f;
    };

    // An address: levels, root of its trie or of its ranges, parents, rows.
    struct Axis {
        uint32_t levels, root, position, parents, rows, row_words;
        Level level[LEVELS];
    };

    uint32_t steps, groups, patterns, entries, lists, list_bits, cell_bits, rules, list_form,
            ports_position, catch_alls;
    Axis source;
    Axis destination;
    Step step[STEPS];
    CellGroup group[CrossproductKernelLayout::GROUPS];
};

// The members are where the engine writes them.
#define SLUICE_MEMBER(STRUCT, MEMBER, AT)                                                   \
    static_assert(                                                                          \
            offsetof(CrossproductParameters STRUCT, MEMBER) == 4 * CrossproductKernelLayout::AT, \
            "CrossproductKernelLayout")

SLUICE_MEMBER(, steps, STEP_COUNT);
SLUICE_MEMBER(, groups, GROUP_COUNT);
SLUICE_MEMBER(, patterns, PATTERNS);
SLUICE_MEMBER(, entries, PATTERN_ENTRIES);
SLUICE_MEMBER(, lists, LISTS);
SLUICE_MEMBER(, list_bits, LIST_BITS);
SLUICE_MEMBER(, cell_bits, CELL_BITS);
SLUICE_MEMBER(, rules, RULES);
SLUICE_MEMBER(, list_form, LIST_FORM);
SLUICE_MEMBER(, ports_position, PORTS_POSITION);
SLUICE_MEMBER(, catch_alls, CATCH_ALLS);
SLUICE_MEMBER(, source, SOURCE);
SLUICE_MEMBER(, step, FIRST_STEP);
SLUICE_MEMBER(, group, FIRST_GROUP);
SLUICE_MEMBER(::Axis, levels, AXIS_LEVELS);
SLUICE_MEMBER(::Axis, root, AXIS_ROOT);
SLUICE_MEMBER(::Axis, position, AXIS_POSITION);
SLUICE_MEMBER(::Axis, parents, AXIS_PARENTS);
SLUICE_MEMBER(::Axis, rows, AXIS_ROWS);
SLUICE_MEMBER(::Axis, row_words, AXIS_ROW_WORDS);
SLUICE_MEMBER(::Axis, level, AXIS_LEVEL);
SLUICE_MEMBER(::Level, table, LEVEL_TABLE);
SLUICE_MEMBER(::Level, wide, LEVEL_MODE);
SLUICE_MEMBER(::Level, shift, LEVEL_SHIFT);
SLUICE_MEMBER(::Level, mask, LEVEL_MASK);
SLUICE_MEMBER(::Level, bits, LEVEL_BITS);
SLUICE_MEMBER(::Step, table, STEP_TABLE);
SLUICE_MEMBER(::Step, wide, STEP_MODE);
SLUICE_MEMBER(::Step, inputs, STEP_INPUTS);
SLUICE_MEMBER(::Step, a, STEP_OWN);
#undef SLUICE_MEMBER
static_assert(
        sizeof(CrossproductParameters) == 4 * CrossproductKernelLayout::WORDS,
        "CrossproductKernelLayout");

SLUICE_FN uint32_t table_entry(const Image& w, uint32_t table, uint32_t wide, uint32_t index) {
    return wide != 0 ? w[table + index] : w.half(table, index);
}

SLUICE_FN uint32_t level_entry(
        const Image& w, const CrossproductParameters::Level& at, uint32_t above, uint32_t address) {
    return table_entry(w, at.table, at.wide, (above << at.bits) + (address >> at.shift & at.mask));
}

SLUICE_FN RangeSearch range_search(
        const Image& w, const CrossproductParameters::Axis& axis, uint32_t address) {
    return axis.levels == CrossproductParameters::RANGES ? RangeSearch::open_at(w, axis.root, address)
                                            : RangeSearch::none();
}

// Up to four words of the row of an address.
SLUICE_FN Four row_of(const Image& w, const CrossproductParameters::Axis& axis, uint32_t found) {
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

SLUICE_FN uint32_t class_of(
        const Image& w,
        const CrossproductParameters::Step& at,
        const uint32_t (&h)[CrossproductKernelLayout::HEADER_WORDS],
        const uint32_t (&classes)[CrossproductParameters::STEPS]) {
    uint32_t index;
    if (at.inputs == RfcLayout::CHUNK) {
        uint32_t word = pick(h, at.a);
        index = (word >> at.b & at.c) | (word >> at.d & at.e) << at.f;
    } else {
        index = pick(classes, at.a) * at.b + pick(classes, at.c);
        if (at.inputs == RfcLayout::THREE_INPUTS) {
            index = pick(classes, at.a) * at.b + pick(classes, at.c) * at.d
                    + pick(classes, at.e);
        }
    }
    return table_entry(w, at.table, at.wide, index);
}

// The look-up in stages whose loads do not wait for each other: a level of both addresses and a
// step of the class; rows and the rest of the class; cells; patterns; lists.
SLUICE_FN uint32_t crossproduct(
        const Image& w,
        const CrossproductParameters& parameters,
        const uint32_t (&h)[CrossproductKernelLayout::HEADER_WORDS]) {
    uint32_t source_word = pick(h, parameters.source.position);
    uint32_t destination_word = pick(h, parameters.destination.position);
    RangeSearch source_range = range_search(w, parameters.source, source_word);
    RangeSearch destination_range = range_search(w, parameters.destination, destination_word);
    uint32_t source = 0;
    uint32_t destination = 0;
    uint32_t classes[CrossproductParameters::STEPS] = {};
    uint32_t c = 0;
    SLUICE_UNROLL
    for (int l = 0; l < CrossproductParameters::LEVELS; l++) {
        if (parameters.source.levels != CrossproductParameters::RANGES
                && l < (int) parameters.source.levels) {
            source = level_entry(w, parameters.source.level[l], source, source_word);
        }
        if (parameters.destination.levels != CrossproductParameters::RANGES
                && l < (int) parameters.destination.levels) {
            destination = level_entry(
                    w, parameters.destination.level[l], destination, destination_word);
        }
        if (l < (int) parameters.steps) {
            c = classes[l] = class_of(w, parameters.step[l], h, classes);
        }
    }
    while (source_range.open() || destination_range.open()) {
        source_range.step(w);
        destination_range.step(w);
    }
    if (parameters.source.levels == CrossproductParameters::RANGES) {
        source = source_range.around(w, parameters.source.parents);
    } else if (parameters.source.levels == 0) {
        source = trie(
                w, parameters.source.root, parameters.source.parents, parameters.source.position, h);
    }
    if (parameters.destination.levels == CrossproductParameters::RANGES) {
        destination = destination_range.around(w, parameters.destination.parents);
    } else if (parameters.destination.levels == 0) {
        destination = trie(
                w, parameters.destination.root, parameters.destination.parents, parameters.destination.position, h);
    }
    Four sources = row_of(w, parameters.source, source);
    Four destinations = row_of(w, parameters.destination, destination);
    SLUICE_UNROLL
    for (int s = CrossproductParameters::LEVELS; s < CrossproductParameters::STEPS; s++) {
        if (s < (int) parameters.steps) {
            c = classes[s] = class_of(w, parameters.step[s], h, classes);
        }
    }
    Others others{c, pick(h, parameters.ports_position)};
    CellLists lists{
            parameters.list_form,
            parameters.patterns,
            parameters.entries,
            parameters.lists,
            parameters.list_bits,
            parameters.rules};
    if (parameters.list_form == CrossproductLayout::BY_CLASS) {
        const CellGroup& group = parameters.group[0];
        return rule_of_row(
                w,
                group.cells,
                group.width,
                group.places,
                pick(sources.words, group.source.word) >> group.source.shift & group.source.mask,
                pick(destinations.words, group.destination.word) >> group.destination.shift
                        & group.destination.mask,
                c);
    }
    uint32_t best = w[parameters.catch_alls + c];
    constexpr int SIDE_BY_SIDE = 4;
    for (uint32_t from = 0; from < parameters.groups && parameters.group[from].best < best;
         from += SIDE_BY_SIDE) {
        uint32_t s[SIDE_BY_SIDE], d[SIDE_BY_SIDE], at[SIDE_BY_SIDE], cells[SIDE_BY_SIDE];
        Two first[SIDE_BY_SIDE];
        SLUICE_UNROLL
        for (int g = 0; g < SIDE_BY_SIDE; g++) {
            at[g] = MISS;
            first[g] = Two{0, 0};
            s[g] = 0;
            d[g] = 0;
            if (from + g < parameters.groups) {
                const CellGroup& group = parameters.group[from + g];
                s[g] = pick(sources.words, group.source.word) >> group.source.shift
                        & group.source.mask;
                d[g] = pick(destinations.words, group.destination.word) >> group.destination.shift
                        & group.destination.mask;
                at[g] = cell_at(w, group, s[g], d[g]);
                first[g] = cell_words(w, group, at[g]);
            }
        }
        SLUICE_UNROLL
        for (int g = 0; g < SIDE_BY_SIDE; g++) {
            cells[g] = at[g] == MISS ? 0
                                     : cell_in(
                                             w,
                                             parameters.group[from + g],
                                             parameters.cell_bits,
                                             s[g],
                                             d[g],
                                             at[g],
                                             first[g]);
        }
        if (parameters.list_form != CrossproductLayout::BY_PATTERN) {
            for (int g = 0; g < SIDE_BY_SIDE; g++) {
                best = best_of_cell(w, lists, cells[g], others, best);
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
    return verdict_of(best);
}

}  // namespace sluice
