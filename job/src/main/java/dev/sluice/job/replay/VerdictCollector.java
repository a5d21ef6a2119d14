package dev.sluice.job.replay;

import dev.sluice.engine.rules.Rule;
import dev.sluice.job.SluiceException;
import dev.sluice.job.kafka.TopicNames;
import dev.sluice.job.kafka.TopicReader;
import dev.sluice.operators.stream.RefusedVersion;
import dev.sluice.schemas.codec.DeadLetter;
import dev.sluice.schemas.codec.MalformedMessageException;
import dev.sluice.schemas.codec.VerdictBlock;
import dev.sluice.schemas.codec.VerdictStatus;
import java.io.IOException;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;

/** Receives verdicts and dead letters and puts each at its packet's place. Not thread-safe. */
final class VerdictCollector implements AutoCloseable {
    private final TopicReader reader;
    private final TopicNames topics;
    private final List<VerdictSpool> spools;
    private final List<FieldSpool> fieldSpools;
    private final PublishedRules rules;
    private final PrintWriter err;
    private final List<Outcome> outcomes = new ArrayList<>();
    private final Map<Outcome, Integer> indexOfOutcome = new HashMap<>();
    private final List<long[]> hits = new ArrayList<>();
    private final List<String> reasons = new ArrayList<>();
    private final Map<String, Integer> indexOfReason = new HashMap<>();
    private final List<Long> deadLetters = new ArrayList<>();
    private long received;

    /**
     * What came of a packet that was judged.
     *
     * @param rule the rule that matched, as of the version; null: none did
     * @param version the version that judged
     * @param status how
     */
    record Outcome(@Nullable Rule rule, long version, VerdictStatus status) {}

    /**
     * A collector.
     *
     * @param spools one a capture
     * @param fieldSpools one a capture, or none where verdicts carry no fields
     * @param err hears of versions that the job cannot serve
     */
    VerdictCollector(
            String bootstrap,
            TopicNames topics,
            List<VerdictSpool> spools,
            List<FieldSpool> fieldSpools,
            PublishedRules rules,
            PrintWriter err) {
        this.reader = new TopicReader(bootstrap, List.of(topics.verdicts(), topics.deadLetters()));
        this.topics = topics;
        this.spools = spools;
        this.fieldSpools = fieldSpools;
        this.rules = rules;
        this.err = err;
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
        int[] known = new int[block.rules().length + 1]; // by rule: 1 + its outcome's index
        boolean plain = block.versions() == null && block.statuses() == null;
        for (int i = 0; i < block.count(); i++) {
            int rule = (int) block.ruleIndexes().get(i);
            int index = plain ? known[rule] - 1 : -1;
            if (index < 0) {
                index = outcome(block, i, rule);
                known[rule] = 1 + index;
            }
            hits.get(index)[0]++;
            set(spool, block.packets().get(i), VerdictSpool.FIRST_OUTCOME + index);
        }
    }

    private int outcome(VerdictBlock block, int verdict, int rule) {
        long version = block.versionOf(verdict);
        Outcome outcome =
                new Outcome(
                        rule == 0 ? null : rules.rule(version, block.rules()[rule - 1]),
                        version,
                        block.status(verdict));
        return indexOfOutcome.computeIfAbsent(
                outcome,
                fresh -> {
                    outcomes.add(fresh);
                    hits.add(new long[1]);
                    return outcomes.size() - 1;
                });
    }

    private void deadLetter(DeadLetter letter) throws IOException {
        DeadLetter.Packet packet = letter.packet();
        if (RefusedVersion.of(letter).isPresent()) {
            err.println("sluice: " + letter.reason() + ": " + letter.detail());
            return;
        }
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

    /** What came of packets, by its index. */
    Outcome outcome(int index) {
        return outcomes.get(index);
    }

    /** Reason of a dead letter by its index. */
    String reason(int index) {
        return reasons.get(index);
    }

    Summary summary(long packets, String defaultAction, double seconds) {
        Map<Rule, Long> byRule = new HashMap<>();
        long misses = 0;
        for (int i = 0; i < outcomes.size(); i++) {
            Rule rule = outcomes.get(i).rule;
            if (rule == null) {
                misses += hits.get(i)[0];
            } else {
                byRule.merge(rule, hits.get(i)[0], Long::sum);
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
