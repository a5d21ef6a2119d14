package dev.sluice.policy.kubernetes;

import static dev.sluice.policy.model.Condition.all;

import dev.sluice.policy.model.Condition;
import dev.sluice.policy.model.ValueSet;
import dev.sluice.policy.yaml.AddressSet;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Ports of a rule: numbers by protocol, and names, which the pods at the destination explain. */
final class PortList {
    private final Map<Protocol, ValueSet> numbers = new EnumMap<>(Protocol.class);
    private final List<Named> names = new ArrayList<>();

    /** A named port; without a protocol the pods say it. */
    private record Named(String name, @Nullable Protocol protocol) {}

    /** Pods of one port, told apart by how sure it is. */
    private record Resolved(Protocol protocol, int number, boolean isSidecars) {}

    /** Adds the ports from low to high. */
    void add(Protocol protocol, int low, int high) {
        numbers.merge(protocol, ValueSet.of(low, high), ValueSet::or);
    }

    /**
     * Adds a named port.
     *
     * @param protocol null: whichever the port of the name has
     */
    void add(String name, @Nullable Protocol protocol) {
        names.add(new Named(name, protocol));
    }

    /** The condition that a packet goes to one of the ports, of some peers of a policy. */
    Condition condition(Peers peers, List<Pod> subject, Cluster cluster, Direction direction) {
        List<Condition> all = new ArrayList<>();
        if (!numbers.isEmpty()) {
            List<Condition> ports = new ArrayList<>();
            numbers.forEach((protocol, values) -> ports.add(protocol.to(values)));
            all.add(
                    all(
                            peers.condition(direction),
                            Condition.any(ports.toArray(Condition[]::new))));
        }
        for (Named named : names) {
            if (direction == Direction.INGRESS) {
                Condition to = owners(named.name, named.protocol, subject, true);
                all.add(all(peers.condition(direction), to));
            } else {
                List<Pod> pods = peers.any() ? cluster.pods() : List.copyOf(peers.pods());
                all.add(owners(named.name, named.protocol, pods));
                AddressSet inBlocks = peers.blocks().and(Peers.addresses(cluster.pods()));
                if (!inBlocks.isEmpty()) {
                    all.add(
                            all(
                                    direction.peer(inBlocks),
                                    owners(named.name, named.protocol, cluster.pods()),
                                    new Condition.Unknown(
                                            "whether port %s of an address block is that of its pods"
                                                    .formatted(named.name))));
                }
            }
        }
        return Condition.any(all.toArray(Condition[]::new));
    }

    /**
     * The condition that a packet goes to the port of a name at one of some pods.
     *
     * @param protocol null: whichever the port has
     */
    static Condition owners(String name, @Nullable Protocol protocol, List<Pod> pods) {
        return owners(name, protocol, pods, false);
    }

    /**
     * As {@link #owners(String, Protocol, List)}.
     *
     * @param asked whether packets are known to go to one of the pods
     */
    private static Condition owners(
            String name, @Nullable Protocol protocol, List<Pod> pods, boolean asked) {
        Map<Resolved, List<Pod>> owners = new LinkedHashMap<>();
        for (Pod pod : pods) {
            for (Pod.Port port : pod.ports()) {
                if (port.name().equals(name) && (protocol == null || protocol == port.protocol())) {
                    owners.computeIfAbsent(
                                    new Resolved(port.protocol(), port.number(), port.isSidecars()),
                                    none -> new ArrayList<>())
                            .add(pod);
                }
            }
        }
        List<Condition> all = new ArrayList<>();
        owners.forEach(
                (port, of) -> {
                    Condition number = port.protocol.to(ValueSet.of(port.number));
                    Condition to =
                            asked && of.size() == pods.size()
                                    ? number
                                    : all(Peers.subject(of, Direction.INGRESS), number);
                    all.add(
                            port.isSidecars
                                    ? all(
                                            to,
                                            new Condition.Unknown(
                                                    "whether policies know port %s of a sidecar"
                                                            .formatted(name)))
                                    : to);
                });
        return Condition.any(all.toArray(Condition[]::new));
    }
}
