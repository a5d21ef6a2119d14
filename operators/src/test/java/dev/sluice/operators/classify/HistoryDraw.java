package dev.sluice.operators.classify;

import dev.sluice.engine.rules.Match;
import dev.sluice.engine.rules.Rule;
import dev.sluice.engine.rules.RuleDelta;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.engine.testing.RandomRules;
import dev.sluice.engine.testing.RandomRules.Shape;
import dev.sluice.schemas.header.HeaderWord;
import java.util.ArrayList;
import java.util.List;

/** Draws the steps of a job's life. The same seed gives the same steps. */
final class HistoryDraw {
    private static final Shape SHAPE = Shape.PREFIXES;
    private static final int STEPS = 400;
    private static final List<String> KINDS =
            List.of("snapshot", "similar", "delta", "unservable", "broken", "unfinished", "again");

    private final RandomRules random;
    private final HistoryModel model = new HistoryModel();
    private final List<HistoryStep> steps = new ArrayList<>();
    private long nextId = 1;

    private HistoryDraw(long seed) {
        random = new RandomRules(seed);
    }

    static List<HistoryStep> of(long seed) {
        HistoryDraw draw = new HistoryDraw(seed);
        draw.publish("snapshot");
        draw.steps.add(HistoryStep.of("start " + draw.tasks()));
        while (draw.steps.size() < STEPS) {
            draw.step(draw.random.below(100));
        }
        return draw.steps;
    }

    private void step(int dice) {
        if (dice < 25) {
            publish(random.below(20) < 11 ? "delta" : KINDS.get(random.below(KINDS.size())));
        } else if (dice < 50) {
            steps.add(HistoryStep.of("deliver %d %d".formatted(random.below(6), random.below(40))));
        } else if (dice < 90) {
            RuleSet rules = RuleSet.of("set", 1, RuleSet.DROP, model.rules());
            List<int[]> headers = new ArrayList<>();
            for (int i = random.below(40); i >= 0; i--) {
                headers.add(random.header(rules));
            }
            String line = "packets " + random.below(HistoryJob.SHARDS);
            steps.add(HistoryStep.of(line).asking(headers));
        } else if (dice < 97) {
            steps.add(HistoryStep.of("checkpoint"));
        } else {
            steps.add(HistoryStep.of("failure " + tasks()));
        }
    }

    private String tasks() {
        List<String> processes = new ArrayList<>();
        for (int i = random.below(3); i >= 0; i--) {
            processes.add(random.below(2) == 0 ? "here" : "there");
        }
        return String.join(",", processes);
    }

    private void publish(String kind) {
        HistoryStep step = HistoryStep.of("publish " + kind);
        switch (kind) {
            case "snapshot" -> {
                String action = random.below(2) == 0 ? "drop" : "none";
                List<Rule> rules = new ArrayList<>();
                for (int i = 5 + random.below(30); i > 0; i--) {
                    rules.add(said(random.rule(SHAPE, nextId++, 3)));
                }
                step = HistoryStep.of("publish snapshot " + action).with(rules);
            }
            case "similar", "delta" -> {
                RuleDelta delta = random.changes(SHAPE, model.rules(), nextId, random.below(8));
                nextId += delta.inserts().size();
                List<Long> removes = new ArrayList<>(delta.removes());
                delta.inserts().forEach(rule -> removes.remove(rule.id())); // it is changed
                step =
                        step.removing(removes)
                                .with(delta.inserts().stream().map(this::said).toList());
            }
            case "unservable" -> step = step.with(List.of(withHoles(), withHoles()));
            case "unfinished" -> step = HistoryStep.of("publish unfinished " + random.below(40));
            default -> {}
        }
        model.publish(step);
        steps.add(step);
    }

    /** The rule with another action. */
    private Rule said(Rule rule) {
        return new Rule(
                rule.id(), rule.priority(), rule.match(), "a" + random.below(4), rule.line());
    }

    private Rule withHoles() {
        Match match =
                new Match.Builder()
                        .word(HeaderWord.IPV4_SRC, random.below(16) << 24, 0x05000000)
                        .build();
        return new Rule(nextId++, random.below(3), match, "a", 0);
    }
}
