package dev.sluice.job.lab.pages;

import com.fasterxml.jackson.databind.JsonNode;
import java.math.BigDecimal;
import java.math.MathContext;

/** The engine beside DPDK's rte_acl. */
final class RivalsPage implements BenchmarkPage {
    private static final String RAW = "rivals.json";
    private static final String LARGE_CACHE = "rivals-large-cache.csv";
    private static final String SHARED_HOST = "rivals-shared-host.csv";
    private static final String WIDE = "rivals-wide.csv";
    private static final String THREADS = "threads.csv";

    @Override
    public String file() {
        return "rivals.md";
    }

    @Override
    public String text(RawFiles raw) {
        return new PageText(
                        "The engine against rte_acl", RAW, LARGE_CACHE, SHARED_HOST, WIDE, THREADS)
                .say(
                        "One core, plain Java 17 (`auto`, batches of 4,096, transparent huge pages) and DPDK 22.11's rte_acl (the best",
                        "of AVX-512 with 32 and 16 streams and AVX2, batches of 256, huge pages), one after the other on each trace.",
                        "`plain` and `mix` are the sets' own traces (50,000 and 20,000 headers), `uniq` is 200,000 generated headers",
                        "whose answers linear search gave. rte_acl's answers were right on every row, too. The ratio is computed here.")
                .rerun(
                        "./sluice rules generate --rules SET.rules.gz --trace uniq.trace --expect uniq.exp --headers 200000 --seed 77",
                        "SLUICE_JAVA_OPTS=-XX:+UseTransparentHugePages ./sluice bench --rules SET.rules.gz --trace TRACE.trace.gz --expect TRACE.exp.gz --explain --json")
                .section("On a quiet machine")
                .say(
                        "Two cores of an AMD EPYC (Zen 5, 1 MB of second-level cache a core, 32 MB of third), nothing else running,",
                        "measured 2026-11-22.")
                .table(
                        Column.table(
                                raw.records(RAW),
                                Column.of("set", "set"),
                                Column.of("trace", "trace"),
                                Column.of("rte_acl's form", "rteAclForm"),
                                Column.of("rte_acl M headers/s", "rteAclMpps"),
                                Column.of("auto", "algorithm"),
                                Column.of("auto M headers/s", "mpps"),
                                Column.of("min", "mppsMin"),
                                Column.of("max", "mppsMax"),
                                new Column("ratio", r -> Span.rounded(ratio(r), 3)),
                                Column.of("rte_acl MB", "rteAclMegabytes"),
                                Column.of("auto MB", "megabytes"),
                                Column.of("rte_acl build s", "rteAclBuildSeconds"),
                                Column.of("auto build s", "buildSeconds"),
                                Column.of("auto wrong", "wrong")))
                .section(raw.csv(LARGE_CACHE))
                .section(raw.csv(SHARED_HOST))
                .section(raw.csv(WIDE))
                .section(raw.csv(THREADS))
                .toString();
    }

    /** Our rate over rte_acl's. */
    static BigDecimal ratio(JsonNode row) {
        return row.path("mpps")
                .decimalValue()
                .divide(row.path("rteAclMpps").decimalValue(), MathContext.DECIMAL64);
    }
}
