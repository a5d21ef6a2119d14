package dev.sluice.job.endtoend;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.sluice.job.Sluice;
import dev.sluice.job.TestBroker;
import dev.sluice.job.TestData;
import dev.sluice.job.Topics;
import dev.sluice.job.kafka.KafkaClients;
import dev.sluice.job.kafka.MessageProducer;
import dev.sluice.job.kafka.TopicNames;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/**
 * A job that goes on from a savepoint of a former installation, whose headers had no word for the
 * id of a tunnel.
 *
 * <p>{@code former-savepoint.zip} is of commit fb4bb857: {@code cluster up}, {@code run --cluster},
 * {@code export office.pcapng.gz} once with {@code --format records} and once in blocks, {@code
 * stop}. No rules had been published, so that all its packets wait in it.
 */
@Timeout(120)
class FormerSavepointITCase {
    /** Messages that the former job had read of each partition of the packets topic. */
    private static final int[] READ = {861, 231};

    private static final int PACKETS = 1_057;

    /** Whatever comes through no tunnel has the id 0. */
    private static final String TUNNELS =
            "priority=65001,tun_id=5,actions=output:5\npriority=65000,tun_id=0,tcp,tp_dst=3389,actions=output:9\n";

    @RegisterExtension static final TestBroker broker = new TestBroker();

    @TempDir Path folder;

    private static void unpackSavepoint(Path into) throws IOException {
        Files.createDirectories(into);
        try (InputStream file =
                        FormerSavepointITCase.class.getResourceAsStream("former-savepoint.zip");
                ZipInputStream zip = new ZipInputStream(Objects.requireNonNull(file))) {
            for (ZipEntry entry = zip.getNextEntry(); entry != null; entry = zip.getNextEntry()) {
                Files.copy(zip, into.resolve(entry.getName()));
            }
        }
    }

    /** Line and action of each packet, as often as it has a verdict. */
    private static Map<String, List<String>> verdicts(List<String> lines) {
        List<String> columns = List.of(lines.get(0).split("\t", -1));
        int packet = columns.indexOf("packet");
        int line = columns.indexOf("rule");
        int action = columns.indexOf("action");
        Map<String, List<String>> all = new TreeMap<>();
        for (String row : lines.subList(1, lines.size())) {
            String[] cells = row.split("\t", -1);
            all.computeIfAbsent(cells[packet], p -> new ArrayList<>())
                    .add(cells[line] + " " + cells[action]);
        }
        return all;
    }

    @Test
    void packetsThatWaitInItAndThoseThatComeAreJudgedByRulesOnWhatItsHeadersDidNotHave()
            throws Exception {
        Topics topics = new Topics(broker.bootstrap(), TopicNames.defaults()).create();
        Path capture = TestData.office("office.pcapng.gz");
        Path rules =
                Files.writeString(
                        folder.resolve("rules.ovs"),
                        TUNNELS + Files.readString(TestData.office("office.ovs")));
        Path checkpoints = folder.resolve("checkpoints");
        unpackSavepoint(checkpoints.resolve("checkpoints/former/chk-1"));
        try (MessageProducer producer = new MessageProducer(new KafkaClients(broker.bootstrap()))) {
            for (int partition = 0; partition < READ.length; partition++) {
                for (int read = 0; read < READ[partition]; read++) {
                    producer.send(topics.names().packets(), partition, null, new byte[1]);
                }
            }
            producer.flush();
        }
        try (VerdictJournal judged =
                        new VerdictJournal(broker.bootstrap(), topics.names().verdicts());
                Sluice.Running job =
                        new Sluice.Running(
                                topics.line(
                                        "run",
                                        "--checkpoints",
                                        checkpoints,
                                        "--checkpoint-interval",
                                        200,
                                        "--parallelism",
                                        1,
                                        "--status-every",
                                        "off"))) {
            topics.publish(rules);
            assertEquals(0, topics.run("export", capture).status());
            job.await(
                    () -> {
                        judged.poll();
                        return judged.entries().size() >= 3 * PACKETS;
                    });
        }
        Path expected = folder.resolve("expected.tsv");
        assertEquals(
                0,
                Sluice.run("classify", capture, "--rules", rules, "--verdicts", expected).status());
        Map<String, List<String>> right = verdicts(Files.readAllLines(expected));
        assertEquals(PACKETS, right.size());
        right.replaceAll((packet, once) -> List.of(once.get(0), once.get(0), once.get(0)));
        Sluice printed = topics.run("verdicts");
        assertEquals(0, printed.status(), printed.err());
        assertEquals(right, verdicts(printed.out().lines().toList()));
    }
}
