package dev.sluice.job.rules;

import static dev.sluice.job.table.MarkdownRows.cell;

import dev.sluice.job.EscapedText;
import dev.sluice.job.table.LinesOut;
import dev.sluice.job.table.RowsOut;
import dev.sluice.policy.questions.DiffPair;
import dev.sluice.policy.questions.LintRule.Line;

/** Differences of two policies as a table in Markdown, for pull requests. */
public final class DifferenceMarkdown implements RowsOut<DiffPair> {
    private final LinesOut out;
    private boolean begun;

    /** Creates a table of no rows yet. */
    public DifferenceMarkdown(LinesOut out) {
        this.out = out;
    }

    @Override
    public boolean row(DiffPair pair) {
        if (!begun) {
            out.line("| packets | was | is | headers | example |");
            out.line("|---|---|---|---|---|");
            begun = true;
        }
        boolean more =
                out.line(
                        "| %s | %s | %s | %s | %s |"
                                .formatted(
                                        cell(DifferenceTable.packetsOfState(pair)),
                                        verdict(pair.oldOutcome(), pair.oldLine(), true),
                                        verdict(pair.newOutcome(), pair.newLine(), false),
                                        cell(DifferenceTable.headers(pair)),
                                        code(pair.packet())));
        for (String box : pair.boxes()) {
            more = out.line("| • %s | | | | |".formatted(cell(box)));
        }
        return more;
    }

    private static String verdict(String outcome, Line line, boolean past) {
        return cell(DifferenceTable.verdict(outcome, line, past))
                + ": "
                + code(line.text().strip());
    }

    /** A text as code that ends no cell. */
    private static String code(String text) {
        String plain = EscapedText.line(text).replace('\t', ' ').replace("|", "\\|");
        String fence = plain.contains("`") ? "``" : "`";
        return fence + (plain.contains("`") ? " " + plain + " " : plain) + fence;
    }

    @Override
    public boolean flush() {
        return out.flush();
    }
}
