package dev.sluice.engine.testing;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.opentest4j.AssertionFailedError;
import org.opentest4j.TestAbortedException;

/** Tests without their oracle are skipped where that is said, and never on a build server. */
class OracleTest {
    @TempDir Path folder;

    @Test
    void onABuildServerTheOracleMustBeThere() throws Exception {
        String path = folder.resolve("none") + ":" + folder;
        for (String ci : new String[] {null, "", "false"}) {
            assertThrows(TestAbortedException.class, () -> Oracle.SWITCH.require(path, ci));
        }
        String told =
                assertThrows(AssertionFailedError.class, () -> Oracle.SWITCH.require(path, "true"))
                        .getMessage();
        assertTrue(told.contains("no ovs-ofctl on the path; install it with: "), told);
        assertTrue(Files.createFile(folder.resolve("ovs-ofctl")).toFile().setExecutable(true));
        Oracle.SWITCH.require(path, "true");
    }
}
