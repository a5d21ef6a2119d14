package dev.sluice.lab.generate;

import dev.sluice.job.UsageException;
import java.nio.file.Path;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;

/**
 * Generator of rule sets, as lines of a rule file. The same settings and seed give the same lines.
 *
 * @param maskCounts of {@link RuleShape#CLASSES}
 * @param wildRatio {@link RuleShape#OPENFLOW}: share of wild values in the seven fields beyond the
 *     5-tuple
 * @param policyCounts of policies ({@link RuleShape#isPolicy()})
 * @param ipv6Share share of the rules that are written for IPv6, the last one for both families; 0:
 *     none
 */
public record RuleGenerator(
        RuleShape shape,
        int count,
        long seed,
        MaskCounts maskCounts,
        double wildRatio,
        PolicyCounts policyCounts,
        double ipv6Share) {
    /** Most rules that are generated. */
    public static final int MOST_RULES = 1_000_000;

    /**
     * Checks the numbers.
     *
     * @throws UsageException if they contradict each other
     */
    public RuleGenerator {
        check(count);
        if (shape.isPolicy()) {
            policyCounts.check(count);
        }
        if (shape == RuleShape.CLASSES
                && (maskCounts.full() < 1
                        || maskCounts.full() > maskCounts.masks()
                        || maskCounts.masks() > count
                        || maskCounts.fields() != 5 && maskCounts.fields() != 12)) {
            throw new UsageException(
                    "--masks, --full-masks and --fields do not fit: at least one full mask, at most as many as masks, at most as many masks as rules, 5 or 12 fields");
        }
        if (!(wildRatio >= 0 && wildRatio <= 1)) {
            throw new UsageException("--wild-ratio " + wildRatio + " is not in 0..1");
        }
    }

    /** A generator; where the shape is a policy, of the usual numbers for so many rules. */
    public RuleGenerator(
            RuleShape shape, int count, long seed, MaskCounts maskCounts, double wildRatio) {
        this(shape, count, seed, maskCounts, wildRatio, PolicyCounts.usual(count), 0);
    }

    /**
     * A generator of a policy.
     *
     * @param shape one that {@link RuleShape#isPolicy()}
     * @throws UsageException if so many rules cannot have these numbers
     */
    public static RuleGenerator ofPolicy(
            RuleShape shape, int count, PolicyCounts counts, long seed) {
        if (!shape.isPolicy()) {
            throw new UsageException(
                    "--kinds and --depth are for zones, groups, fewsources and blocklist: the shape "
                            + shape.label()
                            + " has its own");
        }
        return new RuleGenerator(shape, count, seed, new MaskCounts(1, 1, 5), 0, counts, 0);
    }

    /**
     * A generator of as many rules, a share of which is written for IPv6, the last one for both
     * families.
     *
     * @throws UsageException if the share is not above 0 and below 1, or the shape is not one of
     *     IPv4 5-tuples
     */
    public RuleGenerator withIpv6Share(double share) {
        if (!(share > 0 && share < 1)) {
            throw new UsageException(
                    "--ipv6-share "
                            + share
                            + " is not above 0 and below 1; --shape ipv6 has no IPv4");
        }
        if (!shape.isFiveTuples()) {
            throw new UsageException(
                    "--ipv6-share is for IPv4 5-tuples: the shape "
                            + shape.label()
                            + " has others");
        }
        if (count == 1) {
            throw new UsageException(
                    "--ipv6-share needs --count 2 at least, a rule of each family");
        }
        return new RuleGenerator(
                shape, count - 1, seed, maskCounts, wildRatio, policyCounts, share);
    }

    /**
     * Lines by the statistics of a parameter file of ClassBench, longer prefixes first.
     *
     * @throws dev.sluice.policy.io.SluiceException if the file cannot be read, naming its line
     */
    public static List<String> bySeedFile(Path file, int count, long seed) {
        check(count);
        return new SeededRules(SeedFile.read(file), seed).lines(count);
    }

    private static void check(int count) {
        if (count < 1 || count > MOST_RULES) {
            throw new UsageException("--count " + count + " is not in 1.." + MOST_RULES);
        }
    }

    /** The lines, best rule first where the format has no priority. */
    public List<String> lines() {
        RandomParts parts = new RandomParts(new SplittableRandom(seed));
        List<String> lines =
                switch (shape) {
                    case ACL, FW, IPC -> new FiveTupleRules(parts, shape).lines(count);
                    case IPV6 -> Ipv6Rules.lines(parts, count);
                    case CLASSES -> new MaskRules(parts, maskCounts).lines(count);
                    case OPENFLOW -> new OpenFlowRules(parts, wildRatio).lines(count);
                    case EXACT -> new ExactRules(parts).lines(count);
                    case ROUTES -> RouteRules.ipv4(parts.random(), count);
                    case ROUTES6 -> RouteRules.ipv6(parts.random(), count);
                    case HOSTILE -> IntStream.range(0, count).mapToObj(parts::scattered).toList();
                    case ZONES, GROUPS, FEWSOURCES, BLOCKLIST ->
                            new PolicyRules(parts.random(), shape, policyCounts).lines(count);
                    case RANDOM -> new UniformRules(parts.random()).lines(count);
                };
        return ipv6Share == 0 ? lines : new DualStack(ipv6Share, seed).lines(lines);
    }
}
