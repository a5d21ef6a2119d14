package dev.sluice.job.rules;

import dev.sluice.engine.rules.Rule;
import dev.sluice.engine.rules.RuleDelta;
import dev.sluice.job.ruletopic.RuleDraft;
import dev.sluice.job.ruletopic.RulePublisher;
import dev.sluice.job.ruletopic.RulesNotPublishedException;
import dev.sluice.policy.SwitchPorts;
import dev.sluice.policy.io.SluiceException;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Publishes edits as they come, line by line: a transaction takes up to 1,000 of them, or what came
 * within 10 ms of its first. While Kafka commits, more lines are read; transactions that pile up
 * meanwhile are committed together. A line that cannot be carried out is named, and passed over.
 * While nothing is published, heartbeats may be sent.
 *
 * <p>One thread reads and parses, the calling one applies and publishes.
 */
public final class EditFollower {
    private static final int MOST_EDITS = 1_000;
    private static final long MOST_NANOS = 10_000_000L;

    /** Transactions that are committed together at most. */
    private static final int MOST_TOGETHER = 16;

    /** Lines that are read ahead. */
    private static final int MOST_LINES = 1 << 15;

    /** A line as it was parsed: an edit, or what is wrong with it or with the input. */
    private record Line(long number, @Nullable RuleEdit edit, @Nullable Exception wrong) {}

    private static final Line END = new Line(0, null, null);

    /**
     * Result of following edits.
     *
     * @param changes edits published
     * @param refused lines passed over
     * @param version the newest version, or that before if nothing was published
     * @param nanos from the arrival of the first line to the last commit; 0 if nothing was
     *     published
     */
    public record Result(long lines, long changes, long refused, long version, long nanos) {
        /** Changes a second. */
        public double changesPerSecond() {
            return nanos == 0 ? 0 : changes * 1e9 / nanos;
        }
    }

    private final RulePublisher publisher;
    private final RuleContent content;
    private final String ruleSet;
    private final String defaultAction;
    private final Consumer<Rule> check;
    private final PrintWriter out;
    private final PrintWriter err;

    private final RuleEdits edits;
    private final List<RuleDraft> drafts = new ArrayList<>();
    private long editsInDrafts;
    private long lines;
    private long published;
    private long publishedLine;
    private long firstNanos;
    private long publishedNanos;
    private long refused;
    private long version;

    /** Pause before a heartbeat; 0: none is sent. */
    private long heartbeatNanos;

    /** When something was last committed, be it a heartbeat. */
    private long toldNanos;

    /**
     * A follower.
     *
     * @param publisher has taken over
     * @param version the version that stands
     * @param content its rules; edited from here on
     * @param check refuses a rule that cannot be served, by a SluiceException
     * @param out takes a line of JSON for each commit
     * @param err takes what is wrong with lines
     */
    public EditFollower(
            RulePublisher publisher,
            long version,
            RuleContent content,
            String ruleSet,
            String defaultAction,
            Consumer<Rule> check,
            PrintWriter out,
            PrintWriter err) {
        this.publisher = publisher;
        this.version = version;
        this.content = content;
        this.ruleSet = ruleSet;
        this.defaultAction = defaultAction;
        this.check = check;
        this.out = out;
        this.err = err;
        this.edits = new RuleEdits(content);
    }

    /**
     * Publishes until the lines end.
     *
     * @param ports names of ports of a switch that rules may use
     * @param pause after so long without a commit a heartbeat is sent; zero: none
     * @throws SluiceException if another publisher takes over, or Kafka refuses; says from which
     *     line on nothing was published
     */
    public Result run(BufferedReader in, SwitchPorts ports, Duration pause)
            throws IOException, InterruptedException {
        heartbeatNanos = pause.toNanos();
        toldNanos = System.nanoTime();
        BlockingQueue<Line> queue = new ArrayBlockingQueue<>(MOST_LINES);
        Thread reader = new Thread(() -> read(in, ports, queue), "rule edits");
        reader.setDaemon(true); // it may wait for a line for ever
        reader.start();
        try {
            boolean more = true;
            while (more) {
                more = takeGroup(queue);
                commit();
            }
        } catch (RulesNotPublishedException e) {
            throw new SluiceException(e.why() + "; " + remainder(e.isKnown()), e);
        } catch (SluiceException e) {
            throw new SluiceException(e.getMessage() + "; " + remainder(true), e);
        } finally {
            reader.interrupt();
        }
        return new Result(lines, published, refused, version, publishedNanos - firstNanos);
    }

