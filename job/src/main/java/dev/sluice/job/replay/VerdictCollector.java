package dev.sluice.job.replay;

import dev.sluice.engine.rules.Rule;
import dev.sluice.job.SluiceException;
import dev.sluice.job.kafka.TopicNames;
import dev.sluice.job.kafka.TopicReader;
import dev.sluice.schemas.codec.DeadLetter;
import dev.sluice.schemas.codec.MalformedMessageException;
import dev.sluice.schemas.codec.VerdictBlock;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/** Receives verdicts and dead letters and puts each at its packet's place. Not thread-safe. */
final class VerdictCollector implements AutoCloseable {
    private final TopicReader reader;
    private final TopicNames topics;
    private final List<VerdictSpool> spools;
    private final List<FieldSpool> fieldSpools;
    private final List<Rule> rules;
    private final Map<Long, Integer> indexOfId = new HashMap<>();
    private final long[] hits;
    private final List<String> reasons = new ArrayList<>();
    private final Map<String, Integer> indexOfReason = new HashMap<>();
    private final List<Long> deadLetters = new ArrayList<>();
    private long misses;
    private long received;

    /**
     * A collector.
     *
     * @param spools one a capture
     * @param fieldSpools one a capture, or none where verdicts carry no fields
     */
    VerdictCollector(
            String bootstrap,
            TopicNames topics,
            List<VerdictSpool> spools,
            List<FieldSpool> fieldSpools,
            List<Rule> rules) {
        this.reader = new TopicReader(bootstrap, List.of(topics.verdicts(), topics.deadLetters()));
        this.topics = topics;
        this.spools = spools;
        this.fieldSpools = fieldSpools;
        this.rules = rules;
        this.hits = new long[rules.size()];
        for (int i = 0; i < rules.size(); i++) {
            indexOfId.put(rules.get(i).id(), i);
        }
    }

    /** Takes what has come; waits up to a time if nothing has. */
    void poll(Duration timeout) throws IOException {
        for (ConsumerRecord<byte[], byte[]> message : reader.poll(timeout)) {
            try {
                if (message.topic().equals(topics.verdicts())) {
                    verdicts(VerdictBlock.decode(message.value()));
                } else {
                    deadLetter(DeadLetter.decode(message.value()));
                }
            } catch (MalformedMessageException e) {
                throw new SluiceException(
                        "offset %d of topic %s: %s: %s"
                                .formatted(
                                        message.offset(), message.topic(), e.reason(), e.detail()),
                        e);
            }
        }
    }

    private void verdicts(VerdictBlock block) throws IOException {
        VerdictSpool spool = spools.get(block.captureIndex());
        if (!fieldSpools.isEmpty()) {
            fieldSpools.get(block.captureIndex()).set(block);
        }
        int[] indexes = new int[block.rules().length];
        for (int r = 0; r < indexes.length; r++) {
            Integer index = indexOfId.get(block.rules()[r]);
            if (index == null) {
                throw new SluiceException(
                        "a verdict names rule "
                                + block.rules()[r]
                                + ", which the rule file does not hold");
            }
            indexes[r] = index;
        }
        for (int i = 0; i < block.count(); i++) {
            int rule = (int) block.ruleIndexes().get(i);
            if (rule == 0) {
                misses++;
                set(spool, block.packets().get(i), VerdictSpool.MISS);
            } else {
                int index = indexes[rule - 1];
                hits[index]++;
                set(spool, block.packets().get(i), VerdictSpool.FIRST_RULE + index);
            }
        }
    }

    private void deadLetter(DeadLetter letter) throws IOException {
        DeadLetter.Packet packet = letter.packet();
        if (packet == null) {
            throw new SluiceException(
                    "the job refused a message: " + letter.reason() + ": " + letter.detail());
        }
        int index =
                indexOfReason.computeIfAbsent(
                        letter.reason(),
                        reason -> {
                            reasons.add(reason);
                            deadLetters.add(0L);
                            return reasons.size() - 1;
                        });
        deadLetters.set(index, deadLetters.get(index) + 1);
        set(spools.get(packet.captureIndex()), packet.number(), ~index);
    }

    private void set(VerdictSpool spool, long packet, int verdict) throws IOException {
        if (!spool.set(packet, verdict)) {
            throw new SluiceException("packet " + packet + " was answered twice");
        }
        received++;
    }

    /** Packets answered so far. */
    long received() {
        return received;
    }

    /** Reason of a dead letter by its index. */
    String reason(int index) {
        return reasons.get(index);
    }

    Summary summary(long packets, String defaultAction, double seconds) {
        Map<Rule, Long> byRule = new HashMap<>();
        for (int i = 0; i < hits.length; i++) {
            if (hits[i] > 0) {
                byRule.put(rules.get(i), hits[i]);
            }
        }
        Map<String, Long> byReason = new TreeMap<>();
        for (int i = 0; i < reasons.size(); i++) {
            byReason.put(reasons.get(i), deadLetters.get(i));
        }
        return new Summary(packets, byRule, misses, defaultAction, byReason, seconds);
    }

    @Override
    public void close() {
        reader.close();
    }
}
