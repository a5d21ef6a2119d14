package dev.sluice.job.kafka;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;

import dev.sluice.schemas.testing.TestSeed;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.apache.flink.api.common.serialization.SerializerConfigImpl;
import org.apache.flink.api.common.typeinfo.PrimitiveArrayTypeInfo;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.junit.jupiter.api.Test;

/** Messages that lie among others are to Flink what those with arrays of their own are. */
class ShardedMessageTest {
    private final TypeSerializer<Tuple2<Integer, byte[]>> ours =
            ShardedMessage.TYPE.createSerializer(new SerializerConfigImpl());
    private final TypeSerializer<Tuple2<Integer, byte[]>> flinks =
            Types.<Tuple2<Integer, byte[]>>TUPLE(
                            Types.INT, PrimitiveArrayTypeInfo.BYTE_PRIMITIVE_ARRAY_TYPE_INFO)
                    .createSerializer(new SerializerConfigImpl());

    private static byte[] written(
            TypeSerializer<Tuple2<Integer, byte[]>> serializer, Tuple2<Integer, byte[]> message)
            throws Exception {
        DataOutputSerializer out = new DataOutputSerializer(16);
        serializer.serialize(message, out);
        return out.getCopyOfBuffer();
    }

    /** Bytes of an array as one part, or as several. */
    private static List<ByteBuffer> parts(Random random, byte[] among, int from, int length) {
        List<ByteBuffer> parts = new ArrayList<>();
        int at = 0;
        do {
            int n = random.nextBoolean() ? length - at : random.nextInt(length - at + 1);
            ByteBuffer part = ByteBuffer.wrap(among, from + at, n);
            parts.add(random.nextBoolean() ? part : part.slice());
            at += n;
        } while (at < length);
        return parts;
    }

    @Test
    void theBytesOnAnEdgeAreFlinks() throws Exception {
        Random random = TestSeed.random(3);
        for (int round = 0; round < 200; round++) {
            byte[] bytes = new byte[random.nextInt(100)];
            random.nextBytes(bytes);
            byte[] among = new byte[bytes.length + 1 + random.nextInt(50)];
            random.nextBytes(among);
            int from = random.nextInt(among.length - bytes.length + 1);
            System.arraycopy(bytes, 0, among, from, bytes.length);
            int shard = random.nextInt();
            Tuple2<Integer, byte[]> plain = Tuple2.of(shard, bytes);
            Tuple2<Integer, byte[]> inPlace =
                    ShardedMessage.of(shard, parts(random, among, from, bytes.length));
            assertNull(inPlace.f1);
            assertArrayEquals(bytes, ShardedMessage.bytes(inPlace));
            byte[] expected = written(flinks, plain);
            assertArrayEquals(expected, written(ours, plain));
            assertArrayEquals(expected, written(ours, inPlace));
            assertArrayEquals(expected, written(flinks, ours.copy(inPlace)));
            assertArrayEquals(expected, written(flinks, inPlace.copy()));
            assertArrayEquals(expected, written(flinks, ours.copy(inPlace, Tuple2.of(0, bytes))));
            Tuple2<Integer, byte[]> read = ours.deserialize(new DataInputDeserializer(expected));
            Tuple2<Integer, byte[]> reused =
                    ours.deserialize(inPlace, new DataInputDeserializer(expected));
            assertArrayEquals(expected, written(ours, reused));
            assertArrayEquals(expected, written(ours, ours.copy(plain, inPlace)));
            assertEquals(shard, read.f0);
            assertArrayEquals(bytes, read.f1);
        }
    }

    @Test
    void aMessageThatHasAnArrayKeepsIt() {
        byte[] bytes = {1, 2, 3};
        Tuple2<Integer, byte[]> message = ShardedMessage.of(4, List.of(ByteBuffer.wrap(bytes)));
        assertSame(bytes, message.f1);
        assertSame(bytes, ShardedMessage.bytes(message));
        assertNotSame(bytes, ours.copy(message).f1);
    }
}
