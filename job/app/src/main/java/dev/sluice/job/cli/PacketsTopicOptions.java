package dev.sluice.job.cli;

import dev.sluice.job.UsageException;
import dev.sluice.job.capture.CaptureBatch;
import dev.sluice.job.classify.PacketTopic;
import dev.sluice.job.kafka.TopicScan;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Options of a command that reads the packets of a running job in place of captures. */
final class PacketsTopicOptions {
    private static final String EARLIEST = "earliest";

    @Mixin
    private TopicOptions topics =
            TopicOptions.optional("none: captures are read", TopicOptions.Topic.PACKETS);

    @Option(
            names = "--from",
            paramLabel = "WHERE",
            defaultValue = EARLIEST,
            description =
                    "With --bootstrap: earliest, or a time of Kafka's messages, such as 2026-11-22T14:00:00Z (default: ${DEFAULT-VALUE}).")
    private String from = EARLIEST;

    @Option(
            names = "--to",
            paramLabel = "TIME",
            converter = Times.Point.class,
            description =
                    "With --bootstrap: read the messages before this time (default: all that are there now).")
    private @Nullable Long to;

    /**
     * Returns whether packets come from a topic.
     *
     * @throws UsageException if both a topic and captures are named, or neither is
     */
    boolean isGiven(List<Path> captures) {
        if (topics.isGiven() == !captures.isEmpty()) {
            throw new UsageException(
                    topics.isGiven()
                            ? "--bootstrap reads the packets topic; leave it out, or the captures"
                            : "name captures, or the Kafka cluster of a running job with --bootstrap HOST:PORT");
        }
        if (!topics.isGiven() && (!from.equals(EARLIEST) || to != null)) {
            throw new UsageException("--from and --to are of a packets topic; add --bootstrap");
        }
        Instant begin = TopicScan.time(from);
        Instant end = end();
        if (end != null && !begin.isBefore(end)) {
            throw new UsageException(
                    "--to %s: is not after --from %s, so that there is no message between; write a later time"
                            .formatted(end, from));
        }
        return topics.isGiven();
    }

    private @Nullable Instant end() {
        return to == null ? null : Instant.EPOCH.plusNanos(to);
    }

    /** Reads the packets, and returns the number of messages that cannot be read. */
    long read(
            CaptureBatch batch,
            List<String> names,
            Consumer<CaptureBatch> visitor,
            BooleanSupplier ended,
            PrintWriter err) {
        PacketTopic packets = new PacketTopic(batch, names, visitor, err, ended);
        try (TopicScan scan =
                new TopicScan(
                        topics.kafka(), topics.name(TopicOptions.Topic.PACKETS), from, end())) {
            packets.read(scan);
        }
        return packets.unreadable();
    }
}
