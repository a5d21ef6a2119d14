package dev.sluice.job.cli;

import dev.sluice.engine.EngineOptions;
import dev.sluice.job.graph.JobOptions;
import dev.sluice.job.kafka.KafkaAccess;
import dev.sluice.job.submit.Job;
import dev.sluice.job.submit.JobConsole;
import dev.sluice.job.submit.KafkaJob;
import dev.sluice.job.submit.Target;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code sluice run}: the job against any Kafka, on a running Flink cluster or in this process. */
@Command(
        name = "run",
        description = {
            "Runs the classification job against a Kafka cluster: on a running Flink cluster with --flink, on the one that 'sluice cluster up' has started with --cluster, else in this process until it is stopped.",
            "'flink run sluice-job.jar OPTIONS' takes the same options, but those of a place.",
            ""
        })
final class RunCommand extends JobCommand {
    @Mixin
    private TopicOptions topics =
            TopicOptions.optional(
                    "default: with --cluster, the cluster's", TopicOptions.Topic.ofEveryJob());

    @Mixin private TopicCreation creation = new TopicCreation();
    @Mixin private KafkaJobOptions kafka = new KafkaJobOptions();

    RunCommand() {
        this(new PlaceOptions.OfKafka());
    }

    RunCommand(PlaceOptions place) {
        super(place);
    }

    @Override
    boolean requireUse() {
        kafka.requireUse(headers);
        kafka.requireApart(topics);
        topics.requireBroker(place.hasBroker());
        return kafka.bounded;
    }

    @Override
    Job job(String name, EngineOptions engine, Target target, JobConsole shown)
            throws InterruptedException {
        topics.useBroker(target.bootstrap());
        JobOptions job = kafka.toOptions(topics, headers, engine, checkpointInterval);
        target.requireAnswer();
        try (KafkaAccess access =
                creation.connect(
                        topics,
                        Math.max(2, target.parallelism()),
                        kafka.connectionsTopic(),
                        ShadowArguments.newTopics(job.shadow()))) {
            return KafkaJob.prepare(access, job, name, words(), target, shown);
        }
    }
}
