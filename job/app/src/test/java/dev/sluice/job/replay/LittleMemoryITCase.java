package dev.sluice.job.replay;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.job.cli.Main;
import dev.sluice.schemas.testing.TestData;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A process with less memory than an embedded cluster takes. */
@Timeout(120)
class LittleMemoryITCase {
    @TempDir Path folder;

    @Test
    void anEmbeddedClusterThatCannotStartSaysSoAndTheCommandEnds() throws Exception {
        Path log = folder.resolve("log");
        Process replay =
                new ProcessBuilder(
                                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                                "-Xmx500m",
                                "-XX:MaxDirectMemorySize=64m",
                                "--add-opens=java.base/java.util=ALL-UNNAMED",
                                "--add-opens=java.base/java.lang=ALL-UNNAMED",
                                "-Dlog4j2.configurationFile=../deploy/conf/log4j2-cli.properties",
                                "-Djava.io.tmpdir=" + folder,
                                "-cp",
                                System.getProperty("java.class.path"),
                                Main.class.getName(),
                                "replay",
                                TestData.office("office.pcapng.gz").toString(),
                                "--rules",
                                TestData.office("office.ovs").toString())
                        .redirectErrorStream(true)
                        .redirectOutput(log.toFile())
                        .start();
        try {
            int status = replay.waitFor();
            String said = Files.readString(log);
            assertEquals(1, status, said);
            assertTrue(
                    said.contains(
                            "sluice: the embedded Flink cluster does not start: the process lacks memory (its network buffers need 128"),
                    said);
        } finally {
            replay.destroyForcibly();
        }
    }
}
