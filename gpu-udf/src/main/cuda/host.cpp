// The kernels' code compiled for the CPU: tests run it, which proves its logic where there is no GPU.
//
// Look-ups, without an argument: reads from standard input, as 32-bit words: the words of an
// image, the image, the words of the parameter that the algorithm's fast kernel takes (0 for the
// plain kernel), the parameter, the number of headers, the headers (one word of all of them after
// the other). Writes a verdict a header.
//
// With 'overlay': reads, each after its number of words, the base rules as tuples, the words of the
// rules that came, the ticks at which base rules went, the parameter (its addresses do not matter),
// the verdicts of the base, and the headers. Writes a verdict a header.
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

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

int main(int arguments, char** argument) {
    std::string kernel = arguments > 1 ? argument[1] : "";
    if (kernel == "overlay") {
        return overlay();
    }
    if (!kernel.empty()) {
        fprintf(stderr, "host: no kernel %s\n", kernel.c_str());
        return 2;
    }
    std::vector<uint32_t> size, image, parameter, count, headers;
    if (!read(size, 1) || !read(image, size[0]) || !read(size, 1) || !read(parameter, size[0])
            || !read(count, 1)) {
        fprintf(stderr, "host look-up: the input is cut\n");
        return 2;
    }
    uint32_t n = count[0];
    if (!read(headers, (size_t) n * sluice::header_words(sluice::Image{image.data()}))) {
        fprintf(stderr, "host look-up: the headers are cut\n");
        return 2;
    }
    std::vector<uint32_t> verdicts(n);
    sluice::Image w{image.data()};
    int words = sluice::header_words(w);
    for (uint32_t i = 0; i < n; i++) {
        sluice::Header h{headers.data() + i, n};
        if (parameter.empty()) {
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
