package dev.sluice.job.cli;

import dev.sluice.engine.lookup.VerdictBatch;
import dev.sluice.job.capture.CaptureBatch;
import dev.sluice.job.capture.CaptureEnd;
import dev.sluice.job.classify.CaptureFeed;
import dev.sluice.job.classify.CaptureSource;
import dev.sluice.job.classify.VerdictRun;
import dev.sluice.job.hits.CaptureHits;
import dev.sluice.job.replay.Progress;
import dev.sluice.policy.io.Amount;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.function.BooleanSupplier;

/**
 * Packets that the rules of before and those of after judge.
 *
 * @param sees gets each batch
 * @param asked whether the process is to end
 */
record ComparedPackets(
        CaptureHits old, CaptureHits fresh, Sees sees, BooleanSupplier asked, PrintWriter err) {
    /** Takes a batch of packets with their verdicts of before and after. */
    interface Sees {
        void see(CaptureBatch batch, VerdictBatch before, VerdictBatch after);
    }

    /**
     * Reads captures; returns whether all ended cleanly.
     *
     * @param ends takes how each ended
     */
    boolean read(List<Path> captures, List<CaptureSource> sources, List<CaptureEnd> ends)
            throws InterruptedException {
        try (Progress progress = new Progress(err, "comparing");
                CaptureFeed feed =
                        new CaptureFeed(
                                sources, false, () -> old.newBatch().with(fresh.newBatch()))) {
            VerdictRun run = new VerdictRun(feed, old, false, asked, progress);
            run.visit((batch, found) -> sees.see(batch, found, fresh.classify(batch.beside())));
            ends.addAll(feed.ends());
        }
        return CaptureEnds.report(captures, ends, err);
    }

    /**
     * Reads a packets topic; returns whether all its messages can be read.
     *
     * @param names takes the names of the packets' captures
     */
    boolean read(PacketsTopicOptions topic, List<String> names) {
        CaptureBatch batch = old.newBatch().numbered().with(fresh.newBatch().numbered());
        long unreadable;
        try (Progress progress = new Progress(err, "comparing")) {
            unreadable =
                    topic.read(
                            batch,
                            names,
                            some -> {
                                sees.see(some, old.classify(some), fresh.classify(some.beside()));
                                progress.at(old.packets(), Double.NaN);
                            },
                            asked,
                            err);
            progress.at(old.packets(), old.packets(), !asked.getAsBoolean());
        }
        if (unreadable > 0) {
            err.println(
                    "sluice: not compared, as it cannot be read: "
                            + Amount.of(unreadable, "message"));
        }
        return unreadable == 0;
    }
}
