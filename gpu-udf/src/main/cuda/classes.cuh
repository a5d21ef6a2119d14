// Classes: cuckoo tables of rules that share a mask. Searched in the order of their best rank
// (tuple, merged tuple), behind Bloom filters, or behind a matrix of bits (mask filter).
#pragma once

#include "words.cuh"

namespace sluice {

constexpr uint32_t ROWS_AT = OWN_AT;
constexpr uint32_t ROW_STRIDE_AT = OWN_AT + 1;
constexpr uint32_t ROW_PORTS_AT = OWN_AT + 2;
constexpr uint32_t ORDER_AT = OWN_AT + 3;
constexpr uint32_t CLASSES_AT = OWN_AT + 4;
constexpr uint32_t EXTRA_AT = OWN_AT + 5;

// A row, at a multiple of four words: rank, next row of the same key + 1, offset of the mask, a word
// to look at first and its value, two ranges, that word's mask; values from a multiple of four words
// on. Masks start at multiples of four words, too, and are 0 behind their last word.
constexpr uint32_t ROW_CHECK_VALUE = 4;
constexpr uint32_t ROW_RANGES = 5;
constexpr uint32_t ROW_VALUES = 8;

// A class's record.
constexpr uint32_t CLASS_DEPTH = 1;
constexpr uint32_t CLASS_SEED = 2;
constexpr uint32_t CLASS_CONSTANTS = 3;
constexpr uint32_t CLASS_STASH = 9;
constexpr uint32_t CLASS_STASHED = 10;
constexpr uint32_t CLASS_FILTER = 11;
constexpr uint32_t CLASS_FILTER_BITS = 12;
constexpr uint32_t CLASS_FILTER_SEED = 13;
constexpr uint32_t CLASS_BEST = 14;
constexpr uint32_t CLASS_TERMS = 15;
constexpr uint32_t CLASS_FIRST_TERM = 16;

// The head of the mask filter.
constexpr uint32_t MATRIX_ROW_BITS = 1;
constexpr uint32_t MATRIX_ROW_WORDS = 2;
constexpr uint32_t MATRIX_BY_NUMBER = 3;
constexpr uint32_t MATRIX_FIRST_KEY = 4;

SLUICE_FN uint32_t mix(uint32_t digest, uint32_t word) {
    uint32_t k = (word ^ word >> 16) * 0xcc9e2d51u;
    uint32_t h = (digest ^ (k ^ k >> 15)) * 0x9e3779b1u;
    return h ^ h >> 15;
}

SLUICE_FN uint32_t finish(uint32_t digest) {
    uint32_t h = digest * 0x85ebca6bu;
    return h ^ h >> 13;
}

SLUICE_FN uint32_t filter_bit(uint32_t digest, int function, uint32_t bits) {
    return digest * (function == 0 ? 0x9e3779b1u : 0xc2b2ae35u) >> (32 - bits);
}

SLUICE_FN bool signed_by(const Image& w, uint32_t signatures, uint32_t bits, uint32_t key) {
    uint32_t signature = 1u << (key & 31) | 1u << (key >> 5 & 31);
    uint32_t word = bits == 0 ? 0 : key * 0x9e3779b1u >> (32 - bits);
    return (w[signatures + word] & signature) == signature;
}

// The best rule found so far, as its rank: MISS is worse than any.
struct ClassSearch {
    Image w;
    Header h;
    int size;
    int ports;
    uint32_t rows;
    uint32_t stride;
    uint32_t best;

    // Its row + 1, for images that change: their ranks do, too, and a verdict is a slot.
    uint32_t slot = 0;

    SLUICE_FN ClassSearch(const Image& image, const Header& header)
        : w(image),
          h(header),
          size(popcount(image[LAYOUT_AT])),
          ports((int) image[ROW_PORTS_AT]),
          rows(image[ROWS_AT]),
          stride(image[ROW_STRIDE_AT]),
          best(MISS) {}

    // Every word is compared, so that the threads of a warp do the same.
    SLUICE_FN bool row_holds(uint32_t row, uint32_t mask, const Four& second) const {
        uint32_t differs = 0;
        for (int p = 0; p < size; p += 4) {
            Four value = w.four(row + ROW_VALUES + p);
            Four named = w.four(mask + p);
            SLUICE_UNROLL
            for (int q = 0; q < 4; q++) {
                if (p + q < size) {
                    differs |= (h[p + q] ^ value.of[q]) & named.of[q];
                }
            }
        }
        return differs == 0 && (ports < 0 || ports_hold(h[ports], second.of[1], second.of[2]));
    }

