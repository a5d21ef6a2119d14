package dev.sluice.engine.testing;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.engine.image.MemoryBudgetException;
import dev.sluice.engine.lookup.AlgorithmChoice;
import dev.sluice.engine.lookup.UnsupportedRulesException;
import dev.sluice.engine.testing.RandomRules.Shape;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Counts what an algorithm really served, so that no test passes by refusals: rule sets of many
 * rules in all, and at least one in each of its forms, so that no value of an option refuses
 * everything. Not thread-safe.
 *
 * <p>An algorithm that declares no refusal must serve everything. Of one that does, this class
 * knows which shapes it must serve all the same; of one that it does not know, a trial says it: the
 * shapes of which it serves a few rule sets.
 */
public final class Served {
    /** Rule sets of fewer rules than this prove little. */
    private static final int MANY = 40;

    private static final Set<Shape> ROUTES =
            EnumSet.of(Shape.IPV4_ROUTES, Shape.IPV6_ROUTES, Shape.BACKBONE);

    private static final Set<Shape> TABLES =
            EnumSet.of(Shape.PREFIXES, Shape.ACCESS_LIST, Shape.ADDRESSES_AND_PORTS);

    /** Shapes in the order in which {@link #someShapes} takes them. */
    private static final List<Shape> IN_TURN =
            List.of(
                    Shape.MIXED,
                    Shape.OPENFLOW,
                    Shape.FIREWALL,
                    Shape.PREFIXES,
                    Shape.IPV4_ROUTES,
                    Shape.IPV6_ROUTES,
                    Shape.ACCESS_LIST);

    /** A trial's rule sets of a shape, and their rules. */
    private static final int TRIALS = 4;

    private static final int TRIAL_RULES = 300;

    /** What algorithms that may refuse rules must serve, by their labels. */
    private static final Map<String, Set<Shape>> KNOWN =
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

    /** What trials said, by label. */
    private static final Map<String, Set<Shape>> TRIED = new ConcurrentHashMap<>();

    private final AlgorithmChoice algorithm;
    private int stories;
    private int manyRules;

    /** Labels of forms that served a rule set of many rules. */
    private final Set<String> served = new HashSet<>();

    private int refused;

    /** Why a form refused last, by its label. */
    private final Map<String, String> reasons = new TreeMap<>();

    /** Counts for an algorithm. */
    public Served(AlgorithmChoice algorithm) {
        this.algorithm = algorithm;
    }

    /** Whether it must serve every rule set of a shape. */
    public static boolean must(AlgorithmChoice algorithm, Shape shape) {
        return shapes(algorithm).contains(shape);
    }

    /**
     * A shape that an algorithm must serve, plain prefixes if it can be.
     *
     * @throws AssertionError if it serves none
     */
    public static Shape shapeFor(AlgorithmChoice algorithm) {
        Set<Shape> shapes = shapes(algorithm);
        assertFalse(shapes.isEmpty(), () -> algorithm.label() + " serves no shape of rules");
        return shapes.contains(Shape.PREFIXES) ? Shape.PREFIXES : shapes.iterator().next();
    }

    /** Up to three shapes that an algorithm must serve, those of mixed rules first. */
    public static List<Shape> someShapes(AlgorithmChoice algorithm) {
        return IN_TURN.stream().filter(shape -> must(algorithm, shape)).limit(3).toList();
    }

    private static Set<Shape> shapes(AlgorithmChoice algorithm) {
        if (!Form.plain(algorithm).mayRefuse()) {
            return EnumSet.allOf(Shape.class);
        }
        Set<Shape> known = KNOWN.get(algorithm.label());
        return known != null
                ? known
                : TRIED.computeIfAbsent(algorithm.label(), label -> tried(algorithm));
    }

    private static Set<Shape> tried(AlgorithmChoice algorithm) {
        Set<Shape> shapes = EnumSet.noneOf(Shape.class);
        for (Shape shape : Shape.values()) {
            if (serves(algorithm, shape)) {
                shapes.add(shape);
            }
        }
        return shapes;
    }

    private static boolean serves(AlgorithmChoice algorithm, Shape shape) {
        for (long seed = 1; seed <= TRIALS; seed++) {
            try {
                Form.plain(algorithm).compile(new RandomRules(seed).ruleSet(shape, TRIAL_RULES));
            } catch (UnsupportedRulesException | MemoryBudgetException e) {
                return false;
            }
        }
        return true;
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
            reasons.put(form.label(), refusal.get());
            return;
        }
        stories++;
        if (story.rules().size() >= MANY) {
            manyRules++;
            served.add(form.label());
        }
    }

    /**
     * Asks for a floor of rule sets that were served, and for one of many rules in every form.
     *
     * @param most number of those of many rules, half of it for an algorithm of one shape
     */
    public void assertAtLeast(int most) {
        int least = shapes(algorithm).size() == 1 ? most / 2 : most;
        assertTrue(
                manyRules >= least,
                () ->
                        "%s served %d stories, %d of many rules, not %d; it refused %d, last %s"
                                .formatted(
                                        algorithm.label(),
                                        stories,
                                        manyRules,
                                        least,
                                        refused,
                                        reasons));
        for (Form form : Form.all(algorithm)) {
            assertTrue(
                    served.contains(form.label()),
                    () ->
                            "%s served no rule set of %d rules or more; refused: %s"
                                    .formatted(form, MANY, reasons.get(form.label())));
        }
    }
}
