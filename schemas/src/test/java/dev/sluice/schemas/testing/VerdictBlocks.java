package dev.sluice.schemas.testing;

import dev.sluice.schemas.codec.Column;
import dev.sluice.schemas.codec.PacketPlace;
import dev.sluice.schemas.codec.PolicyAnswers;
import dev.sluice.schemas.codec.VerdictBlock;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Maker of verdict blocks of single columns. */
public final class VerdictBlocks {
    private VerdictBlocks() {}

    /** A block whose verdicts are all ok and of one version of an unknown history. */
    public static VerdictBlock of(
            String capture,
            int captureIndex,
            int shard,
            long version,
            int count,
            long[] rules,
            Column packets,
            @Nullable Column times,
            Column ruleIndexes) {
        return of(
                capture,
                captureIndex,
                shard,
                version,
                "",
                count,
                rules,
                List.of(),
                packets,
                times,
                ruleIndexes,
                null,
                null,
                List.of());
    }

    /** A block that has the columns of its packets as they are. */
    public static VerdictBlock of(
            String capture,
            int captureIndex,
            int shard,
            long version,
            String history,
            int count,
            long[] rules,
            List<String> actions,
            Column packets,
            @Nullable Column times,
            Column ruleIndexes,
            @Nullable Column versions,
            @Nullable Column statuses,
            List<Column> fields) {
        return of(
                capture,
                captureIndex,
                shard,
                version,
                history,
                count,
                rules,
                actions,
                packets,
                times,
                ruleIndexes,
                versions,
                statuses,
                fields,
                null,
                false,
                null);
    }

    /** A block of all that it may have. */
    public static VerdictBlock of(
            String capture,
            int captureIndex,
            int shard,
            long version,
            String history,
            int count,
            long[] rules,
            List<String> actions,
            @Nullable Column packets,
            @Nullable Column times,
            Column ruleIndexes,
            @Nullable Column versions,
            @Nullable Column statuses,
            List<Column> fields,
            @Nullable PolicyAnswers answers,
            boolean deltas,
            @Nullable PacketPlace place) {
        List<Column> columns = Column.listOf(packets, times, ruleIndexes, versions, statuses);
        columns.addAll(fields);
        return new VerdictBlock(
                capture,
                captureIndex,
                shard,
                version,
                history,
                count,
                rules,
                actions,
                columns,
                answers,
                deltas,
                place);
    }
}
