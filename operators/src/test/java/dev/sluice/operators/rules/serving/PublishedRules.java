package dev.sluice.operators.rules.serving;

import dev.sluice.engine.rules.Rule;
import dev.sluice.engine.rules.RuleDelta;
import dev.sluice.operators.rules.topic.RuleSetMessages;
import dev.sluice.schemas.codec.RuleChange;
import dev.sluice.schemas.codec.RuleChange.Kind;
import java.util.List;

/**
 * Messages of transactions as a publisher sends them.
 *
 * @param history id of the history
 */
public record PublishedRules(String history) {
    /** A transaction that replaces all rules. */
    public List<byte[]> snapshot(long version, List<Rule> rules) {
        return RuleSetMessages.snapshot(begin(version, null, Kind.SNAPSHOT), rules);
    }

    /** A transaction that changes the rules of a version. */
    public List<byte[]> delta(long version, long base, RuleDelta delta) {
        return RuleSetMessages.delta(begin(version, base, Kind.DELTA), delta);
    }

    private RuleChange begin(long version, Long base, Kind kind) {
        return RuleChange.begin(
                "transaction " + history + version,
                history,
                version,
                base,
                null,
                kind,
                "set",
                "drop");
    }
}
