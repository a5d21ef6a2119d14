package dev.sluice.job.read;

import dev.sluice.engine.rules.RuleDelta;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.job.kafka.KafkaClients;
import dev.sluice.job.read.VerdictRow.RuleFacts;
import dev.sluice.job.ruletopic.RuleLogEntry;
import dev.sluice.job.ruletopic.RuleScan;
import dev.sluice.job.ruletopic.RuleTopic;
import dev.sluice.operators.rules.topic.Version;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What the rules topic says of each rule, version by version, in each history that it holds. It is
 * read when a version is asked for that was not read yet. Where no history is named, the newest
 * counts. Not thread-safe.
 */
public final class RuleHistory implements AutoCloseable {
    private static final RuleVersions NONE = new RuleVersions();

    private final RuleTopic topic;
    private final RuleScan scan = new RuleScan(this::learn);

    /** By the id of their history. */
    private final Map<String, RuleVersions> versions = new HashMap<>();

    /** Versions that were looked for in the topic: each once, as a verdict never precedes them. */
    private final Set<Sought> sought = new HashSet<>();

    private long passedOver;

    /** A version as a verdict names it. */
    private record Sought(String history, long version) {}

    /** The history in a rules topic. */
    public RuleHistory(KafkaClients kafka, String topic) {
        this.topic = new RuleTopic(kafka, topic);
    }

    /**
     * What a rule was in a version; {@link RuleFacts#UNKNOWN} where the topic does not say.
     *
     * @param history id of the history that the version is a number of; empty: the newest
     */
    RuleFacts rule(long id, String history, long version) {
        return known(history, version).facts(id, version);
    }

    /** As {@link #rule}, the default action of the version; empty where the topic does not say. */
    String defaultAction(String history, long version) {
        return known(history, version).defaultAction(version);
    }

    /** The versions of a history, read on where the one asked for is newer than what is known. */
    private RuleVersions known(String history, long version) {
        if (!of(history).reaches(version) && sought.add(new Sought(history, version))) {
            topic.readOn(scan);
        }
        return of(history);
    }

    private RuleVersions of(String history) {
        String named = history.isEmpty() ? scan.book().history() : history;
        return versions.getOrDefault(named, NONE);
    }

    private void learn(RuleLogEntry entry, @Nullable Version version) {
        if (version == null) {
            passedOver++; // as the job did, which has made a dead letter of it
            return;
        }
        RuleVersions known =
                versions.computeIfAbsent(version.history(), fresh -> new RuleVersions());
        RuleDelta delta = version.delta();
        if (delta == null) {
            RuleSet all = scan.book().newest();
            known.replace(version.number(), all.defaultAction(), all.rules());
        } else {
            known.change(version.number(), version.transaction().defaultAction(), delta);
        }
    }

    /** Messages and transactions of the rules topic that changed nothing, as they are malformed. */
    public long passedOver() {
        return passedOver;
    }

    @Override
    public void close() {
        topic.close();
    }
}
