package dev.sluice.job.replay;

import dev.sluice.engine.Engine;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.job.capture.CaptureEnd;
import dev.sluice.job.capture.CaptureReader;
import dev.sluice.job.capture.ReadShare;
import dev.sluice.job.capture.ShutTunnels;
import dev.sluice.job.connections.ConnectionSum;
import dev.sluice.job.graph.JobOptions;
import dev.sluice.job.graph.LocalFlink;
import dev.sluice.job.graph.Outcomes;
import dev.sluice.job.hits.HitSummary;
import dev.sluice.job.kafka.EmbeddedBroker;
import dev.sluice.job.kafka.Framing;
import dev.sluice.job.kafka.KafkaAccess;
import dev.sluice.job.kafka.KafkaClients;
import dev.sluice.job.kafka.MessageProducer;
import dev.sluice.job.kafka.PacketExporter;
import dev.sluice.job.kafka.TopicNames;
import dev.sluice.job.kafka.TopicReader;
import dev.sluice.job.kafka.TopicScan;
import dev.sluice.job.packets.PacketFormat;
import dev.sluice.job.rules.ServingCheck;
import dev.sluice.operators.classify.ClassifyOptions;
import dev.sluice.operators.classify.ConnectionOutput;
import dev.sluice.operators.classify.VerdictFields;
import dev.sluice.operators.connections.StatefulJudge;
import dev.sluice.operators.connections.TrackerCounts;
import dev.sluice.operators.statistics.StatisticsOptions;
import dev.sluice.policy.io.Amount;
import dev.sluice.policy.io.SluiceException;
import dev.sluice.schemas.codec.Connection;
import dev.sluice.schemas.codec.MalformedMessageException;
import dev.sluice.schemas.codec.PacketField;
import dev.sluice.schemas.header.Field;
import dev.sluice.schemas.header.HeaderWord;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.flink.util.concurrent.ExecutorThreadFactory;
import org.apache.kafka.common.record.CompressionType;
import org.jspecify.annotations.Nullable;

/**
 * Run of captures through the whole corridor in this process.
 *
 * <p>It starts an embedded Kafka broker and an embedded Flink cluster, and submits the same graph
 * as on a real cluster.
 */
public final class Replay {
    private static final TopicNames TOPICS = TopicNames.defaults();
    private static final Duration CHECKPOINTS = Duration.ofSeconds(1);
    private static final PacketField STATE = PacketField.of(Field.CONNECTION_STATE);

    private static final Duration POLL = Duration.ofMillis(100);

    private static final String CONNECTIONS = "sluice-connections";

    /** Interval of rows in packet time: no capture is as long, and so each connection has one. */
    private static final ConnectionOutput ROWS =
            new ConnectionOutput(Duration.ofDays(36_500).toNanos(), Connection::encode, List.of());

    private final ShutTunnels shut = new ShutTunnels();
    private final Options options;
    private final PrintWriter err;
    private final AtomicLong exported = new AtomicLong();
    private final Arrivals arrivals = new Arrivals(System.nanoTime(), 2 * CHECKPOINTS.toNanos());
    private volatile long classified;

    /**
     * Parameters of a replay.
     *
     * @param captures capture files, in order
     * @param versions versions of the rules; in event time each with its time, otherwise a single
     *     one without
     * @param defaultAction action where no rule matches
     * @param verdicts file for the verdicts; null: none is written
     * @param classify how headers are classified
     * @param export how headers are sent
     * @param parallelism of the job
     * @param kafkaPort port of the embedded broker, 0 for a free one
     * @param directory parent of the temporary directory
     * @param written fields of packets in the file for the verdicts, some of those that {@code
     *     classify} carries
     * @param packets sees each packet in capture order, with the fields that {@code classify}
     *     carries, and a row of each connection that is tracked; null: nobody
     */
    public record Options(
            List<Path> captures,
            List<RuleVersionFile> versions,
            String defaultAction,
            @Nullable Path verdicts,
            ClassifyOptions classify,
            PacketExporter.Options export,
            int parallelism,
            int kafkaPort,
            Path directory,
            VerdictFields written,
            @Nullable ReplayedPackets packets) {
        /** Some fields without the connection's state, where the tracker tells it. */
        List<PacketField> told(VerdictFields some) {
            return some.fields().stream().filter(field -> !isTracking() || field != STATE).toList();
        }

        boolean isTracking() {
            return classify.tracker() != null;
        }

        boolean hasRows() {
            return isTracking() && packets != null;
        }
    }

