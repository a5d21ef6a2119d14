package dev.sluice.policy.kernel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.policy.PolicyFile;
import dev.sluice.policy.PolicyOptions;
import dev.sluice.policy.flatten.FlatPolicy;
import dev.sluice.policy.flatten.FlatPolicy.Answer;
import dev.sluice.policy.kernel.ImportComparison.Result;
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
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Filters behind a table nat see the packets that the kernel shows them. */
class NatTest {
    private static final int PACKETS = 900;

    private static final List<String> DEVICES = List.of("wan0", "lan0", "docker0");

    /** Published ports as Docker has them, a range, an exempted source, and a local redirection. */
    private static final String FOUR =
            """
            *raw
            :PREROUTING ACCEPT [0:0]
            :OUTPUT ACCEPT [0:0]
            -A PREROUTING -d 198.51.100.7/32 -p tcp -m tcp --dport 81 -j DROP
            COMMIT
            *nat
            :PREROUTING ACCEPT [0:0]
            :INPUT ACCEPT [0:0]
            :OUTPUT ACCEPT [0:0]
            :POSTROUTING ACCEPT [0:0]
            :DOCKER - [0:0]
            -A PREROUTING -s 192.0.2.0/24 -j ACCEPT
            -A PREROUTING -d 198.51.100.0/24 -j DOCKER
            -A PREROUTING -p udp -m udp --dport 53 -j DNAT --to-destination 172.17.0.9
            -A OUTPUT -d 198.51.100.0/24 -j DOCKER
            -A POSTROUTING -s 172.17.0.0/16 ! -o docker0 -j MASQUERADE
            -A DOCKER -i docker0 -j RETURN
            -A DOCKER ! -i docker0 -p tcp -m tcp --dport 80:81 -j DNAT --to-destination 172.17.0.2:8080
            -A DOCKER -p tcp -m tcp --dport 443 -j DNAT --to-destination 172.17.0.3
            -A DOCKER -p tcp -m tcp --dport 9000 -j DNAT --to-destination 172.17.0.4-172.17.0.5:1-9
            -A DOCKER -p udp -j DNAT --to-destination :5353
            COMMIT
            *mangle
            :PREROUTING ACCEPT [0:0]
            :INPUT ACCEPT [0:0]
            :FORWARD ACCEPT [0:0]
            :OUTPUT ACCEPT [0:0]
            :POSTROUTING ACCEPT [0:0]
            -A PREROUTING -d 172.17.0.2/32 -p tcp -m tcp --dport 8080 -j DROP
            -A POSTROUTING -d 172.17.0.3/32 -p tcp -m tcp --sport 7 -j DROP
            COMMIT
            *filter
            :INPUT DROP [0:0]
            :FORWARD DROP [0:0]
            :OUTPUT ACCEPT [0:0]
            :PUBLISHED - [0:0]
            -A INPUT -d 172.17.0.2/32 -p tcp -m tcp ! --dport 80 -j ACCEPT
            -A INPUT -p udp -m udp --dport 5353 -j ACCEPT
            -A INPUT -d 198.51.100.0/24 -j ACCEPT
            -A FORWARD -p udp -m udp --dport 5353 -j PUBLISHED
            -A FORWARD -d 172.17.0.0/16 -j PUBLISHED
            -A FORWARD -d 198.51.100.0/24 -p tcp -m multiport --dports 80,443 -j ACCEPT
            -A OUTPUT -d 172.17.0.2/32 -p tcp -m tcp --dport 8080 -j DROP
            -A OUTPUT -d 198.51.100.0/25 -p tcp -m tcp --dport 443 -j DROP
            -A PUBLISHED -s 203.0.113.0/24 -j RETURN
            -A PUBLISHED -d 172.17.0.2/32 -p tcp -m tcp --dport 8080 -j ACCEPT
            -A PUBLISHED -d 172.17.0.3/32 -p tcp -m tcp --dport 443 -j ACCEPT
            -A PUBLISHED -d 172.17.0.9/32 ! -p tcp -j ACCEPT
            -A PUBLISHED -d 198.51.100.0/26 -p udp -j ACCEPT
            COMMIT
            """;

