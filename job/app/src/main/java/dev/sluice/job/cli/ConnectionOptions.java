package dev.sluice.job.cli;

import dev.sluice.engine.rules.Rule;
import dev.sluice.job.UsageException;
import dev.sluice.operators.connections.ConnectionTimeout;
import dev.sluice.operators.connections.StatefulJudge;
import dev.sluice.operators.connections.TrackerOptions;
import dev.sluice.operators.connections.TrackerOptions.Model;
import java.io.PrintWriter;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Options of the connection tracker, for policies that ask for the state of connections. */
public class ConnectionOptions extends TrackerOption {
    @Option(
            names = "--conntrack-timeout",
            paramLabel = "NAME=SECONDS",
            description =
                    "A timeout of the tracker, as in udp_timeout=60: the sysctl's name behind nf_conntrack_; may be given several times (default: that of the tracker; docs/guide/stateful.md).")
    private Map<ConnectionTimeout, Long> timeouts = new LinkedHashMap<>();

    @Option(
            names = "--conntrack-strict",
            description =
                    "An ACK without a connection is invalid, as with nf_conntrack_tcp_loose=0; without it such a packet begins a connection that the capture did not see begin.")
    private boolean strict;

    @Option(
            names = "--tcp-windows",
            description =
                    "A TCP segment outside of its connection's window is invalid, as with nf_conntrack_tcp_be_liberal=0, Linux's default; without it each segment counts as one in sequence.")
    private boolean windows;

    private enum PickedUp {
        NEW,
        DEPENDS
    }

    @Option(
            names = "--conntrack-picked-up",
            paramLabel = "HOW",
            description =
                    "Packets of TCP connections that begin with an ACK, as where a capture begins in the middle: new (the first one begins a connection, as in Linux) or depends (their state is unknown, so they depend where rules ask for it) (default: new; with --conntrack aws: depends).")
    private @Nullable PickedUp pickedUp;

    @Option(
            names = "--conntrack-max",
            paramLabel = "N",
            description = "Most connections at once, as nf_conntrack_max (default 262144).")
    @Range(from = 1, to = 1 << 27)
    private @Nullable Integer most;

    @Override
    boolean isOn() {
        boolean set = strict || windows || most != null || pickedUp != null || !timeouts.isEmpty();
        if (!super.isOn() && set) {
            throw new UsageException(
                    "--conntrack-timeout, --conntrack-strict, --conntrack-picked-up, --conntrack-max and --tcp-windows set up the tracker; add --conntrack linux or aws");
        }
        if (windows && defaults().model() == Model.AWS) {
            throw new UsageException(
                    "--tcp-windows: AWS does not say that a TCP segment outside of its window is invalid; leave it out");
        }
        if (strict && defaults().model() == Model.AWS) {
            throw new UsageException(
                    "--conntrack-strict: AWS does not say that an ACK without a connection is invalid; leave it out");
        }
        if (strict && pickedUp == PickedUp.DEPENDS) {
            throw new UsageException(
                    "--conntrack-picked-up depends: with --conntrack-strict no connection is picked up; leave one of them out");
        }
        return super.isOn();
    }

    /** Refuses a tracker, where no captures are judged. */
    void requireNone() {
        if (isOn()) {
            throw new UsageException(
                    "--conntrack: tracks the connections of captures; leave it out, or name captures");
        }
    }

    /**
     * The settings of the tracker.
     *
     * @param policy whether the rules are a policy
     * @param err told if no rule asks for a state
     * @return null: connections are not tracked
     */
    @Nullable TrackerOptions tracking(boolean policy, List<Rule> rules, PrintWriter err) {
        TrackerOptions options = tracking(policy, rules);
        if (isOn() && policy && options == null) { // of other rules a warning of their file says so
            tellUnasked(err);
        }
        return options;
    }

    /** Warns that no rule asks for a state. */
    static void tellUnasked(PrintWriter err) {
        err.println("--conntrack does nothing: no rule asks for the state of a connection");
    }

    /** As {@link #tracking(boolean, List, PrintWriter)}, without warnings. */
    @Nullable TrackerOptions tracking(boolean policy, List<Rule> rules) {
        return isOn() && policy && StatefulJudge.asked(rules) != 0 ? tracking() : null;
    }

    /** The settings of a tracker that keeps rows. */
    TrackerOptions ofRows(boolean policy) {
        TrackerOptions options = tracking();
        if (options == null) {
            throw new UsageException(
                    "--connections, --conntrack-notes: tell of tracked connections; add --conntrack linux or aws");
        }
        if (!policy) {
            throw new UsageException(
                    "--connections, --conntrack-notes: are for policies of iptables, nftables and Kubernetes; leave them out");
        }
        return options;
    }

    /** The settings of the tracker, whatever the rules are; null: connections are not tracked. */
    public @Nullable TrackerOptions tracking() {
        if (!isOn()) {
            return null;
        }
        TrackerOptions options =
                defaults().withSeedByChance().withLoose(!strict).withWindows(windows);
        if (pickedUp != null) {
            options = options.withDoubtsPickedUp(pickedUp == PickedUp.DEPENDS);
        }
        for (Map.Entry<ConnectionTimeout, Long> timeout : timeouts.entrySet()) {
            if (timeout.getValue() < 1 || timeout.getValue() > Integer.MAX_VALUE) {
                throw new UsageException(
                        "--conntrack-timeout %s=%d: give 1 to %d s"
                                .formatted(
                                        timeout.getKey().label(),
                                        timeout.getValue(),
                                        Integer.MAX_VALUE));
            }
            if (options.model() == Model.AWS && !timeout.getKey().isOfAws()) {
                throw new UsageException(
                        "--conntrack-timeout %s: --conntrack aws has no such timeout; leave it out"
                                .formatted(timeout.getKey().label()));
            }
            options = options.withSeconds(timeout.getKey(), timeout.getValue());
        }
        return most == null ? options : options.withConnectionsMax(most);
    }
}
