package dev.sluice.job.kafka;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Metadata that a job commits with the offset of a packets partition. It names the offset's
 * checkpoint, and the place of the checkpoint before.
 *
 * <p>If Kafka drops the verdicts of a checkpoint, the metadata show which packets have none.
 *
 * @param checkpoint of the offset
 * @param before id of the checkpoint before; 0: the job started or resumed at {@code offsetBefore}
 * @param offsetBefore offset of that checkpoint; negative: unknown, as the partition was recreated
 */
public record CommittedPlace(long checkpoint, long before, long offsetBefore) {
    private static final Pattern TEXT =
            Pattern.compile("checkpoint (\\d{1,18}), before: (\\d{1,18}) at (-?\\d{1,18})");

    /** Returns the form in which Kafka keeps it. */
    public String text() {
        return "checkpoint %d, before: %d at %d".formatted(checkpoint, before, offsetBefore);
    }

    /** Parses {@link #text}; empty if another program committed the offset. */
    public static Optional<CommittedPlace> parse(String text) {
        Matcher parts = TEXT.matcher(text);
        return parts.matches()
                ? Optional.of(
                        new CommittedPlace(
                                Long.parseLong(parts.group(1)),
                                Long.parseLong(parts.group(2)),
                                Long.parseLong(parts.group(3))))
                : Optional.empty();
    }
}
