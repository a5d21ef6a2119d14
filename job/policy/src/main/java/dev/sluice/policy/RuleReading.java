package dev.sluice.policy;

import dev.sluice.engine.rules.Place;
import dev.sluice.engine.rules.Rule;
import dev.sluice.engine.rules.RuleIds;
import dev.sluice.policy.io.Amount;
import dev.sluice.policy.io.SluiceException;
import dev.sluice.policy.model.Host;
import dev.sluice.policy.model.HostZone;
import dev.sluice.policy.model.Origin;
import dev.sluice.policy.model.Stage;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** A text of rules on its way through a format: its lines, its rules, its defects. */
public final class RuleReading {
    private static final int MOST_ERRORS = 20;

    /** Statements and targets that log, in any format. */
    private static final Pattern LOG = Pattern.compile("\\b(LOG|NFLOG|ULOG|log)\\b");

    private final RuleList from;
    private final Deque<Path> more;
    private BufferedReader in;
    private String file;
    private final SwitchPorts ports;
    private final RuleIds ids = new RuleIds();
    private final List<Rule> rules = new ArrayList<>();
    private final List<String> warnings = new ArrayList<>();
    private final List<Origin> unused = new ArrayList<>();
    private final List<Stage> leftOut = new ArrayList<>();
    private final Set<String> lists = new LinkedHashSet<>();
    private @Nullable HostZone zone;
    private boolean everyStage;
    private @Nullable Host host;
    private @Nullable String first;
    private int line;

    private final List<String> told = new ArrayList<>();
    private final Map<String, Integer> firstOfKind = new HashMap<>();
    private final Map<Integer, Long> linesOfKind = new HashMap<>();
    private long untold;
    private @Nullable RuleSyntaxException firstDefect;

    RuleReading(BufferedReader in, RuleList from, SwitchPorts ports) {
        this(in, from, List.of(from.file()), ports);
    }

    /**
     * A reading of several files.
     *
     * @param in text of the first one
     */
    RuleReading(BufferedReader in, RuleList from, List<Path> files, SwitchPorts ports) {
        this.in = in;
        this.from = from;
        this.ports = ports;
        more = new ArrayDeque<>(files);
        file = more.remove().toString();
    }

    /**
     * Goes on to the next file where a folder was given.
     *
     * @return whether there is one
     */
    public boolean nextFile() throws IOException {
        Path next = more.poll();
        if (next == null) {
            return false;
        }
        in.close();
        in = TextFiles.open(next);
        file = next.toString();
        line = 0;
        return true;
    }

    /** Reads a line. */
    public interface LineReader {
        /** Takes the line, comments included. */
        void read(String line) throws RuleSyntaxException;
    }

    /** Hands each line to a reader. A line with a defect is reported, and the next one read. */
    public void eachLine(LineReader reader) throws IOException {
        for (String text = next(); text != null; text = next()) {
            try {
                reader.read(text);
            } catch (RuleSyntaxException e) {
                defect(line, e);
            }
        }
    }

    /** The next line, comments included; null at the end. */
    public @Nullable String next() throws IOException {
        String text = in.readLine();
        line++;
        return text == null ? null : TextFiles.inUtf8(text);
    }

    /** The rest of the text with its ends of lines, for formats whose words span lines. */
    public String text() throws IOException {
        return TextFiles.text(in);
    }

    /** The number of the current line, from 1. */
    public int line() {
        return line;
    }

    /** The file's name, as the user gave it; of a folder's files the current one. */
    public String file() {
        return file;
    }

    /** The names of switch ports that rules may use. */
    public SwitchPorts ports() {
        return ports;
    }

    /** The time zone of the host that the rules are of; null: unknown. */
    public @Nullable HostZone zone() {
        return zone;
    }

    /** The host that the rules are of; null: unknown. */
    public @Nullable Host host() {
        return host;
    }

    /** Keeps stages that deny nothing, too, if their rules may log. */
    void ofEveryStage() {
        everyStage = true;
    }

    /** Tells whether a stage that denies nothing is kept, as one whose rules may log. */
    public boolean keeps(Stage stage) {
        boolean kept =
                everyStage
                        && stage.chains().values().stream()
                                .flatMap(List::stream)
                                .anyMatch(rule -> LOG.matcher(rule.origin().text()).find());
        if (!kept) {
            leftOut.add(stage);
        }
        return kept;
    }

    /** The stages that deny nothing, and that no policy has. */
    List<Stage> leftOut() {
        return leftOut;
    }

    /** Reads rules of a host, and of a time zone. */
    void of(@Nullable Host one, @Nullable HostZone in) {
        host = one;
        zone = in;
    }

