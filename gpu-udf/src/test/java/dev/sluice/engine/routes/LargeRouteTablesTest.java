package dev.sluice.engine.routes;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import dev.sluice.engine.image.BuildMeter;
import dev.sluice.engine.image.WordWriter;
import dev.sluice.engine.lookup.FirstMatch;
import dev.sluice.engine.lookup.VerdictBatch;
import dev.sluice.engine.prefix.Dir24;
import dev.sluice.engine.prefix.Dir24Layout;
import dev.sluice.engine.prefix.LengthSearch;
import dev.sluice.engine.prefix.Prefix;
import dev.sluice.engine.rules.Match;
import dev.sluice.engine.rules.Rule;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.engine.testing.RandomRules.Shape;
import dev.sluice.engine.testing.RuleStory;
import dev.sluice.engine.testing.SameVerdicts;
import dev.sluice.engine.testing.StoryFile;
import dev.sluice.engine.testing.Subject;
import dev.sluice.schemas.header.HeaderWord;
import dev.sluice.schemas.testing.TestSeed;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Route tables of the sizes that the papers report, many prefixes of which lead to one hop. */
class LargeRouteTablesTest {
    private static final BuildMeter METER = new BuildMeter("routes", 1L << 30);

    /** Begins the action of a rule, its next hop's number ends it. */
    private static final String HOP = "hop";

    /** A table of the rules' hops; the right hop counts as the right rule. */
    private static final Subject TABLES =
            Subject.of("routes-to-hops", rules -> headers -> positions(rules, headers));

    private static List<Prefix> longestFirst(List<Prefix> routes) {
        routes.sort(Comparator.comparingInt(Prefix::length).reversed());
        return routes;
    }

    private static int[] hops(List<Prefix> routes, Map<Prefix, Integer> wanted) {
        return routes.stream().mapToInt(wanted::get).toArray();
    }

    @Test
    void ipv4RoutesOfABackbone() {
        ipv4Routes(282_797, 100, true);
    }

    @Tag("long")
    @Test
    void ipv4RoutesOfTomorrow() {
        ipv4Routes(1_000_000, 60_000, false);
    }

