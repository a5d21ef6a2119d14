package dev.sluice.policy.kubernetes;

import static dev.sluice.policy.model.Condition.all;

import dev.sluice.policy.model.Condition;
import dev.sluice.policy.yaml.AddressSet;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * Other ends of a rule's traffic.
 *
 * @param any whether all are meant
 * @param pods pods among them
 * @param blocks addresses among them, whoever has them
 * @param nodes addresses of nodes that a block holds, and perhaps does not mean
 */
record Peers(boolean any, Set<Pod> pods, AddressSet blocks, AddressSet nodes) {
    /** All addresses. */
    static final Peers ANY = new Peers(true, Set.of(), AddressSet.NONE, AddressSet.NONE);

    /** No address. */
    static final Peers NONE = new Peers(false, Set.of(), AddressSet.NONE, AddressSet.NONE);

    static Peers ofPods(List<Pod> pods) {
        return new Peers(false, new LinkedHashSet<>(pods), AddressSet.NONE, AddressSet.NONE);
    }

    static Peers ofBlocks(AddressSet blocks) {
        return new Peers(false, Set.of(), blocks, AddressSet.NONE);
    }

    /** The ends of either. */
    Peers or(Peers other) {
        Set<Pod> both = new LinkedHashSet<>(pods);
        both.addAll(other.pods);
        return new Peers(any || other.any, both, blocks.or(other.blocks), nodes.or(other.nodes));
    }

    /** The condition that the other end is one of them. */
    Condition condition(Direction direction) {
        if (any) {
            return Condition.ALWAYS;
        }
        List<Condition> ends = new ArrayList<>();
        AddressSet sure = addresses(pods).or(blocks);
        if (!sure.isEmpty()) {
            ends.add(direction.peer(sure));
        }
        if (!nodes.isEmpty()) {
            ends.add(
                    all(
                            direction.peer(nodes),
                            new Condition.Unknown("whether address blocks mean nodes")));
        }
        ends.addAll(inHostNetworks(pods, direction, false));
        return Condition.any(ends.toArray(Condition[]::new));
    }

    /** The addresses of pods that have their own. */
    static AddressSet addresses(Iterable<Pod> pods) {
        List<AddressSet> all = new ArrayList<>();
        for (Pod pod : pods) {
            if (!pod.hostNetwork()) {
                all.add(pod.addresses());
            }
        }
        return AddressSet.of(all);
    }

    /** The conditions of pods in the network of their node, which nobody tells apart from it. */
    private static List<Condition> inHostNetworks(
            Iterable<Pod> pods, Direction direction, boolean own) {
        List<Condition> all = new ArrayList<>();
        for (Pod pod : pods) {
            if (pod.hostNetwork()) {
                all.add(
                        all(
                                own
                                        ? direction.own(pod.addresses())
                                        : direction.peer(pod.addresses()),
                                new Condition.Unknown(
                                        "whether policies see pod %s in the network of its host"
                                                .formatted(pod.path()))));
            }
        }
        return all;
    }

    /**
     * The pods of a policy that is asked behind others, where the first one decides.
     *
     * @param decided pods for which an earlier one decides; takes these
     */
    static List<Pod> undecided(List<Pod> pods, Set<Pod> decided) {
        return pods.stream().filter(pod -> pod.hostNetwork() || decided.add(pod)).toList();
    }

    /** The condition that a pod of some is the end that a policy is for. */
    static Condition subject(List<Pod> pods, Direction direction) {
        List<Condition> ends = new ArrayList<>();
        AddressSet sure = addresses(pods);
        if (!sure.isEmpty()) {
            ends.add(direction.own(sure));
        }
        ends.addAll(inHostNetworks(pods, direction, true));
        return Condition.any(ends.toArray(Condition[]::new));
    }
}
