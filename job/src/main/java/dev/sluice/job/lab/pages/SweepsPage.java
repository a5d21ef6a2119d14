package dev.sluice.job.lab.pages;

import java.util.List;

/** The papers' sweeps on generated rule sets. */
final class SweepsPage implements BenchmarkPage {
    private static final String RAW = "sweep.csv";

    @Override
    public String file() {
        return "sweeps.md";
    }

    @Override
    public String text(RawFiles raw) {
        NotedCsv csv = raw.csv(RAW);
        PageText page =
                new PageText("The papers' sweeps", RAW)
                        .say(
                                "Generated rule sets on one core; in each sweep one quantity varies. One run beside other work, 2026-11-21: compare",
                                "rows of one sweep, not absolute rates. An empty rate: the algorithm refused the rule set.")
                        .say(
                                "In all sweeps but bitvector-rules, masks that name a port counted as two when one of them named the protocol as well,",
                                "so that there could be fewer masks than said. Now they count as one; these figures are from before.")
                        .rerun("./sluice bench --sweep DIR --sweep-sizes papers");
        List<String> sweeps = csv.rows().stream().map(row -> row.get(0)).distinct().toList();
        for (String sweep : sweeps) {
            MarkdownTable table =
                    new MarkdownTable(
                            List.of("algorithm", sweep, "M headers/s", "build s", "image bytes"));
            csv.rows().stream()
                    .filter(row -> row.get(0).equals(sweep))
                    .forEach(row -> table.row(row.subList(1, row.size())));
            page.section(sweep);
            if (sweep.equals("matching-masks")) {
                page.say(
                        "These figures are from before the trace held the header that the matching masks have in common, and do not",
                        "show what matching masks cost: headers were drawn within single rules, as in the other sweeps. Now every header of",
                        "this sweep that is no miss is the common one. It is yet to be measured again.");
            }
            page.table(table.text());
        }
        return page.toString();
    }
}
