package dev.sluice.job.lab.pages;

import com.fasterxml.jackson.databind.JsonNode;
import java.math.BigDecimal;
import java.math.MathContext;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;

/** The engine on a grid of generated policies, beside rte_acl. */
final class GridPage implements BenchmarkPage {
    private static final String RAW = "grid.json";

    private static final String RAW_ON_TWO_CORES = "grid-two-cores.json";

    private static final String RAW_ON_GPU_HOST = "grid-gpu-host.json";

    /** Is there once a device was measured. */
    private static final String RAW_ON_DEVICE = "grid-device.json";

    private static final BigDecimal DEVICE_GOAL = new BigDecimal("4000");
    private static final BigDecimal LEAST_OF_THE_BEST = new BigDecimal("0.9");
    private static final int DIGITS = 3;

    /** A step to more kinds or to more depth is to keep this part of the rate at least. */
    private static final BigDecimal LEAST_KEPT = new BigDecimal("0.333");

    private static final String KINDS = "kinds";
    private static final String DEPTH = "depth";

    @Override
    public String file() {
        return "grid.md";
    }

    @Override
    public String text(RawFiles raw) {
        List<JsonNode> cells = cells(raw);
        PageText page =
                new PageText("Policies beyond ClassBench", RAW)
                        .say(
                                "One core, plain Java 17 (`auto`, batches of 4,096, transparent huge pages) and DPDK's rte_acl (the best of its",
                                "forms, batches of 256, huge pages), one after the other on each generated policy. A trace has 200,000 headers: half at",
                                "points of rules, a quarter near misses, a quarter at points between two rules. Kinds are distinct combinations of",
                                "source ports, destination ports and protocol; depth is the length of the longest chain of nested prefixes. Rates are by",
                                "the thread's CPU time, for both; the build of `auto` includes all that it tried, by the clock on the wall. Wrong answers",
                                "are those that linear search on a sample, merged tuples on all headers or rte_acl on all headers give otherwise.")
                        .say(
                                "1,000 and 10,000 rules: two cores of an AMD EPYC with AVX-512 (1 MB of second-level cache a core, 32 MB of third),",
                                "shared with others whom nothing here sees, 2026-11-27. 100,000 rules: two cores of an Intel Xeon with AVX-512 (2 MB of",
                                "second-level cache a core, 480 MB of third), where rte_acl gains, 2026-11-26. One policy at a time, in one process.",
                                "1,000,000 rules, 2026-11-27: a GPU's host, such a Xeon with 300 MB, seven policies at a time, each in a process of its own on two",
                                "hardware threads, so rates are below those of a host at rest, and builds are from a fresh start; without merged tuples as a",
                                "witness; rte_acl, where a failure is said, in a run before.")
                        .say(
                                "What bounds `pairs` at 100,000 rules: with 30 kinds, and with 300 between few prefixes, two reads into 4 to 40 MB. Groups:",
                                "a bit map of half a megabyte, its cells (2 to 8 MB) and a short list, one of these a look-up. Else a cell and a list, four or",
                                "five steps, of two to seven groups in 8 to 44 MB, two or three of whose reads miss the second-level cache a list. A step from",
                                "rows of verdicts to such lists is the one that keeps least; where prefixes nest 24 deep, less than a third. At 10,000 rules",
                                "it is the step from RFC's tables to pairs. At 1,000,000 rules zones and few sources that nest 24 deep are forests of 240 to 310",
                                "MB, since pairs refuse what has more than 24 cells a rule.")
                        .rerun(
                                "SLUICE_JAVA_OPTS=-XX:+UseTransparentHugePages ./sluice bench grid --rules 1000,10000,100000 --rte-acl PROGRAM --out docs/benchmarks/grid.json",
                                "SLUICE_JAVA_OPTS='-XX:+UseTransparentHugePages -Xmx8g' ./sluice bench grid --rules 1000000 --rte-acl PROGRAM --out docs/benchmarks/grid.json",
                                "SLUICE_JAVA_OPTS='-XX:+UseTransparentHugePages -Xmx8g' ./sluice bench grid --rules 100000 --rte-acl PROGRAM --out docs/benchmarks/grid-two-cores.json",
                                "./run gpu grid --rules 100000 --runs 9 --out grid-device.json   # on the GPU's host, in the unpacked archive")
                        .section("By shape and size")
                        .say("From the smallest to the largest of the cells of a shape and size.")
                        .table(headline(raw))
                        .section("Each cell")
                        .say(
                                "In bold: ratios below 1, and steps to more kinds or more depth that keep less than a third of the rate. A step is",
                                "from the next smaller number that was measured, all else being equal.");
        page.table(besideRteAcl(cells));
        page.section("100,000 rules on a GPU's host")
                .say(
                        "Intel Xeons with AVX-512 and 300 MB of third-level cache, two hardware threads a policy, 2026-11-26",
                        "([grid-gpu-host.json](grid-gpu-host.json)): groups, the block list and zones of 3,000 kinds on one host, four policies at a",
                        "time, the others on another, six at a time. What else uses the cache moves both sides, rte_acl most: of groups it made 19 to 39",
                        "M headers/s here, on the other host 15 to 36, and `auto` was ahead of it in 6 of 13 of these there, in 3 here. Where its tables",
                        "of 50 to 100 MB stay in the cache, it is ahead.")
                .table(besideRteAcl(sorted(raw.records(RAW_ON_GPU_HOST))));
        page.section("100,000 rules on two cores with 32 MB of cache")
                .say(
                        "Two cores of an AMD EPYC with AVX-512 (1 MB of second-level cache a core, 32 MB of third, shared with others), one policy at",
                        "a time, 2026-11-27 ([grid-two-cores.json](grid-two-cores.json)). Of ipc two more runs: 1.77 and 0.81 of rte_acl's rate.")
                .table(besideRteAcl(sorted(raw.records(RAW_ON_TWO_CORES))));
        if (raw.has(RAW_ON_DEVICE)) {
            onDevice(page, sorted(raw.records(RAW_ON_DEVICE)));
        }
        return page.toString();
    }

