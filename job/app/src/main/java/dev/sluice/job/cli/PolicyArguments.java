package dev.sluice.job.cli;

import dev.sluice.job.UsageException;
import dev.sluice.policy.PolicyOptions;
import dev.sluice.policy.model.Assumptions;
import dev.sluice.policy.model.ConnectionState;
import dev.sluice.policy.model.HostZone;
import java.nio.file.Path;
import java.time.Instant;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;

/** Options about policies of chains, such as those of iptables-save. */
final class PolicyArguments {
    private enum Assumed {
        NEW(ConnectionState.NEW),
        ESTABLISHED(ConnectionState.ESTABLISHED);

        private final ConnectionState state;

        Assumed(ConnectionState state) {
            this.state = state;
        }
    }

    @Option(
            names = "--hook",
            paramLabel = "HOOK",
            description =
                    "The way of the packets through a host's policy: INPUT, FORWARD or OUTPUT; the same as --rules FILE#HOOK. If it is absent, --host tells the way of each packet.")
    private @Nullable String hook;

    @Option(
            names = "--host",
            paramLabel = "FILE",
            description =
                    "The host that the policy is of, as (ip -j addr; ip -j route; ip -6 -j route) prints it; may be given several times. Its addresses tell whether a packet meets INPUT, OUTPUT or FORWARD, its routes the interface that it leaves by. Without it and --hook a packet is judged on each way, and its action is depends where the answers differ.")
    private List<Path> host = new ArrayList<>();

    @Option(
            names = "--assume",
            paramLabel = "STATE",
            description =
                    "State of the packets' connections for a policy that asks for it: new or established. Without it both are tried, and the action of a packet is depends where they differ.")
    private @Nullable Assumed assumed;

    @Option(
            names = "--in-interface",
            paramLabel = "NAME",
            description = "Interface that the packets came in by, for a policy that asks for it.")
    private @Nullable String inInterface;

    @Option(
            names = "--out-interface",
            paramLabel = "NAME",
            description = "Interface that the packets leave by, for a policy that asks for it.")
    private @Nullable String outInterface;

    @Option(
            names = "--nat",
            description =
                    "Apply the policy's own DNAT and REDIRECT to packets, as a host does before its filter, for captures from where packets come in; with --assume new, since the table nat sees the first packets of connections. A packet depends where a translation that is not fixed decides.")
    private boolean nat;

    @Option(
            names = "--policy-time",
            paramLabel = "TIME",
            converter = PolicyTime.Converter.class,
            description =
                    "When a policy that asks for the time is asked: a point in time, as in 2026-11-28T17:00:00Z; or packet, each packet's own time in its capture. Times of rules are those of UTC, as in the kernel. Without it a packet depends where the time decides.")
    private @Nullable PolicyTime time;

    @Option(
            names = "--policy-zone",
            paramLabel = "ZONE",
            description =
                    "Time zone of the host whose policy it is, as in Europe/Berlin, +01:00 or UTC: for rules of iptables with --kerneltz, and for hours, days and dates of nft, which prints them in the zone of whoever lists them. Without it they are unknown.")
    private @Nullable ZoneId zone;

    @Option(
            names = "--skip-unsupported",
            description =
                    "Read a policy in spite of rules that are not understood: each is listed, and the action of a packet that one of them may decide is depends.")
    private boolean skipUnsupported;

    /** The options, of packets whose times are not known. */
    PolicyOptions options() {
        if (time != null && time.at() == null) {
            throw new UsageException(
                    "--policy-time packet: packets have their times in captures, which classify, filter, replay, archive and rules hits judge; name a point in time, as in 2026-11-28T17:00:00Z");
        }
        return given();
    }

    /** The options, of packets of captures. */
    PolicyOptions ofCaptures() {
        return given().ofCaptures(time != null && time.at() == null);
    }

    private PolicyOptions given() {
        ConnectionState state = assumed == null ? null : assumed.state;
        Assumptions facts =
                new Assumptions(
                        state,
                        inInterface,
                        outInterface,
                        host.isEmpty() ? null : HostFile.read(host));
        return new PolicyOptions(hook, facts.at(time == null ? null : time.at()), skipUnsupported)
                .translating(nat)
                .in(zone == null ? null : new HostZone(zone));
    }

    /**
     * Time of a policy.
     *
     * @param at null: that of each packet
     */
    private record PolicyTime(@Nullable Instant at) {
        private static final String PACKET = "packet";

        /** Converter of option values. */
        static final class Converter implements ITypeConverter<PolicyTime> {
            @Override
            public PolicyTime convert(String text) {
                return new PolicyTime(
                        text.equals(PACKET)
                                ? null
                                : Instant.EPOCH.plusNanos(new Times.Point().convert(text)));
            }
        }
    }
}
