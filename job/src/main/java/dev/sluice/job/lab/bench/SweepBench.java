package dev.sluice.job.lab.bench;

import dev.sluice.engine.EngineOptions;
import dev.sluice.engine.gpu.GpuPool;
import dev.sluice.engine.image.MemoryBudgetException;
import dev.sluice.engine.lookup.AlgorithmChoice;
import dev.sluice.engine.lookup.UnsupportedRulesException;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.job.importers.HeaderTrace;
import dev.sluice.job.importers.RuleFile;
import dev.sluice.job.lab.generate.RuleGenerator;
import dev.sluice.job.lab.generate.RuleShape;
import dev.sluice.job.lab.generate.TraceGenerator;
import java.io.IOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The sweeps of the papers on generated rule sets: rules, masks, full masks, matching masks, fields
 * and batch size (GSwitch §7), and rules for bitvector search. Writes a CSV file and one HTML page
 * with a plot a sweep.
 */
public final class SweepBench {
    private static final int HEADERS = 16_384;
    private static final int BATCH = 4096;
    private static final List<AlgorithmChoice> HASHED =
            List.of(
                    AlgorithmChoice.parse("tuple"),
                    AlgorithmChoice.parse("merged-tuple"),
                    AlgorithmChoice.parse("bloom"),
                    AlgorithmChoice.parse("mask-filter"),
                    AlgorithmChoice.AUTO);

    /**
     * One measured point.
     *
     * @param mpps M headers a second, absent where the algorithm refused
     */
    private record Point(
            String sweep,
            String algorithm,
            int x,
            @Nullable Double mpps,
            double build,
            long bytes) {}

    /** One sweep: what varies, its values, and who takes part. */
    private record Sweep(String name, int[] values, List<AlgorithmChoice> algorithms) {}

    private final Path folder;
    private final long budgetBytes;
    private final Consumer<String> progress;
    private final List<Point> points = new ArrayList<>();

    /**
     * Sweeps into a folder.
     *
     * @param progress told about each point
     */
    public SweepBench(Path folder, long budgetBytes, Consumer<String> progress) {
        this.folder = folder;
        this.budgetBytes = budgetBytes;
        this.progress = progress;
    }

    /** Runs all sweeps and writes sweep.csv and sweep.html. */
    public void run() throws IOException {
        Files.createDirectories(folder);
        List<Sweep> sweeps =
                List.of(
                        new Sweep("rules", new int[] {1024, 4096, 16_384, 65_536}, HASHED),
                        new Sweep("masks", new int[] {16, 64, 256, 1024}, HASHED),
                        new Sweep("full-masks", new int[] {1, 4, 16, 64}, HASHED),
                        new Sweep("matching-masks", new int[] {1, 16, 64}, HASHED),
                        new Sweep("fields", new int[] {5, 12}, HASHED),
                        new Sweep("batch", new int[] {64, 256, 1024, 4096, 16_384}, HASHED),
                        new Sweep(
                                "bitvector-rules",
                                new int[] {64, 256, 1024, 4096, 16_384, 50_000},
                                List.of(AlgorithmChoice.parse("bitvector"), AlgorithmChoice.AUTO)));
        for (Sweep sweep : sweeps) {
            for (int value : sweep.values) {
                point(sweep, value);
            }
        }
        csv();
        html(sweeps);
    }

    private void point(Sweep sweep, int x) throws IOException {
        int rules = 8192;
        int masks = 64;
        int full = 8;
        int matching = 1;
        int fields = 5;
        int batch = BATCH;
        RuleShape shape = RuleShape.CLASSES;
        switch (sweep.name) {
            case "rules" -> rules = x;
            case "masks" -> masks = x;
            case "full-masks" -> full = x;
            case "matching-masks" -> matching = x;
            case "fields" -> fields = x;
            case "batch" -> batch = x;
            default -> {
                rules = x;
                shape = RuleShape.ACL;
            }
        }
        Path file = Files.createTempFile(folder, "sweep", ".rules");
        Path trace = Files.createTempFile(folder, "sweep", ".trace");
        try {
            List<String> lines =
                    new RuleGenerator(
                                    shape,
                                    rules,
                                    1,
                                    new RuleGenerator.Classes(
                                            masks, Math.min(full, masks), matching, fields),
                                    0.5)
                            .lines();
            Files.write(file, lines);
            RuleFile read = RuleFile.read(file, null);
            RuleSet set = read.toRuleSet("sweep", 1, RuleSet.DROP);
            try (Writer out = Files.newBufferedWriter(trace)) {
                new TraceGenerator(set, shape == RuleShape.CLASSES, 0.5, 0, 1).write(out, HEADERS);
            }
            HeaderTrace headers = HeaderTrace.read(trace);
            for (AlgorithmChoice algorithm : sweep.algorithms) {
                measure(sweep, x, batch, read, headers, algorithm);
            }
        } finally {
            Files.delete(file);
            Files.delete(trace);
        }
    }

