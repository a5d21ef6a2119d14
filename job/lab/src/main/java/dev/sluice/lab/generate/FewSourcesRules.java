package dev.sluice.lab.generate;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/** Few sources, each of which may reach many services of many destinations. */
final class FewSourcesRules extends PolicyShape {
    private static final int SOURCE_NETWORKS = 2;

    /** Sources of a network, beside those of its chain. */
    private static final int SOURCES = 8;

    private static final int RULES_A_NETWORK = 1000;
    private static final int LEAST_NETWORKS = 4;
    private static final int MOST_NETWORKS = 64;
    private static final int RULES_A_DESTINATION = 4;

    /** How often a source or destination comes falls with its place to this power. */
    private static final double SKEW = 0.6;

    private final WeightedChoice<Subnet> sources;
    private final WeightedChoice<Subnet> destinations;

    FewSourcesRules(SplittableRandom random, ServiceKinds kinds, int rules, int depth) {
        super(random, kinds);
        int networks = Math.max(LEAST_NETWORKS, Math.min(MOST_NETWORKS, rules / RULES_A_NETWORK));
        List<SubnetTree> from =
                SubnetTree.distinct(random, SOURCE_NETWORKS, SOURCES + depth, depth);
        int size = Math.max(SOURCES + depth, rules / (RULES_A_DESTINATION * networks));
        List<SubnetTree> to = SubnetTree.distinct(random, networks, size, depth);
        start(from.get(0).chain(), to.get(0).chain());
        sources = WeightedChoice.skewed(subnets(from), SKEW);
        destinations = WeightedChoice.skewed(subnets(to), SKEW);
    }

    /** Of all trees in turn, so that each has some that come often. */
    private static List<Subnet> subnets(List<SubnetTree> trees) {
        List<Subnet> all = new ArrayList<>();
        for (int i = 0; i < trees.get(0).subnets().size(); i++) {
            for (SubnetTree tree : trees) {
                all.add(tree.subnets().get(i));
            }
        }
        return all;
    }

    @Override
    PolicyLine draw(int remaining) {
        return new PolicyLine(
                0,
                sources.at(random.nextDouble()),
                destinations.at(random.nextDouble()),
                kinds.next());
    }
}
