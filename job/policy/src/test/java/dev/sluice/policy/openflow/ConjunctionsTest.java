package dev.sluice.policy.openflow;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.engine.rules.Rule;
import dev.sluice.engine.testing.Oracle;
import dev.sluice.policy.RuleFile;
import dev.sluice.policy.RuleText;
import dev.sluice.policy.io.SluiceException;
import dev.sluice.schemas.header.HeaderWord;
import dev.sluice.schemas.testing.TestSeed;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Conjunctions decide here what {@code ofproto/trace} says, by the flow that it names. */
class ConjunctionsTest {
    private static final int FILES = Integer.getInteger("sluice.conjunctions", 60);
    private static final int PACKETS = 60;

    @TempDir Path folder;

    private final Random random = TestSeed.random(211);

    private List<Rule> read(List<String> lines) throws Exception {
        Path file = Files.write(folder.resolve("flows"), lines);
        return RuleFile.read(file, null).toRuleSet("flows", 1, "drop").rules();
    }

    @Test
    void packetsAreDecidedByTheFlowThatASwitchNames() throws Exception {
        Oracle.SWITCH_DAEMON.require();
        int taken = 0;
        int together = 0;
        try (VirtualSwitch real = new VirtualSwitch(folder)) {
            for (int file = 0; file < FILES; file++) {
                List<String> lines = flows();
                List<Rule> rules;
                try {
                    rules = read(lines);
                } catch (SluiceException e) {
                    assertTrue(e.getMessage().contains("conjunction("), e.getMessage());
                    continue;
                }
                taken++;
                real.flows(lines);
                for (int i = 0; i < PACKETS; i++) {
                    String packet = packet();
                    int line = real.decides(packet);
                    assertEquals(line, winner(rules, packet), () -> packet + " of " + lines);
                    together += line > 0 && lines.get(line - 1).contains("conj_id") ? 1 : 0;
                }
            }
        }
        assertTrue(taken > FILES / 3, taken + " files taken");
        assertTrue(together > 5 * taken, together + " packets decided by conjunctions");
    }

    private static int winner(List<Rule> rules, String packet) {
        Rule exact = RuleText.parse(packet + " actions=drop");
        int[] header = new int[HeaderWord.COUNT];
        for (int w = 0; w < header.length; w++) {
            header[w] = exact.match().value(w);
        }
        return rules.stream()
                .filter(rule -> rule.match().matches(header))
                .mapToInt(Rule::line)
                .findFirst()
                .orElse(0);
    }

    private String address() {
        return "10.0.0." + random.nextInt(4);
    }

    private String packet() {
        String protocol = random.nextInt(4) == 0 ? "udp" : "tcp";
        return "%1$s,nw_src=%2$s,nw_dst=%3$s,nw_ttl=64,%1$s_src=%4$d,%1$s_dst=%5$d"
                .formatted(protocol, address(), address(), random.nextInt(3), random.nextInt(3));
    }

    private String match() {
        return switch (random.nextInt(5)) {
            case 0 -> "ip,nw_src=" + address() + (random.nextBoolean() ? "/31" : "");
            case 1 -> "ip,nw_dst=" + address() + (random.nextBoolean() ? "/31" : "");
            case 2 -> "tcp,tp_dst=" + random.nextInt(3);
            case 3 -> "tcp,tp_src=%d/1".formatted(random.nextInt(2));
            default -> "ip";
        };
    }

    /** Lines whose numbers are their cookies. */
    private List<String> flows() {
        List<String> flows = new ArrayList<>();
        int conjunctions = 1 + random.nextInt(2);
        for (int id = 1; id <= conjunctions; id++) {
            int priority = 10 * (1 + random.nextInt(2));
            int clauses = 2 + random.nextInt(2);
            for (int clause = 1; clause <= clauses; clause++) {
                for (int i = 1 + random.nextInt(3); i > 0; i--) {
                    flows.add(
                            "priority=%d,%s actions=conjunction(%d,%d/%d)"
                                    .formatted(priority, match(), id, clause, clauses));
                }
            }
            String match = random.nextInt(4) == 0 ? match() : "ip";
            int own = random.nextInt(4) == 0 ? 5 + random.nextInt(20) : priority;
            flows.add("priority=%d,conj_id=%d,%s actions=drop".formatted(own, id, match));
        }
        // A switch takes either of two flows that decide alone at one priority.
        List<Integer> alone = new ArrayList<>(List.of(2, 6, 10, 14, 18, 20));
        Collections.shuffle(alone, random);
        for (int priority : alone.subList(0, random.nextInt(4))) {
            flows.add("priority=%d,%s actions=normal".formatted(priority, match()));
        }
        flows.add("priority=1,%s actions=normal".formatted(match()));
        Collections.shuffle(flows, random);
        List<String> lines = new ArrayList<>();
        List<String> keys = new ArrayList<>();
        for (String flow : flows) {
            String key = flow.substring(0, flow.indexOf(' '));
            if (!keys.contains(key)) { // else a switch would replace the flow
                keys.add(key);
                lines.add("cookie=%d,%s".formatted(lines.size() + 1, flow));
            }
        }
        return lines;
    }

    @Test
    void conjunctionsWhoseAnswerASwitchLeavesOpenAreRefused() {
        String first = "priority=9,ip,nw_src=10.0.0.1 actions=conjunction(1,1/2)";
        String second = "priority=9,tcp,tp_dst=80 actions=conjunction(1,2/2)";
        String taker = "priority=9,conj_id=1,ip actions=normal";
        assertRefused(
                "line 4 lies between",
                first,
                second,
                "priority=5,conj_id=1,ip actions=normal",
                "priority=7,tcp actions=drop");
        assertRefused(
                "has 2 clauses in line 1 and 3 here",
                first,
                second,
                "priority=9,udp actions=conjunction(1,1/3)");
        assertRefused(
                "shares packets and priority 9 with conjunction 1",
                first,
                second,
                taker,
                "priority=9,ip,nw_dst=10.0.0.7 actions=conjunction(2,1/2)",
                "priority=9,ip actions=conjunction(2,2/2)");
        assertRefused(
                "has packets that no conj_id flow takes",
                first,
                second,
                "priority=9,conj_id=1,ip,nw_dst=10.0.0.7 actions=normal",
                "priority=8,ip,nw_dst=10.0.0.8 actions=conjunction(2,1/2)",
                "priority=8,ip actions=conjunction(2,2/2)");
        String many = "priority=9,tcp,tp_dst=%d actions=conjunction(1,%d/2)";
        List<String> lines = new ArrayList<>();
        for (int i = 0; i < 600; i++) {
            lines.add(many.formatted(i, 1));
            lines.add("priority=9,tcp,tp_src=%d actions=conjunction(1,2/2)".formatted(i));
        }
        assertRefused("has clauses of [600, 600] flows", lines.toArray(String[]::new));
    }

    private void assertRefused(String words, String... lines) {
        SluiceException e = assertThrows(SluiceException.class, () -> read(List.of(lines)));
        assertTrue(e.getMessage().contains(words), e.getMessage());
    }
}
