package dev.sluice.lab.grid;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sluice.job.cli.JsonOption;
import dev.sluice.lab.generate.MaskCounts;
import dev.sluice.lab.generate.PolicyCounts;
import dev.sluice.lab.generate.RuleGenerator;
import dev.sluice.lab.generate.RuleShape;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One policy of the grid. Immutable.
 *
 * @param rules to be generated
 * @param counts kinds and depth, absent where the shape has its own
 * @param ipv6Share share of the rules that are written for IPv6, 0 for none
 */
record Cell(RuleShape shape, int rules, @Nullable PolicyCounts counts, double ipv6Share) {
    static final List<RuleShape> SHAPES =
            List.of(
                    RuleShape.ZONES,
                    RuleShape.GROUPS,
                    RuleShape.FEWSOURCES,
                    RuleShape.BLOCKLIST,
                    RuleShape.ACL,
                    RuleShape.FW,
                    RuleShape.IPC);
    static final List<Integer> RULES = List.of(1_000, 10_000, 100_000, 1_000_000);
    static final List<Integer> KINDS = List.of(30, 300, 3_000, 10_000);
    static final List<Integer> DEPTHS = List.of(2, 8, 24);

    /** Fewest rules of a kind, on average, that a policy has. */
    private static final int RULES_A_KIND = 3;

    /** Rules of the shapes that are there at one size. */
    private static final int ONE_SIZE = 100_000;

    /**
     * The cells of some shapes. Zones, groups and few sources come with all numbers, as far as
     * there are three rules for each kind; the others at one size each.
     */
    static List<Cell> all(
            List<RuleShape> shapes,
            List<Integer> rules,
            List<Integer> kinds,
            List<Integer> depths) {
        List<Cell> cells = new ArrayList<>();
        for (RuleShape shape : shapes) {
            switch (shape) {
                case ZONES, GROUPS, FEWSOURCES -> {
                    for (int count : rules) {
                        cells.addAll(grid(shape, count, kinds, depths));
                    }
                }
                default -> {
                    if (rules.contains(ONE_SIZE)) {
                        PolicyCounts counts =
                                shape.isPolicy() ? PolicyCounts.usual(ONE_SIZE) : null;
                        cells.add(new Cell(shape, ONE_SIZE, counts, 0));
                    }
                }
            }
        }
        return cells;
    }

    private static List<Cell> grid(
            RuleShape shape, int rules, List<Integer> kinds, List<Integer> depths) {
        List<Cell> cells = new ArrayList<>();
        for (int kind : kinds) {
            for (int depth : depths) {
                if (RULES_A_KIND * kind <= rules) {
                    cells.add(new Cell(shape, rules, new PolicyCounts(kind, depth), 0));
                }
            }
        }
        return cells;
    }

    /** The cell with a share of its rules written for IPv6. */
    Cell withIpv6Share(double share) {
        return new Cell(shape, rules, counts, share);
    }

    /** Makes its rules. */
    RuleGenerator generator(long seed) {
        RuleGenerator ipv4 =
                counts == null
                        ? new RuleGenerator(shape, rules, seed, new MaskCounts(1, 1, 5), 0)
                        : RuleGenerator.ofPolicy(shape, rules, counts, seed);
        return ipv6Share == 0 ? ipv4 : ipv4.withIpv6Share(ipv6Share);
    }

    /** A name without blanks. */
    String name() {
        String name =
                counts == null
                        ? "%s_%d".formatted(shape.label(), rules)
                        : "%s_%d_%d_%d"
                                .formatted(shape.label(), rules, counts.kinds(), counts.depth());
        return ipv6Share == 0 ? name : name + "_ipv6_" + ipv6Share;
    }

    /** A record that names the cell, to be filled with what was measured. */
    ObjectNode record() {
        ObjectNode record =
                JsonOption.object()
                        .put("cell", name())
                        .put("shape", shape.label())
                        .put("rules", rules);
        if (counts != null) {
            record.put("kinds", counts.kinds()).put("depth", counts.depth());
        }
        return ipv6Share == 0 ? record : record.put("ipv6Share", ipv6Share);
    }

    /** For people. */
    @Override
    public String toString() {
        String size = "%s, %,d rules".formatted(shape.label(), rules);
        String cell =
                counts == null
                        ? size
                        : "%s, %,d kinds, depth %d".formatted(size, counts.kinds(), counts.depth());
        return ipv6Share == 0 ? cell : "%s, %s of the rules for IPv6".formatted(cell, ipv6Share);
    }
}
