package dev.sluice.job.lab.gpu.measure;

import java.util.List;
import java.util.Locale;

/** Measured points as one HTML page: a roofline, and a table with a bar a point. */
record MeasurementPage(List<Measurement.Point> points) {
    private static final int WIDE = 760;
    private static final int HIGH = 420;

    /** Each rate as a bar on a logarithmic scale, under the roof that moving its bytes sets. */
    String html(String device) {
        StringBuilder rows = new StringBuilder();
        for (Measurement.Point p : points) {
            double share = width(p.mpps());
            double roof = width(p.roofMpps());
            rows.append(
                    String.format(
                            Locale.ROOT,
                            "<tr><td>%s<td>%,d<td>%s<td>%s<td class=n>%,d<td class=n>%,.0f<td class=n>%.1f<td class=n>%.2f<td class=n>%.1f<td><svg width=400 height=14><rect width=%.0f height=14 fill=#ddd /><rect y=2 width=%.0f height=10 fill=#36c /></svg><td class=n>%d\n",
                            escaped(p.name()),
                            p.rules(),
                            p.kernel(),
                            p.way(),
                            p.headersALaunch(),
                            p.mpps(),
                            p.sectors(),
                            p.timeOverFloor(),
                            p.imageBytes() / 1e6,
                            roof,
                            share,
                            p.wrong()));
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
        List<Measurement.Point> counted = points.stream().filter(p -> p.sectors() > 0).toList();
        double least = counted.stream().mapToDouble(Measurement.Point::gatherMps).min().orElse(0);
        double most = counted.stream().mapToDouble(Measurement.Point::gatherMps).max().orElse(0);
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
        for (Measurement.Point p : counted) {
            svg.append(
                    String.format(
                            Locale.ROOT,
                            "<circle cx=%.1f cy=%.1f r=3 fill=%s><title>%s, %s, %,d a launch: %,.0f M/s, %.1f sectors</title></circle>\n",
                            across(p.sectors()),
                            up(p.mpps()),
                            p.headersALaunch() > 1_000_000 ? "#36c" : "#c63",
                            escaped(p.name()),
                            p.kernel(),
                            p.headersALaunch(),
                            p.mpps(),
                            p.sectors()));
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
