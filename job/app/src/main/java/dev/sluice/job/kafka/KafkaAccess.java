package dev.sluice.job.kafka;

import static org.apache.kafka.common.resource.PatternType.LITERAL;
import static org.apache.kafka.common.resource.ResourceType.GROUP;
import static org.apache.kafka.common.resource.ResourceType.TOPIC;
import static org.apache.kafka.common.resource.ResourceType.TRANSACTIONAL_ID;

import dev.sluice.job.UsageException;
import dev.sluice.policy.io.SluiceException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.apache.kafka.clients.ClientDnsLookup;
import org.apache.kafka.clients.ClientUtils;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.DescribeTopicsOptions;
import org.apache.kafka.clients.admin.ListTransactionsOptions;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.clients.admin.TransactionListing;
import org.apache.kafka.clients.admin.TransactionState;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.config.TopicConfig;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.ClusterAuthorizationException;
import org.apache.kafka.common.errors.InvalidTopicException;
import org.apache.kafka.common.errors.TopicExistsException;
import org.apache.kafka.common.errors.TransactionalIdNotFoundException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.apache.kafka.common.resource.PatternType;
import org.apache.kafka.common.resource.ResourcePattern;
import org.apache.kafka.common.resource.ResourceType;
import org.jspecify.annotations.Nullable;

