package dev.sluice.policy.kernel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.policy.io.SluiceException;
import dev.sluice.policy.kernel.ImportComparison.Result;
import dev.sluice.policy.model.ConnectionState;
import dev.sluice.schemas.testing.TestSeed;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Random policies of iptables, read by the importer, mean what they mean to the kernel: whether a
 * packet passes, and the line that decides.
 */
class IptablesImportTest {
    private static final int POLICIES = 8;
    private static final int PACKETS = 300;

    /** Packets that are drawn towards each mistake that no packet told of yet. */
    private static final int TELLING = 4;

    private static final Path FAILURES = Path.of("target/failures");

    @TempDir Path folder;

    private final List<String> differences = new ArrayList<>();
    private int compared;
    private int depending;
    private int refused;

    /** How many packets told of each mistake of the importer. */
    private final Map<FirewallMutation, Integer> caught = new LinkedHashMap<>();

    @ParameterizedTest
    @CsvSource({"LEGACY,4", "LEGACY,6", "NFT,4", "NFT,6"})
    void theImporterAnswersAsTheKernel(Backend backend, int version) throws Exception {
        compare(backend, version);
    }

    @Tag("long")
    @ParameterizedTest
    @CsvSource({"LEGACY,4", "LEGACY,6"})
    void packetsTellOfEachMistakeOfTheImporter(Backend backend, int version) throws Exception {
        FirewallMutation.all(backend, version).stream()
                .filter(FirewallMutation::isText)
                .forEach(mutation -> caught.put(mutation, 0));
        compare(backend, version);
    }

    private void compare(Backend backend, int version) throws Exception {
        Random random = TestSeed.random(5300 + 10 * backend.ordinal() + version);
        FirewallCoverage coverage = new FirewallCoverage(version);
        try (KernelNamespace namespace = KernelNamespace.open(backend, ValuePool.DEVICES)) {
            // A mistake that is seldom told of is looked for longer.
            for (int i = 0; i < POLICIES || i < 8 * POLICIES && caught.containsValue(0); i++) {
                GeneratedFirewall firewall = RandomFirewall.draw(version, random, coverage);
                namespace.load(version, firewall.sets(), firewall.save());
                AimedPackets aimed = new AimedPackets(firewall, random);
                List<ProbePacket> packets = aimed.draw(PACKETS, coverage);
                for (FirewallMutation mutation : missed()) {
                    packets.addAll(aimed.telling(mutation.of(firewall), TELLING));
                }
                // The importer takes the mark of a packet that arrives as 0.
                packets.forEach(packet -> packet.set(ProbeField.MARK, 0));
                List<KernelAnswer> answers = namespace.judge(packets);
                answers.forEach(answer -> coverage.add(firewall, answer));
                compare(backend, firewall, packets, answers);
            }
        }
        System.out.println(
                compared
                        + " compared, "
                        + depending
                        + " depend, "
                        + refused
                        + " policies refused, "
                        + differences.size()
                        + " differ");
        assertEquals(List.of(), differences, "policies and packets are in " + FAILURES);
        assertEquals(
                List.of(),
                missed().stream().map(FirewallMutation::name).toList(),
                "no packet told of these mistakes");
        assertTrue(compared > POLICIES * PACKETS / 2, compared + " answers were compared");
    }

    private List<FirewallMutation> missed() {
        return caught.keySet().stream().filter(mutation -> caught.get(mutation) == 0).toList();
    }

    private void compare(
            Backend backend,
            GeneratedFirewall firewall,
            List<ProbePacket> packets,
            List<KernelAnswer> answers)
            throws Exception {
        String dump =
                ImportComparison.dump(
                        backend, firewall.version(), firewall.sets(), firewall.save());
        ImportComparison comparison =
                new ImportComparison(
                        folder.resolve("policy.save"),
                        dump,
                        dump,
                        ValuePool.DEVICES,
                        ConnectionState.NEW);
        for (int i = 0; i < packets.size(); i++) {
            Result result;
            try {
                result = comparison.compare(packets.get(i), answers.get(i));
            } catch (SluiceException e) {
                assertTrue(e.getMessage().contains("alternatives"), e.getMessage());
                refused++;
                return;
            }
            if (result == null) {
                continue; // stopped by no rule
            }
            depending += result.depends() ? 1 : 0;
            compared += result.depends() ? 0 : 1;
            if (result.difference() != null) {
                differ(result.difference(), dump, packets.get(i) + "\n" + answers.get(i));
            }
        }
        PacketJudge walk = new FirewallWalk(firewall);
        for (FirewallMutation mutation : missed()) {
            GeneratedFirewall mutated = mutation.of(firewall);
            PacketJudge wrong = new FirewallWalk(mutated);
            List<Integer> telling =
                    IntStream.range(0, packets.size())
                            .filter(i -> differs(walk, wrong, packets.get(i)))
                            .boxed()
                            .toList();
            caught.put(mutation, told(backend, dump, mutated, packets, answers, telling));
        }
    }

    private static boolean differs(PacketJudge one, PacketJudge other, ProbePacket packet) {
        return !one.judge(packet).equals(other.judge(packet));
    }

    /** Counts packets that tell of a mistake: the importer reads the text as if it had made it. */
    private int told(
            Backend backend,
            String held,
            GeneratedFirewall mutated,
            List<ProbePacket> packets,
            List<KernelAnswer> answers,
            List<Integer> telling)
            throws Exception {
        String text =
                ImportComparison.dump(backend, mutated.version(), mutated.sets(), mutated.save());
        ImportComparison comparison =
                new ImportComparison(
                        folder.resolve("mutant.save"),
                        held,
                        text,
                        ValuePool.DEVICES,
                        ConnectionState.NEW);
        int told = 0;
        for (int i : telling.subList(0, Math.min(telling.size(), 12))) {
            Result result;
            try {
                result = comparison.compare(packets.get(i), answers.get(i));
            } catch (SluiceException e) {
                return told; // a mistake that makes no policy
            }
            told += result != null && result.difference() != null ? 1 : 0;
        }
        return told;
    }

    private void differ(String words, String dump, String packet) throws Exception {
        String name = "import-%x-%d.txt".formatted(dump.hashCode(), differences.size());
        differences.add(name + ": " + words);
        Files.createDirectories(FAILURES);
        Files.writeString(FAILURES.resolve(name), words + "\n" + packet + "\n" + dump);
    }
}
