package dev.sluice.job.lab.grid;

import dev.sluice.job.UsageException;
import dev.sluice.job.lab.generate.PolicyCounts;
import dev.sluice.job.lab.generate.RuleGenerator;
import dev.sluice.job.lab.generate.RuleShape;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Options that name cells of the grid. */
public final class CellOptions {
    @Option(
            names = "--shapes",
            paramLabel = "NAME",
            split = ",",
            description =
                    "Some of zones, groups, fewsources, blocklist, acl, fw, ipc, separated by commas (default: all). From blocklist on they have one size, 100000 rules.")
    private List<String> shapes = labels();

    @Option(
            names = "--rules",
            paramLabel = "N",
            split = ",",
            description = "Numbers of rules (default: 1000,10000,100000,1000000).")
    private List<Integer> rules = Cell.RULES;

    @Option(
            names = "--kinds",
            paramLabel = "N",
            split = ",",
            description =
                    "zones, groups, fewsources: numbers of kinds, each where there are three times as many rules (default: 30,300,3000,10000).")
    private List<Integer> kinds = Cell.KINDS;

    @Option(
            names = "--depths",
            paramLabel = "N",
            split = ",",
            description = "zones, groups, fewsources: depths of nesting (default: 2,8,24).")
    private List<Integer> depths = Cell.DEPTHS;

    @Option(
            names = "--ipv6-share",
            paramLabel = "P",
            description =
                    "Share of each policy's rules that are written for IPv6, above 0 and below 1; the last rule comes in both families (default: none).")
    private @Nullable Double ipv6Share;

    @Option(
            names = "--seed",
            paramLabel = "N",
            defaultValue = "1",
            description = "Seed of rules and headers (default ${DEFAULT-VALUE}).")
    private long seed;

    @Option(
            names = "--headers",
            paramLabel = "N",
            defaultValue = "200000",
            description =
                    "Headers of each trace, half within a rule (default ${DEFAULT-VALUE}); a launch of 'gpu grid' draws from them.")
    private int headers;

    @Option(
            names = "--out",
            paramLabel = "FILE",
            description =
                    "JSON file of the cells, written after each; cells of other runs stay there.")
    private @Nullable Path out;

    /**
     * Headers of each trace.
     *
     * @throws UsageException if there are to be none
     */
    public int headers() {
        UsageException.requireAtLeast("--headers", headers, 1);
        return headers;
    }

    /** File of the cells; null: none. */
    public @Nullable Path out() {
        return out;
    }

    /** Seed of rules and headers. */
    public long seed() {
        return seed;
    }

    /**
     * The cells.
     *
     * @throws UsageException if there are none, or one that cannot be
     */
    public List<Cell> cells() {
        rules.forEach(n -> UsageException.requireRange("--rules", n, 1, RuleGenerator.MOST_RULES));
        kinds.forEach(n -> UsageException.requireAtLeast("--kinds", n, 1));
        depths.forEach(n -> UsageException.requireRange("--depths", n, 1, PolicyCounts.DEEPEST));
        List<RuleShape> chosen = shapes.stream().map(CellOptions::shape).toList();
        List<Cell> ipv4 = Cell.all(chosen, rules, kinds, depths);
        Double share = ipv6Share;
        List<Cell> cells =
                share == null
                        ? ipv4
                        : ipv4.stream().map(cell -> cell.withIpv6Share(share)).toList();
        if (cells.isEmpty()) {
            throw new UsageException(
                    "--rules and --kinds leave no cell: there must be three rules for each kind; the shapes from blocklist on have 100000 rules");
        }
        // Numbers that no policy can have are refused before the first is measured.
        cells.forEach(cell -> cell.generator(seed));
        return cells;
    }

    private static RuleShape shape(String name) {
        return Cell.SHAPES.stream()
                .filter(shape -> shape.label().equals(name))
                .findFirst()
                .orElseThrow(
                        () ->
                                new UsageException(
                                        "--shapes %s is not in the grid; use some of %s"
                                                .formatted(name, String.join(", ", labels()))));
    }

    private static List<String> labels() {
        return Cell.SHAPES.stream().map(RuleShape::label).toList();
    }
}
