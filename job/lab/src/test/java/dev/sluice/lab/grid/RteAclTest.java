package dev.sluice.lab.grid;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sluice.policy.io.SluiceException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is read of a program that measures rte_acl. */
class RteAclTest {
    private static final String SLOW =
            "rte_acl-avx2-b256,set,10,200,1.5,1.4,1.6,0.25,3.5,9.9,,2,,,,";
    private static final String FAST =
            "rte_acl-avx512x32-b256,set,10,200,2.5,2.4,2.6,0.25,3.5,9.9,,3,,,,";

    @TempDir Path folder;

    @Test
    void theFastestFormCountsAndTheWrongAnswersOfAll() {
        ObjectNode found =
                RteAcl.parse(List.of("EAL: a message", SLOW, FAST), 0, List.of("no alg"));
        assertEquals("rte_acl-avx512x32-b256", found.path("rteAclForm").asText());
        assertEquals(2.5, found.path("rteAclMpps").asDouble());
        assertEquals(0.25, found.path("rteAclBuildSeconds").asDouble());
        assertEquals(3.5, found.path("rteAclMegabytes").asDouble());
        assertEquals(5, found.path("rteAclWrong").asLong());
    }

    @Test
    void aSetThatIsNotBuiltIsNoRateOfZero() {
        List<String> failed = List.of("rte_acl,set,10,200,BUILD_FAILED rc=-12,,,1.25,3.5,9.9,,");
        assertEquals("BUILD_FAILED rc=-12", failure(RteAcl.parse(failed, 1, List.of())));
        assertEquals(
                "status 2: add 7: -22",
                failure(RteAcl.parse(List.of(), 2, List.of("EAL", "add 7: -22"))));
        assertEquals(
                "status 139: nothing printed", failure(RteAcl.parse(List.of(), 139, List.of())));
    }

    @Test
    void whatIsNoNumberIsNamed() {
        SluiceException e =
                assertThrows(
                        SluiceException.class,
                        () -> RteAcl.parse(List.of(SLOW.replace("1.5", "fast")), 0, List.of()));
        assertTrue(String.valueOf(e.getMessage()).contains("fast"), e.getMessage());
    }

    @Test
    void theProgramGetsItsFilesAndTheName() throws Exception {
        Path program =
                script("cat $1 $2 $3 >&2\necho " + SLOW.replace("set", "$4").replace("1.5", "7.5"));
        List<Path> files = List.of(folder.resolve("r"), folder.resolve("t"), folder.resolve("a"));
        for (Path file : files) {
            Files.writeString(file, String.valueOf(file.getFileName()) + "\n");
        }
        ObjectNode result =
                new RteAcl(program, Duration.ofMinutes(1))
                        .run(files.get(0), files.get(1), files.get(2), "zones_1", folder);
        assertEquals(7.5, result.path("rteAclMpps").asDouble(), result.toString());
        assertEquals(List.of("r", "t", "a"), Files.readAllLines(folder.resolve("rte_acl.err")));
    }

    @Test
    void aProgramThatDoesNotEndIsEnded() throws Exception {
        Path program = script("exec sleep 600");
        ObjectNode result =
                new RteAcl(program, Duration.ofSeconds(1))
                        .run(program, program, program, "set", folder);
        assertEquals("not done after 1 s", failure(result));
    }

    @Test
    void aProgramThatIsNotThereIsNamed() {
        Path program = folder.resolve("absent");
        RteAcl rteAcl = new RteAcl(program, Duration.ofSeconds(1));
        SluiceException e =
                assertThrows(
                        SluiceException.class,
                        () -> rteAcl.run(program, program, program, "set", folder));
        assertTrue(String.valueOf(e.getMessage()).contains("--rte-acl"), e.getMessage());
    }

    private static String failure(ObjectNode record) {
        return record.path("rteAclFailure").asText();
    }

    private Path script(String body) throws Exception {
        return executable(folder.resolve("program"), body);
    }

    static Path executable(Path file, String body) throws Exception {
        Files.writeString(file, "#!/bin/sh\n" + body + "\n");
        return Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwx------"));
    }
}
