package dev.sluice.job.report;

import dev.sluice.job.table.RowForm;
import dev.sluice.job.table.RowsOut;
import dev.sluice.policy.io.Amount;
import dev.sluice.policy.questions.SemanticDiff;
import java.util.List;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Part of the difference of two rule files that no packet of some captures met. */
public final class UnmetPairs {
    private final @Nullable SemanticDiff diff;
    private final String untold;

    /** Packets that may have met them. */
    private final long doubtful;

    private UnmetPairs(@Nullable SemanticDiff diff, String untold, long doubtful) {
        this.diff = diff;
        this.untold = untold;
        this.doubtful = doubtful;
    }

    /**
     * Finds the pairs of lines that no packet met.
     *
     * @param changes which packets met the other ones
     * @param compare compares the files, and keeps some pairs
     */
    public static UnmetPairs of(
            OutcomeChanges changes, Function<Predicate<SemanticDiff.Sides>, SemanticDiff> compare) {
        SemanticDiff diff = compare.apply(sides -> !changes.met(sides));
        return new UnmetPairs(diff, "", changes.doubtful());
    }

    /**
     * None, as nobody looked for them.
     *
     * @param why in words; empty: nobody asked
     */
    public static UnmetPairs untold(String why) {
        return new UnmetPairs(null, why, 0);
    }

    /**
     * Prints the rows of counts, and the pairs below them where counts are by rule.
     *
     * @param open opens the output of rows
     */
    public void print(
            TopReport<OutcomeChange> report,
            Function<
                            RowForm<TopTable.Entry<PacketCounts.Key>>,
                            RowsOut<TopTable.Entry<PacketCounts.Key>>>
                    open) {
        PacketCounts<OutcomeChange> counts = report.counts();
        report.print(open, counts.isBy(ReportColumn.RULE) ? rows(counts) : List.of());
    }

    /** The pairs as rows of counts by rule. */
    List<TopTable.Entry<PacketCounts.Key>> rows(PacketCounts<OutcomeChange> counts) {
        return diff == null
                ? List.of()
                : diff.pairs().stream()
                        .map(pair -> counts.unmet(OutcomeChange.of(pair), pair.packet()))
                        .toList();
    }

    /** The number of pairs in a sentence, and how sure it is; empty: nobody asked. */
    public String describe(PacketCounts<OutcomeChange> counts) {
        if (diff == null) {
            return untold.isEmpty()
                    ? ""
                    : "differences that no packet met: not looked for: " + untold;
        }
        int shown = counts.isBy(ReportColumn.RULE) ? diff.pairs().size() : 0;
        String more =
                shown == diff.total()
                        ? ""
                        : counts.isBy(ReportColumn.RULE)
                                ? "; %,d shown, the largest; --unmet shows more".formatted(shown)
                                : "; --by rule shows them";
        String undecided =
                diff.givenUp() == 0
                        ? ""
                        : "; undecided: %s too large; sizes with them are lower bounds, and pairs may be missing"
                                .formatted(Amount.of(diff.givenUp(), "line"));
        String doubts =
                doubtful == 0 || diff.total() == 0
                        ? ""
                        : "; %s by both files and may have met them"
                                .formatted(
                                        doubtful == 1
                                                ? "1 packet depends"
                                                : "%,d packets depend".formatted(doubtful));
        return "differences that no packet met: %s%s of lines%s%s%s"
                .formatted(
                        diff.givenUp() > 0 ? "at least " : "",
                        Amount.of(diff.total(), "pair"),
                        more,
                        undecided,
                        doubts);
    }
}
