package dev.sluice.schemas.codec;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.schemas.header.Field;
import dev.sluice.schemas.header.HeaderWord;
import dev.sluice.schemas.testing.TestSeed;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Random;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericRecord;
import org.junit.jupiter.api.Test;

/** Headers are what Avro's own reader makes of them, and are refused where it refuses. */
class PacketHeaderReaderTest {
    private static final int ROUNDS = 2_000;
    private static final Schema HEADER = MessageSchemas.current("PacketHeader");

    /** A header of any fields: mostly of values that may be, at times of some that may not. */
    private static GenericRecord random(Random random) {
        GenericRecord r = new GenericData.Record(HEADER);
        r.put("capture", random.nextInt(4) == 0 ? "käse" : "eth0");
        r.put("captureIndex", random.nextInt(3));
        r.put("packet", random.nextLong());
        r.put("timeNs", random.nextBoolean() ? null : random.nextLong());
        r.put("frameLength", random.nextBoolean() ? null : random.nextInt(1, 9_000));
        r.put("inPort", random.nextBoolean() ? null : random.nextInt());
        r.put("ethSrc", mac(random));
        r.put("ethDst", mac(random));
        r.put("ethType", upTo(random, 0xffff));
        r.put("vlanId", upTo(random, 0xfff));
        r.put("vlanPriority", upTo(random, 7));
        int length = random.nextBoolean() ? 4 : 16;
        r.put("ipSrc", address(random, length));
        r.put("ipDst", address(random, random.nextInt(20) == 0 ? 20 - length : length));
        r.put("ipProto", upTo(random, 0xff));
        r.put("tos", upTo(random, 0xff));
        r.put("fragment", upTo(random, 2));
        r.put("srcPort", upTo(random, 0xffff));
        r.put("dstPort", upTo(random, 0xffff));
        r.put("tcpFlags", upTo(random, 0xfff));
        r.put("spi", random.nextBoolean() ? null : random.nextInt());
        for (String number : List.of("tunnelId", "ipId", "mark", "inInterface", "outInterface")) {
            r.put(number, random.nextBoolean() ? null : random.nextInt());
        }
        r.put("ttl", upTo(random, 0xff));
        r.put("ipLength", upTo(random, 0xffff));
        r.put("ipv6Extensions", upTo(random, 0x1ff));
        r.put("arpOp", upTo(random, 0xffff));
        r.put("arpSpa", address(random, random.nextInt(50) == 0 ? 16 : 4));
        r.put("arpTpa", address(random, 4));
        r.put("connectionState", upTo(random, 0xff));
        r.put("flowDst", address(random, random.nextInt(20) == 0 ? 20 - length : length));
        r.put("flowProto", upTo(random, 0xff));
        r.put("flowPorts", random.nextBoolean() ? null : random.nextInt());
        return r;
    }

    private static Long mac(Random random) {
        return random.nextBoolean()
                ? null
                : random.nextLong() >>> (random.nextInt(30) == 0 ? 8 : 16);
    }

    private static Integer upTo(Random random, int max) {
        return random.nextBoolean() ? null : within(random, max);
    }

    private static Integer within(Random random, int max) {
        int beyond = random.nextBoolean() ? -1 : max + 1;
        return random.nextInt(100) == 0 ? beyond : random.nextInt(max + 1);
    }

    private static ByteBuffer address(Random random, int length) {
        if (random.nextInt(4) == 0) {
            return null;
        }
        byte[] bytes = new byte[length];
        random.nextBytes(bytes);
        return ByteBuffer.wrap(bytes);
    }

    private interface Reading {
        PacketBlock of(byte[] message) throws MalformedMessageException;
    }

    /** What a reading comes to: the block, or the reason of a refusal. */
    private static Object outcome(Reading reading, byte[] message) {
        try {
            return reading.of(message);
        } catch (MalformedMessageException e) {
            return e.reason();
        }
    }

    /** Our reading of a message and Avro's come to the same; returns whether it was read. */
    private static boolean assertReadAsAvroDoes(PacketHeaderReader reader, byte[] message) {
        Object expected = outcome(m -> AvroHeaders.block(MessageCodec.decode(m), 8), message);
        assertEquals(expected, outcome(m -> PacketMessages.decode(m, 8), message));
        if (PacketHeaderReader.isHeader(message)) {
            Object again =
                    outcome(
                            m -> {
                                reader.read(m);
                                return reader.block(8);
                            },
                            message);
            assertEquals(expected, again, "by a reader that has read others before");
        }
        return expected instanceof PacketBlock;
    }

    @Test
    void headersAreReadAsAvroReadsThem() {
        Random random = TestSeed.random(71);
        PacketHeaderReader reader = new PacketHeaderReader();
        int read = 0;
        for (int i = 0; i < ROUNDS; i++) {
            read += assertReadAsAvroDoes(reader, MessageCodec.encode(random(random))) ? 1 : 0;
        }
        assertTrue(read > ROUNDS / 2 && read < ROUNDS, read + " of " + ROUNDS + " were read");
    }

    @Test
    void damagedHeadersAreRefusedWhereAvroRefusesThem() {
        Random random = TestSeed.random(72);
        PacketHeaderReader reader = new PacketHeaderReader();
        int read = 0;
        for (int i = 0; i < ROUNDS; i++) {
            byte[] message = MessageCodec.encode(random(random));
            if (random.nextInt(3) == 0) {
                message = java.util.Arrays.copyOf(message, random.nextInt(message.length + 3));
            } else {
                for (int n = random.nextInt(3); n >= 0; n--) {
                    int at = MessageCodec.HEADER_BYTES;
                    at += random.nextInt(message.length - at);
                    message[at] = (byte) random.nextInt();
                }
            }
            read += assertReadAsAvroDoes(reader, message) ? 1 : 0;
        }
        assertTrue(read > 0 && read < ROUNDS, read + " of " + ROUNDS + " were read");
    }

    @Test
    void captureNamesAreMadeOnceForHeadersInARow() throws Exception {
        int[] words = new int[HeaderWord.COUNT];
        words[HeaderWord.ETHER] = Field.ETH_TYPE.place(0x0800);
        PacketHeaderReader reader = new PacketHeaderReader();
        reader.read(PacketMessages.encodeHeader("one", 0, 1, 5, 60, words));
        String first = reader.capture();
        reader.read(PacketMessages.encodeHeader("one", 0, 2, 6, 61, words));
        assertSame(first, reader.capture());
        assertEquals(2, reader.packet());
        assertEquals(6, reader.timeNs());
        assertEquals(61, reader.words()[HeaderWord.FRAME_LENGTH]);
        reader.read(PacketMessages.encodeHeader("two", 1, 1, Column.NO_TIME, 60, words));
        assertEquals("two", reader.capture());
        assertEquals(1, reader.captureIndex());
        assertEquals(Column.NO_TIME, reader.timeNs());
    }

    @Test
    void whatIsNoHeaderIsNotTakenForOne() {
        byte[] other = new DeadLetter("r", "d", null, null).encode();
        assertFalse(PacketHeaderReader.isHeader(other));
        assertFalse(PacketHeaderReader.isHeader(new byte[] {1, 2, 3}));
        assertThrows(IllegalArgumentException.class, () -> new PacketHeaderReader().read(other));
    }
}
