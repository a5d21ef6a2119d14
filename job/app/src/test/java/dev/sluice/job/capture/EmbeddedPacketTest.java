package dev.sluice.job.capture;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import dev.sluice.schemas.codec.PacketField;
import dev.sluice.schemas.header.Field;
import dev.sluice.schemas.header.FlowShard;
import dev.sluice.schemas.header.HeaderWord;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** ICMP errors, and the flow of the packet in them. */
class EmbeddedPacketTest {
    private static final int RAW = 101;
    private static final String HOST = "0a000001";
    private static final String PEER = "0a000002";
    private static final String ROUTER = "c0000201";
    private static final String HOST_6 = "20010db8000000000000000000000001";
    private static final String PEER_6 = "20010db8000000000000000000000002";
    private static final String NEIGHBOUR_6 = "fe8000000000000000000000000000ff";
    private static final String ROUTER_6 = "20010db80000000000000000000000ff";
    private static final String PORTS = "04d20050";
    private static final int SHARDS = 1 << 30;

    private static String ipv4(int proto, String from, String to, String payload) {
        return "4500%04x00010000 40%02x0000"
                        .replace(" ", "")
                        .formatted(20 + payload.length() / 2, proto)
                + from
                + to
                + payload;
    }

    private static String ipv6(int next, String from, String to, String payload) {
        return "60000000%04x%02x40".formatted(payload.length() / 2, next) + from + to + payload;
    }

    private static String icmp(int type, String rest) {
        return "%02x00000000000000".formatted(type) + rest;
    }

    private static ParsedPacket parse(String packet) {
        byte[] bytes = HexFormat.of().parseHex(packet);
        ParsedPacket parsed = new ParsedPacket();
        new PacketParser().parse(bytes, 0, bytes.length, bytes.length, RAW, parsed);
        assertEquals(PacketStatus.OK, parsed.status());
        return parsed;
    }

    private static int shard(String packet) {
        return FlowShard.FLOW.of(parse(packet).words(), SHARDS);
    }

    private static Object value(String packet, Field field) {
        return PacketField.of(field).value(parse(packet).words());
    }

    private static void assertNoFlow(String packet) {
        int[] words = parse(packet).words();
        assertEquals(0, words[HeaderWord.TCP_FLAGS]);
        assertEquals(0, words[HeaderWord.FLOW_PORTS]);
        assertEquals(0, words[HeaderWord.FLOW_DST]);
    }

    @ParameterizedTest
    @ValueSource(ints = {3, 4, 5, 11, 12})
    void anErrorOfIpv4HasTheShardOfItsFlow(int type) {
        for (int proto : new int[] {6, 17, 33, 132, 136}) {
            // RFC 792: the header and 8 bytes behind it, so no whole TCP header.
            String embedded = ipv4(proto, HOST, PEER, PORTS + "00000000");
            String error = ipv4(1, ROUTER, HOST, icmp(type, embedded));
            assertEquals(proto, value(error, Field.FLOW_PROTO));
            assertEquals(0x04d20050, value(error, Field.FLOW_PORTS));
            int[] words = parse(error).words();
            assertEquals(0x0a000002, words[HeaderWord.FLOW_DST]);
            String reply = "005004d2" + "0000000000000000500000000000000000";
            assertEquals(shard(ipv4(proto, PEER, HOST, reply)), shard(error));
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 137})
    void anErrorOfIpv6HasTheShardOfItsFlow(int type) {
        String hopByHop = "3c00000000000000";
        String options = "1100000000000000";
        String embedded = ipv6(0, HOST_6, PEER_6, hopByHop + options + PORTS);
        String redirect = type == 137 ? PEER_6 + HOST_6 + "0406000000000000" : "";
        String from = type == 137 ? NEIGHBOUR_6 : ROUTER_6;
        String error = ipv6(58, from, HOST_6, icmp(type, redirect + embedded));
        assertEquals(17, value(error, Field.FLOW_PROTO));
        assertEquals(0x04d20050, value(error, Field.FLOW_PORTS));
        int[] words = parse(error).words();
        assertEquals(0x20010db8, words[HeaderWord.FLOW_DST]);
        assertEquals(2, words[HeaderWord.FLOW_DST + 3]);
        String packet = ipv6(17, PEER_6, HOST_6, "005004d200080000");
        assertEquals(shard(packet), shard(error));
        if (type == 137) {
            assertNoFlow(ipv6(58, ROUTER_6, HOST_6, icmp(type, redirect + embedded)));
        }
    }

