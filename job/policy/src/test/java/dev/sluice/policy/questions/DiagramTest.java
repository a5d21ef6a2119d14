package dev.sluice.policy.questions;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.sluice.engine.rules.Match;
import dev.sluice.engine.rules.Rule;
import dev.sluice.policy.RuleFile;
import dev.sluice.policy.questions.RuleFinding.Need;
import dev.sluice.policy.questions.RuleFinding.Reach;
import dev.sluice.schemas.header.Field;
import dev.sluice.schemas.header.HeaderWord;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import jdd.bdd.BDD;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Findings about ClassBench's rules against binary decision diagrams (JDD). */
class DiagramTest {
    private static final int[] PORTED = {1, 6, 17, 33, 132, 136};
    private static final Match ALL = new Match.Builder().build();

    private final BDD bdd = new BDD(1 << 20, 1 << 18);
    private final int[] present = bits(1);
    private final int[] protocol = bits(8);
    private final int[] source = bits(32);
    private final int[] destination = bits(32);
    private final int[] sourcePort = bits(16);
    private final int[] destinationPort = bits(16);

    @ParameterizedTest
    @ValueSource(strings = {"acl1_1k", "fw1_1k", "ipc1_1k"})
    void liveAndRedundantRulesAreThoseOfDiagrams(String name) {
        Path file = Path.of("../../../shared/data/rules", name + ".rules.gz");
        assumeTrue(Files.exists(file), () -> "rule sets beside the checkout: no " + file);
        List<Rule> rules = RuleFile.read(file, null).rules();
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

    /** IPv4 packets: protocols with ports have some, but for later fragments. */
    private int possible() {
        int ported = 0;
        for (int one : PORTED) {
            ported = or(ported, masked(protocol, one, 0xff));
        }
        int icmp = masked(protocol, 1, 0xff);
        int small = and(masked(sourcePort, 0, 0xff00), masked(destinationPort, 0, 0xff00));
        int withPorts = and(ported, or(bdd.ref(bdd.not(icmp)), small));
        return or(bdd.ref(bdd.not(present[0])), withPorts);
    }

    private int of(Match match) {
        long used =
                HeaderWord.bit(HeaderWord.IPV4_SRC)
                        | HeaderWord.bit(HeaderWord.IPV4_DST)
                        | HeaderWord.bit(HeaderWord.PORTS)
                        | HeaderWord.bit(HeaderWord.IP);
        assertEquals(0, match.usedWords() & ~used);
        int box = masked(source, match.value(0), match.mask(0));
        box = and(box, masked(destination, match.value(1), match.mask(1)));
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
