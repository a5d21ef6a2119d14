package dev.sluice.policy.questions;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.policy.OpenRules;
import dev.sluice.policy.PolicyFile;
import dev.sluice.policy.PolicyOptions;
import dev.sluice.policy.SwitchPorts;
import dev.sluice.policy.convert.Conversion;
import dev.sluice.policy.flatten.FlatPolicy;
import dev.sluice.policy.io.SluiceException;
import dev.sluice.policy.model.AskedFacts;
import dev.sluice.policy.model.Assumptions;
import dev.sluice.policy.model.ConnectionState;
import dev.sluice.policy.model.Outcome;
import dev.sluice.policy.model.Policy;
import dev.sluice.schemas.testing.TestData;
import java.io.IOException;
import java.math.BigInteger;
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
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Differences of rule files. */
class SemanticDiffTest {
    private static final SemanticDiff.Asked BY_OUTCOME =
            new SemanticDiff.Asked(false, 10_000, 5, "drop");

    @TempDir Path folder;

    @ParameterizedTest
    @ValueSource(
            strings = {
                "iptables/host.save",
                "firewall/server.save",
                "firewall/server6.save",
                "nft/host.nft",
                "logs/gateway.nft",
                "logs/host.save",
                "office/office.save"
            })
    void bothPoliciesDecideAboutWitnessesAsTold(String name) throws IOException {
        Path file = TestData.inCheckout("test-data/" + name);
        List<String> lines = Files.readAllLines(file);
        int told = 0;
        boolean large = lines.size() > 100; // its differences take seconds
        for (int round = 0; round < 4 && (told == 0 || !large); round++) {
            Path edited = folder.resolve(round + file.getFileName().toString());
            Files.write(edited, edited(lines, new Random(round)));
            try {
                told += judged(file, edited);
            } catch (SluiceException e) {
                assertTrue(e.getMessage().contains(edited.toString()), e.getMessage());
            }
        }
        assertTrue(told > 0, told + " witnesses");
    }

    /** The lines without one that has a verdict, with another one's address changed. */
    private static List<String> edited(List<String> lines, Random random) {
        List<String> edited = new ArrayList<>(lines);
        for (int tries = 0; tries < 3; tries++) {
            int at = random.nextInt(edited.size());
            String line = edited.get(at);
            if (line.matches(".*(ACCEPT|DROP|accept|drop)\\s*$") && !line.startsWith(":")) {
                edited.remove(at);
            } else {
                edited.set(at, line.replaceAll("port(s?) ?[0-9]+", "port$1 7"));
            }
        }
        return edited;
    }

    /** Judges the witnesses by the look-ups of both files; returns their number. */
    static int judged(Path old, Path fresh) {
        SemanticDiff diff = diff(old, fresh, PolicyOptions.NONE);
        Map<String, Policy> before = policies(old);
        Map<String, Policy> after = policies(fresh);
        AskedFacts names =
                AskedFacts.NONE
                        .and(before.values().stream().flatMap(Policy::conditions), false, null)
                        .and(after.values().stream().flatMap(Policy::conditions), false, null);
        for (DiffPair pair : diff.pairs().stream().limit(60).toList()) {
            boolean matched = false;
            StringBuilder answers = new StringBuilder();
            for (String hook : before.keySet()) {
                Policy other =
                        after.size() == 1 ? after.values().iterator().next() : after.get(hook);
                FlatPolicy.Answer one = answer(before.get(hook), names, pair);
                FlatPolicy.Answer two = answer(other, names, pair);
                matched |=
                        isTold(one, pair.oldOutcome(), pair.oldLine())
                                && isTold(two, pair.newOutcome(), pair.newLine());
                answers.append(one).append("\n").append(two).append("\n");
            }
            assertTrue(matched, pair + " is judged\n" + answers);
        }
        return diff.pairs().size();
    }

