package dev.sluice.policy.questions;

import dev.sluice.engine.memory.LongIntMap;
import dev.sluice.schemas.header.Field;
import dev.sluice.schemas.header.HeaderWord;
import java.util.Arrays;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

/** Index of a list of boxes: those that overlap a box, and the first that holds a point. */
final class OverlapIndex {
    private final BoxList boxes;
    private final Axis a;
    private final Axis b;
    private final Runs byA;
    private final Runs byB;
    private final LongIntMap runs = new LongIntMap();

    /** Sees boxes; returns whether it wants no more. */
    interface Visitor {
        boolean visit(int box);
    }

    OverlapIndex(BoxList boxes) {
        this.boxes = boxes;
        Axis source = Axis.of(boxes, HeaderWord.IPV4_SRC, HeaderWord.IPV6_SRC);
        Axis destination = Axis.of(boxes, HeaderWord.IPV4_DST, HeaderWord.IPV6_DST);
        for (int d = 0; d < boxes.dimensions; d++) {
            Dimension of = boxes.space.dimensions.get(d);
            boolean port = of.word() == HeaderWord.PORTS;
            boolean address = of.word() <= HeaderWord.IPV4_DST || HeaderWord.isIpv6(of.word());
            if (!port && !address && of.size() > Math.min(source.size(), destination.size())) {
                if (source.size() < destination.size()) {
                    source = new Axis(boxes, d, -1);
                } else {
                    destination = new Axis(boxes, d, -1);
                }
            }
        }
        a = source;
        b = destination;
        byA = new Runs(a.of, b.of);
        byB = new Runs(b.of, a.of);
        for (int run = 0; run < byA.keys.length; run++) {
            runs.put(byA.keys[run], run + 1);
        }
    }

    /** Trees of the intervals of a dimension, of which any two are apart or nested. */
    private static final class Axis {
        private final BoxList boxes;
        private final int four;
        private final int six;
        private final int[] first;
        private final int[] last;
        private final int[] parent;

        /** Last interval inside of each one. */
        private final int[] end;

        /** Interval of each box. */
        final int[] of;

        static Axis of(BoxList boxes, int word4, int word6) {
            int four = -1;
            int six = -1;
            for (int d = 0; d < boxes.dimensions; d++) {
                Dimension one = boxes.space.dimensions.get(d);
                four = one.begins(word4) ? d : four;
                six = one.begins(word6) ? d : six;
            }
            return new Axis(boxes, four, six);
        }

        /**
         * The intervals of one dimension, or of one behind the other.
         *
         * @param four dimension of IPv4 addresses, or of any field; -1: none
         * @param six dimension of IPv6 addresses; -1: none
         */
        Axis(BoxList boxes, int four, int six) {
            this.boxes = boxes;
            this.four = four;
            this.six = six;
            long[] keys = new long[boxes.size];
            for (int box = 0; box < boxes.size; box++) {
                keys[box] = key(box);
            }
            long[] kept = LongStream.of(keys).sorted().distinct().toArray();
            first = new int[kept.length];
            last = new int[kept.length];
            parent = new int[kept.length];
            end = new int[kept.length];
            for (int i = 0; i < kept.length; i++) {
                first[i] = (int) (kept[i] >>> 32);
                last[i] = Integer.MAX_VALUE - (int) kept[i];
                int above = i - 1;
                while (above >= 0 && last[above] < first[i]) {
                    above = parent[above];
                }
                parent[i] = above;
                end[i] = i;
                for (int up = above; up >= 0; up = parent[up]) {
                    end[up] = i;
                }
            }
            of = new int[boxes.size];
            for (int box = 0; box < boxes.size; box++) {
                of[box] = Arrays.binarySearch(kept, keys[box]);
            }
        }

        int size() {
            return first.length;
        }

        private int fours() {
            return four < 0 ? 1 : boxes.space.dimensions.get(four).size();
        }

        private int sixes() {
            return six < 0 ? 1 : boxes.space.dimensions.get(six).size();
        }

