package dev.sluice.job.archive;

import dev.sluice.engine.lookup.VerdictBatch;
import dev.sluice.engine.rules.Rule;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.engine.walk.Walk;
import dev.sluice.operators.rules.topic.RuleRecords;
import dev.sluice.operators.rules.topic.RuleSetMessages;
import dev.sluice.schemas.codec.MalformedMessageException;
import dev.sluice.schemas.codec.RuleChange;
import java.io.Serializable;
import java.lang.ref.SoftReference;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Rules of an archive's job, serialized for its tasks as messages of a rules topic. Each process
 * decodes them once, and caches them while memory allows.
 */
final class ArchiveRules implements Serializable {
    private static final long serialVersionUID = 1L;

    /** Cache of this process; guarded by itself. */
    private static final Map<UUID, SoftReference<RuleSet>> READ = new HashMap<>();

    private final UUID id = UUID.randomUUID();
    private final ArrayList<byte[]> messages;

    /** Serializes the rules. */
    ArchiveRules(RuleSet rules) {
        messages = new ArrayList<>(messages(id.toString(), rules.name(), rules));
    }

    /**
     * Returns rules as the messages of a transaction.
     *
     * @param transaction its id
     * @param name of the rules
     */
    static List<byte[]> messages(String transaction, String name, RuleSet rules) {
        RuleChange begin =
                RuleChange.begin(
                        transaction,
                        rules.version(),
                        null,
                        RuleChange.Kind.SNAPSHOT,
                        name,
                        rules.defaultAction());
        return RuleSetMessages.snapshot(begin, rules.rules());
    }

    /** Returns an id that distinguishes the rules of one job from the rules of another. */
    UUID id() {
        return id;
    }

    /** Returns the rules. */
    RuleSet rules() {
        synchronized (READ) {
            READ.values().removeIf(reference -> reference.get() == null);
            SoftReference<RuleSet> known = READ.get(id);
            RuleSet rules = known == null ? null : known.get();
            if (rules == null) {
                rules = read();
                READ.put(id, new SoftReference<>(rules));
            }
            return rules;
        }
    }

    /** Returns the rules that answer: a verdict is a position in them. */
    RuleSet answers() {
        return rules().seen();
    }

    /** Returns the most stages that a packet passes before the one that decides. */
    int stages() {
        return Walk.earlierStages(rules());
    }

    /**
     * Returns the lines of the rules that let a packet pass in earlier stages, with commas.
     *
     * @param answers the rules that answer
     */
    static String earlier(RuleSet answers, int stages, VerdictBatch found, int header) {
        return IntStream.range(0, stages)
                .map(stage -> found.earlier(stage)[header])
                .filter(rule -> rule != VerdictBatch.MISS)
                .mapToObj(rule -> String.valueOf(answers.rules().get(rule).line()))
                .collect(Collectors.joining(","));
    }

    private RuleSet read() {
        try {
            RuleChange begin = RuleChange.decode(messages.get(0));
            List<Rule> rules = new ArrayList<>();
            for (byte[] message : messages) {
                for (RuleChange.RuleRecord record : RuleChange.decode(message).puts()) {
                    rules.add(RuleRecords.toRule(record));
                }
            }
            return RuleSet.of(begin.ruleSet(), begin.version(), begin.defaultAction(), rules);
        } catch (MalformedMessageException e) {
            throw new IllegalStateException("the job's rules were damaged on their way", e);
        }
    }
}
