package dev.sluice.job.rules;

import dev.sluice.engine.rules.Match;
import dev.sluice.engine.rules.Place;
import dev.sluice.engine.rules.Rule;
import dev.sluice.engine.rules.RuleDelta;
import dev.sluice.job.rules.RuleEdit.Position;
import dev.sluice.job.ruletopic.RuleDraft;
import dev.sluice.operators.rules.topic.RuleIndex;
import dev.sluice.policy.RuleFormat;
import dev.sluice.policy.RuleFormats;
import dev.sluice.policy.io.SluiceException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The rules of a version as a publisher changes them: in order, and found by id, line or text. All
 * of them have places. A change takes O(log n). Not thread-safe.
 */
public final class RuleContent implements RuleDraft.Content {
    private final RuleIndex held = new RuleIndex();

    private final Finder<Integer> byLine =
            new Finder<>(rule -> rule.line() == 0 ? null : Integer.valueOf(rule.line()));
    private final Finder<Match> byMatch = new Finder<>(Rule::match);

    /** Rules by a key that some have, sorted when one is first looked for. */
    private final class Finder<K> {
        private final Function<Rule, @Nullable K> key;
        private @Nullable Map<K, List<Rule>> sorted;

        Finder(Function<Rule, @Nullable K> key) {
            this.key = key;
        }

        List<Rule> get(K wanted) {
            if (sorted == null) {
                sorted = new HashMap<>();
                rules().forEach(this::put);
            }
            return sorted.getOrDefault(wanted, List.of());
        }

        void put(Rule rule) {
            K its = sorted == null ? null : key.apply(rule);
            if (sorted != null && its != null) {
                sorted.computeIfAbsent(its, k -> new ArrayList<>(1)).add(rule);
            }
        }

        void remove(Rule rule) {
            K its = sorted == null ? null : key.apply(rule);
            if (sorted != null && its != null) {
                sorted.computeIfPresent(
                        its,
                        (k, rules) -> {
                            rules.removeIf(other -> other.id() == rule.id());
                            return rules.isEmpty() ? null : rules;
                        });
            }
        }

        void forget() {
            sorted = null;
        }
    }

    /** The content of a version. */
    public RuleContent(List<Rule> rules) {
        rules.forEach(this::put);
    }

    @Override
    public int size() {
        return held.size();
    }

    @Override
    public List<Rule> rules() {
        return held.rules();
    }

    /** The format of the first rule with a text; null if there is none, or no format claims it. */
    @Nullable RuleFormat format() {
        return rules().stream()
                .map(Rule::text)
                .filter(text -> !text.isEmpty())
                .findFirst()
                .map(RuleFormats::claiming)
                .orElse(null);
    }

    /** The rule of an id, or null. */
    public @Nullable Rule get(long id) {
        return held.get(id);
    }

    /** Adds a rule, or puts it in the stead of the one that has its id. */
    void put(Rule rule) {
        remove(rule.id());
        held.add(rule);
        byLine.put(rule);
        byMatch.put(rule);
    }

    /** Removes the rule of an id if there is one. */
    void remove(long id) {
        Rule rule = held.remove(id);
        if (rule != null) {
            byLine.remove(rule);
            byMatch.remove(rule);
        }
    }

    /** Applies a delta that fits: lines move, rules go, others come. */
    public void apply(RuleDelta delta) {
        byLine.forget();
        byMatch.forget();
        held.apply(delta);
    }

    /**
     * The rule that a user names.
     *
     * @throws SluiceException if there is none
     */
    public Rule find(RuleEdit.Name name) {
        Rule rule = name.text() == null ? numbered(name.number()) : like(name.text());
        if (rule == null) {
            throw new SluiceException(
                    name.text() == null
                            ? "no rule has the id or the line "
                                    + name.words()
                                    + "; sluice rules show lists both"
                            : "no rule is '" + name.words() + "'; sluice rules show lists them");
        }
        return rule;
    }

    private @Nullable Rule numbered(long number) {
        Rule rule = held.get(number);
        return rule != null || number < 1 || number > Integer.MAX_VALUE
                ? rule
                : onLine((int) number);
    }

    /**
     * The rule on a line, or null.
     *
     * @throws SluiceException if several stand there
     */
    public @Nullable Rule onLine(int line) {
        List<Rule> found = byLine.get(line);
        if (found.size() > 1) {
            String ids = found.stream().map(r -> "" + r.id()).collect(Collectors.joining(", "));
            throw new SluiceException(
                    "line %d has %d rules; name one by its id: %s"
                            .formatted(line, found.size(), ids));
        }
        return found.isEmpty() ? null : found.get(0);
    }

    /** The rule of a priority, match and action; of several ones the last. */
    public @Nullable Rule like(Rule text) {
        return byMatch.get(text.match()).stream()
                .filter(rule -> rule.priority() == text.priority())
                .filter(rule -> rule.action().equals(text.action()))
                .max(Rule.TOTAL_ORDER)
                .orElse(null);
    }

    /**
     * A free place among the rules of a priority.
     *
     * @throws SluiceException if the position is beside a rule that there is not, or of another
     *     priority
     */
    Place free(int priority, Position position) {
        RuleEdit.Name name = position.beside();
        if (name == null) {
            return position.side() == RuleEdit.Side.FIRST
                    ? Place.between(null, held.first(priority))
                    : Place.between(held.last(priority), null);
        }
        Rule beside = find(name);
        if (beside.priority() != priority) {
            throw new SluiceException(
                    ("rule %s has priority %d, the new one %d: which is first follows from that;"
                                    + " leave the position out, or give both one priority")
                            .formatted(name.words(), beside.priority(), priority));
        }
        return position.side() == RuleEdit.Side.BEFORE
                ? Place.between(held.before(beside), beside.place())
                : Place.between(beside.place(), held.behind(beside));
    }
}
