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
 */
record Cell(RuleShape shape, int rules, @Nullable PolicyCounts counts) {
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
            if (!shape.isPolicy()) {
                addOne(new Cell(shape, ONE_SIZE, null), rules, cells);
            } else if (shape == RuleShape.BLOCKLIST) {
                addOne(new Cell(shape, ONE_SIZE, PolicyCounts.usual(ONE_SIZE)), rules, cells);
            } else {
                rules.forEach(count -> cells.addAll(grid(shape, count, kinds, depths)));
            }
        }
        return cells;
    }

    private static void addOne(Cell cell, List<Integer> rules, List<Cell> cells) {
        if (rules.contains(ONE_SIZE)) {
            cells.add(cell);
        }
    }

    private static List<Cell> grid(
            RuleShape shape, int rules, List<Integer> kinds, List<Integer> depths) {
        List<Cell> cells = new ArrayList<>();
        for (int kind : kinds) {
            for (int depth : depths) {
                if (RULES_A_KIND * kind <= rules) {
                    cells.add(new Cell(shape, rules, new PolicyCounts(kind, depth)));
                }
            }
        }
        return cells;
    }

    /** Makes its rules. */
    RuleGenerator generator(long seed) {
        return counts == null
                ? new RuleGenerator(shape, rules, seed, new MaskCounts(1, 1, 5), 0)
                : RuleGenerator.ofPolicy(shape, rules, counts, seed);
    }

    /** A name without blanks. */
    String name() {
        return counts == null
                ? "%s_%d".formatted(shape.label(), rules)
                : "%s_%d_%d_%d".formatted(shape.label(), rules, counts.kinds(), counts.depth());
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
        return record;
    }
}
