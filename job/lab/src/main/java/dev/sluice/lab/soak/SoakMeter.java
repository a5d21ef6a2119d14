package dev.sluice.lab.soak;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sluice.job.cli.JsonOption;
import dev.sluice.job.cluster.Member;
import dev.sluice.lab.kit.Samples;
import java.io.File;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Samples of what a cluster's processes take, and whether that grows. */
final class SoakMeter implements AutoCloseable {
    private static final String WORKERS = "taskManagers";
    private static final String JOB_MANAGER = "jobManager";
    private static final String CLUSTER_BYTES = "clusterBytes";

    /** Growth of figures that full buffers, compiled code and idle threads make. */
    private static final Map<String, Long> NOISE = new LinkedHashMap<>();

    static {
        for (String process : List.of(WORKERS, JOB_MANAGER)) {
            NOISE.put("/" + process + "/" + JvmProbe.HEAP, 32L << 20);
            NOISE.put("/" + process + "/" + JvmProbe.DIRECT, 8L << 20);
            NOISE.put("/" + process + "/" + JvmProbe.THREADS, 8L);
            NOISE.put("/" + process + "/" + JvmProbe.DESCRIPTORS, 16L);
        }
        NOISE.put("/" + CLUSTER_BYTES, 32L << 20);
    }

    private final SoakCluster cluster;
    private final Map<String, JvmProbe> probes = new HashMap<>();
    private final List<ObjectNode> samples = new ArrayList<>();

    SoakMeter(SoakCluster cluster) {
        this.cluster = cluster;
    }

    /**
     * Takes a sample.
     *
     * @param seconds since the start
     * @param versions of the rules
     */
    ObjectNode sample(long seconds, long versions) {
        ObjectNode sample = JsonOption.object().put("seconds", seconds).put("versions", versions);
        ObjectNode workers = sample.putObject(WORKERS);
        ObjectNode jobManager = sample.putObject(JOB_MANAGER);
        cluster.flinkProcesses()
                .forEach(
                        (role, id) ->
                                probes.computeIfAbsent(role, r -> JvmProbe.of(id))
                                        .addTo(
                                                role.equals(Member.JOB_MANAGER)
                                                        ? jobManager
                                                        : workers));
        long broker = bytes(cluster.folder().broker().toFile());
        sample.put(CLUSTER_BYTES, bytes(cluster.folder().path().toFile()) - broker);
        sample.put("brokerBytes", broker);
        samples.add(sample);
        return sample;
    }

    /** Bytes of a file, or of the files below a folder; a file that goes meanwhile counts 0. */
    private static long bytes(File file) {
        File[] inside = file.listFiles();
        return inside == null
                ? file.length()
                : Arrays.stream(inside).mapToLong(SoakMeter::bytes).sum();
    }

    /** Returns the first figure that grows from the second quarter of the samples to the last. */
    Optional<String> growth() {
        return growth(samples);
    }

    /** Returns the first figure of any samples that grows. */
    static Optional<String> growth(List<ObjectNode> samples) {
        int quarter = samples.size() / 4;
        for (Map.Entry<String, Long> figure : NOISE.entrySet()) {
            double before = median(samples.subList(quarter, 2 * quarter), figure.getKey());
            double after =
                    median(
                            samples.subList(samples.size() - quarter, samples.size()),
                            figure.getKey());
            if (after > before + figure.getValue()) {
                return Optional.of(
                        "%s grows from %,.0f to %,.0f; see the samples"
                                .formatted(
                                        figure.getKey().substring(1).replace('/', '.'),
                                        before,
                                        after));
            }
        }
        return Optional.empty();
    }

    private static double median(List<ObjectNode> some, String figure) {
        return Samples.of(some, sample -> sample.at(figure).asLong()).median();
    }

    /** Adds the samples. */
    void describe(ArrayNode array) {
        array.addAll(samples);
    }

    @Override
    public void close() {
        probes.values().forEach(JvmProbe::close);
    }
}
