package dev.sluice.job.lab.pages;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;

/** Merged tuples, which change in place, on the large sets. */
final class ChangingRulesHeadline {
    private ChangingRulesHeadline() {}

    static String table(RawFiles raw) {
        List<JsonNode> rows =
                raw.records("engine.json").stream()
                        .filter(r -> r.path("asked").asText().equals("merged-tuple"))
                        .filter(r -> r.path("updatesPerSecond").isNumber())
                        .filter(r -> r.path("ruleCount").asInt() > 50_000)
                        .toList();
        return Column.table(
                rows,
                Column.of("set", "set"),
                Column.of("rules", "ruleCount"),
                Column.of("trace", "trace"),
                Column.of("M headers/s", "mpps"),
                new Column(
                        "M updates/s",
                        r ->
                                Span.rounded(
                                        r.path("updatesPerSecond").decimalValue().movePointLeft(6),
                                        3)));
    }
}
