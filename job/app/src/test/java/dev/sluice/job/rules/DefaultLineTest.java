package dev.sluice.job.rules;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.job.Sluice;
import dev.sluice.schemas.testing.TestData;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The default action of a list, which has no line, in the JSON of each command that names it. */
class DefaultLineTest {
    private static final Path CAPTURE = TestData.inCheckout("test-data/office/office.pcapng.gz");
    private static final Path RULES = TestData.inCheckout("test-data/office/office.ovs");

    @TempDir Path folder;

    @ParameterizedTest
    @ValueSource(
            strings = {
                "rules lint RULES --all --json",
                "rules diff --semantic RULES FEW --json",
                "whatif CAPTURE --rules RULES --rules FEW --json",
                "explain tcp_10.0.0.1:1_>_10.0.0.2:2 --rules FEW --json",
                "report CAPTURE --rules FEW --by rule --json",
                "rules hits CAPTURE --rules FEW --json",
            })
    void lineIsNull(String command) throws IOException {
        Path few = folder.resolve("few.ovs");
        Files.writeString(few, "priority=9,udp actions=output:1\n");
        String[] words = command.split(" ");
        for (int i = 0; i < words.length; i++) {
            words[i] =
                    switch (words[i]) {
                        case "RULES" -> RULES.toString();
                        case "FEW" -> few.toString();
                        case "CAPTURE" -> CAPTURE.toString();
                        default -> words[i].replace('_', ' ');
                    };
        }
        Sluice run = Sluice.run((Object[]) words);
        assertEquals(0, run.status(), run.err());
        assertTrue(run.out().contains("\"line\":null"), run.out());
        assertFalse(run.out().contains("\"line\":0,"), run.out());
    }
}
