package dev.sluice.job.cli;

import dev.sluice.engine.rules.RuleSet;
import dev.sluice.job.UsageException;
import dev.sluice.job.kafka.KafkaAccess;
import dev.sluice.job.kafka.KafkaRefusedException;
import dev.sluice.job.replay.Progress;
import dev.sluice.job.ruletopic.RuleHeartbeats;
import dev.sluice.job.ruletopic.RuleKeep;
import dev.sluice.job.ruletopic.RulePublisher;
import dev.sluice.job.ruletopic.RuleStanding;
import dev.sluice.job.ruletopic.RuleTopic;
import dev.sluice.job.ruletopic.RuleTopicSettings;
import dev.sluice.policy.io.SluiceException;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.resource.PatternType;
import org.jspecify.annotations.Nullable;

/**
 * Opens the rules topic that a command's options name. Warnings go to stderr, and progress where
 * there is much to read.
 */
final class RulesTopic implements RuleTopic.Progress, AutoCloseable {
    /** Fewer records are read before a bar is of use. */
    private static final long LONG_WORK = 2_000;

    private final TopicOptions topics;
    private final String name;
    private final PrintWriter err;
    private @Nullable Progress progress;

    RulesTopic(TopicOptions topics, PrintWriter err) {
        this(topics, topics.name(TopicOptions.Topic.RULES), err);
    }

    private RulesTopic(TopicOptions topics, String name, PrintWriter err) {
        this.topics = topics;
        this.name = name;
        this.err = err;
    }

    /** Another topic of the same brokers. */
    RulesTopic other(String topic) {
        return new RulesTopic(topics, topic, err);
    }

    /** Name of the topic. */
    String name() {
        return name;
    }

    /** Reads the topic, which must exist. */
    <T> T read(Function<RuleTopic, T> reading) {
        check(false, access -> {});
        try (RuleTopic topic = new RuleTopic(topics.kafka(), name(), this)) {
            return reading.apply(topic);
        } finally {
            close();
        }
    }

    /**
     * A publisher.
     *
     * @param create whether the topic is made if it does not exist
     */
    RulePublisher publisher(SnapshotOptions options, boolean create) {
        RulePublisher.Options how = options.toOptions(name());
        check(
                create,
                access -> {
                    access.requireTopics(AclOperation.WRITE, name());
                    access.requireTransactionalIds(
                            RulePublisher.transactionalId(name()), PatternType.LITERAL);
                });
        return new RulePublisher(topics.kafka(), how, this);
    }

    /** Heartbeats for the topic, which must exist. */
    RuleHeartbeats heartbeats() {
        check(false, access -> access.requireTopics(AclOperation.WRITE, name()));
        return new RuleHeartbeats(topics.kafka(), name());
    }

    /**
     * The rules of which single ones are to be changed; an empty set of this name where a topic has
     * none.
     *
     * @throws SluiceException if nobody can know them any more, or they are parts of a policy,
     *     which follow from its file
     */
    RuleSet editable(RuleStanding base, String name, String defaultAction) {
        requireKnown(base);
        RuleSet rules = base.rulesOr(name, defaultAction);
        if (rules.isPolicy()) {
            throw new SluiceException(
                    "topic %s holds the policy %s, of which no line is changed by itself; edit its file and publish that with sluice rules publish --rules FILE#CHAIN"
                            .formatted(name(), rules.name()));
        }
        return rules;
    }

    /** Fails if there are rules in the topic that nobody can know any more. */
    void requireKnown(RuleStanding base) {
        if (base.lost()) {
            throw new SluiceException(
                    ("the rules of topic %s were deleted up to offset %d, so there is nothing to change;"
                                    + " publish all of them with sluice rules publish --rules FILE")
                            .formatted(name(), base.start()));
        }
    }

    /**
     * Waits for a broker that does not answer yet, and says so.
     *
     * @throws SluiceException if none does within that time
     */
    void awaitBroker(Duration longest) {
        long until = System.nanoTime() + longest.toNanos();
        boolean said = false;
        while (true) {
            try {
                new KafkaAccess(topics.kafka()).close();
                return;
            } catch (UsageException | KafkaRefusedException e) {
                throw e;
            } catch (SluiceException e) {
                if (System.nanoTime() - until > 0 || Thread.currentThread().isInterrupted()) {
                    throw e;
                }
                if (!said) {
                    said = true;
                    say(
                            "%s; it is waited for, %d minutes at most"
                                    .formatted(e.getMessage(), longest.toMinutes()));
                }
            }
        }
    }

    /** Says something on stderr. */
    void say(String text) {
        err.println("sluice: " + text);
    }

    private void check(boolean create, Consumer<KafkaAccess> rights) {
        try (KafkaAccess access = new KafkaAccess(topics.kafka());
                RuleTopicSettings settings = new RuleTopicSettings(topics.kafka(), name())) {
            if (create && !access.readable(name())) {
                access.createTopics(List.of(KafkaAccess.keptForEver(name())));
                err.println(
                        "sluice: created topic " + name() + " with one partition, kept for ever");
            }
            List<String> warnings = settings.check();
            access.requireTopics(AclOperation.READ, name());
            warnings.forEach(warning -> err.println("sluice: warning: " + warning));
            rights.accept(access);
        }
    }

    /** Deletes what is not kept any more; the rules are published already. */
    void trim(RulePublisher publisher) {
        try {
            RuleKeep.Snapshot first = publisher.deleteOld();
            if (first != null) {
                err.printf(
                        "sluice: deleted the records of the versions before %d (before offset %,d)%n",
                        first.version(), first.offset());
            }
        } catch (SluiceException e) {
            throw new SluiceException(
                    "the rules are published, but older ones are not deleted: " + e.getMessage(),
                    e);
        }
    }

    @Override
    public void at(long done, long total) {
        if (total < LONG_WORK) {
            return;
        }
        Progress shown = progress;
        if (shown == null) {
            shown = new Progress(err, "reading " + name(), "records");
            progress = shown;
        }
        shown.at(done, total, true);
    }

    /** Ends the progress of reading. */
    @Override
    public void close() {
        Progress shown = progress;
        progress = null;
        if (shown != null) {
            shown.close();
        }
    }
}
