package dev.sluice.schemas.testing;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.zip.GZIPInputStream;

/** Test data that lies beside a developer's checkout and that users do not have. */
public final class SharedData {
    private SharedData() {}

    /** A folder of the shared data; the test is skipped where it is absent. */
    public static Path folder(String name) {
        Path here = Path.of("").toAbsolutePath();
        for (Path at = here; at != null; at = at.getParent()) {
            Path candidate = at.resolve("shared/data").resolve(name);
            if (Files.isDirectory(candidate)) {
                return candidate;
            }
        }
        assumeTrue(
                false, "skipped: the shared test data '" + name + "' is not beside this checkout");
        throw new AssertionError("unreachable");
    }

    /** Lines of a gzip'd text. */
    public static List<String> gzipLines(Path file) {
        try (BufferedReader in =
                new BufferedReader(
                        new InputStreamReader(
                                new GZIPInputStream(Files.newInputStream(file)),
                                StandardCharsets.UTF_8))) {
            return in.lines().toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