    private static String besideRteAcl(List<JsonNode> cells) {
        return table(
                cells,
                Column.of("auto", "algorithm"),
                Column.of("auto M headers/s", "mpps"),
                new Column("rte_acl M headers/s", GridPage::rival),
                new Column("ratio", c -> bold(ratio(c), BigDecimal.ONE)),
                Column.of("auto build s", "buildSeconds"),
                Column.of("rte_acl build s", "rteAclBuildSeconds"),
                new Column("bytes a rule", c -> Digits.of(bytesOfRule(c))),
                new Column("kept by more kinds", c -> bold(kept(cells, c, KINDS), LEAST_KEPT)),
                new Column("kept by more depth", c -> bold(kept(cells, c, DEPTH), LEAST_KEPT)),
                new Column("wrong", GridPage::wrong));
    }

    /** A row for each cell: which policy it is, then more. */
    private static String table(List<JsonNode> cells, Column... more) {
        Stream<Column> policy =
                Stream.of(
                        Column.of("shape", "shape"),
                        Column.of("rules", "rules"),
                        Column.of("kinds", KINDS),
                        Column.of("depth", DEPTH));
        return Column.table(cells, Stream.concat(policy, Stream.of(more)).toArray(Column[]::new));
    }

    private static void onDevice(PageText page, List<JsonNode> cells) {
        page.section("On a device")
                .say(
                        "One NVIDIA H100, measured 2026-11-27. Headers and verdicts in its memory, 4,194,304 drawn from a trace a launch, the",
                        "median of 9 launches by the device's clock ([grid-device.json](grid-device.json), by the command `gpu grid`); M headers/s. `auto` is what it chose by",
                        "measuring there, its seconds are those of both back ends. Wrong are verdicts that the CPU or linear search gives",
                        "otherwise. In bold: below 4,000 M headers/s, and less than nine tenths of the best. A device takes the CPU's image where nothing",
                        "tried there is a twentieth faster. Six policies were built and tried at a time, so trials disturbed one another.")
                .table(
                        table(
                                cells,
                                Column.of("on the CPU", "onCpu"),
                                Column.of("on the device", "algorithm"),
                                new Column(
                                        "auto M headers/s",
                                        c -> bold(rate(c, "mpps"), DEVICE_GOAL)),
                                new Column("pairs", c -> Digits.of(c.path("rates").path("pairs"))),
                                new Column(
                                        "merged-tuple",
                                        c -> Digits.of(c.path("rates").path("merged-tuple"))),
                                new Column(
                                        "forest", c -> Digits.of(c.path("rates").path("forest"))),
                                new Column(
                                        "of the best", c -> bold(ofTheBest(c), LEAST_OF_THE_BEST)),
                                Column.of("auto s", "chooseSeconds"),
                                Column.of("image bytes", "imageBytes"),
                                new Column("wrong", GridPage::wrong)));
    }

    private static Optional<BigDecimal> rate(JsonNode cell, String field) {
        return Optional.of(cell.path(field).decimalValue());
    }

    private static Optional<BigDecimal> ofTheBest(JsonNode cell) {
        return rate(cell, "mpps")
                .map(
                        rate ->
                                rate.divide(
                                        cell.path("bestMpps").decimalValue(),
                                        MathContext.DECIMAL64));
    }