        /** First coordinate, then the larger interval first. */
        private long key(int box) {
            int low = 0;
            int high = fours() + sixes();
            if (six < 0 && four >= 0 && !isAddress()) {
                low = boxes.first(box, four);
                high = boxes.last(box, four);
            } else if (boxes.version[box] == Field.VERSION_4) {
                low = four < 0 ? 0 : boxes.first(box, four);
                high = four < 0 ? 0 : boxes.last(box, four);
            } else if (boxes.version[box] == Field.VERSION_6) {
                low = fours() + (six < 0 ? 0 : boxes.first(box, six));
                high = fours() + (six < 0 ? 0 : boxes.last(box, six));
            }
            return (long) low << 32 | Integer.MAX_VALUE - high;
        }

        private boolean isAddress() {
            return boxes.space.dimensions.get(four).word() <= HeaderWord.IPV4_DST;
        }

        /** The smallest interval that holds a point; -1: none. */
        int at(int[] point) {
            int version =
                    Field.IP_VERSION.extract(
                            boxes.space.kinds.sample(point[boxes.dimensions])[HeaderWord.IP]);
            int x = fours() + sixes();
            if (six < 0 && four >= 0 && !isAddress()) {
                x = point[four];
            } else if (version == Field.VERSION_4) {
                x = four < 0 ? 0 : point[four];
            } else if (version == Field.VERSION_6) {
                x = fours() + (six < 0 ? 0 : point[six]);
            }
            int low = 0;
            int high = first.length;
            while (low < high) {
                int middle = low + high >>> 1;
                if (first[middle] <= x) {
                    low = middle + 1;
                } else {
                    high = middle;
                }
            }
            int at = low - 1;
            while (at >= 0 && last[at] < x) {
                at = parent[at];
            }
            return at;
        }
    }

    /** Boxes by their intervals on two axes, then by their order. */
    private static final class Runs {
        private final int[] boxes;
        final long[] keys;

        /** First box of each run, then the number of boxes. */
        private final int[] begins;

        Runs(int[] major, int[] minor) {
            int n = major.length;
            boxes = sorted(sorted(IntStream.range(0, n).toArray(), minor), major);
            long[] found = new long[n];
            int[] at = new int[n + 1];
            int count = 0;
            for (int i = 0; i < n; i++) {
                long key = key(major[boxes[i]], minor[boxes[i]]);
                if (i == 0 || key != found[count - 1]) {
                    found[count] = key;
                    at[count++] = i;
                }
            }
            at[count] = n;
            keys = Arrays.copyOf(found, count);
            begins = Arrays.copyOf(at, count + 1);
        }

        /** Boxes by their intervals, those of one interval in the given order. */
        private static int[] sorted(int[] boxes, int[] intervals) {
            int[] from = new int[boxes.length + 1]; // place of the next box of each interval
            for (int box : boxes) {
                from[intervals[box] + 1]++;
            }
            for (int i = 1; i < from.length; i++) {
                from[i] += from[i - 1];
            }
            int[] sorted = new int[boxes.length];
            for (int box : boxes) {
                sorted[from[intervals[box]]++] = box;
            }
            return sorted;
        }

        static long key(int major, int minor) {
            return (long) major << 32 | minor;
        }

        /** First run of a key or behind it. */
        int from(long key) {
            int at = Arrays.binarySearch(keys, key);
            return at >= 0 ? at : -at - 1;
        }

        boolean visit(int run, int from, int to, Visitor visitor) {
            for (int i = begins[run]; i < begins[run + 1] && boxes[i] < to; i++) {
                if (boxes[i] >= from && visitor.visit(boxes[i])) {
                    return true;
                }
            }
            return false;
        }
    }

