package dev.sluice.job.replay;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sluice.job.Sluice;
import dev.sluice.schemas.testing.SharedData;
import dev.sluice.schemas.testing.TestData;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Captures through a real broker and a real Flink cluster, against independent verdicts. */
class ReplayITCase {
    @TempDir Path folder;

    private List<String> replay(int parallelism, Path rules, Path... captures) throws IOException {
        Path out = folder.resolve("verdicts-" + parallelism + ".tsv");
        List<Object> words =
                new ArrayList<>(
                        List.of(
                                "replay",
                                "--rules",
                                rules,
                                "--verdicts",
                                out,
                                "--parallelism",
                                parallelism));
        words.addAll(Arrays.asList(captures));
        Sluice run = Sluice.run(words.toArray());
        assertEquals(0, run.status(), run.err());
        return Files.readAllLines(out);
    }

    @Test
    void theOfficeCaptureGetsItsExpectedVerdictsAtAnyParallelism() throws IOException {
        Path capture = TestData.office("office.pcapng.gz");
        Path rules = TestData.office("office.ovs");
        List<String> one = replay(1, rules, capture, capture);
        List<String> three = replay(3, rules, capture, capture);
        assertEquals(one, three);
        Sluice classify = Sluice.run("classify", "--rules", rules, capture, capture);
        assertEquals(one, classify.out().lines().toList());
        List<String> expected = Files.readAllLines(TestData.office("office.verdicts.tsv"));
        int packets = expected.size() - 1;
        assertEquals(
                "capture\tpacket\ttime_ns\trule\tpriority\taction\tversion\tstatus", one.get(0));
        assertEquals(1 + 2 * packets, one.size());
        for (int i = 1; i < one.size(); i++) {
            String[] seen = one.get(i).split("\t", -1);
            int packet = (i - 1) % packets + 1;
            String[] want = expected.get(packet).split("\t", -1);
            assertEquals(capture.toString(), seen[0]);
            assertEquals(
                    List.of(want[0], want[1], want[2], want[3]),
                    List.of(seen[1], seen[3], seen[4], seen[5]));
            assertEquals("1", seen[6]);
            assertEquals("classified", seen[7]);
        }
    }

    @Test
    void theSummaryTellsOfRulesAndCapturesWhatClassifyTells() throws IOException {
        Path capture = TestData.office("office.pcapng.gz");
        List<ObjectNode> told = new ArrayList<>();
        for (String command : List.of("replay", "classify")) {
            Sluice run =
                    Sluice.run(
                            command,
                            capture,
                            capture,
                            "--rules",
                            TestData.office("office.ovs"),
                            "--json");
            assertEquals(0, run.status(), run.err());
            ObjectNode summary = (ObjectNode) new ObjectMapper().readTree(run.out());
            assertTrue(summary.remove("start_seconds").isNull() == command.equals("classify"));
            summary.remove("packets_per_second");
            told.add(summary);
        }
        assertEquals(told.get(1), told.get(0));
        assertEquals(2, told.get(0).get("captures").size());
        assertEquals(27, told.get(0).get("rules").size());
    }

    @Test
    void fieldsOfPacketsStandBehindTheirVerdicts() throws IOException {
        Path capture = TestData.office("office.pcapng.gz");
        Path out = folder.resolve("fields.tsv");
        Sluice run =
                Sluice.run(
                        "replay",
                        "--rules",
                        TestData.office("office.ovs"),
                        "--verdicts",
                        out,
                        "--verdict-fields",
                        "ip-src,dst-port,eth-type,frame-length",
                        capture);
        assertEquals(0, run.status(), run.err());
        List<String> headers = Sluice.run("headers", capture).out().lines().toList();
        List<String> lines = Files.readAllLines(out);
        assertEquals(headers.size(), lines.size());
        assertTrue(
                lines.get(0).endsWith("\tstatus\teth_type\tip_src\tdst_port\tframe_length"),
                lines.get(0));
        for (int i = 1; i < lines.size(); i++) {
            String[] seen = lines.get(i).split("\t", -1);
            String[] header = headers.get(i).split("\t", -1);
            assertEquals(12, seen.length, lines.get(i));
            String type = header[9].isEmpty() ? "" : "" + Integer.decode(header[9]);
            assertEquals(
                    List.of(type, header[13], header[19], header[6]),
                    List.of(seen[8], seen[9], seen[10], seen[11]),
                    "packet " + i);
        }
    }

    @Test
    void everyPacketBeforeACutGetsItsVerdict() throws IOException {
        byte[] whole;
        try (GZIPInputStream in =
                new GZIPInputStream(Files.newInputStream(TestData.office("office.pcapng.gz")))) {
            whole = in.readAllBytes();
        }
        Path cut = folder.resolve("cut.pcapng");
        Files.write(cut, Arrays.copyOf(whole, whole.length / 2 + 1));
        Path out = folder.resolve("cut.tsv");
        Sluice run =
                Sluice.run(
                        "replay", "--rules", TestData.office("office.ovs"), "--verdicts", out, cut);
        assertEquals(1, run.status());
        assertTrue(run.err().contains(cut + ": truncated-block at byte "), run.err());
        assertTrue(run.err().contains("every packet before it was classified"), run.err());
        List<String> lines = Files.readAllLines(out);
        List<String> expected = Files.readAllLines(TestData.office("office.verdicts.tsv"));
        assertTrue(
                lines.size() > expected.size() / 4 && lines.size() < expected.size(),
                lines.size() + " lines of half a capture whose packets take " + expected.size());
        for (int i = 1; i < lines.size(); i++) {
            String[] want = expected.get(i).split("\t", -1);
            String[] got = lines.get(i).split("\t", -1);
            assertEquals(
                    List.of(String.valueOf(i), want[1], want[2], want[3]),
                    List.of(got[1], got[3], got[4], got[5]));
        }
    }

