// The kernels. Each takes an image, a batch of headers (word w of header i at w * stride + i) and
// room for a verdict a header: the position of its rule, ~0 for none.
#include "lookup.cuh"
#include "merged_tuple.cuh"
#include "paper.cuh"
#include "resident.cuh"
#include "versions.cuh"

namespace sluice {

// One header by a look-up that takes any layout. The header's words go to shared memory first:
// look-ups read them again and again, at places that only the image knows.
template <LookUp LOOK_UP>
struct Plain {
    Image image;
    uint32_t* staged;

    template <class Headers>
    __device__ __forceinline__ uint32_t operator()(Headers headers, uint32_t stride, uint32_t i) {
        int size = header_words(image);
        for (int p = 0; p < size; p++) {
            staged[p * blockDim.x + threadIdx.x] = headers[(size_t) p * stride + i];
        }
        return LOOK_UP(image, Header{staged + threadIdx.x, blockDim.x});
    }
};

// Merged tuples by their lists, the tuples' records as a parameter.
struct MergedTuple {
    // What a thread notes, in shared memory behind the headers.
    struct Noted {
        uint32_t* words;

        __device__ __forceinline__ uint32_t& operator[](uint32_t k) const {
            return words[k * StagedHeader::STRIDE];
        }
    };

    Image image;
    const MergedTupleParameters& parameters;
    uint32_t* staged;

    template <class Headers>
    __device__ __forceinline__ uint32_t operator()(Headers headers, uint32_t stride, uint32_t i) {
        int size = header_words(image);
        for (int p = 0; p < size; p++) {
            staged[p * StagedHeader::STRIDE + threadIdx.x] = headers[(size_t) p * stride + i];
        }
        StagedHeader header{staged + threadIdx.x};
        return merged_tuple(
                image,
                parameters,
                header,
                Noted{staged + size * StagedHeader::STRIDE + threadIdx.x});
    }
};

// Crossproducts of up to four header words. Where the image's tables lie comes as a parameter, which
// costs no loads.
struct Crossproduct {
    Image image;
    const CrossproductParameters& parameters;

    template <class Headers>
    __device__ __forceinline__ uint32_t operator()(Headers headers, uint32_t stride, uint32_t i) {
        int size = header_words(image);
        constexpr int WORDS = CrossproductKernelLayout::HEADER_WORDS;
        uint32_t h[WORDS];
        for (int p = 0; p < WORDS; p++) {
            h[p] = p < size ? headers[(size_t) p * stride + i] : 0;
        }
        return crossproduct(image, parameters, h);
    }
};

// A thread a header.
template <class Answer>
__device__ __forceinline__ void each(
        Answer answer,
        const uint32_t* __restrict__ headers,
        uint32_t* __restrict__ verdicts,
        uint32_t stride,
        uint32_t count) {
    uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) {
        verdicts[i] = answer(headers, stride, i);
    }
}

extern __shared__ uint32_t staged_words[];

}  // namespace sluice

#define SLUICE_BOUNDS __launch_bounds__(sluice::SharedMemoryLayout::THREADS)

// Each look-up as a kernel that is launched for a batch, and as one that stays.
#define SLUICE_LAUNCHED(FAMILY, NAME, ANSWER, ...)            \
    extern "C" __global__ void SLUICE_BOUNDS FAMILY##_##NAME( \
            const uint32_t* __restrict__ image,               \
            const uint32_t* __restrict__ headers,             \
            uint32_t* __restrict__ verdicts,                  \
            uint32_t stride,                                  \
            uint32_t count __VA_ARGS__) {                     \
        sluice::each(ANSWER, headers, verdicts, stride, count); \
    }

#ifdef SLUICE_COUNT
#define SLUICE_KERNELS(FAMILY, NAME, ANSWER, ...) SLUICE_LAUNCHED(FAMILY, NAME, ANSWER, __VA_ARGS__)
#else
#define SLUICE_KERNELS(FAMILY, NAME, ANSWER, ...)             \
    SLUICE_LAUNCHED(FAMILY, NAME, ANSWER, __VA_ARGS__)        \
    extern "C" __global__ void SLUICE_BOUNDS resident_##FAMILY##_##NAME( \
            const uint32_t* __restrict__ image,               \
            uint32_t* ring,                                   \
            uint32_t* control,                                \
            uint32_t start,                                   \
            uint32_t blocks __VA_ARGS__) {                    \
        sluice::reside(ANSWER, ring, control, start);         \
    }
