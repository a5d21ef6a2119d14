package dev.sluice.job.lab.pages;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sluice.job.SluiceException;
import java.math.BigDecimal;
import java.math.MathContext;
import java.util.ArrayList;
import java.util.List;

/**
 * A rule set and kernel with headers in device memory, launched in several ways. In the raw file
 * the ways of a workload follow one another, the largest launch first.
 *
 * @param first the launch of {@link #LARGE} headers
 * @param others the launches of 65,536 headers
 */
record GpuWorkload(JsonNode first, List<JsonNode> others) {
    static final int LARGE = 4_194_304;

    static List<GpuWorkload> of(List<JsonNode> records) {
        List<GpuWorkload> workloads = new ArrayList<>();
        for (JsonNode record : records) {
            String way = record.path("way").asText();
            if (way.equals("device") && record.path("headersALaunch").asInt() == LARGE) {
                workloads.add(new GpuWorkload(record, new ArrayList<>()));
            } else if (way.startsWith("device")) {
                workloads.get(workloads.size() - 1).others.add(record);
            }
        }
        return workloads;
    }

    static String table(List<GpuWorkload> workloads) {
        MarkdownTable table =
                new MarkdownTable(
                        List.of(
                                "workload",
                                "rules",
                                "algorithm",
                                "kernel",
                                "image bytes",
                                "build s",
                                "M headers/s, 4,194,304 a launch",
                                "sectors a header",
                                "time over floor",
                                "M headers/s, 65,536 alone",
                                "in turn",
                                "8 at once",
                                "wrong"));
        for (GpuWorkload w : workloads) {
            table.row(
                    List.of(
                            w.text("name"),
                            w.text("rules"),
                            w.text("algorithm"),
                            w.text("kernel"),
                            w.text("imageBytes"),
                            w.text("buildSeconds"),
                            w.text("mpps"),
                            w.text("sectors"),
                            w.timeOverFloor(),
                            Digits.of(w.smallRate("device")),
                            Digits.of(w.smallRate("device, in turn")),
                            Digits.of(w.smallRate("device, 8 at once")),
                            w.text("wrong")));
        }
        return table.text();
    }

    String name() {
        return text("name");
    }

    private String text(String field) {
        return Digits.of(first.path(field));
    }

    /** The rate of the largest launch, M headers/s. */
    BigDecimal largeRate() {
        return first.path("mpps").decimalValue();
    }

    /** The rate of launches of 65,536 headers in one of their ways, M headers/s. */
    BigDecimal smallRate(String way) {
        return others.stream()
                .filter(r -> r.path("way").asText().equals(way))
                .findFirst()
                .map(r -> r.path("mpps").decimalValue())
                .orElseThrow(
                        () -> new SluiceException(name() + " was not measured as '" + way + "'"));
    }

    /** The lower of the two rates that moving the bytes and reading at random allow, over ours. */
    private String timeOverFloor() {
        BigDecimal roof = first.path("floorMpps").decimalValue();
        BigDecimal sectors = first.path("sectors").decimalValue();
        if (sectors.signum() > 0) {
            roof =
                    roof.min(
                            first.path("gatherMps")
                                    .decimalValue()
                                    .divide(sectors, MathContext.DECIMAL64));
        }
        return Span.rounded(roof.divide(largeRate(), MathContext.DECIMAL64), 3);
    }
}
