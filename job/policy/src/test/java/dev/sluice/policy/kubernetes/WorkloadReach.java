package dev.sluice.policy.kubernetes;

import dev.sluice.policy.PolicyFile;
import dev.sluice.policy.PolicyOptions;
import dev.sluice.policy.flatten.FlatPolicy;
import dev.sluice.policy.model.Assumptions;
import dev.sluice.policy.model.ConnectionState;
import dev.sluice.policy.model.Outcome;
import dev.sluice.policy.testing.AddressedPacket;
import dev.sluice.schemas.header.Field;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;

/**
 * Ports at which Sluice lets one address reach another, asked at the ends of each range of ports.
 */
final class WorkloadReach {
    private static final int[] PROTOCOLS = {6, 17, 132};

    private final FlatPolicy policy;
    private final List<Integer> starts;
    private final Map<List<String>, Reach> known = new HashMap<>();
    private final Map<Reach, Reach> equal = new HashMap<>();

    /** Ports that are permitted, and ports at which the packet depends. */
    record Reach(BitSet permitted, BitSet depends) {}

    WorkloadReach(Path cluster, WorkloadFolder folder) {
        Assumptions first = new Assumptions(ConnectionState.NEW, null, null);
        policy = PolicyFile.read(cluster, new PolicyOptions(null, first, false)).flat();
        starts = new ArrayList<>(folder.ports);
    }

    Reach between(String from, String to) {
        Reach reach = known.get(List.of(from, to));
        if (reach == null) {
            reach = ask(from, to);
            Reach same = equal.putIfAbsent(reach, reach);
            reach = same == null ? reach : same;
            known.put(List.of(from, to), reach);
        }
        return reach;
    }

    private Reach ask(String from, String to) {
        Reach reach = new Reach(new BitSet(), new BitSet());
        int[] header = AddressedPacket.header(from, 6, to, 40000, 1);
        for (int i = 0; i < starts.size(); i++) {
            int low = starts.get(i);
            int high = i + 1 < starts.size() ? starts.get(i + 1) - 1 : ReachedPorts.MOST;
            for (Protocol protocol : Protocol.values()) {
                Field.IP_PROTO.put(header, PROTOCOLS[protocol.ordinal()]);
                List<Outcome> outcomes =
                        Stream.of(low, high).distinct().map(port -> judge(header, port)).toList();
                if (outcomes.contains(Outcome.DEPENDS)
                        || outcomes.get(0) != outcomes.get(outcomes.size() - 1)) {
                    ReachedPorts.add(reach.depends, protocol, low, high);
                } else if (outcomes.get(0) == Outcome.PERMIT) {
                    ReachedPorts.add(reach.permitted, protocol, low, high);
                }
            }
        }
        return reach;
    }

    private Outcome judge(int[] header, int port) {
        Field.DST_PORT.put(header, port);
        return Objects.requireNonNull(policy.judge(header)).outcome();
    }
}
