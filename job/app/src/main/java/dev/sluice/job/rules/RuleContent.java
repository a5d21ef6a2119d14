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
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The rules of a version as a publisher changes them: in order, and found by id, line or text. All
 * of them have places. A change takes O(log n). Not thread-safe.
 */
public final class RuleContent implements RuleDraft.Content {
    private final RuleIndex held = new RuleIndex();

    /** Made when a rule is first looked for by its line or text. */
    private @Nullable Map<Integer, Long> idsByLine;

    /** Lines that several rules stand on. */
    private final Set<Integer> sharedLines = new HashSet<>();

    private @Nullable Map<Match, List<Rule>> byMatch;

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
        if (idsByLine != null) {
            index(rule, idsByLine);
        }
        if (byMatch != null) {
            byMatch.computeIfAbsent(rule.match(), m -> new ArrayList<>(1)).add(rule);
        }
    }

    /** Removes the rule of an id if there is one. */
    void remove(long id) {
        Rule rule = held.remove(id);
        if (rule != null && byMatch != null) {
            byMatch.computeIfPresent(
                    rule.match(),
                    (match, rules) -> {
                        rules.removeIf(other -> other.id() == id);
                        return rules.isEmpty() ? null : rules;
                    });
        }
    }

    /** Applies a delta that fits: lines move, rules go, others come. */
    public void apply(RuleDelta delta) {
        idsByLine = null;
        byMatch = null;
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

    private void index(Rule rule, Map<Integer, Long> lines) {
        Long other = rule.line() == 0 ? null : lines.put(rule.line(), rule.id());
        if (other != null && standsOn(rule.line(), held.get(other))) {
            sharedLines.add(rule.line());
        }
    }

    private static boolean standsOn(int line, @Nullable Rule rule) {
        return rule != null && rule.line() == line;
    }

    /**
     * The rule on a line, or null.
     *
     * @throws SluiceException if several stand there
     */
    public @Nullable Rule onLine(int line) {
        Map<Integer, Long> lines = idsByLine;
        if (lines == null) {
            lines = new HashMap<>();
            sharedLines.clear();
            for (Rule rule : rules()) {
                index(rule, lines);
            }
            idsByLine = lines;
        }
        Long id = lines.get(line);
        Rule rule = id == null ? null : held.get(id);
        if (sharedLines.contains(line)) {
            List<String> ids =
                    rules().stream()
                            .filter(other -> other.line() == line)
                            .map(other -> String.valueOf(other.id()))
                            .toList();
            if (ids.size() > 1) {
                throw new SluiceException(
                        "line %d has %d rules; name one by its id: %s"
                                .formatted(line, ids.size(), String.join(", ", ids)));
            }
            rule = ids.isEmpty() ? null : held.get(Long.parseLong(ids.get(0)));
        }
        return standsOn(line, rule) ? rule : null;
    }

    /** The rule of a priority, match and action; of several ones the last. */
    public @Nullable Rule like(Rule text) {
        Map<Match, List<Rule>> matches = byMatch;
        if (matches == null) {
            matches = new HashMap<>();
            for (Rule rule : rules()) {
                matches.computeIfAbsent(rule.match(), m -> new ArrayList<>(1)).add(rule);
            }
            byMatch = matches;
        }
        Rule last = null;
        for (Rule rule : matches.getOrDefault(text.match(), List.of())) {
            if (rule.priority() == text.priority()
                    && rule.action().equals(text.action())
                    && (last == null || last.precedes(rule))) {
                last = rule;
            }
        }
        return last;
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
