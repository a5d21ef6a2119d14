// What all look-ups share: reading words of an image and of a header. The same code is compiled
// for the GPU by nvcc and for the CPU by any C++17 compiler.
#pragma once

#include <cstdint>

#include "layouts.cuh"

// SHARED: called, not copied into each kernel that uses it.
#ifdef __CUDACC__
#define SLUICE_FN __host__ __device__ __forceinline__
#define SLUICE_SHARED_FN __host__ __device__ __noinline__
#else
#define SLUICE_FN inline
#define SLUICE_SHARED_FN inline
#endif

#ifdef __CUDA_ARCH__
#define SLUICE_UNROLL _Pragma("unroll")
#else
#define SLUICE_UNROLL
#endif

namespace sluice {

using VerdictBatch::MISS;

SLUICE_FN int popcount(uint32_t x) {
#ifdef __CUDA_ARCH__
    return __popc(x);
#else
    return __builtin_popcount(x);
#endif
}

// Zeros above the highest set bit; 32 for 0.
SLUICE_FN uint32_t leading_zeros(uint32_t x) {
#ifdef __CUDA_ARCH__
    return __clz(x);
#else
    return x == 0 ? 32 : __builtin_clz(x);
#endif
}

// Number of the lowest set bit of a word that has one.
SLUICE_FN int lowest(uint32_t x) {
#ifdef __CUDA_ARCH__
    return __ffs(x) - 1;
#else
    return __builtin_ctz(x);
#endif
}

SLUICE_FN uint32_t times_high(uint32_t a, uint32_t b) {
    return (uint32_t) (((uint64_t) a * b) >> 32);
}

#if defined(SLUICE_COUNT) && defined(__CUDACC__)
// Sectors of 32 bytes that the look-ups of a launch ask the memory system for: those that lanes of
// a warp share in one load count once.
extern "C" {
__device__ unsigned long long sluice_sectors;
}
#endif

// In the counting form of the kernels, and nowhere else, a load is counted.
SLUICE_FN void counted(const void* at) {
#if defined(SLUICE_COUNT) && defined(__CUDA_ARCH__)
    unsigned lanes = __match_any_sync(__activemask(), (unsigned long long) at >> 5);
    unsigned lane;
    asm("mov.u32 %0, %%laneid;" : "=r"(lane));
    if (lane == (unsigned) __ffs(lanes) - 1) {
        atomicAdd(&sluice_sectors, 1ull);
    }
#endif
    (void) at;
}

// Four words of an image, by their places there modulo four.
struct Four {
    uint32_t words[4];

    SLUICE_FN uint32_t operator[](uint32_t place) const { return words[place % 4]; }
};

struct Two {
    uint32_t first, second;
};

// A compiled rule set: words, referred to by offset.
struct Image {
    const uint32_t* words;

    SLUICE_FN uint32_t operator[](uint32_t at) const {
#ifdef __CUDA_ARCH__
        counted(words + at);
        return __ldg(words + at);
#else
        return words[at];
#endif
    }

    // Four words at a multiple of four, two at a multiple of two: one load each.
    SLUICE_FN Four four(uint32_t at) const {
#ifdef __CUDA_ARCH__
        counted(words + at);
        uint4 v = __ldg((const uint4*) (words + at));
        return Four{{v.x, v.y, v.z, v.w}};
#else
        return Four{{words[at], words[at + 1], words[at + 2], words[at + 3]}};
#endif
    }

    SLUICE_FN Two two(uint32_t at) const {
#ifdef __CUDA_ARCH__
        counted(words + at);
        uint2 v = __ldg((const uint2*) (words + at));
        return Two{v.x, v.y};
#else
        return Two{words[at], words[at + 1]};
#endif
    }

    SLUICE_FN uint32_t half(uint32_t table, uint32_t index) const {
#ifdef __CUDA_ARCH__
        counted((const uint16_t*) (words + table) + index);
        return __ldg((const uint16_t*) (words + table) + index);
#else
        return words[table + (index >> 1)] >> (16 * (index & 1)) & 0xffffu;
#endif
    }
};

// The words of one header, in the order of the image's layout.
struct Header {
    const uint32_t* words;
    uint32_t stride;

    SLUICE_FN uint32_t operator[](uint32_t position) const { return words[position * stride]; }
};

// As Header, for a block of threads whose headers lie in shared memory.
struct StagedHeader {
    static constexpr uint32_t STRIDE = SharedMemoryLayout::THREADS;
    const uint32_t* words;

    SLUICE_FN uint32_t operator[](uint32_t position) const { return words[position * STRIDE]; }
};

using LookUp = uint32_t (*)(const Image&, const Header&);

// How many images lie within one another below one that a look-up reads: Algorithm.nesting.
template <LookUp LOOK_UP>
constexpr int NESTING = 0;

// Number of header words that an image looks at.
SLUICE_FN int header_words(const Image& w) {
    return popcount(w[ImageLayout::LAYOUT_AT]) + popcount(w[ImageLayout::LAYOUT_HIGH_AT]);
}

// Position of one of header words 0 to 31 in a layout, -1 where it lacks it.
SLUICE_FN int position_in(uint32_t layout, int word) {
    return (layout >> word & 1) == 0 ? -1 : popcount(layout & ((1u << word) - 1));
}

SLUICE_FN uint32_t word_or_zero(const Header& h, uint32_t layout, int word) {
    int p = position_in(layout, word);
    return p < 0 ? 0 : h[p];
}

SLUICE_FN bool in_range(uint32_t port, uint32_t range) {
    return port >= range >> RuleTableLayout::RANGE_LOW_SHIFT
            && port <= (range & RuleTableLayout::RANGE_HIGH);
}

SLUICE_FN bool ports_hold(uint32_t ports, uint32_t src, uint32_t dst) {
    return in_range(ports >> Field::SRC_PORT_SHIFT, src) && in_range(ports & Field::DST_PORT_MASK, dst);
}

// Whether a header meets the rule at an offset of a rule table: pairs (value, mask), then ranges.
SLUICE_FN bool rule_holds(const Image& w, uint32_t rule, int size, int ports, const Header& h) {
    for (int p = 0; p < size; p++, rule += RuleTableLayout::PAIR) {
        if (((h[p] ^ w[rule + RuleTableLayout::VALUE]) & w[rule + RuleTableLayout::MASK]) != 0) {
            return false;
        }
    }
    return ports < 0
            || ports_hold(
                    h[ports],
                    w[rule + RuleTableLayout::SRC_PORTS],
                    w[rule + RuleTableLayout::DST_PORTS]);
}

// An element of an array that stays in registers.
template <int N>
SLUICE_FN uint32_t pick(const uint32_t (&array)[N], uint32_t index) {
    uint32_t value = array[0];
    SLUICE_UNROLL
    for (int k = 1; k < N; k++) {
        value = index == (uint32_t) k ? array[k] : value;
    }
    return value;
}

}  // namespace sluice
