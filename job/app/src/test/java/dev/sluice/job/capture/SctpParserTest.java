package dev.sluice.job.capture;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.sluice.schemas.header.Field;
import dev.sluice.schemas.header.HeaderWord;
import dev.sluice.schemas.header.SctpChunks;
import java.util.Arrays;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;

/** The words of SCTP packets: chunks in their order, and none where not all are known. */
class SctpParserTest {
    private static final int RAW = 101;
    private static final int IP_BYTES = 20;
    private static final String HEADER = "04d20050" + "00000007" + "00000000";
    private static final String INIT = "01000014" + "00000009" + "00".repeat(12);
    private static final String DATA = "00030011" + "00".repeat(16);
    private static final String SACK = "03000004";
    private static final String HEARTBEAT = "04000004";
    private static final String ABORT = "06010004";

    private static int[] words(String chunks, int cut, int fragment) {
        int length = IP_BYTES + (HEADER + chunks).length() / 2;
        String ip = "4500%04x0001%04x408400000a0000010a000002".formatted(length, fragment);
        byte[] bytes = HexFormat.of().parseHex(ip + HEADER + chunks);
        ParserOptions options =
                ParserOptions.DEFAULTS.reading(HeaderWord.bit(HeaderWord.FLOW_PORTS));
        ParsedPacket parsed = new ParsedPacket();
        new PacketParser(options).parse(bytes, 0, length - cut, length, RAW, parsed);
        return parsed.words();
    }

    private static void assertChunks(int init, int chunks, int[] words) {
        assertEquals(1, Field.SEGMENT_PRESENT.extract(words[HeaderWord.TCP_FLAGS]));
        assertEquals(0, Field.MALFORMED.extract(words[HeaderWord.TCP_FLAGS]));
        assertArrayEquals(
                new int[] {7, init, chunks},
                Arrays.copyOfRange(words, SctpChunks.TAG, SctpChunks.TAG + 3));
    }

    private static void assertUntold(int[] words) {
        assertEquals(0, words[HeaderWord.TCP_FLAGS]);
    }

    @Test
    void chunksAreToldInTheirOrder() {
        assertChunks(9, SctpChunks.INIT, words(INIT, 0, 0));
        int order = SctpChunks.HEARTBEAT | SctpChunks.ABORT_REFLECTED << 4;
        assertChunks(0, order, words(HEARTBEAT + ABORT, 0, 0));
        assertChunks(
                0,
                SctpChunks.HEARTBEAT | SctpChunks.DATA | SctpChunks.OTHER,
                words(SACK + HEARTBEAT + DATA + "000000" + SACK + DATA, 0, 0));
    }

    @Test
    void sevenChunksHaveRoom() {
        assertChunks(
                0,
                0x0aaaaaaa | SctpChunks.OTHER,
                words(HEARTBEAT.repeat(7) + SACK.repeat(9), 0, 0));
        assertUntold(words(HEARTBEAT.repeat(8), 0, 0));
    }

    @Test
    void chunksThatWereNotCapturedAreNotTold() {
        assertChunks(0, SctpChunks.HEARTBEAT | SctpChunks.DATA, words(HEARTBEAT + DATA, 16, 0));
        assertUntold(words(HEARTBEAT + DATA, 18, 0));
        assertChunks(9, SctpChunks.INIT, words(INIT, 12, 0));
        assertUntold(words(INIT, 13, 0));
        assertUntold(words(HEARTBEAT, 0, 0x2000));
    }

    @Test
    void impossibleOrdersAreMalformed() {
        for (String chunks :
                new String[] {
                    "",
                    "000000",
                    "04000000",
                    INIT.substring(0, 38),
                    INIT + SACK,
                    SACK + INIT,
                    HEARTBEAT + "0a000004",
                    HEARTBEAT + "0b000004"
                }) {
            int[] words = words(chunks, 0, 0);
            assertEquals(1, Field.MALFORMED.extract(words[HeaderWord.TCP_FLAGS]), chunks);
            assertEquals(0, Field.SEGMENT_PRESENT.extract(words[HeaderWord.TCP_FLAGS]), chunks);
        }
    }
}
