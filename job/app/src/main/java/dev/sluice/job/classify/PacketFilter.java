package dev.sluice.job.classify;

import dev.sluice.job.capture.CaptureBatch;
import dev.sluice.job.capture.CaptureEnd;
import dev.sluice.job.capture.CaptureReader;
import dev.sluice.job.capture.CaptureWriter;
import dev.sluice.job.capture.KeptPackets;
import dev.sluice.job.capture.ReadShare;
import dev.sluice.job.hits.CaptureHits;
import dev.sluice.policy.TextFiles;
import dev.sluice.policy.io.SluiceException;
import java.io.IOException;
import java.util.function.BooleanSupplier;
import java.util.function.LongConsumer;

/**
 * Hands packets on as they were captured, if their verdict is one that is asked for. What has come
 * is handed on before a read that may wait. Not thread-safe.
 */
public final class PacketFilter {
    private final CaptureHits hits;
    private final VerdictChoice choice;
    private final CaptureWriter out;
    private final BooleanSupplier stopped;
    private final ReadShare share;
    private final LongConsumer progress;
    private final CaptureBatch batch;
    private final KeptPackets kept = new KeptPackets(CaptureHits.BATCH);
    private long handedOn;

    /** A failure to write, which is no defect of the capture that is read. */
    public static final class WriteException extends IOException {
        private static final long serialVersionUID = 1L;

        private WriteException(IOException cause) {
            super(cause.getMessage(), cause);
        }
    }

    /**
     * A filter that has handed nothing on.
     *
     * @param stopped whether to end reading where it is
     * @param share counts what is read
     * @param progress hears how many packets were classified
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
        batch = hits.newBatch();
    }

    /**
     * Filters a capture.
     *
     * @param index its position among the captures
     * @return how it ended; every packet before that was classified
     * @throws SluiceException if it cannot be read, or a packet cannot be written in this form
     * @throws WriteException if nothing can be written any more
     */
    public CaptureEnd add(CaptureSource source, int index) throws WriteException {
        batch.clear(index);
        kept.clear(index);
        try (CaptureReader packets =
                CaptureReader.open(
                        new LiveInput(
                                share.count(source.open()), null, stopped, () -> handOn(index)))) {
            while (packets.next()) {
                begin(packets.linkType());
                batch.add(packets);
                kept.add(packets);
                if (batch.isFull() || kept.isFull()) {
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

    private void begin(int linkType) throws WriteException {
        try {
            out.begin(linkType);
        } catch (IOException e) {
            throw new WriteException(e);
        }
    }

    private void handOn(int index) throws WriteException {
        write(index);
        try {
            out.flush();
        } catch (IOException e) {
            throw new WriteException(e);
        }
    }

    private void write(int index) throws WriteException {
        if (kept.size() == 0) {
            return;
        }
        int[] found = hits.classify(batch);
        int header = 0;
        try {
            for (int i = 0; i < batch.packets(); i++) {
                if (batch.reason(i) == null && choice.chooses(found[header++])) {
                    out.write(kept, i);
                    handedOn++;
                }
            }
        } catch (IOException e) {
            throw new WriteException(e);
        }
        batch.clear(index);
        kept.clear(index);
        progress.accept(hits.packets());
    }

    /** Packets that were handed on. */
    public long handedOn() {
        return handedOn;
    }
}