    private void measure(
            Sweep sweep,
            int x,
            int batch,
            RuleFile read,
            HeaderTrace headers,
            AlgorithmChoice algorithm) {
        EngineOptions options =
                EngineOptions.DEFAULTS.withAlgorithm(algorithm).withBudget(budgetBytes);
        Point point;
        try {
            EngineBench.Result result =
                    new EngineBench(read, options.withGpu(GpuPool.Selection.OFF))
                            .measure(headers, 1, batch, 5);
            point =
                    new Point(
                            sweep.name,
                            algorithm.label(),
                            x,
                            result.mpps(),
                            result.buildSeconds(),
                            result.imageBytes());
        } catch (UnsupportedRulesException | MemoryBudgetException e) {
            point = new Point(sweep.name, algorithm.label(), x, null, 0, 0);
        }
        points.add(point);
        progress.accept(
                String.format(
                        Locale.ROOT,
                        "%s %d %s: %s",
                        sweep.name,
                        x,
                        algorithm.label(),
                        point.mpps == null ? "refused" : "%.2f M headers/s".formatted(point.mpps)));
    }

    private void csv() throws IOException {
        StringBuilder text = new StringBuilder("sweep,algorithm,x,mpps,build_s,bytes\n");
        for (Point p : points) {
            text.append(
                    String.format(
                            Locale.ROOT,
                            "%s,%s,%d,%s,%.4f,%d%n",
                            p.sweep,
                            p.algorithm,
                            p.x,
                            p.mpps == null ? "" : "%.4f".formatted(p.mpps),
                            p.build,
                            p.bytes));
        }
        Files.writeString(folder.resolve("sweep.csv"), text, StandardCharsets.UTF_8);
    }

    private void html(List<Sweep> sweeps) throws IOException {
        StringBuilder page =
                new StringBuilder(
                        "<!doctype html><meta charset=\"utf-8\"><title>Sluice sweeps</title>"
                                + "<style>body{font:14px sans-serif;margin:2em}svg{background:#fafafa}</style>"
                                + "<h1>Sweeps on generated rule sets</h1>"
                                + "<p>M headers a second on one core, both axes logarithmic.</p>\n");
        for (Sweep sweep : sweeps) {
            page.append("<h2>").append(sweep.name).append("</h2>\n").append(plot(sweep.name));
        }
        Files.writeString(folder.resolve("sweep.html"), page, StandardCharsets.UTF_8);
    }

    private static final String[] COLOURS = {
        "#1b6ca8", "#c0392b", "#27ae60", "#8e44ad", "#e67e22", "#16a085"
    };

    private String plot(String sweep) {
        Map<String, List<Point>> lines = new LinkedHashMap<>();
        double least = Double.MAX_VALUE;
        double most = 0;
        int left = Integer.MAX_VALUE;
        int right = 0;
        for (Point p : points) {
            if (p.sweep.equals(sweep) && p.mpps != null) {
                lines.computeIfAbsent(p.algorithm, a -> new ArrayList<>()).add(p);
                least = Math.min(least, p.mpps);
                most = Math.max(most, p.mpps);
                left = Math.min(left, p.x);
                right = Math.max(right, p.x);
            }
        }
        StringBuilder svg = new StringBuilder("<svg width=\"720\" height=\"340\">\n");
        int number = 0;
        for (Map.Entry<String, List<Point>> line : lines.entrySet()) {
            String colour = COLOURS[number % COLOURS.length];
            StringBuilder path = new StringBuilder();
            for (Point p : line.getValue()) {
                double x = 60 + 480 * part(p.x, left, right);
                double y = 300 - 270 * part(p.mpps == null ? least : p.mpps, least, most);
                path.append(
                        String.format(
                                Locale.ROOT, "%s%.1f %.1f", path.length() == 0 ? "M" : "L", x, y));
                svg.append(
                        String.format(
                                Locale.ROOT,
                                "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\" fill=\"%s\"><title>%s %d: %.2f</title></circle>%n",
                                x,
                                y,
                                colour,
                                line.getKey(),
                                p.x,
                                p.mpps));
                svg.append(
                        String.format(
                                Locale.ROOT,
                                "<text x=\"%.1f\" y=\"318\" font-size=\"11\" text-anchor=\"middle\">%d</text>%n",
                                x,
                                p.x));
            }
            svg.append(
                    "<path d=\"%s\" fill=\"none\" stroke=\"%s\" stroke-width=\"2\"/>\n"
                            .formatted(path, colour));
            svg.append(
                    "<text x=\"560\" y=\"%d\" fill=\"%s\">%s</text>\n"
                            .formatted(40 + 20 * number, colour, line.getKey()));
            number++;
        }
        if (most > 0) {
            svg.append(
                    String.format(
                            Locale.ROOT,
                            "<text x=\"4\" y=\"36\">%.1f</text><text x=\"4\" y=\"304\">%.2f</text>%n",
                            most,
                            least));
        }
        return svg.append("</svg>\n").toString();
    }

    /** Place of a value between two others on a logarithmic axis, 0 to 1. */
    private static double part(double value, double from, double to) {
        return to <= from ? 0.5 : Math.log(value / from) / Math.log(to / from);
    }
}
