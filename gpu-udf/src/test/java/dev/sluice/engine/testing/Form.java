package dev.sluice.engine.testing;

import dev.sluice.engine.Compiler;
import dev.sluice.engine.gpu.KernelCatalog;
import dev.sluice.engine.image.Image;
import dev.sluice.engine.lookup.Algorithm;
import dev.sluice.engine.lookup.Classifier;
import dev.sluice.engine.lookup.CompileOptions;
import dev.sluice.engine.lookup.TargetProfile;
import dev.sluice.engine.lookup.VerdictBatch;
import dev.sluice.engine.rules.RuleDelta;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.engine.update.LiveClassifier;
import dev.sluice.schemas.header.HeaderBatch;
import dev.sluice.schemas.header.HeaderLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Assertions;

/**
 * An algorithm with values of its options, and what tests hold of it against the oracle: its
 * compiled images, rules that change, its kernels on the CPU. Tests over all algorithms take them
 * from here, which takes them from the registry.
 *
 * @param plain whether every option has its default
 */
public record Form(Algorithm algorithm, CompileOptions options, boolean plain) {
    /** Enough for the tests' rule sets, and little enough that a build that runs away stops. */
    public static final long BUDGET = 48L << 20;

    /** The tables of DIR-24-8 alone take 64 MB. */
    private static final long ROUTES_BUDGET = 128L << 20;

    /** So many deltas are applied until the background build is awaited. */
    private static final int DELTAS_A_BUILD = 20;

    /** All algorithms of the registry, and auto, which chooses one. */
    public static List<Algorithm> algorithms() {
        return Arrays.asList(Algorithm.values());
    }

    /** An algorithm as it is when nothing is said. */
    public static Form plain(Algorithm algorithm) {
        return new Form(
                algorithm,
                CompileOptions.of(algorithm)
                        .withBudget(algorithm == Algorithm.ROUTES ? ROUTES_BUDGET : BUDGET),
                true);
    }

    /** An algorithm's plain form first, then one for every other value of its options. */
    public static List<Form> all(Algorithm algorithm) {
        CompileOptions plain = plain(algorithm).options;
        List<Form> all = new ArrayList<>(List.of(plain(algorithm)));
        List<CompileOptions> others = new ArrayList<>();
        others.add(plain.withProfile(TargetProfile.GPU));
        switch (algorithm) {
            case TUPLE -> others.add(plain.withExpandedRanges(true));
            case BITMAP_RFC -> others.add(plain.withRfcForm(CompileOptions.RfcForm.EXACT));
            case HASH_TREE -> {
                others.add(plain.withHashTreeThreshold(1));
                others.add(plain.withHashTreeThreshold(1000));
            }
            case EXACT_FIRST -> others.add(plain.withExactFirst(false, Algorithm.MERGED_TUPLE));
            default -> {}
        }
        others.forEach(options -> all.add(new Form(algorithm, options, false)));
        return all;
    }

    /** Whether there are rule sets that it may refuse, with a reason. */
    public boolean mayRefuse() {
        return switch (algorithm) {
            case BITVECTOR, PAIRS, RFC, BITMAP_RFC, ROUTES -> true;
            default -> false;
        };
    }

    /**
     * Whether a build is worth a test's time: on random ranges, RFC's tables only run into the
     * budget.
     */
    public static boolean isWorthBuilding(Algorithm algorithm, RandomRules.Shape shape, int size) {
        boolean tables = algorithm == Algorithm.RFC || algorithm == Algorithm.BITMAP_RFC;
        return !tables || size <= 40 || Served.must(algorithm, shape);
    }

    /** This form with another budget. */
    public Form withBudget(long bytes) {
        return new Form(algorithm, options.withBudget(bytes), plain);
    }

    /** A compiled rule set. */
    public Classifier compile(RuleSet rules) {
        return new Compiler(options).compile(rules);
    }

