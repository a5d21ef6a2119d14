package dev.sluice.job.endtoend;

import dev.sluice.job.kafka.KafkaClients;
import dev.sluice.job.kafka.TopicReader;
import dev.sluice.schemas.codec.MalformedMessageException;
import dev.sluice.schemas.codec.VerdictBlock;
import java.time.Duration;
import java.util.BitSet;
import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/** Follows the committed verdicts of a topic and counts how often each packet was answered. */
final class PacketCount implements AutoCloseable {
    private final TopicReader reader;
    private final BitSet seen = new BitSet();
    private long doubled;
    private long newestVersion;

    PacketCount(String bootstrap, String topic) {
        reader = new TopicReader(new KafkaClients(bootstrap), List.of(topic));
    }

    /** Takes what was committed since; waits a while where nothing was. */
    void poll() throws MalformedMessageException {
        for (ConsumerRecord<byte[], byte[]> message : reader.poll(Duration.ofMillis(20))) {
            VerdictBlock verdicts = VerdictBlock.decode(message.value());
            for (int i = 0; i < verdicts.count(); i++) {
                int packet = Math.toIntExact(verdicts.packets().get(i));
                if (seen.get(packet)) {
                    doubled++;
                }
                seen.set(packet);
                newestVersion = Math.max(newestVersion, verdicts.versionOf(i));
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

    /** Packets with a verdict. */
    int answered() {
        return seen.cardinality();
    }

    /** The largest packet number with a verdict, 0 for none. */
    int last() {
        return Math.max(0, seen.length() - 1);
    }

    /** The newest version of the rules that has judged a packet. */
    long newestVersion() {
        return newestVersion;
    }

    /** Verdicts on packets that had one already. */
    long doubled() {
        return doubled;
    }

    @Override
    public void close() {
        reader.close();
    }
}
