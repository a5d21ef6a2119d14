package dev.sluice.lab.kit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LabProcessTest {
    @TempDir private Path directory;

    /** Prints two lines in one write, so that a kill cannot come between them, and stays. */
    static final class Printer {
        private Printer() {}

        /** The process. */
        public static void main(String[] arguments) throws IOException {
            System.out.print("one\ntwo\n");
            System.in.read();
        }
    }

    @Test
    void linesPrintedBeforeTheKillAreReadBehindIt() throws Exception {
        try (LabProcess process =
                new LabProcess(
                        "a printer",
                        directory.resolve("log"),
                        null,
                        List.of(),
                        Printer.class,
                        List.of())) {
            assertEquals("one", process.readLine());
            process.kill();
            assertFalse(process.runs());
            assertEquals("two", process.readLine());
            assertNull(process.readLine());
        }
    }
}
