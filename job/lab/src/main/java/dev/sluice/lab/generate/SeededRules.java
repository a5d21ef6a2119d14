package dev.sluice.lab.generate;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;

/**
 * Rules by the statistics of a seed file, as ClassBench makes them (§4 of its paper): protocol,
 * kind of the port pair, ports, lengths of both prefixes, then addresses bit by bit down two tries
 * whose branching, skew, nesting and correlation are the file's. Not thread-safe.
 */
final class SeededRules {
    /** Tries for a prefix that does not nest too deep. */
    private static final int TRIES = 16;

    private final SeedFile seed;
    private final SplittableRandom random;
    private final long salt;
    private final List<Set<Long>> prefixes = List.of(new HashSet<>(), new HashSet<>());

    SeededRules(SeedFile seed, long number) {
        this.seed = seed;
        this.random = new SplittableRandom(number);
        this.salt = random.nextLong();
    }

    /** So many lines of a rule file, fewer where no more distinct ones come. */
    List<String> lines(int count) {
        Set<String> distinct = new LinkedHashSet<>();
        for (int tries = 0; distinct.size() < count && tries < 20 * count + 100; tries++) {
            distinct.add(line());
        }
        List<String> lines = new ArrayList<>(distinct);
        // A rule behind one that covers it would never match: longer prefixes go first.
        lines.sort(Comparator.comparingInt(FiveTupleRules::specificity).reversed());
        return lines;
    }

    private String line() {
        SeedFile.Protocol protocol = seed.protocols.at(random.nextDouble());
        String pair = protocol.pairs().at(random.nextDouble());
        WeightedChoice<SeedFile.Lengths> lengths = seed.lengths.get(pair);
        int srcLength = 0;
        int dstLength = 0;
        if (lengths != null && !lengths.isEmpty()) {
            SeedFile.Lengths both = lengths.at(random.nextDouble());
            srcLength = both.source().at(random.nextDouble());
            dstLength = both.total() - srcLength;
        }
        int src = source(srcLength);
        int dst = destination(src, srcLength, dstLength);
        WeightedChoice<String> flags = seed.flags.get(protocol.number());
        return "@%s/%d\t%s/%d\t%s\t%s\t%s\t%s\t"
                .formatted(
                        RandomParts.dotted(src),
                        srcLength,
                        RandomParts.dotted(dst),
                        dstLength,
                        ports(0, pair.substring(0, 2)),
                        ports(1, pair.substring(3)),
                        protocol.number() == 0
                                ? "0x00/0x00"
                                : "0x%02x/0xFF".formatted(protocol.number()),
                        flags == null || flags.isEmpty()
                                ? "0x0000/0x0000"
                                : flags.at(random.nextDouble()));
    }

    private String ports(int side, String kind) {
        WeightedChoice<SeedFile.Range> choice =
                kind.equals("ar") ? seed.ranges.get(side) : seed.ports.get(side);
        SeedFile.Range range =
                switch (kind) {
                    case "wc" -> new SeedFile.Range(0, 65_535);
                    case "hi" -> new SeedFile.Range(1024, 65_535);
                    case "lo" -> new SeedFile.Range(0, 1023);
                    default ->
                            choice.isEmpty()
                                    ? new SeedFile.Range(0, 65_535)
                                    : choice.at(random.nextDouble());
                };
        return range.low() + " : " + range.high();
    }

    private int source(int length) {
        int address = 0;
        for (int tries = 0; tries < TRIES; tries++) {
            address = 0;
            for (int level = 0; level < length; level++) {
                address |= bit(0, address, level) << 31 - level;
            }
            if (nests(0, address, length)) {
                break;
            }
        }
        prefixes.get(0).add(key(address, length));
        return address;
    }

    /** Goes on as the source does for as long as the file's correlation has it. */
    private int destination(int source, int sourceLength, int length) {
        int address = 0;
        for (int tries = 0; tries < TRIES; tries++) {
            address = 0;
            boolean alike = true;
            for (int level = 0; level < length; level++) {
                alike =
                        alike
                                && level < sourceLength
                                && random.nextDouble() < seed.alike[level + 1];
                int bit = alike ? source >>> 31 - level & 1 : bit(1, address, level);
                address |= bit << 31 - level;
            }
            if (nests(1, address, length)) {
                break;
            }
        }
        prefixes.get(1).add(key(address, length));
        return address;
    }

    /**
     * A node's next bit: its trie is decided by the seed, node by node, and is the same each time.
     */
    private int bit(int side, int above, int level) {
        long node = mix(salt + side, (long) above << 6 | level);
        int heavy = (int) (node & 1);
        double shape = (node >>> 11) * 0x1.0p-53;
        if (shape < seed.oneChild[side][level]) {
            return heavy;
        }
        // Skew is 1 less the ratio of the lighter child's weight to the heavier one's.
        double ratio = 1 - seed.skew[side][level];
        return random.nextDouble() < ratio / (1 + ratio) ? 1 - heavy : heavy;
    }

    private boolean nests(int side, int address, int length) {
        Set<Long> there = prefixes.get(side);
        int above = 1;
        for (int level = 0; level < length; level++) {
            above += there.contains(key(RandomParts.cut(address, level), level)) ? 1 : 0;
        }
        return above <= seed.nesting[side];
    }

    private static long key(int address, int length) {
        return (long) address << 6 | length;
    }

    private static long mix(long salt, long value) {
        long z = (value ^ salt) * 0x9e3779b97f4a7c15L;
        z = (z ^ z >>> 30) * 0xbf58476d1ce4e5b9L;
        z = (z ^ z >>> 27) * 0x94d049bb133111ebL;
        return z ^ z >>> 31;
    }
}
