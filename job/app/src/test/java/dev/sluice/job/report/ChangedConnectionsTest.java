package dev.sluice.job.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.schemas.header.Field;
import dev.sluice.schemas.header.HeaderWord;
import org.junit.jupiter.api.Test;

class ChangedConnectionsTest {
    private static final int TCP = 6;

    private final TopTable<String> table = new TopTable<>(9);
    private final TopTable.Entry<String> row = table.add("row", 0, 0);

    private static int[] header(int protocol, int source, int destination, int from, int to) {
        int[] header = new int[HeaderWord.COUNT];
        Field.IP_VERSION.put(header, Field.VERSION_4);
        Field.IP_PROTO.put(header, protocol);
        Field.IPV4_SRC.put(header, source);
        Field.IPV4_DST.put(header, destination);
        header[HeaderWord.PORTS] = from << 16 | to;
        return header;
    }

    /** A header whose flow has other ports, or another protocol, than itself. */
    private static int[] ofFlow(int[] header, int protocol, int from, int to) {
        Field.FLOW_PROTO.put(header, protocol);
        header[HeaderWord.FLOW_PORTS] = from << 16 | to;
        Field.FLOW_PRESENT.put(header, 1);
        return header;
    }

    private void assertOne(int[] one, int[] other) {
        ChangedConnections connections = new ChangedConnections(9);
        connections.add(one, row);
        connections.add(other, row);
        assertEquals(1, connections.size());
    }

    private void assertTwo(int[] one, int[] other) {
        ChangedConnections connections = new ChangedConnections(9);
        connections.add(one, row);
        connections.add(other, row);
        assertEquals(2, connections.size());
    }

    @Test
    void bothDirectionsAreOneConnection() {
        int[] packet = header(TCP, 1, 2, 1000, 80);
        assertOne(packet, header(TCP, 2, 1, 80, 1000));
        assertEquals(1, row.connections());
        assertTwo(packet, header(TCP, 2, 1, 1000, 80));
        assertTwo(packet, header(17, 1, 2, 1000, 80));
        assertTwo(packet, header(TCP, 1, 2, 1001, 80));
        assertTwo(packet, header(TCP, 1, 3, 1000, 80));
        assertOne(header(1, 1, 2, 8, 0), header(1, 2, 1, 0, 0));
    }

    @Test
    void ipv6AddressesCountWhole() {
        int[] one = header(TCP, 0, 0, 1000, 80);
        Field.IP_VERSION.put(one, Field.VERSION_6);
        int[] other = one.clone();
        other[HeaderWord.IPV6_SRC + 3] = 1;
        assertTwo(one, other);
        int[] back = header(TCP, 0, 0, 80, 1000);
        Field.IP_VERSION.put(back, Field.VERSION_6);
        back[HeaderWord.IPV6_DST + 3] = 1;
        assertOne(other, back);
    }

    @Test
    void fragmentsAndErrorsBelongToTheirFlow() {
        int[] packet = header(TCP, 1, 2, 1000, 80);
        assertOne(packet, ofFlow(header(TCP, 1, 2, 0, 0), TCP, 1000, 80));
        int[] error = ofFlow(header(1, 9, 1, 3, 1), TCP, 1000, 80);
        error[HeaderWord.FLOW_DST] = 2;
        Field.FLOW_DST_PRESENT.put(error, 1);
        assertOne(packet, error);
    }

    @Test
    void aRowCountsAConnectionOnceAndPlacesEnd() {
        TopTable.Entry<String> other = table.add("other", 0, 0);
        ChangedConnections connections = new ChangedConnections(2);
        connections.add(header(TCP, 1, 2, 3, 4), row);
        connections.add(header(TCP, 2, 1, 4, 3), other);
        connections.add(header(TCP, 1, 2, 3, 4), row);
        assertFalse(connections.isFull());
        connections.add(header(TCP, 1, 2, 3, 5), row);
        assertTrue(connections.isFull());
        assertEquals(1, connections.size());
        assertEquals(1, row.connections());
        assertEquals(1, other.connections());
    }

    @Test
    void framesThatAreNotIpHaveNone() {
        ChangedConnections connections = new ChangedConnections(2);
        connections.add(new int[HeaderWord.COUNT], row);
        assertEquals(0, connections.size());
    }
}
