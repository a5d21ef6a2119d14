package dev.sluice.engine.crossproduct.lists;

import static dev.sluice.engine.crossproduct.model.CrossproductLimits.refused;

import dev.sluice.engine.crossproduct.model.CrossproductLayout;
import dev.sluice.engine.crossproduct.model.PortRanges;
import dev.sluice.engine.image.BuildMeter;
import dev.sluice.engine.image.WordWriter;
import dev.sluice.engine.rules.Match;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/**
 * Writes lists of rules as intervals of services, behind the best position of each list. A service
 * is a class of the fields beyond addresses and ports, and a port, in one number: the destination
 * port, but where a list's chains would be long and are half as long that way, the rules that say
 * more of the source port are another list, of intervals of the source port. Between two
 * neighbouring limits of its rules a list has one answer: a rule, none, or, where the other port
 * decides, a chain of rules in total order, the last of which is marked. A search is a binary
 * search of the interval; in a list of many intervals, of those that an index names for a part of
 * the services. Not thread-safe: one instance a build.
 */
public final class ServiceLists {
    /** Classes at most, so that a service is no negative number. */
    public static final int MOST_CLASSES = 1 << 15;

    private static final int NONE = -1;

    /**
     * Rules of a list's chains at most, for each rule of the list and for so many more: only ranges
     * of ports that nest deeply make more.
     */
    private static final int MOST_LINKS_A_RULE = 128;

    private static final int LINKS_AT_LEAST = 1 << 12;

    /** Intervals that a rule is tried on at most, on average and beyond as many as these. */
    private static final int MOST_TRIES_A_RULE = 1 << 10;

    private static final int TRIES_AT_LEAST = 1 << 16;

    /** Rules of the chains, for each rule of the list, above which a list is divided. */
    private static final int LONG_CHAINS = 4;

    /** Steps of a binary search that reading an index takes as long as. */
    private static final int STEPS_OF_INDEX = 4;

    /** A list of fewer intervals is searched as it is. */
    private static final int INDEXED = 1 << STEPS_OF_INDEX;

    /** Intervals for each part of the services, on average. */
    private static final int INTERVALS_A_PART = 2;

    /** Range of no port: from the highest one to the lowest one. */
    private static final int NO_PORT = Match.RANGE_HIGH << Match.RANGE_LOW_SHIFT;

    private final WordWriter out;
    private final BuildMeter meter;
    private final int[] kindOf;
    private final Side byDestination;

    /** Null until a list needs it. */
    private @Nullable Side bySource;

    private final PortRanges[] ports;
    private final int[][] classes;

    // One list's intervals, grown as needed.
    private int[] limits = new int[64];
    private int[] nextOpen = new int[64];
    private int[] first = new int[64];
    private int[] last = new int[64];

    /** The range of the other port for which an interval's chain has a rule. */
    private int[] covered = new int[64];

    // Nodes of the intervals' chains: a rule, and the next node.
    private int[] nodeRule = new int[64];
    private int[] nodeNext = new int[64];
    private int nodes;

    private int allFlags;

    /**
     * Lists by one port.
     *
     * @param runs for each kind the services for which it holds: first and last of each run
     * @param others for each kind the range of the other port
     */
    private record Side(int[][] runs, int[] others) {}

    /**
     * Lists over some kinds.
     *
     * @param kindOf kind of each rule
     * @param ports what each kind asks of the ports
     * @param classes for each kind the classes of the other fields in which it holds, ascending
     */
    public ServiceLists(
            WordWriter out, BuildMeter meter, int[] kindOf, PortRanges[] ports, int[][] classes) {
        this.out = out;
        this.meter = meter;
        this.kindOf = kindOf;
        this.ports = ports;
        this.classes = classes;
        byDestination = side(PortRanges::destination, PortRanges::source);
    }

    private Side side(ToIntFunction<PortRanges> own, ToIntFunction<PortRanges> other) {
        int[] searched = Arrays.stream(ports).mapToInt(own).toArray();
        int[] others = Arrays.stream(ports).mapToInt(other).toArray();
        return new Side(runs(searched, classes), others);
    }

    private Side bySource() {
        Side made = bySource;
        if (made == null) {
            made = side(PortRanges::source, PortRanges::destination);
            bySource = made;
        }
        return made;
    }

    private static int[][] runs(int[] ports, int[][] classes) {
        int[][] runs = new int[ports.length][];
        Arrays.setAll(runs, k -> runs(ports[k], classes[k]));
        return runs;
    }

    private static int[] runs(int port, int[] classes) {
        int[] runs = new int[2 * classes.length];
        int n = 0;
        for (int c : classes) {
            int from = c << CrossproductLayout.SERVICE_SHIFT | PortRanges.low(port);
            int to = c << CrossproductLayout.SERVICE_SHIFT | PortRanges.high(port);
            if (n > 0 && runs[n - 1] + 1 == from) {
                runs[n - 1] = to;
            } else {
                runs[n++] = from;
                runs[n++] = to;
            }
        }
        return Arrays.copyOf(runs, n);
    }

