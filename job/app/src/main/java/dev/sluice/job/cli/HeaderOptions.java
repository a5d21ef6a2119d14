package dev.sluice.job.cli;

import dev.sluice.engine.rules.Rule;
import dev.sluice.job.capture.HeaderDepth;
import dev.sluice.job.capture.ParserOptions;
import dev.sluice.job.capture.TagDepth;
import dev.sluice.schemas.header.HeaderWord;
import java.io.PrintWriter;
import java.util.List;
import picocli.CommandLine.Option;

/** The options that say what is taken for the header of a packet. */
public final class HeaderOptions {
    @Option(
            names = "--headers",
            paramLabel = "WHICH",
            defaultValue = "outer",
            description = {
                "Which IP header of a packet counts: outer, or inner: the last one behind VXLAN, GENEVE, GRE, GTP, MPLS, L2TP",
                "and other tunnels, with the tunnel's id as tun_id (default ${DEFAULT-VALUE}); docs/captures.md lists the tunnels."
            })
    private String headers = "outer";

    @Option(
            names = "--tags",
            paramLabel = "WHICH",
            defaultValue = "all",
            description = {
                "Which tags before the IP header are looked through: all (VLAN tags, VN-Tag, E-TAG, Cisco CMD, MACsec without",
                "encryption, HSR, R-TAG, DSA), or switch: one VLAN tag, as Open vSwitch does (default ${DEFAULT-VALUE})."
            })
    private String tags = "all";

    /** The chosen options. */
    public ParserOptions parsing() {
        return new ParserOptions(
                Choice.parse("--headers", headers, HeaderDepth.class),
                Choice.parse("--tags", tags, TagDepth.class));
    }

    /** Says so where rules name a tunnel and none is looked through. */
    public void warn(List<Rule> rules, PrintWriter err) {
        if (!parsing().isInner()
                && rules.stream().anyMatch(r -> r.match().mask(HeaderWord.TUNNEL_ID) != 0)) {
            err.println(
                    "sluice: rules name tun_id, which is 0 of every packet as long as no tunnel is looked through; add --headers inner");
        }
    }
}
