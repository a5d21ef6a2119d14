package dev.sluice.job.lab.pages;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import java.util.ArrayList;
import java.util.List;

/** The whole job while its rules change. */
final class RuleChangesPage implements BenchmarkPage {
    private static final String RAW = "rule-changes.json";
    private static final String HIGHEST = "rule-changes-highest.json";
    private static final String NOTHING = "Nothing was measured yet.";
    private static final String CPU = "/steadyCpuMicrosPerHeader";
    private static final String LOOK_UP = "/steadyCpuNanosPerHeaderByGroup/look-up and encoding";

    @Override
    public String file() {
        return "rule-changes.md";
    }

    @Override
    public String text(RawFiles raw) {
        List<JsonNode> records = raw.records(RAW);
        PageText page =
                new PageText("Rules that change in the whole job", RAW, HIGHEST)
                        .say(
                                "PacketBlocks and rule changes go through Kafka into the job, VerdictBlocks out of it; broker, job and both ends share",
                                "one process. After 15 s of warming up the highest rate is measured. Then packets come at 80 % of it, and for some",
                                "seconds each nothing changes, single rules go and come back (100 transactions a second are asked for), lists of 1,000",
                                "do (100 a second: 100,000 changes/s), then the rule goes that most packets hit, and at last others take the place of all",
                                "rules, in one transaction. Times have whole milliseconds;",
                                "they end when the job sends a verdict, before the sink's transaction is committed. The first lists are a phase of their",
                                "own, before all others: the JVM has compiled nothing of what looks up changed rules. The broker's logs lie in memory",
                                "(TMPDIR on a tmpfs): on a disk its flushes hold packets up for some tenths of a second, whatever the rules do. The",
                                "collector is G1 with `-XX:MaxTenuringThreshold=2`, as `./sluice run` has it.")
                        .rerun(
                                "./sluice bench --corridor --rule-changes --rules SET.rules.gz --trace TRACE.trace.gz --parallelism P --json",
                                "./sluice bench ... --gpu off    # on the CPU, where there is a GPU");
        if (records.isEmpty()) {
            return page.say(NOTHING).toString();
        }
        return page.section("Runs")
                .say(
                        "First verdict: from the time at which all tasks run. Checkpoint: the last one of the run, from its start to its end.")
                .table(
                        Column.table(
                                records,
                                Column.of("machine", "machine"),
                                Column.of("backend", "backend"),
                                new Column("rule set", RuleChangesPage::ruleSet),
                                Column.of("rules", "ruleCount"),
                                Column.of("parallelism", "parallelism"),
                                Column.of("headers a block", "block"),
                                Column.of("highest M headers/s", "highestMpps"),
                                Column.of("first verdict s", "firstVerdictSeconds"),
                                Column.of("checkpoint bytes", "checkpointBytes"),
                                Column.of("checkpoint ms", "checkpointMillis")))
                .section("Changes")
                .say(
                        "ms: half / 99 of 100 / largest. `visible`: from a COMMIT's sending to the first verdict under its version or a later",
                        "one. `everywhere`: to the last verdict under an older version. `packet to verdict`: from a block's sending to its",
                        "verdicts, as `no changes` has it without any.")
                .table(phases(records))
                .section("At the highest rate")
                .say(
                        "acl1_10k from a topic that was filled before, on the CPU, in turns while nothing changes and while 1,000 rules a second go or",
                        "come back, each in a transaction and so a version of its own. Asked for is 0.95 of the rate without changes. With twelve",
                        "subtasks on 16 cores 0.75 and 0.83 are left on one host, 0.76 and 0.78 on another, where before few changes were found by vectors",
                        "([0108](../decisions/0108-few-changes-are-found-by-vectors.md)) 0.73 and 0.70, 0.75 and 0.73 were, in turns; on two cores 0.54 to 0.60 before.",
                        "On four more hosts 0.84 and 0.84, 0.77 and 0.78, 0.94, and 0.82 are left: on the third a header's look-up takes 10 ns more beside changes, on",
                        "the others 15 to 30 ns. Bases that are due after 500 or 1,000 changes in place of 152 spare 1 to 3 ns of compiling and cost 7 to 12 of looking",
                        "up; changes that are handed on every 5 or 12 ms in place of every ms spare nothing (the rows of the ninth and the tenth host).",
                        "It was 0.46 before flow shards lay evenly among subtasks ([0101](../decisions/0101-a-shards-key-names-its-key-group.md)), bases followed",
                        "sooner ([0102](../decisions/0102-bases-follow-rules-sooner.md)), headers that no change can touch were spared a second look",
                        "([0103](../decisions/0103-headers-that-no-change-can-touch.md)), and versions of a base were counted in the same slots",
                        "([0107](../decisions/0107-versions-of-a-base-share-their-slots.md)). CPU time is the bound, on 16 cores, too: of samples of all",
                        "threads, 10 ms apart, more than 20 want to run at once. A header takes 101 to 139 ns of it in place of 65 to 97: look-up and encoding",
                        "38 to 53 in place of 22 to 31 (the overlay, tables of new bases that are in no cache yet), 10 more for what follows and compiles",
                        "the rules, the rest for the garbage of the bases and for more threads than cores. The rows of the sections above do not show that: their load comes from",
                        "the same process, at less than half of the highest rate.")
                .rerun(
                        "./run changing    # in the corridor bundle",
                        "./sluice bench --corridor --change-rate 1000 --corridor-headers 200000000 --warm-headers 300000000 --parallelism 2 ...")
                .table(
                        Column.table(
                                raw.records(HIGHEST),
                                Column.of("machine", "machine"),
                                Column.of("code", "code"),
                                Column.of("parallelism", "parallelism"),
                                turns("M headers/s without changes", false, "/steadyMpps"),
                                turns("with 1,000 a second", true, "/steadyMpps"),
                                Column.of("kept", "kept"),
                                turns("µs of CPU a header", false, CPU),
                                turns("with changes", true, CPU),
                                turns("ns of look-up and encoding", false, LOOK_UP),
                                turns("with changes", true, LOOK_UP)))
                .toString();
    }

