package dev.sluice.job.capture;

/**
 * The bytes of one packet, with the three limits that rule every access: the captured bytes, the
 * frame's length on the wire, and the IP payload. A byte beyond the frame or the payload makes the
 * packet malformed, one that was only not captured makes it truncated; neither is ever read. Reused
 * from packet to packet; not thread-safe.
 */
final class PacketBytes {
    private byte[] b = new byte[0];

    /** End of the captured bytes. */
    int captured;

    /** End of the frame, in the same numbering; beyond {@link #captured} it must not be read. */
    long frame;

    /** End of the IP payload. */
    long payload;

    /** What becomes of the packet. */
    ParsedPacket out = new ParsedPacket();

    /** Another packet; its payload is not limited yet. */
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

    int shortLeAt(int at) {
        return Bytes.shortLe(b, at);
    }

    int intLeAt(int at) {
        return Bytes.intLe(b, at);
    }

    /** Whether bytes up to {@code end} can be read; else sets the status. */
    boolean reach(long end, PacketStatus beyond) {
        if (has(end)) {
            return true;
        }
        out.status = end > payload ? beyond : PacketStatus.TRUNCATED;
        return false;
    }

    /** Whether bytes up to {@code end} are there; where they are not, that is no defect. */
    boolean has(long end) {
        return end <= captured && end <= payload;
    }
}
