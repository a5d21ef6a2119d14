package dev.sluice.job.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.Test;

class StartedProcessTest {
    @Test
    void aUsersOptionsAreWordsAsAShellHasThem() {
        assertEquals(List.of(), StartedProcess.words(null));
        assertEquals(List.of(), StartedProcess.words("  "));
        assertEquals(
                List.of("-Xlog:gc", "-XX:+UseZGC"),
                StartedProcess.words(" -Xlog:gc \t -XX:+UseZGC\n"));
    }
}
