package dev.sluice.schemas.header;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.schemas.testing.TestSeed;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FlowShardTest {
    private static final int TCP = 6;
    private static final int UDP = 17;
    private static final int ICMP = 1;
    private static final int ICMP_V6 = 58;

    private static int[] ipv4(int proto, int source, int destination, int sport, int dport) {
        int[] h = new int[HeaderWord.COUNT];
        h[HeaderWord.IP] =
                Field.IP_VERSION.place(Field.VERSION_4)
                        | Field.IP_PROTO.place(proto)
                        | Field.PORTS_PRESENT.place(1);
        h[HeaderWord.IPV4_SRC] = source;
        h[HeaderWord.IPV4_DST] = destination;
        h[HeaderWord.PORTS] = Field.SRC_PORT.place(sport) | Field.DST_PORT.place(dport);
        return h;
    }

    private static int[] ipv6(int proto, int lastSource, int lastDestination, int type, int code) {
        int[] h = ipv4(proto, 0, 0, type, code);
        h[HeaderWord.IP] =
                Field.IP_VERSION.place(Field.VERSION_6)
                        | Field.IP_PROTO.place(proto)
                        | Field.PORTS_PRESENT.place(1);
        h[HeaderWord.IPV6_SRC] = 0x20010db8;
        h[HeaderWord.IPV6_DST] = 0x20010db8;
        h[HeaderWord.IPV6_SRC + 3] = lastSource;
        h[HeaderWord.IPV6_DST + 3] = lastDestination;
        return h;
    }

    private static int[] ethernet(long source, long destination, int type) {
        int[] h = new int[HeaderWord.COUNT];
        FieldBits.orMac(h, Field.ETH_SRC, source);
        FieldBits.orMac(h, Field.ETH_DST, destination);
        h[HeaderWord.ETHER] = Field.ETH_TYPE.place(type);
        return h;
    }

    @Test
    void bothDirectionsOfAFlowMeetInOneShard() {
        Random random = TestSeed.random(2);
        for (int i = 0; i < 2000; i++) {
            int a = random.nextInt();
            int b = random.nextInt();
            int p = random.nextInt(65_536);
            int q = random.nextInt(65_536);
            int proto = random.nextBoolean() ? TCP : UDP;
            assertEquals(
                    FlowShard.FLOW.of(ipv4(proto, a, b, p, q), 997),
                    FlowShard.FLOW.of(ipv4(proto, b, a, q, p), 997));
            assertEquals(
                    FlowShard.FLOW.of(ipv6(proto, a, b, p, q), 997),
                    FlowShard.FLOW.of(ipv6(proto, b, a, q, p), 997));
            long m = random.nextLong() >>> 16;
            long n = random.nextLong() >>> 16;
            assertEquals(
                    FlowShard.FLOW.of(ethernet(m, n, 0x0806), 997),
                    FlowShard.FLOW.of(ethernet(n, m, 0x0806), 997));
        }
    }

    /** ICMP's type and code stand where ports do; an echo and its reply differ in the type. */
    @Test
    void anEchoMeetsItsReply() {
        Random random = TestSeed.random(3);
        for (int i = 0; i < 2000; i++) {
            int a = random.nextInt();
            int b = random.nextInt();
            assertEquals(
                    FlowShard.FLOW.of(ipv4(ICMP, a, b, 8, 0), 997),
                    FlowShard.FLOW.of(ipv4(ICMP, b, a, 0, 0), 997));
            assertEquals(
                    FlowShard.FLOW.of(ipv6(ICMP_V6, a, b, 128, 0), 997),
                    FlowShard.FLOW.of(ipv6(ICMP_V6, b, a, 129, 0), 997));
        }
    }

    @Test
    void fieldsThatAreNotOfTheFlowDoNotMoveIt() {
        int[] plain = ipv4(TCP, 0x0a000001, 0x0a000002, 1234, 443);
        int[] other = plain.clone();
        other[HeaderWord.TCP_FLAGS] = 0x12;
        other[HeaderWord.IN_PORT] = 7;
        other[HeaderWord.IP] |= Field.TOS.place(0x2e) | Field.IN_PORT_PRESENT.place(1);
        other[HeaderWord.ETHER] = Field.VLAN_PRESENT.place(1) | Field.VLAN_ID.place(5);
        FieldBits.orMac(other, Field.ETH_SRC, 0x0123456789abL);
        assertEquals(FlowShard.FLOW.of(plain, 1 << 30), FlowShard.FLOW.of(other, 1 << 30));
    }

    @Test
    void everyFieldOfTheFlowTellsFlowsApart() {
        int all = 1 << 30; // so many shards that different flows hardly ever meet
        int flow = FlowShard.FLOW.of(ipv4(TCP, 1, 2, 3, 4), all);
        assertNotEquals(flow, FlowShard.FLOW.of(ipv4(UDP, 1, 2, 3, 4), all));
        assertNotEquals(flow, FlowShard.FLOW.of(ipv4(TCP, 9, 2, 3, 4), all));
        assertNotEquals(flow, FlowShard.FLOW.of(ipv4(TCP, 1, 9, 3, 4), all));
        assertNotEquals(flow, FlowShard.FLOW.of(ipv4(TCP, 1, 2, 9, 4), all));
        assertNotEquals(flow, FlowShard.FLOW.of(ipv4(TCP, 1, 2, 3, 9), all));
        // The other direction of the addresses alone is another flow.
        assertNotEquals(flow, FlowShard.FLOW.of(ipv4(TCP, 2, 1, 3, 4), all));
        assertNotEquals(
                FlowShard.FLOW.of(ethernet(1, 2, 0x0806), all),
                FlowShard.FLOW.of(ethernet(1, 2, 0x88cc), all));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 16, 100, 128})
    void flowsSpreadEvenlyOverTheShards(int shards) {
        int flows = 500 * shards;
        int[] held = new int[shards];
        for (int i = 0; i < flows; i++) {
            // Neighbouring addresses and ports, as real networks have them.
            held[
                    FlowShard.FLOW.of(
                            ipv4(TCP, 0x0a000000 + i / 50, 0x0a640001, 40_000 + i, 443), shards)]++;
        }
        for (int shard = 0; shard < shards; shard++) {
            assertTrue(
                    held[shard] > 350 && held[shard] < 650,
                    "shard "
                            + shard
                            + " of "
                            + shards
                            + " has "
                            + held[shard]
                            + " flows, not ~500");
        }
    }

    /** Exporters of several versions write into one topic: a flow must not move between shards. */
    @Test
    void shardsStayWhatTheyWereWhenTheyWereReleased() {
        assertEquals(23, FlowShard.FLOW.of(ipv4(TCP, 0x0a000001, 0x0a000002, 1234, 443), 128));
        assertEquals(102, FlowShard.FLOW.of(ipv4(ICMP, 0x0a000001, 0x0a000002, 8, 0), 128));
        assertEquals(48, FlowShard.FLOW.of(ipv6(UDP, 1, 2, 53, 5353), 128));
        assertEquals(
                103, FlowShard.FLOW.of(ethernet(0x0123456789abL, 0xfedcba987654L, 0x0806), 128));
    }

    private static int[] error(int[] outer, int[] embedded) {
        int[] h = outer.clone();
        boolean six = Field.IP_VERSION.extract(h[HeaderWord.IP]) == Field.VERSION_6;
        System.arraycopy(
                embedded,
                six ? HeaderWord.IPV6_DST : HeaderWord.IPV4_DST,
                h,
                HeaderWord.FLOW_DST,
                six ? 4 : 1);
        Field.FLOW_DST_4.markPresent(h);
        Field.FLOW_PROTO.put(h, Field.IP_PROTO.extract(embedded[HeaderWord.IP]));
        Field.FLOW_PORTS.put(h, embedded[HeaderWord.PORTS]);
        return h;
    }

    @Test
    void anErrorAndALaterFragmentHaveTheShardOfTheirFlow() {
        Random random = TestSeed.random(3);
        int shards = 1 << 30;
        for (int i = 0; i < 2000; i++) {
            int a = random.nextInt();
            int b = random.nextInt();
            int router = random.nextInt();
            int p = random.nextInt(65_536);
            int q = random.nextInt(65_536);
            int proto = new int[] {TCP, UDP, ICMP, ICMP_V6, 47}[random.nextInt(5)];
            for (FlowShard by : FlowShard.values()) {
                int[] four = ipv4(proto, a, b, p, q);
                assertEquals(
                        by.of(four, shards),
                        by.of(error(ipv4(ICMP, router, a, 3, 1), four), shards));
                int[] six = ipv6(proto, a, b, p, q);
                assertEquals(
                        by.of(six, shards),
                        by.of(error(ipv6(ICMP_V6, router, a, 1, 4), six), shards));
                int[] later = ipv4(proto, a, b, 0, 0);
                Field.FRAGMENT.put(later, Field.FRAGMENT_LATER);
                Field.FLOW_PROTO.put(later, proto);
                Field.FLOW_PORTS.put(later, four[HeaderWord.PORTS]);
                assertEquals(by.of(four, shards), by.of(later, shards));
            }
        }
    }

    @Test
    void addressesAloneDoNotTellPortsOrProtocolsApart() {
        int all = 1 << 30;
        int flow = FlowShard.ADDRESSES.of(ipv4(TCP, 1, 2, 3, 4), all);
        assertEquals(flow, FlowShard.ADDRESSES.of(ipv4(UDP, 2, 1, 9, 9), all));
        assertNotEquals(flow, FlowShard.ADDRESSES.of(ipv4(TCP, 1, 3, 3, 4), all));
        assertEquals(
                FlowShard.ADDRESSES.of(ipv6(TCP, 1, 2, 3, 4), all),
                FlowShard.ADDRESSES.of(ipv6(UDP, 2, 1, 5, 6), all));
    }
}
