package dev.sluice.lab.corridor;

import dev.sluice.engine.rules.RuleSet;
import dev.sluice.job.graph.ShadowJob;
import dev.sluice.job.kafka.KafkaAccess;
import dev.sluice.job.kafka.KafkaClients;
import dev.sluice.job.kafka.TopicNames;
import dev.sluice.job.replay.Progress;
import dev.sluice.lab.load.BlockCycle;
import dev.sluice.lab.load.LoadClock;
import dev.sluice.lab.load.LoadHeaders;
import dev.sluice.lab.load.Pacer;
import dev.sluice.lab.load.RuleLoad;
import dev.sluice.lab.load.TopicLoad;
import dev.sluice.policy.HeaderTrace;
import dev.sluice.policy.io.SluiceException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.record.CompressionType;

/**
 * The topics of a measurement: created at its start, filled, and, where they have names of their
 * own because the broker goes on, deleted at its end.
 */
final class CorridorTopics implements AutoCloseable {
    /** End of the name of the topic that warms the job up. */
    static final String WARM = "-warm";

    /** Most threads that fill a topic. */
    private static final int MOST_FILLERS = 4;

    private static final int MOST_PAIRS = 10_000;
    private static final long LOOK_MILLIS = 200;
    private static final Duration PATIENCE = Duration.ofSeconds(15);

    /**
     * Content of a topic that was filled.
     *
     * @param topic its name
     */
    record Filled(String topic, long headers, long bytes) {}

    private final Site site;
    private final String end;
    private final TopicNames names;
    private final KafkaAccess access;

    /** Creates the topics; of a cluster under names of their own, else under the usual ones. */
    CorridorTopics(Site site) {
        this.site = site;
        this.end = site.cluster == null ? "" : "-bench-" + System.currentTimeMillis();
        this.names =
                new TopicNames(
                        TopicNames.PACKETS + end,
                        TopicNames.RULES + end,
                        TopicNames.VERDICTS + end,
                        TopicNames.DEAD_LETTERS + end,
                        TopicNames.STATISTICS + end,
                        TopicNames.STATISTICS_WINDOWS + end);
        this.access = new KafkaAccess(new KafkaClients(site.bootstrap));
        List<NewTopic> all =
                new ArrayList<>(KafkaAccess.newTopics(names, site.options.partitions()));
        all.add(topic(warm(), site.options.partitions()));
        try {
            access.createTopics(all);
        } catch (RuntimeException e) {
            access.close();
            throw e;
        }
    }

    private static NewTopic topic(String name, int partitions) {
        return new NewTopic(name, Optional.of(partitions), Optional.empty());
    }

    TopicNames names() {
        return names;
    }

    /** Creates the topics of a shadow, and publishes its rules. */
    ShadowJob createShadow(RuleSet rules) {
        ShadowJob shadow =
                new ShadowJob(names.rules() + "-shadow", names.rules() + "-counts", MOST_PAIRS);
        access.createTopics(
                List.of(KafkaAccess.keptForEver(shadow.rules()), topic(shadow.counts(), 1)));
        new RuleLoad(site.bootstrap, shadow.rules(), rules).close();
        return shadow;
    }

    /** The topic of packets of a run that warms up. */
    String warm() {
        return names.packets() + WARM;
    }

    /** Creates the topic of a run's verdicts; returns its name. */
    String createVerdicts(String run) {
        String topic = names.verdicts() + "-" + run;
        access.createTopics(List.of(topic(topic, site.options.partitions())));
        return topic;
    }

    /** Bytes that a topic takes on the brokers' disks, replicas included. */
    long storedBytes(String topic) throws InterruptedException {
        try (Admin admin = new KafkaClients(site.bootstrap).admin(PATIENCE)) {
            List<Integer> brokers =
                    admin.describeCluster().nodes().get().stream().map(Node::id).toList();
            return admin.describeLogDirs(brokers).allDescriptions().get().values().stream()
                    .flatMap(folders -> folders.values().stream())
                    .flatMap(folder -> folder.replicaInfos().entrySet().stream())
                    .filter(replica -> replica.getKey().topic().equals(topic))
                    .mapToLong(replica -> replica.getValue().size())
                    .sum();
        } catch (ExecutionException e) {
            throw new SluiceException(
                    "the size of topic %s cannot be asked for: %s".formatted(topic, e.getMessage()),
                    e);
        }
    }

    /** Writes blocks of a trace's headers, again and again. */
    Filled fillBlocks(String topic, HeaderTrace trace, int shards, long headers)
            throws InterruptedException {
        int fillers = Math.max(1, Math.min(MOST_FILLERS, site.options.parallelism / 2));
        BlockCycle blocks =
                new BlockCycle(
                        LoadHeaders.ofConnections(trace, site.options.connections),
                        new BlockCycle.Cut("bench", shards, CorridorOptions.BLOCK_SIZE),
                        headers);
        try (Progress progress = new Progress(site.err, "writing blocks", "headers");
                TopicLoad load =
                        new TopicLoad(
                                new TopicLoad.Target(
                                        new KafkaClients(site.bootstrap),
                                        topic,
                                        CompressionType.NONE,
                                        fillers,
                                        shards),
                                i -> blocks.feed(i, fillers),
                                new Pacer(0, Long.MAX_VALUE, LoadClock.system()),
                                headers)) {
            while (!load.await(LOOK_MILLIS)) {
                site.directory.requireSpace();
                progress.at(load.count().headers(), headers, true);
            }
            return new Filled(topic, load.count().headers(), load.count().bytes());
        }
    }

    /** Deletes all topics whose names end as this run's do, or go on from there. */
    @Override
    public void close() {
        try {
            if (!end.isEmpty()) {
                access.deleteTopics(name -> name.contains(end));
            }
        } finally {
            access.close();
        }
    }
}
