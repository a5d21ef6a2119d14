package dev.sluice.job.lab.pages;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;

/** Rules that change at the engine's door while a GPU looks batches up. */
final class GpuDoorPage implements BenchmarkPage {
    private static final String RAW = "gpu-door.json";

    /** A way to change rules: what a row is called, and the member of a record. */
    private record Way(String name, String field) {}

    private static final List<Way> WAYS =
            List.of(
                    new Way("single, unpaced", "deltasOf1"),
                    new Way("single, 100,000/s asked", "pacedDeltasOf1"),
                    new Way("lists of 1,000", "deltasOf1000"),
                    new Way("lists of 5,000", "deltasOf5000"),
                    new Way("single, 5 % of the look-ups, which wait", "meetingDeltasOf1"),
                    new Way(
                            "lists of 1,000, 5 % of the look-ups, which wait",
                            "meetingDeltasOf1000"));

    /** The ways that a record has: those that came later are not in older ones. */
    private static List<Way> ways(JsonNode record) {
        return WAYS.stream().filter(way -> record.has(way.field())).toList();
    }

    @Override
    public String file() {
        return "gpu-door.md";
    }

    @Override
    public String text(RawFiles raw) {
        List<JsonNode> records = raw.records(RAW);
        return new PageText("Rules that change at the engine's door, beside a GPU", RAW)
                .say(
                        "Generated rules, as many again outside; changes take rules out and bring others in by `Engine.apply`. Readers on the",
                        "GPU's host look batches up meanwhile, each with 4 under way, every batch under the newest version. One thread changes",
                        "rules, for 3 s after 1 s of warming up. Between the parts a batch's verdicts are compared with those of the rules of",
                        "that moment compiled anew for the CPU. Two runs on two hosts. Where changes are 5 % of the look-ups, either waits",
                        "for the other: look-ups come down to 20 times what the door takes, under a hundredth of their rate alone.")
                .rerun("./run gpu updates   # in the unpacked archive")
                .table(
                        Column.table(
                                records,
                                Column.of("device", "device"),
                                Column.of("shape", "shape"),
                                Column.of("rules", "rules"),
                                Column.of("algorithm", "algorithm"),
                                Column.of("readers", "readers"),
                                Column.of("headers a batch", "batch"),
                                Column.of("look-ups without changes, M/s", "lookUpsAloneMpps"),
                                Column.of("bytes", "bytes"),
                                Column.of("compared", "compared"),
                                Column.of("wrong", "wrong")))
                .section("Changes beside look-ups")
                .say(
                        "`apply` is the time of the call. `visible` is the time from the call to the verdicts of the first batch under that",
                        "version or a later one: it holds the batches under way before. Both in µs: half, 99 of 100, largest. Unpaced, drawing",
                        "the rules is left out of the rate.")
                .table(changes(records))
                .section("What rules that came since the base cost")
                .say("One reader, M headers/s, under a version with so many rules beside the base.")
                .table(
                        Column.table(
                                records,
                                Column.of("device", "device"),
                                Column.of("shape", "shape"),
                                part("0 rules", "overlay", "lookUpsMppsWith0"),
                                part("100", "overlay", "lookUpsMppsWith100"),
                                part("1,000", "overlay", "lookUpsMppsWith1000"),
                                part("10,000", "overlay", "lookUpsMppsWith10000")))
                .section("The most hit rule goes")
                .say(
                        "One reader. The headers that hit it are looked up again among all rules but those removed.")
                .table(
                        Column.table(
                                records,
                                Column.of("device", "device"),
                                Column.of("shape", "shape"),
                                part("its share of the headers", "mostHit", "shareOfHeaders"),
                                part("M headers/s before", "mostHit", "lookUpsMppsBefore"),
                                part("after", "mostHit", "lookUpsMppsAfter"),
                                part("visible after µs", "mostHit", "visibleMicros")))
                .toString();
    }

    /** The table of changes for {@code benchmarks.md}. */
    static String headline(RawFiles raw) {
        MarkdownTable table =
                new MarkdownTable(
                        List.of(
                                "changes",
                                "rules/s",
                                "M headers/s beside",
                                "without changes",
                                "visible µs: half, 99 %, largest"));
        for (JsonNode record : raw.records(RAW)) {
            for (Way way : ways(record)) {
                JsonNode changes = record.path(way.field());
                table.row(
                        List.of(
                                way.name(),
                                Digits.of(changes.path("rulesPerSecond")),
                                Digits.of(changes.path("lookUpsMpps")),
                                Digits.of(record.path("lookUpsAloneMpps")),
                                micros(changes, "visible")));
            }
        }
        return table.text();
    }

    private static String changes(List<JsonNode> records) {
        MarkdownTable table =
                new MarkdownTable(
                        List.of(
                                "device",
                                "shape",
                                "changes",
                                "deltas/s",
                                "rules/s",
                                "look-ups beside, M/s",
                                "apply µs",
                                "visible µs"));
        for (JsonNode record : records) {
            for (Way way : ways(record)) {
                JsonNode changes = record.path(way.field());
                table.row(
                        List.of(
                                Digits.of(record.path("device")),
                                Digits.of(record.path("shape")),
                                way.name(),
                                Digits.of(changes.path("deltasPerSecond")),
                                Digits.of(changes.path("rulesPerSecond")),
                                Digits.of(changes.path("lookUpsMpps")),
                                micros(changes, "apply"),
                                micros(changes, "visible")));
            }
        }
        return table.text();
    }

    private static Column part(String head, String part, String field) {
        return new Column(head, record -> Digits.of(record.path(part).path(field)));
    }

    private static String micros(JsonNode changes, String name) {
        return changes.has(name + "MicrosP50")
                ? "%s / %s / %s"
                        .formatted(
                                Digits.of(changes.path(name + "MicrosP50")),
                                Digits.of(changes.path(name + "MicrosP99")),
                                Digits.of(changes.path(name + "MicrosMost")))
                : "";
    }
}
