package dev.sluice.job.replay;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.job.Sluice;
import dev.sluice.job.kafka.EmbeddedBroker;
import dev.sluice.schemas.testing.TestData;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A capture under rules that changed while it was taken, through a real broker and cluster. */
class EventReplayITCase {
    @TempDir Path folder;

    private List<String[]> replay(String name, Object... options) throws IOException {
        return rows("replay", name, options);
    }

    private List<String[]> rows(String command, String name, Object... options) throws IOException {
        Path out = folder.resolve(name + ".tsv");
        List<Object> words = new ArrayList<>(List.of(command, "--verdicts", out));
        words.addAll(Arrays.asList(options));
        words.add(TestData.office("office.pcapng.gz"));
        Sluice run = Sluice.run(words.toArray());
        assertEquals(0, run.status(), run.err());
        return Files.readAllLines(out).stream().skip(1).map(l -> l.split("\t", -1)).toList();
    }

    @Test
    void eachPacketHasTheRulesOfItsTimeAtAnyParallelism() throws IOException {
        Path first = TestData.office("office.ovs");
        Path second = folder.resolve("second.ovs");
        List<String> lines = Files.readAllLines(first);
        List<String> changed = new ArrayList<>();
        changed.add("# one line more, and every third rule less");
        for (int i = 0; i < lines.size(); i++) {
            if (i % 3 != 1 || lines.get(i).startsWith("#")) {
                changed.add(lines.get(i));
            }
        }
        Files.write(second, changed);
        List<String[]> underFirst = rows("classify", "first", "--rules", first);
        List<String[]> underSecond = rows("classify", "second", "--rules", second);
        List<Long> times = underFirst.stream().map(row -> Long.valueOf(row[2])).sorted().toList();
        long from1 = times.get(times.size() / 4);
        long from2 = times.get(times.size() / 2);
        long from3 = times.get(times.size() * 3 / 4);
        Path history = folder.resolve("history");
        Files.write(
                history,
                List.of(
                        "# TIME RULE-FILE",
                        from1 + " " + first.toAbsolutePath(),
                        from2 + "  second.ovs",
                        from3 + " " + first.toAbsolutePath()));
        List<String[]> one =
                replay(
                        "one",
                        "--rules-history",
                        history,
                        "--allowed-lateness",
                        "1d",
                        "--parallelism",
                        1);
        Map<String, Integer> byVersion = new TreeMap<>();
        for (int i = 0; i < one.size(); i++) {
            String[] row = one.get(i);
            byVersion.merge(row[6], 1, Integer::sum);
            long time = Long.parseLong(row[2]);
            if (time < from1) {
                assertEquals(
                        List.of("", "", "drop", "", "no-rules"),
                        List.of(row).subList(3, 8),
                        "packet " + row[1]);
                continue;
            }
            boolean inSecond = time >= from2 && time < from3;
            String[] want = (inSecond ? underSecond : underFirst).get(i);
            String version = time < from2 ? "1" : time < from3 ? "2" : "3";
            assertEquals(
                    List.of(want[3], want[4], want[5], version, "classified"),
                    List.of(row).subList(3, 8),
                    "packet " + row[1]);
        }
        assertEquals(List.of("", "1", "2", "3"), List.copyOf(byVersion.keySet()));

        replay(
                "three",
                "--rules-history",
                history,
                "--allowed-lateness",
                "1d",
                "--batch-size",
                37,
                "--parallelism",
                3);
        assertEquals(
                Files.readString(folder.resolve("one.tsv")),
                Files.readString(folder.resolve("three.tsv")));
    }

    /** The algorithm takes routes alone, which the second version has not. */
    @Test
    void aVersionThatWasRefusedIsNamedAndIsAFailure() throws IOException {
        Path routes = folder.resolve("routes.rules");
        Files.write(routes, List.of("@0.0.0.0/0 0.0.0.0/0 0 : 65535 0 : 65535 0x00/0x00"));
        Path both = folder.resolve("both.rules");
        Files.write(both, List.of("@10.0.0.0/8 10.0.0.0/8 80 : 80 0 : 65535 0x06/0xFF"));
        Path history = folder.resolve("history");
        Files.write(history, List.of("0 routes.rules", "1 both.rules"));
        Sluice run =
                Sluice.run(
                        "replay",
                        "--rules-history",
                        history,
                        "--algorithm",
                        "routes",
                        TestData.office("office.pcapng.gz"));
        assertEquals(1, run.status(), run.err());
        assertTrue(run.err().contains("rules: cannot be served: version 2,"), run.err());
        assertTrue(run.out().contains(" version 2 of the rules was refused"), run.out());
        assertTrue(run.out().contains("  @0.0.0.0/0 0.0.0.0/0"), run.out());
        assertFalse(run.out().contains("(removed)"), run.out()); // it is the one in force
        assertTrue(run.out().contains("never hit: 0 of 1 rule"), run.out());
        assertTrue(!run.out().contains("no-rules"), run.out()); // version 1 judges in its place
    }

