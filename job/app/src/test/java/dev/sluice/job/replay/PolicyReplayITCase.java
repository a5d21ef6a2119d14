package dev.sluice.job.replay;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sluice.job.Sluice;
import dev.sluice.job.page.PageData;
import dev.sluice.schemas.testing.TestData;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Policies of chains through a real broker and cluster: verdicts are those of classify. */
class PolicyReplayITCase {
    private static final Path CAPTURE = TestData.office("office.pcapng.gz");
    private static final Path HOST = TestData.inCheckout("test-data/iptables/host.save");

    @TempDir Path folder;

    private Path verdicts(String command, Object... options) {
        Path out = folder.resolve(command + Arrays.hashCode(options) + ".tsv");
        List<Object> words = new ArrayList<>(List.of(command, "--verdicts", out, CAPTURE));
        words.addAll(Arrays.asList(options));
        Sluice.ok(Sluice.run(words.toArray()));
        return out;
    }

    private static List<String[]> rows(Path verdicts) throws IOException {
        return Files.readAllLines(verdicts).stream().skip(1).map(l -> l.split("\t", -1)).toList();
    }

    private static Set<String> actions(Path verdicts) throws IOException {
        return cells(verdicts, 5);
    }

    private static Set<String> cells(Path verdicts, int column) throws IOException {
        return rows(verdicts).stream()
                .map(row -> row[column])
                .collect(Collectors.toCollection(TreeSet::new));
    }

    @Test
    void replayGivesTheVerdictsOfClassify() throws IOException {
        Object[] first = {"--rules", HOST + "#INPUT", "--assume", "new", "--in-interface", "eth0"};
        Path expected = verdicts("classify", first);
        assertEquals(Set.of("ACCEPT", "DROP", "depends", "not-judged"), actions(expected));
        assertEquals(Set.of("permit", "deny", "depends", "not-judged"), cells(expected, 9));
        assertEquals(Set.of("--hook INPUT --assume new --in-interface eth0"), cells(expected, 10));
        Path one = verdicts("replay", with(first, "--parallelism", 1));
        assertEquals(Files.readString(expected), Files.readString(one));

        Object[] any = {"--rules", HOST, "--hook", "FORWARD"};
        Path two = verdicts("replay", with(any, "--parallelism", 2, "--batch-size", 37));
        assertEquals(Files.readString(verdicts("classify", any)), Files.readString(two));
        assertTrue(actions(two).contains("depends"), "" + actions(two));
    }

    /** Its page has the same numbers, and the verdict file no more fields than are asked for. */
    @Test
    void replayWritesThePageOfClassify() throws IOException {
        Object[] first = {"--rules", HOST + "#INPUT", "--assume", "new", "--in-interface", "eth0"};
        Path expected = folder.resolve("classify.html");
        Path page = folder.resolve("replay.html");
        Path lines = verdicts("classify", with(first, "--report", expected));
        Path same = verdicts("replay", with(first, "--report", page));
        assertEquals(Files.readString(lines), Files.readString(same));
        assertEquals(PageData.read(expected), PageData.read(page));

        Object[] tracked = {
            TestData.office("office.pcapng.gz"),
            "--rules",
            TestData.office("office.save") + "#FORWARD",
            "--conntrack",
            "linux",
            "--json"
        };
        Sluice.ok(with(new Object[] {"classify"}, with(tracked, "--report", expected)));
        Sluice.ok(with(new Object[] {"replay"}, with(tracked, "--report", page)));
        assertTrue(PageData.read(page).toString().contains("Connections"));
        assertEquals(PageData.read(expected), PageData.read(page));
    }

    private static List<String> hits(String command, Object... options) throws IOException {
        List<Object> words = new ArrayList<>(List.of(command, "--json", CAPTURE));
        words.addAll(Arrays.asList(options));
        List<String> hits = new ArrayList<>();
        String out = Sluice.ok(Sluice.run(words.toArray())).out();
        for (JsonNode rule : new ObjectMapper().readTree(out).get("rules")) {
            hits.add(rule.get("rule") + " " + rule.get("packets") + " " + rule.get("bytes"));
        }
        return hits;
    }

    @Test
    void replayOfAClusterNamesAndCountsTheRuleOfEachStage() throws IOException {
        Path cluster = TestData.inCheckout("test-data/kubernetes/office.yaml");
        Path verdicts = folder.resolve("staged.tsv");
        Object[] rules = {"--rules", cluster, "--assume", "new"};
        assertEquals(hits("classify", rules), hits("replay", with(rules, "--verdicts", verdicts)));
        assertEquals(Files.readString(verdicts("classify", rules)), Files.readString(verdicts));
    }

    @Test
    void archiveGivesTheVerdictsOfClassify() throws IOException {
        Path cluster = TestData.inCheckout("test-data/kubernetes/office.yaml");
        Object[] first = {"--rules", cluster, "--assume", "new"};
        Path archive = verdicts("archive", first);
        try (Stream<Path> files = Files.list(archive)) {
            List<Path> written = files.filter(Files::isRegularFile).toList();
            assertEquals(1, written.size(), "" + written);
            assertEquals(
                    Files.readString(verdicts("classify", first)),
                    Files.readString(written.get(0)));
        }
    }

    @Test
    void eachPacketHasThePolicyOfItsTime() throws IOException {
        Path edited = folder.resolve("edited.save");
        List<String> lines = new ArrayList<>(Files.readAllLines(HOST));
        lines.add(0, "# a line more, another limit of ports, a jump less");
        lines.replaceAll(line -> line.replace("--dports 22,80,443,8000:8010", "--dports 22,443"));
        lines.removeIf(line -> line.startsWith("-A INPUT -m set --match-set admins"));
        Files.write(edited, lines);
        Object[] assumed = {"--assume", "new", "--in-interface", "eth0"};
        List<String[]> before =
                rows(verdicts("classify", with(assumed, "--rules", HOST + "#INPUT")));
        List<String[]> after =
                rows(verdicts("classify", with(assumed, "--rules", edited + "#INPUT")));
        long[] times = before.stream().mapToLong(row -> Long.parseLong(row[2])).sorted().toArray();
        long half = times[times.length / 2];
        Path history = folder.resolve("history");
        Files.write(history, List.of("0 " + HOST + "#INPUT", half + " " + edited + "#INPUT"));
        List<String[]> replayed =
                rows(
                        verdicts(
                                "replay",
                                with(
                                        assumed,
                                        "--rules-history",
                                        history,
                                        "--allowed-lateness",
                                        "1d")));
        int changed = 0;
        for (int i = 0; i < replayed.size(); i++) {
            String[] row = replayed.get(i);
            boolean first = Long.parseLong(row[2]) < half;
            String[] want = (first ? before : after).get(i);
            assertEquals(
                    List.of(want[3], want[4], want[5], first ? "1" : "2"),
                    List.of(row[3], row[4], row[5], row[6]),
                    "packet " + row[1]);
            changed += Arrays.equals(before.get(i), 5, 6, after.get(i), 5, 6) ? 0 : 1;
        }
        assertTrue(changed > 0, "the edit changes no verdict");
    }

    private static Object[] with(Object[] some, Object... more) {
        Object[] all = Arrays.copyOf(some, some.length + more.length);
        System.arraycopy(more, 0, all, some.length, more.length);
        return all;
    }
}
