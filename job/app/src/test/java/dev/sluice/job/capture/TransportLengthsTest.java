package dev.sluice.job.capture;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.sluice.schemas.header.Field;
import dev.sluice.schemas.header.HeaderWord;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;

/** Malformed transport headers are told where flows are asked for, and only by their own bytes. */
class TransportLengthsTest {
    private static final int RAW = 101;
    private static final ParserOptions ASKED =
            ParserOptions.DEFAULTS.reading(HeaderWord.bit(HeaderWord.FLOW_PORTS));
    private static final String PORTS = "04d20050";
    private static final String TCP_OF_60 = PORTS + "0000000100000000" + "f002100000000000";
    private static final String UDP_OF_40 = PORTS + "00280000" + "0000000000000000";

    private static byte[] packet(int protocol, int length, int fragment, String payload) {
        String text =
                "4500%04x0001%04x40%02x00000a0000010a000002".formatted(length, fragment, protocol);
        return HexFormat.of().parseHex(text + payload);
    }

    private static int word(ParserOptions options, byte[] bytes, int captured, int wire) {
        ParsedPacket parsed = new ParsedPacket();
        new PacketParser(options).parse(bytes, 0, captured, wire, RAW, parsed);
        return parsed.words()[HeaderWord.TCP_FLAGS];
    }

    private static int malformed(byte[] bytes, int captured, int wire) {
        return Field.MALFORMED.extract(word(ASKED, bytes, captured, wire));
    }

    @Test
    void onlyWhereFlowsAreAskedFor() {
        byte[] tcp = packet(6, 40, 0, TCP_OF_60);
        assertEquals(1, malformed(tcp, 40, 40));
        assertEquals(2, word(ParserOptions.DEFAULTS, tcp, 40, 40));
        byte[] udp = packet(17, 36, 0, UDP_OF_40);
        assertEquals(1, malformed(udp, 36, 36));
        assertEquals(0, word(ParserOptions.DEFAULTS, udp, 36, 36));
        byte[] call = packet(47, 28, 0, "3001880b00040007");
        assertEquals(1, Field.FLOW_PRESENT.extract(word(ASKED, call, 28, 28)));
        assertEquals(1, Field.GRE_CALL.extract(word(ASKED, call, 27, 28)), "its id is cut off");
        assertEquals(0, word(ParserOptions.DEFAULTS, call, 28, 28));
    }

    @Test
    void aPacketCutByItsCaptureIsNotMalformed() {
        byte[] tcp = packet(6, 80, 0, TCP_OF_60);
        assertEquals(0, malformed(tcp, 40, 80));
        assertEquals(0, malformed(tcp, 40, 40), "the capture does not tell that it is cut");
        byte[] udp = packet(17, 60, 0, UDP_OF_40);
        for (int captured = 24; captured <= 36; captured++) {
            assertEquals(0, malformed(udp, captured, 60));
        }
        assertEquals(0, malformed(packet(17, 36, 0, UDP_OF_40), 24, 36), "length not captured");
        assertEquals(1, malformed(packet(17, 24, 0, UDP_OF_40), 24, 60), "4 bytes and a trailer");
    }

    @Test
    void aFragmentHasNotItsDatagramsLength() {
        assertEquals(0, malformed(packet(6, 40, 0x2000, TCP_OF_60), 40, 40));
        assertEquals(0, malformed(packet(17, 36, 0x2000, UDP_OF_40), 36, 36));
        String short4 = UDP_OF_40.replace("0028", "0004");
        assertEquals(1, malformed(packet(17, 36, 0x2000, short4), 36, 36));
    }
}
