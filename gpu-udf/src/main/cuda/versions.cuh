// Rules that changed since an image was compiled: the look-up behind the image's, at one tick.
// VersionedTuplesLayout has the words of the rules that came; beside them lie a tick each base rule,
// at which it went, and all base rules as tuples.
//
// The words are written while look-ups read them, by the host's threads or by the kernel
// write_changes on another stream. No look-up waits for that, and none needs to, because of how they
// are written. A launch at tick v begins behind an event that was recorded behind all words of v. So
// of each word it sees the one of v or a later one, and beyond that:
//
// - Of a rule that came after v it may see any mix of words and zeros. FROM says never before it is
//   written and a later tick after, so the rule does not count; its NEXT is 0 or leads to rules
//   that came later still.
// - A rule that counts at v is complete: its words but TO, NEXT never change again.
// - A TO or a removal that is written after v names a later tick: it says the same about v as
//   before.
// - A NEXT or the head of a chain changes in two ways. A new rule is linked behind the last one: who
//   sees 0 still misses rules that came after v, no others. A rule that counts at no tick in use is
//   linked out: both ways lead to the same rules that count, since its own NEXT stays.
// - A BEST only sinks: the one of v is low enough for all that counts at v.
// - A bit of a bucket is only ever set: those of v are there.
// - Directories, records but for BEST, and the places that they name never change.
//
// So it does not matter whether a load finds a word of before in a cache of the multiprocessor, as
// long as it is one of v or later: those caches are empty when a launch begins. Loads are plain
// ones, each aligned word is read whole; none goes by the path for words that never change.
#pragma once

#include "tuple_space.cuh"

namespace sluice {

// Words that may be written while they are read.
struct ChangingWords {
    const uint32_t* words;

    SLUICE_FN uint32_t operator[](uint32_t at) const {
        counted(words + at);
        return words[at];
    }

    // Four words at a multiple of four: each one is old or new.
    SLUICE_FN Four four(uint32_t at) const {
#ifdef __CUDA_ARCH__
        counted(words + at);
        uint4 v = *(const uint4*) (words + at);
        return Four{{v.x, v.y, v.z, v.w}};
#else
        return Four{{words[at], words[at + 1], words[at + 2], words[at + 3]}};
#endif
    }
};

// What the kernel takes as a parameter; ChangesLayout has its words.
struct ChangesParameters {
    uint32_t words[ChangesLayout::WORDS];

    template <class T>
    SLUICE_FN T* address(uint32_t at) const {
        return (T*) ((uintptr_t) words[at] | (uintptr_t) words[at + 1] << 32);
    }
};

// The base rules that are there at a tick.
struct BaseRulesAt {
    ChangingWords removed;
    uint32_t tick;

    SLUICE_FN bool operator()(uint32_t position) const { return removed[position] > tick; }
};

// The best of the rules that came and count at a tick, better than a base rule.
struct InsertedSearch {
    static constexpr uint32_t NONE = 0x7fffffffu;

    ChangingWords w;
    Header h;
    uint32_t now;
    uint32_t size;
    uint32_t masks;
    int ports;

    // The order of the best rule so far: those that are better in all three words come before it.
    uint32_t precede;
    uint32_t high = MISS;
    uint32_t low = MISS;
    uint32_t slot = MISS;

    SLUICE_FN InsertedSearch(const ChangingWords& words, const Header& header, uint32_t tick, uint32_t base)
        : w(words),
          h(header),
          now(VersionedTuplesLayout::NEVER - tick),
          size(words[VersionedTuplesLayout::WORDS_AT]),
          masks(words[VersionedTuplesLayout::MASKS_AT]),
          ports((int) words[VersionedTuplesLayout::PORTS_AT]),
          precede(base == MISS ? NONE : base) {}

    SLUICE_FN uint32_t key(uint32_t record) const {
        using namespace VersionedTuplesLayout;
        uint32_t digest = 0;
        uint32_t at = record + FIRST_TERM;
        for (uint32_t t = w[record + TERMS]; t > 0; t--, at += TERM) {
            digest = mix(digest, h[w[at + TERM_POSITION]] & w[at + TERM_MASK]);
        }
        return finish(digest);
    }

    SLUICE_FN bool better(const Four& order) const {
        using namespace VersionedTuplesLayout;
        if (order[PRECEDE] != precede) {
            return order[PRECEDE] < precede;
        }
        if (order[SUB_HIGH] != high) {
            return order[SUB_HIGH] < high;
        }
        return order[SUB_LOW] < low;
    }

