package dev.sluice.lab.soak;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sluice.job.cluster.Member;
import dev.sluice.policy.io.SluiceException;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.ToLongFunction;

/** Samples of what a cluster's processes take, and whether that grows. */
final class SoakMeter implements AutoCloseable {
    private static final long MEBIBYTE = 1 << 20;

    /** Growth that full buffers, compiled code and idle threads make. */
    private static final long HEAP_NOISE = 32 * MEBIBYTE;

    private static final long DIRECT_NOISE = 8 * MEBIBYTE;
    private static final long THREADS_NOISE = 8;
    private static final long DESCRIPTORS_NOISE = 16;
    private static final long DISK_NOISE = 32 * MEBIBYTE;

    /** Lines above rows of samples. */
    static final List<String> HEAD =
            List.of(
                    "                |           TaskManagers           |            JobManager            |    disk, MiB",
                    "second  versions  heap MiB  direct threads   files  heap MiB  direct threads   files   cluster    broker");

    private final SoakCluster cluster;
    private final Map<String, JvmProbe> probes = new HashMap<>();
    private final List<Sample> samples = new ArrayList<>();

    /**
     * Sample at a time.
     *
     * @param seconds since the start
     * @param versions of the rules
     * @param workers all TaskManagers together
     * @param jobBytes on the disk, in the cluster's folder but for the broker's data
     * @param brokerBytes the broker's data
     */
    record Sample(
            long seconds,
            long versions,
            JvmProbe.Taken workers,
            JvmProbe.Taken jobManager,
            long jobBytes,
            long brokerBytes) {
        @Override
        public String toString() {
            return "%6d %9d %9.1f %7.1f %7d %7d %9.1f %7.1f %7d %7d %9.1f %9.1f"
                    .formatted(
                            seconds,
                            versions,
                            mebibytes(workers.heap()),
                            mebibytes(workers.direct()),
                            workers.threads(),
                            workers.descriptors(),
                            mebibytes(jobManager.heap()),
                            mebibytes(jobManager.direct()),
                            jobManager.threads(),
                            jobManager.descriptors(),
                            mebibytes(jobBytes),
                            mebibytes(brokerBytes));
        }
    }

    /** A figure that must not grow. */
    private record Figure(String name, ToLongFunction<Sample> of, long noise) {}

    private static final List<Figure> FIGURES =
            List.of(
                    new Figure("heap of the TaskManagers", s -> s.workers.heap(), HEAP_NOISE),
                    new Figure(
                            "direct memory of the TaskManagers",
                            s -> s.workers.direct(),
                            DIRECT_NOISE),
                    new Figure(
                            "number of the TaskManagers' threads",
                            s -> s.workers.threads(),
                            THREADS_NOISE),
                    new Figure(
                            "number of the TaskManagers' descriptors",
                            s -> s.workers.descriptors(),
                            DESCRIPTORS_NOISE),
                    new Figure("heap of the JobManager", s -> s.jobManager.heap(), HEAP_NOISE),
                    new Figure(
                            "direct memory of the JobManager",
                            s -> s.jobManager.direct(),
                            DIRECT_NOISE),
                    new Figure(
                            "number of the JobManager's threads",
                            s -> s.jobManager.threads(),
                            THREADS_NOISE),
                    new Figure(
                            "number of the JobManager's descriptors",
                            s -> s.jobManager.descriptors(),
                            DESCRIPTORS_NOISE),
                    new Figure(
                            "size of the cluster's folder without the broker",
                            s -> s.jobBytes,
                            DISK_NOISE));

    SoakMeter(SoakCluster cluster) {
        this.cluster = cluster;
    }

    /** Takes a sample. */
    Sample sample(long seconds, long versions) {
        JvmProbe.Taken workers = JvmProbe.Taken.NOTHING;
        JvmProbe.Taken jobManager = JvmProbe.Taken.NOTHING;
        for (Map.Entry<String, Long> process : cluster.flinkProcesses().entrySet()) {
            JvmProbe.Taken taken =
                    probes.computeIfAbsent(process.getKey(), r -> JvmProbe.of(process.getValue()))
                            .take();
            if (process.getKey().equals(Member.JOB_MANAGER)) {
                jobManager = taken;
            } else {
                workers = workers.and(taken);
            }
        }
        Path folder = cluster.folder().path();
        long broker = bytes(cluster.folder().broker());
        Sample sample =
                new Sample(seconds, versions, workers, jobManager, bytes(folder) - broker, broker);
        samples.add(sample);
        return sample;
    }

    /** Bytes of the files below a folder; a file that goes meanwhile counts nothing. */
    private static long bytes(Path folder) {
        long[] sum = new long[1];
        try {
            Files.walkFileTree(
                    folder,
                    new SimpleFileVisitor<>() {
                        @Override
                        public FileVisitResult visitFile(Path file, BasicFileAttributes known) {
                            sum[0] += known.size();
                            return FileVisitResult.CONTINUE;
                        }

                        @Override
                        public FileVisitResult visitFileFailed(Path file, IOException gone) {
                            return FileVisitResult.CONTINUE;
                        }

                        @Override
                        public FileVisitResult postVisitDirectory(Path known, IOException gone) {
                            return FileVisitResult.CONTINUE;
                        }
                    });
        } catch (IOException e) {
            throw new SluiceException("%s cannot be read: %s".formatted(folder, e.getMessage()), e);
        }
        return sum[0];
    }

    /** Tells whether no sample was taken. */
    boolean isEmpty() {
        return samples.isEmpty();
    }

    /** The first figure that grows from the second quarter of the samples to the last, in words. */
    Optional<String> growth() {
        return growth(samples);
    }

    /** As {@link #growth()}, of any samples. */
    static Optional<String> growth(List<Sample> samples) {
        int quarter = samples.size() / 4;
        for (Figure figure : quarter == 0 ? List.<Figure>of() : FIGURES) {
            long before = median(samples.subList(quarter, 2 * quarter), figure.of());
            long after =
                    median(samples.subList(samples.size() - quarter, samples.size()), figure.of());
            if (after > before + figure.noise()) {
                return Optional.of(
                        "the %s grows from %,d to %,d; see the table"
                                .formatted(figure.name(), before, after));
            }
        }
        return Optional.empty();
    }

    private static long median(List<Sample> some, ToLongFunction<Sample> of) {
        return some.stream().mapToLong(of).sorted().skip(some.size() / 2).findFirst().orElse(0);
    }

    /** Prints a row a sample. */
    void print(PrintWriter out) {
        HEAD.forEach(out::println);
        samples.forEach(out::println);
    }

    /** Adds an object a sample. */
    void describe(ArrayNode array) {
        for (Sample sample : samples) {
            ObjectNode node = array.addObject();
            node.put("seconds", sample.seconds);
            node.put("versions", sample.versions);
            describe(node.putObject("taskManagers"), sample.workers);
            describe(node.putObject("jobManager"), sample.jobManager);
            node.put("clusterBytes", sample.jobBytes);
            node.put("brokerBytes", sample.brokerBytes);
        }
    }

    private static void describe(ObjectNode node, JvmProbe.Taken taken) {
        node.put("heapBytes", taken.heap());
        node.put("directBytes", taken.direct());
        node.put("threads", taken.threads());
        node.put("descriptors", taken.descriptors());
    }

    private static double mebibytes(long bytes) {
        return (double) bytes / MEBIBYTE;
    }

    @Override
    public void close() {
        probes.values().forEach(JvmProbe::close);
    }
}
