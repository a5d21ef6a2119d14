// Linear search: the rules of the table one after the other, best first.
#pragma once

#include "words.cuh"

namespace sluice {

constexpr uint32_t LINEAR_TABLE_AT = OWN_AT;
constexpr uint32_t LINEAR_STRIDE_AT = OWN_AT + 1;
constexpr uint32_t LINEAR_RANGES_AT = OWN_AT + 2;

// First rule from a position on, up to an end, that a header meets.
SLUICE_FN uint32_t linear(const Image& w, const Header& h, uint32_t from, uint32_t end) {
    uint32_t layout = w[LAYOUT_AT];
    int size = popcount(layout);
    int ports = w[LINEAR_RANGES_AT] == 0 ? -1 : position_in(layout, PORTS);
    uint32_t table = w[LINEAR_TABLE_AT];
    uint32_t stride = w[LINEAR_STRIDE_AT];
    for (uint32_t r = from; r < end; r++) {
        if (rule_holds(w, table + r * stride, size, ports, h)) {
            return r;
        }
    }
    return MISS;
}

SLUICE_FN uint32_t linear(const Image& w, const Header& h) { return linear(w, h, 0, w[RULES_AT]); }

}  // namespace sluice