/** Checks and administration of a Kafka cluster before a command starts, with clear errors. */
public final class KafkaAccess implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(15);
    private static final Duration CONNECT = Duration.ofSeconds(1);

    /** Seconds after which a broker counts as absent where no address takes connections. */
    private static final long ABSENT_SECONDS = 3;

    private static final Duration LOOK = Duration.ofMillis(20);

    private final KafkaClients kafka;
    private final Admin admin;

    /**
     * Connects.
     *
     * @throws SluiceException if no broker answers within 15 s, or none takes connections within 3
     *     s
     */
    public KafkaAccess(KafkaClients kafka) {
        this.kafka = kafka;
        try {
            admin = kafka.admin(PATIENCE);
        } catch (KafkaException e) {
            throw KafkaRefusal.ofConfiguration(kafka, e)
                    .orElseGet(
                            () ->
                                    new UsageException(
                                            "--bootstrap %s is no address of a broker; write HOST:PORT"
                                                    .formatted(kafka),
                                            e));
        }
        try {
            awaitAnswer(admin.describeCluster().nodes());
        } catch (ExecutionException | TimeoutException e) {
            admin.close(Duration.ZERO);
            throw KafkaRefusal.of(kafka, e).orElseGet(() -> silent(e));
        } catch (InterruptedException e) {
            admin.close(Duration.ZERO);
            throw interrupted(e);
        }
    }

    private void awaitAnswer(KafkaFuture<?> answer)
            throws ExecutionException, InterruptedException, TimeoutException {
        try {
            answer.get(ABSENT_SECONDS, TimeUnit.SECONDS);
        } catch (TimeoutException e) {
            if (!isTaken(kafka.bootstrap())) {
                throw e;
            }
            answer.get(PATIENCE.toSeconds() + 1 - ABSENT_SECONDS, TimeUnit.SECONDS);
        }
    }

    private SluiceException silent(Exception e) {
        return new SluiceException(
                isTaken(kafka.bootstrap())
                        ? "a Kafka broker at %s takes connections, but has not answered for %d s: it is starting, busy, hung, or needs another security.protocol (--kafka-config); try again, and look at its log"
                                .formatted(kafka, PATIENCE.toSeconds())
                        : "no Kafka broker answers at "
                                + kafka
                                + "; check --bootstrap and that the broker runs",
                e);
    }

    /** Tells whether one of the addresses accepts connections. */
    private static boolean isTaken(String bootstrap) {
        return ClientUtils.parseAndValidateAddresses(
                        List.of(bootstrap.split(",")), ClientDnsLookup.USE_ALL_DNS_IPS)
                .stream()
                .anyMatch(KafkaAccess::isTaken);
    }

    private static boolean isTaken(InetSocketAddress address) {
        try (Socket socket = new Socket()) {
            socket.connect(address, (int) CONNECT.toMillis());
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    /**
     * Fails with one line if a topic does not exist, or may not be used.
     *
     * @param operation that this client needs on all of them
     */
    public void requireTopics(AclOperation operation, String... topics) {
        Set<String> missing = missing(operation, Set.of(topics));
        if (!missing.isEmpty()) {
            throw new SluiceException(
                    (missing.size() == 1
                                    ? "topic %s does not exist at %s; create it, or add --create-topics"
                                    : "topics %s do not exist at %s; create them, or add --create-topics")
                            .formatted(String.join(", ", missing), kafka));
        }
    }

    /**
     * Fails with one line if a topic to read does not exist; the line lists the existing topics.
     */
    public static void requireReadable(KafkaClients kafka, String topic) {
        try (KafkaAccess access = new KafkaAccess(kafka)) {
            if (!access.readable(topic)) {
                Set<String> there = new TreeSet<>(access.existing());
                throw new SluiceException(
                        "topic %s does not exist at %s; check its name%s"
                                .formatted(
                                        topic,
                                        kafka,
                                        there.isEmpty()
                                                ? " and --bootstrap: no topic is there yet"
                                                : "; there are: " + String.join(", ", there)));
            }
        }
    }

    private Set<String> missing(AclOperation operation, Set<String> topics) {
        Set<String> missing = new TreeSet<>();
        DescribeTopicsOptions asked = new DescribeTopicsOptions().includeAuthorizedOperations(true);
        for (String topic : new TreeSet<>(topics)) {
            Right right = new Right(operation, TOPIC, topic, LITERAL);
            var described =
                    ask(
                            "topic " + topic + " cannot be described",
                            Objects.requireNonNull(
                                    admin.describeTopics(List.of(topic), asked)
                                            .topicNameValues()
                                            .get(topic)),
                            right,
                            UnknownTopicOrPartitionException.class,
                            InvalidTopicException.class);
            if (described == null) {
                missing.add(topic);
            } else if (described.authorizedOperations() != null
                    && !described.authorizedOperations().contains(operation)) {
                throw right.denied(kafka, null);
            }
        }
        return missing;
    }

    /**
     * Fails with one line if a consumer group may not be used.
     *
     * @param operation that the client then lacks
     */
    public void requireGroup(AclOperation operation, String group) {
        ask(
                "the offsets of group " + group + " cannot be read",
                admin.listConsumerGroupOffsets(group).partitionsToOffsetAndMetadata(),
                new Right(operation, GROUP, group, LITERAL));
    }

    /**
     * Fails with one line if a transactional id may not be used.
     *
     * @param prefix of the ids, or the id
     * @param pattern whether it is a prefix
     */
    public void requireTransactionalIds(String prefix, PatternType pattern) {
        ask(
                "transactional id " + prefix + " cannot be described",
                admin.describeTransactions(List.of(prefix)).description(prefix),
                new Right(AclOperation.WRITE, TRANSACTIONAL_ID, prefix, pattern),
                TransactionalIdNotFoundException.class);
    }

    /**
     * Tells whether a topic to read exists.
     *
     * @throws SluiceException if this client may not read it
     */
    public boolean readable(String topic) {
        return missing(AclOperation.READ, Set.of(topic)).isEmpty();
    }

    /** Tells whether a topic exists. */
    public boolean exists(String topic) {
        return existing().contains(topic);
    }

    /** Returns the transactional ids of the open transactions. */
    public Set<String> openTransactions() {
        var open = new ListTransactionsOptions().filterStates(Set.of(TransactionState.ONGOING));
        return get("the transactions cannot be listed", admin.listTransactions(open).all()).stream()
                .map(TransactionListing::transactionalId)
                .collect(Collectors.toSet());
    }

    /** Creates the topics that do not exist. */
    public void createTopics(Collection<NewTopic> topics) {
        Set<String> there = existing();
        List<NewTopic> absent = topics.stream().filter(t -> !there.contains(t.name())).toList();
        admin.createTopics(absent)
                .values()
                .forEach(
                        (topic, created) ->
                                ask(
                                        "topic " + topic + " cannot be created",
                                        created,
                                        new Right(AclOperation.CREATE, TOPIC, topic, LITERAL),
                                        TopicExistsException.class));
        awaitTopics(absent.stream().map(NewTopic::name).toList());
    }

    /**
     * Waits until the leaders of all partitions serve. A broker may learn of a new topic later than
     * the controller. Where a leader does not know its partition yet, it refuses a producer's first
     * batch, may take the next one, and then refuses the first one for ever.
     */
    private void awaitTopics(List<String> names) {
        String failed = "the topics " + names + " were created but do not serve";
        long end = System.nanoTime() + PATIENCE.toNanos();
        Map<String, TopicDescription> there = null;
        while (there == null) {
            there =
                    ask(
                            failed,
                            admin.describeTopics(names).allTopicNames(),
                            null,
                            UnknownTopicOrPartitionException.class);
            if (there == null && System.nanoTime() - end > 0) {
                throw new SluiceException(failed + "; try again");
            }
            LockSupport.parkNanos(there == null ? LOOK.toNanos() : 0);
        }
        Map<TopicPartition, OffsetSpec> ends = new HashMap<>();
        there.forEach(
                (topic, described) ->
                        described
                                .partitions()
                                .forEach(
                                        of ->
                                                ends.put(
                                                        new TopicPartition(topic, of.partition()),
                                                        OffsetSpec.latest())));
        get(failed, admin.listOffsets(ends).all());
    }

    /**
     * Returns the topics as Sluice creates them.
     *
     * <p>Rules have one partition and unlimited retention. Statistics are compacted. Windows of
     * statistics are compacted, with the broker's retention.
     */
    public static List<NewTopic> newTopics(TopicNames names, int partitions) {
        Optional<Short> replication = Optional.empty(); // the broker's default
        return List.of(
                new NewTopic(names.packets(), Optional.of(partitions), replication),
                keptForEver(names.rules()),
                new NewTopic(names.verdicts(), Optional.of(partitions), replication),
                new NewTopic(names.deadLetters(), Optional.of(1), replication),
                new NewTopic(names.statistics(), Optional.of(partitions), replication)
                        .configs(Map.of("cleanup.policy", "compact")),
                compactedForATime(names.statisticsWindows(), partitions));
    }

    /** Returns a compacted topic with the broker's retention, as windows and connections need. */
    public static NewTopic compactedForATime(String name, int partitions) {
        return new NewTopic(name, Optional.of(partitions), Optional.<Short>empty())
                .configs(Map.of("cleanup.policy", "compact,delete"));
    }

    /** Returns a topic of one partition with unlimited retention, as rules need. */
    public static NewTopic keptForEver(String name) {
        return new NewTopic(name, Optional.of(1), Optional.<Short>empty())
                .configs(
                        Map.of(
                                TopicConfig.CLEANUP_POLICY_CONFIG, "delete",
                                TopicConfig.RETENTION_MS_CONFIG, "-1",
                                TopicConfig.RETENTION_BYTES_CONFIG, "-1"));
    }

    /** Deletes topics by their names. */
    public void deleteTopics(Predicate<String> which) {
        ask(
                "the topics cannot be deleted",
                admin.deleteTopics(existing().stream().filter(which).toList()).all(),
                null);
    }

    /** Returns the id of the Kafka cluster, which is the same for all its addresses. */
    public String clusterId() {
        return get(
                "the id of the Kafka cluster cannot be asked for",
                admin.describeCluster().clusterId());
    }

    private Set<String> existing() {
        return get("the topics cannot be listed", admin.listTopics().names());
    }

    /**
     * Fails if brokers do not allow transactions of this length; otherwise the sink would fail at
     * its first checkpoint.
     */
    public void requireTransactionTimeout(Duration timeout) {
        String failure = "the broker's transaction.max.timeout.ms cannot be read";
        Node node = get(failure, admin.describeCluster().nodes()).iterator().next();
        ConfigResource broker = new ConfigResource(ConfigResource.Type.BROKER, node.idString());
        // The right to look is optional; the sinks report the failure.
        var configs =
                ask(
                        failure,
                        admin.describeConfigs(List.of(broker)).all(),
                        null,
                        ClusterAuthorizationException.class);
        ConfigEntry entry =
                configs == null
                        ? null
                        : configs.values().iterator().next().get("transaction.max.timeout.ms");
        if (entry != null
                && entry.value() != null
                && Long.parseLong(entry.value()) < timeout.toMillis()) {
            throw new SluiceException(
                    "the broker allows transactions of at most %s ms, --transaction-timeout asks for %d ms; lower it, or raise transaction.max.timeout.ms"
                            .formatted(entry.value(), timeout.toMillis()));
        }
    }

    /** Right that a question needs. */
    private record Right(
            AclOperation operation, ResourceType type, String name, PatternType pattern) {
        KafkaRefusedException denied(KafkaClients kafka, @Nullable Throwable cause) {
            ResourcePattern resource = new ResourcePattern(type, name, pattern);
            return KafkaRefusal.denied(kafka, operation, resource, cause);
        }
    }

    /**
     * Waits for an answer.
     *
     * @param failed how the sentence begins if there is none
     * @param right that the question needs; null: none that the sentence is to name
     * @param absent failures which say that there is no such thing
     * @return null if there is no such thing
     */
    @SafeVarargs
    private <T> @Nullable T ask(
            String failed,
            KafkaFuture<T> answer,
            @Nullable Right right,
            Class<? extends Exception>... absent) {
        try {
            return answer.get();
        } catch (InterruptedException e) {
            throw interrupted(e);
        } catch (ExecutionException e) {
            Throwable cause = e.getCause() == null ? e : e.getCause();
            if (right != null && cause instanceof AuthorizationException) {
                throw right.denied(kafka, e);
            }
            for (Class<? extends Exception> type : absent) {
                if (type.isInstance(cause)) {
                    return null;
                }
            }
            throw new SluiceException(failed + " at " + kafka + ": " + cause.getMessage(), cause);
        }
    }

    /** Waits for an answer that there must be. */
    private <T> T get(String failed, KafkaFuture<T> answer) {
        return Objects.requireNonNull(ask(failed, answer, null));
    }

    private static SluiceException interrupted(InterruptedException e) {
        Thread.currentThread().interrupt();
        return new SluiceException("interrupted", e);
    }

    @Override
    public void close() {
        admin.close(Duration.ofSeconds(2));
    }
}