    // Tests a list of rows, best first, given by its first + 1.
    SLUICE_FN void chain(uint32_t first) {
        uint32_t next = first;
        while (next != 0) {
            uint32_t row = 0;
            uint32_t rank = MISS;
            uint32_t mask = 0;
            uint32_t at = 0;
            bool may = false;
            Four second = {};
            // Most rows are told off by one word.
            do {
                at = next;
                row = rows + (next - 1) * stride;
                Four head = w.four(row);
                second = w.four(row + ROW_CHECK_VALUE);
                rank = head.of[0];
                mask = head.of[2];
                next = rank < best ? head.of[1] : 0;
                may = rank < best
                        && (size == 0
                                || ((h[head.of[3]] ^ second.of[0]) & second.of[3]) == 0);
            } while (!may && next != 0);
            if (may && row_holds(row, mask, second)) {
                best = rank;
                slot = at;
                return;
            }
        }
    }

    SLUICE_FN uint32_t digest(uint32_t record, uint32_t seed_at) const {
        uint32_t digest = w[record + seed_at];
        uint32_t at = record + CLASS_FIRST_TERM;
        for (uint32_t t = w[record + CLASS_TERMS]; t > 0; t--, at += 2) {
            digest = mix(digest, h[w[at]] & w[at + 1]);
        }
        return finish(digest);
    }

    // Signatures, where the class has them, tell most keys off by one load.
    SLUICE_FN void probe_signed(uint32_t record) {
        uint32_t key = digest(record, CLASS_SEED);
        uint32_t signatures = w[record + CLASS_FILTER];
        if (signatures == 0 || signed_by(w, signatures, w[record + CLASS_FILTER_BITS], key)) {
            probe(record, key);
        }
    }

    SLUICE_FN void probe(uint32_t record) { probe(record, digest(record, CLASS_SEED)); }

    SLUICE_FN void probe(uint32_t record, uint32_t key) {
        uint32_t cells = w[record];
        uint32_t depth = w[record + CLASS_DEPTH];
        for (uint32_t s = 0; s < 3; s++) {
            uint32_t a = w[record + CLASS_CONSTANTS + 2 * s];
            uint32_t b = w[record + CLASS_CONSTANTS + 2 * s + 1];
            uint32_t cell = cells + 2 * (s * depth + times_high(a * key + b, depth));
            Two pair = w.two(cell);
            if (pair.first == key) {
                chain(pair.second);
            }
        }
        uint32_t stashed = w[record + CLASS_STASHED];
        uint32_t stash = w[record + CLASS_STASH];
        for (uint32_t k = 0; k < stashed; k++) {
            if (w[stash + 2 * k] == key) {
                chain(w[stash + 2 * k + 1]);
            }
        }
    }

    SLUICE_FN bool passes(uint32_t record) const {
        uint32_t key = digest(record, CLASS_FILTER_SEED);
        uint32_t filter = w[record + CLASS_FILTER];
        uint32_t bits = w[record + CLASS_FILTER_BITS];
        uint32_t a = filter_bit(key, 0, bits);
        uint32_t b = filter_bit(key, 1, bits);
        return (w[filter + (a >> 5)] >> (a & 31) & w[filter + (b >> 5)] >> (b & 31) & 1) != 0;
    }
};

// A look-up's answer: the rank, which is the rule's position where nothing changes, or the slot.
template <bool LIVE>
SLUICE_FN uint32_t answer(const ClassSearch& search) {
    return LIVE ? search.slot - 1 : search.best;
}

// All classes in the order of their best rank, until none can win.
template <bool FILTERED>
SLUICE_FN void search_classes(ClassSearch& search) {
    const Image& w = search.w;
    uint32_t order = w[ORDER_AT];
    uint32_t classes = w[CLASSES_AT];
    for (uint32_t c = 0; c < classes; c++) {
        if (w[order + 2 * c] >= search.best) {
            return;
        }
        uint32_t record = w[order + 2 * c + 1];
        if (!FILTERED) {
            search.probe_signed(record);
        } else if (search.passes(record)) {
            search.probe(record);
        }
    }
}

// The classes of an image in one record, as the fast kernel takes it as a parameter.
struct ClassPlan {
    static constexpr uint32_t WORDS = 1000;
    static constexpr uint32_t HEAD = 4;
    static constexpr uint32_t CLASS = 8;

