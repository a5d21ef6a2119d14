package dev.sluice.lab.generate;

import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;

/**
 * Generator of rule sets, as lines of a rule file. The same settings and seed give the same lines.
 *
 * @param wildRatio {@link RuleShape#OPENFLOW}: share of wild values in the seven fields beyond the
 *     5-tuple
 */
public record RuleGenerator(RuleShape shape, int count, long seed, double wildRatio) {
    /** Most rules that are generated. */
    public static final int MOST_RULES = 1_000_000;

    /** The lines, best rule first where the format has no priority. */
    public List<String> lines() {
        RandomParts parts = new RandomParts(new SplittableRandom(seed));
        return switch (shape) {
            case ACL, FW, IPC -> new FiveTupleRules(parts, shape).lines(count);
            case IPV6 -> new Ipv6Rules(parts).lines(count);
            case OPENFLOW -> new OpenFlowRules(parts, wildRatio).lines(count);
            case ROUTES -> new RouteRules(parts.random()).ipv4(count);
            case ROUTES6 -> new RouteRules(parts.random()).ipv6(count);
            case HOSTILE -> IntStream.range(0, count).mapToObj(parts::scattered).toList();
        };
    }
}
