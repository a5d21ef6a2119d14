package dev.sluice.job.cli;

import dev.sluice.schemas.header.FlowShard;
import picocli.CommandLine.Option;

/** Option of the basis of a packet's flow shard. */
final class ShardByOption {
    @Option(
            names = "--shard-by",
            paramLabel = "WHAT",
            defaultValue = "flow",
            description =
                    "Basis of the flow shard: flow (addresses, protocol and ports, of a later fragment those of its datagram, of an ICMP error those of the packet in it) or addresses alone, so that every fragment is with its datagram, and all flows of two hosts are in one shard (default ${DEFAULT-VALUE}).")
    FlowShard by = FlowShard.FLOW;
}
