package dev.sluice.schemas.testing;

import dev.sluice.schemas.codec.Verdict;
import dev.sluice.schemas.codec.VerdictOutcome;
import dev.sluice.schemas.codec.VerdictStatus;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Maker of single verdicts. */
public final class Verdicts {
    private Verdicts() {}

    /** A verdict that is ok, of an unknown history, without fields of its packet. */
    public static Verdict of(
            String capture,
            int captureIndex,
            long packet,
            long timeNs,
            @Nullable Long ruleId,
            @Nullable Integer line,
            @Nullable Integer priority,
            String action,
            long version) {
        return new Verdict(
                capture,
                captureIndex,
                packet,
                timeNs,
                ruleId,
                line,
                priority,
                action,
                version,
                "",
                VerdictStatus.OK,
                Map.of(),
                List.of(),
                VerdictOutcome.NONE,
                "");
    }
}