    private static void ipv4Routes(int size, int hops, boolean narrow) {
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
        int record = Dir24.write(out, longestFirst(routes), hops(routes, wanted), METER);
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
            if (hop[0] != (expected == null ? -1 : expected)) {
                keep(TestSeed.of(size), HeaderWord.IPV4_DST, wanted, address);
            }
        }
    }

    @Test
    void ipv6RoutesTakeSevenProbesAtMost() {
        ipv6Routes(20_000);
    }

    @Tag("long")
    @Test
    void manyIpv6RoutesTakeSevenProbesAtMost() {
        ipv6Routes(200_000);
    }

    private static void ipv6Routes(int size) {
        SplittableRandom random = new SplittableRandom(TestSeed.of(6));
        Map<Prefix, Integer> wanted = new HashMap<>();
        List<Prefix> routes = new ArrayList<>();
        while (wanted.size() < size) {
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
        int record = LengthSearch.write(out, longestFirst(routes), hops(routes, wanted), METER);
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
            int[] address = {(int) (high >>> 32), (int) high, (int) (low >>> 32), (int) low};
            int hop =
                    LengthSearch.lookUp(
                            words, record, address[0], address[1], address[2], address[3]);
            if (hop != (expected == null ? -1 : expected)) {
                keep(TestSeed.of(6), HeaderWord.IPV6_DST, wanted, address);
            }
        }
    }

    /** Fails, and keeps as few of the routes as give a wrong hop for an address. */
    private static void keep(long seed, int word, Map<Prefix, Integer> hops, int... address) {
        List<Rule> rules = new ArrayList<>();
        for (Map.Entry<Prefix, Integer> route : hops.entrySet()) {
            Prefix prefix = route.getKey();
            Match.Builder match = new Match.Builder();
            for (int w = 0; w < address.length; w++) {
                int bits = Math.min(32, Math.max(0, prefix.length() - 32 * w));
                match.word(word + w, prefix.word(w), bits == 0 ? 0 : -1 << 32 - bits);
            }
            String hop = HOP + route.getValue();
            rules.add(new Rule(rules.size() + 1, prefix.length(), match.build(), hop, 0));
        }
        int[] header = new int[HeaderWord.COUNT];
        System.arraycopy(address, 0, header, word, address.length);
        RuleStory story =
                RuleStory.of("large-routes", seed, rules, List.of(), List.<int[]>of(header));
        SameVerdicts.assertServed(story, TABLES);
        fail("a wrong hop, which the same routes in another order do not give: seed " + seed);
    }

    @Tag("story")
    @Test
    void keptRoutesLeadToTheRightHop() throws Exception {
        int served = 0;
        for (Path file : StoryFile.kept()) {
            RuleStory story = StoryFile.read(file);
            served += SameVerdicts.assertSameVerdicts(story, TABLES).isEmpty() ? 1 : 0;
        }
        assertTrue(served > 0 || StoryFile.isNamed(), "none has routes alone");
    }

    private static int hop(Rule rule) {
        return rule.action().startsWith(HOP)
                ? Integer.parseInt(rule.action().substring(HOP.length()))
                : (int) rule.id();
    }

    private static int[] positions(RuleSet rules, List<int[]> headers) {
        RouteCompiler.Key key = RouteCompiler.key(rules);
        if (key.ipMask() != 0) {
            throw new Subject.NotServed("a table of hops knows no version of IP");
        }
        int[] hops = rules.rules().stream().mapToInt(LargeRouteTablesTest::hop).toArray();
        WordWriter out = new WordWriter("routes", 512L << 20);
        int record =
                key.six()
                        ? LengthSearch.write(out, key.prefixes(), hops, METER)
                        : Dir24.write(out, key.prefixes(), hops, METER);
        int[] words = out.toArray();
        int[] positions = new int[headers.size()];
        for (int i = 0; i < positions.length; i++) {
            int[] h = headers.get(i);
            int a = key.address();
            int[] hop = new int[1];
            if (key.six()) {
                hop[0] = LengthSearch.lookUp(words, record, h[a], h[a + 1], h[a + 2], h[a + 3]);
            } else {
                Dir24.lookUp(words, record, new int[] {h[a]}, 0, 1, hop, 0);
            }
            int right = FirstMatch.classify(rules, h);
            boolean found = hop[0] == (right == VerdictBatch.MISS ? -1 : hops[right]);
            positions[i] = found ? right : position(hops, hop[0]);
        }
        return positions;
    }

    /** A rule with a hop, or none. */
    private static int position(int[] hops, int hop) {
        for (int r = 0; r < hops.length; r++) {
            if (hops[r] == hop) {
                return r;
            }
        }
        return VerdictBatch.MISS;
    }

    @Test
    void aTableOfHopsIsHeldAgainstTheOracleLikeAnyOther() {
        for (Shape shape : List.of(Shape.IPV4_ROUTES, Shape.BACKBONE)) {
            RuleStory random = RuleStory.random(TestSeed.of(8), shape, 300, 0, 500);
            Map<Match, Rule> longest = new LinkedHashMap<>();
            for (Rule rule : random.rules()) {
                int length = Integer.bitCount(rule.match().mask(HeaderWord.IPV4_DST));
                String hop = HOP + Math.floorMod(rule.id(), 7);
                Match route = rule.match().without(HeaderWord.IP);
                longest.put(route, new Rule(rule.id(), length, route, hop, 0));
            }
            RuleStory story =
                    RuleStory.of(
                            "hops-" + shape.label(),
                            random.seed(),
                            List.copyOf(longest.values()),
                            List.of(),
                            random.headers());
            SameVerdicts.assertServed(story, TABLES);
        }
    }
}
