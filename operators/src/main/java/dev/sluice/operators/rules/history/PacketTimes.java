package dev.sluice.operators.rules.history;

import dev.sluice.schemas.codec.Column;
import dev.sluice.schemas.codec.PacketBlock;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The times at which the packets of a block are judged. Packets of a flow shard are taken in their
 * order:
 *
 * <ul>
 *   <li>A packet without a time has the largest time of its shard so far.
 *   <li>A packet that is older than the largest time of its shard so far, by more than the allowed
 *       lateness, is late: it is judged at that bound.
 *   <li>Any other packet is judged at its own time.
 * </ul>
 *
 * <p>Used for one block after the other, whatever their shards, without allocation. Not
 * thread-safe.
 */
public final class PacketTimes {
    /** The largest time of a shard that had no packet with a time yet. */
    public static final long NONE = Column.NO_TIME;

    private final long latenessNs;
    private long[] judgedNs = new long[0];
    private boolean[] late = new boolean[0];
    private int lateCount;
    private int count;

    /**
     * Times for an allowed lateness.
     *
     * @param latenessNs ns that a packet may be older than the largest time of its shard
     * @throws IllegalArgumentException if it is negative
     */
    public PacketTimes(long latenessNs) {
        if (latenessNs < 0) {
            throw new IllegalArgumentException(
                    "an allowed lateness of " + latenessNs + " ns is below 0");
        }
        this.latenessNs = latenessNs;
    }

    /**
     * Takes the next block of a shard.
     *
     * @param largestNs largest time of the shard before the block, or {@link #NONE}
     * @return largest time of the shard after the block, or {@link #NONE}
     */
    public long take(PacketBlock block, long largestNs) {
        count = block.count();
        if (judgedNs.length < count) {
            judgedNs = new long[count];
            late = new boolean[count];
        }
        Arrays.fill(late, 0, count, false);
        lateCount = 0;
        @Nullable Column times = block.column(Column.TIME_NS);
        long largest = largestNs;
        for (int i = 0; i < count; i++) {
            long time = times == null ? NONE : times.get(i);
            if (time == NONE) {
                judgedNs[i] = largest;
                continue;
            }
            long bound = bound(largest);
            if (time < bound) {
                judgedNs[i] = bound;
                late[i] = true;
                lateCount++;
            } else {
                judgedNs[i] = time;
                largest = Math.max(largest, time);
            }
        }
        return largest;
    }

    /** The oldest time that is not late; no time is, before the first packet with one. */
    private long bound(long largest) {
        return largest < Long.MIN_VALUE + latenessNs ? Long.MIN_VALUE : largest - latenessNs;
    }

    /** Time at which a packet of the block is judged; {@link #NONE}: before every version. */
    public long judgedNs(int packet) {
        return judgedNs[packet];
    }

    /** The latest time at which a packet of the block is judged, or {@link #NONE}. */
    public long latestNs() {
        long latest = NONE;
        for (int i = 0; i < count; i++) {
            latest = Math.max(latest, judgedNs[i]);
        }
        return latest;
    }

    /** Packets of the block that are judged at later times than this one. */
    public int countAfter(long timeNs) {
        int after = 0;
        for (int i = 0; i < count; i++) {
            after += judgedNs[i] > timeNs ? 1 : 0;
        }
        return after;
    }

    /** Tells whether a packet of the block is late. */
    public boolean isLate(int packet) {
        return late[packet];
    }

    /** Late packets of the block. */
    public int lateCount() {
        return lateCount;
    }
}
