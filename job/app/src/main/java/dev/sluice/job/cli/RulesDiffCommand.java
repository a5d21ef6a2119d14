package dev.sluice.job.cli;

import dev.sluice.engine.rules.RuleSet;
import dev.sluice.job.UsageException;
import dev.sluice.job.rules.DifferenceMarkdown;
import dev.sluice.job.rules.DifferenceTable;
import dev.sluice.job.rules.RuleListing;
import dev.sluice.job.rules.RuleListing.Row;
import dev.sluice.job.table.LinesOut;
import dev.sluice.job.table.RowsOut;
import dev.sluice.operators.rules.history.VersionDiff;
import dev.sluice.policy.io.Amount;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;

/** {@code sluice rules diff}: difference of two versions of rules, or of two rule files. */
@Command(
        name = "diff",
        description = {
            "Lists how the rules of version B differ from those of version A: - removed, + added, < and > "
                    + "changed, before and after. Rules of which only the line moved are counted, and not listed.",
            "With --semantic A and B are rule files, of any formats: lists the packets about which they decide otherwise, exactly and without traffic. "
                    + "A row is a pair of lines, of A and of B, that decide about packets, with the number of their headers and a packet of them. docs/guide/ask.md describes it.",
            "Exit status 1 if there is a difference of --fail-on.",
            ""
        })
final class RulesDiffCommand extends SluiceCommand {
    @Parameters(
            index = "0",
            paramLabel = "A",
            description = "A version; with --semantic a rule file, or FILE#LIST.")
    private String before = "";

    @Parameters(
            index = "1",
            paramLabel = "B",
            description = "Another version; with --semantic another rule file.")
    private String after = "";

    @Mixin private RowOptions rows = new RowOptions(RowOptions.Format.MARKDOWN);

    @Mixin
    private TopicOptions topics =
            TopicOptions.optional("none: --semantic compares files", TopicOptions.Topic.RULES);

    @Mixin private SemanticOptions semantic = new SemanticOptions();

    @Override
    public Integer call() {
        if (semantic.isAsked(topics.isGiven())) {
            return semantic.compare(
                    Path.of(before),
                    Path.of(after),
                    rows.open(DifferenceTable.FORM, LinesOut.all(out()), DifferenceMarkdown::new),
                    this);
        }
        if (!topics.isGiven() && Files.exists(Path.of(before))) {
            throw new UsageException(
                    "--semantic compares files; add it, or name --bootstrap and two versions");
        }
        topics.requireBroker(false);
        long from = version(before);
        long to = version(after);
        RowsOut<Row> out = rows.open(RuleListing.DIFFERENCES, LinesOut.all(out()));
        RulesTopic topic = new RulesTopic(topics, err());
        List<RuleSet> versions = topic.read(open -> List.of(open.at(from), open.at(to)));
        RuleSet before = versions.get(0);
        RuleSet after = versions.get(1);
        VersionDiff changes = VersionDiff.between(before.deciding(), after.deciding());
        if (!before.defaultAction().equals(after.defaultAction())) {
            out.row(new Row("<", null, before.defaultAction()));
            out.row(new Row(">", null, after.defaultAction()));
        }
        changes.removed().forEach(rule -> out.row(Row.of("-", rule)));
        changes.added().forEach(rule -> out.row(Row.of("+", rule)));
        for (VersionDiff.Change change : changes.changed()) {
            out.row(Row.of("<", change.before()));
            out.row(Row.of(">", change.after()));
        }
        out.flush();
        spec().commandLine()
                .getErr()
                .printf(
                        "sluice: from version %d to %d: %s removed, %,d added, %,d changed, %,d on another line%s%n",
                        from,
                        to,
                        Amount.of(changes.removed().size(), "rule"),
                        changes.added().size(),
                        changes.changed().size(),
                        changes.moved().size(),
                        RuleListing.ofDefaultAction(before.defaultAction(), after.defaultAction()));
        return 0;
    }

    private long version(String word) {
        try {
            long version = Long.parseLong(word);
            if (version >= 0) {
                return version;
            }
        } catch (NumberFormatException e) {
            throw noVersion(word, e);
        }
        throw noVersion(word, null);
    }

    private ParameterException noVersion(String word, @Nullable Throwable cause) {
        return new ParameterException(
                spec().commandLine(),
                "'%s' is no version: name a number from 0, or two rule files and --semantic"
                        .formatted(word),
                cause);
    }
}
