package dev.sluice.job.lab.soak;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sluice.job.JsonPage;
import dev.sluice.job.Sluice;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(400)
class SoakCommandITCase {
    /** One of each kind; the plan says so below. */
    private static final int KILLS = 5;

    @TempDir private Path directory;

    /** A seed whose first two bursts have so many faults, of all kinds. */
    private static long seed() {
        long seed = 1;
        while (!kinds(seed).equals(EnumSet.allOf(Fault.class))) {
            seed++;
        }
        return seed;
    }

    private static Set<Fault> kinds(long seed) {
        List<Fault> faults =
                Stream.generate(new FaultPlan(seed)::next)
                        .limit(2)
                        .flatMap(List::stream)
                        .map(FaultPlan.Planned::fault)
                        .toList();
        return faults.size() == KILLS ? EnumSet.copyOf(faults) : Set.of();
    }

    @Test
    void eachPacketHasOneRightVerdictWhateverIsKilled() throws Exception {
        Path folder = directory.resolve("soak");
        Sluice run =
                Sluice.run(
                        "soak",
                        "--minutes",
                        6,
                        "--kills",
                        KILLS,
                        "--seed",
                        seed(),
                        "--rate",
                        5_000,
                        "--cluster",
                        folder,
                        "--json");
        assertEquals(0, run.status(), run.out() + run.err());
        JsonPage.assertTells("soak", run.out(), "misses");
        JsonNode found = new ObjectMapper().readTree(run.out());
        for (JsonNode fault : found.get("faults")) {
            assertEquals(1, fault.get("times").asInt(), run.out());
        }
        assertEquals(Fault.values().length, found.get("faults").size(), run.out());
        assertEquals(found.get("packets"), found.get("verdicts"), run.out());
        assertTrue(
                run.err().contains("none lost, none twice, none wrong, none out of its order"),
                run.err());
        assertFalse(Files.exists(folder.resolve("cluster.json")), "a cluster is up");
    }

    /** A minute, in which caches fill up: whether it is flat, a longer run tells. */
    @Tag("long")
    @Test
    void whatProcessesTakeIsMeasuredWhereNothingIsKilled() throws Exception {
        Sluice run =
                Sluice.run(
                        "soak",
                        "--minutes",
                        1,
                        "--kills",
                        0,
                        "--versions",
                        50,
                        "--rate",
                        5_000,
                        "--cluster",
                        directory.resolve("quiet"),
                        "--json");
        JsonPage.assertTells("soak", run.out(), "misses");
        JsonNode found = new ObjectMapper().readTree(run.out());
        assertEquals(0, found.get("wrong").asInt(), run.out());
        assertTrue(found.get("samples").size() > 3, run.out());
        for (JsonNode sample : found.get("samples")) {
            for (String process : List.of("taskManagers", "jobManager")) {
                for (var figure : sample.get(process).properties()) {
                    assertTrue(figure.getValue().asLong() > 0, figure.getKey());
                }
            }
            assertTrue(sample.get("clusterBytes").asLong() > 0, run.out());
        }
    }

    @Test
    void aFolderThatHoldsSomethingIsRefused() throws Exception {
        Files.createFile(directory.resolve("something"));
        Sluice run = Sluice.run("soak", "--cluster", directory);
        assertEquals(2, run.status(), run.err());
        assertTrue(run.err().contains("is not empty; name another one"), run.err());
    }
}
