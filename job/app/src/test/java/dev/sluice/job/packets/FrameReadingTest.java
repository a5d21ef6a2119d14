package dev.sluice.job.packets;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.job.capture.CaptureReader;
import dev.sluice.job.capture.Captures;
import dev.sluice.job.capture.PacketParser;
import dev.sluice.job.capture.ParsedPacket;
import dev.sluice.job.capture.ParserOptions;
import dev.sluice.job.capture.Tunnel;
import dev.sluice.job.kafka.FrameKey;
import dev.sluice.schemas.codec.DeadLetter;
import dev.sluice.schemas.codec.PacketMessages;
import dev.sluice.schemas.header.Field;
import dev.sluice.schemas.header.FlowShard;
import dev.sluice.schemas.header.HeaderWord;
import dev.sluice.schemas.testing.TestData;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.flink.api.java.tuple.Tuple2;
import org.junit.jupiter.api.Test;

/** A capture's frames from Kafka against the capture: what classify and the exporter see. */
class FrameReadingTest {
    private static final int SHARDS = 16;

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

    /** A fragment of a TCP segment from port 1 to port 80. */
    private static byte[] fragment(int id, int bits) {
        byte[] frame = MadeFrames.tcp(1, 80);
        frame[14 + 5] = (byte) id;
        frame[14 + 6] = (byte) (bits >>> 8);
        frame[14 + 7] = (byte) bits;
        return frame;
    }

    /** Later fragments behind a first one before the start, of another partition, or of none. */
    @Test
    void aLaterFragmentIsFollowedWithinItsPartitionAlone() throws Exception {
        int[] lone = {0};
        PacketBatcher batcher =
                new PacketBatcher(
                        PacketFormat.FRAMES,
                        SHARDS,
                        false,
                        100,
                        new FrameCounts() {
                            @Override
                            public void shut(Tunnel tunnel) {}

                            @Override
                            public void lone() {
                                lone[0]++;
                            }
                        });
        batcher.before(MadeFrames.message(0, 5, fragment(7, 0x2000)));
        batcher.add(MadeFrames.message(1, 0, fragment(8, 0x2000)));
        batcher.add(MadeFrames.message(0, 6, MadeFrames.tcp(1, 80)));
        batcher.add(MadeFrames.message(0, 7, fragment(7, 3)));
        batcher.add(MadeFrames.message(1, 1, fragment(8, 0x2003)));
        assertEquals(0, lone[0]);
        batcher.add(MadeFrames.message(1, 2, fragment(7, 3)));
        batcher.add(MadeFrames.message(0, 8, fragment(8, 3)));
        assertEquals(2, lone[0]);
        batcher.add(MadeFrames.message(0, 5 + FrameReading.HORIZON, fragment(7, 3)));
        assertEquals(2, lone[0]);
        batcher.add(MadeFrames.message(0, 6 + FrameReading.HORIZON, fragment(7, 3)));
        assertEquals(3, lone[0]);
        Map<Integer, Integer> ofShards = new TreeMap<>();
        for (Tuple2<Integer, byte[]> message :
                batcher.take().stream().flatMap(b -> b.messages().stream()).toList()) {
            ofShards.merge(
                    message.f0, PacketMessages.decode(message.f1, SHARDS).count(), Integer::sum);
        }
        int[] words = new int[HeaderWord.COUNT];
        ParsedPacket tcp = new ParsedPacket();
        new PacketParser().parseEthernet(MadeFrames.tcp(1, 80), tcp);
        System.arraycopy(tcp.words(), 0, words, 0, words.length);
        int flow = FlowShard.FLOW.of(words, SHARDS);
        words[HeaderWord.PORTS] = 0;
        assertEquals(Map.of(flow, 5, FlowShard.FLOW.of(words, SHARDS), 3), ofShards);
    }

    /** A frame in VXLAN, between two addresses and ports of UDP; its first fragment. */
    private static byte[] firstOfTunnel(byte[] inner) {
        byte[] outer = fragment(9, 0x2000);
        outer[14 + 9] = 17;
        ByteBuffer frame = ByteBuffer.allocate(14 + 20 + 8 + 8 + inner.length);
        frame.put(outer, 0, 14 + 20).putShort((short) 50_000).putShort((short) 4789);
        frame.putShort((short) 9_000).putShort((short) 0);
        frame.putInt(0x0800_0000).putInt(5001 << 8).put(inner);
        return frame.putShort(14 + 2, (short) (frame.limit() - 14)).array();
    }

    @Test
    void theRestOfAFragmentedTunnelsDatagramIsNotLone() {
        byte[] later = fragment(9, 2);
        later[14 + 9] = 17;
        byte[] whole = firstOfTunnel(MadeFrames.tcp(7, 22));
        byte[] nested = firstOfTunnel(fragment(3, 0x2000));
        byte[] cut = Arrays.copyOf(whole, whole.length - 30);
        for (byte[] first : List.of(whole, nested, cut)) {
            int[] lone = {0};
            FrameReading reading =
                    new FrameReading(
                            ParserOptions.INNER,
                            new FrameCounts() {
                                @Override
                                public void shut(Tunnel tunnel) {}

                                @Override
                                public void lone() {
                                    lone[0]++;
                                }
                            });
            Last last = new Last();
            reading.read(MadeFrames.message(0, 0, first), last);
            assertEquals(first == cut, last.words.length == 0);
            reading.read(MadeFrames.message(0, 1, later), last);
            assertEquals(0, lone[0]);
            assertEquals(17, Field.FLOW_PROTO.extract(last.words[HeaderWord.TCP_FLAGS]));
            assertEquals(50_000 << 16 | 4789, last.words[HeaderWord.FLOW_PORTS]);
            reading.read(MadeFrames.message(0, 2, fragment(3, 2)), last);
            assertEquals(first == nested ? 0 : 1, lone[0]);
        }
    }
}
