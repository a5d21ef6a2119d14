package dev.sluice.job.replay;

import dev.sluice.engine.rules.Rule;
import dev.sluice.job.graph.Outcomes;
import dev.sluice.job.kafka.KafkaClients;
import dev.sluice.job.kafka.TopicNames;
import dev.sluice.job.kafka.TopicReader;
import dev.sluice.operators.rules.serving.RefusedVersion;
import dev.sluice.policy.io.SluiceException;
import dev.sluice.schemas.codec.DeadLetter;
import dev.sluice.schemas.codec.MalformedMessageException;
import dev.sluice.schemas.codec.VerdictBlock;
import dev.sluice.schemas.codec.VerdictStatus;
import java.io.IOException;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
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
    private final Set<Long> refusedVersions = new HashSet<>();
    private long received;
    private long judged;

    /**
     * What came of a packet that was judged.
     *
     * @param rule the rule that matched, as of the version; null: none did
     * @param version the version that judged
     * @param status how
     */
    record Outcome(@Nullable Rule rule, long version, VerdictStatus status) {
        /** Id of the rule that matched. */
        long ruleId() {
            if (rule == null) {
                throw new IllegalStateException("no rule matched");
            }
            return rule.id();
        }

        /** Whether there was a version of the rules to judge by. */
        boolean hasVersion() {
            return status != VerdictStatus.NO_RULES && status != VerdictStatus.HISTORY_DELETED;
        }
    }

    /**
     * A collector.
     *
     * @param spools one a capture
     * @param fieldSpools one a capture, or none where verdicts carry no fields
     * @param err hears of versions that the job cannot serve
     */
    VerdictCollector(
            KafkaClients kafka,
            TopicNames topics,
            List<VerdictSpool> spools,
            List<FieldSpool> fieldSpools,
            PublishedRules rules,
            PrintWriter err) {
        this.reader = new TopicReader(kafka, List.of(topics.verdicts(), topics.deadLetters()));
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

    /** Takes all that is there. */
    void pollToEnd(Duration timeout) throws IOException {
        var ends = reader.ends();
        while (!reader.reached(ends)) {
            poll(timeout);
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
        judged += block.count();
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
        Optional<RefusedVersion> refused = RefusedVersion.of(letter);
        if (refused.isPresent()) {
            refusedVersions.add(refused.get().version());
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

    /** Packets of which a verdict has come. */
    long judged() {
        return judged;
    }

    /** How many outcomes there are by now. */
    int outcomes() {
        return outcomes.size();
    }

    /** What came of packets, by its index. */
    Outcome outcome(int index) {
        return outcomes.get(index);
    }

    /** Reason of a dead letter by its index. */
    String reason(int index) {
        return reasons.get(index);
    }

    /** What became of the packets. */
    Outcomes counts(String defaultAction) {
        Map<VerdictStatus, Long> verdicts = new EnumMap<>(VerdictStatus.class);
        for (int i = 0; i < outcomes.size(); i++) {
            verdicts.merge(outcomes.get(i).status, hits.get(i)[0], Long::sum);
        }
        Map<String, Long> byReason = new TreeMap<>();
        for (int i = 0; i < reasons.size(); i++) {
            byReason.put(reasons.get(i), deadLetters.get(i));
        }
        return new Outcomes(verdicts, new TreeSet<>(refusedVersions), defaultAction, byReason);
    }

    @Override
    public void close() {
        reader.close();
    }
}
