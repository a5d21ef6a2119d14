package dev.sluice.job.report;

import dev.sluice.job.table.RowForm;
import dev.sluice.job.table.RowsOut;
import dev.sluice.policy.io.Amount;
import java.util.List;
import java.util.function.Function;

/**
 * Output of counts: the rows with most packets, and a sentence about them.
 *
 * @param <L> label of the rules that packets are counted by
 * @param labels output of the labels
 * @param top most rows that are shown
 */
public record TopReport<L>(PacketCounts<L> counts, HostNames hosts, LabelForm<L> labels, long top) {
    /**
     * Prints the rows.
     *
     * @param open opens their output
     */
    public void print(
            Function<
                            RowForm<TopTable.Entry<PacketCounts.Key>>,
                            RowsOut<TopTable.Entry<PacketCounts.Key>>>
                    open) {
        print(open, List.of());
    }

    /**
     * Prints the rows, and others below them.
     *
     * @param open opens their output
     */
    void print(
            Function<
                            RowForm<TopTable.Entry<PacketCounts.Key>>,
                            RowsOut<TopTable.Entry<PacketCounts.Key>>>
                    open,
            List<TopTable.Entry<PacketCounts.Key>> others) {
        RowsOut<TopTable.Entry<PacketCounts.Key>> rows =
                open.apply(TopForm.of(counts, hosts, labels));
        boolean more = true;
        for (TopTable.Entry<PacketCounts.Key> entry : counts.table().top(top)) {
            more = more && rows.row(entry);
        }
        for (TopTable.Entry<PacketCounts.Key> entry : others) {
            more = more && rows.row(entry);
        }
        rows.flush();
    }

    /**
     * A sentence about the rows: what is exact, and what is not.
     *
     * @param counted words about the packets that were counted
     */
    public String describe(String counted) {
        TopTable<PacketCounts.Key> table = counts.table();
        long shown = Math.min(top, table.size());
        return "%s; %,d of %s shown%s"
                .formatted(
                        counted,
                        shown,
                        Amount.of(table.size(), "row"),
                        table.missed() == 0
                                ? shown < table.size()
                                        ? ", all counts exact; --all shows every row"
                                        : ", all counts exact"
                                : "; there were more rows than --keep: a count may lack as many packets as 'at most' says, and a row that is not kept has at most %,d"
                                        .formatted(table.missed()));
    }
}
