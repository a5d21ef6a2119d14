package dev.sluice.engine.routes;

import dev.sluice.engine.image.Image;
import dev.sluice.engine.image.WordWriter;
import dev.sluice.engine.lookup.Algorithm;
import dev.sluice.engine.prefix.Prefix;
import dev.sluice.schemas.header.HeaderLayout;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Where packets go: longest-prefix match over IPv4 and IPv6 routes, to enrich verdicts with next
 * hop and origin AS. Immutable, thread-safe.
 */
public final class RouteTable {
    /**
     * What a route leads to.
     *
     * @param nextHop address or name of the next hop
     * @param originAs autonomous system that announced the prefix, 0 if unknown
     */
    public record Hop(String nextHop, long originAs) {}

    /**
     * A route.
     *
     * @param six whether the prefix is of an IPv6 address
     * @param prefix left-aligned prefix
     */
    public record Route(boolean six, Prefix prefix, Hop hop) {}

    private final List<Hop> hops;
    private final int[] words;
    private final int four;
    private final int six;

    /**
     * A table of routes; of equal prefixes the last one counts.
     *
     * @throws dev.sluice.engine.image.MemoryBudgetException if the tables pass the budget
     */
    public RouteTable(List<Route> routes, long budgetBytes) {
        Map<Hop, Integer> numbers = new HashMap<>();
        hops = new ArrayList<>();
        Map<Prefix, Integer> v4 = new HashMap<>();
        Map<Prefix, Integer> v6 = new HashMap<>();
        for (Route route : routes) {
            Integer number = numbers.putIfAbsent(route.hop, hops.size());
            if (number == null) {
                number = hops.size();
                hops.add(route.hop);
            }
            (route.six ? v6 : v4).put(route.prefix, number);
        }
        WordWriter out = new WordWriter(Algorithm.ROUTES.label(), budgetBytes);
        List<Prefix> prefixes = longestFirst(v4);
        four = Dir24.write(out, prefixes, results(prefixes, v4));
        prefixes = longestFirst(v6);
        six = LengthSearch.write(out, prefixes, results(prefixes, v6));
        words =
                Image.seal(
                                out.toArray(),
                                Algorithm.ROUTES.code(),
                                HeaderLayout.ofWordBits(0),
                                routes.size())
                        .words();
    }

    private static List<Prefix> longestFirst(Map<Prefix, Integer> of) {
        return of.keySet().stream()
                .sorted(Comparator.comparingInt(Prefix::length).reversed())
                .toList();
    }

    private static int[] results(List<Prefix> prefixes, Map<Prefix, Integer> of) {
        return prefixes.stream().mapToInt(p -> of.getOrDefault(p, 0)).toArray();
    }

    /** Hop of an IPv4 address, null if no route covers it. */
    public @Nullable Hop hop(int address) {
        int[] result = new int[1];
        Dir24.lookUp(words, four, new int[] {address}, 0, 1, result, 0);
        return result[0] < 0 ? null : hops.get(result[0]);
    }

    /** Hop of an IPv6 address, four words, null if no route covers it. */
    public @Nullable Hop hop(int a, int b, int c, int d) {
        int result = LengthSearch.lookUp(words, six, a, b, c, d);
        return result < 0 ? null : hops.get(result);
    }

    /** Numbers of the hops of IPv4 addresses, -1 for none; see {@link #hops}. */
    public void look(int[] addresses, int from, int n, int[] results) {
        Dir24.lookUp(words, four, addresses, from, n, results, 0);
    }

    /** The distinct hops by number. */
    public List<Hop> hops() {
        return List.copyOf(hops);
    }

    /** Whether IPv4 entries take 16 bits. */
    public boolean narrow() {
        return words[four + Dir24Layout.NARROW] != 0;
    }

    /** Hash probes that an IPv6 look-up takes at most. */
    public int mostProbes() {
        return LengthSearch.mostProbes(words, six);
    }

    /** Size in bytes. */
    public long bytes() {
        return 4L * words.length;
    }
}
