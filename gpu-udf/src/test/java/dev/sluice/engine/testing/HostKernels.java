package dev.sluice.engine.testing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.engine.cuda.AlgorithmsHeader;
import dev.sluice.engine.image.Image;
import dev.sluice.engine.lookup.Algorithm;
import dev.sluice.engine.lookup.Kernel;
import dev.sluice.schemas.testing.TestData;
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

/**
 * The kernels' code compiled for the CPU, as a program; {@link Oracle#COMPILER} compiles it.
 *
 * <p>Not thread-safe: one run at a time.
 */
public final class HostKernels {
    /** Folder of the module gpu-udf. */
    private static final Path MODULE = TestData.inCheckout("gpu-udf");

    private static final Path SOURCES = MODULE.resolve("src/main/cuda");

    /** A folder of its own for each process of tests that Surefire starts beside another. */
    private static final Path FOLDER =
            Path.of("target/host-kernels-" + System.getProperty("sluice.test.fork", "0"));

    /** Look-ups of algorithms that only the tests have. */
    private static final Path MORE_SOURCES = MODULE.resolve("src/test/cuda");

    private static HostKernels shared;

    private final Path folder;
    private final Path program;

    /**
     * Compiles the sources into a folder.
     *
     * @param algorithms those whose look-ups are compiled
     */
    private HostKernels(Path folder, List<Algorithm> algorithms) throws Exception {
        Oracle.COMPILER.require();
        this.folder = folder;
        this.program = folder.resolve("host");
        Files.createDirectories(folder);
        // Comes before the engine's own list of look-ups.
        Files.writeString(folder.resolve("algorithms.cuh"), AlgorithmsHeader.text(algorithms));
        List<String> command =
                new ArrayList<>(
                        List.of(
                                "g++",
                                "-std=c++17",
                                "-O1",
                                "-fsanitize=undefined",
                                "-fno-sanitize-recover=shift-base"));
        for (Path headers : List.of(folder, SOURCES, MORE_SOURCES)) {
            command.add("-I" + headers);
        }
        command.addAll(List.of("-o", program.toString(), SOURCES.resolve("host.cpp").toString()));
        Process compiler = start(command);
        String log = new String(compiler.getInputStream().readAllBytes());
        assertEquals(0, compiler.waitFor(), log);
    }

    /**
     * The look-ups of all algorithms of the registry, compiled once for all tests that run in this
     * process.
     */
    public static synchronized HostKernels shared() throws Exception {
        if (shared == null) {
            shared = new HostKernels(FOLDER, Algorithm.all());
        }
        return shared;
    }

    private static Process start(List<String> command) throws IOException {
        return new ProcessBuilder(command).redirectErrorStream(true).start();
    }

    /**
     * A kernel's look-up of an image.
     *
     * @throws Subject.NotServed if the kernel cannot read the image
     */
    public Subject.LookUp in(Image image, Kernel kernel) {
        int[] parameters = kernel.parameters().apply(image);
        if (parameters == null) {
            throw new Subject.NotServed(kernel.name() + " does not read the image");
        }
        return in(image, parameters, kernel.name());
    }

    /**
     * The look-up of an image.
     *
     * @param parameters the record that the kernel takes beside the image, empty for plain kernels
     */
    public Subject.LookUp in(Image image, int[] parameters, String label) {
        return headers -> {
            int size = image.layout().size();
            int count = headers.size();
            ByteBuffer in = words(3 + image.words().length + parameters.length + size * count);
            IntBuffer to = in.asIntBuffer();
            to.put(image.words().length).put(image.words());
            to.put(parameters.length).put(parameters);
            to.put(count);
            for (int p = 0; p < size; p++) {
                for (int[] header : headers) {
                    to.put(header[image.layout().word(p)]);
                }
            }
            int[] verdicts = new int[count];
            run(in, label).get(verdicts);
            return verdicts;
        };
    }

    /** Room for words as the program reads them. */
    public static ByteBuffer words(int count) {
        return ByteBuffer.allocate(4 * count).order(ByteOrder.nativeOrder());
    }

    /** Runs the program with words as its input; returns those of its output. */
    public IntBuffer run(ByteBuffer in, String story, String... arguments) throws Exception {
        File input = folder.resolve("input").toFile();
        Files.write(input.toPath(), in.array());
        List<String> command = new ArrayList<>(List.of(program.toAbsolutePath().toString()));
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
