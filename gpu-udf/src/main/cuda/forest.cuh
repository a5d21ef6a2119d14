// Decision forest: trees of bit windows, skipped where they cannot beat the best match so far.
#pragma once

#include "words.cuh"

namespace sluice {

SLUICE_FN uint32_t forest(const Image& w, const Header& h) {
    using namespace DescriptorLayout;
    uint32_t layout = w[ImageLayout::LAYOUT_AT];
    int size = popcount(layout);
    int ports = w[ForestLayout::RANGES_AT] == 0 ? -1 : position_in(layout, HeaderWord::PORTS);
    uint32_t table = w[ForestLayout::TABLE_AT];
    uint32_t stride = w[ForestLayout::STRIDE_AT];
    uint32_t roots = w[ForestLayout::ROOTS_AT];
    uint32_t trees = w[ForestLayout::TREES_AT];
    uint32_t bound_shift = w[ForestLayout::BOUND_SHIFT_AT];
    uint32_t none = NO_RULE << bound_shift;
    uint32_t best = none;
    for (uint32_t t = 0; t < trees; t++) {
        uint32_t at = w[roots + WORDS * t + OFFSET];
        uint32_t node = w[roots + WORDS * t + NODE];
        while ((node >> BOUND_SHIFT) << bound_shift < best && (node & WIDTH_MASK) != 0) {
            uint32_t child =
                    h[node >> POSITION_SHIFT & FIVE_BITS] >> (node >> SHIFT_SHIFT & FIVE_BITS)
                    & ((1u << (node & WIDTH_MASK)) - 1);
            uint32_t entry = at + WORDS * child;
            at = w[entry + OFFSET];
            node = w[entry + NODE];
        }
        if ((node >> BOUND_SHIFT) << bound_shift >= best) {
            continue;
        }
        for (;; at++) {
            uint32_t entry = w[at];
            uint32_t rule = entry & ForestLayout::LEAF_POSITION;
            if (rule >= best) {
                break;
            }
            if (rule_holds(w, table + rule * stride, size, ports, h)) {
                best = rule;
                break;
            }
            if ((entry & ForestLayout::LEAF_LAST) != 0) {
                break;
            }
        }
    }
    return best == none ? MISS : best;
}

}  // namespace sluice
