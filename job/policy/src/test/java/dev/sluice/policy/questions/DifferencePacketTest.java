package dev.sluice.policy.questions;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.engine.rules.Rule;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.policy.OpenRules;
import dev.sluice.policy.PolicyFile;
import dev.sluice.policy.PolicyOptions;
import dev.sluice.policy.RuleFile;
import dev.sluice.policy.SwitchPorts;
import dev.sluice.policy.explain.PacketLine;
import dev.sluice.policy.flatten.FlatPolicy;
import dev.sluice.policy.model.AskedFacts;
import dev.sluice.policy.model.Assumptions;
import dev.sluice.policy.model.ConnectionState;
import dev.sluice.policy.model.Policy;
import dev.sluice.schemas.header.Field;
import dev.sluice.schemas.header.HeaderWord;
import dev.sluice.schemas.testing.TestSeed;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Packets of differences, read from their words and judged as {@code explain} judges them. */
class DifferencePacketTest {
    @TempDir Path folder;

    /** Format of random rule files. */
    private enum Format {
        IPTABLES("*filter\n:INPUT DROP [0:0]\n:FORWARD ACCEPT [0:0]\n", "COMMIT\n"),
        IP6TABLES(
                "*filter\n:INPUT ACCEPT [0:0]\n:FORWARD DROP [0:0]\n-A INPUT -s fe80::/10 -j DROP\n",
                "COMMIT\n"),
        NFT(
                "table inet t {\n chain input { type filter hook input priority 0; policy drop;\n",
                " }\n chain pre { type filter hook prerouting priority -10; meta mark set 1; }\n}\n"),
        OPENFLOW("", "");

        private final String head;
        private final String end;

        Format(String head, String end) {
            this.head = head;
            this.end = end;
        }

        private String rule(Random random) {
            boolean permits = random.nextBoolean();
            int port = 20 + random.nextInt(5);
            int net = random.nextInt(4);
            int draw = random.nextInt(7);
            return switch (this) {
                case IPTABLES, IP6TABLES -> {
                    boolean v6 = this == IP6TABLES;
                    String match =
                            switch (draw) {
                                case 0 -> "-p tcp -m tcp --dport " + port;
                                case 1 -> "-p udp -m udp --sport 1:" + port;
                                case 2 -> v6 ? "-m frag --fragmore" : "-f";
                                case 3 ->
                                        (v6 ? "-s 2001:db8:%d::/48" : "-s 10.%d.0.0/16")
                                                .formatted(net);
                                case 4 -> "-p tcp -m tcp --tcp-flags SYN,ACK SYN";
                                case 5 -> "-m mac --mac-source 02:00:00:00:01:0" + net;
                                default -> "-i eth" + net;
                            };
                    String chain = random.nextBoolean() ? "INPUT" : "FORWARD";
                    yield "-A %s %s -j %s".formatted(chain, match, permits ? "ACCEPT" : "DROP");
                }
                case NFT -> {
                    String match =
                            switch (draw) {
                                case 0 -> "tcp dport " + port;
                                case 1 -> "udp sport 1-" + port;
                                case 2 -> "exthdr frag " + (net < 2 ? "exists" : "missing");
                                case 3 ->
                                        net < 2
                                                ? "ip saddr 10.%d.0.0/16".formatted(net)
                                                : "ip6 daddr 2001:db8:%d::/48".formatted(net);
                                case 4 -> "tcp flags & (syn|ack) == syn";
                                case 5 -> "icmpv6 type echo-request";
                                default -> "ether saddr 02:00:00:00:01:0" + net;
                            };
                    yield "  " + match + (permits ? " accept" : " drop");
                }
                case OPENFLOW -> {
                    String match =
                            switch (draw) {
                                case 0 -> "tcp,tp_dst=" + (net < 2 ? "0x1/0x3" : port);
                                case 1 -> "udp6,tp_src=" + (net < 2 ? "0x140/0xffc0" : port);
                                case 2 -> "ipv6,nw_frag=" + (net < 2 ? "later" : "first");
                                case 3 -> "ip,nw_src=10.%d.0.0/16".formatted(net);
                                case 4 -> "tcp,tcp_flags=+syn-ack";
                                case 5 -> "dl_dst=02:00:00:00:01:0" + net;
                                default -> "icmp,icmp_type=" + net;
                            };
                    String action =
                            permits ? "NORMAL" : random.nextBoolean() ? "drop" : "output:" + net;
                    yield "priority=%d,%s actions=%s"
                            .formatted(1 + random.nextInt(99), match, action);
                }
            };
        }
    }

