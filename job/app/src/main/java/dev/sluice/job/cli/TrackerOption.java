package dev.sluice.job.cli;

import dev.sluice.job.UsageException;
import dev.sluice.operators.connections.TrackerOptions;
import dev.sluice.policy.PolicyOptions;
import java.util.Locale;
import picocli.CommandLine.Option;

/** Choice of what tells the states of connections, for policies that ask for them. */
public class TrackerOption {
    private enum Tracker {
        LINUX,
        AWS,
        NONE
    }

    @Option(
            names = "--conntrack",
            paramLabel = "TRACKER",
            defaultValue = "none",
            description =
                    "Source of the states of connections, for a policy that asks for them: linux, from the packets themselves, as Linux's nf_conntrack does; aws, as security groups of AWS do, as far as AWS tells; or none: each packet is judged under all states, or those of --assume (default ${DEFAULT-VALUE}; docs/guide/stateful.md).")
    private Tracker tracker = Tracker.NONE;

    /** Tells whether connections are tracked. */
    boolean isOn() {
        return tracker != Tracker.NONE;
    }

    /** The defaults of the chosen tracker. */
    TrackerOptions defaults() {
        return tracker == Tracker.AWS ? TrackerOptions.AWS : TrackerOptions.LINUX;
    }

    /** The options of a policy of packets whose connections are tracked, if they are. */
    public PolicyOptions of(PolicyOptions options) {
        if (!isOn()) {
            return options;
        }
        if (options.assumed().state() != null) {
            throw new UsageException(
                    "--assume: --conntrack tells the state of each packet's connection; leave one of them out");
        }
        if (options.translates()) {
            throw new UsageException(
                    "--nat: translates first packets alone, and --conntrack follows whole connections; leave one of them out");
        }
        return options.tracked(tracker.name().toLowerCase(Locale.ROOT));
    }
}
