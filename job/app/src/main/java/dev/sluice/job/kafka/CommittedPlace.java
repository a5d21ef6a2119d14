package dev.sluice.job.kafka;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What is noted beside the offset that a job commits of a partition of packets: of which checkpoint
 * that is, and where the one before was. Should Kafka drop the verdicts of a checkpoint, this says
 * which packets have none.
 *
 * @param checkpoint that the offset is of
 * @param before the one before; 0: the job began, or went on, at its offset
 * @param offsetBefore that of the one before; negative: not known, as the partition was begun anew
 */
public record CommittedPlace(long checkpoint, long before, long offsetBefore) {
    private static final Pattern TEXT =
            Pattern.compile("checkpoint (\\d{1,18}), before: (\\d{1,18}) at (-?\\d{1,18})");

    /** As Kafka keeps it. */
    public String text() {
        return "checkpoint %d, before: %d at %d".formatted(checkpoint, before, offsetBefore);
    }

    /** From {@link #text}; empty where something else committed the offset. */
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
