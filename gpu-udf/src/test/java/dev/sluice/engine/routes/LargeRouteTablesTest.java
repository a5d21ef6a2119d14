package dev.sluice.engine.routes;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.engine.image.WordWriter;
import dev.sluice.engine.prefix.Prefix;
import dev.sluice.schemas.testing.TestSeed;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Route tables of the sizes that the papers report, many prefixes of which lead to one hop. */
class LargeRouteTablesTest {
    private static List<Prefix> longestFirst(List<Prefix> routes) {
        routes.sort(Comparator.comparingInt(Prefix::length).reversed());
        return routes;
    }

    private static int[] hops(List<Prefix> routes, Map<Prefix, Integer> wanted) {
        return routes.stream().mapToInt(wanted::get).toArray();
    }

    @ParameterizedTest
    @CsvSource({"282797, 100, true", "1000000, 60000, false"})
    void ipv4RoutesOfABackboneAndOfTomorrow(int size, int hops, boolean narrow) {
        SplittableRandom random = new SplittableRandom(TestSeed.of(size));
        Map<Prefix, Integer> wanted = new HashMap<>();
        List<Prefix> routes = new ArrayList<>();
        while (wanted.size() < size) {
            // PacketShader's table has 3 % of its prefixes longer than 24 bits.
            int length =
                    random.nextInt(100) < 3
                            ? 25 + random.nextInt(8)
                            : Math.max(8, 24 - (int) (random.nextDouble() * random.nextInt(16)));
            int value = random.nextInt() & -1 << 32 - length;
            Prefix prefix = new Prefix((value & 0xffffffffL) << 32, 0, length);
            int hop = random.nextInt(hops);
            if (wanted.putIfAbsent(prefix, hop) == null) {
                routes.add(prefix);
            }
        }
        WordWriter out = new WordWriter("routes", 256L << 20);
        int record = Dir24.write(out, longestFirst(routes), hops(routes, wanted));
        int[] words = out.toArray();
        assertEquals(narrow, words[record + Dir24Layout.NARROW] != 0);
        int[] hop = new int[1];
        for (int k = 0; k < 200_000; k++) {
            int address = random.nextInt();
            if ((k & 1) == 0) {
                address = routes.get(random.nextInt(size)).word(0) | random.nextInt(512);
            }
            Integer expected = null;
            for (int length = 32; length >= 0 && expected == null; length--) {
                int value = length == 0 ? 0 : address & -1 << 32 - length;
                expected = wanted.get(new Prefix((value & 0xffffffffL) << 32, 0, length));
            }
            Dir24.lookUp(words, record, new int[] {address}, 0, 1, hop, 0);
            assertEquals(expected == null ? -1 : expected, hop[0]);
        }
    }

    @Test
    void ipv6RoutesTakeSevenProbesAtMost() {
        SplittableRandom random = new SplittableRandom(TestSeed.of(6));
        Map<Prefix, Integer> wanted = new HashMap<>();
        List<Prefix> routes = new ArrayList<>();
        while (wanted.size() < 200_000) {
            int length = 16 + random.nextInt(random.nextBoolean() ? 33 : 113);
            long high = 0x2000_0000_0000_0000L | random.nextLong() >>> 3;
            long low = random.nextLong();
            high &= length >= 64 ? -1 : -1L << 64 - length;
            low &= length <= 64 ? 0 : -1L << 128 - length;
            Prefix prefix = new Prefix(high, low, length);
            int hop = random.nextInt(500);
            if (wanted.putIfAbsent(prefix, hop) == null) {
                routes.add(prefix);
            }
        }
        WordWriter out = new WordWriter("routes", 512L << 20);
        int record = LengthSearch.write(out, longestFirst(routes), hops(routes, wanted));
        int[] words = out.toArray();
        int probes = LengthSearch.mostProbes(words, record);
        assertTrue(probes <= 7, () -> probes + " probes");
        for (int k = 0; k < 50_000; k++) {
            Prefix near = routes.get(random.nextInt(routes.size()));
            long high = near.high();
            long low = near.low();
            if (near.length() < 64) {
                high |= random.nextLong() >>> near.length();
            }
            low |= near.length() <= 64 ? random.nextLong() : 0;
            high ^= random.nextInt(3) == 0 ? 1L << random.nextInt(64) : 0;
            Integer expected = null;
            for (int length = 128; length >= 0 && expected == null; length--) {
                long h = length >= 64 ? high : length == 0 ? 0 : high & -1L << 64 - length;
                long l = length <= 64 ? 0 : length == 128 ? low : low & -1L << 128 - length;
                expected = wanted.get(new Prefix(h, l, length));
            }
            assertEquals(
                    expected == null ? -1 : expected,
                    LengthSearch.lookUp(
                            words,
                            record,
                            (int) (high >>> 32),
                            (int) high,
                            (int) (low >>> 32),
                            (int) low));
        }
    }
}
