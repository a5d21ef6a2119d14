package dev.sluice.policy.questions;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.sluice.engine.rules.Match;
import dev.sluice.engine.rules.Rule;
import dev.sluice.policy.RuleFile;
import dev.sluice.policy.questions.LintRule.Line;
import dev.sluice.policy.questions.ListDiff.Pair;
import dev.sluice.policy.questions.RuleFinding.Need;
import dev.sluice.policy.questions.RuleFinding.Reach;
import dev.sluice.schemas.header.Field;
import dev.sluice.schemas.header.HeaderWord;
import java.math.BigInteger;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import jdd.bdd.BDD;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Findings about ClassBench's rules, and their edits, against binary decision diagrams (JDD). */
class DiagramTest {
    private static final int[] PORTED = {6, 17, 33, 132, 136};
    private static final List<String> OUTCOMES = List.of("permit", "deny", "output:2");
    private static final int FLAGS = Field.TCP_FLAGS.bits();
    private static final Match ALL = new Match.Builder().build();

    private final BDD bdd = new BDD(1 << 20, 1 << 18);
    private final int[] six = bits(1);
    private final int[] present = bits(1);
    private final int[] protocol = bits(8);
    private final int[] source = bits(32);
    private final int[] destination = bits(32);
    private final int[] sourcePort = bits(16);
    private final int[] destinationPort = bits(16);
    private final int[] flags = bits(FLAGS);
    private final Map<Integer, BigInteger> counts = new HashMap<>();

    @ParameterizedTest
    @ValueSource(strings = {"acl1_1k", "fw1_1k", "ipc1_1k"})
    void liveAndRedundantRulesAreThoseOfDiagrams(String name) {
        List<Rule> rules = rules(name);
        Random random = new Random(42);
        List<MatchEntry> entries = new ArrayList<>();
        List<String> outcomes = new ArrayList<>();
        for (Rule rule : rules) {
            entries.add(new MatchEntry(rule.match(), outcomes.size(), true, true));
            outcomes.add(random.nextBoolean() ? "permit" : "deny");
        }
        entries.add(new MatchEntry(ALL, outcomes.size(), true, true));
        outcomes.add("deny");
        List<RuleFinding> findings = Lint.of(entries, outcomes, rules.size());

        int[] boxes = rules.stream().mapToInt(rule -> of(rule.match())).toArray();
        boolean[] needed = new boolean[boxes.length];
        int[] permitted = new int[boxes.length + 1]; // by the rules from one on
        for (int i = boxes.length - 1; i >= 0; i--) {
            boolean permits = outcomes.get(i).equals("permit");
            permitted[i] =
                    permits
                            ? or(permitted[i + 1], boxes[i])
                            : and(permitted[i + 1], bdd.ref(bdd.not(boxes[i])));
        }
        int before = bdd.ref(bdd.not(possible()));
        int redundant = 0;
        for (int i = 0; i < boxes.length; i++) {
            int won = and(boxes[i], bdd.ref(bdd.not(before)));
            int permittedBehind = and(won, permitted[i + 1]);
            needed[i] = permittedBehind != (outcomes.get(i).equals("permit") ? won : 0);
            String where = name + ", rule " + i;
            RuleFinding finding = findings.get(i);
            assertEquals(won != 0 ? Reach.LIVE : Reach.DEAD, finding.reach(), where);
            if (won != 0) {
                assertEquals(needed[i] ? Need.NEEDED : Need.REDUNDANT, finding.need(), where);
                redundant += needed[i] ? 0 : 1;
            }
            before = or(before, boxes[i]);
        }
        assertTrue(redundant > 50, "redundant: " + redundant);
    }

    private static List<Rule> rules(String name) {
        Path file = Path.of("../../../shared/data/rules", name + ".rules.gz");
        assumeTrue(Files.exists(file), () -> "rule sets beside the checkout: no " + file);
        return RuleFile.read(file, null).rules();
    }

