package dev.sluice.job.endtoend;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.job.Sluice;
import dev.sluice.job.TestBroker;
import dev.sluice.job.Topics;
import dev.sluice.schemas.testing.Await;
import dev.sluice.schemas.testing.TestData;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** What {@code sluice run} shows, from waiting for rules to being stopped. */
@Timeout(120)
class RunStatusITCase {
    @RegisterExtension static final TestBroker broker = new TestBroker();

    @TempDir Path folder;

    private static void await(JobProcess job, Path log, String pattern) throws Exception {
        Pattern wanted = Pattern.compile(pattern);
        while (!wanted.matcher(Files.readString(log)).find()) {
            job.requireRunning();
            Await.pause();
        }
    }

    @Test
    void itSaysWhereItStandsAndAtItsEndWhatWasDoneAndWhatIsLeft() throws Exception {
        Topics topics = Topics.of(broker.bootstrap(), "status").create();
        Path log = folder.resolve("log");
        Path checkpoints = folder.resolve("checkpoints");
        try (JobProcess job =
                new JobProcess(
                        checkpoints,
                        log,
                        topics.line(
                                "run",
                                "--checkpoints",
                                checkpoints,
                                "--checkpoint-interval",
                                "300",
                                "--status-every",
                                "1s"))) {
            await(job, log, "waits for rules \\| lag ");
            Path rules =
                    Files.write(folder.resolve("r.ovs"), List.of("priority=5,tcp,actions=drop"));
            topics.publish(rules);
            await(job, log, "version 1 of the rules is in force in all tasks");
            Sluice exported = topics.run("export", TestData.office("office.pcapng.gz"));
            assertEquals(0, exported.status(), exported.err());
            String numbers = "\\d[\\d.]*( [KM])?/s";
            await(
                    job,
                    log,
                    "in (?!0/)"
                            + numbers
                            + ", out (?!0/)"
                            + numbers
                            + " \\| rules 1 for \\d+ s \\| lag [\\d,]+ \\| \\d+ dead \\| checkpoint \\d+ s ago(, \\d+ failed)? \\| batches \\d+ % full \\| CPU");
            await(job, log, "in 0/s, out 0/s \\| rules 1 ");
            assertEquals(0, job.terminate());
        }
        List<String> lines = Files.readAllLines(log);
        String last = lines.get(lines.size() - 1);
        assertTrue(
                Pattern.compile(
                                "sluice: stopped after \\d+ s: 1,05\\d packets judged, \\d+ dead letters; what came in the \\d+ s since the newest checkpoint is not committed; 0 messages of packets are not read; the same command goes on from the newest checkpoint in ")
                        .matcher(last)
                        .find(),
                last);
    }
}
