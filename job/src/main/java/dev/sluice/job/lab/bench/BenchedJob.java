package dev.sluice.job.lab.bench;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sluice.job.Amount;
import java.nio.file.Path;

/**
 * The job that a benchmark of the whole corridor runs.
 *
 * @param ruleCount rules of the file
 * @param block headers of a block
 */
record BenchedJob(Path rules, int ruleCount, int parallelism, int block) {
    /** A JSON object that says it, for what was found to be added. */
    ObjectNode json() {
        ObjectNode node = new ObjectMapper().createObjectNode();
        node.put("rules", rules.toString());
        node.put("ruleCount", ruleCount);
        node.put("parallelism", parallelism);
        node.put("block", block);
        return node;
    }

    /**
     * The line above what was found.
     *
     * @param how what the rules do, behind their number
     */
    String title(String how) {
        return "%s: %s %s, parallelism %d, blocks of %,d"
                .formatted(rules, Amount.of(ruleCount, "rule"), how, parallelism, block);
    }
}