    private Path file(Format format, String name, List<String> rules) throws IOException {
        return Files.writeString(
                folder.resolve(name), format.head + String.join("\n", rules) + "\n" + format.end);
    }

    @Test
    void packetsOfRandomPoliciesAreJudgedAsTold() throws IOException {
        Random random = TestSeed.random(187);
        Map<Format, Integer> told = new TreeMap<>();
        for (int round = 0; round < 60; round++) {
            Format format = Format.values()[round % Format.values().length];
            List<String> rules = new ArrayList<>();
            for (int i = 0; i < 8; i++) {
                rules.add(format.rule(random));
            }
            Path old = file(format, "old", rules);
            for (int edit = 0; edit < 2; edit++) {
                rules.set(random.nextInt(rules.size()), format.rule(random));
            }
            Path fresh = file(format, "new", rules);
            for (DiffPair pair : SemanticDiffTest.diff(old, fresh, PolicyOptions.NONE).pairs()) {
                AskedFacts names = names(old, fresh);
                int[] header = PacketLine.read(pair.packet(), names).header();
                assertPossible(header, pair.packet());
                assertPossible(pair.witness(), pair.packet());
                assertEquals(pair.oldOutcome(), outcome(old, pair, names, header), pair.toString());
                assertEquals(
                        pair.newOutcome(), outcome(fresh, pair, names, header), pair.toString());
                told.merge(format, 1, Integer::sum);
            }
        }
        for (Format format : Format.values()) {
            assertTrue(told.getOrDefault(format, 0) > 20, told.toString());
        }
    }

    /** Fragments of IPv6 have a fragment header, and none but first ones have ports. */
    private static void assertPossible(int[] header, String words) {
        int fragment = Field.FRAGMENT.extract(header[HeaderWord.IP]);
        boolean v6 = Field.IP_VERSION.extract(header[HeaderWord.IP]) == Field.VERSION_6;
        int extensions = Field.IPV6_EXTENSIONS.extract(header[HeaderWord.IP_LENGTH]);
        boolean lacks = (extensions & Field.EXTENSION_FRAGMENT) == 0;
        assertFalse(v6 && fragment != Field.FRAGMENT_NONE && lacks, words);
        boolean ports = Field.PORTS_PRESENT.extract(header[HeaderWord.IP]) == 1;
        assertFalse(ports && fragment == Field.FRAGMENT_LATER, words);
        boolean codes = ports && PacketWords.isIcmp(header);
        assertEquals(0, codes ? header[HeaderWord.PORTS] & ~0x00ff00ff : 0, words);
    }

    private static AskedFacts names(Path... files) {
        AskedFacts names = AskedFacts.NONE;
        for (Path file : files) {
            for (Policy policy : policies(file)) {
                names = names.and(policy.conditions(), false, null);
            }
        }
        return names;
    }

    private static List<Policy> policies(Path file) {
        try (OpenRules text = OpenRules.open(file, null)) {
            return text.isPolicy() ? PolicyFile.list(text, PolicyOptions.NONE).asked() : List.of();
        }
    }

    private static String outcome(Path file, DiffPair pair, AskedFacts names, int[] header) {
        List<Policy> policies = policies(file);
        if (policies.isEmpty()) {
            return listed(file, header);
        }
        Policy policy =
                policies.stream()
                        .filter(one -> pair.hook().isEmpty() || one.name().equals(pair.hook()))
                        .findFirst()
                        .orElseThrow();
        assertEquals(policies.size() > 1, !pair.hook().isEmpty());
        ConnectionState state =
                pair.state().isEmpty()
                        ? ConnectionState.NEW
                        : ConnectionState.valueOf(pair.state().toUpperCase(Locale.ROOT));
        Assumptions assumed = Assumptions.NONE.telling(names).meeting(policy.name());
        FlatPolicy.Answer answer = FlatPolicy.of(policy, assumed.withState(state)).judge(header);
        return answer == null ? "not-judged" : answer.outcome().label();
    }

    private static String listed(Path file, int[] header) {
        try (OpenRules text = OpenRules.open(file, null)) {
            RuleSet set =
                    RuleFile.read(text, SwitchPorts.NONE, PolicyOptions.NONE)
                            .toRuleSet("", 1, "drop");
            String action =
                    set.rules().stream()
                            .filter(rule -> rule.match().matches(header))
                            .findFirst()
                            .map(Rule::action)
                            .orElse(set.defaultAction());
            return SemanticDiff.outcome(action);
        }
    }
}
