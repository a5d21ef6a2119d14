package dev.sluice.job.capture;

import dev.sluice.schemas.header.Field;
import dev.sluice.schemas.header.TcpSegment;

/**
 * Parser of the numbers, the window and the options of TCP segments (RFC 9293, RFC 7323, RFC 2018),
 * as nf_conntrack reads them: an option that does not fit ends the options.
 */
final class TcpSegmentParser {
    private static final int END = 0;
    private static final int NOTHING = 1;
    private static final int SCALE = 3;
    private static final int SACK_PERMITTED = 4;
    private static final int SACK = 5;

    private static final int FIXED_BYTES = 20;
    private static final int LARGEST_SCALE = 14;
    private static final int MOST_DATA = 0xffff;

    private TcpSegmentParser() {}

    /**
     * Reads a segment, of which 14 bytes are there, into the words of {@link TcpSegment}. One whose
     * options were not captured, or that has more data than a packet, states none.
     */
    static void read(PacketBytes bytes, int at, int[] words) {
        int header = (bytes.byteAt(at + 12) >>> 4) * 4;
        long data = bytes.payload - at - header;
        if (header < FIXED_BYTES || data < 0) {
            words[TcpSegment.OPTIONS] = TcpSegment.IMPOSSIBLE;
            Field.SEGMENT_PRESENT.put(words, 1);
            return;
        }
        if (data > MOST_DATA || !bytes.has(at + header)) {
            return;
        }
        Field.SEGMENT_PRESENT.put(words, 1);
        words[TcpSegment.SEQUENCE] = bytes.intAt(at + 4);
        words[TcpSegment.ACKNOWLEDGEMENT] = bytes.intAt(at + 8);
        words[TcpSegment.WINDOW] = bytes.shortAt(at + 14) << 16 | (int) data;
        words[TcpSegment.SACK] = 0;
        words[TcpSegment.OPTIONS] = header == FIXED_BYTES ? 0 : TcpSegment.OPTIONS_PRESENT;
        options(bytes, at + FIXED_BYTES, at + header, words);
    }

    private static void options(PacketBytes bytes, int from, int end, int[] words) {
        boolean blocks = false;
        int at = from;
        while (at < end) {
            int kind = bytes.byteAt(at);
            if (kind == NOTHING) {
                at++;
                continue;
            }
            int length = kind == END || end - at < 2 ? 0 : bytes.byteAt(at + 1);
            if (length < 2 || length > end - at) {
                return;
            }
            if (kind == SACK_PERMITTED && length == 2) {
                words[TcpSegment.OPTIONS] |= TcpSegment.SACK_PERMITTED;
            } else if (kind == SCALE && length == 3) {
                int scale = Math.min(bytes.byteAt(at + 2), LARGEST_SCALE);
                words[TcpSegment.OPTIONS] &= ~TcpSegment.SCALE;
                words[TcpSegment.OPTIONS] |= TcpSegment.SCALE_PRESENT | scale;
            } else if (kind == SACK && length >= 10 && (length - 2) % 8 == 0 && !blocks) {
                blocks = true;
                words[TcpSegment.SACK] = sack(bytes, at + 2, at + length, words);
            }
            at += length;
        }
    }

    /** Returns how far the highest right edge is behind the acknowledgement. */
    private static int sack(PacketBytes bytes, int from, int end, int[] words) {
        int highest = words[TcpSegment.ACKNOWLEDGEMENT];
        for (int at = from; at < end; at += 8) {
            int edge = bytes.intAt(at + 4);
            if (highest - edge < 0) {
                highest = edge;
            }
        }
        return highest - words[TcpSegment.ACKNOWLEDGEMENT];
    }
}