    /**
     * Result of a finished replay.
     *
     * @param summary hits, captures and dead letters
     * @param ends how each capture ended
     */
    public record Result(HitSummary summary, List<CaptureEnd> ends) {}

    /** Creates a replay, which reports its steps to err. */
    public Replay(Options options, PrintWriter err) {
        this.options = options;
        this.err = err;
    }

    /** Describes the progress, for any thread. */
    public String whereItStands() {
        return "%,d of %,d packets or more are classified; %s"
                .formatted(
                        classified,
                        exported.get(),
                        options.verdicts == null
                                ? "nothing is left of that"
                                : "of the verdict file nothing whole is there, and nothing else is left");
    }

    /** Runs the replay to its end. */
    public Result run() throws Exception {
        for (Path capture : options.captures) {
            if (!Files.isReadable(capture) || Files.isDirectory(capture)) {
                throw new SluiceException(
                        "capture %s does not exist or may not be read; check the path"
                                .formatted(capture));
            }
        }
        // A broken file among several is reported at the end; a FIFO can be read only once.
        if (options.captures.size() == 1 && Files.isRegularFile(options.captures.get(0))) {
            PacketExporter.requireCaptures(options.captures);
        }
        if (options.verdicts != null) {
            Path folder = options.verdicts.toAbsolutePath().getParent();
            if (folder == null
                    || !Files.isDirectory(folder)
                    || Files.isDirectory(options.verdicts)) {
                throw new SluiceException(
                        "verdict file %s cannot be written; name a file in a folder that exists"
                                .formatted(options.verdicts));
            }
        }
        requireServable();
        try (TemporaryDirectory directory = new TemporaryDirectory(options.directory)) {
            say("starting an embedded Kafka broker and an embedded Flink cluster");
            try (EmbeddedBroker broker =
                    EmbeddedBroker.start(directory.path(), options.kafkaPort)) {
                return withBroker(broker, directory);
            }
        }
    }

    /**
     * Compiles the rules, if there is one version, and opens the named devices.
     *
     * <p>The check reports what cannot work before anything starts. With several versions, one that
     * cannot be compiled leaves the version before it in force.
     */
    private void requireServable() {
        if (options.versions.size() == 1) {
            RuleVersionFile only = options.versions.get(0);
            RuleSet rules =
                    only.rules().toRuleSet(only.file().toString(), 1, options.defaultAction);
            ServingCheck.require(rules, options.classify.engine());
        }
        Engine.open(options.classify.engine(), 0).close();
    }

    private void say(String text) {
        err.println("sluice: " + text);
        err.flush();
    }