    private static final String SIX =
            """
            *nat
            :PREROUTING ACCEPT [0:0]
            :INPUT ACCEPT [0:0]
            :OUTPUT ACCEPT [0:0]
            :POSTROUTING ACCEPT [0:0]
            -A PREROUTING -d 2001:db8:1::/64 -p tcp -m tcp --dport 80 -j DNAT --to-destination [2001:db8:2::2]:8080
            -A PREROUTING -d 2001:db8:1::/64 -p udp -j DNAT --to-destination 2001:db8:2::3
            -A OUTPUT -d 2001:db8:1::/64 -p tcp -j DNAT --to-destination 2001:db8:2::4
            COMMIT
            *filter
            :INPUT DROP [0:0]
            :FORWARD DROP [0:0]
            :OUTPUT DROP [0:0]
            -A INPUT -d 2001:db8:2::2/128 -p tcp -m tcp --dport 8080 -j ACCEPT
            -A FORWARD -d 2001:db8:2::2/128 -p tcp -m tcp --dport 8080 -j ACCEPT
            -A FORWARD -d 2001:db8:2::/64 ! -p tcp -j ACCEPT
            -A FORWARD -d 2001:db8:1::/64 -p tcp -j ACCEPT
            -A OUTPUT -d 2001:db8:2::4/128 -j ACCEPT
            COMMIT
            """;

    private static final String RULESET =
            """
            table inet nat {
              map ports { type inet_service : ipv4_addr ; elements = { 8000 : 172.17.0.4, 8001 : 172.17.0.5 } }
              chain before {
                type nat hook prerouting priority dstnat; policy accept;
                ip saddr 192.0.2.0/24 accept
                iifname != "docker0" ip daddr 198.51.100.0/24 tcp dport 80-81 dnat ip to 172.17.0.2:8080
                ip daddr 198.51.100.0/24 jump published
                tcp dport 90 dnat ip to 172.17.0.2:8080
                tcp dport 90 dnat ip6 to [2001:db8:2::3]:91
                ip6 daddr 2001:db8:1::/64 udp dport 53 dnat ip6 to 2001:db8:2::3
                meta l4proto udp redirect to :5353
              }
              chain published {
                iifname "docker0" return
                tcp dport 443 dnat ip to 172.17.0.3
                dnat ip to tcp dport map @ports
              }
              chain own {
                type nat hook output priority -100; policy accept;
                ip daddr 198.51.100.0/24 tcp dport 80 dnat ip to 172.17.0.2:8080
              }
            }
            table inet filter {
              chain early {
                type filter hook prerouting priority mangle; policy accept;
                ip daddr 172.17.0.3 drop
              }
              chain in {
                type filter hook input priority filter; policy drop;
                ip daddr 172.17.0.2 tcp dport 8080 accept
                udp dport 5353 accept
                ip daddr 198.51.100.0/24 accept
              }
              chain through {
                type filter hook forward priority filter; policy drop;
                ip daddr 172.17.0.2 tcp dport 8080 accept
                ip daddr 172.17.0.3 tcp dport 443 accept
                ip6 daddr 2001:db8:2::3 accept
                tcp dport 90 accept
                ip daddr 198.51.100.0/26 accept
              }
              chain out {
                type filter hook output priority filter; policy accept;
                ip daddr 172.17.0.2 tcp dport 8080 drop
                ip daddr 198.51.100.0/24 tcp dport 80 drop
              }
            }
            """;

    @TempDir Path folder;

