package dev.sluice.job.replay;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sluice.job.capture.CaptureEnd;
import dev.sluice.job.capture.ReadShare;
import dev.sluice.job.capture.ShutTunnels;
import dev.sluice.job.kafka.MessageProducer;
import dev.sluice.job.kafka.PacketExporter;
import dev.sluice.job.kafka.TopicNames;
import dev.sluice.policy.io.Amount;
import dev.sluice.policy.io.SluiceException;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.StringJoiner;

/** Export of captures, one after another, that reports each. Used once, by one thread. */
public final class CaptureExport {
    private final MessageProducer producer;
    private final Runnable check;
    private final Progress progress;
    private final PrintWriter err;
    private final PacketExporter exporter;
    private final ReadShare share;
    private final List<Path> files;
    private final ObjectNode told = JsonNodeFactory.instance.objectNode();
    private final ArrayNode captures = told.putArray("captures");
    private long packets;
    private long before;
    private int damaged;

    /**
     * Creates an export.
     *
     * @param check called for each packet, and ends the export by an exception
     * @param err takes a line on the end of each capture
     */
    public CaptureExport(
            List<Path> files,
            MessageProducer producer,
            TopicNames topics,
            PacketExporter.Options options,
            Runnable check,
            Progress progress,
            PrintWriter err) {
        this.files = files;
        this.producer = producer;
        this.check = check;
        this.progress = progress;
        this.err = err;
        share = new ReadShare(files);
        exporter = new PacketExporter(producer, topics, options, (capture, packet) -> count());
    }

    private void count() {
        check.run();
        packets++;
        if ((packets & 0xffff) == 0) {
            progress.at(packets, share.part());
        }
    }

    /**
     * Exports the captures.
     *
     * @throws SluiceException if one cannot be read or sent, with the packets that are sent
     */
    public void run() {
        try {
            for (int i = 0; i < files.size(); i++) {
                Path file = files.get(i);
                before = packets;
                CaptureEnd end = exporter.export(file, i, share);
                producer.flush();
                damaged += end.isClean() ? 0 : 1;
                captures.addObject()
                        .put("capture", file.toString())
                        .put("packets", packets - before)
                        .put("end", end.kind().label());
                err.println(end.describe(file.toString()));
                end.describeLone(file.toString()).ifPresent(err::println);
            }
        } catch (SluiceException e) {
            progress.at(packets, packets, false);
            // Of a capture that broke off all is sent; otherwise blocks may not be full yet.
            boolean sent = e.getCause() instanceof IOException;
            if (sent) {
                producer.flush();
            }
            Path file = files.get(captures.size());
            throw new SluiceException(
                    e.getMessage() + "; " + describe(captures, packets - before, file, sent), e);
        }
        progress.at(packets, packets, isClean());
    }

    /**
     * Describes the topics' content after a failed export.
     *
     * @param complete captures that were sent whole
     * @param packets counted packets of the capture behind them
     * @param exactly whether all counted packets of that capture are stored
     */
    static String describe(ArrayNode complete, long packets, Path file, boolean exactly) {
        StringJoiner whole = new StringJoiner(", ");
        for (JsonNode sent : complete) {
            String amount = Amount.of(sent.path("packets").asLong(), "packet");
            whole.add(amount + " of " + sent.path("capture").asText());
        }
        String amount = Amount.of(packets, "packet");
        String last = (exactly ? "the first " : "at most ") + amount + " of " + file;
        return "the topics now hold " + (whole.length() == 0 ? last : whole + " and " + last);
    }

    /** Returns whether all captures ended cleanly. */
    public boolean isClean() {
        return damaged == 0;
    }

    /** Returns the packets whose tunnel was not decapsulated. */
    public ShutTunnels shutTunnels() {
        return exporter.shutTunnels();
    }

    /** Returns the counts as JSON. */
    public ObjectNode json() {
        return told.put("packets", packets);
    }

    /** Describes the counts in a line. */
    public String describe() {
        return Amount.of(packets, "packet")
                + " exported"
                + (isClean()
                        ? ""
                        : "; not what is behind the damage of " + Amount.of(damaged, "capture"));
    }
}
