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
                                "match; in each sweep one quantity varies, at the papers' sizes. No flow cache: the trace comes again and again, and",
                                "what is remembered of it is no search. One run on a quiet machine, 2026-11-25. Where `auto` took merged tuples the same",
                                "was measured twice: the two differ by 1 % (median of 22), but for 65,536 rules (8.8 and 19.7), 12 fields (22 and 31)",
                                "and one matching mask (29 and 23). 128 masks of 1,024 rules stand in eight places: tuples make 0.21 to 0.33 there, Bloom",
                                "filters 0.51 to 0.54. An empty rate: the algorithm refused the rule set. As plots: [sweep.html](sweep.html).")
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
                        "Every header that is no miss matches a rule in each of the matching masks. Tuple search looks into all masks and does not",
                        "care. What leaves out the masks that cannot match has to look into each of these: merged tuples make 28.6 with one and 4.4",
                        "with 128, mask filters 9.0 and 0.77; `auto` leaves them for a smaller image from 64 on.");
            }
            page.table(table.text());
        }
        return page.toString();
    }
}
