package dev.sluice.job.hits;

import dev.sluice.engine.rules.Rule;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.job.kafka.KafkaAccess;
import dev.sluice.job.kafka.KafkaClients;
import dev.sluice.job.ruletopic.RuleScan;
import dev.sluice.job.ruletopic.RuleTopic;
import dev.sluice.policy.io.Amount;
import dev.sluice.policy.io.SluiceException;
import java.util.HashMap;
import java.util.Map;

/**
 * Reader of the rules of a rules topic, and of rules removed since the oldest record that the topic
 * retains.
 *
 * <p>Memory: every rule of the newest history once.
 */
public final class TopicRules {
    private TopicRules() {}

    /**
     * Reads a topic to its end.
     *
     * @throws SluiceException if there is no such topic, or it holds no complete version
     */
    public static KnownRules read(KafkaClients kafka, String topic) {
        KafkaAccess.requireReadable(kafka, topic);
        Map<Long, Rule> known = new HashMap<>(); // by id, in the last form
        int[] malformed = new int[1]; // the job makes dead letters of them and keeps its rules
        RuleScan scan =
                new RuleScan(
                        (entry, version) -> {
                            if (version == null) {
                                malformed[0]++;
                                return;
                            }
                            if (version.newHistory()) {
                                known.clear();
                            }
                            version.transaction().puts().stream()
                                    .filter(Rule::isSeen)
                                    .forEach(rule -> known.put(rule.id(), rule));
                        });
        try (RuleTopic open = new RuleTopic(kafka, topic)) {
            open.readOn(scan);
        }
        RuleSet inForce = scan.book().ruleSet();
        if (inForce == null) {
            throw new SluiceException(
                    "topic %s holds no complete rule set (malformed: %s); publish one with sluice rules publish, or name a file with --rules"
                            .formatted(topic, Amount.of(malformed[0], "message")));
        }
        inForce = inForce.seen();
        inForce.rules().forEach(rule -> known.remove(rule.id()));
        // A removed rule has no line any more.
        known.replaceAll((id, rule) -> rule.onLine(0));
        return new KnownRules(scan.book().history(), inForce, known);
    }
}
