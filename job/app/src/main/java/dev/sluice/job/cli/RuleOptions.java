package dev.sluice.job.cli;

import dev.sluice.engine.rules.RuleSet;
import dev.sluice.job.rules.AcceptedFindings;
import dev.sluice.job.rules.LintFindings;
import dev.sluice.job.rules.PageFindings;
import dev.sluice.policy.OpenRules;
import dev.sluice.policy.PolicyOptions;
import dev.sluice.policy.RuleFile;
import dev.sluice.policy.RuleList;
import dev.sluice.policy.explain.Explainer;
import dev.sluice.policy.explain.ListExplainer;
import dev.sluice.policy.explain.PolicyExplainer;
import dev.sluice.policy.io.SluiceException;
import dev.sluice.policy.questions.LintReport;
import dev.sluice.policy.questions.LintRule;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Options that name a rule file. */
public final class RuleOptions extends RuleSetOptions {
    /** Most rules of a page about captures that are linted, in some 3 s. */
    private static final int MOST_LINTED = 50_000;

    @Option(
            names = "--rules",
            paramLabel = "FILE[#LIST]",
            description =
                    "Rule file, plain or gzip'd. If it holds several lists, such as the tables of an OpenFlow dump or the hooks of a firewall, name one. A folder of Kubernetes objects is one policy.")
    private @Nullable Path file;

    @Spec(Spec.Target.MIXEE)
    private CommandSpec mixee;

    @Option(
            names = "--actions",
            paramLabel = "FILE",
            description =
                    "Actions of rules without one, as in ClassBench files: lines NUMBER ACTION, where NUMBER is the rule's line in the rule file. A rule that is not listed has the action match.")
    private @Nullable Path actions;

    /**
     * The rule file, with {@code #} and the list where one is named.
     *
     * @throws ParameterException if none was named: picocli does not ask for it, since some uses of
     *     a command need none
     */
    public Path file() {
        if (file == null) {
            throw new ParameterException(
                    mixee.commandLine(), "Missing required option: '--rules=FILE'");
        }
        return file;
    }

    /** Files that these options name. */
    public List<Path> files() {
        Path rules = file == null ? null : RuleList.of(file).file();
        return Stream.of(rules, actions, reading.ports.file()).filter(Objects::nonNull).toList();
    }

    /** Tells whether a rule file was named. */
    boolean isGiven() {
        return file != null;
    }

    @Override
    @Nullable Path actions() {
        return actions;
    }

    /** Tells whether actions are in a file of their own, which belongs to one rule file. */
    boolean givesActions() {
        return actions != null;
    }

    /** Reads the file as the rules that judge captures; warnings go to err. */
    RuleSet readSet(HeaderOptions headers, PolicyOptions policy, PrintWriter err) {
        return setOf(read(file(), policy, err), file(), headers, err);
    }

    /** Reads the file to explain its verdicts; warnings go to err. */
    Explainer explainer(PolicyOptions options, PrintWriter err) {
        Path from = file();
        try (OpenRules text = reading.open(from)) {
            return text.isPolicy()
                    ? new PolicyExplainer(policy(text, from, options, err))
                    : new ListExplainer(
                            read(text, from, options, err), from.toString(), defaultAction());
        }
    }

    /** Lints the file, of packets in any state; it is read again. */
    List<LintRule> lint(PolicyOptions options) {
        PolicyOptions any =
                new PolicyOptions(
                                options.hook(),
                                options.assumed().withState(null),
                                options.skipUnsupported())
                        .in(options.zone());
        return lintReport(any).rules();
    }

    /**
     * Lints the file for a page about captures, as {@code rules lint} does.
     *
     * @param size number of rules as look-ups have them
     */
    PageFindings findings(int size, PolicyOptions options) {
        Path from = RuleList.of(file()).file();
        if (size > MOST_LINTED) {
            return PageFindings.none(
                    "Findings are told up to %,d rules, and these are %,d: ask sluice rules lint."
                            .formatted(MOST_LINTED, size));
        }
        if (!Files.isRegularFile(from) && !Files.isDirectory(from)) {
            return PageFindings.none("Rules from a pipe are read once, without findings.");
        }
        if (givesActions()) {
            return PageFindings.none("Rules whose actions --actions tells have no findings.");
        }
        if (options.translates()) {
            return PageFindings.none("Under --nat rules have no findings.");
        }
        try {
            return PageFindings.of(
                    LintFindings.of(lintReport(options), false, AcceptedFindings.NONE));
        } catch (SluiceException e) {
            return PageFindings.none("No findings: " + e.getMessage());
        }
    }

    /** Lints the file, which is read again. */
    LintReport lintReport(PolicyOptions options) {
        try (OpenRules text = reading.open(file())) {
            return LintReport.of(text, reading.ports.read(), options, defaultAction());
        }
    }

    /** Reads the file, of rules that stand for themselves; warnings go to err. */
    public RuleFile read(PrintWriter err) {
        try (OpenRules text = reading.open(file())) {
            return read(text, file(), PolicyOptions.NONE, err);
        }
    }
}
