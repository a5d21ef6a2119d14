package dev.sluice.job.verify;

import dev.sluice.job.capture.CaptureEnd;
import dev.sluice.job.capture.CaptureReader;
import dev.sluice.job.capture.Captures;
import dev.sluice.job.capture.NflogHeader;
import dev.sluice.job.capture.PacketParser;
import dev.sluice.job.capture.ParsedPacket;
import dev.sluice.job.capture.ParserOptions;
import dev.sluice.job.hits.CapturedFacts;
import dev.sluice.policy.TextFiles;
import dev.sluice.policy.io.InputFiles;
import dev.sluice.policy.io.SluiceException;
import dev.sluice.policy.logs.LogLineException;
import dev.sluice.policy.logs.LogText;
import dev.sluice.policy.logs.LoggedPacket;
import dev.sluice.schemas.codec.PacketField;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Log of a device: lines of syslog that netfilter wrote, gzip'd or not, or a capture of an {@code
 * nflog} interface. It is read once, line by line. Not thread-safe.
 */
public final class DeviceLog {
    private static final int MOST_REASON = 200;
    private static final int MOST_REASONS = 50;
    private static final String OTHER_REASONS = "other reasons";

    private final Path file;
    private final CapturedFacts facts;
    private final Map<String, Unread> unread = new LinkedHashMap<>();
    private long lines;
    private long packets;
    private @Nullable CaptureEnd end;

    /** Receiver of packets. */
    public interface Receiver {
        /**
         * Takes a packet.
         *
         * @param line line of the log, or packet of the capture, from 1
         * @return whether more are wanted
         */
        boolean take(long line, LoggedPacket packet);
    }

    /** Packets that cannot be judged for one reason: their number, and the first one's line. */
    public record Unread(long packets, long firstLine) {}

    /**
     * A log.
     *
     * @param facts puts the interfaces of a capture's packets into their headers
     */
    public DeviceLog(Path file, CapturedFacts facts) {
        this.file = file;
        this.facts = facts;
    }

    /**
     * Reads the log.
     *
     * @throws SluiceException if it cannot be read
     */
    public void read(Receiver to) {
        try {
            if (isCapture()) {
                readCapture(to);
            } else {
                readText(to);
            }
        } catch (IOException e) {
            throw new SluiceException(TextFiles.describe("log", file, e), e);
        }
    }

    /** A pipe is read once, and is a text. */
    private boolean isCapture() throws IOException {
        if (InputFiles.isPipe(file)) {
            return false;
        }
        try (CaptureReader reader = Captures.open(file)) {
            return reader.isCapture();
        }
    }

    private void readText(Receiver to) throws IOException {
        try (BufferedReader in = TextFiles.open(file)) {
            boolean more = true;
            for (String line = in.readLine(); line != null && more; line = in.readLine()) {
                lines++;
                try {
                    LoggedPacket packet = LogText.parse(TextFiles.inUtf8(line));
                    if (packet != null) {
                        packets++;
                        more = to.take(lines, packet);
                    }
                } catch (LogLineException e) {
                    packets++;
                    refuse(String.valueOf(e.getMessage()));
                }
            }
        }
    }

    private void readCapture(Receiver to) throws IOException {
        long asked = PacketField.wordBits(ParserOptions.ASKED);
        PacketParser parser = new PacketParser(ParserOptions.DEFAULTS.reading(asked));
        ParsedPacket parsed = new ParsedPacket();
        try (CaptureReader reader = Captures.open(file)) {
            boolean more = true;
            while (more && reader.next()) {
                lines++;
                packets++;
                parser.parse(reader, parsed);
                NflogHeader log = NflogHeader.of(reader, parsed.words());
                if (log == null) {
                    refuse(
                            "is of link type %d; logs are captures of an nflog interface (239), as of tcpdump -i nflog:1"
                                    .formatted(reader.linkType()));
                } else if (!parsed.status().isClassified()) {
                    refuse(parsed.status().reason(reader.linkType()));
                } else {
                    facts.put(reader, parsed);
                    int[] header = parsed.words().clone();
                    more =
                            to.take(
                                    lines,
                                    new LoggedPacket(
                                            log.prefix(), log.hook(), null, null, header, ""));
                }
            }
            end = more ? reader.end() : null;
        }
    }

    private void refuse(String reason) {
        unread.merge(
                reason.length() < MOST_REASON && unread.size() < MOST_REASONS
                        ? reason
                        : OTHER_REASONS,
                new Unread(1, lines),
                (old, one) -> new Unread(old.packets + 1, old.firstLine));
    }

    /** Number of lines, or of packets of a capture, that were read. */
    public long lines() {
        return lines;
    }

    /** Number of packets that the device logged, as far as it was read. */
    public long packets() {
        return packets;
    }

    /** Packets that cannot be judged, by reason. */
    public Map<String, Unread> unread() {
        return Collections.unmodifiableMap(unread);
    }

    /** The end of a capture that was read to its end; null: a text. */
    public @Nullable CaptureEnd end() {
        return end;
    }
}
