package dev.sluice.job.gpu;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Measured points, written as JSON, as CSV and as one HTML page. Not thread-safe.
 *
 * @param points in the order of their measurement
 */
record Measurement(List<Point> points) {
    /**
     * One point.
     *
     * @param name rule set and trace, or workload
     * @param way device: headers lie in device memory; host: from pinned host memory and back
     * @param headersALaunch headers a launch
     * @param mpps million headers a second
     * @param floorMpps rate of a kernel that only moves the same bytes
     * @param wrong verdicts that differ from the CPU's
     */
    record Point(
            String name,
            int rules,
            String algorithm,
            String kernel,
            String way,
            int headersALaunch,
            double mpps,
            double floorMpps,
            double buildSeconds,
            long imageBytes,
            long wrong) {
        /** Time over that of moving the bytes alone. */
        double timeOverFloor() {
            return floorMpps / mpps;
        }
    }

    Measurement() {
        this(new ArrayList<>());
    }

    void add(Point point) {
        points.add(point);
    }

    /** Writes gpu.json, gpu.csv and gpu.html. */
    void write(Path folder, String device) throws IOException {
        Files.createDirectories(folder);
        new ObjectMapper()
                .enable(SerializationFeature.INDENT_OUTPUT)
                .writeValue(folder.resolve("gpu.json").toFile(), points);
        StringBuilder csv = new StringBuilder();
        csv.append(
                "name,rules,algorithm,kernel,way,headers_a_launch,m_headers_a_second,floor_m_headers_a_second,time_over_floor,build_seconds,image_bytes,wrong\n");
        for (Point p : points) {
            csv.append(
                    String.format(
                            Locale.ROOT,
                            "%s,%d,%s,%s,%s,%d,%.0f,%.0f,%.2f,%.3f,%d,%d%n",
                            p.name,
                            p.rules,
                            p.algorithm,
                            p.kernel,
                            p.way,
                            p.headersALaunch,
                            p.mpps,
                            p.floorMpps,
                            p.timeOverFloor(),
                            p.buildSeconds,
                            p.imageBytes,
                            p.wrong));
        }
        Files.writeString(folder.resolve("gpu.csv"), csv);
        Files.writeString(folder.resolve("gpu.html"), html(device));
    }

    /** Each rate as a bar on a logarithmic scale, under the roof that moving its bytes sets. */
    private String html(String device) {
        StringBuilder rows = new StringBuilder();
        for (Point p : points) {
            double share = width(p.mpps);
            double roof = width(p.floorMpps);
            rows.append(
                    String.format(
                            Locale.ROOT,
                            "<tr><td>%s<td>%,d<td>%s<td>%s<td class=n>%,d<td class=n>%,.0f<td class=n>%.2f<td class=n>%.1f<td><svg width=400 height=14><rect width=%.0f height=14 fill=#ddd /><rect y=2 width=%.0f height=10 fill=#36c /></svg><td class=n>%d\n",
                            escaped(p.name),
                            p.rules,
                            p.kernel,
                            p.way,
                            p.headersALaunch,
                            p.mpps,
                            p.timeOverFloor(),
                            p.imageBytes / 1e6,
                            roof,
                            share,
                            p.wrong));
        }
        return """
                <!doctype html><meta charset=utf-8><title>Sluice on %s</title>
                <style>body{font:14px sans-serif}td,th{padding:1px 8px;text-align:left}.n{text-align:right}</style>
                <h1>Sluice on %s</h1>
                <p>M headers/s, median. Grey: the roof that moving headers and verdicts sets in the same run;
                blue: the kernel. Scale: 1 M/s to 1 T/s, logarithmic.
                <table><tr><th>set<th>rules<th>kernel<th>way<th>headers a launch<th>M/s<th>time over floor<th>MB<th><th>wrong
                %s</table>
                """
                .formatted(escaped(device), escaped(device), rows);
    }

    private static String escaped(String text) {
        return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
    }

    private static double width(double mpps) {
        return Math.max(0, Math.min(400, 400 * Math.log10(Math.max(1, mpps)) / 6));
    }
}
