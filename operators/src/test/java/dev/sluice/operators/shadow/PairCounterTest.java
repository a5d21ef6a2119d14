package dev.sluice.operators.shadow;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.engine.lookup.PendingVerdicts;
import dev.sluice.engine.lookup.VerdictBatch;
import dev.sluice.engine.rules.Match;
import dev.sluice.engine.rules.Rule;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.operators.rules.serving.HeldRules;
import dev.sluice.schemas.codec.Column;
import dev.sluice.schemas.codec.MalformedMessageException;
import dev.sluice.schemas.codec.PacketBlock;
import dev.sluice.schemas.codec.ShadowCount;
import dev.sluice.schemas.codec.ShadowCount.Kind;
import dev.sluice.schemas.header.Field;
import dev.sluice.schemas.header.HeaderBatch;
import dev.sluice.schemas.header.HeaderWord;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Pairs of rules, counted over versions whose verdicts have other numbers. */
class PairCounterTest {
    private static final int MISS = VerdictBatch.MISS;

    /** A version whose verdicts a test makes up. */
    private static final class Made extends HeldRules {
        Made(RuleSet rules) {
            super(rules);
        }

        @Override
        public PendingVerdicts submit(HeaderBatch headers, VerdictBatch verdicts) {
            throw new AssertionError("nothing is looked up");
        }
    }

    private static final class Words implements ShadowWords {
        private static final long serialVersionUID = 1L;

        @Override
        public String outcome(String action) {
            return action.startsWith("permit") ? "permit" : action;
        }

        @Override
        public String packet(int[] header) {
            return "port " + header[HeaderWord.PORTS];
        }
    }

    /** Rules whose verdicts are their places, by their ids and actions. */
    private static Made version(long version, Object... idsAndActions) {
        List<Rule> rules = new ArrayList<>();
        for (int i = 0; i < idsAndActions.length; i += 2) {
            rules.add(
                    new Rule(
                            (Integer) idsAndActions[i],
                            100 - i,
                            new Match.Builder().field(Field.DST_PORT, i).build(),
                            (String) idsAndActions[i + 1],
                            i + 1));
        }
        return new Made(RuleSet.of("set", version, "deny", rules));
    }

    private static PacketBlock block(int count) {
        int[] ports = new int[count];
        int[] lengths = new int[count];
        long[] times = new long[count];
        for (int i = 0; i < count; i++) {
            ports[i] = i;
            lengths[i] = 100;
            times[i] = 50 - i;
        }
        return new PacketBlock(
                "c",
                0,
                0,
                1,
                count,
                List.of(
                        Column.ofWords(HeaderWord.PORTS, ports, 0, count),
                        Column.ofWords(Column.FRAME_LENGTH, lengths, 0, count),
                        Column.ofLongs(Column.TIME_NS, times, 0, count)));
    }

    private static Map<String, ShadowCount> drain(PairCounter counter) {
        Map<String, ShadowCount> counts = new TreeMap<>();
        counter.drain(
                message -> {
                    try {
                        ShadowCount count = ShadowCount.decode(message);
                        counts.merge(name(count), count, ShadowCount::and);
                    } catch (MalformedMessageException e) {
                        throw new AssertionError(e);
                    }
                });
        return counts;
    }

    private static String name(ShadowCount count) {
        return count.kind() != Kind.PAIR
                ? count.kind().name()
                : "%s %s > %s %s"
                        .formatted(
                                Objects.requireNonNull(count.old()).ruleId(),
                                count.old().outcome(),
                                Objects.requireNonNull(count.fresh()).ruleId(),
                                count.fresh().outcome());
    }

    private static void count(PairCounter counter, Made before, Made after, int[] was, int[] is) {
        counter.count(block(was.length), 0, was.length, before, was, after, is, 0);
    }

    @Test
    void aNumberOfAnotherVersionIsAnotherRule() {
        PairCounter counter = new PairCounter(new Words());
        Made old = version(1, 7, "permit", 8, "deny");
        count(counter, old, version(1, 1, "deny"), new int[] {0, 0, 1}, new int[] {0, MISS, 0});
        count(
                counter,
                version(2, 8, "deny", 7, "permit"),
                version(2, 2, "permit in part", 1, "deny"),
                new int[] {0, 1, 0, 1},
                new int[] {0, 0, 1, 1});
        Map<String, ShadowCount> counts = drain(counter);
        assertEquals(
                List.of("7 permit > 1 deny", "7 permit > null deny", "8 deny > 2 permit", "SAME"),
                List.copyOf(counts.keySet()));
        ShadowCount pair = Objects.requireNonNull(counts.get("7 permit > 1 deny"));
        assertEquals(2, pair.packets());
        assertEquals(200, pair.bytes());
        assertEquals(47, pair.firstNs());
        assertEquals(50, pair.lastNs());
        assertEquals("port 0", pair.example());
        assertEquals(2, Objects.requireNonNull(pair.old()).version());
        assertEquals(3, Objects.requireNonNull(counts.get("SAME")).packets());
        assertEquals(7, counter.compared().getAsLong());
        assertEquals(4, counter.different().getAsLong());
        assertTrue(drain(counter).isEmpty());
    }

    @Test
    void morePairsThanAreHeldAreHandedOutBefore() {
        PairCounter counter = new PairCounter(new Words(), 2);
        Made old = version(1, 1, "a", 2, "b", 3, "c", 4, "d", 5, "e");
        List<byte[]> early = new ArrayList<>();
        for (int round = 0; round < 3; round++) {
            count(
                    counter,
                    old,
                    version(1),
                    new int[] {0, 1, 2, 3, 4},
                    new int[] {-1, -1, -1, -1, -1});
            counter.takeFull(early::add);
        }
        assertTrue(early.size() >= 5, early.size() + " counts");
        long packets = drain(counter).values().stream().mapToLong(ShadowCount::packets).sum();
        for (byte[] message : early) {
            try {
                packets += ShadowCount.decode(message).packets();
            } catch (MalformedMessageException e) {
                throw new AssertionError(e);
            }
        }
        assertEquals(15, packets);
    }
}
