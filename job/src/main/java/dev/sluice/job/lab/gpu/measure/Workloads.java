package dev.sluice.job.lab.gpu.measure;

import dev.sluice.job.lab.generate.RuleGenerator;
import dev.sluice.job.lab.generate.RuleShape;
import dev.sluice.job.lab.sets.TestSet;

/**
 * Generated rule sets with 200,000 headers each, a tenth of which are random or near misses where
 * nothing else is said.
 */
final class Workloads {
    private static final int HEADERS = 200_000;
    private static final double MISSES = 0.1;

    private Workloads() {}

    /**
     * Rules of a shape.
     *
     * @param wild share of wild values, where the shape has such a share
     */
    static TestSet shape(String name, RuleShape shape, int count, double wild) {
        RuleGenerator.MaskCounts maskCounts = new RuleGenerator.MaskCounts(512, 512, 1, 5);
        return generate(name, new RuleGenerator(shape, count, 1, maskCounts, wild));
    }

    /** Rules of so many masks, with the rules spread evenly over them (GSwitch, §7). */
    static TestSet masks(int rules, int masks) {
        int full = Math.min(masks, rules / 2);
        RuleGenerator.MaskCounts maskCounts = new RuleGenerator.MaskCounts(masks, full, 1, 5);
        return generate(
                "gswitch C = " + masks,
                new RuleGenerator(RuleShape.CLASSES, rules, 1, maskCounts, 0));
    }

    /** As {@link #shape}, with headers of which each matches a rule. */
    static TestSet matching(String name, RuleShape shape, int count, double wild) {
        RuleGenerator.MaskCounts maskCounts = new RuleGenerator.MaskCounts(512, 512, 1, 5);
        return generate(name, new RuleGenerator(shape, count, 1, maskCounts, wild), 0);
    }

    private static TestSet generate(String name, RuleGenerator generator) {
        return generate(name, generator, MISSES);
    }

    private static TestSet generate(String name, RuleGenerator generator, double misses) {
        return TestSet.generate(name, generator, HEADERS, misses, 1, false);
    }
}