    private static boolean isTold(FlatPolicy.Answer answer, String outcome, LintRule.Line line) {
        return answer != null
                && answer.outcome().label().equals(outcome)
                && (answer.outcome() == Outcome.DEPENDS
                        || !answer.sure()
                        || LintRule.Line.of(answer.rule()).equals(line));
    }

    private static FlatPolicy.Answer answer(Policy policy, AskedFacts names, DiffPair pair) {
        ConnectionState state =
                pair.state().isEmpty()
                        ? ConnectionState.NEW
                        : ConnectionState.valueOf(pair.state().toUpperCase(Locale.ROOT));
        Assumptions assumed = Assumptions.NONE.telling(names).meeting(policy.name());
        return FlatPolicy.of(policy, assumed.withState(state)).judge(pair.witness());
    }

    private static Map<String, Policy> policies(Path file) {
        Map<String, Policy> policies = new HashMap<>();
        try (OpenRules text = OpenRules.open(file, null)) {
            for (Policy policy : PolicyFile.list(text, PolicyOptions.NONE).asked()) {
                policies.put(policy.name(), policy);
            }
        }
        return policies;
    }

    static SemanticDiff diff(Path old, Path fresh, PolicyOptions options) {
        try (OpenRules before = OpenRules.open(old, null);
                OpenRules after = OpenRules.open(fresh, null)) {
            return SemanticDiff.of(before, after, SwitchPorts.NONE, options, BY_OUTCOME);
        }
    }

    private Path input(String name, String rules) throws IOException {
        return Files.writeString(
                folder.resolve(name), "*filter\n:INPUT DROP [0:0]\n" + rules + "COMMIT\n");
    }

    @Test
    void packetsOfAQueueMayBeDeniedAndPermitted() throws IOException {
        Path accepted = input("a", "-A INPUT -p tcp -j ACCEPT\n");
        Path denied = input("b", "");
        Path queued = input("c", "-A INPUT -p tcp -j NFQUEUE --queue-num 1\n");
        Path limited =
                input(
                        "d",
                        "-A INPUT -p tcp -m limit --limit 5/min -j DROP\n"
                                + "-A INPUT -p tcp -j NFQUEUE --queue-num 1\n");
        SemanticDiff less = diff(accepted, queued, PolicyOptions.NONE);
        assertEquals("depends", less.pairs().get(0).newOutcome());
        assertTrue(less.mayDeny() && !less.mayPermit(), less.toString());
        SemanticDiff more = diff(denied, queued, PolicyOptions.NONE);
        assertTrue(more.mayPermit() && !more.mayDeny(), more.toString());
        assertEquals(
                "depends", diff(limited, accepted, PolicyOptions.NONE).pairs().get(0).oldOutcome());
    }

    private SemanticDiff flows(String old, String fresh) throws IOException {
        return diff(
                Files.writeString(folder.resolve("o.flows"), old),
                Files.writeString(folder.resolve("n.flows"), fresh),
                PolicyOptions.NONE);
    }

    @ParameterizedTest
    @CsvSource({
        "-m limit --limit 5/sec -j ACCEPT, false",
        "-m limit --limit 6/sec -j ACCEPT, true",
        "-p udp -m limit --limit 5/sec -j ACCEPT, true"
    })
    void noteAboutConditionsStandsWhereLinesDiffer(String rule, boolean noted) throws IOException {
        Path old = input("old.save", "-A INPUT -m limit --limit 5/sec -j ACCEPT\n");
        Path fresh = input("new.save", "-A INPUT -p 47 -j ACCEPT\n-A INPUT " + rule + "\n");
        List<String> warnings = diff(old, fresh, PolicyOptions.NONE).warnings();
        assertEquals(
                noted,
                warnings.stream().anyMatch(warning -> warning.contains("not compared")),
                warnings.toString());
    }

