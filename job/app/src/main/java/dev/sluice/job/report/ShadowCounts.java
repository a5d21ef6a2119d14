package dev.sluice.job.report;

import dev.sluice.job.kafka.TopicScan;
import dev.sluice.policy.io.Amount;
import dev.sluice.schemas.codec.MalformedMessageException;
import dev.sluice.schemas.codec.ShadowCount;
import dev.sluice.schemas.codec.ShadowCount.Decision;
import dev.sluice.schemas.codec.ShadowCount.Kind;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * Newest counts of a job's shadow, out of the topic of {@code run --shadow-topic}. Memory: one
 * count of each key of the topic, which {@code --shadow-pairs} bounds. Not thread-safe.
 */
public final class ShadowCounts implements TopicScan.Visitor {
    private final Map<String, ShadowCount> newest = new HashMap<>();
    private long unreadable;

    @Override
    public boolean take(ConsumerRecord<byte[], byte[]> message) {
        try {
            read(message);
        } catch (MalformedMessageException e) {
            unreadable++;
        }
        return true;
    }

    /** Takes a message; one without a value is of a deleted key, of which the job has none. */
    void read(ConsumerRecord<byte[], byte[]> message) throws MalformedMessageException {
        if (message.value() != null) {
            ShadowCount count = ShadowCount.decode(message.value());
            newest.put(count.key(), count);
        }
    }

    /** Returns packets of another outcome by pair of rules. */
    public PacketCounts<OutcomeChange> pairs() {
        PacketCounts<OutcomeChange> pairs =
                new PacketCounts<>(Set.of(ReportColumn.RULE), Integer.MAX_VALUE);
        for (ShadowCount count : newest.values()) {
            if (count.kind() == Kind.PAIR) {
                Decision old = Objects.requireNonNull(count.old());
                Decision fresh = Objects.requireNonNull(count.fresh());
                TopTable.Entry<PacketCounts.Key> row =
                        pairs.add(
                                new OutcomeChange(
                                        label(old), old.outcome(), label(fresh), fresh.outcome()),
                                count.packets(),
                                count.bytes(),
                                count.firstNs(),
                                count.lastNs());
                row.example(count.example());
            }
        }
        return pairs;
    }

    private static RuleLabel label(Decision decision) {
        Integer line = decision.line();
        return new RuleLabel(line == null ? 0 : line, decision.action(), decision.rule().strip());
    }

    private long packets(Kind kind) {
        return newest.values().stream()
                .filter(count -> count.kind() == kind)
                .mapToLong(ShadowCount::packets)
                .sum();
    }

    /** Returns the number of packets that were compared. */
    public long compared() {
        return packets(Kind.SAME) + different();
    }

    /** Returns the number of packets of another outcome. */
    public long different() {
        return packets(Kind.PAIR) + packets(Kind.OTHERS);
    }

    /** Returns the number of messages that {@link #take} cannot read. */
    public long unreadable() {
        return unreadable;
    }

    /** Returns whether there are no counts. */
    public boolean isEmpty() {
        return newest.isEmpty();
    }

    /** Returns all packets in a sentence without its end. */
    public String describe() {
        long others = packets(Kind.OTHERS);
        long without = packets(Kind.NOT_COMPARED);
        return "%,d of %s compared have another outcome by the shadow%s%s"
                .formatted(
                        different(),
                        Amount.of(compared(), "packet"),
                        others == 0
                                ? ""
                                : ", %,d of them by pairs beyond --shadow-pairs, which are not told apart"
                                        .formatted(others),
                        without == 0
                                ? ""
                                : "; not compared: %s, which the shadow did not judge"
                                        .formatted(Amount.of(without, "packet")));
    }
}
