package dev.sluice.job.lab.soak;

import dev.sluice.engine.rules.RuleSet;
import dev.sluice.job.SluiceException;
import dev.sluice.job.kafka.KafkaClients;
import dev.sluice.job.kafka.TopicReader;
import dev.sluice.operators.rules.RuleBook;
import dev.sluice.operators.rules.RuleTransaction;
import dev.sluice.operators.rules.RuleTransactions;
import dev.sluice.schemas.codec.MalformedMessageException;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
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
    private static final Duration POLL = Duration.ofMillis(20);
    private static final Duration PATIENCE = Duration.ofMinutes(3);
    private static final long PAUSE_NANOS = 500_000_000;

    private final String bootstrap;
    private final String topic;
    private final long seed;
    private final int versionsPerSecond;
    private final Path log;
    private final TopicReader reader;
    private final RuleBook book = new RuleBook();
    private final RuleTransactions transactions = new RuleTransactions(book);
    private final Thread reading = daemon(this::read, "soak rules");
    private final Thread publishing = daemon(this::publish, "soak publisher");

    /** The versions of the topic, and what publishers say of them, until they are forgotten. */
    private final Map<Long, RuleSet> published = new HashMap<>();

    private final Map<Long, Integer> said = new HashMap<>();

    private long version;
    private long forgotten;
    private long newestNanos = System.nanoTime();
    private int publishers;
    private @Nullable Process process;
    private boolean held;
    private boolean stopped;

    /** Whether the last publisher has ended: what is in the topic then is all. */
    private boolean complete;

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
        reader = new TopicReader(new KafkaClients(bootstrap), List.of(topic));
        reading.start();
        publishing.start();
        await(1);
        check();
    }

    private static Thread daemon(Runnable work, String name) {
        Thread thread = new Thread(work, name);
        thread.setDaemon(true);
        return thread;
    }

    /** Starts one publisher after the other until no more are wanted. */
    private void publish() {
        try {
            for (Process one = launch(); one != null; one = launch()) {
                try (BufferedReader lines = one.inputReader()) {
                    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                        String[] words = line.split(" ");
                        say(Long.parseLong(words[0]), Integer.parseInt(words[1]));
                    }
                }
                one.waitFor();
            }
        } catch (IOException | RuntimeException e) {
            fail(new SluiceException("the publisher of rules cannot be run: " + e.getMessage(), e));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** The next publisher, when it may be there; null if no more are wanted. */
    private synchronized @Nullable Process launch() throws IOException, InterruptedException {
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
        List<String> line = new ArrayList<>();
        line.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        line.addAll(List.of("-Xmx128m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"));
        String logging = System.getProperty("log4j2.configurationFile");
        if (logging != null) {
            line.add("-Dlog4j2.configurationFile=" + logging);
        }
        line.addAll(List.of("-cp", System.getProperty("java.class.path")));
        line.add(SoakPublisher.class.getName());
        line.addAll(List.of(bootstrap, topic, String.valueOf(seed + publishers++)));
        line.add(String.valueOf(versionsPerSecond));
        Process started =
                new ProcessBuilder(line)
                        .redirectError(ProcessBuilder.Redirect.appendTo(log.toFile()))
                        .start();
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

    private void read() {
        try {
            while (!isComplete()) {
                poll();
            }
            var ends = reader.ends();
            while (!reader.reached(ends)) {
                poll();
            }
        } catch (MalformedMessageException e) {
            fail(
                    new SluiceException(
                            "topic %s has what no publisher sends: %s"
                                    .formatted(topic, e.getMessage()),
                            e));
        } catch (RuntimeException e) {
            fail(e);
        } finally {
            reader.close();
        }
    }

    private void poll() throws MalformedMessageException {
        for (ConsumerRecord<byte[], byte[]> message : reader.poll(POLL)) {
            RuleTransaction done = transactions.accept(message.value());
            RuleSet rules = done == null || book.apply(done) == null ? null : book.ruleSet();
            if (rules != null) {
                take(rules);
            }
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

    private synchronized boolean isComplete() {
        return complete;
    }

    /** Waits until a version is read, or something has failed. */
    synchronized void await(long wanted) throws InterruptedException {
        long until = System.nanoTime() + PATIENCE.toNanos();
        while (version < wanted && failure == null && System.nanoTime() < until) {
            TimeUnit.NANOSECONDS.timedWait(this, PAUSE_NANOS);
        }
    }

    /** Ends the publisher by SIGKILL; the next one waits for {@link #again}. */
    void kill() throws InterruptedException {
        Process running;
        synchronized (this) {
            held = true;
            running = process;
        }
        if (running != null) {
            running.destroyForcibly().waitFor();
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
        if (System.nanoTime() - newestNanos > PATIENCE.toNanos()) {
            throw new SluiceException(
                    "no version of the rules was published within %d s; see %s"
                            .formatted(PATIENCE.toSeconds(), log));
        }
    }

    /** Publishes no more, and reads all that was published. */
    void stop() throws InterruptedException {
        Process running;
        synchronized (this) {
            running = process;
            stopped = true;
            notifyAll();
        }
        if (running != null) {
            try {
                running.getOutputStream().close();
            } catch (IOException e) {
                throw new SluiceException("the publisher has ended: " + e.getMessage(), e);
            }
        }
        publishing.join();
        synchronized (this) {
            complete = true;
        }
        reading.join();
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
            synchronized (this) {
                stopped = true;
                notifyAll();
            }
            publishing.join();
            reading.join(
                    Duration.ofSeconds(5).toMillis()); // a broker that is gone is not waited for
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
