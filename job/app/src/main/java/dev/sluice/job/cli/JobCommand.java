package dev.sluice.job.cli;

import dev.sluice.engine.EngineOptions;
import dev.sluice.job.UsageException;
import dev.sluice.job.submit.Job;
import dev.sluice.job.submit.JobConsole;
import dev.sluice.job.submit.Target;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** A command that runs a job, in this process or on a cluster. */
abstract class JobCommand extends SluiceCommand implements Interruptible {
    /** Options of a submission, not of the job. */
    private static final Set<String> OF_SUBMISSION =
            Set.of(
                    "--cluster",
                    "--savepoint",
                    "--flink",
                    "--create-topics",
                    "--watch",
                    "--status-every",
                    "--log-level",
                    "--debug");

    @Mixin private JsonOption json = new JsonOption();
    @Mixin final PlaceOptions place;
    @Mixin final HeaderOptions headers = new HeaderOptions();

    @Option(
            names = "--checkpoint-interval",
            paramLabel = "DURATION",
            defaultValue = "5s",
            converter = Times.InMillis.class,
            description =
                    "Time between checkpoints; verdicts become visible with them (default ${DEFAULT-VALUE}; a bare number is in ms).")
    @Range(shortest = "10ms")
    Duration checkpointInterval = Duration.ZERO;

    @Option(
            names = "--status-every",
            paramLabel = "DURATION",
            defaultValue = "10s",
            converter = Times.PauseOrNone.class,
            description =
                    "How often a line says where the job stands, as in 30s, where stderr is no terminal; on a terminal it stands there always; off: never (default ${DEFAULT-VALUE}).")
    private Duration statusEvery = Duration.ZERO;

    @Mixin private EngineArguments engine = new EngineArguments();

    private volatile @Nullable JobConsole console;

    JobCommand(PlaceOptions place) {
        this.place = place;
    }

    /** Refuses options that do not go together; returns whether the job ends by itself. */
    abstract boolean requireUse();

    /** The job, whose target answers. */
    abstract Job job(String name, EngineOptions engine, Target target, JobConsole shown)
            throws InterruptedException;

    @Override
    public Integer call() throws Exception {
        boolean bounded = requireUse();
        PlaceOptions.Submission submission = place.submission();
        boolean watched = submission instanceof PlaceOptions.OnCluster on && on.watch;
        if (json.isGiven() && (submission == null ? !bounded : watched)) {
            throw new UsageException(
                    "--json tells what a job has counted that ends in this process, or the id of one that was submitted; say --bounded, or --cluster or --flink without --watch");
        }
        EngineOptions options = engine.toOptions();
        Duration every = statusEvery.isZero() ? null : statusEvery;
        JobConsole shown = new JobConsole(out(), err(), json.isGiven(), watched, every);
        console = shown;
        try (Target target = place.target(bounded)) {
            Job job = job(submission == null ? "" : submission.name, options, target, shown);
            return target.run(job, shown) ? 0 : 1;
        }
    }

    /** Options of the job, as they were given. */
    List<String> words() {
        return GivenOptions.words(spec(), OF_SUBMISSION);
    }

    @Override
    public @Nullable String whereItStands() {
        JobConsole shown = console;
        return shown != null && shown.isWatching() ? ITSELF : "no job was started here";
    }
}
