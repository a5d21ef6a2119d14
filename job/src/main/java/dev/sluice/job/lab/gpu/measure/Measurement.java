package dev.sluice.job.lab.gpu.measure;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sluice.job.importers.TextFiles;
import java.io.IOException;
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
    private static final ObjectMapper JSON = new ObjectMapper();

    private static final String RECORD = "gpu.json";
    private static final String TABLE = "gpu.csv";
    private static final String PAGE = "gpu.html";

    /** Names of the files that are written. */
    static final List<String> FILES = List.of(RECORD, TABLE, PAGE);

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

        /** One line for people. */
        String line() {
            return String.format(
                    Locale.ROOT,
                    "%-24s %,7d %-18s %-8s %,9d  %,8.1f M/s, %5.1f sectors, %.2f of the floor, %d wrong",
                    name,
                    rules,
                    kernel,
                    way,
                    headersALaunch,
                    mpps,
                    sectors,
                    timeOverFloor(),
                    wrong);
        }

        /** As gpu.json has it. */
        ObjectNode json() {
            return JSON.valueToTree(this);
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
        TextFiles.makeFolder(folder);
        TextFiles.write(
                folder.resolve(RECORD),
                JSON.writerWithDefaultPrettyPrinter().writeValueAsString(points));
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
        TextFiles.write(folder.resolve(TABLE), csv.toString());
        TextFiles.write(folder.resolve(PAGE), new MeasurementPage(points).html(device));
    }
}