    /** The table for {@code benchmarks.md}: a row for each run. */
    static String headline(RawFiles raw) {
        List<JsonNode> records = raw.records(RAW);
        if (records.isEmpty()) {
            return NOTHING + "\n";
        }
        return Column.table(
                records,
                Column.of("machine", "machine"),
                Column.of("backend", "backend"),
                Column.of("rules", "ruleCount"),
                Column.of("highest M headers/s", "highestMpps"),
                new Column(
                        "single changes: visible ms",
                        r -> millis(phase(r, "single changes"), "visibleMillis")),
                new Column(
                        "lists of 1,000: changes/s",
                        r -> Digits.of(phase(r, "lists of 1000").path("changesPerSecond"))),
                new Column("visible ms", r -> millis(phase(r, "lists of 1000"), "visibleMillis")),
                new Column(
                        "packet to verdict ms",
                        r -> millis(phase(r, "lists of 1000"), "heldMillis")),
                new Column("without changes", r -> millis(phase(r, "no changes"), "heldMillis")),
                new Column(
                        "most hit rule gone after ms",
                        r ->
                                millis(
                                        phase(r, "most hit rule removed")
                                                .path("visibleMillis")
                                                .path("max"))),
                Column.of("first verdict s", "firstVerdictSeconds"),
                Column.of("checkpoint bytes", "checkpointBytes"),
                Column.of("ms", "checkpointMillis"));
    }

    /** A figure of the turns with changes, or without, in their order. */
    private static Column turns(String title, boolean changing, String pointer) {
        return new Column(
                title,
                run -> {
                    List<String> figures = new ArrayList<>();
                    for (JsonNode turn : run.path("runs")) {
                        if (turn.path("changesPerSecond").asDouble() > 0 == changing) {
                            figures.add(Digits.of(turn.at(pointer)));
                        }
                    }
                    return String.join(" / ", figures);
                });
    }

    private static String phases(List<JsonNode> records) {
        MarkdownTable table =
                new MarkdownTable(
                        List.of(
                                "machine",
                                "backend",
                                "parallelism",
                                "rules",
                                "changes",
                                "M headers/s",
                                "transactions",
                                "changes/s",
                                "visible ms",
                                "everywhere ms",
                                "packet to verdict ms"));
        for (JsonNode run : records) {
            for (JsonNode phase : run.path("phases")) {
                table.row(
                        List.of(
                                Digits.of(run.path("machine")),
                                Digits.of(run.path("backend")),
                                Digits.of(run.path("parallelism")),
                                Digits.of(run.path("ruleCount")),
                                Digits.of(phase.path("name")),
                                Digits.of(phase.path("mpps")),
                                Digits.of(phase.path("transactions")),
                                Digits.of(phase.path("changesPerSecond")),
                                millis(phase, "visibleMillis"),
                                millis(phase, "everywhereMillis"),
                                millis(phase, "heldMillis")));
            }
        }
        return table.text();
    }

    /** A phase of a run; a missing node where the run has none of that name. */
    private static JsonNode phase(JsonNode run, String name) {
        for (JsonNode phase : run.path("phases")) {
            if (phase.path("name").asText().equals(name)) {
                return phase;
            }
        }
        return MissingNode.getInstance();
    }

    /** The name of the file of rules, without its folder and endings. */
    private static String ruleSet(JsonNode run) {
        String path = run.path("rules").asText();
        return path.substring(path.lastIndexOf('/') + 1).replaceFirst("\\.rules(\\.gz)?$", "");
    }

    private static String millis(JsonNode phase, String name) {
        JsonNode times = phase.path(name);
        return times.isMissingNode()
                ? ""
                : "%s / %s / %s"
                        .formatted(
                                millis(times.path("p50")),
                                millis(times.path("p99")),
                                millis(times.path("max")));
    }

    /** Clocks here tell whole milliseconds: no digits behind the point. */
    private static String millis(JsonNode time) {
        return time.isNumber() ? Digits.of(time.decimalValue().stripTrailingZeros()) : "";
    }
}
