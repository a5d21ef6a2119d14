// Looks a header up in an image of any algorithm.
#pragma once

// A build may give a list of more algorithms, in a folder of its own: -I THAT_FOLDER -I THIS_FOLDER.
#if __has_include(<algorithms.cuh>)
#include <algorithms.cuh>
#else
#include "algorithms.cuh"
#endif

namespace sluice {

// MOST: how many images may lie within one another below this one. The look-ups of each number are
// one function, which is compiled once for all kernels.
template <int MOST>
SLUICE_SHARED_FN uint32_t look_up_in(const Image& w, const Header& h) {
    switch (w[ImageLayout::ALGORITHM_AT]) {
#define SLUICE_CASE(NAME, LOOK_UP, CASES)               \
    CASES if constexpr (NESTING<LOOK_UP> > MOST) {      \
        return MISS;                                    \
    } else if constexpr (NESTING<LOOK_UP> < MOST) {     \
        return look_up_in<MOST - 1>(w, h);              \
    } else {                                            \
        return LOOK_UP(w, h);                           \
    }
        SLUICE_LOOK_UPS(SLUICE_CASE)
#undef SLUICE_CASE
        default:
            return MISS;
    }
}

SLUICE_FN uint32_t look_up(const Image& w, const Header& h) { return look_up_in<2>(w, h); }

}  // namespace sluice
