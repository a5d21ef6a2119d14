package dev.sluice.job.classify;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sluice.engine.lookup.VerdictBatch;
import dev.sluice.job.capture.CaptureBatch;
import dev.sluice.job.capture.CaptureEnd;
import dev.sluice.job.capture.CaptureReader;
import dev.sluice.job.capture.CaptureWriter;
import dev.sluice.job.capture.Captures;
import dev.sluice.job.capture.KeptPackets;
import dev.sluice.job.capture.ReadShare;
import dev.sluice.job.hits.CaptureHits;
import dev.sluice.policy.TextFiles;
import dev.sluice.policy.io.Amount;
import dev.sluice.policy.io.SluiceException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.LongConsumer;
import org.apache.flink.util.function.ThrowingRunnable;

/**
 * Filter that writes packets as they were captured, if their verdict is selected.
 *
 * <p>Selected packets are flushed before a read that may block. Not thread-safe.
 */
public final class PacketFilter {
    private final CaptureHits hits;
    private final VerdictChoice choice;
    private final CaptureWriter out;
    private final BooleanSupplier stopped;
    private final ReadShare share;
    private final LongConsumer progress;
    private final KeptPackets kept;
    private long handedOn;

    /** Failure to write, as opposed to a defect of the capture. */
    public static final class WriteException extends IOException {
        private static final long serialVersionUID = 1L;

        private WriteException(IOException cause) {
            super(cause.getMessage(), cause);
        }
    }

    /**
     * Creates a filter.
     *
     * @param stopped whether to stop reading at the present position
     * @param share counts the bytes read
     * @param progress receives the number of classified packets
     */
    public PacketFilter(
            CaptureHits hits,
            VerdictChoice choice,
            CaptureWriter out,
            BooleanSupplier stopped,
            ReadShare share,
            LongConsumer progress) {
        this.hits = hits;
        this.choice = choice;
        this.out = out;
        this.stopped = stopped;
        this.share = share;
        this.progress = progress;
        kept = new KeptPackets(hits.newBatch());
    }

    /**
     * Filters captures one after another, until reading is to stop.
     *
     * @return how the captures that were read ended; every packet before its end was classified
     * @throws WriteException if the output fails
     */
    public List<CaptureEnd> add(List<CaptureSource> sources) throws WriteException {
        List<CaptureEnd> ends = new ArrayList<>();
        for (int i = 0; i < sources.size() && !stopped.getAsBoolean(); i++) {
            ends.add(add(sources.get(i), i));
        }
        return ends;
    }

    /**
     * Filters a capture.
     *
     * @param index its position among the captures
     * @return how the capture ended; every packet before its end was classified
     * @throws SluiceException if it cannot be read, or a packet cannot be written in this form
     * @throws WriteException if the output fails
     */
    public CaptureEnd add(CaptureSource source, int index) throws WriteException {
        kept.clear(index);
        try (CaptureReader packets =
                Captures.open(
                        new LiveInput(
                                share.count(source.open()), null, stopped, () -> handOn(index)))) {
            while (packets.next()) {
                attempt(() -> out.begin(packets.linkType()));
                kept.add(packets);
                if (kept.isFull()) {
                    write(index);
                }
            }
            handOn(index);
            return packets.end();
        } catch (WriteException e) {
            throw e;
        } catch (IOException e) {
            handOn(index);
            throw new SluiceException(TextFiles.describe("capture", source.path(), e), e);
        }
    }

    private static void attempt(ThrowingRunnable<IOException> writing) throws WriteException {
        try {
            writing.run();
        } catch (IOException e) {
            throw new WriteException(e);
        }
    }

    private void handOn(int index) throws WriteException {
        write(index);
        attempt(out::flush);
    }

    private void write(int index) throws WriteException {
        CaptureBatch batch = kept.batch();
        if (batch.packets() == 0) {
            return;
        }
        VerdictBatch found = hits.classify(batch);
        attempt(() -> writeChosen(batch, found));
        kept.clear(index);
        progress.accept(hits.packets());
    }

    private void writeChosen(CaptureBatch batch, VerdictBatch found) throws IOException {
        int header = 0;
        for (int i = 0; i < batch.packets(); i++) {
            if (batch.reason(i) == null && choice.chooses(found.rule(header++))) {
                out.write(kept, i);
                handedOn++;
            }
        }
    }

    /**
     * Returns the counts as JSON.
     *
     * @param to the written capture
     */
    public ObjectNode json(Path to) {
        return JsonNodeFactory.instance
                .objectNode()
                .put("packets", hits.packets())
                .put("handed_on", handedOn)
                .put("dead_letters", hits.unclassified())
                .put("file", to.toString());
    }

    /**
     * Describes the counts in a line.
     *
     * @param to the written capture, - for standard output
     */
    public String describe(Path to) {
        long dead = hits.unclassified();
        return "%,d of %s handed on%s%s"
                .formatted(
                        handedOn,
                        Amount.of(hits.packets(), "packet"),
                        FilteredCapture.isStandardOutput(to) ? "" : " to " + to,
                        dead == 0
                                ? ""
                                : "; " + Amount.of(dead, "dead letter") + " among the others");
    }

    /** Returns lines on packets that were not read or written as they were. */
    public List<String> warnings() {
        List<String> lines = new ArrayList<>();
        if (hits.shutTunnels().sum() > 0) {
            lines.add(hits.shutTunnels().describe());
        }
        if (out.movedTimes() > 0) {
            lines.add(
                    "without a time that the file can hold: %s; they have the nearest one"
                            .formatted(Amount.of(out.movedTimes(), "packet")));
        }
        return lines;
    }
}
