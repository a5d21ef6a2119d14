// Linear search: the rules of the table one after the other, best first.
#pragma once

#include "words.cuh"

namespace sluice {

// First rule from a position on, up to an end, that a header meets.
SLUICE_FN uint32_t linear(const Image& w, const Header& h, uint32_t from, uint32_t end) {
    uint32_t layout = w[ImageLayout::LAYOUT_AT];
    int size = header_words(w);
    int ports = w[LinearLayout::RANGES_AT] == 0 ? -1 : position_in(layout, HeaderWord::PORTS);
    uint32_t table = w[LinearLayout::TABLE_AT];
    uint32_t stride = w[LinearLayout::STRIDE_AT];
    for (uint32_t r = from; r < end; r++) {
        if (rule_holds(w, table + r * stride, size, ports, h)) {
            return r;
        }
    }
    return MISS;
}

SLUICE_FN uint32_t linear(const Image& w, const Header& h) {
    return linear(w, h, 0, w[ImageLayout::RULES_AT]);
}

}  // namespace sluice