    /** Later fragments, whose ports nobody knows, are no limits. */
    @Test
    void noteAboutConditionsIsNotOfPorts() throws IOException {
        String states = "-A INPUT -m state --state ESTABLISHED -j ACCEPT\n-A INPUT -p tcp ";
        Path old = input("old.save", states + "--dport 22 -j ACCEPT\n");
        Path fresh = input("new.save", states + "--dport 23 -j ACCEPT\n");
        assertEquals(List.of(), diff(old, fresh, PolicyOptions.NONE).warnings());
    }

    @Test
    void actionThatDoesNotDenyPermits() throws IOException {
        String drop = "ip,nw_src=10.0.0.1,actions=DROP\n";
        SemanticDiff more = flows(drop, drop.replace("DROP", "output:2"));
        assertEquals("output:2", more.pairs().get(0).newOutcome());
        assertTrue(more.mayPermit() && !more.mayDeny(), more.toString());
        SemanticDiff less = flows(drop.replace("DROP", "NORMAL"), drop);
        assertTrue(less.mayDeny() && !less.mayPermit(), less.toString());
        SemanticDiff moved =
                flows(drop.replace("DROP", "output:2"), drop.replace("DROP", "output:3"));
        assertTrue(!moved.isEmpty() && !moved.mayDeny() && !moved.mayPermit(), moved.toString());
        for (String word : List.of("drop", "DENY", "reject", "discard:1", "Block it")) {
            assertEquals("deny", SemanticDiff.outcome(word));
        }
        assertEquals("dropped", SemanticDiff.outcome("dropped"));
    }

    @Test
    void wordsNameTheAddressAndNoFlagsThatDoNotMatter() throws IOException {
        String arp = "arp,actions=NORMAL\n";
        SemanticDiff to =
                flows(arp, arp + "dl_dst=02:00:00:00:01:02,tcp,tp_dst=22,actions=NORMAL\n");
        assertEquals(
                "tcp from any to any port 22 dl_dst 02:00:00:00:01:02", to.pairs().get(0).where());
        SemanticDiff from = flows(arp, arp + "dl_src=02:00:00:00:01:02,icmp,actions=NORMAL\n");
        String where = from.pairs().get(0).where();
        assertTrue(where.startsWith("icmp from any to any dl_src 02:00:00:00:01:02"), where);
    }

    @Test
    void boxesOfAllPairsAreNoMoreThanAsked() throws IOException {
        Path file = TestData.inCheckout("test-data/firewall/server.save");
        Path other = folder.resolve("server.save");
        Files.writeString(other, Files.readString(file).replace("80,443", "443"));
        try (OpenRules before = OpenRules.open(file, null);
                OpenRules after = OpenRules.open(other, null)) {
            SemanticDiff diff =
                    SemanticDiff.of(
                            before,
                            after,
                            SwitchPorts.NONE,
                            PolicyOptions.NONE,
                            new SemanticDiff.Asked(false, 100, 3, "drop"));
            assertTrue(diff.pairs().size() > 1, diff.toString());
            assertEquals(3, diff.pairs().stream().mapToInt(pair -> pair.boxes().size()).sum());
            assertTrue(diff.pairs().stream().allMatch(pair -> !pair.hook().isEmpty()));
        }
    }

    /** Packets that have no ARP address or SPI are counted once, whether rules ask for these. */
    @Test
    void fieldsThatPacketsLackAreNotCounted() throws IOException {
        String web = "-A INPUT -p tcp --dport 22 -j ACCEPT\n";
        String spi = "-A INPUT -p esp -m esp --espspi 100:200 -j ACCEPT\n";
        BigInteger plain = diff(input("a", web), input("b", ""), PolicyOptions.NONE).size();
        assertEquals(
                plain, diff(input("c", spi + web), input("d", spi), PolicyOptions.NONE).size());
        String arp = "arp,arp_spa=10.0.0.0/8,actions=drop\n";
        String flow = "ip,tcp,tp_dst=22,actions=NORMAL\n";
        Path old = Files.writeString(folder.resolve("old.flows"), flow + arp);
        Path fresh = Files.writeString(folder.resolve("new.flows"), arp);
        assertEquals(plain, diff(old, fresh, PolicyOptions.NONE).size());
    }

