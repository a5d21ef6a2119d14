package dev.sluice.policy.kernel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.policy.io.SluiceException;
import dev.sluice.policy.kernel.RulesetComparison.Result;
import dev.sluice.schemas.testing.TestSeed;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Random rulesets of nftables, read by the importer as text and as JSON, mean what they mean to the
 * kernel: whether a packet passes, and the line that decides.
 */
class NftImportTest {
    private static final int RULESETS = 50;
    private static final int PACKETS = 400;
    private static final int MANY_RULESETS = Integer.getInteger("sluice.test.rulesets.many", 1000);
    private static final int MANY_PACKETS = 1000;
    private static final int GOAL = 100;

    /**
     * Rulesets of one cell each that packets proved less often than the goal, and packets of one.
     */
    private static final int MOST_DIRECTED = 2000;

    private static final int DIRECTED = 300;

    private static final Path FAILURES = Path.of("target/failures");

    @TempDir Path folder;

    private final List<String> differences = new ArrayList<>();
    private int rulesets;
    private final Map<Result, Integer> seen = new EnumMap<>(Result.class);

    private final RulesetCoverage coverage = new RulesetCoverage();
    private final List<RulesetMutation> missed = new ArrayList<>();

    @Test
    void bothFormsAnswerAsTheKernel() throws Exception {
        judge(RULESETS, PACKETS, 0);
        assertTrue(
                coverage.packets() >= 9 * RULESETS * PACKETS / 10, coverage.packets() + " packets");
    }

    @Tag("long")
    @Test
    void manyRulesetsTellOfEachMistake() throws Exception {
        missed.addAll(RulesetMutation.all());
        judge(MANY_RULESETS, MANY_PACKETS, GOAL);
        System.out.println(coverage.table());
        assertEquals(List.of(), missed, "no packet told of these mistakes");
        assertEquals(List.of(), coverage.lacking(GOAL), "cells that packets do not prove");
    }

    private void judge(int wanted, int count, long goal) throws Exception {
        Random random = TestSeed.random(5400);
        try (KernelNamespace namespace = KernelNamespace.open(Backend.NFT, ValuePool.DEVICES)) {
            for (int i = 0; i < 4 * wanted && rulesets < wanted; i++) {
                judge(namespace, new RandomRuleset(random, coverage), random, count);
            }
            for (int i = 0; i < MOST_DIRECTED && goal > 0; i++) {
                RulesetCoverage.Cell cell = coverage.lacking(goal, random);
                if (cell == null) {
                    break;
                }
                judge(namespace, new RandomRuleset(random, coverage, cell), random, DIRECTED);
            }
        }
        System.out.println("rulesets of nftables: " + seen);
        int denied = seen.getOrDefault(Result.DENIES, 0);
        int compared = seen.getOrDefault(Result.PASSES, 0) + denied;
        assertEquals(List.of(), differences, "rulesets and packets are in " + FAILURES);
        assertTrue(compared > wanted * count / 3, compared + " answers were compared");
        assertTrue(denied > compared / 5 && denied < compared * 4 / 5, denied + " were denied");
        double share = coverage.passedShare();
        assertTrue(share > 0.2 && share < 0.8, share + " of all packets passed");
    }

    private void judge(KernelNamespace namespace, RandomRuleset ruleset, Random random, int count)
            throws Exception {
        Path given = Files.createDirectories(FAILURES).resolve("last.nft");
        Files.writeString(given, ruleset.text());
        NftDump dump = namespace.loadRuleset(ruleset.text()).orElse(null);
        if (dump == null || !namespace.takes(dump.text(), "-cf")) {
            return; // intervals that overlap; a list that nft itself does not read
        }
        rulesets++;
        AimedPackets four = new AimedPackets(new GeneratedFirewall(4, "", List.of()), random);
        AimedPackets six = new AimedPackets(new GeneratedFirewall(6, "", List.of()), random);
        int arriving = random.nextInt(ValuePool.DEVICES.size());
        int leaving = random.nextInt(ValuePool.DEVICES.size());
        List<ProbePacket> packets = new ArrayList<>();
        while (packets.size() < count) {
            packets.add(
                    ruleset.packet(four, six)
                            .set(ProbeField.IN, arriving)
                            .set(ProbeField.OUT, leaving));
        }
        List<KernelAnswer> answers = namespace.judge(packets);
        List<String> lines = dump.text().lines().toList();
        answers.forEach(answer -> coverage.add(lines, answer));
        compare(dump, packets, answers);
        missed.removeAll(told(dump, packets, answers));
    }

    private void compare(NftDump dump, List<ProbePacket> packets, List<KernelAnswer> answers)
            throws Exception {
        RulesetComparison comparison = RulesetComparison.ofBoth(folder, dump, ValuePool.DEVICES);
        for (int i = 0; i < packets.size(); i++) {
            try {
                Result result = comparison.compare(packets.get(i), answers.get(i));
                seen.merge(result, 1, Integer::sum);
                if (result == Result.DIFFERS) {
                    differ(comparison.words(), dump, packets.get(i), answers.get(i));
                }
            } catch (SluiceException e) {
                if (!String.valueOf(e.getMessage()).contains("alternatives")) {
                    differ(e.getMessage(), dump, packets.get(i), answers.get(i));
                }
                return;
            }
        }
    }

    /** Returns the mistakes that packets tell of: the importer reads a text that makes them. */
    private List<RulesetMutation> told(
            NftDump dump, List<ProbePacket> packets, List<KernelAnswer> answers) throws Exception {
        List<RulesetMutation> told = new ArrayList<>();
        for (RulesetMutation mutation : missed) {
            String text = mutation.change().apply(dump.text());
            if (!text.equals(dump.text()) && tells(dump, text, packets, answers)) {
                told.add(mutation);
            }
        }
        return told;
    }

    private boolean tells(
            NftDump dump, String text, List<ProbePacket> packets, List<KernelAnswer> answers)
            throws Exception {
        RulesetComparison comparison =
                new RulesetComparison(folder, dump, Map.of("mutant.nft", text), ValuePool.DEVICES);
        try {
            for (int i = 0; i < packets.size(); i++) {
                if (comparison.compare(packets.get(i), answers.get(i)) == Result.DIFFERS) {
                    return true;
                }
            }
        } catch (SluiceException e) {
            return false; // a mistake that makes no ruleset
        }
        return false;
    }

    private void differ(String words, NftDump dump, ProbePacket packet, KernelAnswer kernel)
            throws Exception {
        String name = "nft-%x-%d.txt".formatted(dump.hashCode(), differences.size());
        differences.add(name + ": " + words);
        Files.createDirectories(FAILURES);
        Files.writeString(
                FAILURES.resolve(name),
                "%s%n%s%nkernel %s%n%s%n%s"
                        .formatted(words, packet, kernel, dump.text(), dump.json()));
    }
}
