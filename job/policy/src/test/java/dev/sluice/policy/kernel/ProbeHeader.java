package dev.sluice.policy.kernel;

import dev.sluice.schemas.header.Field;
import dev.sluice.schemas.header.FieldBits;
import dev.sluice.schemas.header.HeaderWord;
import java.util.Set;

/** Header words of a {@link ProbePacket}, as a capture of it gives them. */
final class ProbeHeader {
    private static final int ETHERNET = 14;
    private static final int ESP = 50;
    private static final Set<Integer> WITH_PORTS = Set.of(1, 6, 17, 33, 58, 132, 136);

    private ProbeHeader() {}

    static int[] words(ProbePacket packet) {
        int[] words = new int[HeaderWord.COUNT];
        boolean four = packet.version() == 4;
        Field.ETH_TYPE.put(words, four ? 0x0800 : 0x86dd);
        Field.IP_VERSION.put(words, four ? Field.VERSION_4 : Field.VERSION_6);
        if (four) {
            Field.IPV4_SRC.put(words, packet.get(ProbeField.SOURCE).intValue());
            Field.IPV4_DST.put(words, packet.get(ProbeField.DESTINATION).intValue());
        } else {
            for (int i = 0; i < 4; i++) {
                int shift = 96 - 32 * i;
                words[Field.IPV6_SRC.word() + i] =
                        packet.get(ProbeField.SOURCE).shiftRight(shift).intValue();
                words[Field.IPV6_DST.word() + i] =
                        packet.get(ProbeField.DESTINATION).shiftRight(shift).intValue();
            }
        }
        int protocol = packet.number(ProbeField.PROTOCOL);
        Field.IP_PROTO.put(words, protocol);
        Field.TOS.put(words, packet.number(ProbeField.TOS));
        Field.TTL.put(words, packet.number(ProbeField.TTL));
        Field.FRAME_LENGTH.put(words, packet.number(ProbeField.LENGTH) + ETHERNET);
        Field.IP_LENGTH.put(words, packet.number(ProbeField.LENGTH));
        boolean fragment = packet.number(ProbeField.FRAGMENT) == 1;
        if (!four) {
            boolean authenticated = packet.number(ProbeField.AUTHENTICATION) == 1;
            Field.IPV6_EXTENSIONS.put(
                    words,
                    (fragment ? Field.EXTENSION_FRAGMENT : 0)
                            | (authenticated ? Field.EXTENSION_AUTHENTICATION : 0));
            if (authenticated) {
                Field.SPI.put(words, ProbePacket.SPI);
            }
            if (fragment) {
                Field.IP_ID.put(words, packet.get(ProbeField.FRAGMENT_ID).intValue());
            }
        }
        boolean later = packet.isLaterFragment();
        if (protocol == ESP && !later) {
            Field.SPI.put(
                    words,
                    packet.number(ProbeField.SOURCE_PORT) << 16
                            | packet.number(ProbeField.DESTINATION_PORT));
        }
        Field.FRAGMENT.put(
                words,
                later
                        ? Field.FRAGMENT_LATER
                        : fragment && packet.number(ProbeField.MORE_FRAGMENTS) == 1
                                ? Field.FRAGMENT_FIRST
                                : Field.FRAGMENT_NONE);
        if (!later && WITH_PORTS.contains(protocol)) {
            boolean icmp = protocol == ProbePacket.ICMP || protocol == ProbePacket.ICMP6;
            Field.SRC_PORT.put(
                    words, packet.number(icmp ? ProbeField.ICMP_TYPE : ProbeField.SOURCE_PORT));
            Field.DST_PORT.put(
                    words,
                    packet.number(icmp ? ProbeField.ICMP_CODE : ProbeField.DESTINATION_PORT));
            if (protocol == ProbePacket.TCP) {
                Field.TCP_FLAGS.put(words, packet.number(ProbeField.TCP_FLAGS));
            }
        }
        if (packet.hook() != ProbeHook.OUTPUT) {
            FieldBits.orMac(words, Field.ETH_SRC, packet.get(ProbeField.SOURCE_MAC).longValue());
            Field.ETH_SRC.markPresent(words);
            FieldBits.orMac(words, Field.ETH_DST, packet.destinationMac());
            Field.ETH_DST.markPresent(words);
        }
        return words;
    }
}
