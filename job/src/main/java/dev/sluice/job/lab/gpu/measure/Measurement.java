package dev.sluice.job.lab.gpu.measure;

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
     * @param way device: headers lie in device memory; host: from pinned host memory and back, and
     *     how; cpu: the machine's cores
     * @param headersALaunch headers a launch
     * @param mpps million headers a second
     * @param floorMpps rate of a kernel that only moves the same bytes
     * @param sectors sectors of 32 bytes that a header's look-up reads, counted; 0: not counted
     * @param gatherMps million random reads a second in memory of the image's size, in the same run
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
            double sectors,
            double gatherMps,
            double buildSeconds,
            long imageBytes,
            long wrong) {
        /** Rate that the bytes and the reads of the image allow, the lower one. */
        double roofMpps() {
            return sectors == 0 ? floorMpps : Math.min(floorMpps, gatherMps / sectors);
        }

        /**
         * Time over the floor. Below 1 where first-level caches answer reads that the floor takes
         * to come from the memory behind.
         */
        double timeOverFloor() {
            return roofMpps() / mpps;
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
                "name,rules,algorithm,kernel,way,headers_a_launch,m_headers_a_second,bytes_floor_m_headers_a_second,sectors_a_header,m_random_reads_a_second,time_over_floor,build_seconds,image_bytes,wrong\n");
        for (Point p : points) {
            csv.append(
                    String.format(
                            Locale.ROOT,
                            "%s,%d,%s,%s,\"%s\",%d,%.1f,%.1f,%.2f,%.0f,%.2f,%.3f,%d,%d%n",
                            p.name,
                            p.rules,
                            p.algorithm,
                            p.kernel,
                            p.way,
                            p.headersALaunch,
                            p.mpps,
                            p.floorMpps,
                            p.sectors,
                            p.gatherMps,
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
            double roof = width(p.roofMpps());
            rows.append(
                    String.format(
                            Locale.ROOT,
                            "<tr><td>%s<td>%,d<td>%s<td>%s<td class=n>%,d<td class=n>%,.0f<td class=n>%.1f<td class=n>%.2f<td class=n>%.1f<td><svg width=400 height=14><rect width=%.0f height=14 fill=#ddd /><rect y=2 width=%.0f height=10 fill=#36c /></svg><td class=n>%d\n",
                            escaped(p.name),
                            p.rules,
                            p.kernel,
                            p.way,
                            p.headersALaunch,
                            p.mpps,
                            p.sectors,
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
                <h2>Roofline</h2>
                <p>Across: sectors of 32 bytes that a header's look-up reads from the image, counted. Up: M headers/s
                from device memory. Grey lines: what random reads allow in memory of the smallest and of the largest
                image measured. Above a line: the first-level cache answers a share.
                %s
                <h2>All measurements</h2>
                <p>M headers/s, median. Grey: the roof, the lower of what moving headers and verdicts and what random
                reads of the image allow in the same run; blue: the kernel. Scale: 1 M/s to 1 T/s, logarithmic.
                <table><tr><th>set<th>rules<th>kernel<th>way<th>headers a launch<th>M/s<th>sectors<th>time over floor<th>MB<th><th>wrong
                %s</table>
                """
                .formatted(escaped(device), escaped(device), roofline(), rows);
    }

    private static final int WIDE = 760;
    private static final int HIGH = 420;

    private static double across(double sectors) {
        return WIDE * Math.log10(Math.max(1, sectors)) / 3;
    }

    private static double up(double mpps) {
        return HIGH - HIGH * (Math.log10(Math.max(10, mpps)) - 1) / 4.5;
    }

    private String roofline() {
        StringBuilder svg = new StringBuilder();
        svg.append(
                "<svg width=%d height=%d style='border:1px solid #999'>\n".formatted(WIDE, HIGH));
        List<Point> counted = points.stream().filter(p -> p.sectors > 0).toList();
        double least = counted.stream().mapToDouble(Point::gatherMps).min().orElse(0);
        double most = counted.stream().mapToDouble(Point::gatherMps).max().orElse(0);
        for (double reads : new double[] {least, most}) {
            svg.append(
                    String.format(
                            Locale.ROOT,
                            "<line x1=%.1f y1=%.1f x2=%.1f y2=%.1f stroke=#999 />\n",
                            across(1),
                            up(reads),
                            across(1000),
                            up(reads / 1000)));
        }
        for (Point p : counted) {
            svg.append(
                    String.format(
                            Locale.ROOT,
                            "<circle cx=%.1f cy=%.1f r=3 fill=%s><title>%s, %s, %,d a launch: %,.0f M/s, %.1f sectors</title></circle>\n",
                            across(p.sectors),
                            up(p.mpps),
                            p.headersALaunch > 1_000_000 ? "#36c" : "#c63",
                            escaped(p.name),
                            p.kernel,
                            p.headersALaunch,
                            p.mpps,
                            p.sectors));
        }
        return svg.append("</svg>").toString();
    }

    private static String escaped(String text) {
        return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
    }

    private static double width(double mpps) {
        return Math.max(0, Math.min(400, 400 * Math.log10(Math.max(1, mpps)) / 6));
    }
}
