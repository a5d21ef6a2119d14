package dev.sluice.operators.rules.history;

import static dev.sluice.operators.rules.history.RuleLogs.again;
import static dev.sluice.operators.rules.history.RuleLogs.compact;
import static dev.sluice.operators.rules.history.RuleLogs.servable;
import static dev.sluice.operators.rules.topic.Topic.delta;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.sluice.engine.lookup.FirstMatch;
import dev.sluice.engine.rules.Rule;
import dev.sluice.engine.rules.RuleDelta;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.engine.testing.PlacedRules;
import dev.sluice.engine.testing.Subject;
import dev.sluice.operators.rules.topic.RuleSetMessages;
import dev.sluice.operators.rules.topic.RuleTransaction;
import dev.sluice.operators.rules.topic.Topic;
import java.util.List;

/** A rule log that takes a story as a topic, and is restored after every message. */
final class RestoredLog implements Subject.Session {
    private final PlacedRules placed;
    private RuleLog log = new RuleLog();
    private long version = 1;

    RestoredLog(RuleSet rules) throws Exception {
        placed = new PlacedRules(rules);
        List<Rule> first = placed.ruleSet("set", 1).rules();
        take(RuleSetMessages.snapshot(Topic.beginSnapshot("h", 1), first));
    }

    private void take(List<byte[]> messages) throws Exception {
        for (byte[] message : messages) {
            log.accept(message, RuleTransaction.NO_TIME);
            log = again(log);
        }
        log.servable("h", version);
        if (version % 3 == 0) {
            compact(log);
        }
        assertEquals(placed.ruleSet("set", version).rules(), log.book().ruleSet().rules());
    }

    @Override
    public void apply(RuleDelta delta) throws Exception {
        RuleDelta change = placed.apply(delta);
        version++;
        take(delta("h", version, version - 1, change));
    }

    @Override
    public long[] answers(List<int[]> headers) throws Exception {
        RuleSet rules = servable(again(log));
        int[] positions = headers.stream().mapToInt(h -> FirstMatch.classify(rules, h)).toArray();
        return Subject.ids(rules, positions);
    }
}
