package dev.sluice.job.packets;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.job.capture.CaptureReader;
import dev.sluice.job.capture.Captures;
import dev.sluice.job.capture.PacketParser;
import dev.sluice.job.capture.ParsedPacket;
import dev.sluice.job.capture.ParserOptions;
import dev.sluice.job.kafka.FrameKey;
import dev.sluice.schemas.codec.DeadLetter;
import dev.sluice.schemas.header.Field;
import dev.sluice.schemas.header.HeaderWord;
import dev.sluice.schemas.testing.TestData;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A capture's frames from Kafka against the capture: what classify and the exporter see. */
class FrameReadingTest {
    private static final class Last implements PacketReading.Target {
        private int[] words = {};

        @Override
        public void header(String capture, int index, int[] header, long packet, long timeNs) {
            words = header.clone();
        }

        @Override
        public void block(int shard, List<ByteBuffer> parts) {}

        @Override
        public void dead(DeadLetter letter) {
            words = new int[0];
        }
    }

    @Test
    void framesFromKafkaHaveTheWordsOfTheirCapture() throws Exception {
        FrameReading reading = new FrameReading(ParserOptions.DEFAULTS, tunnel -> {});
        PacketParser parser = new PacketParser();
        ParsedPacket packet = new ParsedPacket();
        Last last = new Last();
        int followed = 0;
        int errors = 0;
        try (CaptureReader capture = Captures.open(TestData.office("office.pcapng.gz"))) {
            while (capture.next()) {
                parser.parse(capture, packet);
                byte[] frame =
                        Arrays.copyOfRange(
                                capture.bytes(),
                                capture.dataAt(),
                                capture.dataAt() + capture.capturedLength());
                reading.read(
                        MadeFrames.message(
                                0, capture.packet(), FrameKey.of(capture.timeNs()), frame),
                        last);
                if (last.words.length > 0) {
                    int[] words = packet.words().clone();
                    Field.FRAME_LENGTH.put(words, frame.length);
                    assertArrayEquals(words, last.words, "packet " + capture.packet());
                    int flow = words[HeaderWord.TCP_FLAGS];
                    followed += Field.FLOW_PRESENT.extract(flow);
                    errors += Field.FLOW_DST_PRESENT.extract(flow);
                }
            }
            assertEquals(0, capture.end().lone());
        }
        assertTrue(errors > 0 && followed > errors, errors + " of " + followed);
    }
}
