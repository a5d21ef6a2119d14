package dev.sluice.lab.load;

import dev.sluice.engine.rules.Rule;
import dev.sluice.engine.rules.RuleDelta;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.job.kafka.KafkaClients;
import dev.sluice.job.kafka.MessageProducer;
import dev.sluice.operators.rules.topic.RuleSetMessages;
import dev.sluice.schemas.codec.RuleChange;
import dev.sluice.schemas.codec.RuleChange.Kind;
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
        List<Rule> puts = new ArrayList<>();
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
                puts.add(rule);
            } else if (!there.isEmpty()) { // of a few rules all may be leaving already
                int last = there.size() - 1;
                int pick = random.nextInt(last + 1);
                Rule rule = there.get(pick);
                there.set(pick, there.get(last));
                there.remove(last);
                if (!puts.remove(rule)) { // else it came in this transaction
                    removes.add(rule.id());
                }
                leaving.add(rule);
            }
        }
        gone.addAll(leaving);
        commit(new RuleDelta(removes, puts));
        return removes.size() + puts.size();
    }

    /** Brings all rules back in one transaction. */
    public void settle() {
        RuleDelta back = new RuleDelta(List.of(), List.copyOf(gone));
        there.addAll(gone);
        gone.clear();
        commit(back);
    }

    private void commit(RuleDelta delta) {
        long base = version++;
        List<byte[]> messages = RuleSetMessages.delta(begin(Kind.DELTA, base), delta);
        messages.subList(0, messages.size() - 1).forEach(m -> producer.send(topic, null, m));
        commits.put(version, System.currentTimeMillis());
        producer.send(topic, null, messages.get(messages.size() - 1));
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
