package dev.sluice.policy.questions;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.policy.questions.BoxList.Region;
import dev.sluice.policy.questions.LintRule.Line;
import dev.sluice.policy.questions.ListDiff.By;
import dev.sluice.policy.questions.ListDiff.Pair;
import dev.sluice.policy.questions.PointJudge.Verdict;
import dev.sluice.schemas.header.Field;
import dev.sluice.schemas.header.HeaderWord;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Differences of random policies against all headers of a small domain. */
class ListDiffTest {
    private static final long SEED = 54;

    /** Protocols that no rule names: each stands for others. */
    private static final int WITH_PORTS = 33;

    private static final int WITHOUT_PORTS = 50;

    /** Number of protocols without ports that no rule names. */
    private static final int OTHERS = 256 - 8;

    @Test
    void pairsAndSizesAreThoseOfAllHeaders() {
        List<int[]> headers = headers();
        int differences = 0;
        int depending = 0;
        for (int round = 0; round < 60; round++) {
            Random random = new Random(SEED + round);
            ComparedPolicy old = policy(random);
            ComparedPolicy fresh = random.nextInt(4) == 0 ? policy(random) : edited(old, random);
            By by = random.nextBoolean() ? By.OUTCOME : By.RULE;
            ListDiff diff = new ListDiff(new PairedLists(old, fresh), by, 10);
            Collection<Pair> pairs = diff.run(ListDiff.BUDGET);
            boolean flags = asksFlags(old) || asksFlags(fresh);
            Map<List<Object>, BigInteger> expected = new HashMap<>();
            for (int[] header : headers) {
                Verdict one = PointJudge.judge(old, header);
                Verdict other = PointJudge.judge(fresh, header);
                if (one == null || other == null) {
                    continue;
                }
                List<Object> key =
                        List.of(one.line(), one.outcome(), other.line(), other.outcome());
                long holding = pairs.stream().filter(pair -> holds(diff, pair, header)).count();
                boolean depends =
                        one.outcome().equals("depends") && one.outcome().equals(other.outcome());
                boolean mayBeEqual =
                        depends || by == By.RULE && one.outcome().equals(other.outcome());
                if (!one.outcome().equals(other.outcome()) || mayBeEqual && holding == 1) {
                    assertEquals(1, holding, () -> "one pair holds a header that differs: " + key);
                    expected.merge(key, weight(header, flags), BigInteger::add);
                } else {
                    assertEquals(0, holding, "no pair holds a header of one outcome");
                }
            }
            expected.values().removeIf(size -> size.signum() == 0);
            Map<List<Object>, BigInteger> found = new HashMap<>();
            for (Pair pair : pairs) {
                List<Object> key =
                        List.of(
                                diff.line(pair.old),
                                label(diff, pair.old.outcome()),
                                diff.line(pair.fresh),
                                label(diff, pair.fresh.outcome()));
                found.put(key, pair.size);
                int[] witness = assertNotNullOf(pair.witness);
                assertEquals(key.subList(0, 2), said(PointJudge.judge(old, witness)));
                assertEquals(key.subList(2, 4), said(PointJudge.judge(fresh, witness)));
                depending += key.contains("depends") ? 1 : 0;
            }
            assertEquals(expected, found, "seed " + (SEED + round) + " " + by);
            differences += found.size();
        }
        assertTrue(differences > 300, differences + " pairs");
        assertTrue(depending > 15, depending + " pairs that depend");
    }

    @Test
    void policyAndItselfDoNotDiffer() {
        for (int round = 0; round < 100; round++) {
            ComparedPolicy policy = policy(new Random(round));
            PairedLists lists = new PairedLists(policy, policy);
            assertEquals(0, lists.changed.length);
            assertTrue(new ListDiff(lists, By.RULE, 0).run(0).isEmpty());
        }
    }

    @Test
    void budgetThatEndsIsTold() {
        Random random = new Random(1);
        ComparedPolicy old = policy(random);
        ListDiff diff = new ListDiff(new PairedLists(old, policy(random)), By.OUTCOME, 0);
        diff.run(1);
        assertTrue(diff.givenUp.stream().anyMatch(lines -> !lines.isEmpty()));
    }

