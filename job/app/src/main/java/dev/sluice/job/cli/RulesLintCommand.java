package dev.sluice.job.cli;

import dev.sluice.engine.rules.RuleSet;
import dev.sluice.job.UsageException;
import dev.sluice.job.hits.LineUses;
import dev.sluice.job.rules.AcceptedFindings;
import dev.sluice.job.rules.LintSarif;
import dev.sluice.job.rules.LintTable;
import dev.sluice.job.table.LinesOut;
import dev.sluice.job.table.RowsOut;
import dev.sluice.policy.OpenRules;
import dev.sluice.policy.PolicyOptions;
import dev.sluice.policy.io.Amount;
import dev.sluice.policy.questions.LintReport;
import dev.sluice.policy.questions.LintRule.Kind;
import dev.sluice.policy.questions.RuleFinding.Reach;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
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
        AcceptedFindings accepted =
                accept == null ? AcceptedFindings.NONE : AcceptedFindings.read(accept);
        LineUses uses = new LineUses();
        boolean clean = hits.addTo(uses, file, reading, defaultAction, err());
        LintReport report;
        try (OpenRules text = reading.open(file)) {
            report = LintReport.of(text, reading.ports.read(), options, defaultAction, uses::of);
        }
        report.warnings().forEach(err()::println);
        Set<String> failing = new TreeSet<>();
        Map<Kind, Integer> counts = new EnumMap<>(Kind.class);
        int known = 0;
        RowsOut<LintTable.Row> rows =
                form.open(LintTable.form(hits.isGiven()), LinesOut.all(out()), LintSarif::new);
        for (LintTable.Row row : LintTable.rows(report, all)) {
            Kind kind = Kind.labelled(row.finding());
            if (kind != null && accepted.accepts(row)) {
                known++;
                continue;
            }
            if (kind != null) {
                counts.merge(kind, 1, Integer::sum);
                if (failOn.contains(kind)) {
                    failing.add(kind.label());
                }
            }
            rows.row(row);
        }
        rows.flush();
        accepted.unused().forEach(line -> say(accept + ": names no finding, remove it: " + line));
        say(summary(report, counts, known));
        return failing.isEmpty() && clean ? 0 : 1;
    }

    private static String summary(LintReport report, Map<Kind, Integer> counts, int known) {
        long live = report.rules().stream().filter(rule -> rule.reach() == Reach.LIVE).count();
        String findings =
                counts.entrySet().stream()
                        .map(count -> "%,d %s".formatted(count.getValue(), count.getKey().label()))
                        .collect(Collectors.joining(", "));
        return "%s, %,d live; %s%s"
                .formatted(
                        Amount.of(report.rules().size(), "rule"),
                        live,
                        findings.isEmpty() ? "no finding" : findings,
                        known == 0 ? "" : "; %,d accepted".formatted(known));
    }
}
