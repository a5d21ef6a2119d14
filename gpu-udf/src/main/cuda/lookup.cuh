// Looks a header up in an image of any algorithm.
#pragma once

// A build may give a list of more algorithms, in a folder of its own: -I THAT_FOLDER -I THIS_FOLDER.
#if __has_include(<algorithms.cuh>)
#include <algorithms.cuh>
#else
#include "algorithms.cuh"
#endif

namespace sluice {

// WITHIN: the image lies within another, and contains none itself.
template <bool WITHIN>
SLUICE_FN uint32_t look_up_in(const Image& w, const Header& h) {
    switch (w[ImageLayout::ALGORITHM_AT]) {
#define SLUICE_CASE(NAME, LOOK_UP, CASES)                    \
    CASES if constexpr (WITHIN && CONTAINS_IMAGE<LOOK_UP>) { \
        return MISS;                                         \
    } else {                                                 \
        return LOOK_UP(w, h);                                \
    }
        SLUICE_LOOK_UPS(SLUICE_CASE)
#undef SLUICE_CASE
        default:
            return MISS;
    }
}

SLUICE_FN uint32_t look_up(const Image& w, const Header& h) { return look_up_in<false>(w, h); }

}  // namespace sluice
