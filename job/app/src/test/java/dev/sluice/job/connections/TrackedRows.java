package dev.sluice.job.connections;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.job.Sluice;
import dev.sluice.job.kafka.KafkaAccess;
import dev.sluice.job.kafka.KafkaClients;
import dev.sluice.job.kafka.TopicReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/** Committed rows of connections of a job, and those of {@code classify} on the same packets. */
public final class TrackedRows implements AutoCloseable {
    private static final Duration POLL = Duration.ofMillis(50);
    private static final int END = 15;

    private final List<String> expected = new ArrayList<>();
    private final List<String> found = new ArrayList<>();
    private final Set<String> ended = new HashSet<>();
    private final String topic;
    private final TopicReader reader;
    private int goingOn;

    /**
     * Has {@code classify} write the rows of captures, and makes a topic of rows.
     *
     * @param tracking options of the tracker
     */
    public TrackedRows(
            String rules,
            List<Path> captures,
            String bootstrap,
            String topic,
            List<Object> tracking)
            throws Exception {
        this.topic = topic;
        Path file = captures.get(0).resolveSibling("connections.tsv");
        List<Object> words = new ArrayList<>(List.of("classify", "--summary"));
        words.addAll(captures);
        words.addAll(List.of("--rules", rules, "--connections", file));
        words.addAll(tracking);
        Sluice.ok(Sluice.run(words.toArray()));
        List<String> lines = Files.readAllLines(file);
        for (String line : lines.subList(1, lines.size())) {
            if (!isLive(line)) {
                expected.add(ofFile(line));
            }
        }
        KafkaClients kafka = new KafkaClients(bootstrap);
        try (KafkaAccess access = new KafkaAccess(kafka)) {
            access.createTopics(List.of(KafkaAccess.compactedForATime(topic, 3)));
        }
        reader = new TopicReader(kafka, List.of(topic));
    }

    /** Options of a job that writes these rows. */
    public List<Object> options() {
        return List.of(
                "--connections-topic", topic,
                "--connections-format", "tsv",
                "--connections-interval", "1ms");
    }

    private static boolean isLive(String line) {
        return line.split("\t", -1)[END].equals("live");
    }

    /** Returns a line with the name of its capture, without the folder. */
    private static String ofFile(String line) {
        int tab = line.indexOf('\t');
        return Path.of(line.substring(0, tab)).getFileName() + line.substring(tab);
    }

    /** Takes what was committed since the last call; tells whether all rows are there. */
    public boolean poll() {
        for (ConsumerRecord<byte[], byte[]> row : reader.poll(POLL)) {
            String line = ofFile(new String(row.value(), UTF_8));
            assertTrue(!ended.contains(new String(row.key(), UTF_8)), "behind its end: " + line);
            if (isLive(line)) {
                goingOn++;
            } else {
                ended.add(new String(row.key(), UTF_8));
                found.add(line);
            }
        }
        return found.size() >= expected.size();
    }

    /** Fails unless each connection that ended has the row that {@code classify} tells, once. */
    public void assertAllEqual() {
        poll();
        expected.sort(null);
        found.sort(null);
        assertEquals(String.join("\n", expected), String.join("\n", found));
        assertTrue(goingOn > 100, goingOn + " rows of connections that go on");
        for (String word : List.of("\trefused\ttimeout\t", "\treopened\t", "\treset\t")) {
            assertTrue(found.stream().anyMatch(line -> line.contains(word)), word);
        }
    }

    @Override
    public void close() {
        reader.close();
    }
}