    /**
     * Writes a list.
     *
     * @param list positions of its rules, ascending
     * @return its offset
     */
    int write(int[] list) {
        int count = paint(list, byDestination);
        long links = nodes;
        if (count > 0 && links <= (long) LONG_CHAINS * list.length) {
            return write(list[0], count, byDestination, 0);
        }
        int[] named = Arrays.stream(list).filter(this::namesSource).toArray();
        if (named.length > 0) {
            int[] rest = Arrays.stream(list).filter(r -> !namesSource(r)).toArray();
            Side side = bySource();
            int namedCount = paint(named, side);
            long divided = nodes;
            int restCount = paint(rest, byDestination);
            divided += nodes;
            boolean served = namedCount > 0 && restCount > 0;
            if (served && (count == 0 || 2 * divided <= links)) {
                int bySourcePort = write(named[0], paint(named, side), side, 0);
                return write(list[0], paint(rest, byDestination), byDestination, bySourcePort);
            }
        }
        if (count == 0) {
            throw refused(
                    0,
                    "ranges of both ports nest too deeply within a list of "
                            + list.length
                            + " rules");
        }
        int painted = named.length == 0 ? count : paint(list, byDestination);
        return write(list[0], painted, byDestination, 0);
    }

    /** {@link CrossproductLayout#DIVIDED} and {@link CrossproductLayout#INDEXED} as lists are. */
    int flags() {
        return allFlags;
    }

    /** Returns whether a rule says more of the source port than of the destination port. */
    private boolean namesSource(int rule) {
        int kind = kindOf[rule];
        return ports(ports[kind].source()) < ports(ports[kind].destination());
    }

    private static int ports(int range) {
        return PortRanges.high(range) - PortRanges.low(range);
    }

    /**
     * Writes the intervals that were painted.
     *
     * @param best best position of the list
     * @param bySourcePort the list of the other rules, 0 if there are none
     */
    private int write(int best, int count, Side side, int bySourcePort) {
        int[] starts = new int[count];
        int[] names = new int[count];
        Map<List<Integer>, Integer> chains = new HashMap<>();
        int n = 0;
        for (int i = 0; i < count; i++) {
            if (i > 0 && sameChain(first[i], first[i - 1])) {
                continue;
            }
            starts[n] = limits[i];
            names[n++] = answer(first[i], side, chains);
        }
        int[] index = index(starts, n);
        int list = index.length;
        int divided = bySourcePort == 0 ? 0 : 1;
        int end = list + CrossproductLayout.INTERVALS + 2 * n;
        int[] words = Arrays.copyOf(index, end + divided);
        System.arraycopy(starts, 0, words, list + CrossproductLayout.INTERVALS, n);
        System.arraycopy(names, 0, words, list + CrossproductLayout.INTERVALS + n, n);
        words[list + CrossproductLayout.BEST_OF_LIST] = best;
        int flags =
                divided * CrossproductLayout.DIVIDED | (list == 0 ? 0 : CrossproductLayout.INDEXED);
        words[list + CrossproductLayout.INTERVALS] = n | flags;
        allFlags |= flags;
        if (divided != 0) {
            words[end] = bySourcePort;
        }
        return out.append(words, 1) + list;
    }

    /** Returns the first interval of each part of the services; empty if that would not help. */
    private static int[] index(int[] starts, int n) {
        if (n < INDEXED) {
            return new int[0];
        }
        // Services before the second interval are in the first one, whatever their part.
        int from = starts[1];
        int most = Math.min(n / INTERVALS_A_PART, CrossproductLayout.LAST_PART);
        int shift = 0;
        while ((starts[n - 1] - from >>> shift) >= most) {
            shift++;
        }
        int parts = (starts[n - 1] - from >>> shift) + 1;
        int end = parts + CrossproductLayout.PARTS_BEFORE;
        int[] words = new int[end];
        words[end - CrossproductLayout.PARTS_FROM] = from;
        words[end - CrossproductLayout.PARTS_SHAPE] =
                shift << CrossproductLayout.PARTS_SHIFT_AT | parts - 1;
        int at = 0;
        long compared = 0;
        for (int part = 1; part <= parts; part++) {
            int before = at;
            long next = from + ((long) part << shift);
            while (at + 1 < n && starts[at + 1] < next) {
                at++;
            }
            words[end - CrossproductLayout.PARTS_BEFORE - part] = at;
            compared += (at - before) * (long) steps(at - before + 1);
        }
        return compared + (long) STEPS_OF_INDEX * n <= (long) n * steps(n) ? words : new int[0];
    }

    /** Steps of a binary search. */
    private static int steps(int intervals) {
        return 32 - Integer.numberOfLeadingZeros(intervals - 1);
    }

    /** Collects the services at which the answer may change, ascending; returns their number. */
    private int limits(int[] list, Side side) {
        int n = 0;
        limits[n++] = 0;
        for (int r : list) {
            int[] of = side.runs[kindOf[r]];
            if (n + of.length > limits.length) {
                limits = Arrays.copyOf(limits, 2 * (n + of.length));
            }
            for (int i = 0; i < of.length; i += 2) {
                limits[n++] = of[i];
                // Behind the last service of all nothing is asked.
                limits[n++] = of[i + 1] == Integer.MAX_VALUE ? 0 : of[i + 1] + 1;
            }
        }
        Arrays.sort(limits, 0, n);
        int distinct = 1;
        for (int i = 1; i < n; i++) {
            if (limits[i] != limits[distinct - 1]) {
                limits[distinct++] = limits[i];
            }
        }
        return distinct;
    }

