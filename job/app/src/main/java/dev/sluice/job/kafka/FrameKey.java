package dev.sluice.job.kafka;

import dev.sluice.schemas.codec.Column;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Kafka key of a raw frame, in the form of Apache Metron's pycapa and fastcapa. It is the time of
 * capture as 8 bytes, big-endian, in µs since 1970 UTC.
 *
 * <p>(A comment in pycapa calls the unit milliseconds; its code multiplies seconds by a million.)
 */
public final class FrameKey {
    private static final long MOST_MICROS = Long.MAX_VALUE / 1000;

    private FrameKey() {}

    /** Returns the key of a time in ns, cut to µs; null for a time before 1970 or unknown. */
    public static byte @Nullable [] of(long timeNs) {
        return timeNs < 0
                ? null
                : ByteBuffer.allocate(Long.BYTES)
                        .putLong(TimeUnit.NANOSECONDS.toMicros(timeNs))
                        .array();
    }

    /**
     * Returns the time in a key, in ns; {@link Column#NO_TIME} for no key, another length, or a
     * time after the year 2262.
     */
    public static long timeNs(byte @Nullable [] key) {
        if (key == null || key.length != Long.BYTES) {
            return Column.NO_TIME;
        }
        long micros = ByteBuffer.wrap(key).getLong();
        return micros < 0 || micros > MOST_MICROS ? Column.NO_TIME : micros * 1000;
    }
}