    /**
     * Headers of ESP and AH, whose SPI is told, count alike whether a rule names their protocol.
     */
    @ParameterizedTest
    @ValueSource(strings = {"", "ip saddr 192.0.2.1 meta l4proto esp drop\n"})
    void packetsWithAnSpiAreCountedByProtocol(String other) throws IOException {
        String chain =
                "table inet f {\nchain forward {\ntype filter hook forward priority 0;\n"
                        + "meta l4proto 47 drop\n";
        String rule = "ip saddr 1.1.1.1 ip daddr 1.1.1.1 drop\n";
        Path old = Files.writeString(folder.resolve("old.nft"), chain + other + "}\n}\n");
        Path fresh = Files.writeString(folder.resolve("new.nft"), chain + other + rule + "}\n}\n");
        long ported = 5 * (2 * (1L << 32) + 1);
        long icmp = 2 * (1 << 16) + 1;
        long others = 3 * (256 - 5 - 1 - 1 + 2); // no ICMP, no GRE; ESP and AH twice
        assertEquals(
                BigInteger.valueOf(ported + icmp + others),
                diff(old, fresh, PolicyOptions.NONE).size());
    }

    /**
     * A list that an interface has is a part of its device's policy, whatever the device's name.
     */
    @Test
    void deviceIsComparedOnce() throws IOException {
        String list = "ip access-list extended EDGE\n permit tcp any any eq 22\n";
        String end = "interface e1\n ip access-group EDGE in\n";
        Path old = Files.writeString(folder.resolve("old"), "hostname r1\n" + list + end);
        Path same = Files.writeString(folder.resolve("same"), "hostname r2\n" + list + end);
        assertTrue(diff(old, same, PolicyOptions.NONE).isEmpty());
        String more = list + " permit udp any any eq 53\n";
        Path fresh = Files.writeString(folder.resolve("new"), "hostname r2\n" + more + end);
        SemanticDiff diff = diff(old, fresh, PolicyOptions.NONE);
        assertEquals(1, diff.total(), diff.toString());
        assertEquals("", diff.pairs().get(0).hook());
    }

    @Test
    void policyAndItsReformattedSelfDoNotDiffer() throws IOException {
        Path file = TestData.inCheckout("test-data/firewall/server.save");
        Path other = folder.resolve("server.save");
        List<String> lines =
                Files.readAllLines(file).stream()
                        .map(line -> line.replaceFirst("^\\[[0-9]+:[0-9]+] ", ""))
                        .map(line -> line.replace("192.0.2.0/24", "192.0.2.0/255.255.255.0"))
                        .toList();
        Files.write(other, lines);
        for (Path path : List.of(file, other)) {
            SemanticDiff diff = diff(file, path, PolicyOptions.NONE);
            assertTrue(diff.isEmpty(), diff.toString());
        }
    }

    @ParameterizedTest
    @CsvSource({
        "firewall/server.save#INPUT, NFT",
        "firewall/server.save#INPUT, IPTABLES",
        "firewall/server.save#INPUT, JSON",
        "firewall/server.save#OUTPUT, OPENFLOW",
        "firewall/server6.save#INPUT, NFT",
        "iptables/host.save#FORWARD, NFT"
    })
    void policyAndItsConversionDoNotDiffer(String name, Conversion.Target target)
            throws IOException {
        Path file = TestData.inCheckout("test-data").resolve(name);
        Path converted = folder.resolve("converted");
        try (OpenRules text = OpenRules.open(file, null)) {
            Conversion made =
                    Conversion.of(text, SwitchPorts.NONE, PolicyOptions.NONE, target, true, false);
            Files.write(converted, made.lines());
        }
        SemanticDiff diff = diff(file, converted, PolicyOptions.NONE);
        assertEquals(List.of(), diff.pairs());
        assertEquals(0, diff.givenUp());
    }
}
