package dev.sluice.engine.cuda;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
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
        assertEquals(
                text,
                Files.exists(file) ? Files.readString(file) : "",
                file + " differs from the classes that it comes from; run src/main/cuda/headers");
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
