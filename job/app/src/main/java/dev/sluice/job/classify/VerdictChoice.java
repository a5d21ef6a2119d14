package dev.sluice.job.classify;

import dev.sluice.engine.lookup.VerdictBatch;
import dev.sluice.engine.rules.Rule;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.job.UsageException;
import dev.sluice.job.hits.CaptureHits;
import dev.sluice.policy.io.SluiceException;
import dev.sluice.policy.model.Outcome;
import dev.sluice.schemas.codec.VerdictOutcome;
import java.util.BitSet;
import java.util.List;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Selection of verdicts by conditions that must all hold, as in {@code sluice verdicts}. */
public final class VerdictChoice {
    private static final int MOST_NAMED = 10;

    private final BitSet rules = new BitSet();
    private final boolean misses;

    private VerdictChoice(boolean misses) {
        this.misses = misses;
    }

    /**
     * Selects the packets that are denied: by a policy's outcome, or where rules stand for
     * themselves by an action that {@link Outcome#denies}.
     *
     * @throws SluiceException if no packet can be denied
     */
    public static VerdictChoice denied(CaptureHits hits) {
        VerdictChoice choice = deniedIfAny(hits);
        if (choice.rules.isEmpty() && !choice.misses) {
            RuleSet set = hits.ruleSet();
            throw new SluiceException(
                    "%s denies no packet; name the action that is meant by --action; %s"
                            .formatted(set.name(), actions(set)));
        }
        return choice;
    }

    /** As {@link #denied}, and selects no packet if none can be denied. */
    public static VerdictChoice deniedIfAny(CaptureHits hits) {
        RuleSet set = hits.ruleSet();
        boolean policy = set.isPolicy(); // which asks each rule
        VerdictChoice choice = new VerdictChoice(!policy && Outcome.denies(set.defaultAction()));
        for (int i = 0; i < set.size(); i++) {
            Rule rule = hits.rule(i);
            boolean denied =
                    policy ? rule.outcome() == VerdictOutcome.DENY : Outcome.denies(rule.action());
            choice.rules.set(i, denied);
        }
        return choice;
    }

    /**
     * Creates a selection.
     *
     * @param hits maps verdicts to the rules of its set
     * @param rule id or line of a rule, or {@code none}: packets that no rule matches; null: any
     * @param action as the rule file writes it, in any case, or the default action; null: any
     * @param outcome by a policy; null: any
     * @throws SluiceException if no verdict can meet the conditions
     */
    public VerdictChoice(
            CaptureHits hits,
            @Nullable String rule,
            @Nullable String action,
            @Nullable VerdictOutcome outcome) {
        RuleSet set = hits.ruleSet();
        boolean none = "none".equals(rule);
        long number = rule == null || none ? 0 : number(rule);
        boolean known = rule == null || none;
        for (int i = 0; i < set.size(); i++) {
            Rule one = hits.rule(i);
            boolean named = rule == null || !none && isNamed(one, number);
            known |= named;
            boolean says = action == null || one.action().equalsIgnoreCase(action);
            if (named && says && (outcome == null || one.outcome() == outcome)) {
                rules.set(i);
            }
        }
        boolean defaultAction = action == null || set.defaultAction().equalsIgnoreCase(action);
        boolean ofMisses =
                outcome == null
                        || outcome
                                == (set.isPolicy()
                                        ? VerdictOutcome.NOT_JUDGED
                                        : VerdictOutcome.NONE);
        misses = (rule == null || none) && defaultAction && ofMisses;
        if (!known) {
            throw new SluiceException(
                    "--rule %s: no rule of %s has this line or id; a rule's line is that of its file"
                            .formatted(rule, set.name()));
        }
        if (rules.isEmpty() && !misses && outcome != null) {
            throw new SluiceException(
                    "--outcome %s: no packet has it by %s and the other options; permit, deny, depends and not-judged are outcomes of policies alone"
                            .formatted(outcome.label(), set.name()));
        }
        if (rules.isEmpty() && !misses) {
            throw new SluiceException(
                    "--action %s: %s says it; %s"
                            .formatted(
                                    action,
                                    rule == null
                                            ? "no rule of " + set.name()
                                            : "not what --rule names",
                                    actions(set)));
        }
    }

    private static long number(String rule) {
        try {
            return Long.parseLong(rule);
        } catch (NumberFormatException e) {
            throw new UsageException(
                    "--rule " + rule + " is no number; write a rule's line, its id, or none", e);
        }
    }

    private static boolean isNamed(Rule rule, long number) {
        return rule.id() == number || rule.line() == number;
    }

    private static String actions(RuleSet set) {
        TreeSet<String> all = new TreeSet<>(List.of(set.defaultAction()));
        set.rules().forEach(rule -> all.add(rule.action()));
        List<String> shown = all.stream().limit(MOST_NAMED).toList();
        return "there are "
                + String.join(" | ", shown)
                + (shown.size() < all.size() ? " | ..." : "");
    }

    /**
     * Tells whether a verdict is selected.
     *
     * @param verdict a rule's number or {@link VerdictBatch#MISS}
     */
    public boolean chooses(int verdict) {
        return verdict == VerdictBatch.MISS ? misses : rules.get(verdict);
    }
}
