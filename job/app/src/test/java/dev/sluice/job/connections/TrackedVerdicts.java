package dev.sluice.job.connections;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.job.Sluice;
import dev.sluice.job.kafka.KafkaClients;
import dev.sluice.job.kafka.TopicReader;
import dev.sluice.job.replay.VerdictLine;
import dev.sluice.operators.connections.StatefulJudge;
import dev.sluice.schemas.codec.Column;
import dev.sluice.schemas.codec.VerdictBlock;
import dev.sluice.schemas.header.HeaderWord;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * Committed verdicts of a job that tracks connections, and those of {@code classify} on the same
 * packets.
 */
public final class TrackedVerdicts implements AutoCloseable {
    /** Options of {@code export} beside the usual header fields. */
    public static final List<Object> EXPORTED =
            List.of("--block-size", 20, "--header-fields", "ttl,ip-id,flow-ports");

    private static final Duration POLL = Duration.ofMillis(50);

    private final Map<String, String> expected = new TreeMap<>();
    private final Map<String, String> found = new TreeMap<>();
    private final TopicReader reader;

    /**
     * Has {@code classify} judge captures, and opens a topic of verdicts.
     *
     * @param tracking options of the tracker
     */
    public TrackedVerdicts(
            String rules,
            List<Path> captures,
            String bootstrap,
            String topic,
            List<Object> tracking)
            throws Exception {
        Path file = captures.get(0).resolveSibling("classified.tsv");
        List<Object> words = new ArrayList<>(List.of("classify", "--verdicts", file));
        words.addAll(captures);
        words.addAll(List.of("--rules", rules));
        words.addAll(tracking);
        Sluice.ok(Sluice.run(words.toArray()));
        List<String> lines = Files.readAllLines(file);
        for (String line : lines.subList(1, lines.size())) {
            String[] cells = line.split("\t", -1);
            String rule = cells[3].isEmpty() ? "0" : cells[3];
            expected.put(packet(cells[0], cells[1]), rule + " " + cells[cells.length - 1]);
        }
        reader = new TopicReader(new KafkaClients(bootstrap), List.of(topic));
    }

    private static String packet(String capture, Object number) {
        return Path.of(capture).getFileName() + " " + number;
    }

    /** Takes what was committed since the last call; returns the number of verdicts so far. */
    public int poll() throws Exception {
        for (ConsumerRecord<byte[], byte[]> message : reader.poll(POLL)) {
            VerdictBlock block = VerdictBlock.decode(message.value());
            Column states = block.field(HeaderWord.CONNECTION);
            for (int i = 0; i < block.count(); i++) {
                String packet = packet(block.capture(), block.packets().get(i));
                String state = VerdictLine.state(StatefulJudge.state((int) states.get(i)));
                assertNull(found.put(packet, block.line(i) + " " + state), "twice: " + packet);
            }
        }
        return found.size();
    }

    /** Packets of all captures. */
    public int wanted() {
        return expected.size();
    }

    /** Fails unless each packet has the rule and the state that {@code classify} tells. */
    public void assertAllEqual() {
        List<String> other = new ArrayList<>();
        expected.forEach(
                (packet, verdict) -> {
                    if (!verdict.equals(found.get(packet))) {
                        other.add(packet + ": " + verdict + ", not " + found.get(packet));
                    }
                });
        assertEquals(List.of(), other.subList(0, Math.min(20, other.size())));
        assertEquals(expected.size(), found.size());
        for (String state : List.of("new", "established", "related", "invalid")) {
            assertTrue(expected.values().stream().anyMatch(v -> v.endsWith(" " + state)), state);
        }
    }

    @Override
    public void close() {
        reader.close();
    }
}
