// The look-up of an algorithm that only the tests have: linear search that skips blocks of rules.
#pragma once

#include <words.cuh>

namespace sluice {

SLUICE_FN uint32_t toy(const Image& w, const Header& h) {
    constexpr uint32_t OWN = ImageLayout::OWN_AT, BLOCK = 16;
    uint32_t layout = w[ImageLayout::LAYOUT_AT];
    int size = header_words(w);
    int ports = w[OWN + 2] == 0 ? -1 : position_in(layout, HeaderWord::PORTS);
    uint32_t rules = w[ImageLayout::RULES_AT];
    for (uint32_t from = 0, b = w[OWN + 3]; from < rules; from += BLOCK, b += 2) {
        if (size > 0 && ((h[0] ^ w[b]) & w[b + 1]) != 0) {
            continue;
        }
        for (uint32_t r = from; r < from + BLOCK && r < rules; r++) {
            if (rule_holds(w, w[OWN] + r * w[OWN + 1], size, ports, h)) {
                return r;
            }
        }
    }
    return MISS;
}

}  // namespace sluice
