package dev.sluice.job.cli;

import dev.sluice.job.UsageException;
import dev.sluice.policy.PolicyOptions;
import picocli.CommandLine.Option;

/** Choice of what tells the states of connections, for policies that ask for them. */
public class TrackerOption {
    private enum Tracker {
        LINUX,
        NONE
    }

    @Option(
            names = "--conntrack",
            paramLabel = "TRACKER",
            defaultValue = "none",
            description =
                    "Source of the states of connections, for a policy that asks for them: linux, from the packets themselves, as Linux's nf_conntrack does; or none: each packet is judged under all states, or those of --assume (default ${DEFAULT-VALUE}; docs/guide/stateful.md).")
    private Tracker tracker = Tracker.NONE;

    /** Tells whether connections are tracked. */
    boolean isOn() {
        return tracker == Tracker.LINUX;
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
        return options.tracked();
    }
}