    /** The topics and options of users, at another parallelism than that of the exporter. */
    @Test
    void aBoundedJobJudgesByTheHistoryOfTheTopic() throws IOException {
        Path capture = TestData.office("office.pcapng.gz");
        Path rules = TestData.office("office.ovs");
        Path fewer = folder.resolve("fewer.ovs");
        List<String> lines = Files.readAllLines(rules);
        Files.write(fewer, lines.subList(lines.size() / 2, lines.size()));
        List<String[]> underAll = replay("all", "--rules", rules);
        List<String[]> underFewer = replay("fewer", "--rules", fewer);
        List<Long> times = underAll.stream().map(row -> Long.valueOf(row[2])).sorted().toList();
        long from1 = times.get(times.size() / 3);
        long from2 = times.get(times.size() * 2 / 3);
        List<String> verdicts;
        try (EmbeddedBroker broker = EmbeddedBroker.start(folder.resolve("broker"), 0)) {
            String kafka = broker.bootstrap();
            ok("rules", "publish", "--rules", rules, "--effective", from1, kafka);
            ok("rules", "publish", "--rules", fewer, "--effective", from2, kafka);
            ok("export", capture, "--create-topics", kafka);
            ok(
                    "run",
                    "--create-topics",
                    "--bounded",
                    "--from",
                    "earliest",
                    "--rules-time",
                    "event",
                    "--allowed-lateness",
                    "1d",
                    "--parallelism",
                    3,
                    kafka);
            verdicts = ok("verdicts", kafka).lines().skip(1).toList();
        }
        assertEquals(underAll.size(), verdicts.size());
        Map<String, Integer> byStatus = new TreeMap<>();
        for (String verdict : verdicts) {
            String[] row = verdict.split("\t", -1);
            int packet = Integer.parseInt(row[1]) - 1;
            long time = Long.parseLong(row[2]);
            String[] want = (time < from2 ? underAll : underFewer).get(packet);
            boolean none = time < from1;
            byStatus.merge(row[7] + " " + row[8], 1, Integer::sum);
            assertEquals(
                    none
                            ? List.of("", "", "0", "no-rules")
                            : List.of(want[3], want[4], time < from2 ? "1" : "2", "classified"),
                    List.of(row[4], row[5], row[7], row[8]),
                    verdict);
        }
        assertEquals(
                List.of("0 no-rules", "1 classified", "2 classified"),
                List.copyOf(byStatus.keySet()));
    }

    private static String ok(Object... words) {
        List<Object> all = new ArrayList<>(Arrays.asList(words));
        all.add(all.size() - 1, "--bootstrap");
        Sluice run = Sluice.run(all.toArray());
        assertEquals(0, run.status(), run.err());
        return run.out();
    }

    @Test
    void usageThatCannotBeIsRefused() throws IOException {
        Path capture = TestData.office("office.pcapng.gz");
        Path rules = TestData.office("office.ovs");
        Path history = folder.resolve("history");
        Files.write(history, List.of("7 " + rules.toAbsolutePath(), "6 x.ovs"));
        refused(
                history + ":2: 6 is before the time of the version before; write the oldest first",
                "replay",
                "--rules-history",
                history,
                capture);
        refused(
                "Missing required argument(s): --rules-history=FILE",
                "replay",
                "--rules",
                rules,
                "--allowed-lateness",
                "5s",
                capture);
        refused(
                "--rules-idle 5s is of a job in event time that goes on; say --rules-time event without --bounded, or leave it out",
                "run",
                "--bootstrap",
                "localhost:1",
                "--rules-time",
                "event",
                "--bounded",
                "--rules-idle",
                "5s");
        refused(
                "--waiting-bytes much is no size; write a number of bytes, or 512m or 2g",
                "run",
                "--bootstrap",
                "localhost:1",
                "--waiting-bytes",
                "much");
        refused(
                "is more than a day ahead of the clock",
                "rules",
                "heartbeat",
                "--bootstrap",
                "localhost:1",
                "--time",
                "2120-01-01T00:00:00Z");
        Files.write(history, List.of("yesterday x.ovs"));
        refused(
                history + ":1: yesterday is no time",
                "replay",
                "--rules-history",
                history,
                capture);
        Files.write(history, List.of("# nothing"));
        refused(history + ": holds no version", "replay", "--rules-history", history, capture);
    }

    private static void refused(String why, Object... words) {
        Sluice run = Sluice.run(words);
        assertEquals(2, run.status(), run.err());
        assertTrue(run.err().contains(why), run.err());
    }
}
