package dev.sluice.job.cli;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sluice.job.ruletopic.RulePublisher;
import java.io.PrintWriter;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Options of commands that publish a version of the rules. */
final class RulePublishOptions {
    @Mixin private JsonOption json = new JsonOption();

    @Option(
            names = "--effective",
            paramLabel = "TIME",
            converter = Times.Point.class,
            description =
                    "Event time from which the version is in force, not before that of the version before, as in 2026-11-22T14:00:00Z, or nanoseconds since 1970 (default: when it is committed).")
    @Nullable Long effective;

    @Mixin SnapshotOptions snapshots = new SnapshotOptions();

    /** Prints what was published: an object for a program, or a line for a person. */
    void print(PrintWriter out, ObjectNode object, String line) {
        json.print(out, object, line);
    }

    /**
     * Describes the published transactions as JSON.
     *
     * @param receipt null: nothing was to be published
     * @param version the newest version of the topic
     * @param rules how many it has
     */
    static ObjectNode told(
            String topic,
            RulePublisher.@Nullable Receipt receipt,
            long version,
            int rules,
            int put,
            int removed) {
        return JsonOption.object()
                .put("topic", topic)
                .put("published", receipt != null)
                .put("version", version)
                .put("rules", rules)
                .put("put", put)
                .put("removed", removed)
                .put("bytes", receipt == null ? 0 : receipt.bytes())
                .put("snapshot", receipt != null && receipt.snapshot());
    }
}
