package dev.sluice.engine.crossproduct;

import dev.sluice.engine.image.BuildMeter;
import dev.sluice.engine.image.WordWriter;
import dev.sluice.engine.lookup.UnsupportedRulesException;
import dev.sluice.engine.rules.Match;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Writes lists of rules as intervals of services, behind the best position of each list. A service
 * is a class of the fields beyond addresses and ports, and a destination port, in one number.
 * Between two neighbouring limits of its rules a list has one answer: a rule, none, or, where
 * source ports decide, a chain of rules in total order, the last of which is marked. A search is a
 * binary search of the interval. Not thread-safe: one instance a build.
 */
final class ServiceLists {
    /** Classes at most, so that a service is no negative number. */
    static final int MOST_CLASSES = 1 << 15;

    private static final int NONE = -1;

    /**
     * Rules of a list's chains at most, for each rule of the list and for so many more: only ranges
     * of source ports that nest deeply make more.
     */
    private static final int MOST_LINKS_A_RULE = 128;

    private static final int LINKS_AT_LEAST = 1 << 12;

    private final WordWriter out;
    private final BuildMeter meter;
    private final int[] kindOf;

    /** For each kind the services for which it holds: first and last of each run. */
    private final int[][] runs;

    private final int[] sourcePorts;

    // One list's intervals, grown as needed.
    private int[] limits = new int[64];
    private int[] nextOpen = new int[64];
    private int[] first = new int[64];
    private int[] last = new int[64];

    // Nodes of the intervals' chains: a rule, and the next node.
    private int[] nodeRule = new int[64];
    private int[] nodeNext = new int[64];
    private int nodes;

    /**
     * Lists over some kinds.
     *
     * @param kindOf kind of each rule
     * @param ports what each kind asks of the ports
     * @param classes for each kind the classes of the other fields in which it holds, ascending
     */
    ServiceLists(
            WordWriter out, BuildMeter meter, int[] kindOf, PortRanges[] ports, int[][] classes) {
        this.out = out;
        this.meter = meter;
        this.kindOf = kindOf;
        this.sourcePorts = Arrays.stream(ports).mapToInt(PortRanges::source).toArray();
        this.runs = new int[ports.length][];
        for (int k = 0; k < runs.length; k++) {
            runs[k] = runs(ports[k].destination(), classes[k]);
        }
    }

    private static int[] runs(int destination, int[] classes) {
        int[] runs = new int[2 * classes.length];
        int n = 0;
        for (int c : classes) {
            int from = c << CrossproductLayout.SERVICE_SHIFT | PortRanges.low(destination);
            int to = c << CrossproductLayout.SERVICE_SHIFT | PortRanges.high(destination);
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
        int count = limits(list);
        meter.work((long) list.length + count);
        paint(list, count);
        int[] starts = new int[CrossproductLayout.INTERVALS + count];
        int[] names = new int[count];
        starts[CrossproductLayout.BEST_OF_LIST] = list[0];
        Map<List<Integer>, Integer> chains = new HashMap<>();
        int n = 0;
        for (int i = 0; i < count; i++) {
            if (i > 0 && sameChain(first[i], first[i - 1])) {
                continue;
            }
            starts[CrossproductLayout.INTERVALS + n] = limits[i];
            names[n++] = answer(first[i], chains);
        }
        starts[CrossproductLayout.INTERVALS] = n;
        int[] words = Arrays.copyOf(starts, CrossproductLayout.INTERVALS + 2 * n);
        System.arraycopy(names, 0, words, CrossproductLayout.INTERVALS + n, n);
        return out.append(words, 1);
    }

    /** Collects the services at which the answer may change, ascending; returns their number. */
    private int limits(int[] list) {
        int n = 0;
        limits[n++] = 0;
        for (int r : list) {
            int[] of = runs[kindOf[r]];
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

    /** Gives each interval its chain: rules up to the first that holds for all source ports. */
    private void paint(int[] list, int count) {
        if (first.length < count + 1) {
            first = new int[2 * count + 1];
            last = new int[2 * count + 1];
            nextOpen = new int[2 * count + 1];
        }
        Arrays.fill(first, 0, count, NONE);
        for (int i = 0; i <= count; i++) {
            nextOpen[i] = i;
        }
        nodes = 0;
        long mostNodes = LINKS_AT_LEAST + (long) MOST_LINKS_A_RULE * list.length;
        for (int r : list) {
            int kind = kindOf[r];
            boolean closes = sourcePorts[kind] == Match.ANY_PORT;
            int[] of = runs[kind];
            for (int run = 0; run < of.length; run += 2) {
                int at = Arrays.binarySearch(limits, 0, count, of[run]);
                for (int i = open(at); i < count && limits[i] <= of[run + 1]; i = open(i + 1)) {
                    add(i, r);
                    if (closes) {
                        nextOpen[i] = i + 1;
                    }
                }
                if (nodes > mostNodes) {
                    throw new UnsupportedRulesException(
                            CrossproductAlgorithm.LABEL,
                            0,
                            "ranges of source ports nest too deeply within a list of "
                                    + list.length
                                    + " rules");
                }
            }
        }
        meter.work(nodes);
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

    /** What an interval says: the only rule, or where its chain is. */
    private int answer(int chain, Map<List<Integer>, Integer> chains) {
        if (chain == NONE) {
            return CrossproductLayout.NO_RULE;
        }
        int only = nodeRule[chain];
        if (sourcePorts[kindOf[only]] == Match.ANY_PORT) {
            return only;
        }
        List<Integer> rules = new ArrayList<>();
        for (int node = chain; node != NONE; node = nodeNext[node]) {
            rules.add(nodeRule[node]);
        }
        return ~chains.computeIfAbsent(rules, this::writeChain);
    }

    private int writeChain(List<Integer> rules) {
        int[] words = new int[CrossproductLayout.LINK * rules.size()];
        int n = 0;
        for (int r : rules) {
            words[n + CrossproductLayout.LINK_PORTS] = sourcePorts[kindOf[r]];
            words[n + CrossproductLayout.LINK_POSITION] = r;
            n += CrossproductLayout.LINK;
        }
        words[n - CrossproductLayout.LINK + CrossproductLayout.LINK_POSITION] |=
                CrossproductLayout.LAST;
        return out.append(words, CrossproductLayout.LINK);
    }
}
