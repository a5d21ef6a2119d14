package dev.sluice.engine.gpu;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.engine.cuda.AlgorithmsHeader;
import dev.sluice.engine.gpu.launch.KernelCatalog;
import dev.sluice.engine.lookup.Algorithm;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The compiled kernels belong to their sources. */
class KernelsTest {
    private static final Path SOURCES = Path.of("src/main/cuda");

    private static String ptx(String name) throws Exception {
        try (InputStream in = GpuPool.class.getResourceAsStream(name)) {
            assertNotNull(in, name + " is missing; run src/main/cuda/build");
            return new String(in.readAllBytes(), StandardCharsets.US_ASCII);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"kernels.ptx", "counted.ptx"})
    void ptxWasBuiltFromTheSources(String name) throws Exception {
        List<Path> sources = new ArrayList<>(List.of(SOURCES.resolve("kernels.cu")));
        try (Stream<Path> all = Files.list(SOURCES)) {
            all.filter(p -> p.toString().endsWith(".cuh")).sorted().forEach(sources::add);
        }
        MessageDigest digest = MessageDigest.getInstance("SHA-256");
        for (Path source : sources) {
            for (String line : Files.readAllLines(source)) {
                if (!line.stripLeading().startsWith("//")) {
                    digest.update((line + "\n").getBytes(StandardCharsets.UTF_8));
                }
            }
        }
        String mark = HexFormat.of().formatHex(digest.digest());
        assertEquals(
                "// sources " + mark,
                ptx(name).lines().findFirst().orElse(""),
                "the kernels' sources have changed; run gpu-udf/src/main/cuda/build");
    }

    @ParameterizedTest
    @ValueSource(strings = {"kernels.ptx", "counted.ptx"})
    void ptxRunsOnEveryChipAndDriverThatIsPromised(String name) throws Exception {
        String text = ptx(name);
        assertTrue(text.contains("\n.version 7.5\n"), "drivers from 470 on take PTX 7.5");
        assertTrue(text.contains("\n.target sm_75\n"), "every chip from Turing on runs sm_75");
    }

    @Test
    void everyAlgorithmHasItsKernels() throws Exception {
        String text = ptx("kernels.ptx");
        for (Algorithm algorithm : AlgorithmsHeader.packed()) {
            for (String kernel : KernelCatalog.names(algorithm)) {
                assertTrue(text.contains(".entry " + kernel + "("), kernel);
                String resident = KernelCatalog.resident(kernel);
                assertTrue(resident == null || text.contains(".entry " + resident + "("));
            }
        }
    }
}
