// Decision forest: trees of bit windows, skipped where they cannot beat the best match so far.
#pragma once

#include "words.cuh"

namespace sluice {

constexpr uint32_t FOREST_TABLE_AT = OWN_AT;
constexpr uint32_t FOREST_STRIDE_AT = OWN_AT + 1;
constexpr uint32_t FOREST_RANGES_AT = OWN_AT + 2;
constexpr uint32_t FOREST_ROOTS_AT = OWN_AT + 3;
constexpr uint32_t FOREST_TREES_AT = OWN_AT + 4;
constexpr uint32_t FOREST_BOUND_SHIFT_AT = OWN_AT + 5;

// Descriptor: bound (18 bits) . shift (5) . header word (5) . width (4, 0 for a leaf).
constexpr int BOUND_SHIFT = 14;
constexpr uint32_t NO_RULE = (1u << (32 - BOUND_SHIFT)) - 1;

SLUICE_FN uint32_t forest(const Image& w, const Header& h) {
    uint32_t layout = w[LAYOUT_AT];
    int size = popcount(layout);
    int ports = w[FOREST_RANGES_AT] == 0 ? -1 : position_in(layout, PORTS);
    uint32_t table = w[FOREST_TABLE_AT];
    uint32_t stride = w[FOREST_STRIDE_AT];
    uint32_t roots = w[FOREST_ROOTS_AT];
    uint32_t trees = w[FOREST_TREES_AT];
    uint32_t bound_shift = w[FOREST_BOUND_SHIFT_AT];
    uint32_t none = NO_RULE << bound_shift;
    uint32_t best = none;
    for (uint32_t t = 0; t < trees; t++) {
        uint32_t at = w[roots + 2 * t];
        uint32_t node = w[roots + 2 * t + 1];
        while ((node >> BOUND_SHIFT) << bound_shift < best && (node & 15) != 0) {
            uint32_t child = h[node >> 4 & 31] >> (node >> 9 & 31) & ((1u << (node & 15)) - 1);
            uint32_t entry = at + 2 * child;
            at = w[entry];
            node = w[entry + 1];
        }
        if ((node >> BOUND_SHIFT) << bound_shift >= best) {
            continue;
        }
        for (;; at++) {
            uint32_t entry = w[at];
            uint32_t rule = entry & 0x7fffffffu;
            if (rule >= best) {
                break;
            }
            if (rule_holds(w, table + rule * stride, size, ports, h)) {
                best = rule;
                break;
            }
            if (entry >> 31 != 0) {
                break;
            }
        }
    }
    return best == none ? MISS : best;
}

}  // namespace sluice
