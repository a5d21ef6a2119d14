// Decision forest: trees of bit windows, skipped where they cannot beat the best match so far.
#pragma once

#include "words.cuh"

namespace sluice {

// Bound of a descriptor's second word: no position below is better.
SLUICE_FN uint32_t bound_of(uint32_t node, uint32_t bound_shift) {
    return (node >> DescriptorLayout::BOUND_SHIFT) << bound_shift;
}

SLUICE_FN uint32_t width_of(uint32_t node) { return node & DescriptorLayout::WIDTH_MASK; }

// Number of a node's child that a header goes to.
SLUICE_FN uint32_t child_of(uint32_t node, const Header& h) {
    uint32_t word = h[node >> DescriptorLayout::POSITION_SHIFT & DescriptorLayout::FIVE_BITS];
    uint32_t shift = node >> DescriptorLayout::SHIFT_SHIFT & DescriptorLayout::FIVE_BITS;
    return word >> shift & ((1u << width_of(node)) - 1);
}

SLUICE_FN uint32_t forest(const Image& w, const Header& h) {
    uint32_t layout = w[ImageLayout::LAYOUT_AT];
    int size = popcount(layout);
    int ports = w[ForestLayout::RANGES_AT] == 0 ? -1 : position_in(layout, HeaderWord::PORTS);
    uint32_t table = w[ForestLayout::TABLE_AT];
    uint32_t stride = w[ForestLayout::STRIDE_AT];
    uint32_t roots = w[ForestLayout::ROOTS_AT];
    uint32_t trees = w[ForestLayout::TREES_AT];
    uint32_t bound_shift = w[ForestLayout::BOUND_SHIFT_AT];
    uint32_t none = DescriptorLayout::NO_RULE << bound_shift;
    uint32_t best = none;
    for (uint32_t t = 0; t < trees; t++) {
        uint32_t root = roots + DescriptorLayout::WORDS * t;
        uint32_t at = w[root + DescriptorLayout::OFFSET];
        uint32_t node = w[root + DescriptorLayout::NODE];
        while (bound_of(node, bound_shift) < best && width_of(node) != 0) {
            uint32_t entry = at + DescriptorLayout::WORDS * child_of(node, h);
            at = w[entry + DescriptorLayout::OFFSET];
            node = w[entry + DescriptorLayout::NODE];
        }
        if (bound_of(node, bound_shift) >= best) {
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
