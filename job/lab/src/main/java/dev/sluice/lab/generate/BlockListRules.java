package dev.sluice.lab.generate;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.SplittableRandom;

/**
 * A list of bad sources, mostly hosts and some of the networks above them, to anywhere or to one of
 * few networks of one's own.
 */
final class BlockListRules extends PolicyShape {
    private static final int RULES_A_NETWORK = 500;
    private static final int LEAST_NETWORKS = 4;
    private static final int MOST_NETWORKS = 200;
    private static final int OWN_NETWORKS = 8;

    /** Rules of 100 that name where to. */
    private static final int NAMED = 15;

    /** Rules of 100 whose source is a host. */
    private static final int HOSTS = 85;

    private final List<Subnet> hosts = new ArrayList<>();
    private final List<Subnet> networks = new ArrayList<>();
    private final List<Subnet> own;

    BlockListRules(SplittableRandom random, ServiceKinds kinds, int rules, int depth) {
        super(random, kinds);
        int count = Math.max(LEAST_NETWORKS, Math.min(MOST_NETWORKS, rules / RULES_A_NETWORK));
        // Three for two rules, half of them hosts: few are named twice.
        List<SubnetTree> trees =
                SubnetTree.distinct(random, count, depth + 1 + 3 * rules / (2 * count), depth);
        List<Subnet> first = trees.get(0).chain();
        start(first, Collections.nCopies(first.size(), Subnet.ANY));
        for (SubnetTree tree : trees) {
            for (Subnet subnet : tree.subnets()) {
                (subnet.length() == 32 ? hosts : networks).add(subnet);
            }
        }
        own =
                SubnetTree.distinct(random, OWN_NETWORKS, 2, 2).stream()
                        .map(tree -> tree.chain().get(0))
                        .toList();
    }

    @Override
    PolicyLine draw(int remaining) {
        boolean host = networks.isEmpty() || random.nextInt(100) < HOSTS;
        List<Subnet> from = host ? hosts : networks;
        boolean anywhere = random.nextInt(100) >= NAMED;
        return new PolicyLine(
                0,
                from.get(random.nextInt(from.size())),
                anywhere ? Subnet.ANY : own.get(random.nextInt(own.size())),
                kinds.next());
    }
}
