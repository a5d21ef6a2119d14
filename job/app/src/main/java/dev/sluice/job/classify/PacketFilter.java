package dev.sluice.job.classify;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sluice.engine.lookup.VerdictBatch;
import dev.sluice.job.capture.CaptureBatch;
import dev.sluice.job.capture.CaptureWriter;
import dev.sluice.job.connections.ConnectionSum;
import dev.sluice.job.hits.CaptureHits;
import dev.sluice.policy.io.Amount;
import dev.sluice.policy.io.SluiceException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Filter that writes packets as they were captured, if their verdict is selected. Not thread-safe.
 */
public final class PacketFilter {
    private final CaptureHits hits;
    private final VerdictChoice choice;
    private final CaptureWriter out;
    private long handedOn;

    /** Creates a filter of verdicts that a classifier gives. */
    public PacketFilter(CaptureHits hits, VerdictChoice choice, CaptureWriter out) {
        this.hits = hits;
        this.choice = choice;
        this.out = out;
    }

    /**
     * Writes the selected packets of a batch that keeps their bytes.
     *
     * @param last whether to flush, since no further batch is available for now
     * @throws SluiceException if a packet cannot be written in this form
     * @throws UncheckedIOException if the output fails
     */
    void write(CaptureBatch batch, VerdictBatch found, boolean last) {
        try {
            out.begin(batch);
            int header = 0;
            for (int i = 0; i < batch.packets(); i++) {
                if (batch.reason(i) == null && choice.chooses(found.rule(header++))) {
                    out.write(batch, i);
                    handedOn++;
                }
            }
            if (last) {
                out.flush();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * Hands on what was written.
     *
     * @throws UncheckedIOException if the output fails
     */
    public void flush() {
        try {
            out.flush();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
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
        ConnectionSum connections = hits.connections();
        if (connections != null) {
            lines.add(connections.describe());
        }
        if (out.movedTimes() > 0) {
            lines.add(
                    "without a time that the file can hold: %s; they have the nearest one"
                            .formatted(Amount.of(out.movedTimes(), "packet")));
        }
        return lines;
    }
}