    // Classes, a multiple of four; entries; classes of a group. Then a record for each class, in the
    // order of best ranks: best rank, table of lists, 32 less log2 of its words, two (position,
    // mask) pairs of its key, place of its other pairs and, above 16 bits, their number; then those
    // pairs.
    uint32_t words[WORDS];
};

// Classes whose lists are noted before they are read, at most.
constexpr uint32_t NOTED_CLASSES = 8;

// A word of a table of lists: first entry + 1, 0 for none; above it a tag, 0 for keys of several.
constexpr uint32_t LIST_BITS = 22;
constexpr uint32_t LIST_FIRST = (1u << LIST_BITS) - 1;

// An entry of a list, a sector, tests three words of a rule; a rule takes as many as its mask needs,
// one behind the other. First word: rank, positions of two words. Second: first entry + 1 of the
// first list that has no better rule, position of the third word, whether the list ends with this
// rule, whether the third pair is the rule's port ranges, and how many entries of the rule follow.
// Then three pairs (value, mask).
constexpr uint32_t ENTRY = 8;
constexpr uint32_t ENTRY_RANK = 0xfffff;
constexpr uint32_t ENTRY_FIRST_AT = 20;
constexpr uint32_t ENTRY_SECOND_AT = 25;
constexpr uint32_t ENTRY_THIRD_AT = LIST_BITS;
constexpr uint32_t ENTRY_POSITION = 31;
constexpr uint32_t ENTRY_LAST = 1u << 27;
constexpr uint32_t ENTRY_RANGES = 1u << 28;
constexpr uint32_t ENTRY_MORE_AT = 29;

// The words of a key, in order; two make most keys.
SLUICE_FN uint32_t key_of_two(uint32_t first, uint32_t second) {
    // Turned, so that words whose lower bits are wild fill all bits of the sum.
    return first * 0x9e3779b1u + (second << 16 | second >> 16) * 0x85ebca6bu;
}

SLUICE_FN uint32_t key_with(uint32_t key, uint32_t word) {
    uint32_t h = (key ^ word) * 0xcc9e2d51u;
    return h ^ h >> 15;
}

SLUICE_FN uint32_t key_spread(uint32_t key) {
    uint32_t h = (key ^ key >> 15) * 0xc2b2ae35u;
    return h ^ h >> 16;
}

// Classes in groups: first the words of all their tables, whose loads do not wait for each other,
// then the lists that they name. Lists are in the order of their best rules, so that one that cannot
// win is told by its place.
template <class H, class Noted>
SLUICE_FN uint32_t tuple_planned(
        const Image& w, const ClassPlan& plan, const H& h, Noted noted) {
    constexpr uint32_t TOGETHER = 4;
    uint32_t classes = plan.words[0];
    uint32_t entries = plan.words[1] - ENTRY;
    uint32_t together = plan.words[2];
    uint32_t best = MISS;
    uint32_t limit = MISS;
    for (uint32_t c = 0; c < classes;) {
        if (plan.words[ClassPlan::HEAD + c * ClassPlan::CLASS] >= best) {
            break;
        }
        uint32_t from = c;
        uint32_t end = c + together < classes ? c + together : classes;
        uint32_t left = 0;
        for (; c < end; c += TOGETHER) {
            const uint32_t* records = plan.words + ClassPlan::HEAD + c * ClassPlan::CLASS;
            uint32_t keys[TOGETHER];
            uint32_t named[TOGETHER];
            SLUICE_UNROLL
            for (uint32_t q = 0; q < TOGETHER; q++) {
                const uint32_t* of = records + q * ClassPlan::CLASS;
                uint32_t key = key_of_two(h[of[3]] & of[4], h[of[5]] & of[6]);
                const uint32_t* pair = plan.words + (of[7] & 0xffff);
                for (uint32_t t = of[7] >> 16; t > 0; t--, pair += 2) {
                    key = key_with(key, h[pair[0]] & pair[1]);
                }
                keys[q] = key_spread(key);
            }
            SLUICE_UNROLL
            for (uint32_t q = 0; q < TOGETHER; q++) {
                const uint32_t* of = records + q * ClassPlan::CLASS;
                named[q] = w[of[1] + (keys[q] >> of[2])];
            }
            SLUICE_UNROLL
            for (uint32_t q = 0; q < TOGETHER; q++) {
                uint32_t other = named[q] ^ (keys[q] << LIST_BITS | 1u << LIST_BITS);
                bool may = other <= LIST_FIRST || named[q] - 1 < LIST_FIRST;
                uint32_t first = named[q] & LIST_FIRST;
                noted[c - from + q] = first;
                left |= may && first < limit ? 1u << (c - from + q) : 0;
            }
        }
        // Every step takes an entry, so that the threads of a warp do the same.
        uint32_t next = 0;
        while ((next | left) != 0) {
            if (next == 0) {
                next = noted[lowest(left)];
                left &= left - 1;
                if (next >= limit) {
                    next = 0;
                    continue;
                }
            }
            Four a = w.four(entries + ENTRY * next);
            Four b = w.four(entries + ENTRY * next + 4);
            uint32_t rank = a.of[0] & ENTRY_RANK;
            uint32_t third = h[a.of[1] >> ENTRY_THIRD_AT & ENTRY_POSITION];
            uint32_t differs =
                    ((h[a.of[0] >> ENTRY_FIRST_AT & ENTRY_POSITION] ^ a.of[2]) & a.of[3])
                    | ((h[a.of[0] >> ENTRY_SECOND_AT & ENTRY_POSITION] ^ b.of[0]) & b.of[1]);
            bool holds = differs == 0
                    && ((a.of[1] & ENTRY_RANGES) == 0
                            ? ((third ^ b.of[2]) & b.of[3]) == 0
                            : ports_hold(third, b.of[2], b.of[3]));
            uint32_t more = a.of[1] >> ENTRY_MORE_AT;
            bool won = holds && more == 0 && rank < best;
            bool over = won || rank >= best || (!holds && (a.of[1] & ENTRY_LAST) != 0);
            best = won ? rank : best;
            limit = won ? a.of[1] & LIST_FIRST : limit;
            next = over ? 0 : next + (holds ? 1 : more + 1);
        }
    }
    return best;
}

template <bool LIVE>
SLUICE_FN uint32_t tuple_in(const Image& w, const Header& h) {
    ClassSearch search(w, h);
    search_classes<false>(search);
    return answer<LIVE>(search);
}

SLUICE_FN uint32_t tuple(const Image& w, const Header& h) { return tuple_in<false>(w, h); }

template <bool LIVE>
SLUICE_FN uint32_t bloom_in(const Image& w, const Header& h) {
    ClassSearch search(w, h);
    search_classes<true>(search);
    return answer<LIVE>(search);
}

SLUICE_FN uint32_t bloom(const Image& w, const Header& h) { return bloom_in<false>(w, h); }

// The rows of all keys, ANDed, leave the classes that are probed.
template <bool LIVE>
SLUICE_FN uint32_t mask_filter_in(const Image& w, const Header& h) {
    ClassSearch search(w, h);
    if (w[CLASSES_AT] == 0) {
        return MISS;
    }
    uint32_t head = w[EXTRA_AT];
    uint32_t keys = w[head];
    uint32_t row_words = w[head + MATRIX_ROW_WORDS];
    uint32_t row_bits = w[head + MATRIX_ROW_BITS];
    uint32_t by_number = w[head + MATRIX_BY_NUMBER];
    uint32_t rows[32];
    for (uint32_t k = 0; k < keys; k++) {
        uint32_t key = w[head + MATRIX_FIRST_KEY + k];
        uint32_t terms = w[key + 1];
        uint32_t digest = 0;
        for (uint32_t t = 0; t < terms; t++) {
            digest = mix(digest, h[w[key + 2 + 2 * t]] & w[key + 3 + 2 * t]);
        }
        rows[k & 31] = w[key] + (finish(digest) >> (32 - row_bits)) * row_words;
    }
    for (uint32_t word = 0; word < row_words; word++) {
        uint32_t left = 0xffffffffu;
        for (uint32_t k = 0; k < keys && left != 0; k++) {
            left &= w[rows[k & 31] + word];
        }
        for (; left != 0; left &= left - 1) {
            uint32_t record = w[by_number + 32 * word + lowest(left)];
            if (record != 0 && w[record + CLASS_BEST] < search.best) {
                search.probe(record);
            }
        }
    }
    return answer<LIVE>(search);
}

SLUICE_FN uint32_t mask_filter(const Image& w, const Header& h) {
    return mask_filter_in<false>(w, h);
}

}  // namespace sluice
