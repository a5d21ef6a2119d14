package dev.sluice.policy.kernel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.policy.Literals;
import dev.sluice.policy.PolicyFile;
import dev.sluice.policy.PolicyOptions;
import dev.sluice.policy.model.Assumptions;
import dev.sluice.policy.model.ConnectionState;
import dev.sluice.policy.model.Host;
import dev.sluice.policy.model.Outcome;
import dev.sluice.policy.model.ValueSet;
import dev.sluice.schemas.header.Field;
import dev.sluice.schemas.testing.TestSeed;
import java.math.BigInteger;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Rules on what routes tell of addresses hold when the kernel's hold, for a known host. */
class HostRoutesTest {
    private static final int PACKETS = 240;
    private static final List<String> DEVICES = List.of("wan0", "lan0", "docker0");

    /** Routes beside those of namespace.sh; of a blackhole no device is named. */
    private static final String ROUTES =
            """
            ip route add 10.50.0.0/16 dev lan0
            ip route add 10.50.3.0/24 dev docker0
            ip route add blackhole 10.51.0.0/16
            ip route add 10.52.0.0/16 nexthop dev lan0 nexthop dev docker0
            ip -6 route add fd50::/32 dev lan0
            ip -6 route add fd50:0:3::/48 dev docker0
            ip -6 route add unreachable fd51::/32
            ip -6 route add fe80::/64 dev wan0
            """;

    private static final List<String> SENDERS =
            List.of(
                    "10.77.1.9 10.77.2.9 10.77.3.9 10.50.1.1 10.50.3.1 10.51.1.1 10.52.1.1 8.8.8.8"
                            + " 10.77.1.1 10.77.2.1",
                    "fd77:1::9 fd77:2::9 fd77:3::9 fd50::1 fd50:0:3::1 fd51::1 2001:db8::1"
                            + " fd77:1::1 fd77:2::1 fe80::9");

    private static final List<String> RECEIVERS =
            List.of(
                    "10.77.1.1 10.77.2.1 10.77.1.255 10.77.2.0 224.0.0.1 127.0.0.1 127.255.255.255"
                            + " 8.8.4.4 10.50.1.1 255.255.255.255",
                    "fd77:1::1 fd77:2::1 fd77:2::5 2001:db8::9 ff02::1");

    private static final List<String> TYPES =
            List.of("local", "unicast", "broadcast", "multicast", "{ local, broadcast }");

    @TempDir Path folder;

    @ParameterizedTest
    @CsvSource({"NFT, 4", "NFT, 6", "LEGACY, 4"})
    void theImporterAnswersAsTheKernel(Backend backend, int version) throws Exception {
        Random random = TestSeed.random(5900 + version);
        boolean nft = backend == Backend.NFT;
        List<ProbePacket> packets = new ArrayList<>();
        StringBuilder rules = new StringBuilder();
        for (int i = 0; i < PACKETS; i++) {
            String condition = nft ? ofNft(random) : ofIptables(random);
            rules.append(
                    nft
                            ? "tcp dport %d %s drop%n".formatted(i + 1, condition)
                            : "-A PREROUTING -p tcp --dport %d %s -j DROP%n"
                                    .formatted(i + 1, condition));
            packets.add(
                    new ProbePacket(version, ProbeHook.INPUT)
                            .set(ProbeField.DESTINATION_PORT, i + 1)
                            .set(ProbeField.IN, random.nextInt(DEVICES.size()))
                            .set(ProbeField.SOURCE, one(SENDERS, version, random))
                            .set(ProbeField.DESTINATION, one(RECEIVERS, version, random)));
        }
        String text =
                nft
                        ? "table inet t {\nchain c {\ntype filter hook prerouting priority 0\n%s}\n}\n"
                                .formatted(rules)
                        : "*raw\n:PREROUTING ACCEPT [0:0]\n%sCOMMIT\n".formatted(rules);
        Path file =
                Files.writeString(
                        folder.resolve("routes"),
                        text + (nft ? "" : "*filter\n:INPUT ACCEPT [0:0]\nCOMMIT\n"));
        List<KernelAnswer> answers;
        try (KernelNamespace namespace = KernelNamespace.open(backend, DEVICES)) {
            namespace.run(ROUTES, List.of("sh", "-e"));
            if (nft) {
                namespace.loadRuleset(text).orElseThrow();
            } else {
                namespace.load(version, text);
            }
            answers = namespace.judge(packets);
        }
        Map<String, PolicyFile> read = new HashMap<>();
        int dropped = 0;
        int unknown = 0;
        for (int i = 0; i < PACKETS; i++) {
            ProbePacket packet = packets.get(i);
            PolicyFile policy =
                    read.computeIfAbsent(
                            DEVICES.get(packet.number(ProbeField.IN)),
                            device -> read(file, device));
            Outcome outcome =
                    Objects.requireNonNull(policy.flat().judge(ProbeHeader.words(packet)))
                            .outcome();
            boolean passed = answers.get(i).passed();
            unknown += outcome == Outcome.DEPENDS ? 1 : 0;
            dropped += passed ? 0 : 1;
            if (outcome != Outcome.DEPENDS) {
                String rule = rules.toString().lines().skip(i).findFirst().orElseThrow();
                assertEquals(passed ? Outcome.PERMIT : Outcome.DENY, outcome, rule + "\n" + packet);
            }
        }
        System.out.printf(
                "routes, %s, IPv%d: %d packets compared, %d dropped, %d depend%n",
                backend, version, PACKETS, dropped, unknown);
        assertTrue(dropped > PACKETS / 8 && dropped < PACKETS * 7 / 8, dropped + " dropped");
        assertTrue(unknown < PACKETS / 3, unknown + " depend");
    }

