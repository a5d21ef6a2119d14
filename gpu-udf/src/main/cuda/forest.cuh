// Decision forest: trees of bit windows, skipped where they cannot beat the best match so far. Behind
// a leaf the search goes on with the rest of the nearest node passed that has one.
#pragma once

#include "words.cuh"

namespace sluice {

SLUICE_FN uint32_t forest(const Image& w, const Header& h) {
    using namespace DescriptorLayout;
    uint32_t layout = w[ImageLayout::LAYOUT_AT];
    int size = header_words(w);
    int ports = w[ForestLayout::RANGES_AT] == 0 ? -1 : position_in(layout, HeaderWord::PORTS);
    uint32_t table = w[ForestLayout::TABLE_AT];
    uint32_t stride = w[ForestLayout::STRIDE_AT];
    uint32_t bound_shift = w[ForestLayout::BOUND_SHIFT_AT];
    uint32_t none = NO_RULE << bound_shift;
    uint32_t best = none;
    uint32_t at = w[ForestLayout::ROOT_AT + TABLE];
    uint32_t node = w[ForestLayout::ROOT_AT + NODE];
    uint32_t next = RestLayout::NONE;
    for (;;) {
        bool alive = (node >> BOUND_SHIFT) << bound_shift < best;
        while (alive && (node & WIDTH_MASK) != 0) {
            uint32_t children = at & OFFSET_MASK;
            next = at >> REST_SHIFT != 0 ? children : next;
            uint32_t child =
                    h[node >> POSITION_SHIFT & FIVE_BITS] >> (node >> SHIFT_SHIFT & FIVE_BITS)
                    & ((1u << (node & WIDTH_MASK)) - 1);
            uint32_t entry = children + WORDS * child;
            at = w[entry + TABLE];
            node = w[entry + NODE];
            alive = (node >> BOUND_SHIFT) << bound_shift < best;
        }
        while (alive) {
            uint32_t entry = w[at++];
            uint32_t rule = entry & ForestLayout::LEAF_POSITION;
            alive = rule < best && (entry & ForestLayout::LEAF_LAST) == 0;
            if (rule < best && rule_holds(w, table + rule * stride, size, ports, h)) {
                best = rule;
                break;
            }
        }
        if (next == RestLayout::NONE) {
            return best == none ? MISS : best;
        }
        at = w[next - RestLayout::ROOT_BEFORE + TABLE];
        node = w[next - RestLayout::ROOT_BEFORE + NODE];
        next = w[next - RestLayout::NEXT_BEFORE];
    }
}

}  // namespace sluice
