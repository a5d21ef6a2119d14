package dev.sluice.lab.soak;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sluice.job.cli.JsonOption;
import dev.sluice.job.cluster.Member;
import dev.sluice.job.kafka.KafkaClients;
import dev.sluice.job.kafka.TopicNames;
import dev.sluice.job.kafka.TopicReader;
import dev.sluice.job.watch.StatusLine;
import dev.sluice.lab.kit.Results;
import dev.sluice.lab.kit.TopicTail;
import dev.sluice.policy.io.Amount;
import dev.sluice.policy.io.SluiceException;
import dev.sluice.schemas.codec.DeadLetter;
import dev.sluice.schemas.codec.MalformedMessageException;
import dev.sluice.schemas.codec.VerdictBlock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * A run: kills processes by the plan until time or kills are used up, then waits until all that was
 * sent is answered.
 */
final class Soak {
    private static final Duration PATIENCE = Duration.ofMinutes(3);
    private static final long LOOK_NANOS = 2_000_000;
    private static final long CLOSE_LOOK_NANOS = 200_000;
    private static final long JOB_EVERY_NANOS = 2_000_000_000L;
    private static final long SHOW_NANOS = 1_000_000_000L;
    private static final long LINE_NANOS = 10_000_000_000L;
    private static final long SAMPLE_NANOS = 10_000_000_000L;

    private final SoakOptions options;
    private final SoakCluster cluster;
    private final StatusLine line;
    private final SoakReport report = new SoakReport();
    private final FaultPlan plan;
    private final SoakMeter meter;
    private final long startedNanos = System.nanoTime();
    private final SoakRules rules;
    private final SoakCheck check;
    private final TopicTail reader;
    private final SoakLoad load;
    private long shownNanos = startedNanos;
    private long jobNanos = startedNanos;

    /** Begins the load of a cluster whose job is not yet there, and hands the job over. */
    Soak(SoakOptions options, SoakCluster cluster, StatusLine line) throws InterruptedException {
        this.options = options;
        this.cluster = cluster;
        this.line = line;
        plan = new FaultPlan(options.seed());
        TopicNames names = TopicNames.defaults();
        meter = new SoakMeter(cluster);
        rules =
                new SoakRules(
                        cluster.bootstrap(),
                        names.rules(),
                        options.seed(),
                        options.versions,
                        cluster.logs().resolve("publisher.out"));
        check = new SoakCheck(rules::of);
        cluster.run();
        TopicReader verdicts =
                new TopicReader(
                        new KafkaClients(cluster.bootstrap()),
                        List.of(names.verdicts(), names.deadLetters()));
        reader =
                new TopicTail(
                        "soak reader",
                        List.of(verdicts),
                        message -> take(message, names.verdicts()));
        load = new SoakLoad(cluster.bootstrap(), names.packets(), options.rate);
    }

    private void take(ConsumerRecord<byte[], byte[]> message, String verdicts)
            throws MalformedMessageException, InterruptedException {
        if (!message.topic().equals(verdicts)) {
            check.take(DeadLetter.decode(message.value()));
            return;
        }
        VerdictBlock block = VerdictBlock.decode(message.value());
        rules.await(block.versionOf(block.count() - 1));
        check.take(block);
    }

    /** Kills and compares; returns when all is answered, or fails where something is not. */
    void run() throws InterruptedException {
        try (meter;
                load;
                rules;
                reader) {
            await(() -> check.newest() > 0, "the job judges no packet");
            if (options.killsNothing()) {
                watch();
            }
            while (!options.killsNothing() && !isOver()) {
                burst(plan.next());
            }
            rules.stop();
            load.stop();
            awaitAnswers();
            cluster.stopJob();
            reader.stop();
            check.end(load.packets(), load.garbage());
        }
    }

    private boolean isOver() {
        return options.kills != null && options.kills > 0 && report.kills() >= options.kills
                || System.nanoTime() - startedNanos >= options.minutes.toNanos()
                || check.missed() > 0;
    }

    /** Kills nothing, and takes samples of what the processes take. */
    private void watch() throws InterruptedException {
        long next = System.nanoTime();
        while (!isOver()) {
            if (System.nanoTime() - next >= 0) {
                line.println(Results.line(meter.sample(seconds(), rules.version())));
                next += SAMPLE_NANOS;
            }
            look();
            LockSupport.parkNanos(LOOK_NANOS);
        }
    }