    /**
     * Visits the boxes whose addresses overlap those of two boxes together.
     *
     * @param from first box that is visited
     * @param to end of those that are
     * @return whether the visitor wanted no more
     */
    boolean visit(int box, int other, int from, int to, Visitor visitor) {
        int x = inner(a, box, other);
        int y = inner(b, box, other);
        for (int up = x; up >= 0; up = a.parent[up]) {
            for (int across = y; across >= 0; across = b.parent[across]) {
                int run = runs.get(Runs.key(up, across)) - 1;
                if (run >= 0 && byA.visit(run, from, to, visitor)) {
                    return true;
                }
            }
            if (visit(byA, up, y + 1, b.end[y], from, to, visitor)) {
                return true;
            }
        }
        for (int across = y; across >= 0; across = b.parent[across]) {
            if (visit(byB, across, x + 1, a.end[x], from, to, visitor)) {
                return true;
            }
        }
        return inside(x, y, from, to, visitor);
    }

    private static int inner(Axis axis, int box, int other) {
        int one = axis.of[box];
        int two = axis.of[other];
        return axis.end[one] >= two && two >= one ? two : one; // the later one is the inner one
    }

    private static boolean visit(
            Runs runs, int major, int first, int last, int from, int to, Visitor visitor) {
        if (first > last) {
            return false;
        }
        int end = runs.from(Runs.key(major, last) + 1);
        for (int run = runs.from(Runs.key(major, first)); run < end; run++) {
            if (runs.visit(run, from, to, visitor)) {
                return true;
            }
        }
        return false;
    }

    private boolean inside(int x, int y, int from, int to, Visitor visitor) {
        if (a.end[x] == x || b.end[y] == y) {
            return false;
        }
        int firstA = byA.from(Runs.key(x + 1, 0));
        int endA = byA.from(Runs.key(a.end[x] + 1, 0));
        int firstB = byB.from(Runs.key(y + 1, 0));
        int endB = byB.from(Runs.key(b.end[y] + 1, 0));
        boolean shorter = endA - firstA <= endB - firstB;
        Runs by = shorter ? byA : byB;
        int low = shorter ? y : x;
        int high = shorter ? b.end[y] : a.end[x];
        for (int run = shorter ? firstA : firstB; run < (shorter ? endA : endB); run++) {
            int minor = (int) by.keys[run];
            if (minor > low && minor <= high && by.visit(run, from, to, visitor)) {
                return true;
            }
        }
        return false;
    }

    /**
     * The first box that covers and holds a point, of those before a box; -1: none.
     *
     * @param without owner whose boxes do not count
     */
    int first(int[] point, int to, int without) {
        int best = to;
        for (int x = a.at(point); x >= 0; x = a.parent[x]) {
            for (int y = b.at(point); y >= 0; y = b.parent[y]) {
                int run = runs.get(Runs.key(x, y)) - 1;
                if (run < 0) {
                    continue;
                }
                for (int i = byA.begins[run]; i < byA.begins[run + 1] && byA.boxes[i] < best; i++) {
                    int box = byA.boxes[i];
                    if (boxes.covers[box]
                            && boxes.owner[box] != without
                            && boxes.holds(box, point)) {
                        best = box;
                    }
                }
            }
        }
        return best == to ? -1 : best;
    }

    /** The first box behind another that covers, and has all of it; -1: none. */
    int spanning(int of, int without) {
        BoxList.Region region = boxes.region(of);
        int best = boxes.size;
        for (int x = a.of[of]; x >= 0; x = a.parent[x]) {
            for (int y = b.of[of]; y >= 0; y = b.parent[y]) {
                int run = runs.get(Runs.key(x, y)) - 1;
                for (int i = run < 0 ? 0 : byA.begins[run];
                        run >= 0 && i < byA.begins[run + 1] && byA.boxes[i] < best;
                        i++) {
                    int box = byA.boxes[i];
                    if (box > of
                            && boxes.covers[box]
                            && boxes.owner[box] != without
                            && boxes.spans(box, region)
                            && !boxes.isHoled(box, region)) {
                        best = box;
                    }
                }
            }
        }
        return best == boxes.size ? -1 : best;
    }
}
