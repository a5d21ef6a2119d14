package dev.sluice.job.endtoend;

import static dev.sluice.job.Sluice.ok;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.job.Sluice;
import dev.sluice.job.TestBroker;
import dev.sluice.job.Topics;
import dev.sluice.job.kafka.KafkaAccess;
import dev.sluice.job.kafka.KafkaClients;
import dev.sluice.schemas.testing.TestData;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The ends of what options and topics allow, at once: everything is judged, once. */
@Timeout(120)
class BoundsITCase {
    private static final int PACKETS = 1_057;
    private static final Pattern JUDGED = Pattern.compile("([\\d,]+) packets judged by rules");
    private static final Pattern DEAD = Pattern.compile("([\\d,]+) dead letters");

    @RegisterExtension static final TestBroker broker = new TestBroker();

    private static int number(Pattern pattern, String text) {
        Matcher found = pattern.matcher(text);
        assertTrue(found.find(), text);
        return Integer.parseInt(found.group(1).replace(",", ""));
    }

    @Test
    void manyPartitionsAndShardsAndOneBatchAtATimeWithAnHoursDelay() {
        Topics topics = Topics.of(broker.bootstrap(), "bounds");
        try (KafkaAccess access = new KafkaAccess(new KafkaClients(broker.bootstrap()))) {
            access.createTopics(KafkaAccess.newTopics(topics.names(), 64));
        }
        ok(topics.run("rules", "publish", "--rules", TestData.office("office.ovs")));
        ok(topics.run("export", TestData.office("office.pcapng.gz"), "--shards", 256));
        Sluice job =
                ok(
                        topics.run(
                                "run",
                                "--bounded",
                                "--checkpoint-interval",
                                500,
                                "--in-flight",
                                1,
                                "--batch-size",
                                64,
                                "--max-delay",
                                3_600_000_000L));
        assertEquals(PACKETS, number(JUDGED, job.out()) + number(DEAD, job.out()), job.out());
        Sluice verdicts = ok(topics.run("verdicts"));
        assertEquals(number(JUDGED, job.out()) + 1, verdicts.out().lines().count());
    }
}
