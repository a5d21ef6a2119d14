// A header's verdict by whatever algorithm an image is of.
#pragma once

// In angle brackets: a build may put a list of more algorithms before this folder's.
#include <algorithms.cuh>

namespace sluice {

using LookUp = uint32_t (*)(const Image&, const Header&);

// WITHIN: the image lies within an exact-first image, and is no such image itself.
template <bool WITHIN>
SLUICE_FN uint32_t look_up_in(const Image& w, const Header& h) {
    switch (w[ImageLayout::ALGORITHM_AT]) {
#define SLUICE_CASE(NAME, LOOK_UP, CASES)                                                    \
    CASES if constexpr (!WITHIN || (LookUp) sluice::LOOK_UP != (LookUp) sluice::exact_first) { \
        return LOOK_UP(w, h);                                                                \
    } else {                                                                                 \
        return MISS;                                                                         \
    }
        SLUICE_LOOK_UPS(SLUICE_CASE)
#undef SLUICE_CASE
        default:
            return MISS;
    }
}

SLUICE_FN uint32_t look_up(const Image& w, const Header& h) { return look_up_in<false>(w, h); }

}  // namespace sluice
