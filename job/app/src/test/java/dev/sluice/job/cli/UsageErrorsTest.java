package dev.sluice.job.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.job.Sluice;
import dev.sluice.schemas.testing.TestData;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Slips of command lines about rules, each told in a line. */
class UsageErrorsTest {
    private static final Path SERVER = TestData.inCheckout("test-data/firewall/server.save");
    private static final Path CAPTURE = TestData.inCheckout("test-data/firewall/server.pcapng.gz");

    @TempDir Path folder;

    @Test
    void aRuleFileStandsAlone() {
        for (String command : List.of("show", "convert", "anonymize")) {
            Sluice run = Sluice.run("rules", command, "--rules", SERVER);
            assertEquals(2, run.status());
            String hint = "the rule file stands alone here, without --rules: sluice rules ";
            assertTrue(run.err().contains(hint + command + " FILE"), run.err());
        }
        Sluice job = Sluice.run("run", "--rules", SERVER);
        assertTrue(job.err().contains("by sluice rules publish --rules FILE"), job.err());
        Sluice other = Sluice.run("classify", CAPTURE, "--rules");
        assertFalse(other.err().contains("stands alone"), other.err());
    }

    @Test
    void aCaptureIsNoFileOfCases() {
        Sluice run = Sluice.run("rules", "test", CAPTURE, "--rules", SERVER);
        assertEquals(1, run.status());
        assertTrue(run.err().contains("binary data, such as a capture"), run.err());
    }

    @Test
    void anInterfaceThatNoRuleNamesIsToldAndNoFailure() throws IOException {
        Path names = Files.writeString(folder.resolve("names"), "eth0 lan7\nwlan0 lo\n");
        Sluice run =
                Sluice.ok(
                        "classify",
                        CAPTURE,
                        "--rules",
                        SERVER + "#INPUT",
                        "--out-interface",
                        "eht0",
                        "--interfaces",
                        names,
                        "--summary");
        List<String> told =
                run.err().lines().filter(line -> line.contains("no rule names")).toList();
        assertEquals(2, told.size(), run.err());
        assertTrue(told.get(0).endsWith("--out-interface eht0: no rule names it; rules name lo"));
        assertEquals("--interfaces: no rule names lan7", told.get(1));
    }
}