    /**
     * Divides a list's services into intervals, and gives each its chain: its rules, but for those
     * of which it is known that they hold only where better ones do.
     *
     * @return how many intervals; 0 if the chains have too many rules, or rules too many intervals
     */
    private int paint(int[] list, Side side) {
        int count = limits(list, side);
        meter.work((long) list.length + count);
        if (first.length < count + 1) {
            first = new int[2 * count + 1];
            last = new int[2 * count + 1];
            nextOpen = new int[2 * count + 1];
            covered = new int[2 * count + 1];
        }
        Arrays.fill(first, 0, count, NONE);
        Arrays.fill(covered, 0, count, NO_PORT);
        for (int i = 0; i <= count; i++) {
            nextOpen[i] = i;
        }
        nodes = 0;
        long mostNodes = LINKS_AT_LEAST + (long) MOST_LINKS_A_RULE * list.length;
        long triesLeft = TRIES_AT_LEAST + (long) MOST_TRIES_A_RULE * list.length;
        for (int r : list) {
            int kind = kindOf[r];
            int[] of = side.runs[kind];
            for (int run = 0; run < of.length; run += 2) {
                int at = Arrays.binarySearch(limits, 0, count, of[run]);
                int tries = 0;
                for (int i = open(at); i < count && limits[i] <= of[run + 1]; i = open(i + 1)) {
                    cover(i, r, side.others[kind]);
                    tries++;
                }
                meter.work(tries);
                triesLeft -= tries;
                if (nodes > mostNodes || triesLeft < 0) {
                    return 0;
                }
            }
        }
        return count;
    }

    /**
     * Appends a rule to an interval's chain unless it holds only for ports for which rules of the
     * chain do. Of these ports one range is known.
     */
    private void cover(int interval, int rule, int ports) {
        int known = covered[interval];
        int low = Math.min(PortRanges.low(known), PortRanges.low(ports));
        int high = Math.max(PortRanges.high(known), PortRanges.high(ports));
        int both = low << Match.RANGE_LOW_SHIFT | high;
        if (both == known) {
            return;
        }
        add(interval, rule);
        boolean apart = known != NO_PORT && ports(known) + ports(ports) + 1 < high - low;
        if (!apart) {
            covered[interval] = both;
        } else if (ports(known) < ports(ports)) {
            covered[interval] = ports;
        }
        if (covered[interval] == Match.ANY_PORT) {
            nextOpen[interval] = interval + 1;
        }
    }

    /** The first interval from one on whose chain may still grow. */
    private int open(int from) {
        int i = from;
        while (nextOpen[i] != i) {
            nextOpen[i] = nextOpen[nextOpen[i]];
            i = nextOpen[i];
        }
        return i;
    }

    private void add(int interval, int rule) {
        if (nodes == nodeRule.length) {
            nodeRule = Arrays.copyOf(nodeRule, 2 * nodes);
            nodeNext = Arrays.copyOf(nodeNext, 2 * nodes);
        }
        nodeRule[nodes] = rule;
        nodeNext[nodes] = NONE;
        if (first[interval] == NONE) {
            first[interval] = nodes;
        } else {
            nodeNext[last[interval]] = nodes;
        }
        last[interval] = nodes++;
    }

    private boolean sameChain(int a, int b) {
        int left = a;
        int right = b;
        while (left != NONE && right != NONE && nodeRule[left] == nodeRule[right]) {
            left = nodeNext[left];
            right = nodeNext[right];
        }
        return left == right;
    }

    /** Returns the answer of an interval: the only rule, or the place of its chain. */
    private int answer(int chain, Side side, Map<List<Integer>, Integer> chains) {
        if (chain == NONE) {
            return CrossproductLayout.NO_RULE;
        }
        int only = nodeRule[chain];
        if (side.others[kindOf[only]] == Match.ANY_PORT) {
            return only;
        }
        List<Integer> rules = new ArrayList<>();
        for (int node = chain; node != NONE; node = nodeNext[node]) {
            rules.add(nodeRule[node]);
        }
        return ~chains.computeIfAbsent(rules, chained -> writeChain(chained, side));
    }

    private int writeChain(List<Integer> rules, Side side) {
        int[] words = new int[CrossproductLayout.LINK * rules.size()];
        int n = 0;
        for (int r : rules) {
            words[n + CrossproductLayout.LINK_PORTS] = side.others[kindOf[r]];
            words[n + CrossproductLayout.LINK_POSITION] = r;
            n += CrossproductLayout.LINK;
        }
        words[n - CrossproductLayout.LINK + CrossproductLayout.LINK_POSITION] |=
                CrossproductLayout.LAST;
        return out.append(words, CrossproductLayout.LINK);
    }
}
