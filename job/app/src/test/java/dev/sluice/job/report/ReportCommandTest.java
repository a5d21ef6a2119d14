package dev.sluice.job.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.job.JsonPage;
import dev.sluice.job.Sluice;
import dev.sluice.schemas.testing.TestData;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ReportCommandTest {
    private static final Path CAPTURE = TestData.inCheckout("test-data/firewall/server.pcapng.gz");
    private static final String RULES =
            TestData.inCheckout("test-data/firewall/server.save") + "#INPUT";
    private static final Path OFFICE = TestData.inCheckout("test-data/office/office.ovs");

    @TempDir Path folder;

    private static Sluice report(Object... more) {
        List<Object> words =
                new ArrayList<>(List.of("report", CAPTURE, "--rules", RULES, "--assume", "new"));
        words.addAll(List.of(more));
        words.addAll(List.of("--in-interface", "eth0"));
        return Sluice.ok(words.toArray());
    }

    private Path verdicts(String... more) {
        Path file = folder.resolve("verdicts.tsv");
        List<Object> words =
                new ArrayList<>(List.of("classify", CAPTURE, "--rules", RULES, "--assume", "new"));
        words.addAll(List.of("--in-interface", "eth0", "--verdicts", file));
        words.addAll(List.of(more));
        Sluice.ok(words.toArray());
        return file;
    }

    @Test
    void deniedPacketsAreCountedByRuleSourceAndService() {
        Sluice run = report("--format", "tsv");
        List<String> lines = run.out().lines().toList();
        assertEquals(
                "packets\tat most\tbytes\tfirst\tlast\tline\tsource\tsource host\tdestination\tdestination host\tservice\trule",
                lines.get(0));
        assertEquals(
                "2\t\t148\t1795875105642755916\t1795875107646394333\t17\t203.0.113.66\t\t\t\t22/tcp\t-A LOGDROP -j DROP",
                lines.get(1));
        assertEquals(11, lines.size());
        assertTrue(
                run.err()
                        .contains(
                                "12 of 140 packets: denied; 10 of 10 rows shown, all counts exact"),
                run.err());
    }

    /** The sums by each column are those of the verdict file's denied lines. */
    @Test
    void eachColumnSumsUpWhatTheVerdictFileHas() throws IOException {
        List<String> lines = Files.readAllLines(verdicts("--fields", "5-tuple"));
        List<String> head = List.of(lines.get(0).split("\t"));
        Map<String, Integer> bySource = new TreeMap<>();
        for (String line : lines.subList(1, lines.size())) {
            String[] cells = line.split("\t", -1);
            if (cells[head.indexOf("outcome")].equals("deny")) {
                bySource.merge(cells[head.indexOf("ip_src")], 1, Integer::sum);
            }
        }
        Map<String, Integer> counted = new TreeMap<>();
        for (String row : rows(report("--by", "source", "--format", "tsv"))) {
            counted.put(row.split("\t")[6], Integer.valueOf(row.split("\t")[0]));
        }
        assertEquals(bySource, counted);
        assertEquals(Map.of("203.0.113.66", 10, "203.0.113.129", 2), counted);
    }

    private static List<String> rows(Sluice run) {
        return run.out().lines().skip(1).toList();
    }

    @Test
    void verdictFilesTellTheSameAsCaptures() {
        Sluice captures = report("--by", "rule,source,destination,service", "--json");
        Path file = verdicts("--fields", "5-tuple,frame-length");
        Sluice files =
                Sluice.ok(
                        "report",
                        file,
                        "--rules",
                        RULES,
                        "--in-interface",
                        "eth0",
                        "--by",
                        "rule,source,destination,service",
                        "--json");
        assertEquals(captures.out(), files.out());
        Sluice without = Sluice.ok("report", file, "--by", "rule", "--format", "tsv");
        assertEquals(
                List.of("12\t\t788\t1795875104840434859\t1795875108448293692\t17\t\t\t\t\t\tDROP"),
                rows(without));
    }

    @Test
    void linesOfDeniedPacketsAloneMakeTheSameReport() {
        Path file = verdicts("--fields", "5-tuple", "--denied");
        Sluice run = Sluice.ok("report", file, "--by", "service");
        assertEquals(10, rows(run).size());
        assertTrue(run.err().contains("12 of 12 packets: denied"), run.err());
    }

    @Test
    void jsonTellsEachRow() throws IOException {
        Path hosts = Files.writeString(folder.resolve("hosts"), "203.0.113.66 scanner x # one\n");
        Sluice run = report("--json", "--by", "rule,source,service", "--hosts", hosts);
        assertTrue(run.out().contains("\"source_host\":\"scanner\""), run.out());
        JsonPage.assertTells("report", run.out());
    }

    @Test
    void theTopIsCutAndTheRestIsTold() {
        Sluice run = report("--top", "1", "--by", "source");
        assertEquals(1, rows(run).size());
        assertTrue(
                run.err().contains("1 of 2 rows shown, all counts exact; --all shows"), run.err());
        Sluice kept = report("--keep", "1", "--by", "source,service", "--format", "tsv");
        assertTrue(kept.err().contains("there were more rows than --keep"), kept.err());
        String[] row = rows(kept).get(0).split("\t");
        assertTrue(Integer.parseInt(row[1]) >= Integer.parseInt(row[0]), kept.out());
    }

    @Test
    void otherOutcomesAndActionsAreCounted() {
        assertTrue(report("--outcome", "depends").err().contains("4 of 140 packets: depends"));
        assertTrue(report("--action", "accept").err().contains("of 140 packets: accept;"));
    }

    @Test
    void rulesThatStandForThemselvesDenyByTheirActions() {
        Path capture = TestData.inCheckout("test-data/office/office.pcapng.gz");
        Sluice run = Sluice.ok("report", capture, "--rules", OFFICE, "--by", "rule");
        assertTrue(run.err().contains(" packets: denied; "), run.err());
        assertTrue(run.out().contains("actions=drop"), run.out());
    }

    @Test
    void wrongUseIsAnsweredWithARemedy() throws IOException {
        Path bare = verdicts();
        assertError("--fields 5-tuple", 1, "report", bare);
        assertError("not both", 2, "report", bare, CAPTURE, "--rules", RULES);
        for (String option : List.of("--headers inner", "--tags switch", "--conntrack linux")) {
            List<Object> words = new ArrayList<>(List.of("report", bare, "--rules", RULES));
            words.addAll(List.of(option.split(" ")));
            assertError("leave it out, or name captures", 2, words.toArray());
        }
        assertError("does not exist", 1, "report", folder.resolve("no.pcap"), "--rules", RULES);
        Path hosts = Files.writeString(folder.resolve("hosts"), "# x\n10.0.0.5\n");
        assertError("hosts:2: '10.0.0.5'", 1, "report", bare, "--hosts", hosts);
        Path cut =
                Files.writeString(folder.resolve("cut.tsv"), cut(verdicts("--fields", "5-tuple")));
        assertError("cut.tsv:3: has ", 1, "report", cut);
        assertError(
                "sluice report", 2, "classify", CAPTURE, "--rules", RULES, "--denied", "--summary");
        assertError(
                "--fields: name fields",
                2,
                "classify",
                CAPTURE,
                "--rules",
                RULES,
                "--fields",
                "action");
        Path permits =
                Files.writeString(folder.resolve("all.ovs"), "priority=1,ip actions=NORMAL\n");
        assertError(
                "denies no packet",
                1,
                "report",
                CAPTURE,
                "--rules",
                permits,
                "--default-action",
                "NORMAL");
    }

    @Test
    void optionsThatDoNothingForVerdictFilesAreRefused() {
        Path file = verdicts("--fields", "5-tuple");
        assertError("--conntrack: judges captures", 2, "report", file, "--conntrack", "linux");
        assertError("--in-interface: judges", 2, "report", file, "--in-interface", "eth0");
        assertError(
                "--in-port: is of packets of captures",
                2,
                "report",
                file,
                "--rules",
                RULES,
                "--in-port",
                "3");
        Path office = TestData.inCheckout("test-data/office/office.pcapng.gz");
        Path list = folder.resolve("list.tsv");
        Sluice.ok("classify", office, "--rules", OFFICE, "--verdicts", list, "--fields", "5-tuple");
        assertError("list.tsv:2: --outcome deny", 2, "report", list, "--outcome", "deny");
    }

    private static String cut(Path file) throws IOException {
        List<String> lines = Files.readAllLines(file);
        return lines.get(0) + "\n" + lines.get(1) + "\n" + lines.get(2).substring(0, 20);
    }

    private static void assertError(String words, int status, Object... command) {
        Sluice run = Sluice.run(command);
        assertEquals(status, run.status(), run.err());
        assertTrue(run.err().contains(words), run.err());
    }
}
