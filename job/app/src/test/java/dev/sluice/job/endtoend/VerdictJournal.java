package dev.sluice.job.endtoend;

import dev.sluice.job.kafka.KafkaClients;
import dev.sluice.job.kafka.TopicReader;
import dev.sluice.schemas.codec.MalformedMessageException;
import dev.sluice.schemas.codec.VerdictBlock;
import dev.sluice.schemas.codec.VerdictOutcome;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;

/** Every committed verdict of a topic, in the order in which each flow shard's were committed. */
final class VerdictJournal implements AutoCloseable {
    /**
     * A verdict.
     *
     * @param ruleId null: no rule matched
     * @param line of a policy's rule
     */
    record Entry(
            int shard,
            long packet,
            long version,
            @Nullable Long ruleId,
            VerdictOutcome outcome,
            int line,
            String assumed) {}

    private final TopicReader reader;
    private final List<Entry> entries = new ArrayList<>();
    private final Map<Long, Integer> byPacket = new HashMap<>();

    VerdictJournal(String bootstrap, String topic) {
        reader = new TopicReader(new KafkaClients(bootstrap), List.of(topic));
    }

    /** Takes what was committed since; waits a while where nothing was. */
    void poll() throws MalformedMessageException {
        for (ConsumerRecord<byte[], byte[]> message : reader.poll(Duration.ofMillis(20))) {
            VerdictBlock block = VerdictBlock.decode(message.value());
            for (int i = 0; i < block.count(); i++) {
                long packet = block.packets().get(i);
                byPacket.merge(packet, 1, Integer::sum);
                entries.add(
                        new Entry(
                                block.shard(),
                                packet,
                                block.versionOf(i),
                                block.ruleId(i),
                                block.outcome(i),
                                block.line(i),
                                block.assumed()));
            }
        }
    }

    /** Takes everything that is committed now. */
    void pollToEnd() throws MalformedMessageException {
        var ends = reader.ends();
        do {
            poll();
        } while (!reader.reached(ends));
    }

    /** All verdicts so far. */
    List<Entry> entries() {
        return entries;
    }

    /** Packets with a verdict. */
    int answered() {
        return byPacket.size();
    }

    /** Packets with more than one verdict. */
    long doubled() {
        return byPacket.values().stream().filter(count -> count > 1).count();
    }

    /** Versions of the verdicts from one on. */
    TreeSet<Long> versionsFrom(int entry) {
        TreeSet<Long> versions = new TreeSet<>();
        entries.subList(entry, entries.size()).forEach(e -> versions.add(e.version()));
        return versions;
    }

    @Override
    public void close() {
        reader.close();
    }
}
