package dev.sluice.job.lab.pages;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** Every algorithm on every rule set, on one core. */
final class AlgorithmsPage implements BenchmarkPage {
    private static final String RAW = "engine.json";
    private static final String RULE_SETS = "rule-sets.csv";

    @Override
    public String file() {
        return "algorithms.md";
    }

    @Override
    public String text(RawFiles raw) {
        List<JsonNode> records = raw.records(RAW);
        PageText page =
                new PageText("Every algorithm on one core", RAW, RULE_SETS)
                        .say(
                                "Batches of 4,096 on one core of a quiet machine (AMD EPYC, Zen 5, 1 MB of second-level cache a core), JDK",
                                "17.0.15, one measurement at a time, 2026-11-22. `plain` and `mix` are the sets' own traces. Updates are",
                                "single rules removed and inserted again in place, each visible before the next, both copies written; live bytes",
                                "are those of both copies.")
                        .say(
                                "What is not in a table was refused (masks with holes; class tables beyond the budget; bitvector of ipc1_100k,",
                                "whose build a heap of 14 GB did not hold) or left out for time (linear beyond 1,000 OpenFlow or IPv6 rules, RFC",
                                "where its tables run away, forests on MAC addresses beyond 2,000 rules). Two at a time ran linear search of",
                                "10,000 rules and more, and hash tree and bitvector (`--memory-budget 6g`) at 100,000. Plain 5-tuple rules are",
                                "hash tree's worst case: all fall into its extra tree. Rows of openflow_1k, of tuples with expanded ranges and of routes",
                                "are of 2026-11-25, on two cores of such a machine.")
                        .rerun(
                                "./sluice bench --rules SET.rules.gz --trace TRACE.trace.gz --expect TRACE.exp.gz --algorithm NAME [--updates in-place] --json",
                                "./sluice bench table --folder FOLDER --out engine.json    # or all of them, hours; --sets, --algorithms: some")
                        .section(raw.csv(RULE_SETS));
        Map<String, List<JsonNode>> sets =
                records.stream()
                        .collect(
                                Collectors.groupingBy(
                                        r -> r.path("set").asText(),
                                        LinkedHashMap::new,
                                        Collectors.toList()));
        sets.forEach((set, rows) -> page.section(set).table(rates(rows)));
        return page.section("What auto chose, and why").table(choices(records)).toString();
    }

    private static String rates(List<JsonNode> rows) {
        return Column.table(
                rows,
                Column.of("asked for", "asked"),
                Column.of("algorithm", "algorithm"),
                Column.of("trace", "trace"),
                Column.of("M headers/s", "mpps"),
                Column.of("min", "mppsMin"),
                Column.of("max", "mppsMax"),
                Column.of("build s", "buildSeconds"),
                Column.of("image bytes", "imageBytes"),
                Column.of("updates/s", "updatesPerSecond"),
                Column.of("live bytes", "liveBytes"),
                Column.of("wrong", "wrong"));
    }

    private static String choices(List<JsonNode> records) {
        return Column.table(
                records.stream().filter(r -> r.path("asked").asText().equals("auto")).toList(),
                Column.of("set", "set"),
                Column.of("trace", "trace"),
                Column.of("what it said", "explanation"));
    }
}
