package dev.sluice.job.lab.bench;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.PrintWriter;
import java.nio.file.Path;

/**
 * What a bench of changes that are followed found, as text or as one JSON object.
 *
 * @param ruleCount rules of the file
 */
record FollowReport(Path rules, int ruleCount, FollowBench.Result result) {
    ObjectNode json() {
        ObjectNode node = new ObjectMapper().createObjectNode();
        node.put("rules", rules.toString());
        node.put("ruleCount", ruleCount);
        node.put("changes", result.changes());
        node.put("transactions", result.transactions());
        node.put("changesPerSecond", result.changesPerSecond());
        node.put("steadyPerSecond", result.steadyPerSecond());
        node.put("steadyCpuMicros", result.steadyCpuMicros());
        node.put("parseCpuMicros", result.stages().parse());
        node.put("applyCpuMicros", result.stages().apply());
        node.put("encodeCpuMicros", result.stages().encode());
        node.put("readCpuMicros", result.readCpuMicros());
        return node;
    }

    void print(PrintWriter out) {
        out.printf(
                "%s: %,d rules, %,d changes as lines of JSON in %,d transactions%n"
                        + "  %,.0f changes/s to the last commit, %,.0f/s without the first quarter%n"
                        + "  %.2f microseconds of CPU a change, broker included, without the first quarter;"
                        + " of these, warm:%n"
                        + "  parsing %.2f, changing the rules %.2f, messages %.2f%n"
                        + "  a job reads them in %.2f microseconds of CPU a change%n",
                rules,
                ruleCount,
                result.changes(),
                result.transactions(),
                result.changesPerSecond(),
                result.steadyPerSecond(),
                result.steadyCpuMicros(),
                result.stages().parse(),
                result.stages().apply(),
                result.stages().encode(),
                result.readCpuMicros());
    }
}
