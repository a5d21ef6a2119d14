package dev.sluice.job.cli;

import dev.sluice.policy.PolicyOptions;
import dev.sluice.policy.model.Assumptions;
import dev.sluice.policy.model.ConnectionState;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
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
            names = "--skip-unsupported",
            description =
                    "Read a policy in spite of rules that are not understood: each is listed, and the action of a packet that one of them may decide is depends.")
    private boolean skipUnsupported;

    /** The options. */
    PolicyOptions options() {
        ConnectionState state = assumed == null ? null : assumed.state;
        return new PolicyOptions(
                hook,
                new Assumptions(
                        state,
                        inInterface,
                        outInterface,
                        host.isEmpty() ? null : HostFile.read(host)),
                skipUnsupported);
    }
}
