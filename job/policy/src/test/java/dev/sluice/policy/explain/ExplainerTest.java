package dev.sluice.policy.explain;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.policy.OpenRules;
import dev.sluice.policy.PolicyFile;
import dev.sluice.policy.PolicyOptions;
import dev.sluice.policy.RuleFile;
import dev.sluice.policy.SwitchPorts;
import dev.sluice.policy.explain.Explanation.Met;
import dev.sluice.policy.explain.WhyNot.Kind;
import dev.sluice.policy.flatten.FlatPolicy.Answer;
import dev.sluice.policy.flatten.Truth;
import dev.sluice.policy.json.PolicyJsonWriter;
import dev.sluice.policy.model.AskedFacts;
import dev.sluice.policy.model.Assumptions;
import dev.sluice.policy.model.Condition;
import dev.sluice.policy.model.ConnectionState;
import dev.sluice.policy.model.Effect;
import dev.sluice.policy.model.Outcome;
import dev.sluice.policy.model.PolicyRule;
import dev.sluice.policy.model.Stage;
import dev.sluice.policy.model.ValueSet;
import dev.sluice.policy.model.Vantage;
import dev.sluice.policy.questions.LintReport;
import dev.sluice.policy.questions.LintRule;
import dev.sluice.policy.questions.LintRule.Line;
import dev.sluice.policy.questions.PacketWords;
import dev.sluice.policy.testing.RandomPolicies;
import dev.sluice.schemas.header.Field;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class ExplainerTest {
    private static final int POLICIES = 80;
    private static final int PACKETS = 25;

    @TempDir Path folder;

    /** A drawn policy, as read from its file. */
    private PolicyFile drawn(RandomPolicies draw, int seed) throws IOException {
        Path file = folder.resolve("policy.json");
        Files.write(file, PolicyJsonWriter.lines(List.of(draw.policy(seed % 4))));
        ConnectionState state = seed % 3 == 0 ? null : ConnectionState.NEW;
        Assumptions assumed = new Assumptions(state, null, seed % 2 == 0 ? "eth1" : null);
        return PolicyFile.read(file, new PolicyOptions(null, assumed, false).ofCaptures(false));
    }

    /** A drawn packet that words can tell. */
    private static JudgedPacket packet(RandomPolicies draw, Random random, PolicyFile file) {
        while (true) {
            int[] header = draw.header();
            Field.IP_LENGTH.put(header, 60);
            if (HeaderFields.of(header, Field.TTL_PRESENT) == 0) {
                Field.TTL.put(header, random.nextInt(4));
            }
            if (random.nextInt(3) > 0) {
                String name = random.nextBoolean() ? "eth0" : "lo";
                Field.IN_INTERFACE.put(header, file.asked().value(name, true));
            }
            int protocol = HeaderFields.of(header, Field.IP_PROTO);
            boolean icmp = protocol == HeaderFields.ICMP || protocol == HeaderFields.ICMP6;
            boolean whole = HeaderFields.of(header, Field.FRAGMENT) == Field.FRAGMENT_NONE;
            if (whole && (!icmp || HeaderFields.isIcmp(header))) {
                return PacketLine.read(PacketWords.of(header, file.asked()), file.asked());
            }
        }
    }

    @Test
    void explanationEndsAsLookUpsAnswer() throws IOException {
        int named = 0;
        int open = 0;
        int others = 0;
        for (int seed = 0; seed < POLICIES; seed++) {
            RandomPolicies draw = new RandomPolicies(seed);
            draw = seed % 2 == 0 ? draw.withMarks() : draw;
            PolicyFile file = drawn(draw, seed);
            Explainer explainer = new PolicyExplainer(file);
            Random random = new Random(seed);
            for (int i = 0; i < PACKETS; i++) {
                JudgedPacket packet = packet(draw, random, file);
                String where = "seed " + seed + " packet " + i;
                Answer answer = assertNotNullOf(file.flat().judge(packet.header()));
                Explanation explained = explainer.explain(packet);
                assertEquals(answer.outcome(), explained.outcome(), where);
                assertEquals(Line.of(answer.rule()), explained.rule(), where);
                List<Met> may =
                        explained.ways().stream()
                                .flatMap(way -> way.stages().stream())
                                .flatMap(stage -> stage.met().stream())
                                .filter(met -> met.acts().equals("maybe"))
                                .toList();
                may.forEach(met -> assertFalse(met.unknown().isEmpty(), where + met));
                if (answer.outcome() != Outcome.DEPENDS) {
                    boolean decides =
                            explained.ways().stream()
                                    .map(way -> way.stages().get(way.stages().size() - 1))
                                    .anyMatch(last -> last.deciding().contains(explained.rule()));
                    assertTrue(decides || !explained.sure(), where);
                    named += decides ? 1 : 0;
                    others += decides ? 0 : 1;
                } else if (may.stream().noneMatch(met -> met.line().equals(explained.rule()))) {
                    open++; // ways or states differ
                }
            }
        }
        assertTrue(named > POLICIES * PACKETS / 2, named + " packets have a certain outcome");
        assertTrue(others < POLICIES * PACKETS / 100, others + " rules decide elsewhere");
        assertTrue(open < POLICIES * PACKETS / 5, open + " depend on no rule that may match");
    }

    @Test
    void changeOfTheFirstNeedMeetsItAndOfAllNeedsTheRule() throws IOException {
        int changed = 0;
        int met = 0;
        int missed = 0;
        for (int seed = 0; seed < 2 * POLICIES; seed++) {
            RandomPolicies draw = new RandomPolicies(seed);
            PolicyFile file = drawn(draw, seed);
            Assumptions assumed = file.assumed().telling(file.asked());
            assumed = assumed.withState(ConnectionState.NEW);
            Random random = new Random(seed);
            for (Stage stage : file.policies().get(0).stages()) {
                for (PolicyRule rule : rules(stage)) {
                    JudgedPacket packet = packet(draw, random, file);
                    int[] header = packet.header();
                    Needs needs = new Needs(assumed, stage.vantage(), packet);
                    String where = "seed " + seed + " line " + rule.origin().line();
                    List<Need> all = needs.of(rule.condition());
                    boolean misses = needs.truth(rule.condition()) == Truth.NO;
                    assertEquals(misses, !all.isEmpty(), where);
                    if (!misses || all.get(0).condition() == null) {
                        continue;
                    }
                    Need first = all.get(0);
                    Condition part = assertNotNullOf(first.condition());
                    int[] one = HeaderChanges.applied(header, List.of(first), file.asked());
                    if (one == null) {
                        continue; // of the state
                    }
                    assertFalse(
                            needs(assumed, stage, one).of(rule.condition()).stream()
                                    .anyMatch(
                                            need ->
                                                    part.equals(need.condition())
                                                            && need.wanted() == first.wanted()),
                            where + " " + first);
                    changed++;
                    int[] whole = HeaderChanges.applied(header, all, file.asked());
                    boolean acts =
                            whole != null
                                    && needs(assumed, stage, whole).truth(rule.condition())
                                            != Truth.NO;
                    met += acts ? 1 : 0;
                    missed += acts ? 0 : 1;
                }
            }
        }
        assertTrue(changed > POLICIES * 4, changed + " needs were met");
        assertTrue(missed < met / 10, missed + " rules have needs that exclude each other");
    }

    private static Needs needs(Assumptions assumed, Stage stage, int[] header) {
        return new Needs(assumed, stage.vantage(), new JudgedPacket(header, null));
    }

    private static List<PolicyRule> rules(Stage stage) {
        return stage.chains().values().stream().flatMap(List::stream).toList();
    }

    @Test
    void packetOfWhyNotIsTakenByTheLine() throws IOException {
        Map<Kind, Integer> kinds = new EnumMap<>(Kind.class);
        int decided = 0;
        for (int seed = 0; seed < POLICIES / 3; seed++) {
            RandomPolicies draw = new RandomPolicies(seed);
            draw = seed % 2 == 0 ? draw.withMarks() : draw;
            PolicyFile file = drawn(draw, seed);
            Explainer explainer = new PolicyExplainer(file);
            Random random = new Random(seed);
            List<LintRule> lint = lint(file);
            for (PolicyRule rule : file.rules()) {
                int line = rule.origin().line();
                JudgedPacket packet = packet(draw, random, file);
                String where = "seed " + seed + " line " + line;
                WhyNot answer = WhyNotSearch.of(explainer, packet, line, () -> lint);
                kinds.merge(answer.kind(), 1, Integer::sum);
                Truth least = answer.depends().isEmpty() ? Truth.YES : Truth.MAYBE;
                if (answer.kind() == Kind.ACTS) {
                    assertEquals(least, explainer.acts(packet, line), where);
                } else if (!answer.packet().isEmpty()) {
                    assertFalse(answer.changes().isEmpty(), where);
                    JudgedPacket other = PacketLine.read(answer.packet(), file.asked());
                    assertEquals(least, explainer.acts(other, line), where + " " + answer);
                    decided += decides(explainer.explain(other), rule, least, where) ? 1 : 0;
                } else if (answer.kind() == Kind.NEVER) {
                    for (int i = 0; i < PACKETS; i++) {
                        JudgedPacket other = packet(draw, random, file);
                        assertEquals(Truth.NO, sure(explainer.acts(other, line)), where);
                    }
                }
            }
        }
        assertTrue(decided > 5, decided + " lines decide alone");
        assertTrue(kinds.getOrDefault(Kind.ACTS, 0) > 20, kinds::toString);
        assertTrue(kinds.getOrDefault(Kind.NEEDS, 0) > 20, kinds::toString);
        assertTrue(kinds.getOrDefault(Kind.TAKEN, 0) > 5, kinds::toString);
        assertTrue(kinds.getOrDefault(Kind.NEVER, 0) > 20, kinds::toString);
    }

    private static Truth sure(Truth acts) {
        return acts == Truth.YES ? acts : Truth.NO;
    }

    /** Holds the verdict to the rule, where it decides alone; whether it does. */
    private static boolean decides(Explanation of, PolicyRule rule, Truth acts, String where) {
        boolean alone =
                acts == Truth.YES
                        && rule.effect() instanceof Effect.Decide
                        && of.ways().size() == 1
                        && of.ways().get(0).stages().size() == 1;
        if (alone) {
            assertEquals(Line.of(rule), of.rule(), where);
        }
        return alone;
    }

    private List<LintRule> lint(PolicyFile file) {
        Assumptions any = file.assumed().withState(null);
        try (OpenRules text = OpenRules.open(file.file(), null)) {
            PolicyOptions options = new PolicyOptions(null, any, false);
            return LintReport.of(text, SwitchPorts.NONE, options, "drop").rules();
        }
    }

    /**
     * A return that may be taken leaves the rest of its chain to the packet, but not for certain.
     */
    @Test
    void returnThatMayBeTakenLeavesTwoRules() throws IOException {
        Path file = folder.resolve("limit.save");
        Files.writeString(
                file,
                """
                *filter
                :INPUT DROP [0:0]
                :guests - [0:0]
                -A INPUT -j guests
                -A guests -m limit --limit 5/min -j RETURN
                -A guests -j ACCEPT
                COMMIT
                """);
        Explainer explainer = new PolicyExplainer(PolicyFile.read(file, PolicyOptions.NONE));
        JudgedPacket packet = PacketLine.read("udp 10.0.0.1:9 > 10.1.0.2:80", explainer.asked());
        Explanation.Passed stage = explainer.explain(packet).ways().get(0).stages().get(0);
        assertEquals(List.of(2, 6), stage.deciding().stream().map(Line::number).sorted().toList());
        Met accept = stage.met().get(2);
        assertEquals(6, assertNotNullOf(accept.line()).number());
        assertFalse(accept.certain());
    }

    @Test
    void fragmentIsReassembledBeforeRulesBehindTracking() throws IOException {
        Path file = folder.resolve("fragments.save");
        Files.writeString(
                file,
                """
                *filter
                :INPUT DROP [0:0]
                -A INPUT -f -j DROP
                -A INPUT -m state --state ESTABLISHED -j ACCEPT
                COMMIT
                """);
        Explainer explainer = new PolicyExplainer(PolicyFile.read(file, PolicyOptions.NONE));
        JudgedPacket packet =
                PacketLine.read("udp 10.0.0.1 > 10.1.0.2 later-fragment", explainer.asked());
        Explanation.Passed stage = explainer.explain(packet).ways().get(0).stages().get(0);
        Need need = stage.met().get(0).needs().get(0);
        assertEquals("fragment", need.field());
        assertEquals("reassembled before", need.has());
        assertEquals("later fragment", need.wants());
    }

    @Test
    void needsAreThoseOfTheWayWithTheFewestFields() {
        Condition ports = new Condition.In(Field.DST_PORT, ValueSet.of(80, 81));
        Condition source = new Condition.In(Field.IPV4_SRC, ValueSet.of(5, 6));
        Condition hops = new Condition.In(Field.TTL, ValueSet.of(1, 1));
        JudgedPacket packet = PacketLine.read("udp 10.0.0.1:9 > 10.1.0.2:90", AskedFacts.NONE);
        Needs needs = new Needs(Assumptions.NONE, Vantage.PLAIN, packet);
        Condition two = new Condition.All(List.of(ports, source));
        List<Need> few = needs.of(Condition.any(two, hops));
        assertEquals(List.of("TTL"), few.stream().map(Need::field).toList());
        assertEquals(few, needs.of(Condition.any(hops, two)));
    }

    @Test
    void listsAreExplainedFieldByField() throws IOException {
        Path file = folder.resolve("acl.rules");
        Files.writeString(
                file,
                """
                @10.0.0.0/8\t10.1.0.0/16\t0 : 65535\t443 : 443\t0x06/0xFF
                @10.0.0.0/8\t0.0.0.0/0\t0 : 65535\t0 : 1023\t0x11/0xFF
                @0.0.0.0/0\t10.1.0.0/16\t0 : 65535\t0 : 65535\t0x00/0x00
                @10.2.0.0/16\t10.1.0.0/16\t0 : 65535\t0 : 65535\t0x06/0xFF
                """);
        try (OpenRules text = OpenRules.open(file, null)) {
            Explainer explainer =
                    new ListExplainer(
                            RuleFile.read(text, SwitchPorts.NONE, PolicyOptions.NONE),
                            "acl",
                            "drop");
            JudgedPacket packet =
                    PacketLine.read("tcp 10.0.0.1:9 > 10.1.0.2:80", explainer.asked());
            Explanation explained = explainer.explain(packet);
            assertEquals(3, assertNotNullOf(explained.rule()).number());
            List<Met> met = explained.ways().get(0).stages().get(0).met();
            assertEquals(
                    List.of(new Need("destination port", "80", "443", null, true)),
                    plain(met.get(0).needs()));
            assertTrue(met.get(0).isNear());
            assertEquals("protocol", met.get(1).needs().get(0).field());
            WhyNot first = WhyNotSearch.of(explainer, packet, 1, List::of);
            assertEquals(Kind.NEEDS, first.kind());
            assertEquals("tcp 10.0.0.1:9 > 10.1.0.2:443 syn", first.packet());
            WhyNot dead = WhyNotSearch.of(explainer, packet, 4, () -> lintList(file));
            assertEquals(Kind.NEVER, dead.kind());
            assertEquals(List.of(3), dead.before().stream().map(Line::number).toList());
        }
    }

    private static List<LintRule> lintList(Path file) {
        try (OpenRules text = OpenRules.open(file, null)) {
            return LintReport.of(text, SwitchPorts.NONE, PolicyOptions.NONE, "drop").rules();
        }
    }

    /** Needs without their conditions. */
    private static List<Need> plain(List<Need> needs) {
        return needs.stream()
                .map(need -> new Need(need.field(), need.has(), need.wants(), null, true))
                .collect(Collectors.toCollection(ArrayList::new));
    }

    private static <T> T assertNotNullOf(T value) {
        assertNotNull(value);
        return value;
    }
}
