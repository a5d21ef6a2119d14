// The papers' own mappings, kept to be measured beside the others.
//
// GSwitch (CoNEXT 2014, §5, Alg. 1 to 5): a block takes some headers and some rules, or one tuple,
// which it copies to shared memory first; one atomic maximum a header unites what blocks find. Words
// of the maximum are ~position, so that the best rule is the greatest and 0 is a miss.
//
// Bitvector search (Schramm's thesis, §3): a warp a field, whose threads compare 32 bounds at once;
// as many headers a block as fields leave warps; one warp a header unites the bitvectors.
#pragma once

#include "lookup.cuh"

namespace sluice {

__device__ __forceinline__ bool staged_rule_holds(
        const uint32_t* rule, int size, int ports, const Header& h) {
    for (int p = 0; p < size; p++, rule += RuleTableLayout::PAIR) {
        if (((h[p] ^ rule[RuleTableLayout::VALUE]) & rule[RuleTableLayout::MASK]) != 0) {
            return false;
        }
    }
    return ports < 0
            || ports_hold(
                    h[ports], rule[RuleTableLayout::SRC_PORTS], rule[RuleTableLayout::DST_PORTS]);
}

__device__ __forceinline__ void stage(uint32_t* to, const uint32_t* from, uint32_t words) {
    for (uint32_t k = threadIdx.x; k < words; k += blockDim.x) {
        to[k] = __ldg(from + k);
    }
}

__device__ __forceinline__ void paper_linear_block(
        const Image& w, const uint32_t* headers, uint32_t* best, uint32_t stride, uint32_t count) {
    extern __shared__ uint32_t staged[];
    uint32_t layout = w[ImageLayout::LAYOUT_AT];
    int size = header_words(w);
    int ports = w[LinearLayout::RANGES_AT] == 0 ? -1 : position_in(layout, HeaderWord::PORTS);
    uint32_t rule_words = w[LinearLayout::STRIDE_AT];
    uint32_t from = blockIdx.y * SharedMemoryLayout::PAPER_RULES;
    uint32_t rules = w[ImageLayout::RULES_AT] < from
            ? 0
            : min(SharedMemoryLayout::PAPER_RULES, w[ImageLayout::RULES_AT] - from);
    stage(staged, w.words + w[LinearLayout::TABLE_AT] + from * rule_words, rules * rule_words);
    __syncthreads();
    uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) {
        return;
    }
    Header h{headers + i, stride};
    for (uint32_t r = 0; r < rules; r++) {
        if (staged_rule_holds(staged + r * rule_words, size, ports, h)) {
            atomicMax(best + i, ~(from + r));
            return;
        }
    }
}

template <bool FILTERED>
__device__ __forceinline__ void paper_tuple_block(
        const Image& w, const uint32_t* headers, uint32_t* best, uint32_t stride, uint32_t count) {
    extern __shared__ uint32_t staged[];
    if (blockIdx.y >= w[TupleSpaceLayout::TUPLES_AT]) {
        return;
    }
    uint32_t entry = w[TupleSpaceLayout::ORDER_AT] + TupleSpaceLayout::ORDER_ENTRY * blockIdx.y;
    uint32_t record = w[entry + TupleSpaceLayout::ORDER_RECORD];
    uint32_t cells = TupleSpaceLayout::SUBTABLES * w[record + TupleSpaceLayout::DEPTH];
    uint32_t row_words = w[TupleSpaceLayout::STRIDE_AT];
    uint32_t rows = w[TupleSpaceLayout::ROWS_AT];
    uint32_t filter_words = FILTERED ? 1u << (w[record + TupleSpaceLayout::FILTER_BITS] - 5) : 0;
    bool fits = cells * (TupleSpaceLayout::CELL + row_words) + filter_words
            <= SharedMemoryLayout::PAPER_TUPLE_WORDS;
    uint32_t* own_rows = staged + TupleSpaceLayout::CELL * cells;
    uint32_t* filter = own_rows + cells * row_words;
    if (fits) {
        stage(
                staged,
                w.words + w[record + TupleSpaceLayout::CELLS],
                TupleSpaceLayout::CELL * cells);
        stage(filter, w.words + w[record + TupleSpaceLayout::FILTER], filter_words);
        for (uint32_t k = threadIdx.x; k < cells * row_words; k += blockDim.x) {
            uint32_t first = w
                    [w[record + TupleSpaceLayout::CELLS] + TupleSpaceLayout::CELL * (k / row_words)
                     + TupleSpaceLayout::CELL_FIRST];
            own_rows[k] = first == 0 ? 0 : w[rows + (first - 1) * row_words + k % row_words];
        }
    }
    __syncthreads();
    uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) {
        return;
    }
    TupleSearch search(w, Header{headers + i, stride});
    if (!fits) {
        if (!FILTERED || search.passes(record)) {
            search.probe(record);
        }
    } else {
        if (FILTERED) {
            uint32_t key = search.digest(record, TupleSpaceLayout::FILTER_SEED);
            uint32_t bits = w[record + TupleSpaceLayout::FILTER_BITS];
            uint32_t a = filter_bit(key, 0, bits);
            uint32_t b = filter_bit(key, 1, bits);
            if ((filter[a >> 5] >> (a & 31) & filter[b >> 5] >> (b & 31) & 1) == 0) {
                return;
            }
        }
        uint32_t key = search.digest(record, TupleSpaceLayout::SEED);
        uint32_t depth = cells / TupleSpaceLayout::SUBTABLES;
        for (uint32_t s = 0; s < TupleSpaceLayout::SUBTABLES; s++) {
            uint32_t cell = search.cell_of(record, s, key, depth);
            const uint32_t* words = staged + TupleSpaceLayout::CELL * cell;
            if (words[TupleSpaceLayout::CELL_DIGEST] != key
                    || words[TupleSpaceLayout::CELL_FIRST] == 0) {
                continue;
            }
            const uint32_t* row = own_rows + cell * row_words;
            bool holds = row[TupleSpaceLayout::RANK] < search.best;
            for (int p = 0; p < search.size && holds; p++) {
                holds = ((search.h[p] ^ row[TupleSpaceLayout::VALUES + p])
                         & w[row[TupleSpaceLayout::MASK] + p])
                        == 0;
            }
            if (holds && (search.ports < 0
                    || ports_hold(
                            search.h[search.ports],
                            row[TupleSpaceLayout::SRC_PORTS],
                            row[TupleSpaceLayout::DST_PORTS]))) {
                search.best = row[TupleSpaceLayout::RANK];
            } else {
                search.chain(row[TupleSpaceLayout::NEXT]);
            }
        }
        uint32_t stash = w[record + TupleSpaceLayout::STASH];
        for (uint32_t k = 0; k < w[record + TupleSpaceLayout::STASHED]; k++) {
            uint32_t cell = stash + TupleSpaceLayout::CELL * k;
            if (w[cell + TupleSpaceLayout::CELL_DIGEST] == key) {
                search.chain(w[cell + TupleSpaceLayout::CELL_FIRST]);
            }
        }
    }
    if (search.best != MISS) {
        atomicMax(best + i, ~search.best);
    }
}

