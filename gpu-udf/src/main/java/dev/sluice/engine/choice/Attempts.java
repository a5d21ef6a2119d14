package dev.sluice.engine.choice;

import dev.sluice.engine.image.HeapBudget;
import dev.sluice.engine.image.MemoryBudgetException;
import dev.sluice.engine.lookup.Algorithm;
import dev.sluice.engine.lookup.Classifier;
import dev.sluice.engine.lookup.CompileContext;
import dev.sluice.engine.lookup.UnsupportedRulesException;
import dev.sluice.engine.rules.Rule;
import dev.sluice.engine.rules.RuleSet;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Rules compiled by several algorithms, by each once, to choose among them; with the refusals and
 * their reasons. Not thread-safe.
 */
final class Attempts {
    private final RuleSet rules;
    private final CompileOptions options;

    /** Compiles rules that an algorithm passes on. */
    private final CompileContext.Others others;

    /** True if these are all rules, and not a part of them. */
    private final boolean whole;

    private final Map<Algorithm, Optional<Classifier>> made = new HashMap<>();
    private final Set<String> refusals;

    /** Smallest refusal for want of memory, and the algorithm that refused. */
    private @Nullable MemoryBudgetException smallest;

    private @Nullable Algorithm smallestOf;

    /** Attempts on all rules. */
    Attempts(RuleSet rules, CompileOptions options, CompileContext.Others others) {
        this(rules, options, others, true, new LinkedHashSet<>());
    }

    private Attempts(
            RuleSet rules,
            CompileOptions options,
            CompileContext.Others others,
            boolean whole,
            Set<String> refusals) {
        this.rules = rules;
        this.options = options;
        this.others = others;
        this.whole = whole;
        this.refusals = refusals;
    }

    /**
     * Attempts on a part of the rules, spread over all of them; refusals are counted with those of
     * all.
     *
     * @param fewest rules that the part has at least
     * @return null if the rules are too few for a part to be quicker
     */
    @Nullable Attempts part(int fewest) {
        int parts = rules.size() / fewest;
        if (parts < 2) {
            return null;
        }
        List<Rule> some = new ArrayList<>();
        for (int r = 0; r < rules.size(); r += parts) {
            some.add(rules.rules().get(r));
        }
        RuleSet part =
                new RuleSet(
                        rules.name(), rules.version(), rules.defaultAction(), some, rules.layout());
        return new Attempts(part, options, others, false, refusals);
    }

    /** The rules. */
    RuleSet rules() {
        return rules;
    }

    /**
     * The rules compiled by an algorithm; null if it refuses them, or they pass the budget, or the
     * part of it that the algorithm may take.
     */
    @Nullable Classifier by(Algorithm algorithm) {
        return by(algorithm, options.budgetBytes());
    }

    /** As {@link #by(Algorithm)}, within another budget where they were not compiled before. */
    @Nullable Classifier by(Algorithm algorithm, long budgetBytes) {
        Optional<Classifier> known = made.get(algorithm);
        if (known == null) {
            long most = algorithm.buildBudget(budgetBytes, rules.layout());
            known = Optional.ofNullable(compile(algorithm, most));
            made.put(algorithm, known);
        }
        return known.orElse(null);
    }

    /** Returns whether the rules were compiled by an algorithm, or refused by it. */
    boolean made(Algorithm algorithm) {
        return made.containsKey(algorithm);
    }

    private @Nullable Classifier compile(Algorithm algorithm, long budgetBytes) {
        try {
            CompileContext context = options.withBudget(budgetBytes).context(others);
            return algorithm.open(algorithm.compile(rules, context));
        } catch (UnsupportedRulesException e) {
            refuse(
                    algorithm.label()
                            + " cannot serve "
                            + (whole ? "" : "a part of ")
                            + "these rules");
        } catch (MemoryBudgetException e) {
            refuse(algorithm.label() + " needs too much memory" + (whole ? "" : " for a part"));
            boolean all = whole && e.budgetBytes() >= HeapBudget.within(options.budgetBytes());
            if (all && (smallest == null || e.neededBytes() < smallest.neededBytes())) {
                smallest = e;
                smallestOf = algorithm;
            }
        }
        return null;
    }

    /** Notes a reason against a choice. */
    void refuse(String reason) {
        refusals.add(reason);
    }

    /** The refusals and their reasons, in brackets; empty if there was none. */
    String because() {
        return refusals.isEmpty() ? "" : " (" + String.join(", ", refusals) + ")";
    }

    /**
     * Makes the exception for rules that every algorithm serves only with more memory than there
     * is.
     */
    MemoryBudgetException nothingFits() {
        MemoryBudgetException least = Objects.requireNonNull(smallest, "tuple serves all rules");
        return MemoryBudgetException.ofAll(
                Objects.requireNonNull(smallestOf).label(),
                least.neededBytes(),
                least.budgetBytes());
    }
}
