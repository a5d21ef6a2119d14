// The look-ups compiled for the CPU. Reads from standard input, as 32-bit words: the words of an
// image, the image, the number of headers, the headers (one word of all of them after the other).
// Writes a verdict a header. Tests run it against the oracle: it proves the kernels' logic where
// there is no GPU.
#include <cstdio>
#include <vector>

#include "lookup.cuh"

static bool read(std::vector<uint32_t>& words, size_t count) {
    words.resize(count);
    return fread(words.data(), 4, count, stdin) == count;
}

int main() {
    std::vector<uint32_t> size, image, count, headers;
    if (!read(size, 1) || !read(image, size[0]) || !read(count, 1)) {
        fprintf(stderr, "host look-up: the input is cut\n");
        return 2;
    }
    uint32_t n = count[0];
    if (!read(headers, (size_t) n * sluice::popcount(image[sluice::LAYOUT_AT]))) {
        fprintf(stderr, "host look-up: the headers are cut\n");
        return 2;
    }
    std::vector<uint32_t> verdicts(n);
    for (uint32_t i = 0; i < n; i++) {
        verdicts[i] = sluice::look_up(
                sluice::Image{image.data()}, sluice::Header{headers.data() + i, n});
    }
    return fwrite(verdicts.data(), 4, n, stdout) == n ? 0 : 2;
}