    @ParameterizedTest
    @ValueSource(strings = {"acl1_1k", "fw1_1k", "ipc1_1k"})
    void sizesOfDifferencesAreThoseOfDiagrams(String name) {
        Random random = new Random(187);
        List<MatchEntry> entries = new ArrayList<>();
        List<String> outcomes = new ArrayList<>();
        List<Match> known = rules(name).stream().map(Rule::match).toList();
        known.forEach(match -> entries.add(entry(match, outcomes, random)));
        entries.add(entry(ALL, outcomes, random));
        List<MatchEntry> edited = new ArrayList<>(entries);
        for (int edit = 0; edit < 40; edit++) {
            int at = random.nextInt(edited.size() - 1);
            int kind = random.nextInt(4);
            if (kind > 0) {
                edited.remove(at);
            }
            if (kind < 3) {
                Match match = kind == 2 ? entries.get(at).match() : drawn(known, random);
                edited.add(at, entry(match, outcomes, random));
            }
        }
        List<Line> lines = new ArrayList<>();
        outcomes.forEach(one -> lines.add(new Line(name, lines.size() + 1, "", one, "")));
        PairedLists lists =
                new PairedLists(
                        new ComparedPolicy(List.of(entries), lines, outcomes),
                        new ComparedPolicy(List.of(edited), lines, outcomes));
        ListDiff diff = new ListDiff(lists, ListDiff.By.OUTCOME, 0);

        Map<Integer, Integer> before = won(entries);
        Map<Integer, Integer> after = won(edited);
        Map<List<String>, BigInteger> found = new HashMap<>();
        for (Pair pair : diff.run(ListDiff.BUDGET)) {
            int one = diff.line(pair.old);
            int other = diff.line(pair.fresh);
            assertEquals(
                    size(and(before.get(one), after.get(other))),
                    pair.size,
                    lines.get(one).toString());
            found.merge(
                    List.of(outcomes.get(one), outcomes.get(other)), pair.size, BigInteger::add);
        }
        Map<List<String>, BigInteger> expected = new HashMap<>();
        for (String one : OUTCOMES) {
            for (String other : OUTCOMES) {
                BigInteger size = size(and(of(one, before, outcomes), of(other, after, outcomes)));
                if (!one.equals(other)) {
                    expected.put(List.of(one, other), size);
                }
            }
        }
        expected.values().removeIf(size -> size.signum() == 0);
        assertEquals(expected, found);
        assertEquals(6, found.size(), found.toString());
    }

    /** An entry with a line and an outcome of its own. */
    private static MatchEntry entry(Match match, List<String> outcomes, Random random) {
        outcomes.add(OUTCOMES.get(random.nextInt(OUTCOMES.size())));
        return new MatchEntry(match, outcomes.size() - 1, true, true);
    }

    /** Addresses of two rules, with ports or flags, of either version of IP. */
    private static Match drawn(List<Match> known, Random random) {
        Match.Builder match = new Match.Builder();
        Match from = known.get(random.nextInt(known.size()));
        Match to = known.get(random.nextInt(known.size()));
        boolean v6 = random.nextInt(3) == 0;
        match.field(Field.IP_VERSION, v6 ? Field.VERSION_6 : Field.VERSION_4);
        match.word(v6 ? HeaderWord.IPV6_SRC : HeaderWord.IPV4_SRC, from.value(0), from.mask(0));
        match.word(v6 ? HeaderWord.IPV6_DST : HeaderWord.IPV4_DST, to.value(1), to.mask(1));
        int protocol = new int[] {0, 1, 58, 17, 6, 6}[random.nextInt(6)];
        if (protocol > 0) {
            match.field(Field.IP_PROTO, protocol);
        }
        if (random.nextBoolean()) {
            int low = random.nextInt(1 << 1 + random.nextInt(15));
            match.ports(Field.DST_PORT, low, low + random.nextInt(1_000));
        }
        if (protocol == 6 && random.nextBoolean()) {
            match.field(Field.PORTS_PRESENT, 1)
                    .field(Field.TCP_FLAGS, 2, 1 << random.nextInt(5) | 2);
        }
        return match.build();
    }

    /** The headers that each line wins. */
    private Map<Integer, Integer> won(List<MatchEntry> entries) {
        Map<Integer, Integer> won = new HashMap<>();
        int left = possible();
        for (MatchEntry entry : entries) {
            int box = of(entry.match());
            won.put(entry.owner(), and(left, box));
            left = and(left, bdd.ref(bdd.not(box)));
        }
        return won;
    }

    private int of(String outcome, Map<Integer, Integer> won, List<String> outcomes) {
        int all = 0;
        for (Map.Entry<Integer, Integer> one : won.entrySet()) {
            all = outcomes.get(one.getKey()).equals(outcome) ? or(all, one.getValue()) : all;
        }
        return all;
    }

    /** Number of headers: ports and flags are in those alone that have some. */
    private BigInteger size(int headers) {
        BigInteger size = BigInteger.ZERO;
        for (int version = 0; version < 2; version++) {
            int of = and(headers, masked(six, version, 1));
            int ported = ported(version == 1);
            int whole = and(of, present[0]);
            int tcp = masked(protocol, 6, 0xff);
            BigInteger withPorts = count(and(whole, tcp)); // whole or first fragments
            withPorts = withPorts.add(count(and(whole, bdd.ref(bdd.not(tcp)))).shiftRight(FLAGS));
            int bare = and(of, bdd.ref(bdd.not(present[0])));
            BigInteger later = count(and(bare, ported));
            BigInteger others = count(and(bare, bdd.ref(bdd.not(ported))));
            BigInteger without = others.multiply(BigInteger.valueOf(3)).add(later);
            size =
                    size.add(
                            withPorts
                                    .shiftLeft(1)
                                    .add(without.shiftRight(32 + FLAGS))
                                    .shiftLeft(version * 2 * 96));
        }
        return size;
    }

