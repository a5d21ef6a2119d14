package dev.sluice.schemas.codec;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.schemas.header.HeaderBatch;
import dev.sluice.schemas.header.HeaderLayout;
import dev.sluice.schemas.testing.TestSeed;
import dev.sluice.schemas.testing.Verdicts;
import java.io.ByteArrayOutputStream;
import java.util.List;
import java.util.Random;
import org.apache.avro.io.BinaryEncoder;
import org.apache.avro.io.EncoderFactory;
import org.junit.jupiter.api.Test;

/** Messages that are cut, damaged, hostile or of another kind. */
class DamagedMessagesTest {
    @Test
    void everyCutOfEveryMessageIsRefusedWithAReason() throws Exception {
        RuleChange begin = RuleChange.begin("t", 3, 5L, RuleChange.Kind.SNAPSHOT, "set", "drop");
        RuleChange.RuleRecord rule =
                new RuleChange.RuleRecord(
                        7, 1, 2, "drop", new int[] {0, 1, 1}, 5, null, new byte[] {1, 2}, "text");
        List<byte[]> messages =
                List.of(
                        RandomPackets.block(5, 1).encode(),
                        PacketMessages.encodeHeader(
                                "c", 0, 1, 2, 3, RandomPackets.header(TestSeed.random(1))),
                        RuleChange.changes(begin, 0, List.of(rule), List.of(9L)).encode(),
                        new DeadLetter("r", "d", new DeadLetter.Packet("c", 0, 1, 2), null)
                                .encode());
        for (byte[] message : messages) {
            MessageCodec.decode(message);
            for (int length = 0; length < message.length; length++) {
                byte[] cut = java.util.Arrays.copyOf(message, length);
                String reason =
                        assertThrows(
                                        MalformedMessageException.class,
                                        () -> MessageCodec.decode(cut))
                                .reason();
                assertTrue(reason.startsWith("message: "), reason);
            }
        }
    }

    @Test
    void damagedMessagesAreReadOrRefusedAndNothingElse() {
        Random random = TestSeed.random(11);
        byte[] good = RandomPackets.block(9, 2).encode();
        int refused = 0;
        for (int i = 0; i < 20_000; i++) {
            byte[] bad = good.clone();
            for (int flips = 1 + random.nextInt(3); flips > 0; flips--) {
                bad[random.nextInt(bad.length)] = (byte) random.nextInt();
            }
            try {
                PacketBlock block = PacketMessages.decode(bad, 8);
                block.appendTo(
                        new HeaderBatch(HeaderLayout.complete(), block.count()), 0, block.count());
            } catch (MalformedMessageException e) {
                refused++;
            }
        }
        assertTrue(refused > 1_000, refused + " of 20,000 damaged messages were refused");
    }

    @Test
    void aMessageThatClaimsGigabytesAllocatesNone() throws Exception {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.write(RandomPackets.block(1, 1).encode(), 0, 10);
        BinaryEncoder encoder = EncoderFactory.get().binaryEncoder(out, null);
        encoder.writeLong(Integer.MAX_VALUE - 8); // length of the capture's name
        encoder.flush();
        byte[] hostile = out.toByteArray();
        assertEquals(
                "message: truncated or corrupt",
                assertThrows(MalformedMessageException.class, () -> MessageCodec.decode(hostile))
                        .reason());
    }

    @Test
    void otherBytesAndOtherSchemasAreToldApart() {
        assertEquals(
                "message: not Avro",
                assertThrows(
                                MalformedMessageException.class,
                                () ->
                                        MessageCodec.decode(
                                                "{\"a\":1}abcdef"
                                                        .getBytes(
                                                                java.nio.charset.StandardCharsets
                                                                        .UTF_8)))
                        .reason());
        byte[] unknown = RandomPackets.block(1, 1).encode();
        unknown[3] ^= 1;
        assertEquals(
                "message: unknown schema",
                assertThrows(MalformedMessageException.class, () -> MessageCodec.decode(unknown))
                        .reason());
        byte[] verdict = Verdicts.of("c", 0, 1, 2, null, null, null, "drop", 1).encode();
        MalformedMessageException wrong =
                assertThrows(
                        MalformedMessageException.class, () -> PacketMessages.decode(verdict, 4));
        assertEquals("message: wrong schema", wrong.reason());
    }
}
