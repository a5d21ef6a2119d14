package dev.sluice.job.rules;

import dev.sluice.engine.rules.LineShift;
import dev.sluice.engine.rules.Match;
import dev.sluice.engine.rules.Place;
import dev.sluice.engine.rules.Rule;
import dev.sluice.engine.rules.RuleDelta;
import dev.sluice.job.SluiceException;
import dev.sluice.job.importers.RuleFormat;
import dev.sluice.job.importers.RuleText;
import dev.sluice.job.kafka.RulePublisher;
import dev.sluice.job.rules.RuleEdit.Position;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The rules of a version as a publisher changes them: in order, and found by id, line or text. All
 * of them have places. A change takes O(log n). Not thread-safe.
 */
public final class RuleContent implements RulePublisher.Content {
    private final Map<Long, Rule> byId = new HashMap<>();
    private final TreeMap<Integer, TreeMap<Place, Rule>> byPlace =
            new TreeMap<>(Comparator.reverseOrder());

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
        return byId.size();
    }

    @Override
    public List<Rule> rules() {
        List<Rule> rules = new ArrayList<>(byId.size());
        byPlace.values().forEach(same -> rules.addAll(same.values()));
        return rules;
    }

    /** The format of the rules' texts; null if none has a text. */
    @Nullable RuleFormat format() {
        return byId.values().stream()
                .map(Rule::text)
                .filter(text -> !text.isEmpty())
                .findFirst()
                .map(RuleText::format)
                .orElse(null);
    }

    /** The rule of an id, or null. */
    public @Nullable Rule get(long id) {
        return byId.get(id);
    }

    /** Adds a rule, or puts it in the stead of the one that has its id. */
    void put(Rule rule) {
        remove(rule.id());
        byId.put(rule.id(), rule);
        Rule there =
                byPlace.computeIfAbsent(rule.priority(), p -> new TreeMap<>())
                        .put(rule.place(), rule);
        if (there != null) {
            throw new IllegalArgumentException(
                    "rules %d and %d have one place".formatted(there.id(), rule.id()));
        }
        if (idsByLine != null) {
            index(rule, idsByLine);
        }
        if (byMatch != null) {
            byMatch.computeIfAbsent(rule.match(), m -> new ArrayList<>(1)).add(rule);
        }
    }

    /** Removes the rule of an id if there is one. */
    void remove(long id) {
        Rule rule = byId.remove(id);
        if (rule == null) {
            return;
        }
        TreeMap<Place, Rule> same = byPlace.get(rule.priority());
        if (same != null && same.remove(rule.place()) != null && same.isEmpty()) {
            byPlace.remove(rule.priority());
        }
        if (byMatch != null) {
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
        if (!delta.shifts().isEmpty()) {
            idsByLine = null;
            byMatch = null;
            for (TreeMap<Place, Rule> same : byPlace.values()) {
                same.replaceAll(
                        (place, rule) ->
                                rule.onLine(LineShift.shifted(delta.shifts(), rule.line())));
                same.values().forEach(rule -> byId.put(rule.id(), rule));
            }
        }
        delta.removes().forEach(this::remove);
        // Rules that change may trade places: all leave theirs before the first is put.
        delta.inserts().forEach(rule -> remove(rule.id()));
        delta.inserts().forEach(this::put);
    }

    /**
     * The rule that a user names.
     *
     * @throws SluiceException if there is none
     */
    public Rule find(RuleName name) {
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
        Rule rule = byId.get(number);
        return rule != null || number < 1 || number > Integer.MAX_VALUE
                ? rule
                : onLine((int) number);
    }

    private void index(Rule rule, Map<Integer, Long> lines) {
        Long other = rule.line() == 0 ? null : lines.put(rule.line(), rule.id());
        if (other != null && standsOn(rule.line(), byId.get(other))) {
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
            for (Rule rule : byId.values()) {
                index(rule, lines);
            }
            idsByLine = lines;
        }
        Long id = lines.get(line);
        Rule rule = id == null ? null : byId.get(id);
        if (sharedLines.contains(line)) {
            List<String> ids =
                    byId.values().stream()
                            .filter(other -> other.line() == line)
                            .map(other -> String.valueOf(other.id()))
                            .toList();
            if (ids.size() > 1) {
                throw new SluiceException(
                        "line %d has %d rules; name one by its id: %s"
                                .formatted(line, ids.size(), String.join(", ", ids)));
            }
            rule = ids.isEmpty() ? null : byId.get(Long.parseLong(ids.get(0)));
        }
        return standsOn(line, rule) ? rule : null;
    }

    /** The rule of a priority, match and action; of several ones the last. */
    public @Nullable Rule like(Rule text) {
        Map<Match, List<Rule>> matches = byMatch;
        if (matches == null) {
            matches = new HashMap<>();
            for (Rule rule : byId.values()) {
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
        TreeMap<Place, Rule> same = byPlace.get(priority);
        RuleName name = position.beside();
        if (name == null) {
            if (same == null) {
                return Place.between(null, null);
            }
            return position.side() == RuleEdit.Side.FIRST
                    ? Place.between(null, same.firstKey())
                    : Place.between(same.lastKey(), null);
        }
        Rule beside = find(name);
        if (beside.priority() != priority || same == null) {
            throw new SluiceException(
                    ("rule %s has priority %d, the new one %d: which is first follows from that;"
                                    + " leave the position out, or give both one priority")
                            .formatted(name.words(), beside.priority(), priority));
        }
        return position.side() == RuleEdit.Side.BEFORE
                ? Place.between(same.lowerKey(beside.place()), beside.place())
                : Place.between(beside.place(), same.higherKey(beside.place()));
    }
}
