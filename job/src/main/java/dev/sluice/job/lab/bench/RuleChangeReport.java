package dev.sluice.job.lab.bench;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sluice.job.lab.corridor.Millis;
import java.io.PrintWriter;

/** What a bench of changing rules found, as text or as one JSON object. */
record RuleChangeReport(BenchedJob job, RuleChangeBench.Result result) {
    ObjectNode json() {
        ObjectNode node = job.json();
        node.put("firstVerdictSeconds", result.firstVerdictSeconds());
        node.put("highestMpps", result.highestPerSecond() / 1e6);
        node.put("checkpointBytes", result.checkpointBytes());
        node.put("checkpointMillis", result.checkpointMillis());
        for (RuleChangeBench.Phase phase : result.phases()) {
            ObjectNode part = node.withArray("phases").addObject();
            part.put("name", phase.name());
            part.put("mpps", phase.headersPerSecond() / 1e6);
            part.put("transactions", phase.transactions());
            part.put("changesPerSecond", phase.changesPerSecond());
            put(part, "visibleMillis", phase.visible());
            put(part, "everywhereMillis", phase.everywhere());
            put(part, "heldMillis", phase.held());
        }
        return node;
    }

    private static void put(ObjectNode node, String name, Millis millis) {
        if (!Double.isNaN(millis.p50())) {
            ObjectNode part = node.putObject(name);
            part.put("p50", millis.p50());
            part.put("p99", millis.p99());
            part.put("max", millis.max());
        }
    }

    void print(PrintWriter out) {
        out.printf(
                "%s%n"
                        + "  first verdict %.1f s after all tasks run; highest rate %.2f M headers/s;"
                        + " checkpoint of %,d bytes in %d ms%n"
                        + "  %-24s %8s %10s  %-22s %-22s %-22s%n",
                job.title("that change under load"),
                result.firstVerdictSeconds(),
                result.highestPerSecond() / 1e6,
                result.checkpointBytes(),
                result.checkpointMillis(),
                "ms: half, 99 %, largest",
                "M/s",
                "changes/s",
                "commit to visible",
                "commit to everywhere",
                "packet to verdict");
        for (RuleChangeBench.Phase phase : result.phases()) {
            out.printf(
                    "  %-24s %8.2f %,10.0f  %-22s %-22s %-22s%n",
                    phase.name(),
                    phase.headersPerSecond() / 1e6,
                    phase.changesPerSecond(),
                    text(phase.visible()),
                    text(phase.everywhere()),
                    text(phase.held()));
        }
    }

    private static String text(Millis millis) {
        return Double.isNaN(millis.p50())
                ? "-"
                : "%.0f / %.0f / %.0f".formatted(millis.p50(), millis.p99(), millis.max());
    }
}
