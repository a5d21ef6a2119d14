package dev.sluice.policy.cisco;

import dev.sluice.schemas.header.Field;
import dev.sluice.schemas.header.HeaderWord;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;

/**
 * Packet in the words that lists ask for.
 *
 * @param sport source port; type of ICMP
 * @param dport destination port; code of ICMP
 * @param fragment 0: whole, 1: the first fragment, 3: a later one
 */
record ListPacket(
        String from, String to, int protocol, int sport, int dport, int flags, int fragment) {
    boolean isV6() {
        return from.indexOf(':') >= 0;
    }

    boolean isLater() {
        return fragment == Field.FRAGMENT_LATER;
    }

    /** Bytes of an address. */
    static byte[] bytes(String address) {
        try {
            return InetAddress.getByName(address).getAddress();
        } catch (UnknownHostException e) {
            throw new IllegalArgumentException(address, e);
        }
    }

    int[] header() {
        int[] header = new int[HeaderWord.COUNT];
        Field.IP_VERSION.put(header, isV6() ? Field.VERSION_6 : Field.VERSION_4);
        put(header, isV6() ? Field.IPV6_SRC : Field.IPV4_SRC, from);
        put(header, isV6() ? Field.IPV6_DST : Field.IPV4_DST, to);
        Field.IP_PROTO.put(header, protocol);
        Field.FRAGMENT.put(header, fragment);
        boolean ports = protocol == 6 || protocol == 17 || protocol == 1 || protocol == 58;
        if (ports && !isLater()) {
            Field.SRC_PORT.put(header, sport);
            Field.DST_PORT.put(header, dport);
            Field.PORTS_PRESENT.put(header, 1);
            Field.TCP_FLAGS.put(header, protocol == 6 ? flags : 0);
        }
        return header;
    }

    private static void put(int[] header, Field field, String address) {
        ByteBuffer words = ByteBuffer.wrap(bytes(address));
        for (int word = field.word(); words.hasRemaining(); word++) {
            header[word] = words.getInt();
        }
    }
}
