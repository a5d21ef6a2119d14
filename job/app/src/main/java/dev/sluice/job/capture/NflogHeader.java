package dev.sluice.job.capture;

import dev.sluice.policy.TextFiles;
import dev.sluice.schemas.header.Field;
import dev.sluice.schemas.header.FieldBits;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Facts that netfilter logs beside a packet, in a capture of an {@code nflog} interface.
 *
 * @param prefix text of the rule that logged the packet; empty: it has none
 * @param hook hook in upper case; empty: it is not told
 */
public record NflogHeader(String prefix, String hook) {
    private static final int PACKET_HEADER = 1;
    private static final int PREFIX = 10;
    private static final int LINK_HEADER = 16;
    private static final int ETHERNET = 14;
    private static final List<String> HOOKS =
            List.of("PREROUTING", "INPUT", "FORWARD", "OUTPUT", "POSTROUTING");

    /**
     * Reads the facts of the present packet of a reader.
     *
     * @param words its header, which takes addresses of Ethernet
     * @return null: the capture is of another link type
     */
    public static @Nullable NflogHeader of(CaptureReader reader, int[] words) {
        if (reader.linkType() != LinkType.NFLOG.number) {
            return null;
        }
        byte[] bytes = reader.bytes();
        int end = reader.dataAt() + reader.capturedLength();
        int at = reader.dataAt() + 4;
        boolean bigEndian = at + 4 <= end && bytes[at + 2] == 0 && bytes[at + 3] != 0;
        String prefix = "";
        String hook = "";
        while (at + 4 <= end) {
            int length = number(bytes, at, bigEndian);
            int type = number(bytes, at + 2, bigEndian);
            if (length < 4 || at + length > end) {
                break; // the parser says that it is malformed
            }
            if (type == PREFIX) {
                prefix = text(bytes, at + 4, length - 4);
            } else if (type == PACKET_HEADER && length >= 7) {
                int number = bytes[at + 6];
                hook = number >= 0 && number < HOOKS.size() ? HOOKS.get(number) : "";
            } else if (type == LINK_HEADER && length == 4 + ETHERNET) {
                FieldBits.orMac(words, Field.ETH_DST, mac(bytes, at + 4));
                FieldBits.orMac(words, Field.ETH_SRC, mac(bytes, at + 10));
                Field.ETH_DST.markPresent(words);
                Field.ETH_SRC.markPresent(words);
            }
            at += length + 3 & ~3;
        }
        return new NflogHeader(prefix, hook);
    }

    private static int number(byte[] bytes, int at, boolean bigEndian) {
        return Bytes.shortOf(bigEndian, bytes, at);
    }

    private static String text(byte[] bytes, int at, int most) {
        int length = 0;
        while (length < most && bytes[at + length] != 0) {
            length++;
        }
        return TextFiles.inUtf8(new String(bytes, at, length, StandardCharsets.ISO_8859_1));
    }

    private static long mac(byte[] bytes, int at) {
        long mac = 0;
        for (int i = 0; i < 6; i++) {
            mac = mac << 8 | bytes[at + i] & 0xff;
        }
        return mac;
    }
}