    private Result withBroker(EmbeddedBroker broker, TemporaryDirectory directory)
            throws Exception {
        KafkaClients kafka = new KafkaClients(broker.bootstrap());
        try (KafkaAccess access = new KafkaAccess(kafka)) {
            int partitions = Math.max(2, options.parallelism);
            access.createTopics(KafkaAccess.newTopics(TOPICS, partitions));
            if (options.hasRows()) {
                access.createTopics(
                        List.of(KafkaAccess.compactedForATime(CONNECTIONS, partitions)));
            }
        }
        PublishedRules rules =
                PublishedRules.publish(
                        kafka, TOPICS.rules(), options.defaultAction, options.versions);
        sayPublished(rules);
        JobOptions job =
                new JobOptions(
                        kafka,
                        TOPICS,
                        PacketFormat.AVRO,
                        options.classify.countingLive().telling(options.hasRows() ? ROWS : null),
                        StatisticsOptions.OFF,
                        "sluice",
                        JobOptions.StartFrom.EARLIEST,
                        false,
                        "sluice",
                        Duration.ofMinutes(10),
                        CHECKPOINTS,
                        Framing.SINGLE_OBJECT,
                        CompressionType.NONE,
                        TopicReader.end(kafka, TOPICS.rules()),
                        null,
                        options.hasRows() ? CONNECTIONS : null,
                        null);
        List<VerdictSpool> spools = new ArrayList<>();
        try (LocalFlink flink = LocalFlink.start(job, options.parallelism, directory.path());
                VerdictCollector collector =
                        new VerdictCollector(kafka, TOPICS, spools, rules, err)) {
            List<PacketField> carried = options.classify.fields().fields();
            boolean kept = options.verdicts != null || options.packets != null;
            int[] words = HeaderWord.words(kept ? PacketField.wordBits(carried) : 0);
            for (int i = 0; i < options.captures.size(); i++) {
                spools.add(new VerdictSpool(directory.path().resolve("verdicts-" + i), words));
            }
            CompletableFuture<List<CaptureEnd>> export =
                    CompletableFuture.supplyAsync(
                            () -> export(kafka, spools),
                            run ->
                                    new ExecutorThreadFactory("sluice-export")
                                            .newThread(run)
                                            .start());
            collect(collector, export, broker, flink, directory);
            List<CaptureEnd> ends = export.join();
            TrackerCounts connections = flink.figures().connections();
            if (options.versions.size() > 1 || options.hasRows()) {
                // By then it has reported every refused version, and each connection.
                flink.stop(directory.path(), options.hasRows());
                collector.pollToEnd(POLL);
            }
            write(spools, collector, rules);
            show(spools, collector);
            SpoolHits hits = new SpoolHits(collector);
            for (int i = 0; i < spools.size(); i++) {
                hits.add(spools.get(i), options.captures.get(i).toString(), ends.get(i));
            }
            Outcomes outcomes = collector.counts(options.defaultAction);
            return new Result(
                    new HitSummary(
                            rules.known(outcomes.refusedVersions()),
                            hits.hits(),
                            hits.captures(),
                            outcomes,
                            shut,
                            arrivals.pace(System.nanoTime()),
                            options.isTracking()
                                    ? new ConnectionSum(
                                            connections, connections.live(), showRows(kafka))
                                    : null),
                    ends);
        } finally {
            for (VerdictSpool spool : spools) {
                spool.close();
            }
        }
    }

    private void sayPublished(PublishedRules rules) {
        RuleVersionFile first = options.versions.get(0);
        if (options.versions.size() == 1) {
            say(
                    "published %s of %s as version %d"
                            .formatted(
                                    Amount.of(first.rules().rules().size(), "rule"),
                                    first.file(),
                                    rules.newest()));
        } else {
            say("published versions 1 to %d of the rules".formatted(rules.newest()));
        }
    }

    private List<CaptureEnd> export(KafkaClients kafka, List<VerdictSpool> spools) {
        PacketExporter.Listener listener =
                new PacketExporter.Listener() {
                    private int last;

                    @Override
                    public void packet(int capture, CaptureReader packet) throws IOException {
                        spools.get(capture)
                                .append(packet.timeNs(), packet.timeHigh(), packet.frameLength());
                        last = capture;
                        exported.incrementAndGet();
                    }

                    @Override
                    public void beforeSend() throws IOException {
                        spools.get(last).flush();
                    }
                };
        List<CaptureEnd> ends = new ArrayList<>();
        try (MessageProducer producer = new MessageProducer(kafka)) {
            PacketExporter exporter =
                    new PacketExporter(
                            producer, TOPICS, options.export.reading(namedWords()), listener);
            for (int i = 0; i < options.captures.size(); i++) {
                ends.add(exporter.export(options.captures.get(i), i, new ReadShare(List.of())));
            }
            producer.flush();
            shut.add(exporter.shutTunnels());
        }
        return ends;
    }

