package dev.sluice.operators.classify;

import dev.sluice.operators.connections.PageImage;
import dev.sluice.operators.connections.TrackerImage;
import dev.sluice.operators.connections.TrackerOptions;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * The state of a shard's connections beside their pages: five big-endian i64.
 *
 * @param shards number of flow shards, of which it is one
 * @param time latest time of a packet, in ns
 * @param sweepIpv4 place of the clean-up in the pages of IPv4
 * @param sweepIpv6 place of the clean-up in the pages of IPv6
 * @param seed of the hash; earlier states lack it, and have the one that everybody knows
 */
record ShardClock(int shards, long time, long sweepIpv4, long sweepIpv6, long seed) {
    static ShardClock of(int shards, TrackerImage image, long seed) {
        return new ShardClock(shards, image.time(), image.sweepIpv4(), image.sweepIpv6(), seed);
    }

    static ShardClock of(byte[] bytes) {
        ByteBuffer from = ByteBuffer.wrap(bytes);
        return new ShardClock(
                (int) from.getLong(),
                from.getLong(),
                from.getLong(),
                from.getLong(),
                from.hasRemaining() ? from.getLong() : TrackerOptions.LINUX.seed());
    }

    byte[] toBytes() {
        return ByteBuffer.allocate(5 * Long.BYTES)
                .putLong(shards)
                .putLong(time)
                .putLong(sweepIpv4)
                .putLong(sweepIpv6)
                .putLong(seed)
                .array();
    }

    /** The image with its pages. */
    TrackerImage image(List<PageImage> pages) {
        return new TrackerImage(time, sweepIpv4, sweepIpv6, pages);
    }
}
