// Rules that come and go in an H-HashTree on the device, as its authors have it (Lin et al. §4.4,
// §4.5): a thread a rule finds the rule's bucket, marks it and counts the rule in or out of the
// filters; the marked buckets move together; a thread a bucket blanks out what goes and puts what
// comes at its place by rank. Buckets are lists of rows here, so none is ever full. One launch has
// removals only or inserts only, which its threads may then do in any order.
#pragma once

#include "hash_tree.cuh"

namespace sluice {

#ifdef __CUDA_ARCH__
SLUICE_FN uint32_t add_at(uint32_t* at, uint32_t value) { return atomicAdd(at, value); }
SLUICE_FN uint32_t put_at(uint32_t* at, uint32_t value) { return atomicExch(at, value); }
SLUICE_FN uint32_t swap_at(uint32_t* at, uint32_t old, uint32_t value) {
    return atomicCAS(at, old, value);
}
SLUICE_FN void set_bits_at(uint32_t* at, uint32_t bits) { atomicOr(at, bits); }
SLUICE_FN void clear_bits_at(uint32_t* at, uint32_t bits) { atomicAnd(at, ~bits); }
#else
SLUICE_FN uint32_t add_at(uint32_t* at, uint32_t value) {
    uint32_t old = *at;
    *at += value;
    return old;
}
SLUICE_FN uint32_t put_at(uint32_t* at, uint32_t value) {
    uint32_t old = *at;
    *at = value;
    return old;
}
SLUICE_FN uint32_t swap_at(uint32_t* at, uint32_t old, uint32_t value) {
    uint32_t there = *at;
    *at = there == old ? value : there;
    return there;
}
SLUICE_FN void set_bits_at(uint32_t* at, uint32_t bits) { *at |= bits; }
SLUICE_FN void clear_bits_at(uint32_t* at, uint32_t bits) { *at &= ~bits; }
#endif

// The memory beside the image.
struct TreeSide {
    uint32_t* side;

    SLUICE_FN uint32_t* next() const { return side + HashTreeUpdateLayout::HEAD; }
    SLUICE_FN uint32_t* mark() const { return next() + side[HashTreeUpdateLayout::MOST]; }
    SLUICE_FN uint32_t* marked() const { return mark() + side[HashTreeUpdateLayout::MOST]; }
    SLUICE_FN uint32_t* counters() const { return marked() + side[HashTreeUpdateLayout::MOST]; }
    SLUICE_FN uint32_t* first() const { return counters() + side[HashTreeUpdateLayout::COUNTERS]; }
};

// What a mask names, from the header whose words are the mask's.
struct TreeNames {
    static constexpr uint32_t ALL = 0xffffffffu;

    bool source, destination, type, vlan, port, priority, tos, long_src, long_dst;

    SLUICE_FN explicit TreeNames(const TreeHeader& m)
        : source(
                  m.mac_high == ALL
                  && m.mac_middle >> FieldBits::MIDDLE_SRC_SHIFT
                          == ALL >> FieldBits::MIDDLE_SRC_SHIFT),
          destination(
                  m.mac_low == ALL
                  && (m.mac_middle & FieldBits::MIDDLE_DST_MASK) == FieldBits::MIDDLE_DST_MASK),
          type(m.ether >> Field::ETH_TYPE_SHIFT == Field::ETH_TYPE_MOST),
          vlan((m.ether & Field::VLAN_ID_MASK) == Field::VLAN_ID_MASK),
          port(m.in_port == ALL),
          priority(
                  (m.ether >> Field::VLAN_PRIORITY_SHIFT & Field::VLAN_PRIORITY_MOST)
                  == Field::VLAN_PRIORITY_MOST),
          tos((m.ip >> Field::TOS_SHIFT & HashTreeLayout::DSCP) == HashTreeLayout::DSCP),
          long_src(is_long(m.src)),
          long_dst(is_long(m.dst)) {}

    SLUICE_FN static bool is_long(uint32_t mask) {
        return mask >> (32 - HashTreeLayout::LONG_PREFIX)
                == (1u << HashTreeLayout::LONG_PREFIX) - 1;
    }

