package dev.sluice.operators.statistics;

import dev.sluice.engine.CountedRules;
import dev.sluice.schemas.codec.Column;
import dev.sluice.schemas.codec.PacketBlock;
import java.util.Arrays;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Counter of verdicts by rule, without an object for each packet.
 *
 * <p>Packets go to {@link SlotCounts} by the verdict's number. When the numbering of verdicts, the
 * history or the window changes, and before hits are emitted, these counts move to a {@link
 * RuleHitTable} by the rule's id, at the cost of a hash for each rule hit. Versions that only
 * change some rules keep the numbering.
 *
 * <p>Threads: one thread counts. {@link #drain} is called while it does not count, {@link
 * #takeFull} by any thread at any time.
 */
public final class HitCounter {
    /** Number of rules, each once a window, at which hits are emitted before they are requested. */
    static final int MOST_RULES = 1 << 16;

    /**
     * Number of packets whose times and lengths are unpacked at once; these arrays stay in the L1
     * cache.
     */
    private static final int PIECE = 1024;

    private final long windowNs;
    private final int mostRules;
    private final SlotCounts slots = new SlotCounts();
    private final RuleHitTable table = new RuleHitTable();
    private final Queue<HitRows> full = new ConcurrentLinkedQueue<>();
    private final long[] times = new long[PIECE];
    private final int[] lengths = new int[PIECE];

    /** Rules of the counts in {@link #slots}. */
    private @Nullable CountedRules rules;

    /** History of {@link #table}. */
    private String history = "";

    /** Start of the window of {@link #slots}. */
    private long windowStartNs = Column.NO_TIME;

    /** End of that window, exclusive. */
    private long windowEndNs = Column.NO_TIME;

    /** Creates a counter of totals, or of windows if the options set their length. */
    public HitCounter(StatisticsOptions options) {
        this(options, MOST_RULES);
    }

    HitCounter(StatisticsOptions options, int mostRules) {
        this.windowNs = options.windowNs();
        this.mostRules = mostRules;
    }

    /**
     * Counts verdicts of a block.
     *
     * @param verdicts by header of the block; negative: no rule matched
     * @param from first header to count
     * @param count number of headers to count
     * @param under rules of these verdicts
     * @param earlier whether they are of a stage before the one that decides: a miss is not counted
     */
    public void count(
            PacketBlock block,
            int[] verdicts,
            int from,
            int count,
            CountedRules under,
            boolean earlier) {
        Column time = block.column(Column.TIME_NS);
        Column length = block.column(Column.FRAME_LENGTH);
        if (time == null) {
            Arrays.fill(times, Column.NO_TIME);
        }
        if (length == null) {
            Arrays.fill(lengths, 0);
        }
        for (int at = from; at < from + count; at += PIECE) {
            int n = Math.min(PIECE, from + count - at);
            if (time != null) {
                time.copyLongs(at, n, times, 0);
            }
            if (length != null) {
                length.copyWords(at, n, lengths, 0);
            }
            if (earlier) {
                countEarlier(verdicts, at, n, times, lengths, under);
            } else {
                count(verdicts, at, n, times, lengths, under);
            }
        }
    }

    /** Counts verdicts in a stage before the one that decides: a miss is not counted. */
    public void countEarlier(
            int[] verdicts, int from, int count, long[] timesNs, int[] bytes, CountedRules under) {
        int[] hits = new int[count];
        long[] hitTimes = new long[count];
        int[] hitBytes = new int[count];
        int n = 0;
        for (int i = 0; i < count; i++) {
            if (verdicts[from + i] >= 0) {
                hits[n] = verdicts[from + i];
                hitTimes[n] = timesNs[i];
                hitBytes[n++] = bytes[i];
            }
        }
        count(hits, 0, n, hitTimes, hitBytes, under);
    }

    /**
     * Counts verdicts.
     *
     * @param verdicts verdicts, of which {@code from} to {@code from + count - 1} are counted
     * @param timesNs their times from index 0, {@link Column#NO_TIME} where unknown
     * @param bytes their lengths on the wire from index 0, unsigned
     */
    public void count(
            int[] verdicts, int from, int count, long[] timesNs, int[] bytes, CountedRules under) {
        use(under);
        if (windowNs == 0) {
            slots.add(verdicts, from, from + count, timesNs, bytes, 0, under);
        } else {
            byWindow(verdicts, from, count, timesNs, bytes, under);
        }
        if (slots.size() >= mostRules) {
            fold();
        }
    }

    /** Counts runs of packets of one window each. */
    private void byWindow(
            int[] verdicts, int from, int count, long[] timesNs, int[] bytes, CountedRules under) {
        for (int i = 0; i < count; ) {
            moveWindow(timesNs[i]);
            int end = i + 1;
            while (end < count && isInWindow(timesNs[end])) {
                end++;
            }
            slots.add(verdicts, from + i, from + end, timesNs, bytes, i, under);
            i = end;
        }
    }

    private boolean isInWindow(long timeNs) {
        return windowStartNs == Column.NO_TIME
                ? timeNs == Column.NO_TIME
                : timeNs >= windowStartNs && timeNs < windowEndNs;
    }

    /** Makes {@link #slots} count in the window of a time. */
    private void moveWindow(long timeNs) {
        if (isInWindow(timeNs)) {
            return;
        }
        long start = Column.NO_TIME;
        long end = Column.NO_TIME;
        if (timeNs != Column.NO_TIME) {
            start = timeNs - Math.floorMod(timeNs, windowNs);
            end = start + windowNs;
            // The first and the last window extend beyond the representable times.
            start = start > timeNs || start == Column.NO_TIME ? Column.NO_TIME + 1 : start;
            end = end <= timeNs ? Long.MAX_VALUE : end;
        }
        if (start != windowStartNs) {
            fold();
            windowStartNs = start;
            windowEndNs = end;
        }
    }

    @SuppressWarnings("ReferenceEquality") // usually the same object
    private void use(CountedRules under) {
        CountedRules before = rules;
        if (before == under) {
            return;
        }
        if (before == null || !goesOn(before, under)) {
            fold();
            if (!under.history().equals(history)) {
                handOut(full::add);
                history = under.history();
            }
        }
        slots.useFor(under.slots());
        rules = under;
    }

    /** Tells whether rules can be counted in the slots of the rules before. */
    private static boolean goesOn(CountedRules before, CountedRules under) {
        return under.version() >= before.version()
                && under.numbersAlike(before)
                && under.history().equals(before.history());
    }

    /** Moves the hits from the slots to the table. */
    private void fold() {
        if (slots.size() == 0) {
            return;
        }
        slots.moveTo(table, windowStartNs);
        if (table.size() >= mostRules) {
            handOut(full::add);
        }
    }

    private void handOut(Consumer<HitRows> to) {
        if (table.size() > 0) {
            to.accept(table.take(history, windowNs));
        }
    }

    /** Emits hits that are too many to be kept until {@link #drain}. */
    public void takeFull(Consumer<HitRows> to) {
        for (HitRows hits = full.poll(); hits != null; hits = full.poll()) {
            to.accept(hits);
        }
    }

    /** Emits all hits that were counted but not emitted; no thread may count meanwhile. */
    public void drain(Consumer<HitRows> to) {
        takeFull(to);
        fold();
        takeFull(to);
        handOut(to);
        rules = null; // they may be closed now
    }
}
