package dev.sluice.job.lab.pages;

/** The whole job: packets topic to committed verdicts. */
final class CorridorPage implements BenchmarkPage {
    private static final String RAW = "corridor.json";
    private static final String RUNS = "corridor-runs.csv";

    @Override
    public String file() {
        return "corridor.md";
    }

    @Override
    public String text(RawFiles raw) {
        return new PageText("The whole job", RAW, RUNS)
                .say(
                        "PacketBlocks go from a Kafka topic through source, key by flow shard, classify and exactly-once sink;",
                        "VerdictBlocks are committed and read back. Broker, Flink and the reader share one process and two cores.",
                        "The blocks are written to Kafka before. The steady rate leaves out the first quarter of the headers, in",
                        "which the cluster starts and the JIT compiler works. Measured 2026-11-21.")
                .rerun(
                        "./sluice bench --corridor --corridor-headers 150000000 --parallelism P --rules acl1_1k.rules.gz --trace acl1_1k_mix.trace.gz --json")
                .table(
                        Column.table(
                                raw.records(RAW),
                                Column.of("rule set", "rules"),
                                Column.of("rules", "ruleCount"),
                                Column.of("parallelism", "parallelism"),
                                Column.of("headers a block", "block"),
                                Column.of("headers", "headers"),
                                Column.of("M headers/s, start to last commit", "mpps"),
                                Column.of("M headers/s, steady", "steadyMpps"),
                                Column.of("µs of CPU a header", "cpuMicrosPerHeader"),
                                Column.of("blocks written, M headers/s", "producedMpps")))
                .section(raw.csv(RUNS))
                .toString();
    }
}
