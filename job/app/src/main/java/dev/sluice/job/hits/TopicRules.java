package dev.sluice.job.hits;

import dev.sluice.engine.rules.Rule;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.job.kafka.KafkaAccess;
import dev.sluice.job.kafka.KafkaClients;
import dev.sluice.job.ruletopic.RuleLogEntry;
import dev.sluice.job.ruletopic.RuleScan;
import dev.sluice.job.ruletopic.RuleTopic;
import dev.sluice.operators.rules.topic.Version;
import dev.sluice.policy.io.Amount;
import dev.sluice.policy.io.SluiceException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;

/**
 * Rules of a rules topic, and rules removed since the oldest record that the topic retains.
 *
 * <p>Memory: every rule of the newest history once, of removed ones at most a given number. Not
 * thread-safe.
 */
public final class TopicRules {
    /** Rules by id, in their last form, those that came last behind. */
    private final Map<Long, Rule> known = new LinkedHashMap<>();

    private final RuleScan scan = new RuleScan(this::learn);
    private final int mostRemoved;
    private int malformed; // the job makes dead letters of them and keeps its rules

    /**
     * No rules, before the first message.
     *
     * @param mostRemoved most removed rules that are remembered, up to twice as many for a time
     */
    public TopicRules(int mostRemoved) {
        this.mostRemoved = mostRemoved;
    }

    /**
     * Reads a topic to its end.
     *
     * @throws SluiceException if there is no such topic, or it holds no complete version
     */
    public static KnownRules read(KafkaClients kafka, String topic) {
        KafkaAccess.requireReadable(kafka, topic);
        TopicRules rules = new TopicRules(Integer.MAX_VALUE);
        try (RuleTopic open = new RuleTopic(kafka, topic)) {
            open.readOn(rules.scan);
        }
        KnownRules known = rules.known();
        if (known == null) {
            throw new SluiceException(
                    "topic %s holds no complete rule set (malformed: %s); publish one with sluice rules publish, or name a file with --rules"
                            .formatted(topic, Amount.of(rules.malformed, "message")));
        }
        return known;
    }

    /** Takes the next message of the topic. */
    public void take(ConsumerRecord<byte[], byte[]> message) {
        scan.accept(message);
    }

    private void learn(RuleLogEntry entry, @Nullable Version version) {
        if (version == null) {
            malformed++;
            return;
        }
        if (version.newHistory()) {
            known.clear();
        }
        for (Rule rule : version.transaction().puts()) {
            if (rule.isSeen()) {
                known.remove(rule.id());
                known.put(rule.id(), rule);
            }
        }
        RuleSet all = known.size() / 2 > mostRemoved ? scan.book().ruleSet() : null;
        if (all != null && known.size() - all.size() > 2L * mostRemoved) {
            forget(all);
        }
    }

    private void forget(RuleSet inForce) {
        Set<Long> stay = new HashSet<>();
        inForce.rules().forEach(rule -> stay.add(rule.id()));
        int over = known.size() - inForce.size() - mostRemoved;
        for (Iterator<Long> ids = known.keySet().iterator(); over > 0 && ids.hasNext(); ) {
            if (!stay.contains(ids.next())) {
                ids.remove();
                over--;
            }
        }
    }

    /** Returns a rule in its last form; null: none of this id is known. */
    public @Nullable Rule rule(long id) {
        return known.get(id);
    }

    /** Returns the default action of the newest version; empty before the first. */
    public String defaultAction() {
        RuleSet inForce = scan.book().ruleSet();
        return inForce == null ? "" : inForce.defaultAction();
    }

    /** Returns the rules so far; null before the first version. */
    public @Nullable KnownRules known() {
        RuleSet inForce = scan.book().ruleSet();
        if (inForce == null) {
            return null;
        }
        inForce = inForce.seen();
        Map<Long, Rule> removed = new HashMap<>(known);
        inForce.rules().forEach(rule -> removed.remove(rule.id()));
        // A removed rule has no line any more.
        removed.replaceAll((id, rule) -> rule.onLine(0));
        return new KnownRules(scan.book().history(), inForce, removed);
    }
}
