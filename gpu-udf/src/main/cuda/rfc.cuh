// Recursive flow classification: a chain of tables, plain or as bitmaps with elements.
#pragma once

#include "words.cuh"

namespace sluice {

SLUICE_FN uint32_t bitmap_entry(const Image& w, uint32_t step, uint32_t index) {
    uint32_t piece_bits = w[step + RfcLayout::PIECE_BITS];
    uint32_t elements = w[step + RfcLayout::ELEMENTS];
    bool wide = w[step + RfcLayout::WIDE] != 0;
    uint32_t base = w[step + RfcLayout::TABLE]
            + (index >> piece_bits) * w[step + RfcLayout::PIECE_WORDS];
    int bit = (int) (index & ((1u << piece_bits) - 1));
    int bitmap_words = piece_bits <= BitmapTableLayout::WORD_BITS
            ? 1
            : 1 << (piece_bits - BitmapTableLayout::WORD_BITS);
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
        uint32_t in_piece = elements
                - (wide ? BitmapTableLayout::WIDE_TAKEN : BitmapTableLayout::NARROW_TAKEN);
        if (rank >= in_piece) {
            rank += w[at + (wide ? in_piece : in_piece >> 1)] - in_piece;
            at = w[step + RfcLayout::ACCESSORY];
        }
    }
    return wide ? w[at + rank] : w.half(at, rank);
}

SLUICE_FN uint32_t step_entry(const Image& w, uint32_t step, uint32_t index) {
    uint32_t table = w[step + RfcLayout::TABLE];
    switch (w[step + RfcLayout::MODE]) {
        case RfcLayout::PLAIN_16:
            return w.half(table, index);
        case RfcLayout::PLAIN_32:
            return w[table + index];
        default:
            return bitmap_entry(w, step, index);
    }
}

// Index into a step's table, from the header or from the classes of earlier steps.
SLUICE_FN uint32_t step_index(
        const Image& w, uint32_t step, const Header& h, const uint32_t* classes) {
    uint32_t kind = w[step + RfcLayout::KIND];
    if (kind == RfcLayout::CHUNK) {
        uint32_t position = w[step + RfcLayout::POSITION];
        if (position == RfcLayout::NO_POSITION) {
            return 0;
        }
        uint32_t word = h[position];
        uint32_t low = word >> w[step + RfcLayout::SHIFT] & w[step + RfcLayout::MASK];
        uint32_t above = w[step + RfcLayout::ABOVE];
        if (above != 0) {
            return (classes[above - 1] << w[step + RfcLayout::LOWER_BITS]) + low;
        }
        return low
                | (word >> w[step + RfcLayout::UPPER_SHIFT] & w[step + RfcLayout::UPPER_MASK])
                        << w[step + RfcLayout::LOWER_BITS];
    }
    uint32_t index = classes[w[step + RfcLayout::FIRST_STEP]];
    if (kind == RfcLayout::ONE_INPUT) {
        return index;
    }
    index = index * w[step + RfcLayout::FIRST_STRIDE]
            + (kind == RfcLayout::TWO_INPUTS ? classes[w[step + RfcLayout::SECOND_STEP]] : 0);
    if (kind == RfcLayout::THREE_INPUTS) {
        index += classes[w[step + RfcLayout::SECOND_STEP]] * w[step + RfcLayout::SECOND_STRIDE]
                + classes[w[step + RfcLayout::THIRD_STEP]];
    }
    return index;
}

SLUICE_FN void rfc_steps(
        const Image& w, uint32_t records, uint32_t count, const Header& h, uint32_t* classes) {
    for (uint32_t s = 0; s < count; s++) {
        uint32_t step = records + s * RfcLayout::RECORD;
        classes[s] = step_entry(w, step, step_index(w, step, h, classes));
    }
}

SLUICE_FN uint32_t rfc(const Image& w, const Header& h) {
    uint32_t classes[RfcLayout::MOST_STEPS];
    uint32_t count = w[RfcLayout::COUNT_AT];
    rfc_steps(w, w[RfcLayout::STEPS_AT], count, h, classes);
    return classes[count - 1] - 1;
}

}  // namespace sluice