    /** A row for each shape and size. */
    static String headline(RawFiles raw) {
        List<JsonNode> cells = cells(raw);
        MarkdownTable table =
                new MarkdownTable(
                        List.of(
                                "shape",
                                "rules",
                                "cells",
                                "auto M headers/s",
                                "ratio to rte_acl",
                                "behind",
                                "least that a step keeps",
                                "build s",
                                "bytes a rule",
                                "wrong"));
        Stream<List<Object>> rows = cells.stream().map(c -> rowOf(c)).distinct();
        rows.forEach(
                row -> {
                    List<JsonNode> of = cells.stream().filter(c -> rowOf(c).equals(row)).toList();
                    List<BigDecimal> ratios = present(of.stream().map(GridPage::ratio));
                    List<BigDecimal> kept =
                            present(
                                    of.stream()
                                            .flatMap(
                                                    c ->
                                                            Stream.of(
                                                                    kept(cells, c, KINDS),
                                                                    kept(cells, c, DEPTH))));
                    table.row(
                            List.of(
                                    of.get(0).path("shape").asText(),
                                    of.get(0).path("rules").asText(),
                                    Integer.toString(of.size()),
                                    Span.of(of, "mpps").text(DIGITS),
                                    ratios.isEmpty() ? "" : Span.of(ratios).text(DIGITS),
                                    Long.toString(
                                            ratios.stream()
                                                    .filter(r -> r.compareTo(BigDecimal.ONE) < 0)
                                                    .count()),
                                    kept.isEmpty()
                                            ? ""
                                            : Span.rounded(Span.of(kept).least(), DIGITS),
                                    Span.of(of, "buildSeconds").text(DIGITS),
                                    Span.of(of.stream().map(GridPage::bytesOfRule).toList())
                                            .text(DIGITS),
                                    Long.toString(
                                            of.stream()
                                                    .mapToLong(c -> Long.parseLong(wrong(c)))
                                                    .sum())));
                });
        return table.text();
    }

    private static List<JsonNode> cells(RawFiles raw) {
        return sorted(raw.records(RAW));
    }

    private static List<JsonNode> sorted(List<JsonNode> cells) {
        List<String> shapes = cells.stream().map(c -> c.path("shape").asText()).distinct().toList();
        return cells.stream()
                .sorted(
                        Comparator.comparingInt(
                                        (JsonNode c) -> shapes.indexOf(c.path("shape").asText()))
                                .thenComparingInt(c -> c.path("rules").asInt())
                                .thenComparingInt(c -> c.path(KINDS).asInt())
                                .thenComparingInt(c -> c.path(DEPTH).asInt()))
                .toList();
    }

    private static List<Object> rowOf(JsonNode cell) {
        return List.of(cell.path("shape").asText(), cell.path("rules").asInt());
    }

    private static List<BigDecimal> present(Stream<Optional<BigDecimal>> values) {
        return values.flatMap(Optional::stream).toList();
    }

    private static Optional<BigDecimal> ratio(JsonNode cell) {
        return cell.has("rteAclMpps") ? Optional.of(RivalsPage.ratio(cell)) : Optional.empty();
    }

    /** Part of the rate of the cell before it, which has fewer kinds or less depth. */
    private static Optional<BigDecimal> kept(List<JsonNode> cells, JsonNode cell, String number) {
        String other = number.equals(KINDS) ? DEPTH : KINDS;
        return cells.stream()
                .filter(c -> rowOf(c).equals(rowOf(cell)))
                .filter(c -> Objects.equals(c.path(other), cell.path(other)))
                .filter(c -> c.path(number).asInt() < cell.path(number).asInt())
                .max(Comparator.comparingInt(c -> c.path(number).asInt()))
                .map(
                        before ->
                                cell.path("mpps")
                                        .decimalValue()
                                        .divide(
                                                before.path("mpps").decimalValue(),
                                                MathContext.DECIMAL64));
    }

    private static BigDecimal bytesOfRule(JsonNode cell) {
        return cell.path("imageBytes")
                .decimalValue()
                .divide(cell.path("ruleCount").decimalValue(), new MathContext(DIGITS));
    }

    private static String rival(JsonNode cell) {
        return cell.has("rteAclFailure")
                ? "not built: " + cell.path("rteAclFailure").asText()
                : Digits.of(cell.path("rteAclMpps"));
    }

    private static String wrong(JsonNode cell) {
        return Long.toString(cell.path("wrong").asLong() + cell.path("rteAclWrong").asLong());
    }

    private static String bold(Optional<BigDecimal> value, BigDecimal least) {
        return value.map(
                        v -> {
                            String text = Span.rounded(v, DIGITS);
                            return v.compareTo(least) < 0 ? "**" + text + "**" : text;
                        })
                .orElse("");
    }
}
