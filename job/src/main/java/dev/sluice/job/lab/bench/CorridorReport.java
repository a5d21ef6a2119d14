package dev.sluice.job.lab.bench;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sluice.job.Amount;
import java.io.PrintWriter;

/**
 * What a benchmark of the whole corridor found, as text or as one JSON object.
 *
 * @param countNanos CPU time of a header that counting the hits of rules takes of the run's, warm,
 *     in ns; 0 where they were not counted
 */
record CorridorReport(BenchedJob job, CorridorBench.Result result, double countNanos) {
    ObjectNode json() {
        ObjectNode node = job.json();
        node.put("headers", result.headers());
        node.put("producedMpps", result.producedPerSecond() / 1e6);
        node.put("mpps", result.headersPerSecond() / 1e6);
        node.put("steadyMpps", result.steadyPerSecond() / 1e6);
        node.put("cpuMicrosPerHeader", result.cpuMicrosPerHeader());
        node.put("countNanosPerHeader", countNanos);
        return node;
    }

    void print(PrintWriter out) {
        out.printf(
                "%s%n"
                        + "  %s, %,d without a rule; written to Kafka at %.1f M/s%n"
                        + "  %.2f M headers/s from start to the last commit, %.2f M/s without the first quarter%n"
                        + "  %.3f microseconds of CPU a header, broker and reader included;"
                        + " counting hits takes %.4f of them, warm%n",
                job.title("through the corridor"),
                Amount.of(result.headers(), "header"),
                result.misses(),
                result.producedPerSecond() / 1e6,
                result.headersPerSecond() / 1e6,
                result.steadyPerSecond() / 1e6,
                result.cpuMicrosPerHeader(),
                countNanos / 1e3);
    }
}