    private void awaitAnswers() throws InterruptedException {
        long packets = load.packets();
        long garbage = load.garbage();
        long seen = -1;
        long since = System.nanoTime();
        while (!check.isComplete(packets, garbage) && check.missed() == 0) {
            look();
            long now = check.verdicts();
            if (now > seen) {
                seen = now;
                since = System.nanoTime();
            } else if (System.nanoTime() - since > PATIENCE.toNanos()) {
                return; // what lacks is told as lost
            }
            LockSupport.parkNanos(LOOK_NANOS);
        }
    }

    /** A process that was killed: when, and whether something waited to be committed then. */
    private record Struck(FaultPlan.Planned planned, String role, long nanos, boolean atCommit) {}

    private void burst(List<FaultPlan.Planned> burst) throws InterruptedException {
        // Under load behind a checkpoint: a kill in front of the first one proves nothing.
        long before = cluster.checkpoint();
        await(() -> cluster.checkpoint() > before, "no checkpoint completes");
        if (burst.get(0).fault() == Fault.COMMIT) {
            long last = cluster.checkpoint();
            await(() -> cluster.checkpoint() > last, "no checkpoint completes", CLOSE_LOOK_NANOS);
        }
        long checkpoint = cluster.checkpoint();
        List<Struck> struck = new ArrayList<>();
        for (FaultPlan.Planned planned : burst) {
            TimeUnit.MICROSECONDS.sleep(planned.delayMicros());
            struck.add(strike(planned, struck.isEmpty()));
        }
        if (struck.stream().anyMatch(one -> one.planned().fault() == Fault.JOB_MANAGER)) {
            cluster.resume();
        }
        String roles = struck.stream().map(Struck::role).collect(Collectors.joining(", "));
        long sent = load.packets();
        await(() -> check.newest() > sent, "no verdict comes after the loss of " + roles);
        if (struck.stream().anyMatch(one -> one.planned().fault() == Fault.PUBLISHER)) {
            long version = rules.version();
            await(() -> check.newestVersion() > version, "no version comes after " + roles);
        }
        for (Struck one : struck) {
            long millis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - one.nanos());
            report.add(one.planned().fault(), millis, one.atCommit());
            line.println(
                    "kill %d: %s behind checkpoint %d%s, away for %.1f s; verdicts again after %.1f s"
                            .formatted(
                                    report.kills(),
                                    one.role(),
                                    checkpoint,
                                    one.atCommit() ? ", before its commit" : "",
                                    one.planned().downMillis() / 1e3,
                                    millis / 1e3));
        }
    }

    /**
     * Kills a process, and starts it again.
     *
     * @param first whether the job was at work: what waits to be committed is of this kill
     */
    private Struck strike(FaultPlan.Planned planned, boolean first) throws InterruptedException {
        Fault fault = planned.fault();
        if (fault == Fault.PUBLISHER) {
            rules.await(rules.version() + 1); // it is at work
            long killed = System.nanoTime();
            rules.kill();
            boolean open = cluster.publishes();
            TimeUnit.MILLISECONDS.sleep(planned.downMillis());
            rules.again();
            return new Struck(planned, "publisher", killed, open);
        }
        String role =
                switch (fault) {
                    case JOB_MANAGER -> Member.JOB_MANAGER;
                    case BROKER -> Member.BROKER;
                    default -> cluster.taskManager(planned.which());
                };
        startLost();
        long killed = System.nanoTime();
        cluster.kill(role);
        boolean open = first && fault != Fault.BROKER && cluster.uncommitted() > 0;
        TimeUnit.MILLISECONDS.sleep(planned.downMillis());
        cluster.again(role);
        if (fault == Fault.BROKER) {
            cluster.awaitBroker();
        }
        return new Struck(planned, role, killed, open);
    }

    /**
     * Waits for something.
     *
     * @param lacking what is said if it does not come
     */
    private void await(BooleanSupplier reached, String lacking) throws InterruptedException {
        await(reached, lacking, LOOK_NANOS);
    }

    private void await(BooleanSupplier reached, String lacking, long lookNanos)
            throws InterruptedException {
        long until = System.nanoTime() + PATIENCE.toNanos();
        while (!reached.getAsBoolean()) {
            if (System.nanoTime() - until > 0) {
                throw new SluiceException(
                        "%s within %d s; see %s"
                                .formatted(lacking, PATIENCE.toSeconds(), cluster.logs()));
            }
            look();
            LockSupport.parkNanos(lookNanos);
        }
    }

    /** Fails if something of this run has failed; says where it stands, if it is time. */
    private void look() throws InterruptedException {
        if (Thread.interrupted()) {
            throw new InterruptedException("the soak was ended");
        }
        load.check();
        rules.check();
        reader.check();
        long now = System.nanoTime();
        if (now - jobNanos > JOB_EVERY_NANOS) {
            jobNanos = now;
            cluster.requireJob();
            startLost();
            rules.forgetBelow(check.oldestVersion());
        }
        if (now - shownNanos > (line.isTerminal() ? SHOW_NANOS : LINE_NANOS)) {
            shownNanos = now;
            line.show(
                    "%d of %d s | %s | %s"
                            .formatted(
                                    TimeUnit.NANOSECONDS.toSeconds(now - startedNanos),
                                    options.minutes.toSeconds(),
                                    report.words(),
                                    counts()));
        }
    }

    private void startLost() throws InterruptedException {
        int before = cluster.lost().size();
        cluster.startLost();
        for (String role : cluster.lost().subList(before, cluster.lost().size())) {
            line.println(role + " has ended by itself, and is started again; its log says why");
        }
    }

    /** Counts of what went in and came out, in words. */
    String counts() {
        return "%s and %s in; %s, %s out"
                .formatted(
                        Amount.of(load.packets(), "packet"),
                        Amount.of(load.garbage(), "garbage message"),
                        Amount.of(check.verdicts(), "verdict"),
                        Amount.of(check.deadLetters(), "dead letter"));
    }

    /** Returns the results so far: what went in and out, was killed, and was wrong. */
    ObjectNode json() {
        ObjectNode node = JsonOption.object();
        node.put("seed", options.seed());
        node.put("seconds", seconds());
        node.put("kills", report.kills());
        report.describe(node.putArray("faults"));
        node.put("endedByThemselves", cluster.lost().size());
        node.put("packets", load.packets());
        node.put("garbageMessages", load.garbage());
        node.put("verdicts", check.verdicts());
        node.put("deadLetters", check.deadLetters());
        node.put("versions", rules.version());
        meter.describe(node.putArray("samples"));
        node.put("wrong", check.missed());
        ArrayNode misses = node.putArray("misses");
        check.misses().forEach(misses::add);
        return node;
    }

    /** Returns the number of processes that were killed, and the time so far. */
    String words() {
        return "%s in %d s".formatted(report.words(), seconds());
    }

    /** Returns the check of the verdicts. */
    SoakCheck check() {
        return check;
    }

    /**
     * Judges a run that has ended, and says in a line what was right.
     *
     * @throws SluiceException if something was wrong or grew, or not all kills fitted
     */
    String judge() {
        List<String> misses = check.misses();
        if (!misses.isEmpty()) {
            throw new SluiceException(
                    "%s after %s, seed %d: %s; the first: %s"
                            .formatted(
                                    Amount.of(check.missed(), "wrong thing"),
                                    words(),
                                    options.seed(),
                                    counts(),
                                    misses.get(0)));
        }
        meter.growth()
                .ifPresent(
                        growth -> {
                            throw new SluiceException(growth);
                        });
        if (options.kills != null && report.kills() < options.kills) {
            throw new SluiceException(
                    "%d minutes were over after %s of %d; give it more --minutes"
                            .formatted(options.minutes.toMinutes(), report.words(), options.kills));
        }
        return "%s, seed %d (%s ended by themselves); %s: none lost, none twice, none wrong, none out of its order, by %s of the rules"
                .formatted(
                        words(),
                        options.seed(),
                        Amount.of(cluster.lost().size(), "TaskManager"),
                        counts(),
                        Amount.of(rules.version(), "version"));
    }

    private long seconds() {
        return TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - startedNanos);
    }
}
