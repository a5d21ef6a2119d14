package dev.sluice.operators.classify;

import dev.sluice.operators.connections.PageImage;
import dev.sluice.operators.connections.TrackerImage;
import dev.sluice.operators.connections.TrackerOptions;
import dev.sluice.operators.connections.TrackerOptions.Model;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * The state of a shard's connections beside their pages: five big-endian i64, or six.
 *
 * @param shards number of flow shards, of which it is one
 * @param time latest time of a packet, in ns
 * @param sweepIpv4 place of the clean-up in the pages of IPv4
 * @param sweepIpv6 place of the clean-up in the pages of IPv6
 * @param seed of the hash; earlier states lack it, and have the one that everybody knows
 * @param model whose tracking made the pages, the sixth i64: its ordinal; absent: Linux's
 */
record ShardClock(int shards, long time, long sweepIpv4, long sweepIpv6, long seed, Model model) {
    static ShardClock of(int shards, TrackerImage image, long seed, Model model) {
        return new ShardClock(
                shards, image.time(), image.sweepIpv4(), image.sweepIpv6(), seed, model);
    }

    static ShardClock of(byte[] bytes) {
        ByteBuffer from = ByteBuffer.wrap(bytes);
        return new ShardClock(
                (int) from.getLong(),
                from.getLong(),
                from.getLong(),
                from.getLong(),
                from.hasRemaining() ? from.getLong() : TrackerOptions.LINUX.seed(),
                from.hasRemaining() ? Model.values()[(int) from.getLong()] : Model.LINUX);
    }

    byte[] toBytes() {
        boolean linux = model == Model.LINUX;
        ByteBuffer to =
                ByteBuffer.allocate((linux ? 5 : 6) * Long.BYTES)
                        .putLong(shards)
                        .putLong(time)
                        .putLong(sweepIpv4)
                        .putLong(sweepIpv6)
                        .putLong(seed);
        return (linux ? to : to.putLong(model.ordinal())).array();
    }

    /** The image with its pages. */
    TrackerImage image(List<PageImage> pages) {
        return new TrackerImage(time, sweepIpv4, sweepIpv6, pages);
    }
}
