package dev.sluice.job.kafka;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import dev.sluice.schemas.codec.Column;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

class FrameKeyTest {
    @Test
    void aTimeIsEightBytesOfMicrosecondsTheHighestFirst() {
        // 2021-01-02T03:04:05.678901Z, as pycapa's struct.pack(">Q", 1609556645678901) has it
        byte[] key = {0, 5, (byte) 0xb7, (byte) 0xe2, 0x1c, 0x1c, (byte) 0x8f, 0x35};
        assertArrayEquals(key, FrameKey.of(1_609_556_645_678_901_999L));
        assertEquals(1_609_556_645_678_901_000L, FrameKey.timeNs(key));
    }

    @Test
    void whatIsNoTimeHasNoKeyAndNoKeyIsNoTime() {
        assertNull(FrameKey.of(-1));
        assertNull(FrameKey.of(Column.NO_TIME));
        assertEquals(Column.NO_TIME, FrameKey.timeNs(null));
        assertEquals(Column.NO_TIME, FrameKey.timeNs(new byte[4]));
        assertEquals(Column.NO_TIME, FrameKey.timeNs(key(-1)));
        assertEquals(Column.NO_TIME, FrameKey.timeNs(key(Long.MAX_VALUE / 1000 + 1)));
        assertEquals(Long.MAX_VALUE / 1000 * 1000, FrameKey.timeNs(key(Long.MAX_VALUE / 1000)));
    }

    private static byte[] key(long micros) {
        return ByteBuffer.allocate(8).putLong(micros).array();
    }
}