    private static List<Object> said(Verdict verdict) {
        assertNotNull(verdict);
        return List.of(verdict.line(), verdict.outcome());
    }

    private static int[] assertNotNullOf(int[] header) {
        assertNotNull(header);
        return header;
    }

    static String label(ListDiff diff, int outcome) {
        return outcome == PieceWalk.DEPENDS ? "depends" : diff.lists.outcomes.get(outcome);
    }

    static boolean holds(ListDiff diff, Pair pair, int[] header) {
        HeaderSpace space = diff.lists.boxes.space;
        for (Region region : pair.kept) {
            boolean all = true;
            for (int d = 0; d < space.size(); d++) {
                int at = space.dimensions.get(d).atHeader(header);
                all &= region.bounds()[2 * d] <= at && at <= region.bounds()[2 * d + 1];
            }
            for (int kind = 0; all && kind < space.kinds.size(); kind++) {
                boolean has = (region.kinds()[kind >>> 6] >>> kind & 1) != 0;
                if (has && isOfKind(space, kind, header)) {
                    return true;
                }
            }
        }
        return false;
    }

    private static boolean isOfKind(HeaderSpace space, int kind, int[] header) {
        for (Kinds.Part part : space.kinds.parts(kind)) {
            int[] sample = part.header().clone();
            int[] other = header.clone();
            for (int[] one : new int[][] {sample, other}) {
                Field.IP_PROTO.put(one, 0);
                Field.TCP_FLAGS.put(one, 0);
                Field.ETH_TYPE.put(one, 0);
            }
            boolean same = true;
            for (int word = 0; word < HeaderWord.COUNT; word++) {
                same &= (sample[word] & Kinds.BITS[word]) == (other[word] & Kinds.BITS[word]);
            }
            int protocol = Field.IP_PROTO.extract(header[HeaderWord.IP]);
            int flags = Field.TCP_FLAGS.extract(header[HeaderWord.TCP_FLAGS]);
            boolean ip = !part.protocols().isEmpty();
            if (same
                    && (!ip || part.protocols().get(protocol))
                    && (part.flags().cardinality() == 1 || part.flags().get(flags))) {
                return true;
            }
        }
        return false;
    }

    /** All headers of the small domain with protocols that stand for others. */
    private static List<int[]> headers() {
        List<int[]> all = new ArrayList<>();
        for (int[] header : SmallDomain.headers()) {
            boolean ip = Field.IP_VERSION.extract(header[HeaderWord.IP]) != 0;
            boolean v6 = Field.IP_VERSION.extract(header[HeaderWord.IP]) == Field.VERSION_6;
            if (ip) {
                Field.TTL_PRESENT.put(header, 1);
                Field.IP_LENGTH_PRESENT.put(header, 1);
                Field.IPV6_EXTENSIONS_PRESENT.put(header, v6 ? 1 : 0);
                Field.ETH_TYPE.put(header, v6 ? 0x86dd : 0x0800);
            } else {
                Field.ETH_TYPE.put(header, 0x0806);
            }
            all.add(header);
            int protocol = Field.IP_PROTO.extract(header[HeaderWord.IP]);
            if (protocol == 17 || protocol == 47) {
                int[] other = header.clone(); // 33 and 136 have ports, too
                other[HeaderWord.IP] &= ~Field.IP_PROTO.maskInWord();
                Field.IP_PROTO.put(other, protocol == 17 ? WITH_PORTS : WITHOUT_PORTS);
                all.add(other);
            }
        }
        return all;
    }

