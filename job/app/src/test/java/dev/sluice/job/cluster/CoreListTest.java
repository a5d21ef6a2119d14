package dev.sluice.job.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.sluice.job.UsageException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CoreListTest {
    @Test
    void aListStandsBeforeTheCommand() {
        assumeTrue(Files.isExecutable(Path.of("/usr/bin/taskset")), "this system has no taskset");
        assertEquals(List.of("/usr/bin/taskset", "-c", "0-3,8"), CoreList.parse("0-3,8").words());
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "a", "1-", "-1", "1,,2", "1;reboot", "1 2"})
    void whatIsNoListIsRefused(String text) {
        String said = assertThrows(UsageException.class, () -> CoreList.parse(text)).getMessage();
        assertEquals("'%s' is no list of cores; write one such as 0-3,8".formatted(text), said);
    }
}