    @ParameterizedTest
    @ValueSource(ints = {4, 6})
    void theImporterOfNftAnswersAsTheKernel(int version) throws Exception {
        Random random = TestSeed.random(5750 + version);
        List<String> differences = new ArrayList<>();
        int compared = 0;
        int told = 0;
        try (KernelNamespace namespace = KernelNamespace.open(Backend.NFT, DEVICES)) {
            NftDump dump = namespace.loadRuleset(RULESET).orElseThrow();
            Path file = Files.writeString(folder.resolve("nat.nft"), dump.text());
            List<ProbePacket> packets = new ArrayList<>();
            List<List<FlatPolicy>> policies = new ArrayList<>();
            Map<String, List<FlatPolicy>> read = new HashMap<>();
            for (int i = 0; i < PACKETS; i++) {
                ProbeHook hook = ProbeHook.values()[i % 3];
                int in = random.nextInt(DEVICES.size());
                int out = random.nextInt(DEVICES.size());
                String from = hook == ProbeHook.OUTPUT ? "" : DEVICES.get(in);
                String to = hook == ProbeHook.INPUT ? "" : DEVICES.get(out);
                List<FlatPolicy> both =
                        read.computeIfAbsent(
                                hook + from + " " + to, k -> both(file, hook, from, to));
                policies.add(both);
                packets.add(new DumpPackets(version, both.get(0), random).draw(hook, in, out));
            }
            List<KernelAnswer> answers = namespace.judge(packets);
            for (int i = 0; i < packets.size(); i++) {
                KernelAnswer kernel = answers.get(i);
                int[] header = ProbeHeader.words(packets.get(i));
                Answer answer = policies.get(i).get(0).judge(header);
                if (answer == null
                        || answer.outcome() == Outcome.DEPENDS
                        || kernel.steps().isEmpty()
                        || packets.get(i).number(ProbeField.FRAGMENT) == 1) {
                    continue;
                }
                compared++;
                boolean passes = answer.outcome() == Outcome.PERMIT;
                Step last = kernel.steps().get(kernel.steps().size() - 1);
                int line = last.isEnd() ? dump.ends().getOrDefault(last.where(), 0) : last.rule();
                boolean same =
                        passes == kernel.passed()
                                && (passes
                                        || !answer.sure()
                                        || answer.rule().origin().line() == line);
                if (!same) {
                    differences.add(answer + "\n" + kernel + "\n" + packets.get(i));
                }
                Answer plain = Objects.requireNonNull(policies.get(i).get(1).judge(header));
                told += plain.outcome() != answer.outcome() ? 1 : 0;
            }
        }
        System.out.printf(
                "nat nft %d: %d compared, %d told apart, %d differ%n",
                version, compared, told, differences.size());
        assertEquals(
                List.of(), differences.stream().limit(5).toList(), differences.size() + " differ");
        assertTrue(compared > PACKETS / 2, compared + " answers were compared");
        assertTrue(told > 10, told + " packets told of an importer that translates nothing");
    }

    /** The policy that translates, and one that does not. */
    private static List<FlatPolicy> both(Path file, ProbeHook hook, String in, String out) {
        Assumptions assumed = new Assumptions(ConnectionState.NEW, in, out);
        PolicyOptions plain = new PolicyOptions(hook.name(), assumed, false);
        return Stream.of(plain.translating(true), plain)
                .map(options -> PolicyFile.read(file, options).flat())
                .toList();
    }

    @ParameterizedTest
    @CsvSource({"LEGACY,4", "LEGACY,6", "NFT,4", "NFT,6"})
    void theImporterAnswersAsTheKernel(Backend backend, int version) throws Exception {
        Random random = TestSeed.random(5700 + 10 * backend.ordinal() + version);
        String save = version == 4 ? FOUR : SIX;
        String dump = ImportComparison.dump(backend, version, "", save);
        ImportComparison comparison =
                new ImportComparison(
                                folder.resolve("nat.save"),
                                dump,
                                dump,
                                DEVICES,
                                ConnectionState.NEW)
                        .translating();
        List<String> differences = new ArrayList<>();
        int compared = 0;
        int depending = 0;
        int told = 0;
        ImportComparison plain =
                new ImportComparison(
                        folder.resolve("plain.save"), dump, dump, DEVICES, ConnectionState.NEW);
        try (KernelNamespace namespace = KernelNamespace.open(backend, DEVICES)) {
            namespace.load(version, "", save);
            List<ProbePacket> packets = new ArrayList<>();
            for (ProbeHook hook : ProbeHook.values()) {
                for (int i = 0; i < PACKETS / 3; i++) {
                    int in = random.nextInt(DEVICES.size());
                    int out = random.nextInt(DEVICES.size());
                    ProbePacket like = new ProbePacket(version, hook);
                    like.set(ProbeField.IN, in).set(ProbeField.OUT, out);
                    packets.add(
                            new DumpPackets(version, comparison.policy(like).flat(), random)
                                    .draw(hook, in, out));
                }
            }
            List<KernelAnswer> answers = namespace.judge(packets);
            for (int i = 0; i < packets.size(); i++) {
                Result result = comparison.compare(packets.get(i), answers.get(i));
                if (result == null) {
                    continue;
                }
                depending += result.depends() ? 1 : 0;
                compared += result.depends() ? 0 : 1;
                if (result.difference() != null) {
                    differences.add(result.difference() + "\n" + packets.get(i));
                }
                Result untranslated = plain.compare(packets.get(i), answers.get(i));
                told += untranslated != null && untranslated.difference() != null ? 1 : 0;
            }
        }
        System.out.printf(
                "nat %s %d: %d compared, %d depend, %d told apart, %d differ%n",
                backend, version, compared, depending, told, differences.size());
        assertEquals(
                List.of(), differences.stream().limit(5).toList(), differences.size() + " differ");
        assertTrue(compared > PACKETS / 2, compared + " answers were compared");
        assertTrue(told > 10, told + " packets told of an importer that translates nothing");
    }
}
