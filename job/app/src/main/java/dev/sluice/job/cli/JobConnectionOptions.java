package dev.sluice.job.cli;

import dev.sluice.job.UsageException;
import dev.sluice.operators.connections.TrackerOptions;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Options of the connection tracker of a job, whose rules change. */
final class JobConnectionOptions extends ConnectionOptions {
    @Option(
            names = "--reevaluate",
            description =
                    "Judge open connections anew when rules change: the next packet of who began one is judged as if it began it; if it is refused, the connection ends there (docs/guide/stateful.md). Without it open connections go on by the rules for established ones, as in Linux.")
    private boolean reevaluates;

    @Override
    boolean isOn() {
        if (!super.isOn() && reevaluates) {
            throw new UsageException(
                    "--reevaluate: judges connections that are tracked; add --conntrack linux or aws");
        }
        return super.isOn();
    }

    /** Refuses to judge anew where rules do not change. */
    void requireChanges(boolean history) {
        if (reevaluates && !history) {
            throw new UsageException(
                    "--reevaluate: the rules of --rules do not change; leave it out, or name versions with --rules-history");
        }
    }

    @Override
    public @Nullable TrackerOptions tracking() {
        TrackerOptions options = super.tracking();
        return options == null ? null : options.withReevaluates(reevaluates);
    }
}
