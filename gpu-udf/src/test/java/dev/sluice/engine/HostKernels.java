package dev.sluice.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.IntBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** The kernels' code compiled for the CPU, as a program. Tests skip where there is no g++. */
public final class HostKernels {
    private static final Path SOURCES = Path.of("src/main/cuda");

    private final Path folder;
    private final Path program;

    /** Compiles it into a folder. */
    public HostKernels(Path folder) throws Exception {
        this.folder = folder;
        this.program = folder.resolve("host");
        Process compiler = null;
        try {
            compiler =
                    new ProcessBuilder(
                                    "g++",
                                    "-std=c++17",
                                    "-O1",
                                    "-fsanitize=undefined",
                                    "-fno-sanitize-recover=shift-base",
                                    "-o",
                                    program.toString(),
                                    SOURCES.resolve("host.cpp").toString())
                            .redirectErrorStream(true)
                            .start();
        } catch (IOException e) {
            assumeTrue(false, "no g++ on the path: the kernels' code is not run on the CPU");
        }
        if (compiler != null) {
            String log = new String(compiler.getInputStream().readAllBytes());
            assertEquals(0, compiler.waitFor(), log);
        }
    }

    /** Runs the program with words as its input; returns those of its output. */
    public IntBuffer run(ByteBuffer in, String story, String... arguments) throws Exception {
        File input = folder.resolve("input").toFile();
        Files.write(input.toPath(), in.array());
        List<String> command = new ArrayList<>(List.of(program.toString()));
        command.addAll(List.of(arguments));
        Process process =
                new ProcessBuilder(command)
                        .redirectInput(input)
                        .redirectError(folder.resolve("errors").toFile())
                        .start();
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        process.getInputStream().transferTo(out);
        assertTrue(process.waitFor(20, TimeUnit.SECONDS), () -> story + " hangs");
        String errors = Files.readString(folder.resolve("errors"));
        assertEquals("", errors, story);
        assertEquals(0, process.exitValue(), story);
        return ByteBuffer.wrap(out.toByteArray()).order(ByteOrder.nativeOrder()).asIntBuffer();
    }
}
