package dev.sluice.job.lab.pages;

/** From host memory to verdicts in host memory, batches of 65,536. */
final class GpuHostHeadline {
    private GpuHostHeadline() {}

    static String table(RawFiles raw) {
        return Column.table(
                raw.records("gpu-host.json").stream()
                        .filter(r -> r.path("headersABatch").asInt() == 65_536)
                        .filter(r -> r.path("handOver").asText().startsWith("asynchronous"))
                        .filter(r -> r.path("handOver").asText().contains("streams=16"))
                        .toList(),
                Column.of("trace", "trace"),
                Column.of("hand-over", "handOver"),
                Column.of("M headers/s, 8 batches under way", "mpps8"),
                Column.of("only moving the bytes", "trivialMpps8"),
                Column.of("one batch alone µs", "roundTripMicros"));
    }
}
