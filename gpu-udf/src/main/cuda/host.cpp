// The kernels' code compiled for the CPU: tests run it, which proves its logic where there is no GPU.
//
// Look-ups, without an argument: reads from standard input, as 32-bit words: the words of an
// image, the image, the words of the parameter that the algorithm's fast kernel takes (0 for the
// plain kernel), the parameter, the number of headers, the headers (one word of all of them after
// the other). Writes a verdict a header. With the name of a kernel that looks into an image that
// changes: the same with that kernel, writes slots.
//
// With 'overlay': reads, each after its number of words, the base rules as tuples, the words of the
// rules that came, the ticks at which base rules went, the parameter (its addresses do not matter),
// the verdicts of the base, and the headers. Writes a verdict a header.
//
// With the name of a kernel that changes an image as its argument: reads the words of the image, the
// image, the words of what comes beside it (rules or words; then the memory beside), each after its
// number, the stride and the count. Writes the image and the memory beside. Threads run one after
// the other, the last one first: their order must not matter.
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "hash_tree_update.cuh"
#include "lookup.cuh"
#include "merged_tuple.cuh"
#include "versions.cuh"

static bool read(std::vector<uint32_t>& words, size_t count) {
    words.resize(count);
    return fread(words.data(), 4, count, stdin) == count;
}

// No words have no address, which fwrite must not be given.
static bool write(const std::vector<uint32_t>& words) {
    return words.empty() || fwrite(words.data(), 4, words.size(), stdout) == words.size();
}

static int change(const std::string& kernel) {
    std::vector<uint32_t> size, image, rules, side, shape;
    if (!read(size, 1) || !read(image, size[0]) || !read(size, 1) || !read(rules, size[0])
            || !read(size, 1) || !read(side, size[0]) || !read(shape, 2)) {
        fprintf(stderr, "host %s: the input is cut\n", kernel.c_str());
        return 2;
    }
    uint32_t* w = image.data();
    for (uint32_t i = shape[1]; i-- > 0;) {
        if (kernel == "paper_tree_find") {
            sluice::tree_find(w, rules.data(), side.data(), shape[0], i);
        } else if (kernel == "paper_tree_reduce") {
            sluice::tree_reduce(side.data(), i);
        } else if (kernel == "paper_tree_condense") {
            sluice::tree_condense(w, rules.data(), side.data(), shape[0], i);
        } else {
            fprintf(stderr, "host: no kernel %s\n", kernel.c_str());
            return 2;
        }
    }
    return write(image) && write(side) ? 0 : 2;
}

static bool read_counted(std::vector<uint32_t>& words) {
    std::vector<uint32_t> size;
    return read(size, 1) && read(words, size[0]);
}

static int overlay() {
    std::vector<uint32_t> all, inserted, removed, parameter, verdicts, headers;
    if (!read_counted(all) || !read_counted(inserted) || !read_counted(removed)
            || !read_counted(parameter) || !read_counted(verdicts) || !read_counted(headers)
            || parameter.size() != sluice::ChangesLayout::WORDS) {
        fprintf(stderr, "host overlay: the input is cut\n");
        return 2;
    }
    uint32_t n = (uint32_t) verdicts.size();
    for (uint32_t i = 0; i < n; i++) {
        verdicts[i] = sluice::verdict_at(
                sluice::Image{all.data()},
                sluice::ChangingWords{inserted.data()},
                sluice::ChangingWords{removed.data()},
                sluice::Header{headers.data() + i, n},
                parameter[sluice::ChangesLayout::TICK],
                parameter[sluice::ChangesLayout::DIRECTORY],
                parameter[sluice::ChangesLayout::BASE_RULES],
                verdicts[i]);
    }
    return write(verdicts) ? 0 : 2;
}

// Copies the words of a kernel's parameter; false if they are not as many as it has.
template <class Parameters>
static bool fill(Parameters& parameters, const std::vector<uint32_t>& words) {
    if (words.size() * 4 != sizeof parameters) {
        fprintf(stderr, "host look-up: a parameter of %zu words\n", words.size());
        return false;
    }
    memcpy(&parameters, words.data(), sizeof parameters);
    return true;
}

// A slot in an image that changes; false if there is no such kernel.
static bool look_up_live(
        const std::string& kernel, const sluice::Image& w, const sluice::Header& h, uint32_t& slot) {
#define SLUICE_LIVE(NAME)                        \
    if (kernel == "live_" #NAME) {               \
        slot = sluice::NAME##_in<true>(w, h);    \
        return true;                             \
    }
    SLUICE_LIVE_LOOK_UPS(SLUICE_LIVE)
#undef SLUICE_LIVE
    return false;
}

int main(int arguments, char** argument) {
    std::string kernel = arguments > 1 ? argument[1] : "";
    bool live = kernel.rfind("live_", 0) == 0;
    if (kernel == "overlay") {
        return overlay();
    }
    if (!kernel.empty() && !live) {
        return change(kernel);
    }
    std::vector<uint32_t> size, image, parameter, count, headers;
    if (!read(size, 1) || !read(image, size[0]) || !read(size, 1) || !read(parameter, size[0])
            || !read(count, 1)) {
        fprintf(stderr, "host look-up: the input is cut\n");
        return 2;
    }
    uint32_t n = count[0];
    if (!read(headers, (size_t) n * sluice::popcount(image[sluice::ImageLayout::LAYOUT_AT]))) {
        fprintf(stderr, "host look-up: the headers are cut\n");
        return 2;
    }
    std::vector<uint32_t> verdicts(n);
    sluice::Image w{image.data()};
    int words = sluice::popcount(image[sluice::ImageLayout::LAYOUT_AT]);
    for (uint32_t i = 0; i < n; i++) {
        sluice::Header h{headers.data() + i, n};
        if (live) {
            if (!look_up_live(kernel, w, h, verdicts[i])) {
                fprintf(stderr, "host: no kernel %s\n", kernel.c_str());
                return 2;
            }
        } else if (parameter.empty()) {
            verdicts[i] = sluice::look_up(w, h);
        } else if (parameter.size() == sluice::CrossproductKernelLayout::WORDS) {
            sluice::CrossproductParameters parameters;
            if (!fill(parameters, parameter)) {
                return 2;
            }
            constexpr int WORDS = sluice::CrossproductKernelLayout::HEADER_WORDS;
            uint32_t own[WORDS];
            for (int p = 0; p < WORDS; p++) {
                own[p] = p < words ? h[p] : 0;
            }
            verdicts[i] = sluice::crossproduct(w, parameters, own);
        } else {
            sluice::MergedTupleParameters parameters;
            if (!fill(parameters, parameter)) {
                return 2;
            }
            uint32_t noted[sluice::MergedTupleKernelLayout::MOST_NOTED];
            verdicts[i] = sluice::merged_tuple(w, parameters, h, noted);
        }
    }
    return write(verdicts) ? 0 : 2;
}
