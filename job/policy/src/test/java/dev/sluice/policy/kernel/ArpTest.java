package dev.sluice.policy.kernel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.policy.PolicyFile;
import dev.sluice.policy.PolicyOptions;
import dev.sluice.policy.flatten.FlatPolicy.Answer;
import dev.sluice.policy.model.Assumptions;
import dev.sluice.policy.model.ConnectionState;
import dev.sluice.policy.model.Outcome;
import dev.sluice.schemas.testing.TestSeed;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Random tables of the family arp mean to the importer what they mean to the kernel. */
class ArpTest {
    private static final int RULESETS = Integer.getInteger("sluice.test.rulesets.arp", 30);
    private static final int PACKETS = 200;

    private static final List<String> MATCHES =
            List.of(
                    "arp operation request",
                    "arp operation != request",
                    "arp operation { request, reply }",
                    "arp operation != { reply, nak }",
                    "arp saddr ip 10.0.0.1",
                    "arp saddr ip != 10.0.0.0/30",
                    "arp saddr ip { 10.0.0.2, 10.0.0.5-10.0.0.9 }",
                    "arp daddr ip 10.0.0.2-10.0.0.4",
                    "arp daddr ip != 10.0.0.3",
                    "arp daddr ip != { 10.0.0.1, 10.0.0.6 }",
                    "arp saddr ip . arp operation { 10.0.0.1 . request, 10.0.0.2 . reply }",
                    "arp htype 1",
                    "iifname lan0",
                    "iifname != \"wan*\"",
                    "oifname lan1",
                    "ether saddr 02:00:00:00:01:01",
                    "ether saddr != 02:00:00:00:01:02",
                    "meta pkttype broadcast",
                    "meta pkttype != broadcast",
                    "meta protocol arp",
                    "meta protocol != arp",
                    "meta protocol ip",
                    "meta l4proto != tcp",
                    "meta l4proto 0-100",
                    "");

    private static final List<String> VERDICTS =
            List.of(
                    "accept",
                    "drop",
                    "return",
                    "continue",
                    "counter",
                    "jump called",
                    "goto called",
                    "arp operation vmap { request : jump called, reply : drop, rrequest : accept }");

    @TempDir Path folder;

    @Test
    void theImporterAnswersAsTheKernel() throws Exception {
        Random random = TestSeed.random(5700);
        Map<Outcome, Integer> seen = new EnumMap<>(Outcome.class);
        List<String> differences = new ArrayList<>();
        try (KernelNamespace namespace = KernelNamespace.open(Backend.NFT, ValuePool.DEVICES)) {
            for (int i = 0; i < RULESETS; i++) {
                NftDump dump = namespace.loadRuleset(ruleset(random)).orElseThrow();
                int device = random.nextInt(ValuePool.DEVICES.size());
                List<ArpFrame> frames = new ArrayList<>();
                for (int j = 0; j < PACKETS; j++) {
                    frames.add(frame(random, device));
                }
                List<KernelAnswer> answers = namespace.judge(frames);
                for (boolean json : new boolean[] {false, true}) {
                    Path file =
                            Files.writeString(
                                    folder.resolve(json ? "list.json" : "list.nft"),
                                    json ? dump.json() : dump.text());
                    PolicyFile policy = policy(file, device);
                    for (int j = 0; j < PACKETS; j++) {
                        Answer found =
                                Objects.requireNonNull(policy.flat().judge(frames.get(j).words()));
                        seen.merge(found.outcome(), 1, Integer::sum);
                        String words = difference(dump, json, answers.get(j), found);
                        if (!words.isEmpty()) {
                            differences.add(words + "\n" + frames.get(j) + "\n" + dump.text());
                        }
                    }
                }
            }
        }
        System.out.println("tables of arp: " + seen);
        assertEquals(
                List.of(), differences.stream().limit(3).toList(), differences.size() + " differ");
        for (Outcome outcome : List.of(Outcome.PERMIT, Outcome.DENY)) {
            assertTrue(seen.getOrDefault(outcome, 0) > RULESETS * PACKETS / 5, seen.toString());
        }
    }

    private static PolicyFile policy(Path file, int device) {
        Assumptions assumed =
                new Assumptions(ConnectionState.NEW, ValuePool.DEVICES.get(device), "");
        return PolicyFile.read(file, new PolicyOptions("input", assumed, false));
    }

    private static String difference(
            NftDump dump, boolean json, KernelAnswer kernel, Answer found) {
        if (found.outcome() == Outcome.DEPENDS) {
            return "";
        }
        List<Integer> lines = new ArrayList<>();
        for (KernelAnswer.Step step : kernel.steps()) {
            Integer line = step.isEnd() ? dump.ends().get(step.where()) : (Integer) step.rule();
            lines.add(json ? dump.jsonLines().get(line) : line);
        }
        boolean passes = found.outcome() == Outcome.PERMIT;
        Integer line = found.rule().origin().line();
        boolean same = passes ? lines.contains(line) : line.equals(lines.get(lines.size() - 1));
        return passes == kernel.passed() && (same || !found.sure())
                ? ""
                : "kernel %s at lines %s, importer %s".formatted(kernel, lines, found);
    }

    private static String ruleset(Random random) {
        StringBuilder text = new StringBuilder("table arp t {\nchain called {\n");
        rules(text, random, VERDICTS.subList(0, 5));
        text.append("}\n");
        for (String chain : List.of("first", "second")) {
            text.append(
                    "chain %s {\ntype filter hook input priority %s; policy %s;\n"
                            .formatted(
                                    chain,
                                    random.nextBoolean() ? "filter" : random.nextInt(20) - 10,
                                    random.nextInt(4) == 0 ? "drop" : "accept"));
            rules(text, random, VERDICTS);
            text.append("}\n");
        }
        return text.append("}\n").toString();
    }

    private static void rules(StringBuilder to, Random random, List<String> verdicts) {
        for (int i = 1 + random.nextInt(4); i > 0; i--) {
            to.append(one(MATCHES, random)).append(' ');
            if (random.nextInt(3) == 0) {
                to.append(one(MATCHES, random)).append(' ');
            }
            to.append(one(verdicts, random)).append('\n');
        }
    }

    private static String one(List<String> of, Random random) {
        return of.get(random.nextInt(of.size()));
    }

    private static ArpFrame frame(Random random, int device) {
        int base = 10 << 24;
        return new ArpFrame(
                device,
                random.nextBoolean(),
                0x020000000100L + random.nextInt(4),
                1 + random.nextInt(4),
                base + random.nextInt(11),
                base + random.nextInt(11));
    }
}
