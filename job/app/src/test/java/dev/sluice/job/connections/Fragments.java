package dev.sluice.job.connections;

import java.nio.ByteBuffer;
import java.util.List;

/** Frames of an IP datagram in two fragments. */
final class Fragments {
    private static final int ETHERNET = 14;
    private static final int MORE_4 = 0x2000;
    private static final int NEXT_FRAGMENT = 44;

    private Fragments() {}

    /**
     * The fragments of a frame, the first one before the later one.
     *
     * @param version IP version
     * @param first bytes behind the IP header in the first fragment, a multiple of 8
     * @param identification of IPv6, whose header has none without a fragment header
     */
    static List<byte[]> of(byte[] frame, int version, int first, int identification) {
        int payload = ETHERNET + (version == 4 ? 20 : 40);
        int rest = frame.length - payload - first;
        return List.of(
                part(frame, version, payload, 0, first, true, identification),
                part(frame, version, payload, first, rest, false, identification));
    }

    private static byte[] part(
            byte[] frame, int version, int payload, int from, int length, boolean more, int id) {
        int header = version == 4 ? payload : payload + 8;
        ByteBuffer part = ByteBuffer.allocate(header + length);
        part.put(frame, 0, payload);
        if (version == 4) {
            part.putShort(ETHERNET + 2, (short) (header - ETHERNET + length));
            part.putShort(ETHERNET + 6, (short) (from / 8 | (more ? MORE_4 : 0)));
            part.putShort(ETHERNET + 10, (short) 0);
            part.putShort(ETHERNET + 10, Sent.checksum(part, ETHERNET));
        } else {
            part.putShort(ETHERNET + 4, (short) (8 + length));
            byte next = part.get(ETHERNET + 6);
            part.put(ETHERNET + 6, (byte) NEXT_FRAGMENT);
            part.put(next).put((byte) 0).putShort((short) (from | (more ? 1 : 0))).putInt(id);
        }
        part.put(frame, payload + from, length);
        return part.array();
    }
}
