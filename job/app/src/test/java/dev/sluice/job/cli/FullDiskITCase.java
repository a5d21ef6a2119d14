package dev.sluice.job.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.sluice.job.Sluice;
import dev.sluice.job.kafka.EmbeddedBroker;
import dev.sluice.policy.io.DiskSpace;
import dev.sluice.schemas.testing.TestData;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What commands say whose disk is full: a small file system in memory, for each test anew. */
@Timeout(120)
class FullDiskITCase {
    @TempDir private Path folder;

    private Path disk;

    private void mount(String size) throws Exception {
        Path made = Files.createDirectories(folder.resolve("disk"));
        int status;
        try {
            status = end("mount", "-t", "tmpfs", "-o", "size=" + size, "tmpfs", made.toString());
        } catch (IOException e) {
            status = -1; // there is no such program
        }
        assumeTrue(status == 0, "to make a small disk takes root and mount");
        disk = made;
    }

    private static int end(String... words) throws IOException, InterruptedException {
        return new ProcessBuilder(words)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start()
                .waitFor();
    }

    @AfterEach
    void unmount() throws Exception {
        if (disk != null) {
            end("umount", "-l", disk.toString());
        }
    }

    /** A file that takes all of the disk but some. */
    private Path fill(long leftBytes) throws IOException {
        Path filler = disk.resolve("filler");
        byte[] block = new byte[1 << 12];
        try (var out = Files.newOutputStream(filler)) {
            while (disk.toFile().getUsableSpace() > leftBytes) {
                out.write(block);
            }
        } catch (IOException e) {
            assertTrue(DiskSpace.isFull(e), e.toString()); // others write, too
        }
        return filler;
    }

    @Test
    void aBrokerEndsInGoodOrderBeforeItsDiskIsFull() throws Exception {
        mount("100m");
        Path data = disk.resolve("data");
        Sluice.Running broker = new Sluice.Running("broker", "--data", data, "--port", 0);
        broker.await(() -> broker.out().contains("sluice verdicts --follow"));
        fill(30 << 20);
        Sluice ended = broker.end();
        assertEquals(1, ended.status(), ended.err());
        assertEquals(2, ended.err().lines().count(), ended.err());
        assertTrue(
                ended.err()
                        .contains("sluice: no space left for the broker's data: " + data + " has "),
                ended.err());
        assertTrue(ended.err().contains("a larger disk with --data"), ended.err());
        Sluice again = Sluice.run("broker", "--data", data, "--port", 0);
        assertEquals(1, again.status(), again.err());
        assertEquals(1, again.err().lines().count(), again.err());
    }

    @Test
    void aClusterIsNotStartedOnAFullDisk() throws Exception {
        mount("20m");
        Sluice up = Sluice.run("cluster", "up", "--cluster", disk.resolve("c"));
        assertEquals(1, up.status(), up.out());
        assertEquals(1, up.err().lines().count(), up.err());
        assertTrue(up.err().startsWith("sluice: no space left for the cluster: " + disk), up.err());
    }

    @Test
    void theFolderOfVerdictsIsNamedAndNothingUnfinishedStaysThere() throws Exception {
        mount("1m");
        Path verdicts = disk.resolve("verdicts");
        List<Object> words = new ArrayList<>(List.of("archive", "--verdicts", verdicts));
        words.addAll(List.of("--rules", TestData.office("office.ovs"), "--parallelism", 1));
        Path capture = TestData.office("office.pcapng.gz");
        Path captures = Files.createDirectories(folder.resolve("captures"));
        for (int i = 0; i < 30; i++) {
            Files.createSymbolicLink(captures.resolve(i + ".pcapng.gz"), capture);
        }
        words.add(captures + "/*");
        Sluice run = Sluice.run(words.toArray());
        assertEquals(1, run.status(), run.err());
        assertTrue(
                run.err()
                        .contains(
                                "sluice: no space left in %s (0 MiB free); free some, or name a folder on a larger disk"
                                        .formatted(verdicts)),
                run.err());
        assertTrue(run.err().lines().allMatch(line -> line.startsWith("sluice: ")), run.err());
        try (Stream<Path> files = Files.walk(verdicts)) {
            assertEquals(
                    List.of(), files.filter(f -> f.toString().contains("inprogress")).toList());
        }
        assertTrue(disk.toFile().getUsableSpace() > 0);
    }

    @Test
    void theFolderOfCheckpointsIsNamedAndTheJobGoesOnOnceThereIsRoom() throws Exception {
        mount("100m");
        Path kafka = Files.createDirectories(folder.resolve("kafka"));
        try (EmbeddedBroker broker = EmbeddedBroker.start(kafka, 0)) {
            String at = broker.bootstrap();
            Path rules = TestData.office("office.ovs");
            assertEquals(
                    0,
                    Sluice.run("rules", "publish", "--rules", rules, "--bootstrap", at).status());
            Object[] words = {
                "run",
                "--bootstrap",
                at,
                "--create-topics",
                "--checkpoints",
                disk.resolve("checkpoints"),
                "--checkpoint-interval",
                200,
                "--status-every",
                "1s"
            };
            try (Sluice.Running run = new Sluice.Running(words)) {
                run.await(() -> run.err().contains("checkpoint "));
                Path filler = fill(0);
                Path capture = TestData.office("office.pcapng.gz");
                assertEquals(0, Sluice.run("export", capture, "--bootstrap", at).status());
                run.await(
                        () ->
                                run.err()
                                        .contains(
                                                "no space left in %s (0 MiB free): nothing is committed"
                                                        .formatted(disk.resolve("checkpoints"))));
                Files.delete(filler);
                run.await(
                        () ->
                                Sluice.run("verdicts", "--bootstrap", at).out().lines().count()
                                        == 1_058);
                assertTrue(
                        run.err().lines().allMatch(line -> line.startsWith("sluice: ")), run.err());
            }
        }
    }
}
