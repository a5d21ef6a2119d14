package dev.sluice.engine.testing;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.engine.lookup.AlgorithmChoice;
import dev.sluice.engine.testing.RandomRules.Shape;
import java.util.EnumSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Counts what a subject really served, so that no test passes by refusals. Not thread-safe.
 *
 * <p>An algorithm that declares no refusal must serve everything. Of one that does, this class
 * knows which shapes it must serve all the same; of one that it does not know, one rule set of many
 * rules is asked for.
 */
public final class Served {
    /** Rule sets of fewer rules than this prove little. */
    private static final int MANY = 40;

    private static final Set<Shape> ROUTES =
            EnumSet.of(Shape.IPV4_ROUTES, Shape.IPV6_ROUTES, Shape.BACKBONE);

    private static final Set<Shape> TABLES = EnumSet.of(Shape.PREFIXES, Shape.ACCESS_LIST);

    private static final Map<String, Set<Shape>> MUST =
            Map.of(
                    "bitvector",
                    EnumSet.of(
                            Shape.PREFIXES,
                            Shape.IPV4_ROUTES,
                            Shape.IPV6_ROUTES,
                            Shape.BACKBONE,
                            Shape.ACCESS_LIST),
                    "pairs",
                    EnumSet.of(
                            Shape.IPV4_ROUTES,
                            Shape.IPV6_ROUTES,
                            Shape.BACKBONE,
                            Shape.ACCESS_LIST),
                    "rfc",
                    TABLES,
                    "bitmap-rfc",
                    TABLES,
                    "routes",
                    ROUTES);

    private final AlgorithmChoice algorithm;
    private int stories;
    private int manyRules;
    private int refused;
    private String lastReason = "";

    /** Counts for an algorithm. */
    public Served(AlgorithmChoice algorithm) {
        this.algorithm = algorithm;
    }

    /** Whether it must serve every rule set of a shape. */
    public static boolean must(AlgorithmChoice algorithm, Shape shape) {
        return !Form.plain(algorithm).mayRefuse()
                || MUST.getOrDefault(algorithm.label(), Set.of()).contains(shape);
    }

    /** A shape that an algorithm must serve; plain prefixes where it may refuse them all. */
    public static Shape shapeFor(AlgorithmChoice algorithm) {
        return must(algorithm, Shape.PREFIXES) ? Shape.PREFIXES : Shape.IPV4_ROUTES;
    }

    /**
     * Notes what became of a story.
     *
     * @param refusal why it was refused; empty if it was served
     * @throws AssertionError if it had to be served, or if the refusal states no reason
     */
    public void note(Form form, Shape shape, RuleStory story, Optional<String> refusal) {
        Refusals.assertAllowed(form, story, refusal);
        if (refusal.isPresent()) {
            assertTrue(
                    !form.plain() || !must(algorithm, shape),
                    () -> form + " must serve " + story + ": " + refusal.get());
            refused++;
            lastReason = refusal.get();
            return;
        }
        stories++;
        manyRules += story.rules().size() >= MANY ? 1 : 0;
    }

    /**
     * Asks for a floor of rule sets that were served.
     *
     * @param least number of those of many rules
     */
    public void assertAtLeast(int least) {
        assertTrue(
                manyRules >= least,
                () ->
                        "%s served %d stories, %d of many rules, not %d; it refused %d, the last because %s"
                                .formatted(
                                        algorithm.label(),
                                        stories,
                                        manyRules,
                                        least,
                                        refused,
                                        lastReason));
    }
}
