package dev.sluice.policy.kernel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.policy.OpenRules;
import dev.sluice.policy.PolicyFile;
import dev.sluice.policy.PolicyOptions;
import dev.sluice.policy.SwitchPorts;
import dev.sluice.policy.convert.Conversion;
import dev.sluice.policy.flatten.FlatPolicy.Answer;
import dev.sluice.policy.io.SluiceException;
import dev.sluice.policy.model.Assumptions;
import dev.sluice.policy.model.ConnectionState;
import dev.sluice.policy.model.Outcome;
import dev.sluice.schemas.testing.TestSeed;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Random policies converted to nft: read again, and loaded into the kernel, they decide the same.
 */
class ConvertedToNftTest {
    private static final int POLICIES = 12;
    private static final int PACKETS = 150;

    /** Kinds of matches that nft does not say, and that most random policies hold one of. */
    private static final Pattern LEFT_OUT =
            Pattern.compile(
                    "ADDRESS_TYPE|PACKET_TYPE|FRAGMENT_.*|LENGTH|TCP_OPTION|PHYSICAL_DEVICE");

    @TempDir Path folder;

    private final Map<Outcome, Integer> seen = new EnumMap<>(Outcome.class);
    private final Map<String, Integer> refusals = new TreeMap<>();
    private int converted;
    private int judged;

    @ParameterizedTest
    @CsvSource({"LEGACY,4", "NFT,6"})
    void firewallsOfIptablesDecideTheSame(Backend backend, int version) throws Exception {
        Random random = TestSeed.random(1560 + version);
        FirewallCoverage coverage = new FirewallCoverage(version);
        try (KernelNamespace namespace = KernelNamespace.open(Backend.NFT, ValuePool.DEVICES)) {
            for (int i = 0; i < POLICIES; i++) {
                GeneratedFirewall firewall =
                        ConvertedFirewallTest.without(
                                LEFT_OUT, RandomFirewall.draw(version, random, coverage));
                Path from = folder.resolve("from.save");
                Files.writeString(from, ConvertedFirewallTest.dump(backend, firewall));
                AimedPackets aimed = new AimedPackets(firewall, random);
                convert(namespace, from, aimed.draw(3 * PACKETS));
            }
        }
        report(POLICIES);
    }

    @Test
    void rulesetsOfNftDecideTheSame() throws Exception {
        Random random = TestSeed.random(1562);
        RulesetCoverage coverage = new RulesetCoverage();
        try (KernelNamespace namespace = KernelNamespace.open(Backend.NFT, ValuePool.DEVICES)) {
            for (int i = 0; i < 3 * POLICIES; i++) {
                RandomRuleset ruleset = new RandomRuleset(random, coverage);
                NftDump dump = namespace.loadRuleset(ruleset.text()).orElse(null);
                if (dump == null) {
                    continue; // intervals that overlap
                }
                Path from = Files.writeString(folder.resolve("from.nft"), dump.text());
                AimedPackets four =
                        new AimedPackets(new GeneratedFirewall(4, "", List.of()), random);
                AimedPackets six =
                        new AimedPackets(new GeneratedFirewall(6, "", List.of()), random);
                List<ProbePacket> packets = new ArrayList<>();
                while (packets.size() < 3 * PACKETS) {
                    packets.add(ruleset.packet(four, six));
                }
                convert(namespace, from, packets);
            }
        }
        report(POLICIES / 2);
    }

    private void report(int hooks) {
        System.out.printf(
                "%d converted, verdicts %s, %d judged by the kernel, refused: %s%n",
                converted, seen, judged, refusals);
        assertTrue(converted > hooks, converted + " hooks were converted");
        assertTrue(judged > PACKETS, judged + " packets were judged");
        assertTrue(seen.get(Outcome.DENY) > PACKETS && seen.get(Outcome.PERMIT) > PACKETS);
    }

    private void convert(KernelNamespace namespace, Path from, List<ProbePacket> packets)
            throws Exception {
        for (ProbeHook hook : ProbeHook.values()) {
            Path to = convert(from, hook);
            if (to == null) {
                continue;
            }
            converted++;
            String text = Files.readString(to);
            assertTrue(namespace.takes("flush ruleset\n" + text, "-cf"), text);
            namespace.loadRuleset(text).orElseThrow();
            List<ProbePacket> own = new ArrayList<>();
            for (ProbePacket packet : packets) {
                if (packet.hook() == hook
                        && packet.number(ProbeField.TTL) > 1 // else routing ends it
                        && packet.number(ProbeField.FRAGMENT) == 0
                        && packet.number(ProbeField.AUTHENTICATION) == 0) {
                    own.add(
                            packet.set(ProbeField.IN, 0)
                                    .set(ProbeField.OUT, 1)
                                    .set(ProbeField.MARK, 0));
                }
            }
            List<KernelAnswer> answers = namespace.judge(own);
            Map<Path, PolicyFile> read = new HashMap<>();
            for (int i = 0; i < own.size(); i++) {
                compare(from, to, own.get(i), answers.get(i), read);
            }
        }
    }

    /** Null: a rule cannot be said. */
    private @Nullable Path convert(Path from, ProbeHook hook) throws IOException {
        PolicyOptions options = new PolicyOptions(hook.name(), Assumptions.NONE, false);
        try (OpenRules text = OpenRules.open(from, null)) {
            List<String> lines =
                    Conversion.of(
                                    text,
                                    SwitchPorts.NONE,
                                    options,
                                    Conversion.Target.NFT,
                                    true,
                                    false)
                            .lines();
            return Files.write(folder.resolve("to.nft"), lines);
        } catch (SluiceException e) {
            String message = String.valueOf(e.getMessage());
            assertTrue(message.matches("(?s).*(cannot be said in|alternatives).*"), message);
            refusals.merge(
                    message.replaceFirst("(?s).* cannot be said in nft: ", ""), 1, Integer::sum);
            return null;
        }
    }

    private void compare(
            Path from, Path to, ProbePacket packet, KernelAnswer kernel, Map<Path, PolicyFile> read)
            throws IOException {
        boolean arrives = packet.hook() != ProbeHook.OUTPUT;
        boolean leaves = packet.hook() != ProbeHook.INPUT;
        Assumptions assumed =
                new Assumptions(
                        ConnectionState.NEW,
                        arrives ? ValuePool.DEVICES.get(0) : "",
                        leaves ? ValuePool.DEVICES.get(1) : "");
        PolicyOptions options = new PolicyOptions(packet.hook().name(), assumed, false);
        Answer[] answers = new Answer[2];
        for (int i = 0; i < 2; i++) {
            PolicyFile file =
                    read.computeIfAbsent(
                            i == 0 ? from : to, each -> PolicyFile.read(each, options));
            answers[i] = file.flat().judge(ProbeHeader.words(packet));
        }
        Answer expected = answers[0];
        Answer answer = answers[1];
        if (expected == null || answer == null) {
            assertEquals(expected, answer);
            return;
        }
        seen.merge(expected.outcome(), 1, Integer::sum);
        String words =
                "%s%n%s%n%s%s %s %s"
                        .formatted(
                                packet,
                                Files.readString(from),
                                Files.readString(to),
                                expected,
                                answer,
                                kernel);
        assertEquals(expected.outcome(), answer.outcome(), words);
        if (expected.outcome() != Outcome.DEPENDS && !kernel.steps().isEmpty()) {
            judged++;
            assertEquals(expected.outcome() == Outcome.PERMIT, kernel.passed(), words);
        }
    }
}
