package dev.sluice.job.replay;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.job.Sluice;
import dev.sluice.schemas.testing.TestData;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Connections through a real broker and cluster: verdicts and states are those of classify. */
class ConnectionReplayITCase {
    private static final Path OFFICE = TestData.office("office.pcapng.gz");

    @TempDir Path folder;

    private String verdicts(String command, Object... options) throws IOException {
        Path out = folder.resolve(command + Arrays.hashCode(options) + ".tsv");
        List<Object> words = new ArrayList<>(List.of(command, "--verdicts", out));
        words.addAll(Arrays.asList(options));
        words.addAll(List.of("--rules", TestData.office("office.save") + "#FORWARD"));
        words.addAll(List.of("--conntrack", "linux"));
        Sluice.ok(Sluice.run(words.toArray()));
        return Files.readString(out);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3})
    void atAnyParallelism(int parallelism) throws IOException {
        String expected = verdicts("classify", OFFICE);
        assertEquals(
                expected,
                verdicts(
                        "replay",
                        OFFICE,
                        "--parallelism",
                        parallelism,
                        "--batch-size",
                        37 * parallelism));
        assertTrue(expected.lines().anyMatch(line -> line.endsWith("\trelated")));
    }
}
