package dev.sluice.job.lab.pages;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;

/** The workloads of GSwitch and of Schramm's bitvectors, with the papers' own mappings. */
final class GpuPapersPage implements BenchmarkPage {
    private static final String RAW = "gpu.json";
    private static final List<String> BURSTS = List.of("FW", "random");

    /** Whether a workload of the raw file is one of a paper. */
    static boolean isOfAPaper(String name) {
        return name.startsWith("gswitch") || isInBursts(name);
    }

    /** Bitvectors, over sizes of rule sets or over queues. */
    private static boolean isInBursts(String name) {
        return BURSTS.stream().anyMatch(shape -> name.equals(shape) || isOverQueues(name, shape));
    }

    private static boolean isOverQueues(String name, String shape) {
        return name.equalsIgnoreCase(shape + ", queues");
    }

    @Override
    public String file() {
        return "gpu-papers.md";
    }

    @Override
    public String text(RawFiles raw) {
        List<JsonNode> records = raw.records(RAW);
        return new PageText("The papers' workloads on a GPU", RAW)
                .say(
                        "Measured on the machine and in the way of [gpu.md](gpu.md); kernels named `paper_...` are the papers' own",
                        "mappings. `gswitch C` has C masks, and its rows of rfc and of merged tuples are what `auto` chose; `FW` are firewall rules in bitvectors, `random` rules whose every field is random; `queues`",
                        "is the number of streams, each with a burst under way. One run, 2026-11-25.")
                .rerun("./run gpu measure --part papers --out OUT   # in the unpacked archive")
                .section("From device memory")
                .table(
                        GpuWorkload.table(
                                GpuWorkload.of(records).stream()
                                        .filter(w -> isOfAPaper(w.name()))
                                        .toList()))
                .section("Bursts from host memory")
                .say(
                        "Rules in bitvectors, mapped memory; one core of the host beside it in the same run. `alone` is the round",
                        "trip of one burst. A burst of 64 costs the launch and the longest chain of dependent reads, whatever its size. The",
                        "persistent kernel saves the launch and pays two more trips over the bus; asynchronous launches are ahead everywhere.")
                .table(bursts(records))
                .toString();
    }

    private static String bursts(List<JsonNode> records) {
        return Column.table(
                records.stream()
                        .filter(r -> isInBursts(r.path("name").asText()))
                        .filter(r -> !r.path("way").asText().startsWith("device"))
                        .toList(),
                Column.of("workload", "name"),
                Column.of("rules", "rules"),
                Column.of("way", "way"),
                Column.of("headers a burst", "headersALaunch"),
                Column.of("M headers/s", "mpps"),
                Column.of("wrong", "wrong"));
    }
}
