package dev.sluice.lab.load;

import dev.sluice.policy.HeaderTrace;
import dev.sluice.schemas.header.Field;
import dev.sluice.schemas.header.HeaderWord;
import org.jspecify.annotations.Nullable;

/**
 * Headers that a load repeats, in memory.
 *
 * @param lengths of their packets on the wire in bytes; null: 64 each
 * @param remark for the user, in one line; empty for none
 * @param connections number of connections whose packets are sent, first one of each, then an
 *     answer of each: the trace's headers, again and again from the next source port; 0: the
 *     trace's own headers are
 */
public record LoadHeaders(
        HeaderTrace trace, int @Nullable [] lengths, String remark, int connections) {
    private static final int TCP = 6;
    private static final int ACK = 0x10;

    /** Most headers that are kept: those of a quarter of the heap. */
    static final int MOST =
            (int)
                    Math.min(
                            Integer.MAX_VALUE,
                            Runtime.getRuntime().maxMemory() / 4 / (4 * HeaderWord.COUNT + 32));

    private static final int FRAME_LENGTH = 64;

    /** Headers of a source. */
    LoadHeaders(HeaderTrace trace, int @Nullable [] lengths, String remark) {
        this(trace, lengths, remark, 0);
    }

    /** Returns the headers of a trace, of packets of 64 bytes. */
    public static LoadHeaders of(HeaderTrace trace) {
        return ofConnections(trace, 0);
    }

    /** Returns the headers of so many connections like those of a trace; 0: of the trace. */
    public static LoadHeaders ofConnections(HeaderTrace trace, int connections) {
        return new LoadHeaders(trace, null, "", connections);
    }

    /** Returns the number of headers. */
    int size() {
        return connections == 0 ? trace.size() : 2 * connections;
    }

    /** Returns the {@link HeaderWord#COUNT} words of a header. */
    int[] header(int i) {
        if (connections == 0) {
            return trace.header(i);
        }
        int connection = i % connections;
        int[] h = trace.header(connection % trace.size()).clone();
        int ports = h[HeaderWord.PORTS] + (connection / trace.size() << Short.SIZE);
        if (Field.IP_PROTO.extract(h[HeaderWord.IP]) == TCP) {
            Field.TCP_FLAGS.put(h, ACK);
        }
        h[HeaderWord.PORTS] = ports;
        if (i >= connections) {
            h[HeaderWord.PORTS] = Integer.rotateLeft(ports, Short.SIZE);
            swap(h, HeaderWord.IPV4_SRC, HeaderWord.IPV4_DST);
            for (int word = 0; word < HeaderWord.IPV6_DST - HeaderWord.IPV6_SRC; word++) {
                swap(h, HeaderWord.IPV6_SRC + word, HeaderWord.IPV6_DST + word);
            }
        }
        return h;
    }

    private static void swap(int[] words, int one, int other) {
        int word = words[one];
        words[one] = words[other];
        words[other] = word;
    }

    /** Returns the length of a header's packet on the wire in bytes. */
    int frameLength(int i) {
        return lengths == null ? FRAME_LENGTH : lengths[i];
    }
}
