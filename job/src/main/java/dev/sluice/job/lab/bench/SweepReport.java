package dev.sluice.job.lab.bench;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sluice.job.importers.TextFiles;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Measured points of sweeps, written as CSV and as one HTML page with a plot a sweep. */
final class SweepReport {
    /** Name of the file that holds the points, a line each. */
    static final String TABLE = "sweep.csv";

    /** Name of the page with the plots. */
    static final String PAGE = "sweep.html";

    private static final String[] COLOURS = {
        "#1b6ca8", "#c0392b", "#27ae60", "#8e44ad", "#e67e22", "#16a085"
    };

    /**
     * One measured point.
     *
     * @param mpps M headers a second, absent where the algorithm refused
     */
    record Point(
            String sweep,
            String algorithm,
            int x,
            @Nullable Double mpps,
            double build,
            long bytes) {
        /** One line for people. */
        String line() {
            return String.format(
                    Locale.ROOT,
                    "%s %d %s: %s",
                    sweep,
                    x,
                    algorithm,
                    mpps == null ? "refused" : "%.2f M headers/s".formatted(mpps));
        }

        ObjectNode json() {
            ObjectNode node = JsonNodeFactory.instance.objectNode();
            node.put("sweep", sweep);
            node.put("algorithm", algorithm);
            node.put("x", x);
            node.put("mpps", mpps);
            node.put("buildSeconds", mpps == null ? null : build);
            node.put("imageBytes", mpps == null ? null : bytes);
            return node;
        }
    }

    private final List<Point> points = new ArrayList<>();

    void add(Point point) {
        points.add(point);
    }

    /** Writes {@value #TABLE} and {@value #PAGE}. */
    void write(Path folder) {
        TextFiles.write(folder.resolve(TABLE), csv());
        TextFiles.write(folder.resolve(PAGE), page());
    }

    private String csv() {
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
        return text.toString();
    }

    private String page() {
        StringBuilder page =
                new StringBuilder(
                        "<!doctype html><meta charset=\"utf-8\"><title>Sluice sweeps</title>"
                                + "<style>body{font:14px sans-serif;margin:2em}svg{background:#fafafa}</style>"
                                + "<h1>Sweeps on generated rule sets</h1>"
                                + "<p>M headers a second on one core, both axes logarithmic.</p>\n");
        points.stream()
                .map(Point::sweep)
                .distinct()
                .forEach(sweep -> page.append("<h2>%s</h2>\n%s".formatted(sweep, plot(sweep))));
        return page.toString();
    }

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
