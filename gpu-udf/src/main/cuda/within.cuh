// Images that lie whole within another image, and may be of any algorithm.
#pragma once

#include "words.cuh"

namespace sluice {

// Looks a header up in an image of any algorithm; lookup.cuh defines it.
template <int MOST>
SLUICE_SHARED_FN uint32_t look_up_in(const Image& w, const Header& h);

// Looks a header of an image up in one within it, whose rules may look at fewer words. The map has
// the positions in the outer image.
template <int MOST>
SLUICE_FN uint32_t look_up_within(const Image& w, const Header& h, uint32_t at, uint32_t map) {
    Image inner{w.words + at};
    uint32_t words[HeaderLayout::MOST_WORDS];
    uint32_t layout = w[ImageLayout::LAYOUT_AT];
    int n = 0;
    for (uint32_t left = inner[ImageLayout::LAYOUT_AT]; left != 0; left &= left - 1) {
        words[n++] = h[position_in(layout, lowest(left))];
    }
    uint32_t high = w[ImageLayout::LAYOUT_HIGH_AT];
    for (uint32_t left = inner[ImageLayout::LAYOUT_HIGH_AT]; left != 0; left &= left - 1) {
        words[n++] = h[popcount(layout) + position_in(high, lowest(left))];
    }
    uint32_t found = look_up_in<MOST>(inner, Header{words, 1});
    return found == MISS ? MISS : w[map + found];
}

}  // namespace sluice