    // Every word is compared, so that the threads of a warp do the same.
    SLUICE_FN bool holds(uint32_t entry) const {
        using namespace VersionedTuplesLayout;
        uint32_t differs = 0;
        for (uint32_t p = 0; p < size; p += 4) {
            Four value = w.four(entry + VALUES + p);
            Four mask = w.four(entry + masks + p);
            SLUICE_UNROLL
            for (uint32_t q = 0; q < 4; q++) {
                if (p + q < size) {
                    differs |= (h[p + q] ^ value[q]) & mask[q];
                }
            }
        }
        uint32_t ranges = entry + 2 * masks - VALUES;
        return differs == 0
                && (ports < 0 || ports_hold(h[ports], w[ranges + SRC_PORTS], w[ranges + DST_PORTS]));
    }

    SLUICE_FN void tuple(uint32_t record) {
        using namespace VersionedTuplesLayout;
        uint32_t digest = key(record);
        uint32_t next = w[w[record + TABLE] + (digest >> w[record + SHIFT])];
        while (next != 0) {
            uint32_t entry = next;
            Four head = w.four(entry);
            next = head[NEXT];
            if (head[DIGEST] == digest && head[FROM] >= now && head[TO] < now) {
                Four order = w.four(entry + PRECEDE);
                if (better(order) && holds(entry)) {
                    precede = order[PRECEDE];
                    high = order[SUB_HIGH];
                    low = order[SUB_LOW];
                    slot = order[SLOT];
                }
            }
        }
    }

    SLUICE_FN void tuple_of(uint32_t directory, uint32_t t) {
        uint32_t record = w[directory + VersionedTuplesLayout::RECORDS + t];
        if (w[record + VersionedTuplesLayout::BEST] <= precede) {
            tuple(record);
        }
    }

    SLUICE_FN void tuples(uint32_t directory) {
        using namespace VersionedTuplesLayout;
        uint32_t count = w[directory + TUPLES];
        uint32_t pruning = w[directory + PRUNING];
        if (pruning == 0) {
            for (uint32_t t = 0; t < count; t++) {
                tuple_of(directory, t);
            }
            return;
        }
        uint32_t shift = w[pruning + PRUNING_SHIFT];
        uint32_t first = pruning + PRUNING_BUCKETS;
        uint32_t second = first + BUCKET * ((1u << (32 - shift)) + 1);
        uint32_t of_first = bucket(first, h[w[pruning + PRUNING_POSITIONS]], shift);
        uint32_t of_second = bucket(second, h[w[pruning + PRUNING_POSITIONS + 1]], shift);
        for (uint32_t t = 0; t < count; t += 32) {
            uint32_t word = t / 32;
            uint32_t looks = (w[of_first + word] | w[first + word]) & (w[of_second + word] | w[second + word]);
            // Later entries may have opened tuples that the directory does not name.
            looks &= count - t >= 32 ? 0xffffffffu : (1u << (count - t)) - 1;
            for (; looks != 0; looks &= looks - 1) {
                tuple_of(directory, t + (uint32_t) lowest(looks));
            }
        }
    }

    // The bucket of a header word's upper half, among those of which the first is for all.
    static SLUICE_FN uint32_t bucket(uint32_t all, uint32_t word, uint32_t shift) {
        using namespace VersionedTuplesLayout;
        return all + BUCKET * (1 + ((word >> 16) * (uint32_t) HashMultipliers::GOLDEN >> shift));
    }
};

// The verdict at a tick on a header of which the base says a verdict: again a base rule, or one that
// came: the number of base rules, and its own behind that.
SLUICE_FN uint32_t verdict_at(
        const Image& all,
        const ChangingWords& inserted,
        const ChangingWords& removed,
        const Header& h,
        uint32_t tick,
        uint32_t directory,
        uint32_t base_rules,
        uint32_t verdict) {
    BaseRulesAt there{removed, tick};
    bool gone = verdict != MISS && !there(verdict);
    uint32_t base = gone ? MISS : verdict;
    InsertedSearch search(inserted, h, tick, base);
    if (directory != 0) {
        search.tuples(directory);
    }
    // No base rule before the one that went matches. Behind it others may, which the image need not
    // have: so all are looked into, unless one that came is before them.
    if (gone && (search.slot == MISS || search.precede > verdict)) {
        TupleSearch again(all, h);
        search_tuples<false>(again, there);
        base = again.best;
        if (base != MISS && base < search.precede) {
            return base;
        }
    }
    return search.slot == MISS ? base : base_rules + search.slot;
}

}  // namespace sluice
