package dev.sluice.lab.soak;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sluice.job.JsonPage;
import dev.sluice.job.Sluice;
import dev.sluice.schemas.testing.TestSeed;
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
    @TempDir private Path directory;

    /** A seed whose first bursts have these faults, each once. */
    private static long seed(int bursts, Set<Fault> wanted) {
        long seed = TestSeed.of(1);
        while (!kinds(seed, bursts).equals(List.copyOf(wanted))) {
            seed++;
        }
        return seed;
    }

    private static List<Fault> kinds(long seed, int bursts) {
        return Stream.generate(new FaultPlan(seed)::next)
                .limit(bursts)
                .flatMap(List::stream)
                .map(FaultPlan.Planned::fault)
                .sorted()
                .toList();
    }

    /** In one burst, before the job is back. */
    @Test
    void eachPacketHasOneRightVerdictWhereACommitBrokerAndPublisherAreKilled() throws Exception {
        assertRightWhenKilled(1, EnumSet.of(Fault.COMMIT, Fault.BROKER, Fault.PUBLISHER));
    }

    @Tag("long")
    @Test
    void eachPacketHasOneRightVerdictWhateverIsKilled() throws Exception {
        assertRightWhenKilled(2, EnumSet.allOf(Fault.class));
    }

    private void assertRightWhenKilled(int bursts, Set<Fault> faults) throws Exception {
        Path folder = directory.resolve("soak");
        Sluice run =
                Sluice.run(
                        "soak",
                        "--minutes",
                        6,
                        "--kills",
                        faults.size(),
                        "--seed",
                        seed(bursts, faults),
                        "--rate",
                        5_000,
                        "--cluster",
                        folder,
                        "--json");
        assertEquals(0, run.status(), run.err() + run.out());
        JsonPage.assertTells("soak", run.out(), "misses");
        JsonNode found = new ObjectMapper().readTree(run.out());
        for (Fault fault : Fault.values()) {
            JsonNode told = found.get("faults").get(fault.ordinal());
            assertEquals(fault.words(), told.get("killed").asText(), run.out());
            assertEquals(faults.contains(fault) ? 1 : 0, told.get("times").asInt(), run.out());
        }
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
