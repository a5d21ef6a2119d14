package dev.sluice.engine.prefix;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.sluice.engine.image.WordWriter;
import dev.sluice.schemas.testing.TestSeed;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Every bit in which an address differs from a prefix counts, looked at by a table or skipped. */
class PrefixTrieTest {
    private static final int FIRST = 3;

    @ParameterizedTest
    @CsvSource({"1, 0", "1, 1", "1, 60", "2, 200", "3, 200", "4, 1", "4, 200", "4, 3000"})
    void addressesThatDifferInOneBitFindTheLongestPrefix(int words, int size) {
        Random random = TestSeed.random(31L * words + size);
        List<Prefix> prefixes = new ArrayList<>();
        for (int i = 0; i < size; i++) {
            prefixes.add(prefix(random, prefixes, 32 * words));
        }
        PrefixSet set = new PrefixSet(prefixes);
        PrefixSearch search = search(set, words);
        Prefix[] of = set.prefixes.clone();
        for (int bit = -1; bit < 32 * words; bit++) {
            for (int from = 0; from < of.length; from += PrefixSearch.BLOCK) {
                int n = Math.min(PrefixSearch.BLOCK, of.length - from);
                Prefix[] addresses = new Prefix[n];
                for (int i = 0; i < n; i++) {
                    addresses[i] = flipped(of[from + i], bit, random);
                }
                check(search, set, addresses, words);
            }
        }
        check(search, set, new Prefix[] {new Prefix(0, 0, 128), new Prefix(-1, -1, 128)}, words);
    }

    /** A prefix of any length, mostly close to one that is there. */
    private static Prefix prefix(Random random, List<Prefix> known, int bits) {
        int length = random.nextInt(3) == 0 ? bits : random.nextInt(bits + 1);
        long high = random.nextLong();
        long low = random.nextLong();
        if (!known.isEmpty() && random.nextInt(4) > 0) {
            Prefix near = known.get(random.nextInt(known.size()));
            int equal = random.nextInt(bits);
            high = near.high() ^ (equal >= 64 ? 0 : high >>> equal);
            low = near.low() ^ (equal >= 64 ? low >>> equal - 64 : low);
        }
        return new Prefix(
                length == 0 ? 0 : high & -1L << 64 - Math.min(64, length),
                length <= 64 ? 0 : low & -1L << 128 - length,
                length);
    }

    /** An address within a prefix, with one of its bits the other way round, none if -1. */
    private static Prefix flipped(Prefix p, int bit, Random random) {
        long high = p.high() | (p.length() >= 64 ? 0 : random.nextLong() >>> p.length());
        long low =
                p.length() >= 128
                        ? p.low()
                        : p.low() | random.nextLong() >>> Math.max(0, p.length() - 64);
        if (bit < 0) {
            return new Prefix(high, low, 128);
        }
        return bit < 64
                ? new Prefix(high ^ 1L << 63 - bit, low, 128)
                : new Prefix(high, low ^ 1L << 127 - bit, 128);
    }

    private static PrefixSearch search(PrefixSet set, int words) {
        WordWriter out = new WordWriter("trie", 64L << 20);
        int[] positions = IntStream.range(FIRST, FIRST + words).toArray();
        int root = PrefixTrie.write(out, set, positions);
        int around = PrefixTrie.writeAround(out, set, words);
        return new TrieSearch(out.toArray(), root, around, FIRST);
    }

    private static void check(PrefixSearch search, PrefixSet set, Prefix[] addresses, int words) {
        int capacity = addresses.length + 5;
        int[] h = new int[(FIRST + words) * capacity];
        for (int i = 0; i < addresses.length; i++) {
            for (int k = 0; k < words; k++) {
                h[(FIRST + k) * capacity + i + 2] = addresses[i].word(k);
            }
        }
        int[] found = new int[PrefixSearch.BLOCK];
        search.find(h, capacity, 2, addresses.length, new PrefixSearch.Room(), found);
        for (int i = 0; i < addresses.length; i++) {
            assertEquals(longest(set, addresses[i]), found[i], addresses[i]::toString);
        }
    }

    /** 1 + index of the last prefix that an address is in: in ascending order, the longest one. */
    private static int longest(PrefixSet set, Prefix address) {
        for (int i = set.size() - 1; i >= 0; i--) {
            if (set.prefixes[i].covers(address)) {
                return i + 1;
            }
        }
        return 0;
    }
}
