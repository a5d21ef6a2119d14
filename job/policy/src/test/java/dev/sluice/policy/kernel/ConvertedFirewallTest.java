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
import dev.sluice.policy.kernel.GeneratedFirewall.Chain;
import dev.sluice.policy.kernel.GeneratedFirewall.Rule;
import dev.sluice.policy.kernel.GeneratedFirewall.Table;
import dev.sluice.policy.kernel.GeneratedFirewall.TargetKind;
import dev.sluice.policy.model.Assumptions;
import dev.sluice.policy.model.ConnectionState;
import dev.sluice.policy.model.Outcome;
import dev.sluice.schemas.testing.TestSeed;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Random policies of iptables, converted, read again, and loaded into the kernel. */
class ConvertedFirewallTest {
    private static final int POLICIES = 12;
    private static final int PACKETS = 150;

    @TempDir Path folder;

    private final Map<Outcome, Integer> seen = new EnumMap<>(Outcome.class);
    private int converted;
    private int refused;

    @ParameterizedTest
    @CsvSource({"LEGACY,4", "NFT,6"})
    void everyVerdictStaysAndTheKernelTakesTheText(Backend backend, int version) throws Exception {
        Random random = TestSeed.random(5400 + version);
        FirewallCoverage coverage = new FirewallCoverage(version);
        try (KernelNamespace namespace = KernelNamespace.open(backend, ValuePool.DEVICES)) {
            for (int i = 0; i < POLICIES; i++) {
                GeneratedFirewall firewall =
                        without(LEFT_OUT, RandomFirewall.draw(version, random, coverage));
                Path from = folder.resolve("from.save");
                Files.writeString(from, dump(backend, firewall));
                for (ProbeHook hook : ProbeHook.values()) {
                    Path to = convert(from, hook, version);
                    if (to == null) {
                        refused++;
                        continue;
                    }
                    converted++;
                    namespace.load(version, "", Files.readString(to));
                    for (ProbePacket packet : new AimedPackets(firewall, random).draw(PACKETS)) {
                        boolean whole =
                                packet.number(ProbeField.FRAGMENT) == 0
                                        && packet.number(ProbeField.AUTHENTICATION) == 0;
                        if (whole || !asksWhole(version)) {
                            compare(from, to, hook, packet);
                        }
                    }
                }
            }
        }
        System.out.println(converted + " converted, " + refused + " refused, verdicts " + seen);
        assertTrue(converted > POLICIES / 2, converted + " hooks were converted");
        assertTrue(seen.get(Outcome.DENY) > PACKETS && seen.get(Outcome.PERMIT) > PACKETS);
    }

    /** Kinds of matches that no conversion says, and that most random policies hold one of. */
    private static final Pattern LEFT_OUT =
            Pattern.compile("ADDRESS_TYPE|PACKET_TYPE|FRAGMENT_.*|MARK");

    /** A firewall without rules that have a match of some kinds, or set marks. */
    static GeneratedFirewall without(Pattern kinds, GeneratedFirewall firewall) {
        List<Table> tables = new ArrayList<>();
        for (Table table : firewall.tables()) {
            List<Chain> chains = new ArrayList<>();
            for (Chain chain : table.chains()) {
                List<Rule> rules = new ArrayList<>(chain.rules());
                rules.removeIf(
                        rule ->
                                rule.target().kind() == TargetKind.MARK
                                        || rule.matches().stream()
                                                .anyMatch(
                                                        match ->
                                                                kinds.matcher(match.kind().name())
                                                                        .matches()));
                chains.add(new Chain(chain.name(), chain.policy(), rules));
            }
            tables.add(new Table(table.name(), chains));
        }
        return new GeneratedFirewall(firewall.version(), firewall.sets(), tables);
    }

    static String dump(Backend backend, GeneratedFirewall firewall) {
        String nft = backend == Backend.NFT ? " (nf_tables)" : "";
        String name = firewall.version() == 4 ? "iptables" : "ip6tables";
        return "# Generated by %s-save v1.8.9%s\n".formatted(name, nft)
                + firewall.sets()
                + firewall.save();
    }

    /** Only of IPv6: nftables reads no protocol behind an authentication header. */
    private static boolean asksWhole(int version) {
        return version == 6;
    }

    /** Null: a rule cannot be said. */
    private @Nullable Path convert(Path from, ProbeHook hook, int version) throws IOException {
        PolicyOptions options = new PolicyOptions(hook.name(), Assumptions.NONE, false);
        Conversion.Target target =
                version == 4 ? Conversion.Target.IPTABLES : Conversion.Target.IP6TABLES;
        try (OpenRules text = OpenRules.open(from, null)) {
            List<String> lines =
                    Conversion.of(
                                    text,
                                    SwitchPorts.NONE,
                                    options,
                                    target,
                                    asksWhole(version),
                                    false)
                            .lines();
            return Files.write(folder.resolve("to.save"), lines);
        } catch (SluiceException e) {
            assertTrue(
                    String.valueOf(e.getMessage())
                            .matches("(?s).*(cannot be said in|alternatives).*"),
                    e.getMessage());
            return null;
        }
    }

    private final Map<String, PolicyFile> read = new HashMap<>();

    private void compare(Path from, Path to, ProbeHook hook, ProbePacket packet) {
        String in = hook == ProbeHook.OUTPUT ? "" : "eth0";
        String out = hook == ProbeHook.INPUT ? "" : "eth1";
        Assumptions assumed = new Assumptions(ConnectionState.NEW, in, out);
        PolicyOptions options = new PolicyOptions(hook.name(), assumed, false);
        String key = converted + " " + hook;
        PolicyFile before = read.computeIfAbsent(key, k -> PolicyFile.read(from, options));
        PolicyFile after = read.computeIfAbsent(key + " to", k -> PolicyFile.read(to, options));
        int[] header = ProbeHeader.words(packet);
        Answer expected = before.flat().judge(header);
        Answer answer = after.flat().judge(header);
        if (expected == null || answer == null) {
            assertEquals(expected, answer);
            return;
        }
        seen.merge(expected.outcome(), 1, Integer::sum);
        assertEquals(
                expected.outcome(),
                answer.outcome(),
                () -> packet + "\n" + text(from) + "\n" + text(to) + expected + answer);
    }

    private static String text(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
