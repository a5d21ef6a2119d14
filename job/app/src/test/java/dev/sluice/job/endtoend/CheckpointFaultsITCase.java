package dev.sluice.job.endtoend;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import dev.sluice.job.Sluice;
import dev.sluice.job.TestBroker;
import dev.sluice.job.Topics;
import dev.sluice.job.kafka.KafkaClients;
import dev.sluice.job.kafka.MessageProducer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** A folder of checkpoints that cannot be written while the job runs. */
@Timeout(120)
class CheckpointFaultsITCase {
    private static final int FAILURES = 5;
    private static final Pattern FAILED = Pattern.compile(", (\\d+) failed");

    @RegisterExtension static final TestBroker broker = new TestBroker();

    @TempDir Path folder;

    private static int failures(String status) {
        int all = 0;
        for (Matcher found = FAILED.matcher(status); found.find(); ) {
            all += Integer.parseInt(found.group(1));
        }
        return all;
    }

    @Test
    void theJobGoesOnWithoutCheckpointsSaysSoAndCommitsAllOnceItsFolderCanBeWrittenAgain()
            throws Exception {
        Topics topics = Topics.of(broker.bootstrap(), "readonly").create();
        Path rules = Files.write(folder.resolve("r.ovs"), List.of("priority=5,tcp,actions=drop"));
        topics.publish(rules);
        Path checkpoints = folder.resolve("checkpoints");
        try (MessageProducer producer = new MessageProducer(new KafkaClients(broker.bootstrap()));
                VerdictJournal verdicts =
                        new VerdictJournal(broker.bootstrap(), topics.names().verdicts());
                Sluice.Running job =
                        new Sluice.Running(
                                topics.line(
                                        "run",
                                        "--checkpoints",
                                        checkpoints,
                                        "--checkpoint-interval",
                                        100,
                                        "--status-every",
                                        "1s"))) {
            PacketStream packets = new PacketStream(producer, topics.names().packets());
            packets.send(10);
            producer.flush();
            await(job, verdicts, packets.sent());

            Path ofJob;
            try (Stream<Path> jobs = Files.list(checkpoints.resolve("checkpoints"))) {
                ofJob = jobs.findFirst().orElseThrow();
            }
            int before = failures(job.err());
            Path away = Files.move(ofJob, folder.resolve("away"));
            Files.createFile(ofJob); // nobody makes a folder in a file, not even root
            packets.send(10);
            producer.flush();
            job.await(() -> failures(job.err()) >= before + FAILURES);
            verdicts.pollToEnd();
            assertEquals(packets.sent() / 2, verdicts.answered(), "committed without a checkpoint");

            Files.delete(ofJob);
            Files.move(away, ofJob);
            await(job, verdicts, packets.sent());
            assertEquals(0, verdicts.doubled());
            assertFalse(job.err().contains("the job has failed"), job.err());
        }
    }

    private static void await(Sluice.Running job, VerdictJournal verdicts, int answered) {
        job.await(
                () -> {
                    verdicts.poll();
                    return verdicts.answered() == answered;
                });
    }
}
