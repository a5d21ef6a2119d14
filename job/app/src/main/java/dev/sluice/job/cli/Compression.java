package dev.sluice.job.cli;

import org.apache.kafka.common.record.CompressionType;

/** By what a batch of messages is compressed, as options name it. */
public enum Compression {
    NONE(CompressionType.NONE),
    LZ4(CompressionType.LZ4),
    ZSTD(CompressionType.ZSTD),
    SNAPPY(CompressionType.SNAPPY);

    private final CompressionType type;

    Compression(CompressionType type) {
        this.type = type;
    }

    /**
     * Parses an option's value.
     *
     * @throws dev.sluice.job.UsageException naming the valid values, if it is none of them
     */
    public static CompressionType parse(String option, String text) {
        return Choice.parse(option, text, Compression.class).type;
    }
}
