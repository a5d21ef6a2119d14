package dev.sluice.job.lab.soak;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sluice.job.Amount;
import dev.sluice.job.SluiceException;
import dev.sluice.job.cli.JsonOption;
import dev.sluice.job.cluster.Member;
import dev.sluice.job.kafka.TopicNames;
import dev.sluice.job.watch.StatusLine;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

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

    private final Options options;
    private final SoakCluster cluster;
    private final StatusLine line;
    private final SoakReport report = new SoakReport();
    private final FaultPlan plan;
    private final long startedNanos = System.nanoTime();
    private final SoakRules rules;
    private final SoakCheck check;
    private final SoakReader reader;
    private final SoakLoad load;
    private long shownNanos = startedNanos;
    private long jobNanos = startedNanos;

    /**
     * What is to be done.
     *
     * @param folder of the cluster
     * @param lasts how long processes are killed
     * @param seed of plan and rules
     * @param kills after which the run ends earlier
     * @param rate packets a second
     * @param taskManagers processes, of a slot each
     * @param memoryMebibytes of all processes together
     * @param checkpointMillis time between checkpoints
     */
    record Options(
            Path folder,
            Duration lasts,
            long seed,
            int kills,
            long rate,
            int taskManagers,
            long memoryMebibytes,
            long checkpointMillis) {}

    /** Begins the load of a cluster whose job is not yet there, and hands the job over. */
    Soak(Options options, SoakCluster cluster, StatusLine line) {
        this.options = options;
        this.cluster = cluster;
        this.line = line;
        plan = new FaultPlan(options.seed());
        TopicNames names = TopicNames.defaults();
        rules = new SoakRules(cluster.bootstrap(), names.rules(), options.seed());
        check = new SoakCheck(rules::of);
        cluster.run();
        reader = new SoakReader(cluster.bootstrap(), names, check);
        load = new SoakLoad(cluster.bootstrap(), names.packets(), options.rate());
        rules.start();
    }

    /** Kills and compares; returns when all is answered, or fails where something is not. */
    void run() throws InterruptedException {
        try (load;
                rules;
                reader) {
            await(() -> check.newest() > 0, "the job judges no packet");
            while (!isOver()) {
                fault(plan.next());
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
        return report.kills() >= options.kills()
                || System.nanoTime() - startedNanos >= options.lasts().toNanos()
                || check.missed() > 0;
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

    private void fault(FaultPlan.Planned planned) throws InterruptedException {
        // Under load behind a checkpoint: a kill in front of the first one proves nothing.
        long before = cluster.checkpoint();
        await(() -> cluster.checkpoint() > before, "no checkpoint completes");
        if (planned.fault() == Fault.COMMIT) {
            long last = cluster.checkpoint();
            await(() -> cluster.checkpoint() > last, "no checkpoint completes", CLOSE_LOOK_NANOS);
        }
        TimeUnit.MICROSECONDS.sleep(planned.delayMicros());
        String role =
                switch (planned.fault()) {
                    case TASK_MANAGER, COMMIT -> cluster.taskManager(planned.which());
                    case JOB_MANAGER -> Member.JOB_MANAGER;
                    case BROKER -> Member.BROKER;
                };
        long killed = System.nanoTime();
        long checkpoint = cluster.checkpoint();
        boolean atCommit = false;
        if (planned.fault() == Fault.BROKER) {
            rules.whileQuiet(
                    () -> {
                        cluster.kill(role);
                        TimeUnit.MILLISECONDS.sleep(planned.downMillis());
                        cluster.again(role);
                        cluster.awaitBroker();
                    });
        } else {
            cluster.kill(role);
            atCommit = cluster.uncommitted(checkpoint) > 0;
            TimeUnit.MILLISECONDS.sleep(planned.downMillis());
            cluster.again(role);
        }
        if (planned.fault() == Fault.JOB_MANAGER) {
            cluster.resume();
        }
        long sent = load.packets();
        await(() -> check.newest() > sent, "no verdict comes after " + role + " was killed");
        long millis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - killed);
        report.add(planned.fault(), millis, atCommit);
        line.println(
                "kill %d: %s behind checkpoint %d%s, away for %.1f s; verdicts again after %.1f s"
                        .formatted(
                                report.kills(),
                                role,
                                checkpoint,
                                atCommit ? ", before its commit" : "",
                                planned.downMillis() / 1e3,
                                millis / 1e3));
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
            rules.forgetBelow(check.oldestVersion());
        }
        if (now - shownNanos > (line.isTerminal() ? SHOW_NANOS : LINE_NANOS)) {
            shownNanos = now;
            line.show(
                    "%d of %d s | %s | %s"
                            .formatted(
                                    TimeUnit.NANOSECONDS.toSeconds(now - startedNanos),
                                    options.lasts().toSeconds(),
                                    report.words(),
                                    counts()));
        }
    }

    /** What went in, and what came out. */
    String counts() {
        return "%s and %s in; %s, %s out"
                .formatted(
                        Amount.of(load.packets(), "packet"),
                        Amount.of(load.garbage(), "garbage message"),
                        Amount.of(check.verdicts(), "verdict"),
                        Amount.of(check.deadLetters(), "dead letter"));
    }

    /** What went in and out, what was killed, and what was wrong, as far as it has come. */
    ObjectNode json() {
        ObjectNode node = JsonOption.object();
        node.put("seed", options.seed());
        node.put("seconds", seconds());
        node.put("kills", report.kills());
        report.describe(node.putArray("faults"));
        node.put("packets", load.packets());
        node.put("garbageMessages", load.garbage());
        node.put("verdicts", check.verdicts());
        node.put("deadLetters", check.deadLetters());
        node.put("versions", versions());
        node.put("wrong", check.missed());
        ArrayNode misses = node.putArray("misses");
        check.misses().forEach(misses::add);
        return node;
    }

    /** What was compared. */
    SoakCheck check() {
        return check;
    }

    /** What was killed. */
    SoakReport report() {
        return report;
    }

    /** Versions of rules that were published. */
    long versions() {
        return rules.version();
    }

    /** How long it has gone on. */
    long seconds() {
        return TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - startedNanos);
    }
}
