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
 * Rules of the rules topic by history and version.
 *
 * <p>The topic is read when a version is requested that was not read yet. An empty history stands
 * for the newest. Not thread-safe.
 */
public final class RuleHistory implements VerdictRows.Rules, AutoCloseable {
    private static final RuleVersions NONE = new RuleVersions();

    private final RuleTopic topic;
    private final RuleScan scan = new RuleScan(this::learn);

    /** Versions by the id of their history. */
    private final Map<String, RuleVersions> versions = new HashMap<>();

    /**
     * Versions that were looked for in the topic: each once, since a version precedes its verdicts.
     */
    private final Set<Sought> sought = new HashSet<>();

    private long passedOver;

    /** Version as a verdict names it. */
    private record Sought(String history, long version) {}

    /** Opens the rules topic. */
    public RuleHistory(KafkaClients kafka, String topic) {
        this.topic = new RuleTopic(kafka, topic);
    }

    @Override
    public RuleFacts rule(long id, String history, long version) {
        return known(history, version).facts(id, version);
    }

    @Override
    public String defaultAction(String history, long version) {
        return known(history, version).defaultAction(version);
    }

    /**
     * Returns the versions of a history; reads on if the requested version is newer than all known
     * ones.
     */
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
            passedOver++; // the job has made a dead letter of it
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

    /**
     * Returns the number of malformed messages and transactions of the rules topic, which changed
     * nothing.
     */
    public long passedOver() {
        return passedOver;
    }

    @Override
    public void close() {
        topic.close();
    }
}
