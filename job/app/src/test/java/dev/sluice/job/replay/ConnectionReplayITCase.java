package dev.sluice.job.replay;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.job.Sluice;
import dev.sluice.job.connections.FlowCaptures;
import dev.sluice.schemas.testing.TestData;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Connections through a real broker and cluster: verdicts and states are those of classify. */
class ConnectionReplayITCase {
    private static final Path OFFICE = TestData.office("office.pcapng.gz");

    @TempDir Path folder;

    /** Output of the last command. */
    private String printed = "";

    private String verdicts(String command, Object rules, Object... options) throws IOException {
        Path out = folder.resolve(command + Arrays.hashCode(options) + ".tsv");
        List<Object> words = new ArrayList<>(List.of(command, "--verdicts", out));
        words.addAll(Arrays.asList(options));
        words.addAll(List.of("--rules", rules + "#FORWARD", "--conntrack", "linux"));
        printed = Sluice.ok(Sluice.run(words.toArray())).out();
        return Files.readString(out);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3})
    void atAnyParallelism(int parallelism) throws IOException {
        Path rules = TestData.office("office.save");
        Object[] job = {OFFICE, "--parallelism", parallelism, "--batch-size", 37 * parallelism};
        String expected = verdicts("classify", rules, OFFICE);
        requireCounts();
        assertEquals(expected, verdicts("replay", rules, job));
        requireCounts();
        assertTrue(expected.lines().anyMatch(line -> line.endsWith("\trelated")));
    }

    @Test
    void rulesThatChangeJudgeOpenConnectionsAnew() throws IOException {
        String rules = Files.readString(TestData.office("office.save"));
        Files.writeString(folder.resolve("one.save"), rules);
        Files.writeString(folder.resolve("two.save"), rules.replace("22,80,5201", "80"));
        Path history = folder.resolve("history.txt");
        Files.writeString(history, "0 one.save#FORWARD\n2026-11-21T04:53:07Z two.save#FORWARD\n");
        String plain = replay(history, 1);
        assertTrue(!printed.contains("judged anew"), printed);
        String anew = replay(history, 1, "--reevaluate");
        assertTrue(printed.contains(" judged anew when rules changed, 1 of them refused"), printed);
        assertEquals(anew, replay(history, 3, "--reevaluate"));
        assertTrue(denied(anew) > denied(plain), denied(anew) + " of " + denied(plain));
    }

    private String replay(Path history, int parallelism, Object... options) throws IOException {
        Path out = folder.resolve("history.tsv");
        List<Object> words = new ArrayList<>(List.of("replay", OFFICE, "--verdicts", out));
        words.addAll(List.of("--rules-history", history, "--parallelism", parallelism));
        words.addAll(List.of("--conntrack", "linux"));
        words.addAll(Arrays.asList(options));
        printed = Sluice.ok(Sluice.run(words.toArray())).out();
        return Files.readString(out);
    }

    private static long denied(String verdicts) {
        return verdicts.lines().filter(line -> line.contains("\tdeny\t")).count();
    }

    private void requireCounts() {
        assertTrue(
                printed.contains(
                        "connections: 27 opened, 0 of them picked up in the middle; 23 live at the end; 663 first packets refused\n"),
                printed);
    }

    @Test
    void windowsOfTcp() throws IOException {
        Path rules = FlowCaptures.policy(folder);
        Path capture = FlowCaptures.windows(folder, 8, 300);
        String expected = verdicts("classify", rules, capture, "--tcp-windows");
        Object[] job = {capture, "--tcp-windows", "--parallelism", 2};
        assertEquals(expected, verdicts("replay", rules, job));
        assertFalse(printed.contains("without sequence numbers"), printed);
        assertNotEquals(expected, verdicts("classify", rules, capture));
    }

    @Test
    void connectionsGoOnFromOneCaptureToTheNext() throws IOException {
        Path rules = FlowCaptures.policy(folder);
        List<Object> captures = new ArrayList<>(FlowCaptures.write(folder, 7, 300, 3));
        String expected = verdicts("classify", rules, captures.toArray());
        captures.addAll(List.of("--conntrack-timeout", "udp_timeout=60", "--parallelism", 3));
        assertEquals(expected, verdicts("replay", rules, captures.toArray()));
        for (String state : List.of("new", "established", "related", "invalid")) {
            assertTrue(expected.lines().anyMatch(line -> line.endsWith("\t" + state)), state);
        }
    }
}