    @Test
    void anErrorAboutAnEchoHasItsIdentifier() {
        String error = ipv4(1, ROUTER, HOST, icmp(3, ipv4(1, HOST, PEER, "0800ffff12340001")));
        assertEquals(1, value(error, Field.FLOW_PROTO));
        assertEquals(0x08001234, value(error, Field.FLOW_PORTS));
        assertEquals(shard(ipv4(1, PEER, HOST, "0000ffff12340001")), shard(error));
        String six =
                ipv6(58, ROUTER_6, HOST_6, icmp(1, ipv6(58, HOST_6, PEER_6, "8000ffff43210001")));
        assertEquals(0x80004321, value(six, Field.FLOW_PORTS));
        String gre = ipv4(1, ROUTER, HOST, icmp(3, ipv4(47, HOST, PEER, "0000080000000000")));
        assertEquals(0, value(gre, Field.FLOW_PORTS));
        assertEquals(shard(ipv4(47, PEER, HOST, "0000080000000000")), shard(gre));
    }

    @Test
    void everyCutOfTheEmbeddedPacketIsReadOrGivesNoFlow() {
        String four = ipv4(6, HOST, PEER, PORTS);
        for (int end = 0; end < four.length(); end += 2) {
            assertNoFlow(ipv4(1, ROUTER, HOST, icmp(3, four.substring(0, end))));
        }
        String six = ipv6(60, HOST_6, PEER_6, "1100000000000000" + PORTS);
        for (int end = 0; end < six.length(); end += 2) {
            assertNoFlow(ipv6(58, ROUTER_6, HOST_6, icmp(1, six.substring(0, end))));
            assertNoFlow(ipv6(58, ROUTER_6, HOST_6, icmp(137, six.substring(0, end))));
        }
    }

    @Test
    void aHeaderThatEndsBehindTheErrorGivesNoFlow() {
        String packet = ipv4(50, HOST, PEER, "0000000100000001");
        assertEquals(50, value(ipv4(1, ROUTER, HOST, icmp(3, packet)), Field.FLOW_PROTO));
        String fits = packet.replaceFirst("^45", "47");
        assertEquals(50, value(ipv4(1, ROUTER, HOST, icmp(3, fits)), Field.FLOW_PROTO));
        assertNoFlow(ipv4(1, ROUTER, HOST, icmp(3, packet.replaceFirst("^45", "48"))));
    }

    @Test
    void onlyErrorsAboutTheReceiversOwnPacketsHaveAFlow() {
        String packet = ipv4(17, HOST, PEER, PORTS + "00080000");
        assertNoFlow(ipv4(1, ROUTER, HOST, icmp(8, packet)));
        assertNoFlow(ipv4(1, ROUTER, PEER, icmp(3, packet)));
        String later = packet.replace("00010000", "00010003");
        assertNoFlow(ipv4(1, ROUTER, HOST, icmp(3, later)));
        String first = packet.replace("00010000", "00012000");
        assertEquals(0x04d20050, value(ipv4(1, ROUTER, HOST, icmp(3, first)), Field.FLOW_PORTS));
        String six = ipv6(44, HOST_6, PEER_6, "1100000800000001" + PORTS);
        assertNoFlow(ipv6(58, ROUTER_6, HOST_6, icmp(1, six)));
        assertNoFlow(ipv6(58, ROUTER_6, PEER_6, icmp(1, six.replace("11000008", "11000001"))));
        assertNull(value(ipv6(58, ROUTER_6, HOST_6, icmp(128, six)), Field.FLOW_PROTO));
    }
}
