package dev.sluice.job.report;

import dev.sluice.schemas.header.Field;
import dev.sluice.schemas.header.HeaderWord;
import java.nio.IntBuffer;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

/**
 * Connections with a packet that counts, by the row that counts it.
 *
 * <p>A connection is all packets of the same protocol, addresses and ports, in either direction, at
 * any time; of ICMP those of the same addresses. A later fragment belongs to the connection of its
 * first one, and an error of ICMP to that of the packet that it is about, as far as the capture
 * tells. Frames that are not IP have none.
 *
 * <p>Each pair of a connection and a row takes a place. When no place is left, further ones are not
 * counted, and {@link #isFull} tells so. Not thread-safe.
 */
final class ChangedConnections {
    private static final TopTable.Entry<?>[] NO_ROWS = {};
    private static final int ICMP = 1;
    private static final int ICMP6 = 58;

    private final Map<IntBuffer, TopTable.Entry<?>[]> rows = new HashMap<>();
    private long left;
    private boolean full;

    /** None yet, and the number of places. */
    ChangedConnections(long places) {
        left = places;
    }

    /**
     * Counts the connection of a packet once in a row.
     *
     * @param header words up to {@link HeaderWord#MARK}; of fragments and errors of ICMP with those
     *     about their flow
     */
    void add(int[] header, TopTable.Entry<?> row) {
        if (Field.IP_VERSION.extract(header[HeaderWord.IP]) == Field.VERSION_NONE) {
            return;
        }
        IntBuffer connection = IntBuffer.wrap(key(header));
        TopTable.Entry<?>[] known = rows.getOrDefault(connection, NO_ROWS);
        for (TopTable.Entry<?> one : known) {
            if (one == row) {
                return;
            }
        }
        if (left == 0) {
            full = true;
            return;
        }
        left--;
        row.addConnection();
        TopTable.Entry<?>[] more = Arrays.copyOf(known, known.length + 1);
        more[known.length] = row;
        rows.put(connection, more);
    }

    /**
     * Both ends of a connection in an order that is that of neither direction, and its protocol.
     */
    private static int[] key(int[] header) {
        boolean six = Field.IP_VERSION.extract(header[HeaderWord.IP]) == Field.VERSION_6;
        int length = six ? 4 : 1;
        int source = six ? HeaderWord.IPV6_SRC : HeaderWord.IPV4_SRC;
        int destination = six ? HeaderWord.IPV6_DST : HeaderWord.IPV4_DST;
        int protocol = Field.IP_PROTO.extract(header[HeaderWord.IP]);
        int ports = header[HeaderWord.PORTS];
        int flow = header[HeaderWord.TCP_FLAGS];
        if (Field.FLOW_PRESENT.extract(flow) != 0) {
            protocol = Field.FLOW_PROTO.extract(flow);
            ports = header[HeaderWord.FLOW_PORTS];
            if (Field.FLOW_DST_PRESENT.extract(flow) != 0) {
                source = destination; // the receiver of an error sent what it is about
                destination = HeaderWord.FLOW_DST;
            }
        }
        boolean ported = protocol != ICMP && protocol != ICMP6;
        int[] one = end(header, source, length, ported ? ports >>> 16 : 0);
        int[] other = end(header, destination, length, ported ? ports & 0xffff : 0);
        boolean inOrder = Arrays.compare(one, other) <= 0;
        int[] key = Arrays.copyOf(inOrder ? one : other, 2 * one.length + 1);
        System.arraycopy(inOrder ? other : one, 0, key, one.length, one.length);
        key[key.length - 1] = protocol;
        return key;
    }

    private static int[] end(int[] header, int address, int length, int port) {
        int[] end = Arrays.copyOfRange(header, address, address + length + 1);
        end[length] = port;
        return end;
    }

    /** Number of connections with a packet that counts; of more than there were places a part. */
    long size() {
        return rows.size();
    }

    /** Returns whether no place was left for a connection. */
    boolean isFull() {
        return full;
    }
}
