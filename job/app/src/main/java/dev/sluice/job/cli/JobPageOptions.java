package dev.sluice.job.cli;

import static dev.sluice.job.cli.TopicOptions.Topic.CONNECTIONS;
import static dev.sluice.job.cli.TopicOptions.Topic.DEAD_LETTERS;
import static dev.sluice.job.cli.TopicOptions.Topic.RULES;
import static dev.sluice.job.cli.TopicOptions.Topic.SHADOW;
import static dev.sluice.job.cli.TopicOptions.Topic.STATISTICS;
import static dev.sluice.job.cli.TopicOptions.Topic.VERDICTS;

import dev.sluice.job.UsageException;
import dev.sluice.job.kafka.KafkaAccess;
import dev.sluice.job.kafka.KafkaClients;
import dev.sluice.job.kafka.LiveTopics;
import dev.sluice.job.page.LivePage;
import dev.sluice.job.page.PageServer;
import dev.sluice.job.read.NamedPackets;
import dev.sluice.job.read.SchemaIds;
import dev.sluice.job.report.LiveReport;
import dev.sluice.job.watch.Interruption;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Options of the page of a running job, and the reading of its topics. */
final class JobPageOptions {
    private static final long END_MILLIS = 5_000;

    @Mixin
    private TopicOptions topics =
            TopicOptions.optional(
                    "none: the pages of --report are shown",
                    VERDICTS,
                    RULES,
                    STATISTICS,
                    DEAD_LETTERS,
                    CONNECTIONS,
                    SHADOW);

    @Option(
            names = "--from",
            paramLabel = "WHERE",
            defaultValue = "earliest",
            description =
                    "With --bootstrap: verdicts, connections and dead letters from here on: earliest, latest, or a time of Kafka's messages, such as 2026-11-22T14:00:00Z (default ${DEFAULT-VALUE}).")
    private String from = "earliest";

    @Option(
            names = "--schema-id",
            paramLabel = "ID=NAME",
            description = "With --bootstrap: schema of messages, as of verdicts --schema-id.")
    private List<String> schemaIds = new ArrayList<>();

    /** Output of pages, until it is told to end. */
    interface Shower {
        /**
         * Shows pages.
         *
         * @param words for people about them
         */
        void show(PageServer.Pages pages, String words, BooleanSupplier ended)
                throws InterruptedException;
    }

    /** Tells whether brokers are named. */
    boolean isGiven() {
        return topics.isGiven();
    }

    /**
     * Refuses options that a folder of pages has no use for.
     *
     * @throws UsageException if one is given
     */
    void requireNone() {
        if (!from.equals("earliest") || !schemaIds.isEmpty()) {
            throw new UsageException(
                    "--from and --schema-id go with --bootstrap; leave them out with --report");
        }
    }

    /** Reads the topics and has their page shown, until the process is to end. */
    void show(Interruption interruption, Shower shower) throws IOException, InterruptedException {
        topics.names(); // no two of the same name
        KafkaClients kafka = topics.kafka();
        AtomicBoolean ended = new AtomicBoolean();
        try (NamedPackets packets = new NamedPackets(kafka)) {
            LiveReport report = new LiveReport(SchemaIds.parse(schemaIds), packets);
            LiveTopics read = follow(kafka, report);
            KafkaAccess.requireReadable(kafka, topics.name(RULES));
            KafkaAccess.requireReadable(kafka, topics.name(VERDICTS));
            FutureTask<Void> reading = new FutureTask<>(() -> read.run(ended::get), null);
            Thread reader = new Thread(reading, "topics");
            reader.setDaemon(true);
            reader.start();
            try {
                String title = "job at %s, verdicts in %s".formatted(kafka, topics.name(VERDICTS));
                shower.show(
                        new LivePage(() -> report.page(title, read.troubles(), read.standings())),
                        "page of the " + title,
                        () -> interruption.isAsked() || reading.isDone());
                if (!interruption.isAsked()) {
                    reading.get();
                }
            } catch (ExecutionException e) {
                throw new IllegalStateException("reading of topics has ended", e.getCause());
            } finally {
                ended.set(true);
                reader.join(END_MILLIS);
            }
        }
    }

    private LiveTopics follow(KafkaClients kafka, LiveReport report) {
        return new LiveTopics(kafka)
                .add(topics.name(RULES), "earliest", "rules have no words", report::rules)
                .add(topics.name(VERDICTS), from, "no packet is counted", report::verdicts)
                .add(
                        topics.name(STATISTICS),
                        "earliest",
                        "hits of rules are not known, as of a job with --no-stats",
                        report::statistics)
                .add(
                        topics.name(DEAD_LETTERS),
                        from,
                        "dead letters are not counted",
                        report::deadLetters)
                .add(
                        topics.name(CONNECTIONS),
                        from,
                        topics.isUsual(CONNECTIONS) ? "" : "no connection is known",
                        report::connections)
                .add(
                        topics.name(SHADOW),
                        "earliest",
                        topics.isUsual(SHADOW) ? "" : "no count of a shadow is known",
                        report::shadow);
    }
}
