package dev.sluice.policy.testing;

import dev.sluice.schemas.header.Field;
import dev.sluice.schemas.header.HeaderWord;
import java.math.BigInteger;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;

/** Headers of packets between addresses. */
public final class AddressedPacket {
    private AddressedPacket() {}

    /** The header of a first packet of TCP (with SYN), or of another protocol. */
    public static int[] header(String from, int protocol, String to, int fromPort, int toPort) {
        int[] header = new int[HeaderWord.COUNT];
        boolean isV6 = from.indexOf(':') >= 0;
        Field.IP_VERSION.put(header, isV6 ? Field.VERSION_6 : Field.VERSION_4);
        put(header, isV6 ? Field.IPV6_SRC : Field.IPV4_SRC, from);
        put(header, isV6 ? Field.IPV6_DST : Field.IPV4_DST, to);
        Field.IP_PROTO.put(header, protocol);
        Field.SRC_PORT.put(header, fromPort);
        Field.DST_PORT.put(header, toPort);
        Field.PORTS_PRESENT.put(header, 1);
        Field.TCP_FLAGS.put(header, 2);
        return header;
    }

    private static void put(int[] header, Field field, String address) {
        try {
            ByteBuffer words = ByteBuffer.wrap(InetAddress.getByName(address).getAddress());
            for (int word = field.word(); words.hasRemaining(); word++) {
                header[word] = words.getInt();
            }
        } catch (UnknownHostException e) {
            throw new IllegalArgumentException(address, e);
        }
    }

    /** Returns whether an address is in a block. */
    public static boolean isIn(String address, String block) {
        try {
            int slash = block.indexOf('/');
            byte[] base = InetAddress.getByName(block.substring(0, slash)).getAddress();
            byte[] asked = InetAddress.getByName(address).getAddress();
            int free = 8 * base.length - Integer.parseInt(block.substring(slash + 1));
            return base.length == asked.length
                    && new BigInteger(1, base)
                            .shiftRight(free)
                            .equals(new BigInteger(1, asked).shiftRight(free));
        } catch (UnknownHostException e) {
            throw new IllegalArgumentException(block, e);
        }
    }
}
