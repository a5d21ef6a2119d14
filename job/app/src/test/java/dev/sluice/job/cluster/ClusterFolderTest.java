package dev.sluice.job.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.job.UsageException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Whose a folder is in which a cluster is to start. */
class ClusterFolderTest {
    @TempDir private Path directory;

    private static List<Path> all(Path folder) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            return files.sorted().toList();
        }
    }

    private void assertRefused() throws IOException {
        List<Path> before = all(directory);
        UsageException refused =
                assertThrows(UsageException.class, () -> ClusterFolder.make(directory));
        assertEquals(
                "--cluster %s is a folder with other files; name a new folder, as in --cluster %s"
                        .formatted(directory, directory.resolve("sluice-cluster")),
                refused.getMessage());
        assertEquals(before, all(directory), "something was made, or deleted");
    }

    @Test
    void filesOfOthersAreLeftAlone() throws IOException {
        Path mine = Files.createDirectories(directory.resolve("tmp")).resolve("mine");
        Files.writeString(mine, "mine");
        Path config = Files.createDirectories(directory.resolve("conf")).resolve("config.yaml");
        Files.writeString(config, "mine");
        assertRefused();
        assertEquals("mine", Files.readString(mine));
        assertEquals("mine", Files.readString(config));
    }

    @Test
    void aHiddenFileOrAStateThatIsNoneMakesNoCluster() throws IOException {
        Path hidden = Files.createFile(directory.resolve(".hidden"));
        assertRefused();
        Files.delete(hidden);
        Files.writeString(directory.resolve("cluster.json"), "{\"a\":1}");
        assertRefused();
    }

    @Test
    void aFolderThatIsEmptyIsTakenAndStaysTheClusters() throws IOException {
        ClusterFolder.make(directory);
        assertTrue(Files.exists(directory.resolve("cluster.lock")));
        Files.writeString(directory.resolve("broker"), "topics");
        ClusterFolder.make(directory);
    }

    @Test
    void aStartBesideOneThatHoldsTheLockDoesNotGiveItBack() throws InterruptedException {
        ClusterFolder folder = ClusterFolder.make(directory);
        assertEquals(
                "refused",
                folder.alone(
                        () -> {
                            ClusterFolder other = ClusterFolder.make(directory);
                            assertThrows(RuntimeException.class, () -> other.alone(() -> ""));
                            return "refused";
                        }));
    }
}
