package dev.sluice.job.cli;

import dev.sluice.engine.rules.RuleSet;
import dev.sluice.job.UsageException;
import dev.sluice.job.hits.LineUses;
import dev.sluice.job.rules.AcceptedFindings;
import dev.sluice.job.rules.LintFindings;
import dev.sluice.job.rules.LintPage;
import dev.sluice.job.rules.LintSarif;
import dev.sluice.job.rules.LintTable;
import dev.sluice.job.table.LinesOut;
import dev.sluice.job.table.RowsOut;
import dev.sluice.policy.OpenRules;
import dev.sluice.policy.PolicyOptions;
import dev.sluice.policy.RuleList;
import dev.sluice.policy.questions.LintReport;
import dev.sluice.policy.questions.LintRule.Kind;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code sluice rules lint}: rules that no packet reaches, and rules that change nothing. */
@Command(
        name = "lint",
        description = {
            "Finds rules that no packet reaches, and rules whose removal changes no outcome, exactly and without traffic.",
            "A rule is live with a packet that it wins; dead with the lines that leave it none; redundant with later lines that decide alike; "
                    + "in conflict with a line before of another action, where each has packets that the other has not. docs/guide/ask.md describes the findings.",
            "Of a policy of chains each hook and stage is a list, first packets of connections are meant unless --assume says otherwise, and interfaces are known.",
            "Exit status 1 if there is a finding of --fail-on that --accept does not name. --format sarif prints a log in SARIF 2.1.0, which code review tools show beside the lines.",
            ""
        })
final class RulesLintCommand extends SluiceCommand {
    @Parameters(
            paramLabel = "FILE[#LIST]",
            description = "Rule file; of a policy one hook or chain may be named.")
    private Path file = Path.of("");

    @Mixin private RuleFileOptions reading = new RuleFileOptions();

    @Mixin private LintHitsOptions hits = new LintHitsOptions();

    @Option(
            names = "--default-action",
            paramLabel = "ACTION",
            defaultValue = RuleSet.DROP,
            description =
                    "Action of packets that no rule matches, where rules stand for themselves (default: ${DEFAULT-VALUE}).")
    private String defaultAction = RuleSet.DROP;

    @Option(
            names = "--fail-on",
            paramLabel = "FINDING",
            split = ",",
            description =
                    "Exit with status 1 if there is one of these findings, as in dead,redundant: ${COMPLETION-CANDIDATES}.")
    private List<Kind> failOn = new ArrayList<>();

    @Option(
            names = "--accept",
            paramLabel = "FILE",
            description =
                    "Leave out findings that are known: a line each, the finding, a tab and the rule's text.")
    private @Nullable Path accept;

    @Option(names = "--all", description = "List live rules, too, each with a packet that it wins.")
    private boolean all;

    @Mixin private RowOptions form = new RowOptions(RowOptions.Format.SARIF);
    @Mixin private PageOption page = new PageOption();

    @Override
    public Integer call() throws InterruptedException {
        PolicyOptions options = hits.options();
        if (options.translates()) {
            throw new UsageException(
                    "--nat: lint does not ask which packets each translation meets, so that it could not tell dead rules of them; leave it out, or judge captures by classify --nat");
        }
        if (!hits.isGiven() && failOn.stream().anyMatch(Kind::isOfHits)) {
            throw new UsageException(
                    "--fail-on: never-hit, wider and deny-hit tell of traffic; add --hits");
        }
        page.requireUse(reads(), null);
        try (PageOption asked = page.open()) {
            return lint(options, asked);
        }
    }

    private List<Path> reads() {
        List<Path> reads = new ArrayList<>(hits.captures());
        reads.add(RuleList.of(file).file());
        if (accept != null) {
            reads.add(accept);
        }
        return reads;
    }

    private int lint(PolicyOptions options, PageOption asked) throws InterruptedException {
        AcceptedFindings accepted =
                accept == null ? AcceptedFindings.NONE : AcceptedFindings.read(accept);
        LineUses uses = new LineUses();
        boolean clean = hits.addTo(uses, file, reading, defaultAction, err());
        LintReport report;
        try (OpenRules text = reading.open(file)) {
            report = LintReport.of(text, reading.ports.read(), options, defaultAction, uses::of);
        }
        report.warnings().forEach(err()::println);
        LintFindings findings = LintFindings.of(report, all, accepted);
        RowsOut<LintTable.Row> rows =
                form.open(LintTable.form(hits.isGiven()), LinesOut.all(out()), LintSarif::new);
        findings.rows().forEach(rows::row);
        rows.flush();
        accepted.unused().forEach(line -> say(accept + ": names no finding, remove it: " + line));
        say(findings.describe());
        asked.write(() -> LintPage.of("lint of " + file, findings, hits.isGiven()), err());
        return clean && !findings.haveOneOf(failOn) ? 0 : 1;
    }
}
