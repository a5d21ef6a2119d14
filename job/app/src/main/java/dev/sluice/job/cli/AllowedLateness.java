package dev.sluice.job.cli;

import dev.sluice.operators.classify.RulesTime;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The option of event time that bounds how late a packet may be. */
class AllowedLateness {
    @Option(
            names = "--allowed-lateness",
            paramLabel = "DURATION",
            description =
                    "In event time: how much older a packet may be than the newest packet of its flow shard; an older packet is judged at that bound and marked late. A number with ms, s, m, h or d behind it (default: 0s).")
    @Nullable Duration lateness;

    /** Event time of a job that ends. */
    RulesTime event() {
        return RulesTime.event(lateness == null ? Duration.ZERO : lateness);
    }
}
