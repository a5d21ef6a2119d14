package dev.sluice.policy.kernel;

import dev.sluice.schemas.header.Field;
import dev.sluice.schemas.header.FieldBits;
import dev.sluice.schemas.header.HeaderWord;
import java.nio.ByteBuffer;

/**
 * ARP packet of Ethernet and IPv4 that arrives at a device.
 *
 * @param device index of the device
 * @param broadcast whether the frame is to all, or to the device
 * @param from address of the frame's sender
 */
record ArpFrame(int device, boolean broadcast, long from, int operation, int sender, int target)
        implements Probe {
    private static final int ARP = 0x0806;

    @Override
    public int way() {
        return device;
    }

    @Override
    public int mark() {
        return 0;
    }

    private long destination() {
        return broadcast ? 0xffffffffffffL : 0x020000000001L + device;
    }

    @Override
    public byte[] bytes() {
        ByteBuffer to = ByteBuffer.allocate(42);
        put(to, destination());
        put(to, from);
        to.putShort((short) ARP).putShort((short) 1).putShort((short) 0x0800);
        to.put((byte) 6).put((byte) 4).putShort((short) operation);
        put(to, from);
        to.putInt(sender);
        put(to, 0);
        return to.putInt(target).array();
    }

    private static void put(ByteBuffer to, long mac) {
        to.putShort((short) (mac >>> 32)).putInt((int) mac);
    }

    /** Returns the header words, as a capture of the frame gives them. */
    int[] words() {
        int[] words = new int[HeaderWord.COUNT];
        Field.ETH_TYPE.put(words, ARP);
        Field.ARP_OP.put(words, operation);
        Field.ARP_SPA.put(words, sender);
        Field.ARP_TPA.put(words, target);
        Field.ARP_OP.markPresent(words);
        Field.FRAME_LENGTH.put(words, 42);
        FieldBits.orMac(words, Field.ETH_SRC, from);
        Field.ETH_SRC.markPresent(words);
        FieldBits.orMac(words, Field.ETH_DST, destination());
        Field.ETH_DST.markPresent(words);
        return words;
    }
}