    SLUICE_FN bool extra() const { return !source && !destination && !type && !vlan; }

    SLUICE_FN uint32_t group(uint32_t layer) const {
        using namespace HashTreeLayout;
        switch (layer) {
            case MACS:
                return (source ? GROUP_SOURCE : 0) | (destination ? GROUP_DESTINATION : 0);
            case ETHERNET:
                return (port ? GROUP_PORT : 0) | (type ? GROUP_TYPE : 0) | (vlan ? GROUP_VLAN : 0);
            case ADDRESSES:
                return (long_src ? GROUP_SOURCE : 0) | (long_dst ? GROUP_DESTINATION : 0);
            case QUALITY:
                return (priority ? GROUP_PRIORITY : 0) | (tos ? GROUP_TOS : 0);
            default:
                return (port ? GROUP_PORT : 0) | (priority ? GROUP_PRIORITY : 0)
                        | (tos ? GROUP_TOS : 0);
        }
    }
};

// Counts up or down in a byte of which 255 stays; returns what it was.
SLUICE_FN uint32_t count_at(uint32_t* counters, uint32_t byte, bool removes) {
    uint32_t* at = counters + byte / 4;
    int shift = 8 * (byte & 3);
    uint32_t seen = *at;
    for (;;) {
        uint32_t count = seen >> shift & 0xff;
        uint32_t to = count == HashTreeUpdateLayout::COUNTER_STAYS ? count
                : removes                                           ? count - 1
                                                                    : count + 1;
        uint32_t there = swap_at(at, seen, (seen & ~(0xffu << shift)) | to << shift);
        if (there == seen) {
            return count;
        }
        seen = there;
    }
}

// A rule in or out of its filter.
SLUICE_FN void count_tree(
        uint32_t* w,
        uint32_t* counters,
        const TreeNames& names,
        const TreeHeader& value,
        bool removes) {
    uint32_t head = w[TupleSpaceLayout::EXTRA_AT];
    uint32_t filter = (names.type ? HashTreeLayout::FILTER_TYPE : 0)
            | (names.vlan ? HashTreeLayout::FILTER_VLAN : 0);
    uint32_t bits = w[head + HashTreeLayout::FILTER_BITS];
    uint32_t set[2] = {
            names.group(HashTreeLayout::MACS),
            HashTreeLayout::ETHERNET_AT + names.group(HashTreeLayout::ETHERNET)};
    uint32_t d = value.digest(names.type, names.vlan, names.source, names.destination);
    for (uint32_t a = 0; a < HashTreeLayout::ARRAYS; a++) {
        uint32_t index = filter_bit(d, (int) a, bits);
        uint32_t array = HashTreeLayout::ARRAYS * filter + a;
        uint32_t* word = w + w[head + HashTreeLayout::FILTERS + array] + (index >> 1);
        for (uint32_t b = 0; b < 2; b++) {
            uint32_t counter = ((array << bits) + index) * HashTreeLayout::MASK_BITS + set[b];
            uint32_t was = count_at(counters, counter, removes);
            uint32_t bit = 1u << (set[b] + 16 * (index & 1));
            if (removes && was == 1) {
                clear_bits_at(word, bit);
            } else if (!removes && was == 0) {
                set_bits_at(word, bit);
            }
        }
    }
}

// Step 1, a thread a rule: finds the bucket. A removal is a slot, an insert a slot and a row.
SLUICE_FN void tree_find(
        uint32_t* w, const uint32_t* rules, uint32_t* beside, uint32_t stride, uint32_t i) {
    TreeSide side{beside};
    bool removes = stride == 1;
    uint32_t slot = rules[(size_t) i * stride];
    uint32_t* row = w + w[TupleSpaceLayout::ROWS_AT] + (size_t) slot * w[TupleSpaceLayout::STRIDE_AT];
    if (removes) {
        row[TupleSpaceLayout::NEXT] |= HashTreeUpdateLayout::BLANK;
    } else {
        for (uint32_t k = 1; k < stride; k++) {
            row[k - 1] = rules[(size_t) i * stride + k];
        }
    }
    uint32_t layout = w[ImageLayout::LAYOUT_AT];
    TreeNames names(TreeHeader(Header{w + row[TupleSpaceLayout::MASK], 1}, layout));
    TreeHeader value(Header{row + TupleSpaceLayout::VALUES, 1}, layout);
    if (!names.extra()) {
        count_tree(w, side.counters(), names, value, removes);
    }
    uint32_t root = names.extra() ? HashTreeLayout::EXTRA_ROOT : HashTreeLayout::MAIN;
    uint32_t node = w[w[TupleSpaceLayout::EXTRA_AT] + root];
    uint32_t change = removes ? 0xffffffffu : 1;
    uint32_t entry = 0;
    for (;;) {
        uint32_t layer = w[node + HashTreeLayout::LAYER];
        uint32_t group = names.group(layer);
        uint32_t record = node + HashTreeLayout::FIRST_GROUP + HashTreeLayout::GROUP * group;
        add_at(w + node + HashTreeLayout::RULES, change);
        add_at(w + record + HashTreeLayout::GROUP_RULES, change);
        entry = w[record + HashTreeLayout::TABLE]
                + (value.hash(layer, group) * HashMultipliers::GOLDEN
                   >> (32 - w[record + HashTreeLayout::TABLE_BITS]));
        if (w[entry] >> 31 == 0) {
            break;
        }
        node = ~w[entry];
    }
    uint32_t before = put_at(side.first() + entry, i + 1);
    side.next()[i] = before;
    side.mark()[i] = before == 0 ? entry : 0;
    if (i == 0) {
        beside[HashTreeUpdateLayout::MARKED] = 0;
    }
}

// Step 2, a thread a rule: moves the marked buckets together, in no order.
SLUICE_FN void tree_reduce(uint32_t* beside, uint32_t i) {
    TreeSide side{beside};
    uint32_t bucket = side.mark()[i];
    if (bucket != 0) {
        side.marked()[add_at(beside + HashTreeUpdateLayout::MARKED, 1)] = bucket;
    }
}

// Step 3, a thread a marked bucket: takes the blank rows out, or puts the new ones in.
SLUICE_FN void tree_condense(
        uint32_t* w, const uint32_t* rules, uint32_t* beside, uint32_t stride, uint32_t i) {
    TreeSide side{beside};
    if (i >= beside[HashTreeUpdateLayout::MARKED]) {
        return;
    }
    uint32_t bucket = side.marked()[i];
    uint32_t rows = w[TupleSpaceLayout::ROWS_AT];
    uint32_t row_words = w[TupleSpaceLayout::STRIDE_AT];
    uint32_t rule = side.first()[bucket];
    side.first()[bucket] = 0;
    if (stride == 1) {
        uint32_t at = bucket;
        uint32_t here = w[at];
        while (here != 0) {
            uint32_t link = rows + (here - 1) * row_words + TupleSpaceLayout::NEXT;
            uint32_t next = w[link];
            if ((next & HashTreeUpdateLayout::BLANK) != 0) {
                w[link] = 0;
            } else {
                w[at] = here;
                at = link;
            }
            here = next & ~HashTreeUpdateLayout::BLANK;
        }
        w[at] = 0;
        return;
    }
    for (; rule != 0; rule = side.next()[rule - 1]) {
        uint32_t slot = rules[(size_t) (rule - 1) * stride];
        uint32_t row = rows + slot * row_words;
        uint32_t rank = w[row + TupleSpaceLayout::RANK];
        uint32_t at = bucket;
        while (w[at] != 0 && w[rows + (w[at] - 1) * row_words + TupleSpaceLayout::RANK] < rank) {
            at = rows + (w[at] - 1) * row_words + TupleSpaceLayout::NEXT;
        }
        w[row + TupleSpaceLayout::NEXT] = w[at];
        w[at] = slot + 1;
    }
}

}  // namespace sluice
