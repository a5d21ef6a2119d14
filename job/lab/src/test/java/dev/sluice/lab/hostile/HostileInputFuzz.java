package dev.sluice.lab.hostile;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * What Jazzer calls, in a process of its own ({@link FuzzProcess}): one of the readers, which the
 * process is told when it starts. Methods and class are found by their names.
 */
public final class HostileInputFuzz {
    /** Names the folder of good inputs. */
    static final String SEEDS = "sluice.test.fuzz.seeds";

    /**
     * Good inputs that are read before the time begins: by then the reader's classes are loaded.
     */
    private static final int WARM = 5;

    private static HostileTarget target;

    private HostileInputFuzz() {}

    /** Takes the name of a reader. */
    public static void fuzzerInitialize(String[] arguments) throws Exception {
        target = HostileTarget.ofLabel(arguments[0]);
        for (Path seed : someSeeds()) {
            target.read(Files.readAllBytes(seed));
        }
    }

    private static List<Path> someSeeds() throws IOException {
        try (Stream<Path> files = Files.list(Path.of(System.getProperty(SEEDS)))) {
            return files.sorted().limit(WARM).toList();
        }
    }

    /** Has it read an input. */
    public static void fuzzerTestOneInput(byte[] input) throws Exception {
        target.read(input);
    }
}
