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
import dev.sluice.job.page.ReportFolder;
import dev.sluice.job.read.NamedPackets;
import dev.sluice.job.read.SchemaIds;
import dev.sluice.job.report.JobReport;
import dev.sluice.job.watch.Interruption;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code sluice serve}: pages of reports, or of a running job, over HTTP. */
@Command(
        name = "serve",
        description = {
            "Shows pages over HTTP: those of a folder that --report wrote, or with --bootstrap one page of a running job, whose numbers grow. It writes nothing.",
            "It listens on this machine alone unless --listen says otherwise, without authentication: whoever reaches it reads each page.",
            "The page of a job has what its topics hold from --from on. Topics of connections and of a shadow's counts are read where they exist. "
                    + "What cannot be read stands on the page.",
            "Exit status 0 after Ctrl-C.",
            ""
        })
final class ServeCommand extends SluiceCommand implements Interruptible {
    private static final long LOOK_MILLIS = 100;
    private static final long END_MILLIS = 5_000;

    @Option(
            names = "--report",
            paramLabel = "DIR",
            description =
                    "Folder with pages; files whose names end in .html are served, those of folders below it and links are not.")
    private @Nullable Path folder;

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

    @Option(
            names = "--listen",
            paramLabel = "HOST",
            defaultValue = "localhost",
            description =
                    "Name or address of this machine to listen on; 0.0.0.0: all (default ${DEFAULT-VALUE}).")
    private String host = "localhost";

    @Option(
            names = "--port",
            paramLabel = "N",
            defaultValue = "8080",
            description = "Port to listen on; 0 for a free one (default ${DEFAULT-VALUE}).")
    @Range(to = 0xffff)
    private int port;

    @Override
    public Integer call() throws InterruptedException {
        Path shown = folder;
        if (topics.isGiven() == (shown != null)) {
            throw new UsageException(
                    "name a folder of pages with --report DIR, or the Kafka cluster of a running job with --bootstrap HOST:PORT"
                            + (shown == null ? "" : ", not both"));
        }
        try (Interruption interruption = new Interruption()) {
            if (shown != null) {
                serve(new ReportFolder(shown), "reports of " + shown, interruption::isAsked);
            } else {
                job(interruption);
            }
        }
        say("the server has stopped");
        return 0;
    }

    private void serve(PageServer.Pages pages, String words, BooleanSupplier ended)
            throws InterruptedException {
        InetSocketAddress at = new InetSocketAddress(host, port);
        if (at.isUnresolved()) {
            throw new UsageException(
                    "--listen %s is not known; name this machine or one of its addresses"
                            .formatted(host));
        }
        try (PageServer server = new PageServer(pages, host, at)) {
            out().println(words + " at " + server.address());
            out().println("Stop it with Ctrl-C.");
            out().flush();
            while (!ended.getAsBoolean()) {
                Thread.sleep(LOOK_MILLIS);
            }
        }
    }

    private void job(Interruption interruption) throws InterruptedException {
        topics.names(); // no two of the same name
        KafkaClients kafka = topics.kafka();
        KafkaAccess.requireReadable(kafka, topics.name(RULES));
        KafkaAccess.requireReadable(kafka, topics.name(VERDICTS));
        AtomicBoolean ended = new AtomicBoolean();
        try (NamedPackets packets = new NamedPackets(kafka)) {
            JobReport report = new JobReport(SchemaIds.parse(schemaIds), packets);
            LiveTopics read = follow(kafka, report);
            FutureTask<Void> reading = new FutureTask<>(() -> read.run(ended::get), null);
            Thread reader = new Thread(reading, "topics");
            reader.setDaemon(true);
            reader.start();
            try {
                String title = "job at %s, verdicts in %s".formatted(kafka, topics.name(VERDICTS));
                serve(
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

    private LiveTopics follow(KafkaClients kafka, JobReport report) {
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

    @Override
    public String whereItStands() {
        return ITSELF;
    }
}