    private PolicyFile read(Path file, String device) {
        Assumptions assumed = new Assumptions(ConnectionState.NEW, device, "", host());
        return PolicyFile.read(file, new PolicyOptions("INPUT", assumed, false));
    }

    @Test
    void captureWithoutInterfacesLeavesThePathOpen() throws Exception {
        Path file =
                Files.writeString(
                        folder.resolve("path.nft"),
                        "table ip t {\nchain c {\ntype filter hook input priority 0\nfib saddr . iif oif missing drop\n}\n}\n");
        Assumptions assumed = new Assumptions(ConnectionState.NEW, null, "", host());
        PolicyOptions options = new PolicyOptions("INPUT", assumed, false).ofCaptures(false);
        ProbePacket packet = new ProbePacket(4, ProbeHook.INPUT);
        int[] routed = ProbeHeader.words(packet.set(ProbeField.SOURCE, address("10.50.1.1")));
        int[] dropped = ProbeHeader.words(packet.set(ProbeField.SOURCE, address("10.51.1.1")));
        PolicyFile policy = PolicyFile.read(file, options);
        assertEquals(
                Outcome.DEPENDS, Objects.requireNonNull(policy.flat().judge(routed)).outcome());
        int word = Field.IN_INTERFACE.word();
        for (String name : DEVICES) {
            routed[word] = policy.asked().value(name, true);
            assertEquals(
                    name.equals("lan0") ? Outcome.PERMIT : Outcome.DENY,
                    Objects.requireNonNull(policy.flat().judge(routed)).outcome());
            dropped[word] = policy.asked().value(name, true);
            assertEquals(
                    Outcome.DENY, Objects.requireNonNull(policy.flat().judge(dropped)).outcome());
        }
    }

    private static BigInteger one(List<String> pools, int version, Random random) {
        String[] pool = pools.get(version == 4 ? 0 : 1).split(" ");
        return address(pool[random.nextInt(pool.length)]);
    }

    private static BigInteger address(String text) {
        try {
            return text.indexOf(':') >= 0
                    ? new BigInteger(1, Literals.ipv6(text, 1))
                    : BigInteger.valueOf(Literals.ipv4(text, 1) & 0xffffffffL);
        } catch (Exception e) {
            throw new IllegalArgumentException(text, e);
        }
    }

    private static String ofNft(Random random) {
        String negation = random.nextBoolean() ? " != " : " ";
        return switch (random.nextInt(4)) {
            case 0 -> "fib saddr . iif oif missing";
            case 1 -> "fib saddr . iif oif exists";
            default ->
                    "fib "
                            + (random.nextInt(3) == 0 ? "saddr" : "daddr")
                            + " type"
                            + negation
                            + TYPES.get(random.nextInt(TYPES.size()));
        };
    }

    private static String ofIptables(Random random) {
        return "-m rpfilter" + (random.nextBoolean() ? " --invert" : "");
    }

    /** The host as namespace.sh and the routes above make it. */
    private static Host host() {
        List<Host.Route> routes = new ArrayList<>();
        for (String route :
                List.of(
                        "0.0.0.0/0 wan0",
                        "10.77.1.0/24 wan0",
                        "10.77.2.0/24 lan0",
                        "10.77.3.0/24 docker0",
                        "10.50.0.0/16 lan0",
                        "10.50.3.0/24 docker0",
                        "10.51.0.0/16",
                        "10.52.0.0/16 lan0 docker0",
                        "::/0 wan0",
                        "fd77:1::/64 wan0",
                        "fd77:2::/64 lan0",
                        "fd77:3::/64 docker0",
                        "fd50::/32 lan0",
                        "fd50:0:3::/48 docker0",
                        "fd51::/32",
                        "fe80::/64 wan0")) {
            String[] words = route.split("[/ ]");
            boolean v6 = words[0].indexOf(':') >= 0;
            BigInteger first = address(words[0]);
            int free = (v6 ? 128 : 32) - Integer.parseInt(words[1]);
            BigInteger last = first.add(BigInteger.ONE.shiftLeft(free)).subtract(BigInteger.ONE);
            Set<String> devices =
                    Set.of(List.of(words).subList(2, words.length).toArray(String[]::new));
            routes.add(new Host.Route(v6, new ValueSet.Range(first, last), devices));
        }
        return new Host(ImportComparison.addresses(DEVICES), routes);
    }
}
