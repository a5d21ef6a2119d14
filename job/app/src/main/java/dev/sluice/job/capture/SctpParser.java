package dev.sluice.job.capture;

import static dev.sluice.schemas.header.SctpChunks.COOKIE_ACK;
import static dev.sluice.schemas.header.SctpChunks.COOKIE_ECHO;
import static dev.sluice.schemas.header.SctpChunks.DATA;
import static dev.sluice.schemas.header.SctpChunks.INIT;
import static dev.sluice.schemas.header.SctpChunks.INIT_ACK;
import static dev.sluice.schemas.header.SctpChunks.SHUTDOWN_COMPLETE;
import static dev.sluice.schemas.header.SctpChunks.SHUTDOWN_COMPLETE_REFLECTED;

import dev.sluice.schemas.header.Field;
import dev.sluice.schemas.header.SctpChunks;

/** Parser of the chunks of SCTP packets (RFC 9260), as nf_conntrack reads them. */
final class SctpParser {
    private static final int HEADER_BYTES = 12;
    private static final int CHUNK_BYTES = 4;

    /** Bytes of a chunk's header and of the fixed fields of an INIT. */
    private static final int INIT_BYTES = 20;

    private SctpParser() {}

    /**
     * Reads a whole packet, of which the ports are there, into the words of {@link SctpChunks}.
     *
     * @return false if the packet is invalid in any state of its connection: too short, without a
     *     chunk, with a chunk of length 0, or with one that may not stand at its place
     */
    static boolean read(PacketBytes bytes, int at, int[] words) {
        int chunks = 0;
        int count = 0;
        int kinds = 0;
        boolean alone = false;
        long p = (long) at + HEADER_BYTES;
        while (p + CHUNK_BYTES <= bytes.payload) {
            if (!bytes.has(p + CHUNK_BYTES)) {
                return true;
            }
            int length = bytes.shortAt((int) p + 2);
            int kind = kind(bytes.byteAt((int) p), bytes.byteAt((int) p + 1) & 1);
            boolean begins = kind == INIT || kind == INIT_ACK;
            alone |= begins || kind == SHUTDOWN_COMPLETE || kind == SHUTDOWN_COMPLETE_REFLECTED;
            boolean first = alone || kind == COOKIE_ECHO || kind == COOKIE_ACK;
            boolean cut = begins && p + INIT_BYTES > bytes.payload;
            if (length == 0 || first && count > 0 || cut) {
                return false;
            }
            if (kind >= DATA) {
                chunks |= kind;
            } else if (kinds++ < SctpChunks.MOST) {
                chunks |= kind << (kinds - 1) * SctpChunks.KIND_BITS;
            }
            count++;
            p += length + 3 & ~3;
        }
        if (count == 0) {
            return false;
        }
        boolean begun = alone && (chunks == INIT || chunks == INIT_ACK);
        if (kinds <= SctpChunks.MOST && (!begun || bytes.has(at + HEADER_BYTES + 8L))) {
            words[SctpChunks.TAG] = bytes.intAt(at + 4);
            words[SctpChunks.INIT_TAG] = begun ? bytes.intAt(at + HEADER_BYTES + CHUNK_BYTES) : 0;
            words[SctpChunks.CHUNKS] = chunks;
            Field.SEGMENT_PRESENT.put(words, 1);
        }
        return true;
    }

    private static int kind(int type, int reflected) {
        return switch (type) {
            case 0 -> DATA;
            case 1 -> INIT;
            case 2 -> INIT_ACK;
            case 4 -> SctpChunks.HEARTBEAT;
            case 5 -> SctpChunks.HEARTBEAT_ACK;
            case 6 -> reflected == 0 ? SctpChunks.ABORT : SctpChunks.ABORT_REFLECTED;
            case 7 -> SctpChunks.SHUTDOWN;
            case 8 -> SctpChunks.SHUTDOWN_ACK;
            case 9 -> SctpChunks.ERROR;
            case 10 -> COOKIE_ECHO;
            case 11 -> COOKIE_ACK;
            case 14 -> reflected == 0 ? SHUTDOWN_COMPLETE : SHUTDOWN_COMPLETE_REFLECTED;
            default -> SctpChunks.OTHER;
        };
    }
}
