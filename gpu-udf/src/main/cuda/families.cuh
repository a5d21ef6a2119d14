// An image for each IP version, each another algorithm's. FamiliesLayout has the words.
#pragma once

#include "within.cuh"

namespace sluice {

// Lanes whose headers are of different versions go one version after the other.
SLUICE_FN uint32_t families(const Image& w, const Header& h) {
    uint32_t ip = word_or_zero(h, w[ImageLayout::LAYOUT_AT], HeaderWord::IP);
    uint32_t version = ip >> Field::IP_VERSION_SHIFT & Field::IP_VERSION_MOST;
    uint32_t record = w[FamiliesLayout::PARTS_AT + version];
    if (record == 0) {
        return MISS;
    }
    return look_up_within<0>(
            w, h, w[record + FamiliesLayout::INNER], w[record + FamiliesLayout::MAP]);
}

template <>
constexpr int NESTING<families> = 1;

}  // namespace sluice
