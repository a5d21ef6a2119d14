package dev.sluice.job.importers;

import dev.sluice.engine.rules.Match;
import dev.sluice.engine.rules.Place;
import dev.sluice.engine.rules.Rule;
import dev.sluice.engine.rules.RuleIds;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.job.Amount;
import dev.sluice.job.SluiceException;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A rule file as read.
 *
 * @param format its format
 * @param rules the rules in file order
 * @param warnings what the reader should know, each with its line
 */
public record RuleFile(Format format, List<Rule> rules, List<String> warnings) {
    private static final int MOST_ERRORS = 20;

    /** Characters that tell what a file is. */
    private static final int BEGIN = 1 << 12;

    private static final Pattern FLOW = Pattern.compile("actions?\\s*=|priority\\s*[=:(]");

    /** Formats of rule files. */
    public enum Format {
        CLASSBENCH("ClassBench", "@10.0.0.0/8 0.0.0.0/0 0 : 65535 25 : 25 0x06/0xFF"),
        OPENFLOW("OpenFlow", "priority=100,tcp,tp_dst=25,actions=drop");

        private final String title;
        private final String example;

        Format(String title, String example) {
            this.title = title;
            this.example = example;
        }

        /** What people call it. */
        public String title() {
            return title;
        }

        /** A rule. */
        public String example() {
            return example;
        }
    }

    /**
     * Reads a rule file, gzip'd or not.
     *
     * @param format the format, or null to detect it
     * @throws SluiceException naming every defect with file, line, column and remedy
     */
    public static RuleFile read(Path file, @Nullable Format format) {
        return read(file, format, SwitchPorts.NONE, null);
    }

