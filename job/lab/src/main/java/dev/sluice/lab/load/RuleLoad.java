package dev.sluice.lab.load;

import dev.sluice.engine.rules.Rule;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.job.kafka.KafkaClients;
import dev.sluice.job.kafka.MessageProducer;
import dev.sluice.operators.rules.topic.RuleRecords;
import dev.sluice.operators.rules.topic.RuleSetMessages;
import dev.sluice.schemas.codec.RuleChange;
import dev.sluice.schemas.codec.RuleChange.Kind;
import dev.sluice.schemas.codec.RuleChange.RuleRecord;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.NavigableMap;
import java.util.Random;
import java.util.TreeMap;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Publishes changes of a rule set: random rules go and come back, so that their number stays about
 * the same. Notes when each version's COMMIT was sent. For one thread at a time.
 */
public final class RuleLoad implements AutoCloseable {
    private static final int MOST_GONE = 10_000;
    private static final int CHUNK = 500;

    private final MessageProducer producer;
    private final String topic;
    private final RuleSet first;
    private final String history = UUID.randomUUID().toString();
    private final Random random = new Random(7);
    private final List<Rule> there;
    private final Deque<Rule> gone = new ArrayDeque<>();
    private long version = 1;
    private NavigableMap<Long, Long> commits = new TreeMap<>();

    /** Publishes a rule set as version 1. */
    public RuleLoad(String bootstrap, String topic, RuleSet first) {
        this.topic = topic;
        this.first = first;
        this.there = new ArrayList<>(first.rules());
        this.producer = new MessageProducer(new KafkaClients(bootstrap));
        RuleChange begin = begin(Kind.SNAPSHOT, null);
        for (byte[] message : RuleSetMessages.snapshot(begin, first.rules())) {
            producer.send(topic, null, message);
        }
        producer.flush();
    }

    private RuleChange begin(Kind kind, @Nullable Long base) {
        return RuleChange.begin(
                UUID.randomUUID().toString(),
                history,
                version,
                base,
                null,
                kind,
                first.name(),
                first.defaultAction());
    }

    /**
     * Commits a transaction.
     *
     * @param changes how many rules go or come back
     * @return how many did
     */
    public int change(int changes) {
        List<Long> removes = new ArrayList<>();
        List<RuleRecord> puts = new ArrayList<>();
        List<Rule> leaving = new ArrayList<>();
        for (int i = 0; i < changes; i++) {
            boolean back =
                    !gone.isEmpty()
                            && (gone.size() >= MOST_GONE
                                    || there.isEmpty()
                                    || random.nextBoolean());
            if (back) {
                Rule rule = gone.remove();
                there.add(rule);
                puts.add(RuleRecords.of(rule));
            } else if (!there.isEmpty()) { // of a few rules all may be leaving already
                int last = there.size() - 1;
                int pick = random.nextInt(last + 1);
                Rule rule = there.get(pick);
                there.set(pick, there.get(last));
                there.remove(last);
                boolean cameNow = puts.removeIf(put -> put.id() == rule.id());
                if (!cameNow) {
                    removes.add(rule.id());
                }
                leaving.add(rule);
            }
        }
        gone.addAll(leaving);
        commit(removes, puts);
        return removes.size() + puts.size();
    }

    /** Brings all rules back in one transaction. */
    public void settle() {
        List<RuleRecord> puts = gone.stream().map(RuleRecords::of).toList();
        there.addAll(gone);
        gone.clear();
        commit(List.of(), puts);
    }

    private void commit(List<Long> removes, List<RuleRecord> puts) {
        long base = version++;
        RuleChange begin = begin(Kind.DELTA, base);
        producer.send(topic, null, begin.encode());
        int chunk = 0;
        for (int from = 0; from < removes.size(); from += 8 * CHUNK) {
            List<Long> part = removes.subList(from, Math.min(removes.size(), from + 8 * CHUNK));
            producer.send(
                    topic, null, RuleChange.changes(begin, chunk++, List.of(), part).encode());
        }
        for (int from = 0; from < puts.size(); from += CHUNK) {
            List<RuleRecord> part = puts.subList(from, Math.min(puts.size(), from + CHUNK));
            producer.send(
                    topic, null, RuleChange.changes(begin, chunk++, part, List.of()).encode());
        }
        commits.put(version, System.currentTimeMillis());
        producer.send(topic, null, RuleChange.commit(begin, chunk).encode());
        producer.flush();
    }

    /** Returns the times of the COMMITs of versions since the last call, in ms since 1970 UTC. */
    public NavigableMap<Long, Long> takeCommits() {
        NavigableMap<Long, Long> taken = commits;
        commits = new TreeMap<>();
        return taken;
    }

    @Override
    public void close() {
        producer.close();
    }
}
