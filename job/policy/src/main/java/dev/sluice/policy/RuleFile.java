package dev.sluice.policy;

import dev.sluice.engine.rules.Rule;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.policy.io.SluiceException;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A rule file as read.
 *
 * @param rules the rules in file order
 * @param warnings what the reader should know, each with its line
 */
public record RuleFile(RuleFormat format, List<Rule> rules, List<String> warnings) {
    /** Characters of a file's begin that a format is told by. */
    private static final int BEGIN = 1 << 16;

    /**
     * Reads a rule file, gzip'd or not.
     *
     * @param given a file, or FILE#LIST
     * @param format the format, or null to detect it
     * @throws SluiceException naming every defect with file, line, column and remedy
     */
    public static RuleFile read(Path given, @Nullable RuleFormat format) {
        return read(given, format, SwitchPorts.NONE);
    }

    /** Reads a file that may name ports of a switch. */
    public static RuleFile read(Path given, @Nullable RuleFormat format, SwitchPorts ports) {
        try (OpenRules text = OpenRules.open(given, format)) {
            return read(text, ports);
        }
    }

    /** Reads an open file. */
    public static RuleFile read(OpenRules text, SwitchPorts ports) {
        RuleFormat format = text.format();
        Path file = text.from().file();
        if (text.isPolicy()) {
            throw new SluiceException(
                    "%s: is a policy of chains (%s), which classify, filter and rules hits judge; no job takes one yet"
                            .formatted(file, format.title()));
        }
        return text.use(
                in -> {
                    RuleReading reading = new RuleReading(in, text.from(), ports);
                    try {
                        format.read(reading);
                    } catch (RuleSyntaxException e) {
                        reading.defect(reading.line(), e);
                    }
                    List<Rule> rules = reading.rules(format.title());
                    if (rules.isEmpty()) {
                        throw new SluiceException(noRule(file));
                    }
                    requireWords(file.toString(), rules);
                    return new RuleFile(format, rules, reading.warnings());
                });
    }

    /** Returns whether a file begins as a rule file does. */
    public static boolean isRules(Path file) {
        try (BufferedReader in = TextFiles.open(file)) {
            return RuleFormats.claiming(begin(in)) != null;
        } catch (IOException | SluiceException e) {
            return false; // whoever reads it says what it is
        }
    }

    static RuleFormat detect(BufferedReader in, Path file) throws IOException {
        String begin = begin(in);
        if (RuleFormats.seen(begin).isEmpty()) {
            throw new SluiceException(noRule(file));
        }
        long line = 1 + begin.lines().takeWhile(text -> !RuleFormats.tells(text)).count();
        RuleFormat claiming;
        try {
            claiming = RuleFormats.claiming(begin);
        } catch (SluiceException e) {
            throw new SluiceException(file + ":" + line + ": " + e.getMessage(), e);
        }
        if (claiming == null) {
            throw new SluiceException(
                    "%s:%d: %s; if it is one of them, name it by --rules-format"
                            .formatted(file, line, RuleFormats.unclaimed(begin)));
        }
        return claiming;
    }

    /** The begin of a text, which stays to be read. */
    private static String begin(BufferedReader in) throws IOException {
        char[] begin = new char[BEGIN];
        in.mark(BEGIN);
        int length = 0;
        for (int more = 0; more >= 0 && length < BEGIN; length += Math.max(0, more)) {
            more = in.read(begin, length, BEGIN - length);
        }
        in.reset();
        return TextFiles.inUtf8(new String(begin, 0, length));
    }

    /** The message about a file without rules. */
    private static String noRule(Path file) {
        return "%s: holds no rule; write rules of one format (%s)"
                .formatted(file, String.join(", ", RuleFormats.labels()));
    }

    /** The rules as a rule set. */
    public RuleSet toRuleSet(String name, long version, String defaultAction) {
        return RuleSet.of(name, version, defaultAction, rules);
    }

    /**
     * Fails if rules look at more header words than a rule set may.
     *
     * @param where they are, for the error
     */
    public static void requireWords(String where, List<Rule> rules) {
        try {
            RuleSet.layout(rules);
        } catch (IllegalArgumentException e) {
            throw new SluiceException(where + ": " + e.getMessage(), e);
        }
    }
}
