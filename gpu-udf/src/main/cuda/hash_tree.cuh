// H-HashTree: extended Bloom filters say which groups of the first two layers may hold a match.
#pragma once

#include "tuple_space.cuh"

namespace sluice {

// The header words that layers and filters look at.
struct TreeHeader {
    uint32_t src, dst, ip, ether, mac_high, mac_middle, mac_low, in_port;

    SLUICE_FN TreeHeader(const Header& h, uint32_t layout)
        : src(word_or_zero(h, layout, HeaderWord::IPV4_SRC)),
          dst(word_or_zero(h, layout, HeaderWord::IPV4_DST)),
          ip(word_or_zero(h, layout, HeaderWord::IP)),
          ether(word_or_zero(h, layout, HeaderWord::ETHER)),
          mac_high(word_or_zero(h, layout, HeaderWord::MAC_HIGH)),
          mac_middle(word_or_zero(h, layout, HeaderWord::MAC_MIDDLE)),
          mac_low(word_or_zero(h, layout, HeaderWord::MAC_LOW)),
          in_port(word_or_zero(h, layout, HeaderWord::IN_PORT)) {}

    SLUICE_FN uint32_t digest(bool type, bool vlan, bool source, bool destination) const {
        uint32_t d = mix(0, (type ? ether & Field::ETH_TYPE_MASK : 0) | (vlan ? ether & Field::VLAN_ID_MASK : 0));
        uint32_t middle = (source ? mac_middle & ~FieldBits::MIDDLE_DST_MASK : 0)
                | (destination ? mac_middle & FieldBits::MIDDLE_DST_MASK : 0);
        d = mix(d, source ? mac_high : 0);
        d = mix(d, middle);
        return finish(mix(d, destination ? mac_low : 0));
    }

