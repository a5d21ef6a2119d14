package dev.sluice.job.lab.corridor;

import java.nio.ByteBuffer;

/**
 * Messages of contenders that judge nothing: the number of packets, then bytes that say nothing.
 */
final class VerdictStub {
    private VerdictStub() {}

    /** A message on so many packets, of so many bytes, of which the first four say the packets. */
    static byte[] message(int headers, int bytes) {
        byte[] message = new byte[Math.max(Integer.BYTES, bytes)];
        ByteBuffer.wrap(message).putInt(headers);
        return message;
    }

    /** Packets of a message. */
    static int headers(byte[] message) {
        return ByteBuffer.wrap(message).getInt();
    }
}
