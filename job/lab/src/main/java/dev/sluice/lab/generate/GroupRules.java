package dev.sluice.lab.generate;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.SplittableRandom;

/**
 * Security groups of a cloud: a group is a list of members, mostly hosts of one network; each rule
 * that a user wrote, of a group's members, another group as their peers and a service, is spelled
 * out as list times list.
 */
final class GroupRules extends PolicyShape {
    private static final int RULES_A_NETWORK = 2000;
    private static final int MOST_NETWORKS = 64;
    private static final int RULES_A_GROUP = 250;
    private static final int LEAST_GROUPS = 16;
    private static final int LONGEST_MEAN = 8;
    private static final int LEAST_SUBNETS = 16;

    /** Rules for one that a network's tree names. */
    private static final int RULES_A_SUBNET = 20;

    private record Group(int network, List<Subnet> members) {}

    private final List<Group> groups = new ArrayList<>();
    private final WeightedChoice<Group> peers;
    private final Queue<PolicyLine> spelledOut = new ArrayDeque<>();

    GroupRules(SplittableRandom random, ServiceKinds kinds, int rules, PolicyCounts counts) {
        super(random, kinds);
        int count = Math.max(2, Math.min(MOST_NETWORKS, rules / RULES_A_NETWORK));
        int size = Math.max(LEAST_SUBNETS + counts.depth(), rules / (RULES_A_SUBNET * count));
        List<SubnetTree> networks = SubnetTree.distinct(random, count, size, counts.depth());
        start(networks.get(0).chain(), networks.get(0).chain());
        // Half of the rules suffice to name every kind once.
        double cells = rules / (2.0 * counts.kinds());
        int mean = (int) Math.max(1, Math.min(LONGEST_MEAN, Math.sqrt(cells)));
        for (int g = 0; g < Math.max(LEAST_GROUPS, rules / RULES_A_GROUP); g++) {
            int network = random.nextInt(count);
            List<Subnet> subnets = networks.get(network).subnets();
            Set<Subnet> members = new LinkedHashSet<>();
            int length = random.nextInt(1, 2 * mean);
            while (members.size() < length) {
                members.add(subnets.get(random.nextInt(subnets.size())));
            }
            groups.add(new Group(network, List.copyOf(members)));
        }
        peers = WeightedChoice.skewed(groups, 0.5);
    }

    @Override
    PolicyLine draw(int remaining) {
        PolicyLine next = spelledOut.poll();
        if (next != null && remaining > kinds.left()) {
            return next;
        }
        // Either a list is at its end, or each rule to come must name a new kind.
        spelledOut.clear();
        Group group = groups.get(random.nextInt(groups.size()));
        Group peer = peers.at(random.nextDouble());
        ServiceKind kind = kinds.next();
        for (Subnet member : group.members) {
            for (Subnet other : peer.members) {
                spelledOut.add(new PolicyLine(group.network, other, member, kind));
            }
        }
        return spelledOut.remove();
    }
}
