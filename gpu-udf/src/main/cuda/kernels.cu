// The kernels. Each takes an image, a batch of headers (word w of header i at w * stride + i) and
// room for a verdict a header: the position of its rule, ~0 for none.
#include "lookup.cuh"
#include "paper.cuh"

namespace sluice {

using LookUp = uint32_t (*)(const Image&, const Header&);

// A thread a header. The header's words go to shared memory first: look-ups read them again and
// again, at places that only the image knows.
template <LookUp LOOK_UP>
__device__ __forceinline__ void classify(
        const uint32_t* image,
        const uint32_t* headers,
        uint32_t* verdicts,
        uint32_t stride,
        uint32_t count) {
    extern __shared__ uint32_t staged[];
    uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) {
        return;
    }
    int size = popcount(__ldg(image + LAYOUT_AT));
    for (int p = 0; p < size; p++) {
        staged[p * blockDim.x + threadIdx.x] = headers[(size_t) p * stride + i];
    }
    verdicts[i] = LOOK_UP(Image{image}, Header{staged + threadIdx.x, blockDim.x});
}

}  // namespace sluice

#define SLUICE_KERNEL(NAME, LOOK_UP)                          \
    extern "C" __global__ void classify_##NAME(               \
            const uint32_t* __restrict__ image,               \
            const uint32_t* __restrict__ headers,             \
            uint32_t* __restrict__ verdicts,                  \
            uint32_t stride,                                  \
            uint32_t count) {                                 \
        sluice::classify<sluice::LOOK_UP>(image, headers, verdicts, stride, count); \
    }

SLUICE_KERNEL(linear, linear)
SLUICE_KERNEL(tuple, tuple)
SLUICE_KERNEL(forest, forest)
SLUICE_KERNEL(bloom, bloom)
SLUICE_KERNEL(bitvector, bitvector)
SLUICE_KERNEL(rfc, rfc)
SLUICE_KERNEL(hash_tree, hash_tree)
SLUICE_KERNEL(exact_first, exact_first)
SLUICE_KERNEL(routes, routes)
SLUICE_KERNEL(mask_filter, mask_filter)
SLUICE_KERNEL(pairs, pairs)

// Classes in order, their records as a parameter.
extern "C" __global__ void __launch_bounds__(256) planned_tuple(
        const uint32_t* __restrict__ image,
        const uint32_t* __restrict__ headers,
        uint32_t* __restrict__ verdicts,
        uint32_t stride,
        uint32_t count,
        const __grid_constant__ sluice::ClassPlan plan) {
    extern __shared__ uint32_t staged_words[];
    uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) {
        int size = sluice::popcount(__ldg(image + sluice::LAYOUT_AT));
        for (int p = 0; p < (size + 3 & ~3); p++) {
            staged_words[p * sluice::StagedHeader::STRIDE + threadIdx.x] =
                    p < size ? headers[(size_t) p * stride + i] : 0;
        }
        verdicts[i] = sluice::tuple_planned(
                sluice::Image{image}, plan, sluice::StagedHeader{staged_words + threadIdx.x});
    }
}

// Address pairs of up to four header words. What the image says of its own shape comes as a
// parameter, which costs no loads.
extern "C" __global__ void __launch_bounds__(256) planned_pairs(
        const uint32_t* __restrict__ image,
        const uint32_t* __restrict__ headers,
        uint32_t* __restrict__ verdicts,
        uint32_t stride,
        uint32_t count,
        const __grid_constant__ sluice::PairsPlan plan) {
    uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) {
        int size = sluice::popcount(__ldg(image + sluice::LAYOUT_AT));
        uint32_t h[4];
        for (int p = 0; p < 4; p++) {
            h[p] = p < size ? headers[(size_t) p * stride + i] : 0;
        }
        verdicts[i] = sluice::pairs_planned(sluice::Image{image}, plan, h);
    }
}

#define SLUICE_PAPER_KERNEL(NAME, BLOCK)                      \
    extern "C" __global__ void paper_##NAME(                  \
            const uint32_t* __restrict__ image,               \
            const uint32_t* __restrict__ headers,             \
            uint32_t* __restrict__ verdicts,                  \
            uint32_t stride,                                  \
            uint32_t count) {                                 \
        sluice::BLOCK(sluice::Image{image}, headers, verdicts, stride, count); \
    }

SLUICE_PAPER_KERNEL(linear, paper_linear_block)
SLUICE_PAPER_KERNEL(tuple, paper_class_block<false>)
SLUICE_PAPER_KERNEL(bloom, paper_class_block<true>)
SLUICE_PAPER_KERNEL(bitvector, paper_bitvector_block)

// Turns the maxima of the papers' kernels into positions.
extern "C" __global__ void invert(uint32_t* __restrict__ words, uint32_t count) {
    uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) {
        words[i] = ~words[i];
    }
}

// Reads every header and writes a word: what moving the bytes costs.
extern "C" __global__ void trivial(
        const uint32_t* __restrict__ image,
        const uint32_t* __restrict__ headers,
        uint32_t* __restrict__ verdicts,
        uint32_t stride,
        uint32_t count) {
    uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) {
        int size = sluice::popcount(__ldg(image + sluice::LAYOUT_AT));
        uint32_t all = 0;
        for (int p = 0; p < size; p++) {
            all ^= headers[(size_t) p * stride + i];
        }
        verdicts[i] = all;
    }
}
