package dev.sluice.job.cli;

import dev.sluice.engine.rules.RuleSet;
import dev.sluice.job.UsageException;
import dev.sluice.job.rules.CaseReport;
import dev.sluice.policy.OpenRules;
import dev.sluice.policy.PolicyOptions;
import dev.sluice.policy.cases.CaseFile;
import dev.sluice.policy.cases.CaseJudge;
import dev.sluice.policy.cases.CaseResult;
import dev.sluice.policy.cases.VerdictCase;
import dev.sluice.policy.io.Amount;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code sluice rules test}: expected verdicts, checked. */
@Command(
        name = "test",
        description = {
            "Checks the verdicts of a policy against those that files of cases expect, for continuous integration.",
            "A case is a packet in words and its verdict; docs/guide/rule-tests.md describes the YAML. Each case that "
                    + "differs is printed with the rule that decides.",
            "Exit status 1 if a case differs.",
            ""
        })
final class RulesTestCommand extends SluiceCommand {
    @Parameters(arity = "1..*", paramLabel = "CASES", description = "YAML files of cases.")
    private List<Path> files = List.of();

    @Option(
            names = "--rules",
            paramLabel = "FILE[#LIST]",
            description = "Rule file (default: the one that the file of cases names).")
    private @Nullable Path rules;

    @Mixin private RuleFileOptions reading = new RuleFileOptions();

    @Mixin private PolicyArguments policy = new PolicyArguments();

    @Option(
            names = "--junit",
            paramLabel = "OUT.xml",
            description = "Write the results as JUnit XML, too.")
    private @Nullable Path junit;

    @Option(names = "--json", description = "Print one JSON object a case and line.")
    private boolean json;

    @Override
    public Integer call() {
        Path report = junit;
        if (report != null) {
            OutputPath.requireFile("--junit", report);
            OutputPath.requireOther("--junit", report, files);
        }
        List<CaseResult> results = new ArrayList<>();
        for (Path file : files) {
            results.addAll(test(file));
        }
        if (report != null) {
            CaseReport.writeJunit(report, results);
        }
        List<CaseResult> failed = results.stream().filter(result -> !result.passed()).toList();
        if (json) {
            results.forEach(result -> out().println(CaseReport.json(result)));
        } else {
            failed.forEach(
                    result ->
                            out().printf(
                                            "%s:%d: %s%n",
                                            result.of().at().file(),
                                            result.of().at().line(),
                                            result.describe()));
            out().printf(
                            "%s, %s%n",
                            Amount.of(results.size(), "case"),
                            failed.isEmpty()
                                    ? "all as expected"
                                    : "%,d not as expected".formatted(failed.size()));
        }
        return failed.isEmpty() ? 0 : 1;
    }

    private List<CaseResult> test(Path file) {
        PolicyOptions options = policy.options().ofMessages(null); // cases do not say every field
        CaseFile cases = CaseFile.read(file, options.assumed());
        Path from = rules == null ? cases.rules() : rules;
        if (from == null) {
            throw new UsageException(
                    "%s names no rules; add a line rules: FILE, or name them by --rules"
                            .formatted(file));
        }
        List<CaseResult> results = new ArrayList<>();
        try (OpenRules text = reading.open(from)) {
            CaseJudge judge = CaseJudge.read(text, reading.ports.read(), options, RuleSet.DROP);
            judge.warnings().forEach(err()::println);
            for (VerdictCase one : cases.cases()) {
                results.add(judge.judge(one));
            }
        }
        return results;
    }
}