    /** Rules that change while they are looked into; close them when done. */
    public LiveClassifier open(RuleSet rules, HeaderLayout layout) {
        return new Compiler(options).live(rules, layout);
    }

    /** Compiled anew for every version of the rules. */
    public Subject compiled() {
        return Subject.of(label() + "-compiled", rules -> Subject.lookUp(compile(rules)));
    }

    /** Rules that change while they are looked into. */
    public Subject live() {
        return new Subject() {
            @Override
            public String label() {
                return Form.this.label() + "-live";
            }

            @Override
            public Session open(RuleSet rules, HeaderLayout layout) {
                return new LiveSession(Form.this.open(rules, layout));
            }

            @Override
            public String toString() {
                return label();
            }
        };
    }

    /** Its kernels, as they run on the CPU; each refuses images that it cannot read. */
    public List<Subject> kernels(HostKernels program) {
        List<Subject> all = new ArrayList<>();
        if (algorithm == Algorithm.AUTO) {
            return all;
        }
        for (String kernel : KernelCatalog.names(algorithm)) {
            if (KernelCatalog.onHost(kernel)) {
                all.add(
                        Subject.of(
                                label() + "-" + kernel,
                                rules -> {
                                    Image image = compile(rules).image();
                                    int[] parameters = KernelCatalog.plan(kernel, image);
                                    if (parameters == null) {
                                        throw new Subject.NotServed(
                                                kernel + " does not read the image");
                                    }
                                    return program.in(image, parameters, kernel);
                                }));
            }
        }
        return all;
    }

    /** Algorithm and options that are not the default, for messages and file names. */
    public String label() {
        return algorithm.label() + (plain ? "" : "-" + Integer.toHexString(options.hashCode()));
    }

    @Override
    public String toString() {
        return plain ? algorithm.label() : options.toString();
    }

    /** The rules that a live classifier has now; a story held against it must have the same. */
    public static Subject inForce(LiveClassifier live, String label) {
        return new Subject() {
            @Override
            public String label() {
                return label;
            }

            @Override
            public Session open(RuleSet rules, HeaderLayout layout) {
                return new Session() {
                    @Override
                    public void apply(RuleDelta delta) {
                        throw new UnsupportedOperationException("the rules stay as they are");
                    }

                    @Override
                    public long[] answers(List<int[]> headers) {
                        return Form.answers(live, headers);
                    }
                };
            }
        };
    }

    private static long[] answers(LiveClassifier live, List<int[]> headers) {
        HeaderBatch batch = new HeaderBatch(live.layout(), headers.size() + 3);
        headers.forEach(batch::add);
        VerdictBatch verdicts = new VerdictBatch(headers.size());
        live.classify(batch, verdicts);
        long[] ids = verdicts.ids().clone();
        for (int i = 0; i < ids.length; i++) {
            ids[i] = verdicts.rule(i) == VerdictBatch.MISS ? RuleStory.NO_RULE : ids[i];
        }
        return ids;
    }

    private static final class LiveSession implements Subject.Session {
        private final LiveClassifier live;
        private final RuleHistory history;
        private int deltas;

        LiveSession(LiveClassifier live) {
            this.live = live;
            this.history = new RuleHistory(live.rules());
        }

        @Override
        public void apply(RuleDelta delta) throws Exception {
            live.apply(delta);
            history.apply(delta);
            Assertions.assertEquals(history.size(), live.size(), "number of rules");
            if (++deltas % DELTAS_A_BUILD == 0) {
                settle();
            }
        }

        @Override
        public void settle() throws Exception {
            live.awaitCompiled();
            Assertions.assertNull(live.compileFailure(), "the background build failed");
            Assertions.assertEquals(history.ruleSet().rules(), live.rules());
            Assertions.assertTrue(live.bytes() > 0, "no bytes");
        }

        @Override
        public long[] answers(List<int[]> headers) {
            return Form.answers(live, headers);
        }

        @Override
        public void close() {
            live.close();
        }
    }
}
