package dev.sluice.job.lab.pages;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;

/** Rules that change in place on the device, as the papers have them. */
final class GpuUpdatesPage implements BenchmarkPage {
    private static final String RAW = "gpu-updates.json";
    private static final String LISTS = "gpu-updates-lists.csv";
    private static final String SLOWDOWN = "gpu-update-slowdown.csv";

    @Override
    public String file() {
        return "gpu-updates.md";
    }

    @Override
    public String text(RawFiles raw) {
        List<JsonNode> records = raw.records(RAW);
        return new PageText("Rules that change in place on a GPU", RAW, LISTS, SLOWDOWN)
                .say(
                        "100,000 generated rules on one NVIDIA H200, deltas of 5,000: half go, half come. Measured 2026-11-22. Each copy of the",
                        "rules takes two deltas at once. Verdicts were compared before, between and after. This is the papers' way; the",
                        "engine changes rules by versions beside an unchanging base: [gpu-door](gpu-door.md).")
                .rerun("./run gpu updates --in-place [--rule-by-rule]   # in the unpacked archive")
                .section("From the host's copy to the device's")
                .say(
                        "`device` is the kernel that writes the changed lines of memory; `copy` the whole way: gathering lines, bus, kernel.",
                        "A device time of 0 means that the whole image went. With rules sent rule by rule, H-HashTree's own three kernels find",
                        "the buckets, move the marked ones together and condense them; where a bucket or a table takes another shape, lines go.")
                .table(
                        Column.table(
                                records,
                                Column.of("shape", "shape"),
                                Column.of("algorithm", "algorithm"),
                                Column.of("rule by rule", "ruleByRule"),
                                Column.of("run", "run"),
                                Column.of("lines a rule", "linesARule"),
                                Column.of("rules by kernels", "rulesByKernels"),
                                Column.of("device µs", "deviceMicros"),
                                Column.of("device M rules/s", "deviceMRulesPerSecond"),
                                Column.of("copy µs, median", "updateMicros"),
                                Column.of("copy µs, mean", "updateMeanMicros"),
                                Column.of("copy M rules/s", "updateMRulesPerSecond"),
                                Column.of("host bytes", "hostBytes"),
                                Column.of("device bytes", "deviceBytes"),
                                Column.of("wrong", "wrong")))
                .section("Two copies in turn, beside look-ups")
                .say(
                        "Deltas of 1, 100 and 5,000 rules: what the engine did before it had versions. Look-ups are",
                        "those of one thread that also copies headers and turns slots into ids.")
                .table(
                        Column.table(
                                records,
                                Column.of("shape", "shape"),
                                Column.of("algorithm", "algorithm"),
                                Column.of("rule by rule", "ruleByRule"),
                                Column.of("run", "run"),
                                Column.of("look-ups alone, M/s", "lookUpsAloneMpps"),
                                Column.of("rules/s by 1", "updatesBy1"),
                                Column.of("look-ups beside, M/s", "lookUpsBesideMppsBy1"),
                                Column.of("rules/s by 100", "updatesBy100"),
                                Column.of("look-ups beside, M/s", "lookUpsBesideMppsBy100"),
                                Column.of("rules/s by 5,000", "updatesBy5000"),
                                Column.of("look-ups beside, M/s", "lookUpsBesideMppsBy5000")))
                .section(raw.csv(LISTS))
                .section(raw.csv(SLOWDOWN))
                .toString();
    }
}
