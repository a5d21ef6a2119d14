package dev.sluice.lab.generate;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;

/**
 * Subnets of one network, nested to a depth: every one has one of as many lengths as the depth, so
 * that no chain is longer, and one chain holds them all.
 *
 * @param chain each lies in the one before; the first is the whole network where the depth is above
 *     1
 * @param subnets all, those of the chain first
 */
record SubnetTree(List<Subnet> chain, List<Subnet> subnets) {
    /** Networks that do not overlap, and that no tree goes beyond. */
    private static final int NETWORK_BITS = 9;

    /** Unicast addresses, without 0.0.0.0/8: 1.0.0.0 to 223.255.255.255. */
    private static final int FIRST_NETWORK = 2;

    private static final int NETWORKS = 446;

    /** Lengths that the steps of a chain have: every one from a whole network to a host. */
    static final int DEEPEST = 32 - NETWORK_BITS + 1;

    /** So many trees, each in a network of its own. */
    static List<SubnetTree> distinct(SplittableRandom random, int trees, int subnets, int depth) {
        Set<Integer> networks = new LinkedHashSet<>();
        while (networks.size() < trees) {
            networks.add(FIRST_NETWORK + random.nextInt(NETWORKS));
        }
        return networks.stream()
                .map(network -> of(random, network << 32 - NETWORK_BITS, subnets, depth))
                .toList();
    }

    private static SubnetTree of(SplittableRandom random, int network, int count, int depth) {
        List<Integer> lengths = lengths(random, depth, count);
        List<Subnet> chain = new ArrayList<>();
        Subnet above = new Subnet(network, NETWORK_BITS);
        for (int length : lengths) {
            above = within(random, above, length);
            chain.add(above);
        }
        Subnet whole = depth == 1 ? new Subnet(network, NETWORK_BITS) : chain.get(0);
        List<List<Subnet>> levels = new ArrayList<>();
        chain.forEach(subnet -> levels.add(new ArrayList<>(List.of(subnet))));
        Set<Subnet> subnets = new LinkedHashSet<>(chain);
        while (subnets.size() < count) {
            // Half of all subnets are of the longest kind, mostly hosts.
            int level = random.nextBoolean() || depth < 3 ? depth - 1 : random.nextInt(1, depth);
            int under = random.nextInt(-1, level);
            Subnet parent =
                    under < 0
                            ? whole
                            : levels.get(under).get(random.nextInt(levels.get(under).size()));
            Subnet subnet = within(random, parent, lengths.get(level));
            if (subnets.add(subnet)) {
                levels.get(level).add(subnet);
            }
        }
        return new SubnetTree(List.copyOf(chain), List.copyOf(subnets));
    }

    /**
     * Ascending; hosts are always among them, and the lengths that networks mostly have often. The
     * first leaves room for twice as many hosts as there are subnets.
     */
    private static List<Integer> lengths(SplittableRandom random, int depth, int subnets) {
        WeightedChoice<Integer> usual = new WeightedChoice<>();
        for (int length = NETWORK_BITS; length < 32; length++) {
            usual.add(
                    length, length == 16 || length == 24 ? 8 : length == 9 || length > 28 ? 1 : 2);
        }
        TreeSet<Integer> lengths = new TreeSet<>(List.of(32));
        int longest = Integer.numberOfLeadingZeros(2 * subnets);
        while (depth > 1 && lengths.size() < 2) {
            int first = usual.at(random.nextDouble());
            if (first <= longest) {
                lengths.add(first);
            }
        }
        while (lengths.size() < depth) {
            lengths.add(usual.at(random.nextDouble()));
        }
        return List.copyOf(lengths);
    }

    private static Subnet within(SplittableRandom random, Subnet parent, int length) {
        int below = parent.length() == 0 ? -1 : ~(-1 << 32 - parent.length());
        int address = parent.address() | random.nextInt() & below;
        return new Subnet(RandomParts.cut(address, length), length);
    }
}