#endif

#define SLUICE_PLAIN(NAME, LOOK_UP, CASES) \
    SLUICE_KERNELS(classify, NAME, \
            (sluice::Plain<sluice::LOOK_UP>{sluice::Image{image}, sluice::staged_words}), )
#define SLUICE_COMMA_PARAMETERS(TYPE) , const __grid_constant__ sluice::TYPE parameters

SLUICE_LOOK_UPS(SLUICE_PLAIN)
SLUICE_KERNELS(planned, tuple,
        (sluice::MergedTuple{sluice::Image{image}, parameters, sluice::staged_words}),
        SLUICE_COMMA_PARAMETERS(MergedTupleParameters))
SLUICE_KERNELS(planned, pairs,
        (sluice::Crossproduct{sluice::Image{image}, parameters}),
        SLUICE_COMMA_PARAMETERS(CrossproductParameters))

// What changed since an image was compiled, behind the kernel of the image, whose verdicts it reads.
extern "C" __global__ void SLUICE_BOUNDS overlay(
        const uint32_t* __restrict__ all,
        const uint32_t* __restrict__ headers,
        const uint32_t* verdicts,
        uint32_t stride,
        uint32_t count,
        const __grid_constant__ sluice::ChangesParameters parameters) {
    using namespace sluice;
    uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) {
        int size = parameters.words[ChangesLayout::HEADER_WORDS];
        for (int p = 0; p < size; p++) {
            staged_words[p * blockDim.x + threadIdx.x] = headers[(size_t) p * stride + i];
        }
        parameters.address<uint32_t>(ChangesLayout::VERDICTS)[i] = verdict_at(
                Image{all},
                ChangingWords{parameters.address<const uint32_t>(ChangesLayout::INSERTED)},
                ChangingWords{parameters.address<const uint32_t>(ChangesLayout::REMOVED)},
                Header{staged_words + threadIdx.x, blockDim.x},
                parameters.words[ChangesLayout::TICK],
                parameters.words[ChangesLayout::DIRECTORY],
                parameters.words[ChangesLayout::BASE_RULES],
                verdicts[i]);
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
SLUICE_PAPER_KERNEL(tuple, paper_tuple_block<false>)
SLUICE_PAPER_KERNEL(bloom, paper_tuple_block<true>)
SLUICE_PAPER_KERNEL(bitvector, paper_bitvector_block)

// Writes words of rules that change beside look-ups: pairs of a place and a word, those whose place
// has its highest bit among the removals. versions.cuh says why a look-up may run meanwhile.
extern "C" __global__ void write_changes(
        uint32_t* inserted, const uint32_t* pairs, uint32_t* removed, uint32_t, uint32_t count) {
    uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) {
        uint32_t place = pairs[2 * i];
        uint32_t* words = place >> 31 == 0 ? inserted : removed;
        words[place & 0x7fffffffu] = pairs[2 * i + 1];
    }
}

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
        int size = sluice::header_words(sluice::Image{image});
        uint32_t all = 0;
        for (int p = 0; p < size; p++) {
            all ^= headers[(size_t) p * stride + i];
        }
        verdicts[i] = all;
    }
}

// Reads of 16 bytes at random places of a table of stride words, 16 a thread: what the memory
// system can do for look-ups in an image of that size.
extern "C" __global__ void gather(
        const uint32_t* __restrict__ table,
        const uint32_t* __restrict__,
        uint32_t* __restrict__ sums,
        uint32_t stride,
        uint32_t count) {
    uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) {
        uint32_t state = i * 0x9e3779b9u + 1;
        uint32_t sum = 0;
#pragma unroll
        for (int k = 0; k < 16; k++) {
            state = state * 1664525u + 1013904223u;
            uint32_t at = sluice::times_high(state ^ state >> 15, stride / 4) * 4;
            uint4 v = __ldg((const uint4*) (table + at));
            sum += v.x ^ v.y ^ v.z ^ v.w;
        }
        sums[i] = sum;
    }
}
