// Longest-prefix match: DIR-24-8 for IPv4, binary search on prefix lengths for IPv6.
#pragma once

#include "words.cuh"

namespace sluice {

// Result + 1 of an IPv4 address, 0 for none.
SLUICE_FN uint32_t dir24(const Image& w, uint32_t record, uint32_t address) {
    uint32_t table = w[record + Dir24Layout::TABLE];
    uint32_t blocks = w[record + Dir24Layout::BLOCKS];
    constexpr uint32_t LOWEST = Dir24Layout::BLOCK - 1;
    if (w[record + Dir24Layout::NARROW] != 0) {
        constexpr uint32_t NUMBER = Dir24Layout::NARROW_FLAG - 1;
        uint32_t entry = w.half(table, address >> Dir24Layout::BLOCK_BITS);
        return (entry & Dir24Layout::NARROW_FLAG) == 0
                ? entry
                : w.half(blocks, (entry & NUMBER) * Dir24Layout::BLOCK + (address & LOWEST));
    }
    constexpr uint32_t NUMBER = Dir24Layout::WIDE_FLAG - 1;
    uint32_t entry = w[table + (address >> Dir24Layout::BLOCK_BITS)];
    return (entry & Dir24Layout::WIDE_FLAG) == 0
            ? entry
            : w[blocks + (entry & NUMBER) * Dir24Layout::BLOCK + (address & LOWEST)];
}

SLUICE_FN uint32_t route_mask(uint32_t length, uint32_t word) {
    int bits = (int) length - 32 * (int) word;
    return bits <= 0 ? 0 : bits >= 32 ? 0xffffffffu : 0xffffffffu << (32 - bits);
}

SLUICE_FN uint32_t route_hash(uint32_t a, uint32_t b, uint32_t c, uint32_t d) {
    uint32_t h = a * HashMultipliers::GOLDEN;
    h = (h ^ h >> 15 ^ b) * HashMultipliers::FINISH_1;
    h = (h ^ h >> 13 ^ c) * HashMultipliers::FINISH_2;
    h = (h ^ h >> 16 ^ d) * HashMultipliers::GOLDEN;
    return h ^ h >> 15;
}

// Result + 1 of an IPv6 address, 0 for none.
SLUICE_FN uint32_t length_search(
        const Image& w, uint32_t record, uint32_t a, uint32_t b, uint32_t c, uint32_t d) {
    int count = (int) w[record + LengthSearchLayout::COUNT];
    uint32_t lengths = record + LengthSearchLayout::LENGTHS;
    uint32_t result = w[lengths + LengthSearchLayout::REST * count];
    int low = 0;
    int high = count - 1;
    while (low <= high) {
        int middle = (low + high) >> 1;
        uint32_t length = w[lengths + middle];
        uint32_t table = w[lengths + LengthSearchLayout::TABLES * count + middle];
        uint32_t mask = w[lengths + LengthSearchLayout::MASKS * count + middle];
        uint32_t ka = a & route_mask(length, 0);
        uint32_t kb = b & route_mask(length, 1);
        uint32_t kc = c & route_mask(length, 2);
        uint32_t kd = d & route_mask(length, 3);
        uint32_t place = route_hash(ka, kb, kc, kd) & mask;
        bool hit = false;
        for (;; place = (place + 1) & mask) {
            uint32_t at = table + place * LengthSearchLayout::ENTRY;
            Four key = w.four(at);
            Two rest = w.two(at + LengthSearchLayout::RESULT);
            if (rest.second == 0) {
                break;
            }
            if (key[0] == ka && key[1] == kb && key[2] == kc && key[3] == kd) {
                result = rest.first;
                hit = true;
                break;
            }
        }
        if (hit) {
            low = middle + 1;
        } else {
            high = middle - 1;
        }
    }
    return result;
}

SLUICE_FN uint32_t routes(const Image& w, const Header& h) {
    uint32_t layout = w[ImageLayout::LAYOUT_AT];
    uint32_t record = w[RoutesLayout::RECORD_AT];
    int address = (int) w[RoutesLayout::ADDRESS_AT];
    if ((word_or_zero(h, layout, HeaderWord::IP) & w[RoutesLayout::IP_MASK_AT])
            != w[RoutesLayout::IP_VALUE_AT]) {
        return MISS;
    }
    if (address >= (int) HeaderWord::IPV6_SRC) {
        return length_search(
                       w,
                       record,
                       word_or_zero(h, layout, address),
                       word_or_zero(h, layout, address + 1),
                       word_or_zero(h, layout, address + 2),
                       word_or_zero(h, layout, address + 3))
                - 1;
    }
    if (position_in(layout, address) < 0) {
        return w[ImageLayout::RULES_AT] == 0 ? MISS : 0;
    }
    return dir24(w, record, word_or_zero(h, layout, address)) - 1;
}

}  // namespace sluice