__device__ __forceinline__ void paper_bitvector_block(
        const Image& w, const uint32_t* headers, uint32_t* verdicts, uint32_t stride, uint32_t count) {
    __shared__ uint32_t range_of[32];
    constexpr uint32_t ALL = 0xffffffffu;
    uint32_t fields = w[BitvectorLayout::COUNT_AT];
    uint32_t words = w[BitvectorLayout::VECTOR_WORDS_AT];
    uint32_t lane = threadIdx.x & 31;
    uint32_t warp = threadIdx.x >> 5;
    uint32_t packets = fields == 0 ? 1 : 32 / fields;
    uint32_t i = blockIdx.x * packets + (fields == 0 ? 0 : warp / fields);
    if (fields > 0 && warp < packets * fields && i < count) {
        uint32_t field = w[BitvectorLayout::FIELDS_AT] + warp % fields * BitvectorLayout::RECORD;
        uint32_t bits = w[field + BitvectorLayout::BITS];
        uint32_t mask = bits == 32 ? ALL : (1u << bits) - 1;
        uint32_t value = headers[(size_t) w[field + BitvectorLayout::POSITION] * stride + i]
                        >> w[field + BitvectorLayout::SHIFT]
                & mask;
        uint32_t ranges = w[field + BitvectorLayout::RANGES];
        uint32_t from = 0;
        uint32_t to = ranges;
        while (to > from + 1) {
            uint32_t step = (to - from + WAYS - 1) / WAYS;
            uint32_t k = from + (lane + 1) * step;
            bool below = k < to && bound(w, w[field + BitvectorLayout::LOWS], bits, k) <= value;
            from += popcount(__ballot_sync(ALL, below)) * step;
            to = min(to, from + step);
        }
        if (lane == 0) {
            bool none = ranges == 0 || bound(w, w[field + BitvectorLayout::LOWS], bits, from) > value
                    || bound(w, w[field + BitvectorLayout::HIGHS], bits, from) < value;
            range_of[warp] = none
                    ? MISS
                    : w[field + BitvectorLayout::VECTORS] + from * range_words(words);
        }
    }
    __syncthreads();
    i = blockIdx.x * packets + warp;
    if (warp >= packets || i >= count) {
        return;
    }
    uint32_t found = fields == 0 && w[ImageLayout::RULES_AT] > 0 ? 0 : MISS;
    const uint32_t* at = range_of + warp * fields;
    bool open = fields > 0;
    for (uint32_t f = 0; f < fields; f++) {
        open = open && at[f] != MISS;
    }
    uint32_t aggregate = aggregate_words(words);
    for (uint32_t base = 0; open && base < aggregate && found == MISS; base += 32) {
        uint32_t a = base + lane;
        uint32_t candidates = a < aggregate ? ALL : 0;
        for (uint32_t f = 0; f < fields && candidates != 0; f++) {
            candidates &= w[at[f] + a];
        }
        uint32_t mine = MISS;
        for (; candidates != 0 && mine == MISS; candidates &= candidates - 1) {
            uint32_t v = BitvectorLayout::AGGREGATED * a + lowest(candidates);
            uint32_t low = ALL;
            uint32_t high = ALL;
            for (uint32_t f = 0; f < fields; f++) {
                low &= w[at[f] + aggregate + BitvectorLayout::VECTOR_WORD * v];
                high &= w[at[f] + aggregate + BitvectorLayout::VECTOR_WORD * v + 1];
            }
            if ((low | high) != 0) {
                mine = 64 * v + (low != 0 ? lowest(low) : 32 + lowest(high));
            }
        }
        for (int d = 16; d > 0; d /= 2) {
            mine = min(mine, __shfl_xor_sync(ALL, mine, d));
        }
        found = mine;
    }
    if (lane == 0) {
        verdicts[i] = found;
    }
}

}  // namespace sluice
