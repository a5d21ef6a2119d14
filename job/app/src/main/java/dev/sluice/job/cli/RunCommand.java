package dev.sluice.job.cli;

import dev.sluice.engine.EngineOptions;
import dev.sluice.job.archive.ArchiveOptions;
import dev.sluice.job.graph.JobOptions;
import dev.sluice.job.kafka.KafkaAccess;
import dev.sluice.job.submit.CaptureJob;
import dev.sluice.job.submit.Job;
import dev.sluice.job.submit.JobConsole;
import dev.sluice.job.submit.KafkaJob;
import dev.sluice.job.submit.Target;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code sluice run}: the job against any Kafka, on a running Flink cluster or in this process. */
@Command(
        name = "run",
        description = {
            "Runs the classification job against a Kafka cluster: on a running Flink cluster with "
                    + "--flink, on the one that 'sluice cluster up' has started with --cluster, else in this "
                    + "process until it is stopped.",
            "With --captures it needs no Kafka: it judges captures, writes files of verdicts, and ends.",
            "'flink run sluice-job.jar OPTIONS' takes the same options.",
            ""
        })
public class RunCommand implements Callable<Integer>, Interruptible {
    /** Options of a submission, not of the job. */
    private static final Set<String> OF_SUBMISSION =
            Set.of(
                    "--cluster",
                    "--flink",
                    "--create-topics",
                    "--watch",
                    "--status-every",
                    "--log-level",
                    "--debug");

    @Spec private CommandSpec spec;
    @Mixin private JsonOption json = new JsonOption();

    @Mixin
    private TopicOptions topics =
            TopicOptions.optional(
                    "default: with --cluster, the cluster's", TopicOptions.Topic.values());

    @Mixin private TopicCreation creation = new TopicCreation();

    /** Options of the target. */
    @Mixin final SubmitOptions submit = new SubmitOptions();

    @Mixin private HeaderOptions headers = new HeaderOptions();
    @Mixin private KafkaJobOptions kafka = new KafkaJobOptions();

    @Option(
            names = "--checkpoint-interval",
            paramLabel = "DURATION",
            defaultValue = "5s",
            converter = Times.InMillis.class,
            description =
                    "Time between checkpoints; verdicts become visible with them (default ${DEFAULT-VALUE}; a bare number is in ms).")
    @Range(shortest = "10ms")
    private Duration checkpointInterval = Duration.ZERO;

    @Mixin private StatusOptions status = new StatusOptions();
    @Mixin private EngineArguments engine = new EngineArguments();
    @Mixin private ArchiveArguments archive = new ArchiveArguments();

    private volatile @Nullable JobConsole console;

    @Override
    public Integer call() throws Exception {
        archive.requireUse(spec);
        boolean bounded = archive.isGiven() || kafka.bounded();
        submit.requireUse(spec, json.isGiven(), bounded);
        EngineOptions options = engine.toOptions();
        if (!archive.isGiven()) {
            kafka.requireUse(headers);
            topics.requireBroker(submit.onCluster());
        }
        JobConsole shown =
                new JobConsole(
                        spec.commandLine().getOut(),
                        spec.commandLine().getErr(),
                        json.isGiven(),
                        submit.isWatched(),
                        status.every());
        console = shown;
        try (Target target = submit.target(bounded)) {
            Job job = archive.isGiven() ? captures(options, target) : kafka(options, target, shown);
            return target.run(job, shown) ? 0 : 1;
        }
    }

    private Job captures(EngineOptions options, Target target) {
        ArchiveOptions opened =
                archive.open(
                        options, headers, checkpointInterval, target, spec.commandLine().getErr());
        target.requireAnswer();
        return new CaptureJob(opened, archive.verdicts(), submit.jobName(), words());
    }

    private Job kafka(EngineOptions options, Target target, JobConsole shown)
            throws InterruptedException {
        topics.useBroker(target.bootstrap());
        JobOptions job = kafka.toOptions(topics, headers, options, checkpointInterval);
        target.requireAnswer();
        try (KafkaAccess access = creation.connect(topics, Math.max(2, target.parallelism()))) {
            return KafkaJob.prepare(access, job, submit.jobName(), words(), target, shown);
        }
    }

    /** Options of the job, as they were given. */
    private List<String> words() {
        return GivenOptions.words(spec, OF_SUBMISSION);
    }

    @Override
    public @Nullable String whereItStands() {
        JobConsole shown = console;
        return shown != null && shown.isWatching() ? ITSELF : "no job was started here";
    }
}
