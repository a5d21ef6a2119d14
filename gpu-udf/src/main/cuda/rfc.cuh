// Recursive flow classification: a chain of tables, plain or as bitmaps with elements.
#pragma once

#include "words.cuh"

namespace sluice {

constexpr uint32_t RFC_STEPS_AT = OWN_AT;
constexpr uint32_t RFC_COUNT_AT = OWN_AT + 1;
constexpr uint32_t STEP_WORDS = 16;
constexpr int MOST_STEPS = 48;

SLUICE_FN uint32_t bitmap_entry(const Image& w, uint32_t step, uint32_t index) {
    uint32_t piece_bits = w[step + 10];
    uint32_t elements = w[step + 12];
    bool wide = w[step + 13] != 0;
    uint32_t base = w[step + 2] + (index >> piece_bits) * w[step + 11];
    int bit = (int) (index & ((1u << piece_bits) - 1));
    int bitmap_words = piece_bits <= 5 ? 1 : 1 << (piece_bits - 5);
    uint32_t runs = 0;
    uint32_t rank = 0xffffffffu;
    for (int word = 0; word < bitmap_words; word++) {
        uint32_t bitmap = w[base + word];
        runs += popcount(bitmap);
        int below = bit - 32 * word;
        if (below >= 31) {
            rank += popcount(bitmap);
        } else if (below >= 0) {
            rank += popcount(bitmap & ((2u << below) - 1));
        }
    }
    uint32_t at = base + bitmap_words;
    if (runs > elements) {
        uint32_t in_piece = elements - (wide ? 1 : 2);
        if (rank >= in_piece) {
            rank += w[at + (wide ? in_piece : in_piece >> 1)] - in_piece;
            at = w[step + 14];
        }
    }
    return wide ? w[at + rank] : w.half(at, rank);
}

SLUICE_FN uint32_t step_entry(const Image& w, uint32_t step, uint32_t index) {
    uint32_t table = w[step + 2];
    switch (w[step + 1]) {
        case 0:
            return w.half(table, index);
        case 1:
            return w[table + index];
        default:
            return bitmap_entry(w, step, index);
    }
}

// Index into a step's table, from the header or from the classes of earlier steps.
SLUICE_FN uint32_t step_index(
        const Image& w, uint32_t step, const Header& h, const uint32_t* classes) {
    uint32_t kind = w[step];
    if (kind == 0) {
        uint32_t position = w[step + 3];
        if (position == 0xffffffffu) {
            return 0;
        }
        uint32_t word = h[position];
        uint32_t low = word >> w[step + 4] & w[step + 5];
        uint32_t above = w[step + 9];
        if (above != 0) {
            return (classes[above - 1] << w[step + 8]) + low;
        }
        return low | (word >> w[step + 6] & w[step + 7]) << w[step + 8];
    }
    uint32_t index = classes[w[step + 3]];
    if (kind == 1) {
        return index;
    }
    index = index * w[step + 4] + (kind == 2 ? classes[w[step + 5]] : 0);
    if (kind == 3) {
        index += classes[w[step + 5]] * w[step + 6] + classes[w[step + 7]];
    }
    return index;
}

SLUICE_FN void rfc_steps(
        const Image& w, uint32_t records, uint32_t count, const Header& h, uint32_t* classes) {
    for (uint32_t s = 0; s < count; s++) {
        uint32_t step = records + s * STEP_WORDS;
        classes[s] = step_entry(w, step, step_index(w, step, h, classes));
    }
}

SLUICE_FN uint32_t rfc(const Image& w, const Header& h) {
    uint32_t classes[MOST_STEPS];
    uint32_t count = w[RFC_COUNT_AT];
    rfc_steps(w, w[RFC_STEPS_AT], count, h, classes);
    return classes[count - 1] - 1;
}

}  // namespace sluice
