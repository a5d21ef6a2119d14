package dev.sluice.lab;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.job.cli.CommandContribution;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.jar.JarFile;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * The jar for clusters carries nothing of the laboratory, and the laboratory's jar nothing else.
 */
class JarContentsITCase {
    private static final String LAB = "dev/sluice/lab/";
    private static final String SERVICE =
            "META-INF/services/" + CommandContribution.class.getName();

    private static final String LICENSE = "META-INF/LICENSE";

    /** A jar for clusters, or of the laboratory. */
    private static Path jar(String name) {
        return Path.of(name.equals("sluice-lab.jar") ? "target" : "../app/target", name);
    }

    /** Files of a jar that the build has just made. */
    private static List<String> files(String jar) throws IOException {
        try (JarFile file = new JarFile(jar(jar).toFile())) {
            return file.stream().filter(e -> !e.isDirectory()).map(e -> e.getName()).toList();
        }
    }

    @Test
    void theClusterJarHasTheJobAndNoLaboratory() throws IOException {
        List<String> files = files("sluice-job.jar");
        assertTrue(files.contains("dev/sluice/job/cli/JobMain.class"));
        assertTrue(files.stream().anyMatch(f -> f.startsWith("dev/sluice/engine/")));
        assertEquals(List.of(), files.stream().filter(f -> f.startsWith(LAB)).toList());
        assertFalse(files.contains(SERVICE));
        assertFalse(files.stream().anyMatch(f -> f.startsWith("org/HdrHistogram/")));
        assertFalse(files.stream().anyMatch(f -> f.startsWith("dev/sluice/engine/testing/")));
    }

    @Test
    void theLaboratorysJarHasItAloneAndEveryCommandThatItNames() throws IOException {
        List<String> files = files("sluice-lab.jar");
        List<String> others =
                files.stream()
                        .filter(f -> !f.startsWith(LAB) && !f.equals(SERVICE))
                        .filter(f -> !f.equals(JarFile.MANIFEST_NAME) && !f.equals(LICENSE))
                        .filter(f -> !f.startsWith("org/HdrHistogram/"))
                        .filter(f -> !f.matches("dev/sluice/(engine|schemas)/testing/.*"))
                        .filter(
                                f ->
                                        !f.matches(
                                                "dev/sluice/engine/(EngineSubject|lookup/FirstMatch|cuda/|gpu/).*"))
                        .toList();
        assertEquals(List.of(), others);
        List<String> commands;
        try (JarFile jar = new JarFile(jar("sluice-lab.jar").toFile())) {
            byte[] lines = jar.getInputStream(jar.getEntry(SERVICE)).readAllBytes();
            commands = new String(lines, StandardCharsets.UTF_8).lines().toList();
        }
        assertTrue(commands.size() >= 3, commands + " are the commands");
        for (String command : commands) {
            assertTrue(files.contains(command.replace('.', '/') + ".class"), command);
        }
    }

    @Test
    void theBrokersJarsStandBesideThemAndAreInNoOther() throws IOException {
        List<String> jars;
        try (Stream<Path> made = Files.list(Path.of("target/lib/broker-lib"))) {
            jars = made.map(f -> f.getFileName().toString()).toList();
        }
        assertEquals(1, jars.stream().filter(f -> f.startsWith("kafka_2.13-")).count(), "" + jars);
        assertEquals(1, jars.stream().filter(f -> f.startsWith("kafka-clients-")).count());
        assertEquals(1, jars.stream().filter(f -> f.startsWith("sluice-broker-")).count());
        assertEquals(List.of(), jars.stream().filter(f -> f.matches("(slf4j|log4j).*")).toList());
        assertThrows(ClassNotFoundException.class, () -> Class.forName("kafka.Kafka"));
        List<String> ofTheJob = files("sluice-job.jar");
        assertEquals(
                List.of(), ofTheJob.stream().filter(f -> f.startsWith("kafka/server/")).toList());
    }

    @Test
    void everyJarHasTheLicence() throws IOException {
        byte[] licence = Files.readAllBytes(Path.of("../../LICENSE"));
        for (Path jar :
                List.of(
                        jar("sluice-job.jar"),
                        module("job/policy/target"),
                        module("job/app/target"),
                        jar("sluice-lab.jar"),
                        module("schemas/target"),
                        module("gpu-udf/target"),
                        module("operators/target"),
                        module("job/lab/target/lib/broker-lib"))) {
            try (JarFile file = new JarFile(jar.toFile())) {
                assertArrayEquals(
                        licence,
                        file.getInputStream(file.getEntry(LICENSE)).readAllBytes(),
                        jar.toString());
            }
        }
        assertTrue(files("sluice-job.jar").contains("META-INF/NOTICE"));
    }

    /** The jar of a module that the build has just made. */
    private static Path module(String folder) throws IOException {
        try (Stream<Path> made = Files.list(Path.of("../..", folder))) {
            return made.filter(f -> f.getFileName().toString().matches("sluice-.*SNAPSHOT\\.jar"))
                    .findFirst()
                    .orElseThrow(() -> new AssertionError("the build made no jar in " + folder));
        }
    }
}
