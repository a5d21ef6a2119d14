package dev.sluice.policy;

import dev.sluice.engine.rules.Rule;
import dev.sluice.engine.rules.RuleIds;
import dev.sluice.policy.io.Amount;
import dev.sluice.policy.io.SluiceException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;

/**
 * Actions of rules that may say none, as ClassBench rules, in a file of their own: a line {@code
 * NUMBER ACTION} a rule, whose number is its line in its file. A rule that is given one here is the
 * same as one whose line ends with it.
 */
public final class RuleActions {
    private static final Pattern NUMBER = Pattern.compile("[0-9]{1,9}");
    private static final Pattern ACTION = Pattern.compile("[A-Za-z_][A-Za-z0-9_.,:()>-]*");
    private static final int MOST_ERRORS = 20;

    private final Path file;
    private final Map<Integer, Given> byRule = new HashMap<>();
    private final List<String> errors = new ArrayList<>();
    private long defects;

    /** An action and the line that gives it. */
    private record Given(String action, int line) {}

    private RuleActions(Path file) {
        this.file = file;
    }

    /**
     * Reads a file, gzip'd or not; what follows a {@code #} is a comment.
     *
     * @throws SluiceException naming every defect with file, line and remedy
     */
    public static RuleActions read(Path file) {
        RuleActions actions = new RuleActions(file);
        Map<String, String> words = new HashMap<>(); // few actions, each kept once
        TextFiles.eachEntry(
                file,
                "file of actions",
                (number, text) -> actions.take(text.split("\\s+"), number, words));
        actions.requireNoDefects();
        if (actions.byRule.isEmpty()) {
            throw new SluiceException(
                    file + ": names no action; write lines NUMBER ACTION, as in 12 drop");
        }
        return actions;
    }

    /** Returns whether a word can be an action. */
    public static boolean isAction(String word) {
        return ACTION.matcher(word).matches();
    }

    private void take(String[] cells, int line, Map<String, String> known) {
        if (!NUMBER.matcher(cells[0]).matches()) {
            defect(line, "'" + cells[0] + "' is no rule's number; begin the line with one");
        } else if (cells.length < 2) {
            defect(line, "rule " + cells[0] + " is given no action; write one behind its number");
        } else if (cells.length > 2 || !isAction(cells[1])) {
            String words = String.join(" ", List.of(cells).subList(1, cells.length));
            defect(
                    line,
                    "'"
                            + words
                            + "' is no action; write one word as in drop or set_queue:1,NORMAL");
        } else {
            String action = known.computeIfAbsent(cells[1], word -> word);
            int rule = Integer.parseInt(cells[0]);
            Given before = byRule.putIfAbsent(rule, new Given(action, line));
            if (before != null) {
                defect(
                        line,
                        "rule " + rule + " has an action on line " + before.line + "; keep one");
            }
        }
    }

    private void defect(int line, String problem) {
        defects++;
        if (errors.size() < MOST_ERRORS) {
            errors.add(file + ":" + line + ": " + problem);
        }
    }

    private void requireNoDefects() {
        if (defects > errors.size()) {
            errors.add(file + ": and " + Amount.of(defects - errors.size(), "more defect"));
        }
        if (!errors.isEmpty()) {
            throw new SluiceException(errors);
        }
    }

    /**
     * Rules with the actions that are given them here; the others keep theirs.
     *
     * @param from the file that they were read from
     * @throws SluiceException naming every line that fits no rule
     */
    public RuleFile appliedTo(RuleFile rules, Path from) {
        String none = rules.format().missingAction();
        if (none == null) {
            throw new SluiceException(
                    "--actions %s is for rules that may say no action, and %s holds %s ones, which say their own; leave it out"
                            .formatted(file, from, rules.format().title()));
        }
        RuleIds ids = new RuleIds();
        List<Rule> acting = new ArrayList<>(rules.rules().size());
        Map<Integer, Given> left = new TreeMap<>(byRule);
        for (Rule rule : rules.rules()) {
            Given given = byRule.get(rule.line());
            left.remove(rule.line());
            String action = rule.action();
            String text = rule.text();
            if (given != null && !action.equals(none)) {
                defect(
                        given.line,
                        "rule %d says its action itself: %s; keep one"
                                .formatted(rule.line(), action));
            } else if (given != null) {
                action = given.action;
                text = text + " " + action;
            }
            long id = ids.next(rule.match(), action);
            acting.add(
                    new Rule(
                            id,
                            rule.priority(),
                            rule.match(),
                            action,
                            rule.line(),
                            rule.place(),
                            text));
        }
        left.forEach(
                (number, given) ->
                        defect(
                                given.line,
                                "no rule is on line %d of %s; a rule's number is its line there"
                                        .formatted(number, from)));
        requireNoDefects();
        return new RuleFile(rules.format(), acting, rules.warnings());
    }
}