    SLUICE_FN uint32_t hash(uint32_t layer, uint32_t group) const {
        using namespace HashTreeLayout;
        uint32_t h = 0;
        bool two = (group & LAST_BUT_ONE) != 0;
        bool one = (group & LAST_FIELD) != 0;
        uint32_t priority = ether >> Field::VLAN_PRIORITY_SHIFT & Field::VLAN_PRIORITY_MOST;
        uint32_t dscp = ip >> Field::TOS_SHIFT & DSCP;
        switch (layer) {
            case MACS:
                h ^= two ? mac_high >> 16 ^ (mac_high & 0xffff)
                                ^ mac_middle >> FieldBits::MIDDLE_SRC_SHIFT
                         : 0;
                h ^= one ? (mac_middle & FieldBits::MIDDLE_DST_MASK) ^ mac_low >> 16
                                ^ (mac_low & 0xffff)
                         : 0;
                return h;
            case ETHERNET:
                h ^= (group & GROUP_PORT) != 0
                        ? in_port ^ in_port >> ETHERNET_BITS ^ in_port >> 2 * ETHERNET_BITS
                        : 0;
                h ^= two ? ether >> Field::ETH_TYPE_SHIFT
                                ^ ether >> (Field::ETH_TYPE_SHIFT + ETHERNET_BITS)
                         : 0;
                h ^= one ? ether & Field::VLAN_ID_MASK : 0;
                return h & ((1u << ETHERNET_BITS) - 1);
            case ADDRESSES: {
                uint32_t d = one ? dst >> 16 : 0;
                return (two ? src >> 16 : 0) ^ ((d << 7 & 0xffff) | d >> 9);
            }
            case QUALITY:
                return (two ? priority << 8 : 0) ^ (one ? dscp : 0);
            default:
                h ^= (group & GROUP_PORT) != 0 ? in_port ^ in_port >> EXTRA_BITS
                                ^ in_port >> 2 * EXTRA_BITS ^ in_port >> 3 * EXTRA_BITS
                                               : 0;
                h ^= two ? priority << 6 : 0;
                h ^= one ? dscp >> 2 : 0;
                return h & ((1u << EXTRA_BITS) - 1);
        }
    }
};

SLUICE_FN int groups_of(uint32_t layer) {
    return layer == HashTreeLayout::ETHERNET || layer == HashTreeLayout::EXTRA
            ? HashTreeLayout::THREE_FIELDS
            : HashTreeLayout::TWO_FIELDS;
}

SLUICE_FN void search_tree(
        TupleSearch& search, uint32_t root, uint32_t groups, const TreeHeader& header) {
    constexpr int ETHERNET_AT = HashTreeLayout::ETHERNET_AT;
    const Image& w = search.w;
    uint32_t nodes[HashTreeLayout::MOST_DEPTH];
    int next[HashTreeLayout::MOST_DEPTH];
    int depth = 0;
    nodes[0] = root;
    next[0] = groups_of(w[root + HashTreeLayout::LAYER]) - 1;
    while (depth >= 0) {
        uint32_t node = nodes[depth];
        int g = next[depth]--;
        if (g < 0) {
            depth--;
            continue;
        }
        uint32_t layer = w[node + HashTreeLayout::LAYER];
        uint32_t record = node + HashTreeLayout::FIRST_GROUP + HashTreeLayout::GROUP * g;
        uint32_t table = w[record + HashTreeLayout::TABLE];
        // Filters say which groups of the first two layers may hold a match.
        if (table == 0
                || (layer <= HashTreeLayout::ETHERNET
                    && (groups >> ((layer == HashTreeLayout::MACS ? 0 : ETHERNET_AT) + g) & 1)
                            == 0)) {
            continue;
        }
        uint32_t bits = w[record + HashTreeLayout::TABLE_BITS];
        uint32_t entry = w[table + (header.hash(layer, g) * HashMultipliers::GOLDEN >> (32 - bits))];
        if (entry >> 31 != 0) {
            depth++;
            nodes[depth] = ~entry;
            next[depth] = groups_of(w[~entry + HashTreeLayout::LAYER]) - 1;
        } else {
            search.chain(entry);
        }
    }
}

SLUICE_FN uint32_t hash_tree(const Image& w, const Header& h) {
    TupleSearch search(w, h);
    uint32_t head = w[TupleSpaceLayout::EXTRA_AT];
    TreeHeader header(h, w[ImageLayout::LAYOUT_AT]);
    uint32_t main = w[head + HashTreeLayout::MAIN];
    if (w[main + HashTreeLayout::RULES] > 0) {
        uint32_t bits = w[head + HashTreeLayout::FILTER_BITS];
        uint32_t groups = 0;
        for (uint32_t filter = 0; filter < HashTreeLayout::FILTER_COUNT; filter++) {
            uint32_t first = w[head + HashTreeLayout::FILTERS + HashTreeLayout::ARRAYS * filter];
            uint32_t second =
                    w[head + HashTreeLayout::FILTERS + HashTreeLayout::ARRAYS * filter + 1];
            for (uint32_t macs = filter == 0 ? 1 : 0; macs < HashTreeLayout::TWO_FIELDS; macs++) {
                uint32_t d = header.digest(
                        (filter & HashTreeLayout::FILTER_TYPE) != 0,
                        (filter & HashTreeLayout::FILTER_VLAN) != 0,
                        (macs & HashTreeLayout::GROUP_SOURCE) != 0,
                        (macs & HashTreeLayout::GROUP_DESTINATION) != 0);
                groups |= w.half(first, filter_bit(d, 0, bits))
                        & w.half(second, filter_bit(d, 1, bits));
            }
        }
        groups &= HashTreeLayout::ALL_GROUPS;
        if (groups != 0) {
            search_tree(search, main, groups, header);
        }
    }
    uint32_t extra = w[head + HashTreeLayout::EXTRA_ROOT];
    if (w[extra + HashTreeLayout::RULES] > 0) {
        search_tree(search, extra, HashTreeLayout::ALL_GROUPS, header);
    }
    return search.best;
}

}  // namespace sluice