    /** Number of values of all bits that a diagram holds. */
    private BigInteger count(int diagram) {
        return below(diagram).shiftLeft(level(diagram));
    }

    /** Number of values of the bits from a diagram's first one on. */
    private BigInteger below(int diagram) {
        BigInteger known = diagram < 2 ? BigInteger.valueOf(diagram) : counts.get(diagram);
        if (known == null) {
            int low = bdd.getLow(diagram);
            int high = bdd.getHigh(diagram);
            int behind = level(diagram) + 1;
            known =
                    below(low)
                            .shiftLeft(level(low) - behind)
                            .add(below(high).shiftLeft(level(high) - behind));
            counts.put(diagram, known);
        }
        return known;
    }

    private int level(int diagram) {
        return diagram < 2 ? bdd.numberOfVariables() : bdd.getVar(diagram);
    }

    private int[] bits(int count) {
        int[] bits = new int[count];
        for (int i = 0; i < count; i++) {
            bits[i] = bdd.createVar();
        }
        return bits;
    }

    private int and(int a, int b) {
        return bdd.ref(bdd.and(a, b));
    }

    private int or(int a, int b) {
        return bdd.ref(bdd.or(a, b));
    }

    /** Packets: protocols with ports have some, but for later fragments. */
    private int possible() {
        int withPorts = 0;
        for (int version = 0; version < 2; version++) {
            int icmp = masked(protocol, version == 1 ? 58 : 1, 0xff);
            int small = and(masked(sourcePort, 0, 0xff00), masked(destinationPort, 0, 0xff00));
            int valid = and(ported(version == 1), or(bdd.ref(bdd.not(icmp)), small));
            withPorts = or(withPorts, and(masked(six, version, 1), valid));
        }
        return or(bdd.ref(bdd.not(present[0])), withPorts);
    }

    private int ported(boolean v6) {
        int ported = masked(protocol, v6 ? 58 : 1, 0xff);
        for (int one : PORTED) {
            ported = or(ported, masked(protocol, one, 0xff));
        }
        return ported;
    }

    private int of(Match match) {
        boolean v6 = field(Field.IP_VERSION, match, false) == Field.VERSION_6;
        int from = v6 ? HeaderWord.IPV6_SRC : HeaderWord.IPV4_SRC;
        int to = v6 ? HeaderWord.IPV6_DST : HeaderWord.IPV4_DST;
        long used =
                HeaderWord.bit(from)
                        | HeaderWord.bit(to)
                        | HeaderWord.bit(HeaderWord.TCP_FLAGS)
                        | HeaderWord.bit(HeaderWord.PORTS)
                        | HeaderWord.bit(HeaderWord.IP);
        assertEquals(0, match.usedWords() & ~used);
        int box = masked(source, match.value(from), match.mask(from));
        box = and(box, masked(destination, match.value(to), match.mask(to)));
        if (field(Field.IP_VERSION, match, true) != 0) {
            box = and(box, masked(six, v6 ? 1 : 0, 1));
        }
        box =
                and(
                        box,
                        masked(
                                flags,
                                field(Field.TCP_FLAGS, match, false),
                                field(Field.TCP_FLAGS, match, true)));
        box =
                and(
                        box,
                        masked(
                                protocol,
                                field(Field.IP_PROTO, match, false),
                                field(Field.IP_PROTO, match, true)));
        if (field(Field.PORTS_PRESENT, match, true) != 0) {
            box = and(box, present[0]);
        }
        box = and(box, port(sourcePort, match, Field.SRC_PORT, match.srcPorts()));
        return and(box, port(destinationPort, match, Field.DST_PORT, match.dstPorts()));
    }

    private int port(int[] bits, Match match, Field field, int range) {
        int any = 0;
        for (int[] prefix : Match.portPrefixes(range)) {
            any = or(any, masked(bits, prefix[0], prefix[1]));
        }
        return and(any, masked(bits, field(field, match, false), field(field, match, true)));
    }

    private static int field(Field field, Match match, boolean mask) {
        return field.extract(mask ? match.mask(field.word()) : match.value(field.word()));
    }

    private int masked(int[] bits, int value, int mask) {
        int all = 1;
        for (int i = 0; i < bits.length; i++) {
            int bit = bits.length - 1 - i;
            if ((mask >>> bit & 1) != 0) {
                boolean set = (value >>> bit & 1) != 0;
                all = and(all, set ? bits[i] : bdd.ref(bdd.not(bits[i])));
            }
        }
        return all;
    }
}
