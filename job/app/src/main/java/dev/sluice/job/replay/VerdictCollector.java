package dev.sluice.job.replay;

import dev.sluice.engine.rules.Rule;
import dev.sluice.job.graph.Outcomes;
import dev.sluice.job.kafka.KafkaClients;
import dev.sluice.job.kafka.TopicNames;
import dev.sluice.job.kafka.TopicReader;
import dev.sluice.operators.rules.serving.RefusedVersion;
import dev.sluice.policy.io.SluiceException;
import dev.sluice.schemas.codec.Column;
import dev.sluice.schemas.codec.DeadLetter;
import dev.sluice.schemas.codec.MalformedMessageException;
import dev.sluice.schemas.codec.VerdictBlock;
import dev.sluice.schemas.codec.VerdictOutcome;
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

/**
 * Receiver of verdicts and dead letters, which stores each at its packet's place. Not thread-safe.
 */
final class VerdictCollector implements AutoCloseable {
    private final TopicReader reader;
    private final TopicNames topics;
    private final List<VerdictSpool> spools;
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
     * Outcome of a packet that was classified.
     *
     * @param rule the rule that matched, as of the version; null: none did
     * @param earlier rules that let the packet pass in the stages before
     * @param version version of the rules
     * @param status of the verdict
     * @param fate of the packet by a policy
     * @param assumed assumption that a policy judges under; empty: none
     */
    record Outcome(
            @Nullable Rule rule,
            List<Rule> earlier,
            long version,
            VerdictStatus status,
            VerdictOutcome fate,
            String assumed) {
        /** Returns the id of the rule that matched. */
        long ruleId() {
            if (rule == null) {
                throw new IllegalStateException("no rule matched");
            }
            return rule.id();
        }

        /** Tells whether a version of the rules was in force. */
        boolean hasVersion() {
            return status != VerdictStatus.NO_RULES && status != VerdictStatus.HISTORY_DELETED;
        }
    }

    /**
     * Creates a collector.
     *
     * @param spools one for each capture
     * @param err receives refused versions
     */
    VerdictCollector(
            KafkaClients kafka,
            TopicNames topics,
            List<VerdictSpool> spools,
            PublishedRules rules,
            PrintWriter err) {
        this.reader = new TopicReader(kafka, List.of(topics.verdicts(), topics.deadLetters()));
        this.topics = topics;
        this.spools = spools;
        this.rules = rules;
        this.err = err;
    }

    /** Takes the messages that have arrived; waits up to a time-out if there are none. */
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

    /** Takes all messages up to the present end of the topics. */
    void pollToEnd(Duration timeout) throws IOException {
        var ends = reader.ends();
        while (!reader.reached(ends)) {
            poll(timeout);
        }
    }

    private void verdicts(VerdictBlock block) throws IOException {
        VerdictSpool spool = spools.get(block.captureIndex());
        int[] known = new int[block.rules().length + 1]; // by rule: 1 + index of its outcome
        boolean plain =
                block.versions() == null && block.statuses() == null && !block.tellsEarlier();
        Column packets = block.packets();
        Column indexes = block.ruleIndexes();
        for (int i = 0; i < block.count(); i++) {
            int rule = (int) indexes.get(i);
            int index = plain ? known[rule] - 1 : -1;
            if (index < 0) {
                index = outcome(block, i, rule);
                known[rule] = 1 + index;
            }
            hits.get(index)[0]++;
            set(spool, packets.get(i), VerdictSpool.FIRST_OUTCOME + index);
        }
        spool.keepWords(block);
        judged += block.count();
    }

    private int outcome(VerdictBlock block, int verdict, int rule) {
        long version = block.versionOf(verdict);
        Outcome outcome =
                new Outcome(
                        rule == 0 ? null : rules.rule(version, block.rules()[rule - 1]),
                        block.earlier(verdict).stream().map(id -> rules.rule(version, id)).toList(),
                        version,
                        block.status(verdict),
                        block.outcome(verdict),
                        block.assumed());
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

    /** Returns the number of packets that have a verdict or a dead letter. */
    long received() {
        return received;
    }

    /** Returns the number of packets that have a verdict. */
    long judged() {
        return judged;
    }

    /** Returns the present number of distinct outcomes. */
    int outcomes() {
        return outcomes.size();
    }

    /** Returns an outcome by its index. */
    Outcome outcome(int index) {
        return outcomes.get(index);
    }

    /** Returns a dead letter's reason by its index. */
    String reason(int index) {
        return reasons.get(index);
    }

    /** Counts the packets by status and by reason of dead letters. */
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
