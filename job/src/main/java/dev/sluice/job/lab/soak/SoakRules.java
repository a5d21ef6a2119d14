package dev.sluice.job.lab.soak;

import dev.sluice.engine.rules.Rule;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.job.importers.RuleText;
import dev.sluice.job.kafka.RuleDraft;
import dev.sluice.job.kafka.RulePublisher;
import dev.sluice.job.rules.RuleContent;
import dev.sluice.job.rules.RuleEdit;
import dev.sluice.job.rules.RuleEdits;
import dev.sluice.job.rules.RuleName;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Publishes changes of rules again and again, and knows the rules of each version. */
final class SoakRules implements AutoCloseable {
    private static final int RULES = 40;
    private static final int EDITS = 3;
    private static final long PAUSE_MILLIS = 400;
    private static final String NAME = "soak";
    private static final String DEFAULT_ACTION = "drop";
    private static final int PRIORITIES = 4;
    private static final int PORTS = 64;
    private static final int PORT_BITS = 6;
    private static final int ACTIONS = 9;

    private final Random random;
    private final RulePublisher publisher;
    private final RuleContent content = new RuleContent(List.of());
    private final Map<Long, RuleSet> published = new ConcurrentHashMap<>();
    private final ScheduledExecutorService clock =
            Executors.newSingleThreadScheduledExecutor(
                    work -> {
                        Thread thread = new Thread(work, "soak rules");
                        thread.setDaemon(true);
                        return thread;
                    });
    private volatile long version;
    private volatile @Nullable RuntimeException failure;

    /** Publishes the first version. */
    SoakRules(String bootstrap, String topic, long seed) {
        random = new Random(seed);
        publisher =
                new RulePublisher(bootstrap, RulePublisher.Options.of(topic), (done, all) -> {});
        version = publisher.takeOver().version();
        publish(RULES);
    }

    /** Publishes others from now on. */
    void start() {
        var unused =
                clock.scheduleWithFixedDelay(
                        this::change, PAUSE_MILLIS, PAUSE_MILLIS, TimeUnit.MILLISECONDS);
    }

    private void change() {
        try {
            publish(EDITS);
        } catch (RuntimeException e) {
            failure = e;
            throw e; // no more come
        }
    }

    /**
     * Publishes a version. It is known before it is published: its verdicts may come before the
     * publisher hears that it is.
     */
    private synchronized void publish(int edits) {
        RuleEdits transaction = new RuleEdits(content);
        for (int i = 0; i < edits; i++) {
            edit(transaction);
        }
        RuleDraft draft = RuleDraft.delta(NAME, DEFAULT_ACTION, null, transaction.take());
        List<Rule> rules = content.rules();
        long next = version + 1;
        published.put(next, RuleSet.of(NAME, next, DEFAULT_ACTION, rules));
        long now = publisher.publish(List.of(draft), content).version();
        for (long other = next + 1; other <= now; other++) { // a snapshot of the same rules
            published.put(other, RuleSet.of(NAME, other, DEFAULT_ACTION, rules));
        }
        version = now;
    }

    private void edit(RuleEdits transaction) {
        List<Rule> there = content.rules();
        if (there.size() < RULES || there.size() < 2 * RULES && random.nextBoolean()) {
            transaction.apply(new RuleEdit.Add(rule(), RuleEdit.Position.LAST));
            return;
        }
        long id = there.get(random.nextInt(there.size())).id();
        RuleName name = new RuleName(String.valueOf(id), id, null);
        transaction.apply(
                random.nextBoolean()
                        ? new RuleEdit.Remove(name)
                        : new RuleEdit.Change(name, rule()));
    }

    /** A rule for some of the ports, so that rules overlap. */
    private Rule rule() {
        int mask = (1 << 1 + random.nextInt(PORT_BITS)) - 1;
        return RuleText.parse(
                "priority=%d,%s,tp_dst=%d/%d,actions=output:%d"
                        .formatted(
                                random.nextInt(PRIORITIES),
                                random.nextBoolean() ? "tcp" : "udp",
                                random.nextInt(PORTS) & mask,
                                mask,
                                random.nextInt(ACTIONS)));
    }

    /** Something that is done while no version is under way. */
    interface Pause {
        /** Does it. */
        void run() throws InterruptedException;
    }

    /**
     * Does something while nothing is published: a publisher that does not hear whether Kafka has
     * committed ends.
     */
    synchronized void whileQuiet(Pause pause) throws InterruptedException {
        pause.run();
    }

    /** The rules of a version; null if it was not published. */
    @Nullable RuleSet of(long wanted) {
        return published.get(wanted);
    }

    /** Forgets the rules of versions that no verdict is to come by any more. */
    void forgetBelow(long oldest) {
        published.keySet().removeIf(known -> known < oldest);
    }

    /** The newest version. */
    long version() {
        return version;
    }

    /** Fails if a version could not be published. */
    void check() {
        RuntimeException e = failure;
        if (e != null) {
            throw e;
        }
    }

    /** Publishes no more. */
    void stop() throws InterruptedException {
        clock.shutdown();
        if (!clock.awaitTermination(1, TimeUnit.MINUTES)) {
            throw new IllegalStateException("a version is still under way");
        }
        check();
    }

    @Override
    public void close() {
        clock.shutdownNow();
        publisher.close();
    }
}
