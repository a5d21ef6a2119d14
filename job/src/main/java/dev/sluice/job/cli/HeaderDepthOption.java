package dev.sluice.job.cli;

import dev.sluice.engine.rules.Rule;
import dev.sluice.job.capture.HeaderDepth;
import dev.sluice.schemas.header.HeaderWord;
import java.io.PrintWriter;
import java.util.List;
import picocli.CommandLine.Option;

/** The option that says which header of a packet in tunnels counts. */
public final class HeaderDepthOption {
    @Option(
            names = "--headers",
            paramLabel = "WHICH",
            defaultValue = "outer",
            description = {
                "Which IP header of a packet counts: outer, or inner: the last one behind VXLAN, GENEVE, GRE, IP in IP,",
                "GTP-U, MPLS and PPPoE, with the tunnel's id as tun_id (default ${DEFAULT-VALUE})."
            })
    private String headers = "outer";

    /** What was chosen. */
    public HeaderDepth depth() {
        return Choice.parse("--headers", headers, HeaderDepth.class);
    }

    /** Says so where rules name a tunnel and none is looked through. */
    public void warn(List<Rule> rules, PrintWriter err) {
        if (depth() == HeaderDepth.OUTER
                && rules.stream().anyMatch(r -> r.match().mask(HeaderWord.TUNNEL_ID) != 0)) {
            err.println(
                    "sluice: rules name tun_id, which is 0 of every packet as long as no tunnel is looked through; add --headers inner");
        }
    }
}