    /** Number of headers that one of the small domain stands for. */
    private static BigInteger weight(int[] header, boolean flags) {
        int version = Field.IP_VERSION.extract(header[HeaderWord.IP]);
        if (version == Field.VERSION_NONE) {
            return BigInteger.ONE;
        }
        int protocol = Field.IP_PROTO.extract(header[HeaderWord.IP]);
        boolean ports = Field.PORTS_PRESENT.extract(header[HeaderWord.IP]) == 1;
        long weight = protocol == WITHOUT_PORTS ? OTHERS : protocol == WITH_PORTS ? 2 : 1;
        if (protocol == 6 && ports) {
            if (!flags && Field.TCP_FLAGS.extract(header[HeaderWord.TCP_FLAGS]) != 0) {
                return BigInteger.ZERO;
            }
            weight *= flags ? 1 << Field.TCP_FLAGS.bits() - 2 : 1;
        }
        if (ports) {
            boolean icmp = protocol == 1 || protocol == 58;
            int most = icmp ? 256 : 65_536;
            weight *= Field.SRC_PORT.extract(header[HeaderWord.PORTS]) < 4 ? 1 : most - 4;
            weight *= Field.DST_PORT.extract(header[HeaderWord.PORTS]) < 4 ? 1 : (most - 4) / 2;
        }
        return BigInteger.valueOf(weight).shiftLeft(version == Field.VERSION_6 ? 252 : 60);
    }

    private static boolean asksFlags(ComparedPolicy policy) {
        for (List<MatchEntry> stage : policy.stages()) {
            for (MatchEntry entry : stage) {
                if (asksFlags(entry.match().mask(HeaderWord.TCP_FLAGS))) {
                    return true;
                }
                for (MatchEntry.Hidden at = entry.hidden(); at != null; at = at.outer()) {
                    if (asksFlags(at.match().mask(HeaderWord.TCP_FLAGS))) {
                        return true;
                    }
                }
            }
        }
        return false;
    }

    private static boolean asksFlags(int mask) {
        return Field.TCP_FLAGS.extract(mask) != 0;
    }

    private static ComparedPolicy policy(Random random) {
        List<List<MatchEntry>> stages = new ArrayList<>();
        List<Line> lines = new ArrayList<>();
        List<String> outcomes = new ArrayList<>();
        int count = random.nextInt(3) == 0 ? 2 : 1;
        for (int stage = 0; stage < count; stage++) {
            SmallDomain.Rules rules = SmallDomain.rules(random);
            List<MatchEntry> entries = new ArrayList<>();
            int first = lines.size();
            for (MatchEntry entry : rules.entries()) {
                if (entry.decides()) {
                    int owner = entry.owner() < 0 ? entry.owner() : first + entry.owner();
                    entries.add(with(entry, owner, entry.certain()));
                }
            }
            for (String outcome : rules.outcomes()) {
                lines.add(new Line("policy", lines.size() + 1, "", outcome, ""));
                outcomes.add(outcome);
            }
            stages.add(entries);
        }
        return new ComparedPolicy(stages, lines, outcomes);
    }

    private static MatchEntry with(MatchEntry entry, int owner, boolean certain) {
        return new MatchEntry(entry.match(), owner, true, certain, entry.hidden());
    }

    /** The same policy with boxes that are gone, new, moved or uncertain, and other outcomes. */
    private static ComparedPolicy edited(ComparedPolicy of, Random random) {
        List<List<MatchEntry>> stages = new ArrayList<>();
        List<String> outcomes = new ArrayList<>(of.outcomes());
        for (List<MatchEntry> stage : of.stages()) {
            List<MatchEntry> entries = new ArrayList<>(stage);
            for (int edit = random.nextInt(3); edit >= 0; edit--) {
                int at = random.nextInt(entries.size() - 1 + 1);
                MatchEntry entry = entries.get(at);
                boolean isEnd = at == entries.size() - 1;
                switch (random.nextInt(4)) {
                    case 0:
                        if (!isEnd) {
                            entries.remove(at);
                        }
                        break;
                    case 1:
                        int owner = random.nextInt(outcomes.size());
                        MatchEntry other = SmallDomain.rules(random).entries().get(0);
                        entries.add(at, with(other, owner, true));
                        break;
                    case 2:
                        if (!isEnd) {
                            entries.add(random.nextInt(at + 1), entries.remove(at));
                        }
                        break;
                    default:
                        if (!isEnd && entry.owner() >= 0) {
                            entries.set(at, with(entry, entry.owner(), !entry.certain()));
                        }
                }
            }
            stages.add(entries);
        }
        if (random.nextBoolean()) {
            int at = random.nextInt(outcomes.size());
            outcomes.set(at, outcomes.get(at).equals("permit") ? "deny" : "permit");
        }
        return new ComparedPolicy(stages, of.lines(), outcomes);
    }
}
