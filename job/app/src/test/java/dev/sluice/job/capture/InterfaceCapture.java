package dev.sluice.job.capture;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;

/** A pcapng file of named interfaces, in the making. */
public final class InterfaceCapture {
    private final ByteArrayOutputStream capture = new ByteArrayOutputStream();

    /** Returns the bytes of the file so far. */
    public byte[] bytes() {
        return capture.toByteArray();
    }

    /** Begins a section of interfaces. */
    public void section() {
        block(0x0a0d0d0a, HexFormat.of().parseHex("4d3c2b1a01000000ffffffffffffffff"));
    }

    /** Adds an interface. */
    public void describe(int link, String name) {
        ByteBuffer body = buffer(8 + 4 + (name.length() + 3 & ~3) + 8 + 4);
        body.putShort((short) link).putShort((short) 0).putInt(0);
        body.putShort((short) 2).putShort((short) name.length());
        body.put(name.getBytes(StandardCharsets.US_ASCII)).position(12 + (name.length() + 3 & ~3));
        body.putShort((short) 9).putShort((short) 1).putInt(0); // times in seconds
        block(1, body.array());
    }

    /**
     * Adds a packet.
     *
     * @param number of its interface
     * @param direction 0: unstated, 1: incoming, 2: outgoing
     */
    public void packet(int number, int direction, long second, String hex) {
        byte[] bytes = HexFormat.of().parseHex(hex);
        int padded = bytes.length + 3 & ~3;
        ByteBuffer body = buffer(20 + padded + 12);
        body.putInt(number).putInt(0).putInt((int) second);
        body.putInt(bytes.length).putInt(bytes.length).put(bytes).position(20 + padded);
        body.putShort((short) 2).putShort((short) 4).putInt(direction).putInt(0);
        block(6, body.array());
    }

    private void block(int type, byte[] body) {
        ByteBuffer block = buffer(12 + body.length);
        block.putInt(type).putInt(12 + body.length).put(body).putInt(12 + body.length);
        capture.writeBytes(block.array());
    }

    private static ByteBuffer buffer(int bytes) {
        return ByteBuffer.allocate(bytes).order(ByteOrder.LITTLE_ENDIAN);
    }
}
