package dev.sluice.job.capture;

/**
 * End of the reading of a capture.
 *
 * @param kind the kind of end
 * @param offset byte offset in the (decompressed) capture of the record or block that could not be
 *     read; at a clean end, the capture's length
 * @param detail description of the defect; empty at a clean end
 * @param packets packets that were read before
 */
public record CaptureEnd(Kind kind, long offset, String detail, long packets) {
    /** Kind of end, with a stable label. */
    public enum Kind {
        EOF("eof"),
        EMPTY_FILE("empty-file"),
        CUT_SHORT("cut-short"),
        TRUNCATED_FILE_HEADER("truncated-file-header"),
        BAD_MAGIC("bad-magic"),
        UNSUPPORTED_VERSION("unsupported-version"),
        TRUNCATED_RECORD_HEADER("truncated-record-header"),
        TRUNCATED_RECORD_BODY("truncated-record-body"),
        BAD_CAPLEN("bad-caplen"),
        TRUNCATED_BLOCK("truncated-block"),
        BAD_BLOCK_LENGTH("bad-block-length"),
        BAD_INTERFACE_ID("bad-interface-id"),
        BAD_BYTE_ORDER_MAGIC("bad-byte-order-magic"),
        SECOND_CAPTURE("second-capture"),
        GZ_TRUNCATED("gz-truncated"),
        GZ_CORRUPT("gz-corrupt"),
        GZ_TRAILING_GARBAGE("gz-trailing-garbage"),
        ZSTD_TRUNCATED("zstd-truncated"),
        ZSTD_CORRUPT("zstd-corrupt"),
        LZ4_TRUNCATED("lz4-truncated"),
        LZ4_CORRUPT("lz4-corrupt");

        private final String label;

        Kind(String label) {
            this.label = label;
        }

        /** Returns the label that commands print. */
        public String label() {
            return label;
        }
    }

    /** Tells whether the capture was read to its regular end. */
    public boolean isClean() {
        return kind == Kind.EOF;
    }

    /** Describes the end in one line, naming the file. */
    public String describe(String file) {
        return isClean()
                ? file + ": read to its end"
                : file
                        + ": "
                        + kind.label()
                        + " at byte "
                        + offset
                        + (detail.isEmpty() ? "" : ": " + detail);
    }

    /** Describes the end of a classified capture, and which of its packets were classified. */
    public String describeClassified(String file) {
        return describe(file)
                + (packets == 0
                        ? "; nothing of it was classified"
                        : "; every packet before it was classified");
    }
}
