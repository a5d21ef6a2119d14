package dev.sluice.lab.soak;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sluice.policy.io.Amount;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/** Faults that hit a cluster, and the time until packets were judged again. */
final class SoakReport {
    private final Map<Fault, List<Long>> recoveries = new EnumMap<>(Fault.class);
    private final Map<Fault, Integer> atCommits = new EnumMap<>(Fault.class);
    private int kills;

    /**
     * Adds a fault.
     *
     * @param millis from the kill until a packet that was sent behind it had a verdict
     * @param atCommit whether it left verdicts that were stored and not committed
     */
    synchronized void add(Fault fault, long millis, boolean atCommit) {
        kills++;
        recoveries.computeIfAbsent(fault, f -> new ArrayList<>()).add(millis);
        atCommits.merge(fault, atCommit ? 1 : 0, Integer::sum);
    }

    /** Processes that were killed. */
    synchronized int kills() {
        return kills;
    }

    /** Prints a row a kind of fault. */
    synchronized void print(PrintWriter out) {
        out.println(
                "killed                  times  before a commit  verdicts again after (median)  longest");
        for (Fault fault : Fault.values()) {
            List<Long> sorted = new ArrayList<>(recoveries.getOrDefault(fault, List.of()));
            if (sorted.isEmpty()) {
                out.printf("%-22s %6d%n", fault.words(), 0);
                continue;
            }
            Collections.sort(sorted);
            out.printf(
                    "%-22s %6d %16s %28.1f s %6.1f s%n",
                    fault.words(),
                    sorted.size(),
                    fault == Fault.BROKER ? "-" : String.valueOf(atCommits.get(fault)),
                    sorted.get(sorted.size() / 2) / 1e3,
                    sorted.get(sorted.size() - 1) / 1e3);
        }
    }

    /** Adds an object a kind of fault. */
    synchronized void describe(ArrayNode array) {
        for (Fault fault : Fault.values()) {
            List<Long> sorted = new ArrayList<>(recoveries.getOrDefault(fault, List.of()));
            Collections.sort(sorted);
            ObjectNode node = array.addObject();
            node.put("killed", fault.words());
            node.put("times", sorted.size());
            node.put(
                    "beforeACommit",
                    fault == Fault.BROKER ? null : atCommits.getOrDefault(fault, 0));
            boolean none = sorted.isEmpty();
            node.put("medianSeconds", none ? null : sorted.get(sorted.size() / 2) / 1e3);
            node.put("longestSeconds", none ? null : sorted.get(sorted.size() - 1) / 1e3);
        }
    }

    /** Number of processes that were killed, in words. */
    synchronized String words() {
        return Amount.of(kills, "kill");
    }
}
