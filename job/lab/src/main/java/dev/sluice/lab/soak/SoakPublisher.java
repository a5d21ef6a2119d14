package dev.sluice.lab.soak;

import dev.sluice.engine.rules.Rule;
import dev.sluice.job.kafka.KafkaClients;
import dev.sluice.job.rules.RuleContent;
import dev.sluice.job.rules.RuleEdit;
import dev.sluice.job.rules.RuleEdits;
import dev.sluice.job.ruletopic.RuleDraft;
import dev.sluice.job.ruletopic.RuleKeep;
import dev.sluice.job.ruletopic.RulePublisher;
import dev.sluice.job.ruletopic.RuleStanding;
import dev.sluice.policy.RuleText;
import dev.sluice.policy.io.SluiceException;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;

/**
 * Publisher of random rules, in a process of its own that a run can kill. It goes on from what the
 * topic has, prints version and digest of each content that Kafka has committed, and ends with its
 * standard input.
 */
final class SoakPublisher {
    private static final String NAME = "soak";
    private static final String DEFAULT_ACTION = "drop";
    private static final int RULES = 40;
    private static final int EDITS = 3;
    private static final int PRIORITIES = 4;
    private static final int PORTS = 64;
    private static final int PORT_BITS = 6;
    private static final int ACTIONS = 9;

    /** Versions that one transaction of Kafka's holds where the publisher is late. */
    private static final int MOST_TOGETHER = 16;

    private static final long PAUSE_NANOS = 2_000_000;

    /** Bounds the topic, however long a run is. */
    private static final RuleKeep KEEP = new RuleKeep(2, Duration.ZERO);

    private final Random random;
    private final RulePublisher publisher;
    private final RuleContent content;

    private SoakPublisher(RulePublisher publisher, long seed) {
        random = new Random(seed);
        this.publisher = publisher;
        RuleStanding base = publisher.takeOver();
        content = new RuleContent(base.rules() == null ? List.of() : base.rules().rules());
    }

    /**
     * The process.
     *
     * @param arguments broker, rules topic, seed, versions a second
     */
    public static void main(String[] arguments) {
        AtomicBoolean stopped = new AtomicBoolean();
        Thread end = new Thread(() -> awaitEndOfInput(stopped), "end of input");
        end.setDaemon(true);
        end.start();
        try (RulePublisher publisher =
                new RulePublisher(
                        new KafkaClients(arguments[0]),
                        RulePublisher.Options.of(arguments[1]).with(0, KEEP),
                        (done, all) -> {})) {
            new SoakPublisher(publisher, Long.parseLong(arguments[2]))
                    .run(Integer.parseInt(arguments[3]), stopped);
        } catch (SluiceException e) {
            System.err.println(e.getMessage());
            System.exit(1);
        }
    }

    private static void awaitEndOfInput(AtomicBoolean stopped) {
        try {
            System.in.transferTo(OutputStream.nullOutputStream());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } finally {
            stopped.set(true);
        }
    }

    private void run(int versionsPerSecond, AtomicBoolean stopped) {
        long start = System.nanoTime();
        long done = 0;
        while (!stopped.get()) {
            long due = (long) ((System.nanoTime() - start) / 1e9 * versionsPerSecond) + 1 - done;
            if (due <= 0) {
                LockSupport.parkNanos(PAUSE_NANOS);
                continue;
            }
            int now = (int) Math.min(due, MOST_TOGETHER);
            List<RuleDraft> drafts = new ArrayList<>();
            for (int i = 0; i < now; i++) {
                drafts.add(draft(content.size() == 0 ? RULES : EDITS));
            }
            long version = publisher.publish(drafts, content).version();
            System.out.println(version + " " + digest(content.rules()));
            publisher.deleteOld();
            done += now;
        }
    }

    /** Number that two equal contents have both, in any process. */
    static int digest(List<Rule> rules) {
        int digest = 1;
        for (Rule rule : rules) {
            digest =
                    31 * digest
                            + Objects.hash(rule.id(), rule.priority(), rule.match(), rule.action());
        }
        return digest;
    }

    private RuleDraft draft(int edits) {
        RuleEdits transaction = new RuleEdits(content);
        for (int i = 0; i < edits; i++) {
            edit(transaction);
        }
        return RuleDraft.delta(NAME, DEFAULT_ACTION, null, transaction.take());
    }

    private void edit(RuleEdits transaction) {
        List<Rule> there = content.rules();
        if (there.size() < RULES || there.size() < 2 * RULES && random.nextBoolean()) {
            transaction.apply(new RuleEdit.Add(rule(), RuleEdit.Position.LAST));
            return;
        }
        long id = there.get(random.nextInt(there.size())).id();
        RuleEdit.Name name = new RuleEdit.Name(String.valueOf(id), id, null);
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
}
