package dev.sluice.lab.generate;

import dev.sluice.job.UsageException;
import dev.sluice.job.cli.Range;
import picocli.CommandLine.Option;

/** Options of generated rules; each command has defaults of its own. */
public final class GeneratorOptions {
    @Option(
            names = "--count",
            paramLabel = "N",
            description =
                    "Generated rules, up to 1000000; fewer where no more distinct ones come (default ${DEFAULT-VALUE}).")
    @Range(from = 1, to = RuleGenerator.MOST_RULES)
    private int count;

    @Option(
            names = "--masks",
            paramLabel = "C",
            description = "classes: distinct masks (default ${DEFAULT-VALUE}).")
    @Range(from = 1)
    private int masks;

    @Option(
            names = "--full-masks",
            paramLabel = "F",
            description =
                    "classes: masks that share all rules but one for each other mask (default ${DEFAULT-VALUE}).")
    @Range(from = 1)
    private int fullMasks;

    @Option(
            names = "--wild-ratio",
            paramLabel = "R",
            defaultValue = "0.5",
            description =
                    "openflow: share of wild values in the fields beyond the 5-tuple (default ${DEFAULT-VALUE}).")
    @Range(to = 1)
    private double wildRatio;

    /** Options with the defaults of {@code --count}, {@code --masks} and so on. */
    public GeneratorOptions(int count, int masks, int fullMasks) {
        this.count = count;
        this.masks = masks;
        this.fullMasks = fullMasks;
    }

    /** How many rules. */
    public int count() {
        return count;
    }

    /**
     * Returns the generator of rules of a shape.
     *
     * @throws UsageException if there are no such rules
     */
    public RuleGenerator generator(RuleShape shape, long seed) {
        return new RuleGenerator(
                shape, count, seed, new MaskCounts(masks, fullMasks, 5), wildRatio);
    }
}