    @Test
    void sharedCapturesGetTheirExpectedVerdicts() throws IOException {
        Path captures = SharedData.folder("captures");
        List<Path> policies;
        try (Stream<Path> files = Files.list(captures.resolve("policies"))) {
            policies = files.filter(f -> f.toString().endsWith(".ovs")).sorted().toList();
        }
        assertFalse(policies.isEmpty(), "no policy lies in " + captures);
        for (Path policy : policies) {
            String name = policy.getFileName().toString().replace(".ovs", "");
            List<String> seen = replay(2, policy, captures.resolve("files/" + name));
            List<String> expected =
                    Files.readAllLines(policy.resolveSibling(name + ".ovs.expected.tsv"));
            assertEquals(expected.size(), seen.size(), name);
            assertTrue(seen.size() > 1, name + " has no packets");
            for (int i = 1; i < seen.size(); i++) {
                String[] want = expected.get(i).split("\t", -1);
                String[] got = seen.get(i).split("\t", -1);
                if (want[1].equals("-")) {
                    assertTrue(got[7].startsWith("dead-letter: "), seen.get(i));
                } else {
                    assertEquals(
                            want[1] + " " + want[2],
                            got[3] + " " + got[5],
                            name + " packet " + want[0]);
                }
            }
        }
    }

    @Test
    void everySharedCaptureGoesThroughTheCorridor() throws IOException {
        Path captures = SharedData.folder("captures");
        List<Path> files;
        try (Stream<Path> all = Files.list(captures.resolve("files"))) {
            files = all.sorted().toList();
        }
        List<Object> words =
                new ArrayList<>(
                        List.of(
                                "replay",
                                "--rules",
                                TestData.office("office.ovs"),
                                "--verdicts",
                                folder.resolve("all.tsv")));
        words.addAll(files);
        Sluice run = Sluice.run(words.toArray());
        assertEquals(1, run.status(), run.err());
        List<String> lines = Files.readAllLines(folder.resolve("all.tsv"));
        Set<String> cut = capturesCutWithinGzip(captures);
        int at = 1;
        int compared = 0;
        for (Path file : files) {
            List<String> truth =
                    SharedData.gzipLines(
                            captures.resolve("truth/" + file.getFileName() + ".tsv.gz"));
            int first = at;
            while (at < lines.size() && lines.get(at).startsWith(file + "\t")) {
                at++;
            }
            int packets = at - first;
            if (file.toString().endsWith(".zst")) {
                packets = 0; // the truth's reader does not unpack it
            } else if (cut.contains(file.getFileName().toString())) {
                packets = Math.min(packets, truth.size() - 1);
            } else {
                assertEquals(truth.size() - 1, packets, "packets of " + file);
            }
            for (int i = 0; i < packets; i++, compared++) {
                String[] want = truth.get(1 + i).split("\t", -1);
                String[] got = lines.get(first + i).split("\t", -1);
                assertEquals(want[0] + " " + want[1], got[1] + " " + got[2], file.toString());
                boolean unread = want[21].equals("unsupported-link");
                if (unread && !got[7].startsWith("dead-letter: unsupported-link")) {
                    continue; // the truth's reader knows fewer link types
                }
                boolean classified = want[21].equals("ok") || want[21].equals("not-ip");
                String status = unread ? "unsupported-link " + want[4] : want[21];
                assertEquals(
                        classified ? "classified" : "dead-letter: " + status,
                        got[7],
                        file + " packet " + want[0]);
            }
        }
        assertEquals(lines.size(), at, "verdicts on captures that were not asked for");
        assertTrue(compared > 10_000, "only " + compared + " packets were compared");
        words.set(0, "classify");
        words.set(4, folder.resolve("classify.tsv"));
        assertEquals(1, Sluice.run(words.toArray()).status());
        assertEquals(-1, Files.mismatch(folder.resolve("all.tsv"), folder.resolve("classify.tsv")));
    }

    /** Captures of which inflaters give more or fewer packets, as their manifest says. */
    private static Set<String> capturesCutWithinGzip(Path captures) throws IOException {
        Set<String> cut = new HashSet<>();
        for (String row : Files.readAllLines(captures.resolve("MANIFEST.tsv"))) {
            String[] cells = row.split("\t", -1);
            if (cells[3].equals("gz-truncated") || cells[3].equals("gz-corrupt")) {
                cut.add(cells[0]);
            }
        }
        assertFalse(cut.isEmpty(), "the manifest names no cut capture");
        return cut;
    }
}
