package dev.sluice.job.capture;

import dev.sluice.policy.io.Amount;
import java.util.Locale;
import java.util.Optional;

/**
 * End of the reading of a capture.
 *
 * @param kind the kind of end
 * @param offset byte offset in the (decompressed) capture of the record or block that could not be
 *     read; at a clean end, the capture's length
 * @param detail description of the defect; empty at a clean end
 * @param packets packets that were read before
 * @param lone later fragments among them whose first fragment was not among them, or too long ago
 * @param evicted datagrams, whole ones too, that others displaced from the table before their time
 *     was over
 */
public record CaptureEnd(
        Kind kind, long offset, String detail, long packets, long lone, long evicted) {
    /** Kind of end, with a stable label. */
    public enum Kind {
        EOF,
        EMPTY_FILE,
        CUT_SHORT,
        TRUNCATED_FILE_HEADER,
        BAD_MAGIC,
        UNSUPPORTED_VERSION,
        TRUNCATED_RECORD_HEADER,
        TRUNCATED_RECORD_BODY,
        BAD_CAPLEN,
        TRUNCATED_BLOCK,
        BAD_BLOCK_LENGTH,
        BAD_INTERFACE_ID,
        BAD_BYTE_ORDER_MAGIC,
        SECOND_CAPTURE,
        GZ_TRUNCATED,
        GZ_CORRUPT,
        GZ_TRAILING_GARBAGE,
        ZSTD_TRUNCATED,
        ZSTD_CORRUPT,
        LZ4_TRUNCATED,
        LZ4_CORRUPT;

        /** Returns the label that commands print, such as {@code bad-magic}. */
        public String label() {
            return name().toLowerCase(Locale.ROOT).replace('_', '-');
        }
    }

    /** Tells whether the capture was read to its regular end. */
    public boolean isClean() {
        return kind == Kind.EOF;
    }

    /** Describes the end in one line, naming the file. */
    public String describe(String file) {
        String more = detail.isEmpty() ? "" : ": " + detail;
        return isClean()
                ? file + ": read to its end"
                : "%s: %s at byte %d%s".formatted(file, kind.label(), offset, more);
    }

    /** Describes the later fragments without a first one, naming the file; empty: there is none. */
    public Optional<String> describeLone(String file) {
        if (lone == 0) {
            return Optional.empty();
        }
        String bound =
                evicted == 0
                        ? ""
                        : "; it may be one of the %,d that newer ones displaced from the table of %,d"
                                .formatted(evicted, Datagrams.MOST);
        return Optional.of(
                "%s: %s without the first one of the datagram before it%s"
                        .formatted(file, Amount.of(lone, "later fragment"), bound));
    }

    /** Describes the end of a classified capture, and which of its packets were classified. */
    public String describeClassified(String file) {
        return describe(file)
                + (packets == 0
                        ? "; nothing of it was classified"
                        : "; every packet before it was classified");
    }
}
