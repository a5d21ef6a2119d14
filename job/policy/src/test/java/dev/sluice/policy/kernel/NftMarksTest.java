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
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Rules of nftables that set marks and ask for them, beside the kernel. */
class NftMarksTest {
    private static final int RULESETS = Integer.getInteger("sluice.test.marks.rulesets", 25);
    private static final int PACKETS = 150;
    private static final Path FAILURES = Path.of("target/failures");

    /** Mistakes that packets must tell of: a pattern of the text, and words in its place. */
    private static final Map<String, List<String>> MISTAKES = new LinkedHashMap<>();

    static {
        MISTAKES.put("the old mark passed over", List.of("set meta mark [|]", "set 0x00000000 |"));
        MISTAKES.put("another constant", List.of("(set 0x0000000)[0-7]", "$18"));
        MISTAKES.put("marks not set", List.of("meta mark set 0x0000000\\d (?=[a-z])", ""));
    }

    @TempDir Path folder;

    private final Map<Result, Integer> seen = new EnumMap<>(Result.class);
    private final List<String> differences = new ArrayList<>();
    private final List<String> missed = new ArrayList<>(MISTAKES.keySet());

    @Test
    void marksAreThoseOfTheKernel() throws Exception {
        Random random = TestSeed.random(1990);
        RulesetCoverage coverage = new RulesetCoverage();
        Files.createDirectories(FAILURES);
        int rulesets = 0;
        try (KernelNamespace namespace = KernelNamespace.open(Backend.NFT, ValuePool.DEVICES)) {
            for (int i = 0; i < 4 * RULESETS && rulesets < RULESETS; i++) {
                RandomRuleset ruleset = new RandomRuleset(random, coverage, true);
                Files.writeString(FAILURES.resolve("last-marks.nft"), ruleset.text());
                NftDump dump = namespace.loadRuleset(ruleset.text()).orElse(null);
                if (dump != null && namespace.takes(dump.text(), "-cf")) {
                    judge(namespace, ruleset, dump, random);
                    rulesets++;
                }
            }
        }
        System.out.println("marks of nftables: " + seen);
        assertEquals(List.of(), differences.stream().limit(3).toList(), "in " + FAILURES);
        int compared = seen.getOrDefault(Result.PASSES, 0) + seen.getOrDefault(Result.DENIES, 0);
        int depend = seen.getOrDefault(Result.DEPENDS, 0);
        assertTrue(compared > 4 * depend && compared > RULESETS * PACKETS / 2, seen + "");
        assertEquals(List.of(), missed, "no packet told of these mistakes");
    }

    private void judge(
            KernelNamespace namespace, RandomRuleset ruleset, NftDump dump, Random random)
            throws Exception {
        AimedPackets four = new AimedPackets(new GeneratedFirewall(4, "", List.of()), random);
        AimedPackets six = new AimedPackets(new GeneratedFirewall(6, "", List.of()), random);
        int arriving = random.nextInt(ValuePool.DEVICES.size());
        int leaving = random.nextInt(ValuePool.DEVICES.size());
        List<ProbePacket> packets = new ArrayList<>();
        while (packets.size() < PACKETS) {
            packets.add(
                    ruleset.packet(four, six)
                            .set(ProbeField.IN, arriving)
                            .set(ProbeField.OUT, leaving));
        }
        List<KernelAnswer> answers = namespace.judge(packets);
        RulesetComparison both = RulesetComparison.ofBoth(folder, dump, ValuePool.DEVICES);
        try {
            for (int i = 0; i < packets.size(); i++) {
                Result result = both.compare(packets.get(i), answers.get(i));
                seen.merge(result, 1, Integer::sum);
                if (result == Result.DIFFERS) {
                    String name = "marks-%x-%d.txt".formatted(dump.hashCode(), differences.size());
                    differences.add(name + ": " + both.words() + "\n" + packets.get(i));
                    Files.writeString(
                            FAILURES.resolve(name),
                            both.words() + "\n" + packets.get(i) + "\n" + dump.text());
                }
            }
        } catch (SluiceException e) {
            if (!String.valueOf(e.getMessage()).contains("alternatives")) {
                throw e;
            }
        }
        for (String mistake : List.copyOf(missed)) {
            List<String> change = MISTAKES.get(mistake);
            String text = dump.text().replaceAll(change.get(0), change.get(1));
            if (!text.equals(dump.text()) && tells(dump, text, packets, answers)) {
                missed.remove(mistake);
            }
        }
    }

    private boolean tells(
            NftDump dump, String text, List<ProbePacket> packets, List<KernelAnswer> answers)
            throws Exception {
        RulesetComparison mutant =
                new RulesetComparison(folder, dump, Map.of("mutant.nft", text), ValuePool.DEVICES);
        for (int i = 0; i < packets.size(); i++) {
            if (mutant.compare(packets.get(i), answers.get(i)) == Result.DIFFERS) {
                return true;
            }
        }
        return false;
    }
}
