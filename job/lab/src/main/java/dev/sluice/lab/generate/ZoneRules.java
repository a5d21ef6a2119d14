package dev.sluice.lab.generate;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * A firewall between zones: a zone is a list of prefixes; from each zone to each goes a list of
 * services between few of them, the busiest most, which a rule for everything closes.
 */
final class ZoneRules extends PolicyShape {
    /** Rules from one zone to one other, on average. */
    private static final int RULES_A_PAIR = 250;

    private static final int MOST_ZONES = 63;
    private static final int LEAST_PREFIXES = 8;

    private final List<PolicyLine> closing = new ArrayList<>();
    private final List<SubnetTree> zones;
    private final WeightedChoice<int[]> pairs = new WeightedChoice<>();
    private final List<WeightedChoice<Subnet>> prefixes;

    ZoneRules(SplittableRandom random, ServiceKinds kinds, int rules, PolicyCounts counts) {
        super(random, kinds);
        int count = (int) Math.sqrt((double) rules / RULES_A_PAIR);
        count = Math.max(2, Math.min(MOST_ZONES, count));
        double rulesOfPair = (double) rules / (count * count);
        // Where there are few kinds, only prefixes make rules distinct.
        int least = (int) Math.ceil(2 * Math.sqrt(rulesOfPair / counts.kinds()));
        int size = Math.max(least, LEAST_PREFIXES) + counts.depth();
        zones = SubnetTree.distinct(random, count, size, counts.depth());
        prefixes = zones.stream().map(zone -> WeightedChoice.skewed(zone.subnets(), 1)).toList();
        start(zones.get(0).chain(), zones.get(0).chain());
        closing.add(PolicyLine.DEFAULT);
        for (int pair = 0; pair < count * count; pair++) {
            int[] zonesOfPair = {pair / count, pair % count};
            pairs.add(zonesOfPair, 0.2 + random.nextDouble());
            Subnet from = zones.get(zonesOfPair[0]).chain().get(0);
            Subnet to = zones.get(zonesOfPair[1]).chain().get(0);
            closing.add(new PolicyLine(pair, from, to, ServiceKind.ANY));
        }
    }

    @Override
    List<PolicyLine> closing() {
        return closing;
    }

    @Override
    PolicyLine draw(int remaining) {
        int[] pair = pairs.at(random.nextDouble());
        return new PolicyLine(
                pair[0] * zones.size() + pair[1],
                prefixes.get(pair[0]).at(random.nextDouble()),
                prefixes.get(pair[1]).at(random.nextDouble()),
                kinds.next());
    }
}