    /** Header words that any version of the rules or a verdict's field looks at. */
    private long namedWords() {
        return options.versions.stream()
                .flatMap(version -> version.rules().rules().stream())
                .mapToLong(rule -> rule.match().usedWords())
                .reduce(
                        PacketField.wordBits(options.told(options.classify.fields()))
                                | (options.isTracking() ? StatefulJudge.wordBits() : 0),
                        (a, b) -> a | b);
    }

    private void collect(
            VerdictCollector collector,
            CompletableFuture<List<CaptureEnd>> export,
            EmbeddedBroker broker,
            LocalFlink flink,
            TemporaryDirectory directory)
            throws Exception {
        try (Progress progress = new Progress(err, "classifying")) {
            while (true) {
                boolean all = export.isDone();
                if (all) {
                    export.join(); // throws the export's failure
                }
                long total = exported.get();
                classified = collector.received();
                arrivals.at(collector.judged(), System.nanoTime());
                progress.at(classified, total, all);
                if (all && collector.received() == total) {
                    return;
                }
                directory.requireSpace();
                if (broker.failure() != null) {
                    throw new SluiceException(
                            "the embedded Kafka broker stopped: " + broker.failure());
                }
                flink.requireRunning();
                collector.poll(POLL);
            }
        } catch (java.util.concurrent.CompletionException e) {
            if (e.getCause() instanceof RuntimeException cause) {
                throw cause;
            }
            throw e;
        }
    }

    private void write(List<VerdictSpool> spools, VerdictCollector collector, PublishedRules rules)
            throws IOException {
        if (options.verdicts == null) {
            return;
        }
        SpoolLines lines =
                new SpoolLines(
                        collector,
                        rules,
                        options.defaultAction,
                        options.isTracking(),
                        options.told(options.written));
        try (OutputFile out = new OutputFile(options.verdicts)) {
            lines.writeNames(out);
            for (int c = 0; c < spools.size(); c++) {
                lines.write(out, options.captures.get(c), spools.get(c));
            }
            out.complete();
        }
        say("verdicts are in " + options.verdicts);
    }

    /** Shows the rows of connections, and counts refused ones; null: there are no rows. */
    private @Nullable Long showRows(KafkaClients kafka) {
        ReplayedPackets to = options.packets;
        if (to == null || !options.hasRows()) {
            return null;
        }
        AtomicLong refused = new AtomicLong();
        try (TopicScan scan = new TopicScan(kafka, CONNECTIONS, "earliest", false)) {
            scan.forEach(
                    message -> {
                        try {
                            Connection row = Connection.decode(message.value());
                            refused.addAndGet(row.refusedPacket() == null ? 0 : 1);
                            to.connection(row);
                            return true;
                        } catch (MalformedMessageException e) {
                            throw new IllegalStateException("a row of the job's own", e);
                        }
                    });
        }
        return refused.get();
    }

    private void show(List<VerdictSpool> spools, VerdictCollector collector) throws IOException {
        ReplayedPackets to = options.packets;
        if (to == null) {
            return;
        }
        for (VerdictSpool spool : spools) {
            spool.visit(
                    (number, timeLow, timeHigh, verdict, length) -> {
                        long time = CaptureReader.clampedTimeNs(timeLow, timeHigh);
                        if (verdict < 0) {
                            to.deadLetter(time);
                            return;
                        }
                        VerdictCollector.Outcome of =
                                collector.outcome(verdict - VerdictSpool.FIRST_OUTCOME);
                        if (of.hasVersion()) {
                            int[] header = spool.header(number);
                            to.judged(of.rule(), of.fate(), of.assumed(), header, length, time);
                        } else {
                            to.unjudged(time);
                        }
                    });
        }
    }
}
