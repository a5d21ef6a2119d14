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
                                "Generated rule sets on one core of two (AMD EPYC, 1 MB of second-level cache a core), 16,384 headers of which half",
                                "match; in each sweep one quantity varies, at the papers' sizes. One run on a quiet machine, 2026-11-25: a point",
                                "swings: where `auto` took merged tuples, so that the same was measured twice, the two differ by factors of 0.67 to 1.83",
                                "(median 1.16 either way). An empty rate: the algorithm refused the rule set. As plots: [sweep.html](sweep.html).")
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
                        "Every header that is no miss matches a rule in each of the matching masks. A search that goes through all masks does",
                        "not care; one that ends at the first match finds one sooner the more of them there are.");
            }
            page.table(table.text());
        }
        return page.toString();
    }
}
