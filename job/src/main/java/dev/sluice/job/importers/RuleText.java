package dev.sluice.job.importers;

import dev.sluice.engine.rules.Place;
import dev.sluice.engine.rules.Rule;
import dev.sluice.job.SluiceException;

/** Reads single rules, as people and programs write them one at a time. */
public final class RuleText {
    private static final int SHOWN = 80;

    private RuleText() {}

    /** The format of a rule's text: ClassBench if it starts with {@code @}, else OpenFlow. */
    public static RuleFile.Format format(String text) {
        return text.stripLeading().startsWith("@")
                ? RuleFile.Format.CLASSBENCH
                : RuleFile.Format.OPENFLOW;
    }

    /**
     * The rule that a text says, in its {@link #format}. It has id 0, no line and no place.
     *
     * @throws SluiceException naming column, words and remedy
     */
    public static Rule parse(String text) {
        return parse(text, SwitchPorts.NONE);
    }

    /** The same of a text that may name ports of a switch. */
    public static Rule parse(String text, SwitchPorts ports) {
        String words = OpenFlowRules.withoutComment(text);
        if (words.isBlank()) {
            throw new SluiceException("the rule is empty; write a ClassBench or OpenFlow line");
        }
        try {
            RuleLine line =
                    format(words) == RuleFile.Format.CLASSBENCH
                            ? ClassBenchRules.parse(words)
                            : new OpenFlowRules(ports).parse(words);
            return new Rule(
                    0,
                    line.priority(),
                    line.match(),
                    line.action(),
                    0,
                    Place.NONE,
                    OpenFlowRules.withoutCounters(text.strip()));
        } catch (RuleSyntaxException e) {
            throw new SluiceException(
                    "rule '" + shortened(text) + "', column " + e.column() + ": " + e.getMessage(),
                    e);
        }
    }

    private static String shortened(String text) {
        return text.length() > SHOWN ? text.substring(0, SHOWN) + "..." : text;
    }
}
