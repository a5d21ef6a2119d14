package dev.sluice.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.engine.lookup.Algorithm;
import dev.sluice.engine.lookup.Classifier;
import dev.sluice.engine.lookup.CompileOptions;
import dev.sluice.engine.lookup.Oracle;
import dev.sluice.engine.lookup.VerdictBatch;
import dev.sluice.engine.prefix.Prefix;
import dev.sluice.engine.routes.RouteTable;
import dev.sluice.engine.rules.Match;
import dev.sluice.engine.rules.Rule;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.engine.testing.RandomRules;
import dev.sluice.schemas.header.Field;
import dev.sluice.schemas.header.HeaderBatch;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The sizes that the papers report. */
class LargeRuleSetsTest {
    @ParameterizedTest
    @CsvSource({"282797, 100, true", "1000000, 60000, false"})
    void ipv4RoutesOfABackboneAndOfTomorrow(int size, int hops, boolean narrow) {
        SplittableRandom random = new SplittableRandom(size);
        Map<Prefix, RouteTable.Hop> wanted = new HashMap<>();
        List<RouteTable.Route> routes = new ArrayList<>();
        while (wanted.size() < size) {
            // PacketShader's table has 3 % of its prefixes longer than 24 bits.
            int length =
                    random.nextInt(100) < 3
                            ? 25 + random.nextInt(8)
                            : Math.max(8, 24 - (int) (random.nextDouble() * random.nextInt(16)));
            int value = random.nextInt() & -1 << 32 - length;
            Prefix prefix = new Prefix((value & 0xffffffffL) << 32, 0, length);
            RouteTable.Hop hop = new RouteTable.Hop("hop" + random.nextInt(hops), 64_512);
            if (wanted.putIfAbsent(prefix, hop) == null) {
                routes.add(new RouteTable.Route(false, prefix, hop));
            }
        }
        RouteTable table = new RouteTable(routes, 256L << 20);
        assertEquals(narrow, table.narrow());
        for (int k = 0; k < 200_000; k++) {
            int address = random.nextInt();
            if ((k & 1) == 0) {
                address = routes.get(random.nextInt(size)).prefix().word(0) | random.nextInt(512);
            }
            RouteTable.Hop expected = null;
            for (int length = 32; length >= 0 && expected == null; length--) {
                int value = length == 0 ? 0 : address & -1 << 32 - length;
                expected = wanted.get(new Prefix((value & 0xffffffffL) << 32, 0, length));
            }
            assertEquals(expected, table.hop(address));
        }
    }

    @Test
    void ipv6RoutesTakeSevenProbesAtMost() {
        SplittableRandom random = new SplittableRandom(6);
        Map<Prefix, RouteTable.Hop> wanted = new HashMap<>();
        List<RouteTable.Route> routes = new ArrayList<>();
        while (wanted.size() < 200_000) {
            int length = 16 + random.nextInt(random.nextBoolean() ? 33 : 113);
            long high = 0x2000_0000_0000_0000L | random.nextLong() >>> 3;
            long low = random.nextLong();
            high &= length >= 64 ? -1 : -1L << 64 - length;
            low &= length <= 64 ? 0 : -1L << 128 - length;
            Prefix prefix = new Prefix(high, low, length);
            RouteTable.Hop hop = new RouteTable.Hop("hop" + random.nextInt(500), 1);
            if (wanted.putIfAbsent(prefix, hop) == null) {
                routes.add(new RouteTable.Route(true, prefix, hop));
            }
        }
        RouteTable table = new RouteTable(routes, 512L << 20);
        assertTrue(table.mostProbes() <= 7, () -> table.mostProbes() + " probes");
        for (int k = 0; k < 50_000; k++) {
            Prefix near = routes.get(random.nextInt(routes.size())).prefix();
            long high = near.high();
            long low = near.low();
            if (near.length() < 64) {
                high |= random.nextLong() >>> near.length();
            }
            low |= near.length() <= 64 ? random.nextLong() : 0;
            high ^= random.nextInt(3) == 0 ? 1L << random.nextInt(64) : 0;
            RouteTable.Hop expected = null;
            for (int length = 128; length >= 0 && expected == null; length--) {
                long h = length >= 64 ? high : length == 0 ? 0 : high & -1L << 64 - length;
                long l = length <= 64 ? 0 : length == 128 ? low : low & -1L << 128 - length;
                expected = wanted.get(new Prefix(h, l, length));
            }
            assertEquals(
                    expected,
                    table.hop((int) (high >>> 32), (int) high, (int) (low >>> 32), (int) low));
        }
    }

    @Test
    void bitvectorOf50000RulesWithinABudgetOfItsOwn() {
        SplittableRandom random = new SplittableRandom(50);
        List<Rule> rules = new ArrayList<>();
        for (int i = 0; i < 50_000; i++) {
            int length = 8 + random.nextInt(9);
            int low = random.nextInt(100);
            Match match =
                    new Match.Builder()
                            .field(Field.IPV4_SRC, random.nextInt(256) << 24, -1 << 32 - length)
                            .field(Field.IPV4_DST, random.nextInt(4096) << 20, -1 << 20)
                            .ports(Field.SRC_PORT, low, low + random.nextInt(50))
                            .ports(Field.DST_PORT, 0, 1024 + low)
                            .field(Field.IP_PROTO, 6 + 11 * random.nextInt(2))
                            .build();
            rules.add(new Rule(i + 1, random.nextInt(65_536), match, "a", i + 1));
        }
        RuleSet set = RuleSet.of("large", 1, RuleSet.DROP, rules);
        Classifier classifier =
                new Compiler(CompileOptions.of(Algorithm.BITVECTOR).withBudget(200L << 20))
                        .compile(set);
        RandomRules headers = new RandomRules(51);
        HeaderBatch batch = new HeaderBatch(set.layout(), 400);
        VerdictBatch verdicts = new VerdictBatch(400);
        List<int[]> asked = new ArrayList<>();
        for (int i = 0; i < 400; i++) {
            asked.add(headers.header(set));
            batch.add(asked.get(i));
        }
        classifier.classify(batch, verdicts);
        boolean hit = false;
        for (int i = 0; i < 400; i++) {
            assertEquals(Oracle.classify(set, asked.get(i)), verdicts.rule(i));
            hit |= verdicts.rule(i) > 1000;
        }
        assertTrue(hit);
        assertFalse(classifier.image().bytes() > 200L << 20);
    }
}
