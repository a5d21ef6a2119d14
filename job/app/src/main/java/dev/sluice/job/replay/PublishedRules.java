package dev.sluice.job.replay;

import dev.sluice.engine.rules.Rule;
import dev.sluice.engine.rules.RuleDelta;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.engine.walk.Walk;
import dev.sluice.job.hits.KnownRules;
import dev.sluice.job.kafka.KafkaClients;
import dev.sluice.job.rules.RuleContent;
import dev.sluice.job.ruletopic.RuleDraft;
import dev.sluice.job.ruletopic.RulePublisher;
import dev.sluice.operators.rules.history.RuleDiff;
import dev.sluice.policy.io.SluiceException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Versions of the rules that a replay has published, with their rules. Not thread-safe. */
final class PublishedRules {
    private final Map<Long, Map<Long, Rule>> byVersion = new HashMap<>();
    private final NavigableMap<Long, RuleSet> versions = new TreeMap<>();

    private PublishedRules() {}

    /**
     * Publishes versions to an empty topic: the first as a snapshot, the others as deltas. All have
     * the name of the first file.
     */
    static PublishedRules publish(
            KafkaClients kafka, String topic, String defaultAction, List<RuleVersionFile> files) {
        PublishedRules published = new PublishedRules();
        try (RulePublisher publisher =
                new RulePublisher(kafka, RulePublisher.Options.of(topic), (done, total) -> {})) {
            publisher.takeOver();
            RuleSet before = null;
            for (RuleVersionFile version : files) {
                before = published.publish(publisher, before, version, defaultAction);
            }
        }
        return published;
    }

    private RuleSet publish(
            RulePublisher publisher,
            @Nullable RuleSet before,
            RuleVersionFile version,
            String defaultAction) {
        String name = before == null ? version.file().toString() : before.name();
        List<Rule> after;
        RuleDraft draft;
        if (before == null) {
            after = RuleSet.of(name, 0, defaultAction, version.rules().rules()).rules();
            draft = RuleDraft.snapshot(name, defaultAction, version.effectiveTimeNs(), after);
        } else {
            RuleDelta delta = RuleDiff.between(before, version.rules().rules());
            RuleContent content = new RuleContent(before.rules());
            content.apply(delta);
            after = content.rules();
            draft = RuleDraft.delta(name, defaultAction, version.effectiveTimeNs(), delta);
        }
        Map<Long, Rule> byId = new HashMap<>();
        after.forEach(rule -> byId.put(rule.id(), rule));
        long first = versions.isEmpty() ? 1 : newest() + 1;
        long last = publisher.publish(List.of(draft), () -> after).version();
        RuleSet rules = RuleSet.of(name, last, defaultAction, after);
        // The publisher may have added a snapshot of the same rules.
        for (long number = first; number <= last; number++) {
            byVersion.put(number, byId);
            versions.put(number, rules);
        }
        return rules;
    }

    /**
     * Returns the rules of the newest version that was not refused, and the rules of versions
     * before it.
     */
    KnownRules known(Set<Long> refused) {
        RuleSet newest = versions.lastEntry().getValue();
        RuleSet inForce =
                RuleSet.of(newest.name(), 0, newest.defaultAction(), List.of()); // all refused
        Map<Long, Rule> removed = new HashMap<>();
        for (Map.Entry<Long, RuleSet> version : versions.entrySet()) {
            if (!refused.contains(version.getKey())) {
                inForce.seen().rules().forEach(rule -> removed.put(rule.id(), rule));
                inForce = version.getValue();
            }
        }
        inForce.rules().forEach(rule -> removed.remove(rule.id()));
        return new KnownRules("", inForce.seen(), removed);
    }

    /** Returns whether the versions are policies. */
    boolean arePolicies() {
        return versions.firstEntry().getValue().isPolicy();
    }

    /** Returns whether a version is a policy of several stages. */
    boolean haveStages() {
        return arePolicies()
                && versions.values().stream().anyMatch(rules -> Walk.earlierStages(rules) > 0);
    }

    /** Returns the number of the newest version. */
    long newest() {
        return versions.lastKey();
    }

    /**
     * Returns a rule as of a version.
     *
     * @throws SluiceException if there is no such rule
     */
    Rule rule(long version, long id) {
        Rule rule = byVersion.getOrDefault(version, Map.of()).get(id);
        if (rule == null) {
            throw new SluiceException(
                    "a verdict names rule %s, which version %s of the rules does not hold"
                            .formatted(id, version));
        }
        return rule;
    }
}
