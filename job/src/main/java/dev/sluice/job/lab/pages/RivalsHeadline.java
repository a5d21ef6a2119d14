package dev.sluice.job.lab.pages;

import com.fasterxml.jackson.databind.JsonNode;
import java.math.BigDecimal;
import java.util.List;

/** The engine beside rte_acl, a row for each size of rule sets. */
final class RivalsHeadline {
    private static final int DIGITS = 3;

    private RivalsHeadline() {}

    static String table(RawFiles raw) {
        List<JsonNode> records = raw.records("rivals.json");
        MarkdownTable table =
                new MarkdownTable(
                        List.of(
                                "rules",
                                "rte_acl M headers/s",
                                "Sluice M headers/s",
                                "ratio, geometric mean",
                                "ratio, each row",
                                "rte_acl MB",
                                "Sluice MB"));
        for (String size : List.of("1k", "10k", "100k")) {
            List<JsonNode> rows =
                    records.stream()
                            .filter(r -> r.path("set").asText().endsWith("_" + size))
                            .toList();
            table.row(
                    List.of(
                            size,
                            Span.of(rows, "rteAclMpps").text(DIGITS),
                            Span.of(rows, "mpps").text(DIGITS),
                            Span.rounded(geometricMean(rows), DIGITS),
                            Span.of(rows.stream().map(RivalsPage::ratio).toList()).text(DIGITS),
                            Span.of(rows, "rteAclMegabytes").text(DIGITS),
                            Span.of(rows, "megabytes").text(DIGITS)));
        }
        return table.text();
    }

    private static BigDecimal geometricMean(List<JsonNode> rows) {
        double logs =
                rows.stream().mapToDouble(r -> Math.log(RivalsPage.ratio(r).doubleValue())).sum();
        return BigDecimal.valueOf(Math.exp(logs / rows.size()));
    }
}
