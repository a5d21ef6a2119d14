package dev.sluice.lab.soak;

import dev.sluice.engine.rules.RuleSet;
import dev.sluice.job.kafka.KafkaClients;
import dev.sluice.job.kafka.TopicReader;
import dev.sluice.lab.kit.LabProcess;
import dev.sluice.lab.kit.TopicTail;
import dev.sluice.lab.kit.Workers;
import dev.sluice.operators.rules.topic.RuleTransaction;
import dev.sluice.operators.rules.topic.TopicFollower;
import dev.sluice.policy.io.SluiceException;
import dev.sluice.schemas.codec.MalformedMessageException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;

/**
 * Changes of rules that a {@link SoakPublisher} publishes without an end, and the rules of each
 * version as a reader of the topic finds them. A publisher that ends by itself, as the broker is
 * away, is started again. Each content that a publisher knows as committed must be in the topic.
 */
final class SoakRules implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofMinutes(3);
    private static final long PAUSE_NANOS = 500_000_000;

    private final String bootstrap;
    private final String topic;
    private final long seed;
    private final int versionsPerSecond;
    private final Path log;
    private final TopicFollower follower = new TopicFollower();
    private final TopicTail reading;
    private final Workers publishing = new Workers("the publisher of rules cannot be run");

    /** The versions of the topic, and what publishers say of them, until they are forgotten. */
    private final Map<Long, RuleSet> published = new HashMap<>();

    private final Map<Long, Integer> said = new HashMap<>();

    private long version;
    private long forgotten;
    private long newestNanos = System.nanoTime();
    private int publishers;
    private @Nullable LabProcess process;
    private boolean held;
    private boolean stopped;
    private @Nullable RuntimeException failure;

    /**
     * Starts a publisher, and waits for its first version.
     *
     * @param topic the rules topic, which must exist
     * @param log takes what the publishers print on stderr
     */
    SoakRules(String bootstrap, String topic, long seed, int versionsPerSecond, Path log)
            throws InterruptedException {
        this.bootstrap = bootstrap;
        this.topic = topic;
        this.seed = seed;
        this.versionsPerSecond = versionsPerSecond;
        this.log = log;
        TopicReader reader = new TopicReader(new KafkaClients(bootstrap), List.of(topic));
        reading = new TopicTail("soak rules", List.of(reader), this::read);
        publishing.start("soak publisher", this::publish);
        await(1);
        check();
    }

    /** Starts one publisher after the other until no more are wanted. */
    private void publish() throws InterruptedException {
        for (LabProcess one = launch(); one != null; one = launch()) {
            for (String line = one.readLine(); line != null; line = one.readLine()) {
                String[] words = line.split(" ");
                say(Long.parseLong(words[0]), Integer.parseInt(words[1]));
            }
            one.await();
        }
    }

    /** The next publisher, when it may be there; null if no more are wanted. */
    private synchronized @Nullable LabProcess launch() throws InterruptedException {
        // A broker that is away is away for longer.
        long until = System.nanoTime() + (publishers > 0 ? PAUSE_NANOS : 0);
        for (long left = until - System.nanoTime();
                left > 0 && !stopped;
                left = until - System.nanoTime()) {
            TimeUnit.NANOSECONDS.timedWait(this, left);
        }
        while (held && !stopped) {
            wait();
        }
        if (stopped) {
            return null;
        }
        LabProcess started =
                new LabProcess(
                        "the publisher of rules",
                        log,
                        null,
                        List.of("-Xmx128m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"),
                        SoakPublisher.class,
                        List.of(
                                bootstrap,
                                topic,
                                String.valueOf(seed + publishers++),
                                String.valueOf(versionsPerSecond)));
        process = started;
        return started;
    }

    /** Hears of a commit: a line comes whole, since a process writes it at once. */
    private synchronized void say(long number, int digest) {
        if (number >= forgotten) {
            said.put(number, digest);
            compare(number);
        }
    }

    private void read(ConsumerRecord<byte[], byte[]> message) throws MalformedMessageException {
        if (follower.accept(message.value(), RuleTransaction.NO_TIME) != null) {
            take(follower.book().newest());
        }
    }

    private synchronized void take(RuleSet rules) {
        version = rules.version();
        newestNanos = System.nanoTime();
        published.put(version, rules);
        compare(version);
        notifyAll();
    }

    private synchronized void compare(long number) {
        RuleSet rules = published.get(number);
        Integer digest = rules == null ? null : said.remove(number);
        if (rules != null && digest != null && digest != SoakPublisher.digest(rules.rules())) {
            fail(
                    new SluiceException(
                            "version %d of the rules is another one in topic %s than was published"
                                    .formatted(number, topic)));
        }
    }

    private synchronized void fail(RuntimeException e) {
        failure = failure == null ? e : failure;
        notifyAll();
    }

    /** Waits until a version is read, or something has failed. */
    synchronized void await(long wanted) throws InterruptedException {
        long until = System.nanoTime() + PATIENCE.toNanos();
        while (version < wanted && failure == null && System.nanoTime() < until) {
            reading.check();
            publishing.check();
            TimeUnit.NANOSECONDS.timedWait(this, PAUSE_NANOS);
        }
    }

    /** Ends the publisher by SIGKILL; the next one waits for {@link #again}. */
    void kill() throws InterruptedException {
        LabProcess running;
        synchronized (this) {
            held = true;
            running = process;
        }
        if (running != null) {
            running.kill();
        }
    }

    /** Has the next publisher start. */
    synchronized void again() {
        held = false;
        notifyAll();
    }

    /** The rules of a version; null if it was not published. */
    synchronized @Nullable RuleSet of(long wanted) {
        return published.get(wanted);
    }

    /** Forgets the rules of versions that no verdict is to come by any more. */
    synchronized void forgetBelow(long oldest) {
        forgotten = Math.min(oldest, version);
        published.keySet().removeIf(known -> known < forgotten);
    }

    /** The newest version. */
    synchronized long version() {
        return version;
    }

    /** Fails if the topic is not as it should be, or nobody comes to publish. */
    synchronized void check() {
        if (failure != null) {
            throw failure;
        }
        reading.check();
        publishing.check();
        if (System.nanoTime() - newestNanos > PATIENCE.toNanos()) {
            throw new SluiceException(
                    "no version of the rules was published within %d s; see %s"
                            .formatted(PATIENCE.toSeconds(), log));
        }
    }

    /** Publishes no more, and reads all that was published. */
    void stop() throws InterruptedException {
        LabProcess running;
        synchronized (this) {
            running = process;
            stopped = true;
            notifyAll();
        }
        if (running != null) {
            running.endInput();
        }
        publishing.stop();
        reading.stop(); // what is in the topic then is all
        synchronized (this) {
            check();
            if (!said.isEmpty()) {
                throw new SluiceException(
                        "versions %s of the rules were committed, and are not in topic %s"
                                .formatted(said.keySet(), topic));
            }
        }
    }

    @Override
    public void close() {
        try {
            kill();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        synchronized (this) {
            stopped = true;
            notifyAll();
        }
        publishing.close();
        reading.close();
    }
}
