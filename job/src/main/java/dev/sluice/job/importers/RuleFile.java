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
        return read(file, format, SwitchPorts.NONE);
    }

    /** The same of a file that may name ports of a switch. */
    public static RuleFile read(Path file, @Nullable Format format, SwitchPorts ports) {
        List<Read> lines = new ArrayList<>();
        Map<Flow, Integer> flows = new HashMap<>();
        BitSet replaced = new BitSet();
        List<String> errors = new ArrayList<>();
        List<String> warnings = new ArrayList<>();
        OpenFlowRules openFlow = new OpenFlowRules(ports);
        Format known = format;
        long defects = 0;
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
                    defects++;
                    if (errors.size() < MOST_ERRORS) {
                        errors.add(file + ":" + number + ":" + e.column() + ": " + e.getMessage());
                    }
                    if (known == null) {
                        break;
                    }
                }
            }
        } catch (IOException e) {
            throw new SluiceException(TextFiles.describe("rule file", file, e), e);
        }
        if (defects > errors.size()) {
            errors.add(
                    file
                            + ": and "
                            + Amount.of(defects - errors.size(), "more line")
                            + " that cannot be read");
        }
        if (!errors.isEmpty()) {
            throw new SluiceException(errors);
        }
        if (known == null) {
            throw new SluiceException(
                    file + ": holds no rule; write one ClassBench or OpenFlow rule a line");
        }
        return new RuleFile(known, rules(lines, replaced), warnings);
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
