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

    /**
     * A rule.
     *
     * @param section rules of one section stand together, sections by their numbers
     */
    record Draft(int section, Subnet src, Subnet dst, ServiceKind kind) {
        /** The one that stands last in a file. */
        static final Draft DEFAULT =
                new Draft(Integer.MAX_VALUE, Subnet.ANY, Subnet.ANY, ServiceKind.ANY);

        String text() {
            return "@%s\t%s\t%s\t0x0000/0x0000\t".formatted(src.text(), dst.text(), kind.text());
        }
    }

    /** Draws the rules of a shape. */
    interface Drafts {
        /**
         * Returns the last rules of the file and then of its sections, the most important first.
         */
        List<Draft> closing();

        /**
         * The next rule: one of a new kind where there are some left, its prefixes the next of a
         * chain until one is walked to its end; else any, perhaps one that was there before.
         *
         * @param remaining rules that are still to come, this one included
         */
        Draft next(int remaining);
    }

    private record Placed(Draft draft, int specificity) {}

    /**
     * So many lines.
     *
     * @throws UsageException if so few kinds and prefixes do not make so many distinct rules
     */
    List<String> lines(int count) {
        ServiceKinds kinds = new ServiceKinds(random, counts.kinds());
        int depth = counts.depth();
        Drafts drafts =
                switch (shape) {
                    case ZONES -> new ZoneRules(random, kinds, count, counts);
                    case GROUPS -> new GroupRules(random, kinds, count, counts);
                    case FEWSOURCES -> new FewSourcesRules(random, kinds, count, depth);
                    default -> new BlockListRules(random, kinds, count, depth);
                };
        int closing =
                Math.min(count / RULES_A_CLOSING, count - Math.max(counts.kinds(), counts.depth()));
        List<Draft> last = drafts.closing().stream().limit(closing).toList();
        Set<Draft> distinct = new LinkedHashSet<>(last);
        List<Placed> placed = new ArrayList<>();
        last.forEach(draft -> placed.add(new Placed(draft, -1)));
        for (long tries = 0; distinct.size() < count; tries++) {
            if (tries > TRIES * count) {
                throw new UsageException(
                        "%s: %,d kinds do not make %,d distinct rules; give --kinds a larger number"
                                .formatted(shape.label(), counts.kinds(), count));
            }
            Draft draft = drafts.next(count - distinct.size());
            if (distinct.add(draft)) {
                placed.add(new Placed(draft, specificity(draft)));
            }
        }
        placed.sort(
                Comparator.comparingInt((Placed p) -> p.draft.section)
                        .thenComparing(Comparator.comparingInt(Placed::specificity).reversed())
                        .thenComparingLong(p -> p.draft.kind.volume()));
        return placed.stream().map(p -> p.draft.text()).toList();
    }

    private int specificity(Draft draft) {
        int bits = draft.src.length() + draft.dst.length();
        return random.nextInt(RULES_A_STRAY) > 0
                ? bits
                : Math.max(0, bits + random.nextInt(-FARTHEST_STRAY, FARTHEST_STRAY + 1));
    }
}