    /**
     * The same of a file that may name ports of a switch.
     *
     * @param table the table of OpenFlow flows that is read, by its number or name; null: there is
     *     one
     */
    public static RuleFile read(
            Path file, @Nullable Format format, SwitchPorts ports, @Nullable String table) {
        List<Read> lines = new ArrayList<>();
        Map<Flow, Integer> flows = new HashMap<>();
        BitSet replaced = new BitSet();
        Defects defects = new Defects(file);
        Map<String, Integer> otherTables = new TreeMap<>();
        List<String> warnings = new ArrayList<>();
        OpenFlowRules openFlow = new OpenFlowRules(ports);
        Format known = format;
        try (BufferedReader in = TextFiles.open(file)) {
            int number = 0;
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                number++;
                String words = TextFiles.inUtf8(line);
                String text = OpenFlowRules.withoutComment(words);
                if (OpenFlowRules.isNoFlow(text)) {
                    continue;
                }
                try {
                    if (known == null) {
                        known = detect(text);
                    }
                    if (table != null && known == Format.OPENFLOW) {
                        String of = OpenFlowRules.tableOf(text);
                        if (!of.equals(table)) {
                            otherTables.merge(of, 1, Integer::sum);
                            continue;
                        }
                    }
                    RuleLine rule =
                            known == Format.CLASSBENCH
                                    ? ClassBenchRules.parse(text)
                                    : openFlow.parse(text);
                    if (known == Format.OPENFLOW) {
                        Flow flow = new Flow(rule.priority(), rule.match());
                        Integer before = flows.put(flow, lines.size());
                        if (before != null) {
                            replaced.set(before);
                            warnings.add(
                                    "%s:%d: replaces the flow of line %d, which has its match and priority"
                                            .formatted(file, number, lines.get(before).line));
                        }
                    }
                    String told = OpenFlowRules.withoutCounters(words.strip());
                    lines.add(new Read(number, rule, told));
                    if (!rule.warning().isEmpty()) {
                        warnings.add(file + ":" + number + ": " + rule.warning());
                    }
                } catch (RuleSyntaxException e) {
                    defects.add(number, e);
                    if (known == null) {
                        break;
                    }
                }
            }
        } catch (IOException e) {
            throw new SluiceException(TextFiles.describe("rule file", file, e), e);
        }
        defects.requireNone();
        if (known == null) {
            throw new SluiceException(
                    file + ": holds no rule; write one ClassBench or OpenFlow rule a line");
        }
        if (table != null && known != Format.OPENFLOW) {
            throw new SluiceException(
                    "--table is for OpenFlow flows, and %s holds %s rules; leave it out"
                            .formatted(file, known.title()));
        }
        if (lines.isEmpty()) {
            throw new SluiceException(
                    "%s: has no flow of table %s; it has table %s: name one by --table"
                            .formatted(file, table, String.join(", ", otherTables.keySet())));
        }
        return new RuleFile(known, rules(lines, replaced), warnings);
    }

    /** Defects of lines: the first ones in their own words, and of each kind the number. */
    private static final class Defects {
        private final Path file;
        private final List<String> told = new ArrayList<>();
        private final Map<String, Integer> firstOfKind = new HashMap<>();
        private final Map<Integer, Long> linesOfKind = new HashMap<>();
        private long untold;

        Defects(Path file) {
            this.file = file;
        }

        void add(int line, RuleSyntaxException e) {
            Integer first = e.kind() == null ? null : firstOfKind.get(e.kind());
            if (first != null) {
                linesOfKind.merge(first, 1L, Long::sum);
            } else if (told.size() < MOST_ERRORS) {
                if (e.kind() != null) {
                    firstOfKind.put(e.kind(), told.size());
                    linesOfKind.put(told.size(), 1L);
                }
                told.add(file + ":" + line + ":" + e.column() + ": " + e.getMessage());
            } else {
                untold++;
            }
        }

        void requireNone() {
            if (told.isEmpty()) {
                return;
            }
            linesOfKind.forEach(
                    (first, lines) -> {
                        if (lines > 1) {
                            String more = Amount.of(lines - 1, "more line") + " of this kind";
                            told.set(first, told.get(first) + "; " + more);
                        }
                    });
            if (untold > 0) {
                told.add(file + ": and " + Amount.of(untold, "more line") + " that cannot be read");
            }
            throw new SluiceException(told);
        }
    }

    /** A line as read. */
    private record Read(int line, RuleLine rule, String text) {}

    /** What a switch tells flows by. */
    private record Flow(int priority, Match match) {}

    private static List<Rule> rules(List<Read> lines, BitSet replaced) {
        List<Rule> rules = new ArrayList<>(lines.size());
        RuleIds ids = new RuleIds();
        for (int i = 0; i < lines.size(); i++) {
            Read read = lines.get(i);
            if (!replaced.get(i)) {
                RuleLine rule = read.rule;
                long id = ids.next(rule.match(), rule.action());
                rules.add(
                        new Rule(
                                id,
                                rule.priority(),
                                rule.match(),
                                rule.action(),
                                read.line,
                                Place.NONE,
                                read.text));
            }
        }
        return rules;
    }

    /** Whether a file begins with a rule. */
    public static boolean isRules(Path file) {
        try (BufferedReader in = TextFiles.open(file)) {
            char[] begin = new char[BEGIN];
            int length = Math.max(0, in.read(begin));
            for (String line : new String(begin, 0, length).lines().toList()) {
                String text = OpenFlowRules.withoutComment(line);
                if (!OpenFlowRules.isNoFlow(text)) {
                    detect(text);
                    return true;
                }
            }
            return false;
        } catch (IOException | RuleSyntaxException e) {
            return false; // whoever reads it says what it is
        }
    }

    private static Format detect(String line) throws RuleSyntaxException {
        String text = line.strip();
        if (text.startsWith("@")) {
            return Format.CLASSBENCH;
        }
        if (FLOW.matcher(text).find()) {
            return Format.OPENFLOW;
        }
        String start = text.length() > 40 ? text.substring(0, 40) + "..." : text;
        throw new RuleSyntaxException(
                line.indexOf(text) + 1,
                start,
                "is neither a ClassBench rule (it starts with @) nor an OpenFlow one (it has actions=);"
                        + " if it is, say --rules-format classbench or openflow");
    }

    /** The rules as a rule set. */
    public RuleSet toRuleSet(String name, long version, String defaultAction) {
        return RuleSet.of(name, version, defaultAction, rules);
    }
}
