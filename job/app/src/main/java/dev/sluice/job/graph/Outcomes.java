package dev.sluice.job.graph;

import static dev.sluice.schemas.codec.VerdictStatus.HISTORY_DELETED;
import static dev.sluice.schemas.codec.VerdictStatus.LATE;
import static dev.sluice.schemas.codec.VerdictStatus.NO_RULES;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sluice.operators.classify.ClassifyOperator;
import dev.sluice.operators.statistics.JobCounts;
import dev.sluice.schemas.codec.VerdictStatus;
import java.io.PrintWriter;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Outcomes of the packets that a job has read.
 *
 * @param verdicts number of packets by status of their verdict
 * @param refusedVersions versions of the rules that could not be served and are not among the dead
 *     letters
 * @param defaultAction action where there were no rules
 * @param deadLetters number of dead letters by reason
 */
public record Outcomes(
        Map<VerdictStatus, Long> verdicts,
        Set<Long> refusedVersions,
        String defaultAction,
        Map<String, Long> deadLetters) {
    /**
     * Reads the counts of all attempts of a job.
     *
     * @param accumulators of the job, which has ended
     * @return empty if the counting task had ended before the job's last restart
     */
    static Optional<Outcomes> of(Map<String, Object> accumulators) {
        Map<String, Long> counted = JobCounts.of(ClassifyOperator.VERDICTS, accumulators);
        Map<String, Long> deadLetters = JobCounts.of(DeadLetterCount.TITLE, accumulators);
        if (counted == null || deadLetters == null) {
            return Optional.empty();
        }
        Map<VerdictStatus, Long> verdicts = new EnumMap<>(VerdictStatus.class);
        counted.forEach((name, count) -> verdicts.put(VerdictStatus.valueOf(name), count));
        return Optional.of(new Outcomes(verdicts, Set.of(), "the default action", deadLetters));
    }

    /** Prints the counts of a job. */
    public void print(PrintWriter out) {
        out.printf("%,15d packets judged by rules%n", count(VerdictStatus.OK) + count(LATE));
        printMarked(out);
        out.printf(
                "%,15d dead letters%n",
                deadLetters.values().stream().mapToLong(Long::longValue).sum());
        printDeadLetters(out);
        out.flush();
    }

    /** Returns the counts as JSON. */
    public ObjectNode json() {
        ObjectNode object = JsonNodeFactory.instance.objectNode();
        putInto(object);
        return object;
    }

    /** Adds the counts to a JSON object. */
    public void putInto(ObjectNode object) {
        ObjectNode dead = object.putObject("dead_letters");
        deadLetters.entrySet().stream()
                .sorted(Map.Entry.comparingByKey())
                .forEach(e -> dead.put(e.getKey(), e.getValue()));
        ObjectNode statuses = object.putObject("statuses");
        for (VerdictStatus status : VerdictStatus.values()) {
            Long count = verdicts.get(status);
            if (count != null) {
                statuses.put(status.label(), count);
            }
        }
        ArrayNode refused = object.putArray("refused_versions");
        refusedVersions.stream().sorted().forEach(version -> refused.add(version));
    }

    /** Prints the packets that were not classified by the rules of their time. */
    public void printMarked(PrintWriter out) {
        String first = refusedVersions.isEmpty() ? "" : " that could be served";
        line(out, NO_RULES, "older than the first version" + first + ": " + defaultAction);
        line(out, HISTORY_DELETED, "older than what is kept: " + defaultAction);
        line(out, LATE, "judged by the rules of a later time; counted above, too");
        for (long version : refusedVersions) {
            out.printf("%15s version %d of the rules was refused%n", "", version);
        }
    }

    /** Prints the dead letters by reason, a line each. */
    public void printDeadLetters(PrintWriter out) {
        deadLetters.entrySet().stream()
                .sorted(
                        Map.Entry.<String, Long>comparingByValue(Comparator.reverseOrder())
                                .thenComparing(Map.Entry.comparingByKey()))
                .forEach(e -> out.printf("%,15d   %s%n", e.getValue(), e.getKey()));
    }

    private long count(VerdictStatus status) {
        return verdicts.getOrDefault(status, 0L);
    }

    private void line(PrintWriter out, VerdictStatus status, String meaning) {
        if (count(status) > 0) {
            out.printf("%,15d %s: %s%n", count(status), status.label(), meaning);
        }
    }
}
