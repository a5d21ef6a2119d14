package dev.sluice.job.lab.corridor;

import dev.sluice.job.lab.plots.BarPlot;
import dev.sluice.job.lab.plots.LinePlot;
import dev.sluice.job.lab.plots.PlotPage;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** What a benchmark of the whole corridor found, as a page of plots. */
final class CorridorPlots {
    private static final double MILLION = 1e6;
    private static final double NANOS = 1e9;

    private final CorridorReport report;
    private final String title;

    /**
     * The plots of a report.
     *
     * @param title what was run
     */
    CorridorPlots(CorridorReport report, String title) {
        this.report = report;
        this.title = title;
    }

    /** The page. */
    String html() {
        Heat own = report.heats().get(0);
        PlotPage page =
                new PlotPage(title)
                        .say(
                                String.format(
                                        Locale.ROOT,
                                        "%,d headers, parallelism %d, %d partitions, blocks of %,d: %.2f M headers/s"
                                                + " without the first quarter, %.2f from start to last commit.",
                                        own.headers(),
                                        report.plan().parallelism(),
                                        report.plan().partitions(),
                                        report.plan().blockSize(),
                                        own.steadyRate() / MILLION,
                                        own.overall() / MILLION))
                        .section("Rate")
                        .plot(rates().figure())
                        .section("CPU")
                        .say(
                                "Cores busy in each second; then the CPU time of a header, without the first quarter, by process and by group of threads.")
                        .plot(cores().figure());
        scales().forEach(heats -> page.plot(byProcess(heats).figure()));
        String threads = "CPU time of a header by threads";
        scales().forEach(
                        heats ->
                                page.plot(
                                        byGroup(heats, threads, "ns", Usage::cpuByGroup).figure()));
        page.section("Garbage").plot(pauses().figure());
        String heap = "Heap that a header takes, by threads";
        scales().forEach(
                        heats ->
                                page.plot(
                                        byGroup(heats, heap, "bytes", Usage::bytesByGroup)
                                                .figure()));
        List<Delay> delays = report.delays();
        if (!delays.isEmpty()) {
            page.section("Delays at loads")
                    .say(
                            "Below each: M headers/s that were offered, and how long a batch may wait.")
                    .plot(
                            atLoads(
                                            "From a block's sending to its verdicts",
                                            "ms",
                                            CorridorPlots::toVerdict)
                                    .figure())
                    .plot(
                            atLoads("In the classify operator", "µs", CorridorPlots::inOperator)
                                    .figure())
                    .plot(
                            atLoads(
                                            "Headers of a batch, as a share of its room",
                                            "share",
                                            delay -> Map.of("fill", delay.fill()))
                                    .figure());
        }
        Delay sustained = report.sustained();
        if (sustained != null) {
            page.section("Under a load for long")
                    .plot(
                            new LinePlot("Headers judged in each second", "M headers/s")
                                    .line("sluice", millions(sustained.windows().seconds()))
                                    .figure());
        }
        return page.html();
    }

    private LinePlot rates() {
        LinePlot plot = new LinePlot("Headers judged in each second", "M headers/s");
        report.heats().forEach(heat -> plot.line(heat.name(), millions(heat.windows().seconds())));
        return plot;
    }

    private static List<Double> millions(List<Long> counts) {
        return counts.stream().map(count -> count / MILLION).toList();
    }

    private LinePlot cores() {
        LinePlot plot = new LinePlot("Cores busy", "cores");
        for (Heat heat : report.heats()) {
            plot.line(heat.name(), each(heat, used -> used.cpuNanos() / (double) used.nanos()));
            plot.line(
                    heat.name() + ", broker",
                    each(heat, used -> used.brokerCpuNanos() / (double) used.nanos()));
        }
        return plot;
    }

    private static List<Double> each(Heat heat, ToDoubleFunction<Usage> value) {
        return heat.seconds().stream().map(used -> value.applyAsDouble(used)).toList();
    }

    /**
     * The runs that one scale can show: a header costs the job without Sluice a hundred times as
     * much as the others, beside which nothing of these would be seen.
     */
    private List<List<Heat>> scales() {
        Map<Boolean, List<Heat>> byScale =
                report.heats().stream()
                        .collect(
                                Collectors.partitioningBy(
                                        heat -> heat.name().equals(PerRecordContender.NAME)));
        return Stream.of(false, true).map(byScale::get).filter(heats -> !heats.isEmpty()).toList();
    }

    private static BarPlot byProcess(List<Heat> heats) {
        BarPlot plot = BarPlot.ofParts("CPU time of a header by processes", "ns");
        for (Heat heat : heats) {
            Map<String, Double> parts = new LinkedHashMap<>();
            parts.put("job and reader", perHeader(heat, heat.steady().cpuNanos()));
            parts.put("broker", perHeader(heat, heat.steady().brokerCpuNanos()));
            plot.run(heat.name(), parts);
        }
        return plot;
    }

    private static BarPlot byGroup(
            List<Heat> heats, String name, String unit, Function<Usage, Map<String, Long>> sums) {
        BarPlot plot = BarPlot.ofParts(name, unit);
        for (Heat heat : heats) {
            Map<String, Double> parts = new TreeMap<>();
            sums.apply(heat.steady())
                    .forEach((group, sum) -> parts.put(group, perHeader(heat, sum)));
            plot.run(heat.name(), parts);
        }
        return plot;
    }

    private static double perHeader(Heat heat, long sum) {
        return Usage.perHeader(sum, heat.steadyHeaders());
    }

    private LinePlot pauses() {
        LinePlot plot = new LinePlot("Garbage collection in each second", "ms");
        report.heats()
                .forEach(
                        heat ->
                                plot.line(
                                        heat.name(),
                                        each(
                                                heat,
                                                used ->
                                                        used.collectionMillis()
                                                                * NANOS
                                                                / used.nanos())));
        return plot;
    }

    private BarPlot atLoads(String name, String unit, Function<Delay, Map<String, Double>> values) {
        BarPlot plot = BarPlot.sideBySide(name, unit);
        for (Delay delay : report.delays()) {
            plot.run(
                    String.format(
                            Locale.ROOT,
                            "%.1f, %.1f ms",
                            delay.offered() / MILLION,
                            delay.maxDelayMicros() / 1e3),
                    values.apply(delay));
        }
        return plot;
    }

    private static Map<String, Double> toVerdict(Delay delay) {
        Map<String, Double> values = new LinkedHashMap<>();
        values.put("half of the blocks", finite(delay.millis().p50()));
        values.put("99 of 100", finite(delay.millis().p99()));
        values.put("all", finite(delay.millis().max()));
        return values;
    }

    private static Map<String, Double> inOperator(Delay delay) {
        Map<String, Double> values = new LinkedHashMap<>();
        values.put("half of the blocks", finite(delay.operatorP50Micros()));
        values.put("99 of 100", finite(delay.operatorP99Micros()));
        return values;
    }

    /** A number that there is: a rate so low that nothing came has none. */
    private static double finite(double value) {
        return Double.isFinite(value) ? value : 0;
    }
}
