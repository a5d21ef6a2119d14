package dev.sluice.job.submit;

import dev.sluice.job.cluster.SubmittedOptions;
import dev.sluice.job.graph.JobIdentity;
import dev.sluice.job.graph.JobOptions;
import dev.sluice.job.graph.SavedJob;
import dev.sluice.job.graph.ShadowJob;
import dev.sluice.job.graph.SluiceJob;
import dev.sluice.job.kafka.KafkaAccess;
import dev.sluice.job.kafka.TopicNames;
import dev.sluice.job.kafka.TopicReader;
import dev.sluice.job.sink.TransactionalIdGuard;
import java.util.List;
import java.util.Locale;
import org.apache.flink.runtime.jobgraph.JobGraph;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.resource.PatternType;

/** The job on Kafka: packets and rules from topics, verdicts into another. */
public record KafkaJob(JobOptions options, String name, SubmittedOptions given) implements Job {
    /**
     * Checks what the job needs of Kafka, and that no other job has its transactional ids.
     *
     * @param words options of the command line, as they were given
     * @throws dev.sluice.policy.io.SluiceException naming what is missing
     */
    public static KafkaJob prepare(
            KafkaAccess access,
            JobOptions options,
            String name,
            List<String> words,
            Target target,
            JobConsole console)
            throws InterruptedException {
        TopicNames topics = options.topics();
        String prefix = options.transactionPrefix();
        access.requireTopics(AclOperation.READ, topics.packets(), topics.rules());
        access.requireTopics(AclOperation.WRITE, topics.verdicts(), topics.deadLetters());
        if (options.statistics().on()) {
            access.requireTopics(AclOperation.WRITE, topics.statistics());
        }
        if (options.statistics().hasWindows()) {
            access.requireTopics(AclOperation.WRITE, topics.statisticsWindows());
        }
        String connections = options.connectionsTopic();
        if (connections != null) {
            access.requireTopics(AclOperation.WRITE, connections);
        }
        ShadowJob shadow = options.shadow();
        if (shadow != null) {
            access.requireTopics(AclOperation.READ, shadow.rules());
            access.requireTopics(AclOperation.WRITE, shadow.counts());
        }
        access.requireGroup(AclOperation.READ, options.group() + "-" + topics.packets());
        access.requireGroup(AclOperation.READ, options.group() + "-" + topics.rules());
        access.requireTransactionalIds(prefix + "-", PatternType.PREFIXED);
        access.requireTransactionTimeout(options.transactionTimeout());
        String kafka = access.clusterId();
        SubmittedOptions given = new SubmittedOptions(words, prefix, kafka);
        target.claim(given, new JobIdentity(kafka, topics.packets(), topics.rules(), prefix));
        if (!target.goesOn()) {
            try (TransactionalIdGuard other = new TransactionalIdGuard(options.kafka(), prefix)) {
                if (other.mayRun()) {
                    console.say(
                            "transactions with --transactional-id-prefix %s are open; a look whether another job begins more"
                                    .formatted(prefix));
                    other.requireAbsent(options.checkpointInterval());
                }
            }
        }
        long rulesEnd = TopicReader.end(options.kafka(), topics.rules());
        return new KafkaJob(options.withRulesEnd(rulesEnd), name, given);
    }

    @Override
    public void build(StreamExecutionEnvironment env) {
        SluiceJob.build(env, options);
    }

    @Override
    public void requireGoesOn(SavedJob saved, JobGraph graph) {
        saved.requireGoesOn(graph, options);
    }

    @Override
    public boolean bounded() {
        return options.bounded();
    }

    @Override
    public String end() {
        return bounded() ? "it ends at the packets that are there now" : "stop it with Ctrl-C";
    }

    @Override
    public String next(String without) {
        return options.from() == JobOptions.StartFrom.COMMITTED
                ? "the next job of --group " + options.group() + " goes on behind what is committed"
                : without
                        + " the next job begins at --from "
                        + options.from().name().toLowerCase(Locale.ROOT);
    }
}
