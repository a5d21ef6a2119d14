package dev.sluice.job.cli;

import dev.sluice.engine.rules.RuleSet;
import dev.sluice.job.UsageException;
import dev.sluice.policy.OpenRules;
import dev.sluice.policy.PolicyFile;
import dev.sluice.policy.PolicyOptions;
import dev.sluice.policy.RuleActions;
import dev.sluice.policy.RuleFile;
import dev.sluice.policy.io.Amount;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Options that tell how rule files become the rules that judge packets. */
class RuleSetOptions {
    private static final int MOST_WARNINGS = 5;

    @Mixin final RuleFileOptions reading = new RuleFileOptions();

    @Option(
            names = "--default-action",
            paramLabel = "ACTION",
            description =
                    "Action of a packet that no rule matches (default: that of the rules topic if rules are published and the topic has some, else drop).")
    private @Nullable String defaultAction;

    /** File with the actions of the rules; null: there is none. */
    @Nullable Path actions() {
        return null;
    }

    /** The default action that was given, else drop. */
    String defaultAction() {
        return defaultAction(RuleSet.DROP);
    }

    /** The default action that was given, else another. */
    String defaultAction(String otherwise) {
        return defaultAction == null ? otherwise : defaultAction;
    }

    /** The rule set of the file that was read. */
    RuleSet setOf(RuleFile file, Path from, HeaderOptions headers, PrintWriter err) {
        RuleSet rules = file.toRuleSet(from.toString(), 1, file.defaultAction(defaultAction()));
        headers.warn(file.isPolicy() ? List.of() : rules.rules(), err);
        return rules;
    }

    /** Reads another file, which may hold a policy of chains; warnings go to err. */
    public RuleFile read(Path from, PolicyOptions options, PrintWriter err) {
        try (OpenRules text = reading.open(from)) {
            return text.isPolicy()
                    ? readPolicy(text, from, options, err)
                    : read(text, from, options, err);
        }
    }

    private RuleFile readPolicy(OpenRules text, Path from, PolicyOptions options, PrintWriter err) {
        PolicyFile policy = policy(text, from, options, err);
        err.println("sluice: " + policy.summary());
        return policy.asRules();
    }

    final PolicyFile policy(OpenRules text, Path from, PolicyOptions options, PrintWriter err) {
        if (actions() != null || defaultAction != null) {
            throw new UsageException(
                    "%s is of rules that stand for themselves, and %s is a policy of chains, whose rules have actions; leave it out"
                            .formatted(actions() == null ? "--default-action" : "--actions", from));
        }
        PolicyFile policy = PolicyFile.read(text, options);
        warn(from, policy.warnings(), err);
        return policy;
    }

    final RuleFile read(OpenRules text, Path from, PolicyOptions options, PrintWriter err) {
        RuleFile rules = RuleFile.read(text, reading.ports.read(), options);
        Path actions = actions();
        if (actions != null) {
            rules = RuleActions.read(actions).appliedTo(rules, from);
        }
        warn(from, rules.warnings(), err);
        return rules;
    }

    private static void warn(Path from, List<String> warnings, PrintWriter err) {
        warnings.stream().limit(MOST_WARNINGS).forEach(err::println);
        if (warnings.size() > MOST_WARNINGS) {
            err.println(
                    from + ": and " + Amount.of(warnings.size() - MOST_WARNINGS, "more warning"));
        }
    }
}
