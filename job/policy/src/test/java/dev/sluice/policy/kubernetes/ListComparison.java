package dev.sluice.policy.kubernetes;

import dev.sluice.policy.kubernetes.ConnectionList.Line;
import dev.sluice.policy.kubernetes.WorkloadFolder.Workload;
import dev.sluice.policy.kubernetes.WorkloadReach.Reach;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** Comparison of a connection list with what Sluice says, pair by pair. */
final class ListComparison {
    private static final String EXTERNAL = "[External]";
    private static final long ADDRESSES = 1L << 32;

    private final ConnectionList list;
    private final WorkloadFolder folder;
    private final WorkloadReach reach;
    private final Set<String> others = new HashSet<>();

    /** Lines of a pair of workloads; of a workload and what is outside, by the first address. */
    private final Map<List<String>, NavigableMap<Long, List<Line>>> lines = new HashMap<>();

    private final TreeSet<Long> bounds = new TreeSet<>();
    private boolean dependsOnHosts;
    private boolean differsByV6;

    ListComparison(ConnectionList list, WorkloadFolder folder, WorkloadReach reach) {
        this.list = list;
        this.folder = folder;
        this.reach = reach;
        bounds.add(0L);
        bounds.addAll(folder.bounds);
        for (Line line : list.lines) {
            long low = add(line.from()) + add(line.to());
            lines.computeIfAbsent(key(line.from(), line.to()), none -> new TreeMap<>())
                    .computeIfAbsent(low, none -> new ArrayList<>())
                    .add(line);
        }
        bounds.add(ADDRESSES);
    }

    /** Takes an end of a line; returns its first address if it is outside. */
    private long add(String end) {
        if (end.endsWith(EXTERNAL)) {
            long[] range = range(end);
            bounds.add(range[0]);
            bounds.add(range[1] + 1);
            return range[0];
        }
        if (!folder.workloads.containsKey(end)) {
            others.add(end);
        }
        return 0;
    }

    private static List<String> key(String from, String to) {
        return List.of(
                from.endsWith(EXTERNAL) ? EXTERNAL : from, to.endsWith(EXTERNAL) ? EXTERNAL : to);
    }

    private static long[] range(String end) {
        String[] ends = end.replace(EXTERNAL, "").split("-");
        return new long[] {
            WorkloadFolder.address(ends[0]), WorkloadFolder.address(ends[ends.length - 1])
        };
    }

    /** Ends of lines that are neither workloads nor outside. */
    Set<String> others() {
        return others;
    }

    /** Returns whether a workload in the network of its node made a packet depend. */
    boolean dependsOnHosts() {
        return dependsOnHosts;
    }

    /** Returns whether pods reach each other otherwise by blocks of IPv6. */
    boolean differsByV6() {
        return differsByV6;
    }

    /** Compares all pairs, and returns their number. */
    int compare(List<String> differences) {
        int pairs = 0;
        for (Workload from : folder.workloads.values()) {
            for (Workload to : folder.workloads.values()) {
                if (from != to && list.covers(from.name(), to.name())) {
                    List<Line> known = known(from.name(), to.name(), 0);
                    boolean atHost = from.hostNetwork() || to.hostNetwork();
                    String words = from.name() + " => " + to.name();
                    compare(reach.between(from.v6(), to.v6()), known, atHost, words, differences);
                    pairs++;
                }
            }
            pairs += outside(from, differences);
        }
        return pairs;
    }

    private int outside(Workload workload, List<String> differences) {
        int pairs = 0;
        Iterator<Long> next = bounds.iterator();
        for (long low = next.next(); next.hasNext(); ) {
            long high = next.next() - 1;
            for (boolean out : new boolean[] {true, false}) {
                String from = out ? workload.name() : EXTERNAL;
                String to = out ? EXTERNAL : workload.name();
                if (list.covers(from, to)) {
                    for (long each : low == high ? new long[] {low} : new long[] {low, high}) {
                        String address =
                                "%d.%d.%d.%d"
                                        .formatted(
                                                each >> 24,
                                                each >> 16 & 0xff,
                                                each >> 8 & 0xff,
                                                each & 0xff);
                        Reach found =
                                out
                                        ? reach.between(workload.v4(), address)
                                        : reach.between(address, workload.v4());
                        String words =
                                out
                                        ? workload.name() + " => " + address
                                        : address + " => " + workload.name();
                        boolean atHost = workload.hostNetwork();
                        compare(found, known(from, to, each), atHost, words, differences);
                        pairs++;
                    }
                }
            }
            low = high + 1;
        }
        return pairs;
    }

    private List<Line> known(String from, String to, long address) {
        NavigableMap<Long, List<Line>> known = lines.get(List.of(from, to));
        Map.Entry<Long, List<Line>> entry = known == null ? null : known.floorEntry(address);
        if (entry == null) {
            return List.of();
        }
        Line first = entry.getValue().get(0);
        String end = from.equals(EXTERNAL) ? first.from() : first.to();
        return end.endsWith(EXTERNAL) && range(end)[1] < address ? List.of() : entry.getValue();
    }

    private void compare(
            Reach found, List<Line> known, boolean atHost, String words, List<String> differences) {
        if (atHost && found.depends().intersects(list.asked)) {
            dependsOnHosts = true;
            return;
        }
        BitSet permitted = (BitSet) found.permitted().clone();
        permitted.and(list.asked);
        BitSet denied = (BitSet) list.asked.clone();
        denied.andNot(permitted);
        BitSet allowedThere = new BitSet();
        BitSet deniedThere = new BitSet();
        boolean isOneEqual = false;
        for (Line line : known) {
            BitSet ports = list.ports(line);
            (line.isDenied() ? deniedThere : allowedThere).or(ports);
            isOneEqual |= ports.equals(permitted);
        }
        boolean isMixed = list.isMixed && folder.kinds.contains("NetworkAttachmentDefinition");
        boolean isSame =
                (list.omitsAllowed()
                                || allowedThere.equals(permitted)
                                || isMixed && (isOneEqual || permitted.isEmpty()))
                        && (deniedThere.isEmpty() || deniedThere.equals(denied))
                        && !found.depends().intersects(list.asked);
        if (!isSame && folder.hasV6Blocks && !words.contains(".")) {
            differsByV6 = true;
        } else if (!isSame) {
            differences.add(
                    "%s.%s %s: expected %s, found %s, depends %s"
                            .formatted(
                                    list.folder,
                                    list.format,
                                    words,
                                    ReachedPorts.words(allowedThere),
                                    ReachedPorts.words(permitted),
                                    ReachedPorts.words(found.depends())));
        }
    }
}
