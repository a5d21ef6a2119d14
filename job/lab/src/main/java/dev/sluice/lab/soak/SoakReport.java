package dev.sluice.lab.soak;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sluice.lab.kit.Durations;
import dev.sluice.policy.io.Amount;
import java.util.EnumMap;
import java.util.Map;

/** Faults that hit a cluster, and the time until packets were judged again. Thread-safe. */
final class SoakReport {
    private final Map<Fault, Durations> recoveries = new EnumMap<>(Fault.class);
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
        recoveries.computeIfAbsent(fault, f -> new Durations()).add(millis);
        atCommits.merge(fault, atCommit ? 1 : 0, Integer::sum);
    }

    /** Returns the number of processes that were killed. */
    synchronized int kills() {
        return kills;
    }

    /** Adds an object a kind of fault. */
    synchronized void describe(ArrayNode array) {
        for (Fault fault : Fault.values()) {
            Durations millis = recoveries.getOrDefault(fault, new Durations());
            boolean none = millis.count() == 0;
            ObjectNode node = array.addObject();
            node.put("killed", fault.words());
            node.put("times", millis.count());
            node.put(
                    "beforeACommit",
                    fault == Fault.BROKER ? null : atCommits.getOrDefault(fault, 0));
            node.put("medianSeconds", none ? null : millis.percentile(50) / 1e3);
            node.put("longestSeconds", none ? null : millis.max() / 1e3);
        }
    }

    /** Returns the number of processes that were killed, in words. */
    synchronized String words() {
        return Amount.of(kills, "kill");
    }
}
