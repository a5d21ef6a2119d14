package dev.sluice.policy.explain;

import dev.sluice.engine.rules.Rule;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.policy.RuleFile;
import dev.sluice.policy.explain.Explanation.Met;
import dev.sluice.policy.explain.Explanation.Passed;
import dev.sluice.policy.explain.Explanation.Way;
import dev.sluice.policy.flatten.Truth;
import dev.sluice.policy.model.AskedFacts;
import dev.sluice.policy.questions.LintRule.Line;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** Explainer by rules that stand for themselves. */
public final class ListExplainer extends Explainer {
    private final RuleFile file;
    private final RuleSet set;

    /** An explainer by rules of a file of this name. */
    public ListExplainer(RuleFile file, String name, String defaultAction) {
        this.file = file;
        set = file.toRuleSet(name, 1, defaultAction);
    }

    @Override
    public AskedFacts asked() {
        return file.asked();
    }

    @Override
    public long wordBits() {
        return RuleSet.layout(set.rules()).wordBits();
    }

    @Override
    public Explanation explain(JudgedPacket packet) {
        int[] header = packet.header();
        List<Met> met = new ArrayList<>();
        Line deciding = end();
        for (Rule rule : set.rules()) {
            if (rule.match().matches(header)) {
                deciding = line(rule);
                break;
            }
            List<Need> needs = ListConditions.needs(rule.match(), header);
            met.add(met(line(rule), "no", needs));
        }
        met.add(met(deciding, "yes", List.of()));
        Passed list = new Passed("", met, List.of(deciding));
        return new Explanation(
                packet.words(AskedFacts.NONE),
                null,
                deciding.action(),
                deciding,
                true,
                List.of(new Way("", List.of(), true, List.of(list))),
                List.of());
    }

    private static Met met(Line line, String acts, List<Need> needs) {
        return new Met(line, "", acts, line.action(), true, needs, List.of());
    }

    private Line line(Rule rule) {
        return new Line(set.name(), rule.line(), "", rule.action(), rule.text().strip());
    }

    /** The default action as a line. */
    private Line end() {
        String action = set.defaultAction();
        return new Line(set.name(), 0, "", action, "default action " + action);
    }

    @Override
    Stream<Line> all() {
        return Stream.concat(set.rules().stream().map(this::line), Stream.of(end()));
    }

    @Override
    Truth acts(JudgedPacket packet, int line) {
        return deciding(packet).get(0).number() == line ? Truth.YES : Truth.NO;
    }

    @Override
    List<Line> deciding(JudgedPacket packet) {
        return List.of(
                set.rules().stream()
                        .filter(rule -> rule.match().matches(packet.header()))
                        .findFirst()
                        .map(this::line)
                        .orElseGet(this::end));
    }

    @Override
    List<Attempt> attempts(JudgedPacket packet, int line) {
        List<Attempt> attempts = new ArrayList<>();
        if (line == 0) { // the default action wants nothing of a packet
            attempts.add(new Attempt(List.of(), packet));
        }
        for (Rule rule : set.rules()) {
            if (rule.line() != line) {
                continue;
            }
            List<Need> needs = ListConditions.needs(rule.match(), packet.header());
            int[] changed = HeaderChanges.applied(packet.header(), needs, AskedFacts.NONE);
            attempts.add(
                    new Attempt(
                            needs, changed == null ? null : packet.with(changed, packet.state())));
        }
        attempts.sort(Comparator.comparingLong(attempt -> Needs.count(attempt.needs())));
        return attempts;
    }
}
