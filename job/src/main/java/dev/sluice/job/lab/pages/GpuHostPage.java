package dev.sluice.job.lab.pages;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;

/** Batches from host memory to verdicts in host memory, and the host's own cores. */
final class GpuHostPage implements BenchmarkPage {
    private static final String RAW = "gpu-host.json";
    private static final String CORES = "gpu.json";

    @Override
    public String file() {
        return "gpu-host.md";
    }

    @Override
    public String text(RawFiles raw) {
        return new PageText("From host memory to verdicts in host memory", RAW, CORES)
                .say(
                        "One NVIDIA H200, from pinned host memory through Java, 4 bytes a header out, measured 2026-11-22. The numbers 1, 4",
                        "and 8 are batches under way; on-demand has one. `moving` is a kernel that only moves the same bytes. Nanoseconds and",
                        "cycles (at the nominal clock) are those of one core of the host, a header. `alone` is the time of one batch.")
                .rerun("./run gpu host --rules FILE --trace FILE   # in the unpacked archive")
                .table(batches(raw.records(RAW)))
                .section("Beside the host's own cores")
                .say(
                        "The same images: one core, 16 cores, and the GPU from host memory by copies. `./run gpu measure` makes these rows.")
                .table(cores(raw.records(CORES)))
                .toString();
    }

    private static String batches(List<JsonNode> records) {
        return Column.table(
                records,
                Column.of("trace", "trace"),
                Column.of("algorithm", "algorithm"),
                Column.of("bytes a header in", "bytesIn"),
                Column.of("headers a batch", "headersABatch"),
                Column.of("hand-over", "handOver"),
                Column.of("M headers/s, 1", "mpps1"),
                Column.of("moving, 1", "trivialMpps1"),
                Column.of("M headers/s, 4", "mpps4"),
                Column.of("moving, 4", "trivialMpps4"),
                Column.of("M headers/s, 8", "mpps8"),
                Column.of("moving, 8", "trivialMpps8"),
                Column.of("host ns, 1", "hostNanos1"),
                Column.of("host ns, 8", "hostNanos8"),
                Column.of("host cycles, 1", "hostCycles1"),
                Column.of("host cycles, 8", "hostCycles8"),
                Column.of("alone µs", "roundTripMicros"),
                Column.of("moving alone µs", "trivialMicros"));
    }

    private static String cores(List<JsonNode> records) {
        return Column.table(
                records.stream()
                        .filter(r -> !r.path("way").asText().startsWith("device"))
                        .filter(r -> !GpuPapersPage.isOfAPaper(r.path("name").asText()))
                        .toList(),
                Column.of("set", "name"),
                Column.of("algorithm", "algorithm"),
                Column.of("way", "way"),
                Column.of("headers a batch", "headersALaunch"),
                Column.of("M headers/s", "mpps"),
                Column.of("wrong", "wrong"));
    }
}
