package dev.sluice.job.capture;

/**
 * Bytes of one packet, with the limits of every access. These are the captured bytes, the frame's
 * length on the wire, and the IP payload.
 *
 * <p>A missing byte beyond the frame or the payload makes the packet malformed. A byte that was
 * only not captured makes it truncated. Neither is ever read. Reused from packet to packet; not
 * thread-safe.
 */
final class PacketBytes {
    private byte[] b = new byte[0];

    /** End of the captured bytes. */
    int captured;

    /** End of the frame, as an index too; bytes beyond {@link #captured} must not be read. */
    long frame;

    /** End of the IP payload. */
    long payload;

    /** Result of the parse. */
    ParsedPacket out = new ParsedPacket();

    /** Sets another packet, whose payload has no limit yet. */
    void reset(byte[] bytes, int at, int capturedLength, long wireLength, ParsedPacket result) {
        b = bytes;
        captured = at + capturedLength;
        frame = at + Math.max(wireLength, capturedLength);
        payload = frame;
        out = result;
    }

    int byteAt(int at) {
        return b[at] & 0xff;
    }

    int shortAt(int at) {
        return Bytes.shortBe(b, at);
    }

    int intAt(int at) {
        return Bytes.intBe(b, at);
    }

    /** Returns type, code and identifier of an ICMP message, of which 8 bytes are there. */
    int icmpAt(int at) {
        return shortAt(at) << 16 | shortAt(at + 4);
    }

    int shortLeAt(int at) {
        return Bytes.shortLe(b, at);
    }

    int intLeAt(int at) {
        return Bytes.intLe(b, at);
    }

    /** Tells whether bytes up to {@code end} can be read; if not, sets the status. */
    boolean reach(long end, PacketStatus beyond) {
        if (has(end)) {
            return true;
        }
        out.status = end > payload ? beyond : PacketStatus.TRUNCATED;
        return false;
    }

    /** Returns whether bytes up to {@code end} are there; where they are not, that is no defect. */
    boolean has(long end) {
        return end <= captured && end <= payload;
    }
}
