package dev.sluice.policy;

import dev.sluice.engine.rules.Rule;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.policy.flatten.FlatPolicy;
import dev.sluice.policy.io.SluiceException;
import dev.sluice.policy.model.AskedFacts;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A rule file as read.
 *
 * @param rules the rules in file order
 * @param warnings what the reader should know, each with its line
 * @param asked what captures are to tell of their packets
 * @param again the policy of packets that tell other facts; null: rules on headers alone
 */
public record RuleFile(
        RuleFormat format,
        List<Rule> rules,
        List<String> warnings,
        AskedFacts asked,
        @Nullable Function<AskedFacts, RuleFile> again) {
    /** Rules on headers alone. */
    public RuleFile(RuleFormat format, List<Rule> rules, List<String> warnings) {
        this(format, rules, warnings, AskedFacts.NONE, null);
    }

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
            return read(text, ports, PolicyOptions.NONE);
        }
    }

    /**
     * Reads an open file.
     *
     * @param options about policies of chains: those that are given have a warning
     */
    public static RuleFile read(OpenRules text, SwitchPorts ports, PolicyOptions options) {
        RuleFormat format = text.format();
        Path file = text.from().file();
        if (text.isPolicy()) {
            throw new SluiceException(
                    "%s: is a policy of chains (%s), which classify, filter, replay, archive, rules show, hits, test, convert and publish read; name an OpenFlow or ClassBench file here"
                            .formatted(file, format.title()));
        }
        return text.use(
                in -> {
                    RuleReading reading = new RuleReading(in, text.from(), ports);
                    List<String> idle = options.names();
                    if (!idle.isEmpty()) {
                        reading.warn(
                                "%s: without effect: %s; of policies of chains, and %s rules stand for themselves"
                                        .formatted(file, String.join(", ", idle), format.title()));
                    }
                    try {
                        format.read(reading);
                    } catch (RuleSyntaxException e) {
                        reading.defect(reading.line(), e);
                    }
                    List<Rule> rules = reading.rules(format.title());
                    if (rules.isEmpty()) {
                        throw new SluiceException(OpenRules.noRule(file));
                    }
                    requireWords(file.toString(), rules);
                    return new RuleFile(format, rules, reading.warnings());
                });
    }

    /** The same for packets that tell what several versions of a policy ask for. */
    public RuleFile telling(AskedFacts all) {
        return again == null ? this : again.apply(all);
    }

    /** Returns whether the rules are a policy of chains. */
    public boolean isPolicy() {
        return format instanceof PolicyFormat;
    }

    /** The action of packets that no rule matches: a policy has its own. */
    public String defaultAction(String otherwise) {
        return isPolicy() ? FlatPolicy.NOT_JUDGED : otherwise;
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
