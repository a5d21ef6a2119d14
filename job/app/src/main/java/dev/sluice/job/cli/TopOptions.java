package dev.sluice.job.cli;

import dev.sluice.job.UsageException;
import dev.sluice.job.report.HostNames;
import dev.sluice.job.report.LabelForm;
import dev.sluice.job.report.PacketCounts;
import dev.sluice.job.report.ReportColumn;
import dev.sluice.job.report.TopReport;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Option;

/** Options of counts of packets: by what, and which rows. */
final class TopOptions {
    private static final int MOST = 250_000;

    @Option(
            names = "--by",
            paramLabel = "WHAT,...",
            split = ",",
            description =
                    "Count packets by one or several of rule, source, destination and service: a row for each combination.")
    private List<ReportColumn> by = List.of();

    @ArgGroup private ShownRows shown = new ShownRows();

    @Option(
            names = "--hosts",
            paramLabel = "FILE",
            description = "Names of hosts, as /etc/hosts has them: lines ADDRESS NAME.")
    private @Nullable Path hosts;

    @Option(
            names = "--keep",
            paramLabel = "N",
            description =
                    "Rows that are kept in memory (default 250000, some 60 MB). As long as there are no more, all counts are exact; else the rows with most packets are kept, and the column 'at most' tells how many packets each may have.")
    @Range(from = 1)
    private @Nullable Integer keep;

    /**
     * Tells whether packets are to be counted.
     *
     * @throws UsageException if they are not, and an option says how
     */
    boolean isGiven() {
        if (by.isEmpty() && (hosts != null || keep != null || shown.isGiven())) {
            throw new UsageException(
                    "--top, --all, --hosts and --keep are of counts; add --by, as in --by rule,source");
        }
        return !by.isEmpty();
    }

    /** Empty counts; by the given columns where the user names none. */
    <L> PacketCounts<L> counts(Set<ReportColumn> otherwise) {
        return new PacketCounts<>(by.isEmpty() ? otherwise : EnumSet.copyOf(by), keep());
    }

    /** The report of counts. */
    <L> TopReport<L> report(PacketCounts<L> counts, LabelForm<L> labels) {
        HostNames names = hosts == null ? HostNames.NONE : HostNames.read(hosts);
        return new TopReport<>(counts, names, labels, shown.most());
    }

    /** Most rows that are kept. */
    int keep() {
        return keep == null ? MOST : keep;
    }
}
