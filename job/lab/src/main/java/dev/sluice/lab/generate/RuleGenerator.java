package dev.sluice.lab.generate;

import dev.sluice.job.UsageException;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;

/**
 * Generator of rule sets, as lines of a rule file. The same settings and seed give the same lines.
 *
 * @param maskCounts of {@link RuleShape#CLASSES}
 * @param wildRatio {@link RuleShape#OPENFLOW}: share of wild values in the seven fields beyond the
 *     5-tuple
 */
public record RuleGenerator(
        RuleShape shape, int count, long seed, MaskCounts maskCounts, double wildRatio) {
    /** Most rules that are generated. */
    public static final int MOST_RULES = 1_000_000;

    /**
     * Checks the numbers.
     *
     * @throws UsageException if they contradict each other
     */
    public RuleGenerator {
        if (shape == RuleShape.CLASSES
                && (maskCounts.full() < 1
                        || maskCounts.full() > maskCounts.masks()
                        || maskCounts.masks() > count
                        || maskCounts.fields() != 5 && maskCounts.fields() != 12)) {
            throw new UsageException(
                    "--masks, --full-masks and --fields do not fit: at least one full mask, at most as many as masks, at most as many masks as rules, 5 or 12 fields");
        }
    }

    /** The lines, best rule first where the format has no priority. */
    public List<String> lines() {
        RandomParts parts = new RandomParts(new SplittableRandom(seed));
        return switch (shape) {
            case ACL, FW, IPC -> new FiveTupleRules(parts, shape).lines(count);
            case IPV6 -> Ipv6Rules.lines(parts, count);
            case CLASSES -> new MaskRules(parts, maskCounts).lines(count);
            case OPENFLOW -> new OpenFlowRules(parts, wildRatio).lines(count);
            case EXACT -> new ExactRules(parts).lines(count);
            case ROUTES -> RouteRules.ipv4(parts.random(), count);
            case ROUTES6 -> RouteRules.ipv6(parts.random(), count);
            case HOSTILE -> IntStream.range(0, count).mapToObj(parts::scattered).toList();
        };
    }
}
