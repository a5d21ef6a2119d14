package dev.sluice.operators.statistics;

import dev.sluice.engine.CountedRules;
import dev.sluice.schemas.codec.Column;
import java.util.Arrays;

/**
 * Hits by verdict number, of {@link CountedRules} that number alike: the hot path of counting.
 *
 * <p>A verdict's place leads to four adjacent numbers. Places are assigned in the order of the
 * rules' first hits, so that the numbers of a few busy rules are close together. Not thread-safe.
 */
final class SlotCounts {

    private static final int STRIDE = 4;
    private static final int BYTES = 1;
    private static final int FIRST = 2;
    private static final int LAST = 3;

    /** Index of its numbers by verdict + 1, so that the miss is 0; 0 where it was not hit. */
    private int[] places = new int[1];

    /** Verdicts in the order of their first hit. */
    private int[] verdicts = new int[64];

    /** Rule ids in the order of the first hit; undefined for the miss. */
    private long[] ids = new long[64];

    /** Version of the first hit, in the order of the first hit. */
    private long[] fromVersions = new long[64];

    /** Version of the last hit; undefined while all hits are of one version. */
    private long[] toVersions = new long[64];

    /** Version of the very first hit. */
    private long firstVersion;

    /** True if hits are of several versions. */
    private boolean versionsDiffer;

    /** Numbers of the i-th verdict that was hit, at (i + 1) * STRIDE. */
    private long[] counts = new long[65 * STRIDE];

    private int size;

    /** Makes room for verdicts below a bound. */
    void useFor(int bound) {
        if (places.length <= bound) {
            int room = Math.max(bound + 1, places.length + (places.length >> 1));
            places = size == 0 ? new int[room] : Arrays.copyOf(places, room);
        }
    }

    /** Returns the number of rules that were hit. */
    int size() {
        return size;
    }

    /**
     * Counts verdicts {@code from} to {@code to - 1}, whose times and lengths begin at {@code at}.
     *
     * @param rules number alike with those before, and are of no lower version
     */
    void add(int[] given, int from, int to, long[] times, int[] bytes, int at, CountedRules rules) {
        reserve(size + to - from);
        long version = rules.version();
        if (size == 0) {
            firstVersion = version;
            versionsDiffer = false;
        } else if (version != firstVersion && !versionsDiffer) {
            Arrays.fill(toVersions, 0, size, firstVersion);
            versionsDiffer = true;
        }
        boolean noted = versionsDiffer;
        long[] lastVersions = toVersions;
        int[] placeOf = places;
        long[] numbers = counts;
        for (int i = from, k = at; i < to; i++, k++) {
            int place = placeOf[given[i] + 1];
            if (place == 0) {
                place = open(given[i], rules);
            }
            long time = times[k];
            numbers[place]++;
            numbers[place + BYTES] += bytes[k] & 0xffffffffL;
            if (time > numbers[place + LAST]) {
                numbers[place + LAST] = time;
            }
            if (time < numbers[place + FIRST] && time != Column.NO_TIME) {
                numbers[place + FIRST] = time;
            }
            if (noted) {
                lastVersions[place / STRIDE - 1] = version;
            }
        }
    }

    private void reserve(int most) {
        int needed = Math.min(most, places.length);
        if (needed > verdicts.length) {
            int room = Math.max(needed, 2 * verdicts.length);
            verdicts = Arrays.copyOf(verdicts, room);
            ids = Arrays.copyOf(ids, room);
            fromVersions = Arrays.copyOf(fromVersions, room);
            toVersions = Arrays.copyOf(toVersions, room);
            counts = Arrays.copyOf(counts, (room + 1) * STRIDE);
        }
    }

    private int open(int verdict, CountedRules rules) {
        verdicts[size] = verdict;
        ids[size] = verdict < 0 ? 0 : rules.ruleId(verdict);
        fromVersions[size] = rules.version();
        size++;
        int place = size * STRIDE;
        counts[place] = 0;
        counts[place + BYTES] = 0;
        counts[place + FIRST] = Long.MAX_VALUE;
        counts[place + LAST] = Column.NO_TIME;
        places[verdict + 1] = place;
        return place;
    }

    /** Adds all hits to a table under a window, and clears the counts. */
    void moveTo(RuleHitTable table, long windowStartNs) {
        long[] hits = new long[HitRows.STRIDE];
        for (int i = 0; i < size; i++) {
            int place = (i + 1) * STRIDE;
            hits[HitRows.RULE] = ids[i];
            hits[HitRows.PACKETS] = counts[place];
            hits[HitRows.BYTES] = counts[place + BYTES];
            hits[HitRows.FIRST] = counts[place + FIRST];
            hits[HitRows.LAST] = counts[place + LAST];
            hits[HitRows.FROM] = fromVersions[i];
            hits[HitRows.TO] = versionsDiffer ? toVersions[i] : firstVersion;
            table.add(verdicts[i] >= 0, hits, 0, windowStartNs);
            places[verdicts[i] + 1] = 0;
        }
        size = 0;
    }
}
