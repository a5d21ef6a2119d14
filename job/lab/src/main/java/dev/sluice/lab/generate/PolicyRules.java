package dev.sluice.lab.generate;

import dev.sluice.job.UsageException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;

/**
 * Policies as networks and clouds have them: many kinds of services, long lists between few
 * prefixes, prefixes in chains. Within a section more specific rules come first, now and then not,
 * as administrators write them; rules for every service close sections and the file.
 *
 * @param counts exactly so many kinds, and a chain of exactly that depth
 */
record PolicyRules(SplittableRandom random, RuleShape shape, PolicyCounts counts) {
    /** Tries for each rule, until it is another one. */
    private static final long TRIES = 50;

    /** At most this part of the rules closes sections. */
    private static final int RULES_A_CLOSING = 8;

    /** One in so many rules stands apart from its place by specificity. */
    private static final int RULES_A_STRAY = 12;

    private static final int FARTHEST_STRAY = 12;

    private record Placed(PolicyLine line, int specificity) {}

    /**
     * So many lines.
     *
     * @throws UsageException if so few kinds and prefixes do not make so many distinct rules
     */
    List<String> lines(int count) {
        ServiceKinds kinds = new ServiceKinds(random, counts.kinds());
        int depth = counts.depth();
        PolicyShape policy =
                switch (shape) {
                    case ZONES -> new ZoneRules(random, kinds, count, counts);
                    case GROUPS -> new GroupRules(random, kinds, count, counts);
                    case FEWSOURCES -> new FewSourcesRules(random, kinds, count, depth);
                    default -> new BlockListRules(random, kinds, count, depth);
                };
        int closing =
                Math.min(count / RULES_A_CLOSING, count - Math.max(counts.kinds(), counts.depth()));
        List<PolicyLine> last = policy.closing().stream().limit(closing).toList();
        Set<PolicyLine> distinct = new LinkedHashSet<>(last);
        List<Placed> placed = new ArrayList<>();
        last.forEach(line -> placed.add(new Placed(line, -1)));
        for (long tries = 0; distinct.size() < count; tries++) {
            if (tries > TRIES * count) {
                throw new UsageException(
                        "%s: %,d kinds do not make %,d distinct rules; give --kinds a larger number"
                                .formatted(shape.label(), counts.kinds(), count));
            }
            PolicyLine line = policy.next(count - distinct.size());
            if (distinct.add(line)) {
                placed.add(new Placed(line, specificity(line)));
            }
        }
        placed.sort(
                Comparator.comparingInt((Placed p) -> p.line.section())
                        .thenComparing(Comparator.comparingInt(Placed::specificity).reversed())
                        .thenComparingLong(p -> p.line.kind().volume()));
        return placed.stream().map(p -> p.line.text()).toList();
    }

    private int specificity(PolicyLine line) {
        int bits = line.src().length() + line.dst().length();
        return random.nextInt(RULES_A_STRAY) > 0
                ? bits
                : Math.max(0, bits + random.nextInt(-FARTHEST_STRAY, FARTHEST_STRAY + 1));
    }
}
