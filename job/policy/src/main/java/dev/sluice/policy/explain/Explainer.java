package dev.sluice.policy.explain;

import dev.sluice.policy.flatten.Truth;
import dev.sluice.policy.model.AskedFacts;
import dev.sluice.policy.questions.LintRule.Line;
import java.util.List;
import java.util.stream.Stream;

/** Explainer of verdicts by the rules of a file. Not thread-safe. */
public abstract class Explainer {
    /** Facts that the rules ask captures for. */
    public abstract AskedFacts asked();

    /** The header words that the rules look at. */
    public abstract long wordBits();

    /** Explains the verdict on a packet. */
    public abstract Explanation explain(JudgedPacket packet);

    /** The rules that a user may name: those on lines, and the default action of a list. */
    abstract Stream<Line> all();

    /** The rules that begin on a line. */
    final List<Line> on(int line) {
        return all().filter(rule -> rule.number() == line).distinct().toList();
    }

    /** Tells how a line's rule acts on a packet: for certain, or as something unknown decides. */
    abstract Truth acts(JudgedPacket packet, int line);

    /** The rules that decide about a packet, or may. */
    abstract List<Line> deciding(JudgedPacket packet);

    /** Ways of a packet to a line's rule, those with the fewest needs first. */
    abstract List<Attempt> attempts(JudgedPacket packet, int line);
}