    /** Returns whether a user asks for the rules of a list, or names none. */
    public boolean wants(String list) {
        lists.add(list);
        return from.list() == null || from.list().equals(list);
    }

    /**
     * Requires a rule's list to be that of the first rule.
     *
     * @param words the words of the current line that name the list
     * @param column where they stand
     */
    public void requireList(String list, String words, int column) throws RuleSyntaxException {
        lists.add(list);
        if (first == null) {
            first = list;
        } else if (!first.equals(list)) {
            throw new RuleSyntaxException(
                    column,
                    words,
                    "is another list than that of the first rule, and a rule set is one list: name %s or another"
                            .formatted(from.named(first)),
                    "list");
        }
    }

    /** Adds a rule that is the current line, or a part of it. */
    public void add(RuleLine rule, String text) {
        add(line, rule, text);
    }

    /**
     * Adds a rule.
     *
     * @param firstLine the line that it begins on
     * @param text the rule in the user's words, with its line ends: they tell its last line
     */
    public void add(int firstLine, RuleLine rule, String text) {
        rules.add(
                new Rule(
                        ids.next(rule.match(), rule.action()),
                        rule.priority(),
                        rule.match(),
                        rule.action(),
                        firstLine,
                        Place.NONE,
                        text));
    }

    /** Tells the user something about the whole. */
    void warn(String text) {
        warnings.add(text);
    }

    /** Tells the user something about a line. */
    public void warn(int of, String text) {
        warn(file, of, text);
    }

    /** Tells the user something about a line of a file. */
    public void warn(String in, int of, String text) {
        warnings.add(in + ":" + of + ": " + text);
    }

    /** Notes a set or object that no rule names. */
    public void unused(Origin object) {
        unused.add(object);
    }

    /** The sets and objects so far that no rule names. */
    List<Origin> unused() {
        return unused;
    }

    /** Returns whether a defect was reported. */
    public boolean hasDefects() {
        return firstDefect != null;
    }

    /** Reports a defect of a line: the first ones in their words, of each kind the number. */
    public void defect(int of, RuleSyntaxException e) {
        defect(file, of, e);
    }

    /** Reports a defect of a line of a file that was read before. */
    public void defect(String in, int of, RuleSyntaxException e) {
        firstDefect = firstDefect == null ? e : firstDefect;
        Integer same = e.kind() == null ? null : firstOfKind.get(e.kind());
        if (same != null) {
            linesOfKind.merge(same, 1L, Long::sum);
        } else if (told.size() < MOST_ERRORS) {
            if (e.kind() != null) {
                firstOfKind.put(e.kind(), told.size());
                linesOfKind.put(told.size(), 1L);
            }
            int place = e.line() > 0 ? e.line() : of;
            told.add(in + ":" + place + ":" + e.column() + ": " + e.getMessage());
        } else {
            untold++;
        }
    }

    /**
     * The rules of the text, none if it has none.
     *
     * @param title name of their format
     * @throws SluiceException naming every defect with file, line, column and remedy
     */
    List<Rule> rules(String title) {
        requireNoDefects();
        String asked = from.list();
        if (asked != null && !lists.isEmpty() && rules.isEmpty()) {
            List<String> names = lists.stream().sorted().map(from::named).toList();
            throw new SluiceException(
                    "%s: has no rule in a list %s; name %s"
                            .formatted(from.file(), asked, String.join(" or ", names)));
        }
        if (asked != null && lists.isEmpty() && !rules.isEmpty()) {
            throw new SluiceException(
                    "%s: its %s rules are one list without a name; leave #%s out"
                            .formatted(from.file(), title, asked));
        }
        return rules;
    }

    /** The warnings so far. */
    List<String> warnings() {
        return warnings;
    }

    /**
     * The one rule of the text, with id 0, no line and no place.
     *
     * @throws RuleSyntaxException the first defect
     */
    Rule single() throws RuleSyntaxException {
        if (firstDefect != null) {
            throw firstDefect;
        }
        if (rules.size() != 1) {
            throw new RuleSyntaxException(
                    1, "" + rules.size(), "is the number of its rules; write one");
        }
        return rules.get(0).withId(0).onLine(0);
    }

    public void requireNoDefects() {
        if (told.isEmpty()) {
            return;
        }
        linesOfKind.forEach(
                (defect, count) -> {
                    if (count > 1) {
                        String more = Amount.of(count - 1, "more line") + " of this kind";
                        told.set(defect, told.get(defect) + "; " + more);
                    }
                });
        if (untold > 0) {
            told.add(
                    from.file()
                            + ": and "
                            + Amount.of(untold, "more line")
                            + " that cannot be read");
        }
        throw new SluiceException(told);
    }
}