    /**
     * Says which lines are published, and which are to be sent again.
     *
     * @param known whether it is known that nothing was published since the last commit
     */
    private String remainder(boolean known) {
        String done =
                publishedLine == 0
                        ? "no line is published"
                        : "the lines up to %d are published".formatted(publishedLine);
        return known
                ? done + (publishedLine == 0 ? ": send them again" : ": send the rest again")
                : "%s, those up to %d perhaps: sluice rules log tells; send what is missing again"
                        .formatted(done, lines);
    }

    /** Waits for edits, and takes what comes within the time of a transaction, or is there. */
    private boolean takeGroup(BlockingQueue<Line> queue) throws IOException, InterruptedException {
        Line line = await(queue);
        long now = System.nanoTime();
        if (lines == 0) {
            firstNanos = now;
            publishedNanos = now;
        }
        long end = now + MOST_NANOS;
        while (line != null) {
            if (line.equals(END)) {
                return false;
            }
            if (line.wrong() instanceof IOException failure) {
                throw new IOException("standard input cannot be read", failure);
            }
            carryOut(line);
            if (drafts.size() >= MOST_TOGETHER) {
                return true;
            }
            long left = drafts.isEmpty() ? end - System.nanoTime() : 0;
            line = queue.poll(Math.max(0, left), TimeUnit.NANOSECONDS);
        }
        return true;
    }

    /** The next lines; heartbeats are sent until they come. */
    private Line await(BlockingQueue<Line> queue) throws InterruptedException {
        if (heartbeatNanos == 0) {
            return queue.take();
        }
        while (true) {
            long left = heartbeatNanos - (System.nanoTime() - toldNanos);
            Line line = left <= 0 ? null : queue.poll(left, TimeUnit.NANOSECONDS);
            if (line != null) {
                return line;
            }
            publisher.heartbeat();
            toldNanos = System.nanoTime();
        }
    }

    private void carryOut(Line line) {
        lines = line.number();
        RuleEdit edit = line.edit();
        if (edit == null) {
            refuse(line, line.wrong());
            return;
        }
        try {
            if (edit instanceof RuleEdit.Add add) {
                check.accept(add.rule());
            } else if (edit instanceof RuleEdit.Change change) {
                check.accept(change.to());
            }
            edits.apply(edit);
        } catch (SluiceException e) {
            refuse(line, e);
        }
        if (edits.count() == MOST_EDITS) {
            cut();
        }
    }

    private void refuse(Line line, @Nullable Exception why) {
        refused++;
        err.println("line " + line.number() + ": " + (why == null ? "" : why.getMessage()));
    }

    /** Ends a transaction; one whose edits undo each other is none. */
    private void cut() {
        int count = edits.count();
        RuleDelta delta = edits.take();
        editsInDrafts += count;
        if (!delta.isEmpty()) {
            drafts.add(RuleDraft.delta(ruleSet, defaultAction, null, delta));
        }
    }

    private void commit() {
        if (edits.count() > 0) {
            cut();
        }
        if (!drafts.isEmpty()) {
            RulePublisher.Receipt receipt = publisher.publish(drafts, content);
            version = receipt.version();
            publishedNanos = System.nanoTime();
            toldNanos = publishedNanos;
            out.printf(
                    "{\"version\":%d,\"changes\":%d,\"line\":%d,\"bytes\":%d}%n",
                    version, editsInDrafts, lines, receipt.bytes());
            out.flush();
        }
        published += editsInDrafts;
        editsInDrafts = 0;
        publishedLine = lines;
        if (!drafts.isEmpty()) {
            drafts.clear();
            publisher.deleteOld();
        }
        err.flush();
    }

    /** Reads and parses until the lines end. */
    private static void read(BufferedReader in, SwitchPorts ports, BlockingQueue<Line> queue) {
        long number = 0;
        try {
            try {
                for (String text = in.readLine(); text != null; text = in.readLine()) {
                    number++;
                    if (!text.isBlank()) {
                        queue.put(parse(number, text, ports));
                    }
                }
                queue.put(END);
            } catch (IOException e) {
                queue.put(new Line(number, null, e));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // the follower has ended
        }
    }

    private static Line parse(long number, String text, SwitchPorts ports) {
        try {
            return new Line(number, EditLine.parse(text, ports), null);
        } catch (SluiceException e) {
            return new Line(number, null, e);
        }
    }
}
