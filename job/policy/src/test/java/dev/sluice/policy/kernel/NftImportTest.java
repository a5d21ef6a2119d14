package dev.sluice.policy.kernel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.policy.PolicyFile;
import dev.sluice.policy.PolicyOptions;
import dev.sluice.policy.flatten.FlatPolicy.Answer;
import dev.sluice.policy.io.SluiceException;
import dev.sluice.policy.kernel.KernelAnswer.Step;
import dev.sluice.policy.model.Assumptions;
import dev.sluice.policy.model.ConnectionState;
import dev.sluice.policy.model.Outcome;
import dev.sluice.schemas.testing.TestSeed;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Random rulesets of nftables, read by the importer as text and as JSON, mean what they mean to the
 * kernel: whether a packet passes, and the line that decides.
 */
class NftImportTest {
    private static final int RULESETS = 40;
    private static final int PACKETS = 250;
    private static final Path FAILURES = Path.of("target/failures");

    @TempDir Path folder;

    private final List<String> differences = new ArrayList<>();
    private int rulesets;
    private int compared;
    private int depending;
    private int denied;

    @Test
    void bothFormsAnswerAsTheKernel() throws Exception {
        Random random = TestSeed.random(5400);
        try (KernelNamespace namespace = KernelNamespace.open(Backend.NFT, ValuePool.DEVICES)) {
            for (int i = 0; i < 2 * RULESETS && rulesets < RULESETS; i++) {
                RandomRuleset ruleset = new RandomRuleset(random);
                Path given = Files.createDirectories(FAILURES).resolve("last.nft");
                Files.writeString(given, ruleset.text());
                NftDump dump = namespace.loadRuleset(ruleset.text()).orElse(null);
                if (dump == null) {
                    continue; // intervals that overlap
                }
                rulesets++;
                AimedPackets four =
                        new AimedPackets(new GeneratedFirewall(4, "", List.of()), random);
                AimedPackets six =
                        new AimedPackets(new GeneratedFirewall(6, "", List.of()), random);
                int arriving = random.nextInt(ValuePool.DEVICES.size());
                int leaving = random.nextInt(ValuePool.DEVICES.size());
                List<ProbePacket> packets = new ArrayList<>();
                while (packets.size() < PACKETS) {
                    packets.add(
                            ruleset.packet(four, six)
                                    .set(ProbeField.IN, arriving)
                                    .set(ProbeField.OUT, leaving));
                }
                compare(dump, packets, namespace.judge(packets));
            }
        }
        System.out.printf(
                "%d compared, %d denied, %d depend, %d differ%n",
                compared, denied, depending, differences.size());
        assertEquals(List.of(), differences, "rulesets and packets are in " + FAILURES);
        assertTrue(compared > RULESETS * PACKETS / 2, compared + " answers were compared");
        assertTrue(denied > compared / 5 && denied < compared * 4 / 5, denied + " were denied");
    }

    private void compare(NftDump dump, List<ProbePacket> packets, List<KernelAnswer> answers)
            throws Exception {
        Path text = Files.writeString(folder.resolve("ruleset.nft"), dump.text());
        Path json = Files.writeString(folder.resolve("ruleset.json"), dump.json());
        Map<String, PolicyFile> read = new HashMap<>();
        for (int i = 0; i < packets.size(); i++) {
            ProbePacket packet = packets.get(i);
            boolean arrives = packet.hook() != ProbeHook.OUTPUT;
            boolean leaves = packet.hook() != ProbeHook.INPUT;
            String in = arrives ? ValuePool.DEVICES.get(packet.number(ProbeField.IN)) : "";
            String out = leaves ? ValuePool.DEVICES.get(packet.number(ProbeField.OUT)) : "";
            String hook = packet.hook().name().toLowerCase(Locale.ROOT);
            for (Path file : List.of(text, json)) {
                String key = file + hook + " " + in + " " + out;
                PolicyFile policy = read.get(key);
                if (policy == null) {
                    Assumptions assumed = new Assumptions(ConnectionState.NEW, in, out);
                    try {
                        policy = PolicyFile.read(file, new PolicyOptions(hook, assumed, false));
                    } catch (SluiceException e) {
                        if (!String.valueOf(e.getMessage()).contains("alternatives")) {
                            differ(e.getMessage(), file, dump, packet, answers.get(i));
                        }
                        return;
                    }
                    read.put(key, policy);
                }
                compare(file, policy, dump, packet, answers.get(i), file.equals(json));
            }
        }
    }

    private void compare(
            Path file,
            PolicyFile policy,
            NftDump dump,
            ProbePacket packet,
            KernelAnswer kernel,
            boolean json)
            throws Exception {
        if (kernel.steps().isEmpty()) {
            return; // reassembly took the fragment
        }
        Answer answer = policy.flat().judge(ProbeHeader.words(packet));
        if (answer == null) {
            differ("not judged", file, dump, packet, kernel);
            return;
        }
        if (answer.outcome() == Outcome.DEPENDS) {
            depending++;
            return;
        }
        boolean passes = answer.outcome() == Outcome.PERMIT;
        List<Integer> expected = new ArrayList<>();
        for (Step step : kernel.steps()) {
            Integer line =
                    step.isEnd() ? dump.ends().get(step.where()) : Integer.valueOf(step.rule());
            expected.add(json ? dump.jsonLines().get(line) : line);
        }
        int line = answer.rule().origin().line();
        boolean last = Integer.valueOf(line).equals(expected.get(expected.size() - 1));
        if (packet.number(ProbeField.FRAGMENT) == 1 && !kernel.passed() && (passes || !last)) {
            return; // reassembly took it behind these rules
        }
        compared++;
        denied += passes ? 0 : 1;
        boolean sameLine = passes ? expected.contains(line) : last;
        if (passes != kernel.passed() || answer.sure() && !sameLine) {
            differ(
                    "kernel %s %s at lines %s, importer %s at line %d"
                            .formatted(
                                    kernel.passed(),
                                    kernel.steps(),
                                    expected,
                                    answer.outcome(),
                                    line),
                    file,
                    dump,
                    packet,
                    kernel);
        }
    }

    private void differ(
            String words, Path file, NftDump dump, ProbePacket packet, KernelAnswer kernel)
            throws Exception {
        String name = "nft-%x-%d.txt".formatted(dump.hashCode(), differences.size());
        differences.add(name + ": " + file.getFileName() + ": " + words);
        Files.createDirectories(FAILURES);
        Files.writeString(
                FAILURES.resolve(name),
                "%s%n%s%nkernel %s%n%s%n%s"
                        .formatted(words, packet, kernel, dump.text(), dump.json()));
    }
}
