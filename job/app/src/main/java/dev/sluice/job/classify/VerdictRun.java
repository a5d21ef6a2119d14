package dev.sluice.job.classify;

import dev.sluice.engine.lookup.VerdictBatch;
import dev.sluice.job.capture.CaptureBatch;
import dev.sluice.job.capture.CaptureEnd;
import dev.sluice.job.hits.CaptureHits;
import dev.sluice.job.replay.LineBytes;
import dev.sluice.job.replay.OutputFile;
import dev.sluice.job.replay.Progress;
import dev.sluice.policy.io.SluiceException;
import java.nio.file.Path;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Classification of captures while they are read: until all is read, nobody reads the verdicts, or
 * the process is to end. Used once, by one thread.
 */
public final class VerdictRun {
    private static final long WAIT_MILLIS = 100;

    private final CaptureFeed feed;
    private final CaptureHits hits;
    private final boolean follow;
    private final BooleanSupplier asked;
    private final @Nullable Progress progress;
    private @Nullable BiConsumer<CaptureBatch, VerdictBatch> also;
    private boolean interrupted;

    /** Takes a batch over with its verdicts, which are good until the next call. */
    private interface Lines {
        void take(CaptureBatch batch, VerdictBatch found) throws InterruptedException;
    }

    /**
     * A run.
     *
     * @param follow whether an interruption is the usual end
     * @param asked whether the process is to end
     * @param progress null: none is shown
     */
    public VerdictRun(
            CaptureFeed feed,
            CaptureHits hits,
            boolean follow,
            BooleanSupplier asked,
            @Nullable Progress progress) {
        this.feed = feed;
        this.hits = hits;
        this.follow = follow;
        this.asked = asked;
        this.progress = progress;
    }

    /** Shows each batch with its verdicts, which are good until the next one, to a visitor, too. */
    public VerdictRun seenBy(BiConsumer<CaptureBatch, VerdictBatch> visitor) {
        also = visitor;
        return this;
    }

    /**
     * Classifies captures, and tells how each ended.
     *
     * @throws SluiceException if one cannot be read
     */
    public static List<CaptureEnd> count(List<Path> captures, CaptureHits hits)
            throws InterruptedException {
        return count(captures, hits, (batch, found) -> {});
    }

    /**
     * As {@link #count(List, CaptureHits)}.
     *
     * @param also sees each batch with its verdicts, which are good until it returns
     */
    public static List<CaptureEnd> count(
            List<Path> captures, CaptureHits hits, BiConsumer<CaptureBatch, VerdictBatch> also)
            throws InterruptedException {
        try (CaptureFeed feed =
                new CaptureFeed(CaptureSource.all(captures), false, hits::newBatch)) {
            new VerdictRun(feed, hits, false, () -> false, null).visit(also);
            return feed.ends();
        }
    }

    /** Classifies without a line a packet. */
    public void count() throws InterruptedException {
        visit((batch, found) -> {});
    }

    /** Classifies, and shows each batch with its verdicts, which are good until the next one. */
    public void visit(BiConsumer<CaptureBatch, VerdictBatch> visitor) throws InterruptedException {
        classify(
                (batch, found) -> {
                    visitor.accept(batch, found);
                    feed.giveBack(batch);
                },
                () -> false);
    }

    /** Classifies, and passes the packets through a filter. */
    public void filter(PacketFilter filter) throws InterruptedException {
        classify(
                (batch, found) -> {
                    filter.write(batch, found, feed.isDrained());
                    feed.giveBack(batch);
                },
                () -> false);
    }

    /**
     * Classifies, and writes a line a packet.
     *
     * @param unread whether nobody reads the lines any more
     */
    public void write(LineBytes.Output to, VerdictText text, BooleanSupplier unread)
            throws InterruptedException {
        try (VerdictWriter lines = new VerdictWriter(to, text, feed::giveBack)) {
            classify(lines::take, unread);
        }
    }

    /**
     * Classifies, and writes a line a packet to a file.
     *
     * @param live whether reading never ends by itself, so that an interruption completes the file
     * @return the file, which has the name of an incomplete one if reading was broken off
     */
    public Path write(Path to, VerdictText text, boolean live) throws InterruptedException {
        try (OutputFile file = follow ? OutputFile.growing(to) : new OutputFile(to)) {
            write(file, text, () -> false);
            if (interrupted && !live) {
                return file.keep();
            }
            file.complete();
            return to;
        }
    }

    private void classify(Lines lines, BooleanSupplier unread) throws InterruptedException {
        while (!feed.isFinished() && !unread.getAsBoolean()) {
            if (asked.getAsBoolean()) {
                interrupted = true;
                feed.stop();
                takeRest(lines);
                show(follow);
                return;
            }
            CaptureBatch batch = feed.next(WAIT_MILLIS);
            if (batch != null) {
                take(batch, lines);
            }
            if (progress != null) {
                progress.at(hits.packets(), feed.share());
            }
        }
        show(feed.isFinished()); // there may have been nothing to classify
    }

    /** Takes what was read before the interruption. */
    private void takeRest(Lines lines) throws InterruptedException {
        CaptureBatch batch = feed.next(WAIT_MILLIS);
        while (batch != null) {
            take(batch, lines);
            batch = feed.next(WAIT_MILLIS);
        }
    }

    private void take(CaptureBatch batch, Lines lines) throws InterruptedException {
        VerdictBatch found = hits.classify(batch);
        if (also != null) {
            also.accept(batch, found);
        }
        lines.take(batch, found);
    }

    private void show(boolean complete) {
        boolean unread = hits.packets() == 0 && !feed.ends().stream().allMatch(CaptureEnd::isClean);
        if (progress != null && !unread) {
            progress.at(hits.packets(), hits.packets(), complete);
        }
    }

    /** Returns whether the process was to end before all was read. */
    public boolean isInterrupted() {
        return interrupted;
    }
}
