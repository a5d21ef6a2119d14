package dev.sluice.job.lab.pages;

import java.math.BigDecimal;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.regex.Pattern;

/** Look-ups on a GPU, a row for each kind of rule set. */
final class GpuHeadline {
    private static final int DIGITS = 4;

    /** Rule sets by the names of their workloads; the numbers give the order. */
    private static final Map<String, Pattern> KINDS =
            new TreeMap<>(
                    Map.of(
                            "1 ClassBench, 1k", Pattern.compile("(acl1|fw1|ipc1)_1k.*"),
                            "2 ClassBench, 10k", Pattern.compile("(acl1|fw1|ipc1)_10k.*"),
                            "3 ClassBench, 100k", Pattern.compile("(acl1|fw1|ipc1)_100k.*"),
                            "4 OpenFlow, 1k to 10k", Pattern.compile("(openflow_10?k|ng_.*)"),
                            "5 OpenFlow, 128k", Pattern.compile("openflow_128k"),
                            "6 IPv6 5-tuples, 10k", Pattern.compile("ipv6_10k")));

    private GpuHeadline() {}

    static String table(RawFiles raw) {
        List<GpuWorkload> workloads = GpuWorkload.of(raw.records("gpu.json"));
        MarkdownTable table =
                new MarkdownTable(
                        List.of(
                                "rule sets",
                                "M headers/s, 4,194,304 a launch",
                                "65,536 a launch, alone",
                                "in turn",
                                "8 at once"));
        KINDS.forEach(
                (kind, names) -> {
                    List<GpuWorkload> ofKind =
                            workloads.stream()
                                    .filter(w -> names.matcher(w.name()).matches())
                                    .toList();
                    table.row(
                            List.of(
                                    kind.substring(2),
                                    span(ofKind, GpuWorkload::largeRate),
                                    span(ofKind, w -> w.smallRate("device")),
                                    span(ofKind, w -> w.smallRate("device, in turn")),
                                    span(ofKind, w -> w.smallRate("device, 8 at once"))));
                });
        return table.text();
    }

    private static String span(List<GpuWorkload> ofKind, Function<GpuWorkload, BigDecimal> rate) {
        return Span.of(ofKind.stream().map(rate).toList()).text(DIGITS);
    }
}
