package dev.sluice.policy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.policy.flatten.FlatPolicy;
import dev.sluice.policy.model.Assumptions;
import dev.sluice.policy.model.ConnectionState;
import dev.sluice.policy.model.Outcome;
import dev.sluice.schemas.header.Field;
import dev.sluice.schemas.header.HeaderWord;
import dev.sluice.schemas.testing.TestData;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * One policy that aerleon wrote in the words of several devices: each packet has the verdict that
 * the policy's source gives it, but for kinds of packets that a device judges otherwise.
 */
final class MultitargetTest {
    private static final String FOLDER =
            "job/policy/src/test/resources/dev/sluice/policy/multitarget/";
    private static final int PACKETS = 20_000;

    /** Blocks that the policy denies by source; those from the second on by destination, too. */
    private static final List<String> BOGONS =
            List.of(
                    "0.0.0.0/8",
                    "192.0.0.0/24",
                    "192.0.2.0/24",
                    "198.18.0.0/15",
                    "198.51.100.0/24",
                    "203.0.113.0/24",
                    "224.0.0.0/4",
                    "240.0.0.0/4",
                    "10.0.0.0/8",
                    "100.64.0.0/10",
                    "127.0.0.0/8",
                    "169.254.0.0/16",
                    "172.16.0.0/12",
                    "192.168.0.0/16");

    private static final List<String> PRIVATE =
            List.of("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16");
    private static final Set<Integer> MAIL = Set.of(25, 465, 587, 995);
    private static final Set<Integer> WEB = Set.of(80, 443);
    private static final int SERVERS = 0xc8010100; // 200.1.1.1 to 200.1.1.5

    /** Kinds of packets that some devices judge otherwise. */
    private enum Kind {
        /** Later fragments of TCP and UDP: devices differ in what an entry with ports takes. */
        LATER_FRAGMENT,
        /**
         * First packets of TCP that are no SYN alone: a device that tracks connections judges by
         * the connection, not by ACK and RST, and some of these packets are invalid there.
         */
        FLAGS,
        /** TCP to a server, where aerleon leaves the option of established connections out. */
        TO_SERVERS
    }

    private record Packet(
            int from, int to, int protocol, int sport, int dport, int flags, boolean later) {
        boolean is(Kind kind) {
            return switch (kind) {
                case LATER_FRAGMENT -> later && (protocol == 6 || protocol == 17);
                case FLAGS -> protocol == 6 && flags != 2 && !later;
                case TO_SERVERS -> protocol == 6 && to - SERVERS >= 1 && to - SERVERS <= 5;
            };
        }

        int[] header() {
            int[] header = new int[HeaderWord.COUNT];
            Field.IP_VERSION.put(header, Field.VERSION_4);
            Field.IPV4_SRC.put(header, from);
            Field.IPV4_DST.put(header, to);
            Field.IP_PROTO.put(header, protocol);
            Field.FRAGMENT.put(header, later ? Field.FRAGMENT_LATER : Field.FRAGMENT_NONE);
            if (!later && protocol != 50) {
                Field.SRC_PORT.put(header, sport);
                Field.DST_PORT.put(header, dport);
                Field.PORTS_PRESENT.put(header, 1);
                Field.TCP_FLAGS.put(header, protocol == 6 ? flags : 0);
            }
            return header;
        }
    }

    /** A line for each device: file, list, kinds of packets that it judges otherwise. */
    @ParameterizedTest
    @CsvSource({
        "edge.acl, edge-inbound, ",
        "edge.xacl, edge-inbound, ",
        "edge.nxacl, edge-inbound, ",
        "edge.eacl, edge-inbound, ",
        "edge.bacl, edge-inbound, ",
        "edge.asa, asa_in, LATER_FRAGMENT TO_SERVERS", // puts datagrams together
        "edge.ipt, INPUT, LATER_FRAGMENT FLAGS", // tracks connections
    })
    void eachDeviceGivesThePacketsOfOnePolicyTheSameVerdict(
            String file, String list, String otherwise) {
        Path path = Path.of(TestData.inCheckout(FOLDER + file) + "#" + list);
        Assumptions first = new Assumptions(ConnectionState.NEW, null, null);
        FlatPolicy policy = PolicyFile.read(path, new PolicyOptions(null, first, false)).flat();
        List<Kind> kinds = new ArrayList<>();
        for (String kind : Objects.requireNonNullElse(otherwise, "").split(" ")) {
            if (!kind.isEmpty()) {
                kinds.add(Kind.valueOf(kind));
            }
        }
        Random random = new Random(10);
        int permitted = 0;
        int others = 0;
        for (int i = 0; i < PACKETS; i++) {
            Packet packet = packet(random);
            Outcome found = Objects.requireNonNull(policy.judge(packet.header())).outcome();
            boolean expected = permits(packet);
            if (kinds.stream().anyMatch(packet::is)) {
                others += found == (expected ? Outcome.PERMIT : Outcome.DENY) ? 0 : 1;
                continue;
            }
            assertEquals(expected ? Outcome.PERMIT : Outcome.DENY, found, file + " " + packet);
            permitted += expected ? 1 : 0;
        }
        assertTrue(permitted > PACKETS / 80, permitted + " packets were permitted");
        assertEquals(kinds.isEmpty(), others == 0, others + " packets were judged otherwise");
    }

    /** The policy in aerleon's own words, a later fragment taken by permits that name its ports. */
    private static boolean permits(Packet packet) {
        if (in(packet.from, BOGONS) || in(packet.to, PRIVATE)) {
            return false;
        }
        int server = packet.to - SERVERS;
        if (server < 1 || server > 5) {
            return false;
        }
        if (packet.protocol == 17) {
            return packet.later || packet.sport >= 1024;
        }
        if (packet.protocol != 6) {
            return false;
        }
        return packet.later
                || (packet.flags & 0x14) != 0
                || server >= 4 && MAIL.contains(packet.dport)
                || server <= 2 && WEB.contains(packet.dport);
    }

    private static boolean in(int address, List<String> blocks) {
        for (String block : blocks) {
            String[] parts = block.split("[./]");
            int base = 0;
            for (int i = 0; i < 4; i++) {
                base = base << 8 | Integer.parseInt(parts[i]);
            }
            if ((base ^ address) >>> 32 - Integer.parseInt(parts[4]) == 0) {
                return true;
            }
        }
        return false;
    }

    private static Packet packet(Random random) {
        int[] ports = {22, 25, 80, 443, 465, 587, 995, 1023, 1024, 40_000, 65_535};
        int[] froms = {0x08080808, 0xc0000001, 0xc0000201, 0x0a000001, 0x647f0001, 0xdf000001};
        int to = random.nextInt(8) == 0 ? random.nextInt() : SERVERS + random.nextInt(7);
        int from = random.nextInt(3) == 0 ? random.nextInt() : froms[random.nextInt(froms.length)];
        return new Packet(
                from,
                to,
                new int[] {6, 6, 17, 1, 50}[random.nextInt(5)],
                ports[random.nextInt(ports.length)],
                ports[random.nextInt(ports.length)],
                new int[] {2, 2, 16, 4, 18, 1}[random.nextInt(6)],
                random.nextInt(6) == 0);
    }
}
