package dev.sluice.engine.cuda;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * The headers that are generated for the CUDA sources say what the classes say that they come from.
 * With {@code -Dsluice.headers.write=true}, as {@code src/main/cuda/headers} runs it, writes them.
 */
class CudaHeadersTest {
    private static final Path SOURCES = Path.of("src/main/cuda");

    private static void assertUpToDate(String name, String text) throws IOException {
        Path file = SOURCES.resolve(name);
        if (Boolean.getBoolean("sluice.headers.write")) {
            Files.writeString(file, text);
        }
        List<String> lines = Files.exists(file) ? Files.readAllLines(file) : List.of();
        List<String> expected = text.lines().toList();
        for (int l = 0; l < Math.max(lines.size(), expected.size()); l++) {
            int line = l;
            assertEquals(
                    l < expected.size() ? expected.get(l) : "the end",
                    l < lines.size() ? lines.get(l) : "the end",
                    () ->
                            "%s:%d differs from the class that it comes from; run src/main/cuda/headers, then src/main/cuda/build"
                                    .formatted(file, line + 1));
        }
    }

    @Test
    void layoutsAreThoseOfTheLayoutClasses() throws IOException {
        assertUpToDate("layouts.cuh", LayoutHeader.text());
    }

    @Test
    void lookUpsAreThoseOfTheRegistry() throws IOException {
        assertUpToDate("algorithms.cuh", AlgorithmsHeader.text(AlgorithmsHeader.packed()));
    }
}
