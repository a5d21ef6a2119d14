package dev.sluice.engine.exact;

import dev.sluice.engine.image.Image;
import dev.sluice.engine.lookup.Algorithm;
import dev.sluice.engine.lookup.AlgorithmChoice;
import dev.sluice.engine.lookup.AlgorithmOption;
import dev.sluice.engine.lookup.AlgorithmOptions;
import dev.sluice.engine.lookup.Capabilities;
import dev.sluice.engine.lookup.CompileContext;
import dev.sluice.engine.lookup.Kernel;
import dev.sluice.engine.memory.Arena;
import dev.sluice.engine.rules.Match;
import dev.sluice.engine.rules.Rule;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.engine.tuplespace.TupleSpaceLayout;
import dev.sluice.engine.tuplespace.TupleSpaceStructure;
import dev.sluice.engine.tuplespace.TupleTables;
import dev.sluice.schemas.header.HeaderLayout;
import dev.sluice.schemas.header.HeaderWord;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Exact entries before the wildcard rules. See the package text. */
public final class ExactFirstAlgorithm extends Algorithm {
    /** Its label. */
    public static final String LABEL = "exact-first";

    private static final int CODE = 10;

    /** True if an exact entry beats every wildcard rule, as OpenFlow 0.8.9 has it. */
    public static final AlgorithmOption<Boolean> EXACT_WINS =
            AlgorithmOption.flag(
                    "exact-first-semantics",
                    "exact-first: an exact entry beats every wildcard rule (OpenFlow 0.8.9), instead of competing by priority");

    /** The algorithm of the wildcard rules of a compiled image. */
    public static final AlgorithmOption<AlgorithmChoice> INNER =
            Algorithm.option("inner-algorithm", "exact-first: algorithm of the wildcard rules");

    /** For the registry. */
    public ExactFirstAlgorithm() {
        super(
                LABEL,
                CODE,
                "exact entries before any other algorithm; flow tables",
                Capabilities.EVERYTHING,
                ExactFirstAlgorithm::image,
                ExactFirstClassifier::new,
                Kernel.plain("classify_exact_first").where(ExactFirstAlgorithm::innerHasLookUp));
    }

    @Override
    public List<AlgorithmOption<?>> options() {
        return List.of(EXACT_WINS, INNER);
    }

    /** The wildcard rules may be in an image for each IP version. */
    @Override
    public int nesting() {
        return 2;
    }

    /**
     * Returns whether a device can look into the wildcard rules' image: it is looked up within this
     * one.
     */
    private static boolean innerHasLookUp(Image image) {
        int[] words = image.words();
        int head = words[TupleSpaceLayout.EXTRA_AT];
        return Algorithm.looksInto(image.within(words[head + ExactFirstLayout.INNER]));
    }

    /** An exact entry that wins over every wildcard rule may be the worse rule. */
    @Override
    public boolean givesBestRule(AlgorithmOptions options) {
        return !options.get(EXACT_WINS);
    }

    /** The algorithm of the wildcard rules; this one does not nest. */
    private static AlgorithmChoice inner(CompileContext context) {
        AlgorithmChoice inner = context.get(INNER);
        return inner.label().equals(LABEL) ? AlgorithmChoice.AUTO : inner;
    }

    /** The bits that any rule names; all bits of both ports if any rule has a port range. */
    private static int[] fullMask(RuleSet rules, HeaderLayout layout) {
        int[] full = new int[layout.size()];
        for (Rule rule : rules.rules()) {
            for (int p = 0; p < full.length; p++) {
                full[p] |= rule.match().mask(layout.word(p));
                if (layout.word(p) == HeaderWord.PORTS && rule.match().hasRange()) {
                    full[p] = -1;
                }
            }
        }
        return full;
    }

    /** Returns whether a match names the full mask and no range. */
    private static boolean isExact(Match match, HeaderLayout layout, int[] full) {
        boolean exact = !match.hasRange();
        for (int p = 0; p < full.length; p++) {
            exact &= match.mask(layout.word(p)) == full[p];
        }
        return exact;
    }

    /** For each rule whether it is exact: it names every bit that any rule names, and no range. */
    private static boolean[] exact(RuleSet rules) {
        int[] full = fullMask(rules, rules.layout());
        boolean[] exact = new boolean[rules.size()];
        for (int r = 0; r < exact.length; r++) {
            exact[r] = isExact(rules.rules().get(r).match(), rules.layout(), full);
        }
        return exact;
    }

    /** Puts exact rules into one tuple and the others into an image of any other algorithm. */
    private static Image image(RuleSet rules, CompileContext context) {
        boolean[] exact = exact(rules);
        Arena arena = new Arena(context.meter(LABEL));
        TupleSpaceStructure exactRules =
                new TupleSpaceStructure(
                        new TupleTables(rules.layout(), arena, TupleTables.Settings.DENSE));
        List<Rule> wild = new ArrayList<>();
        int[] positions = new int[rules.size()];
        for (int r = 0; r < rules.size(); r++) {
            if (exact[r]) {
                exactRules.insert(r, r, rules.rules().get(r).match());
            } else {
                positions[wild.size()] = r;
                wild.add(rules.rules().get(r));
            }
        }
        RuleSet wildcards = RuleSet.of(rules.name(), rules.version(), rules.defaultAction(), wild);
        Image image = context.compile(wildcards, inner(context));
        arena.hold(image.bytes());
        int head = arena.allocate(ExactFirstLayout.HEAD);
        int innerAt = arena.allocate(image.words().length);
        int map = arena.allocate(Math.max(1, wild.size()));
        int[] w = arena.words();
        System.arraycopy(image.words(), 0, w, innerAt, image.words().length);
        System.arraycopy(positions, 0, w, map, wild.size());
        w[TupleSpaceLayout.EXTRA_AT] = head;
        w[head + ExactFirstLayout.INNER] = innerAt;
        w[head + ExactFirstLayout.MAP] = map;
        w[head + ExactFirstLayout.EXACT_WINS] = context.get(EXACT_WINS) ? 1 : 0;
        w[head + ExactFirstLayout.BEST_WILDCARD] =
                wild.isEmpty() ? Integer.MAX_VALUE : positions[0];
        return Image.seal(
                Arrays.copyOf(w, (int) (arena.bytes() / 4)), CODE, rules.layout(), rules.size());
    }
}
