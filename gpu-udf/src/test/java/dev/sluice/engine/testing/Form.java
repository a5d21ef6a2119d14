package dev.sluice.engine.testing;

import dev.sluice.engine.Engine;
import dev.sluice.engine.EngineOptions;
import dev.sluice.engine.EngineSubject;
import dev.sluice.engine.exact.ExactFirstAlgorithm;
import dev.sluice.engine.family.FamiliesAlgorithm;
import dev.sluice.engine.gpu.GpuPool;
import dev.sluice.engine.gpu.launch.KernelCatalog;
import dev.sluice.engine.lookup.Algorithm;
import dev.sluice.engine.lookup.AlgorithmChoice;
import dev.sluice.engine.lookup.AlgorithmOption;
import dev.sluice.engine.lookup.Classifier;
import dev.sluice.engine.lookup.Kernel;
import dev.sluice.engine.rules.RuleSet;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * An algorithm, or the engine's choice, with values of its options, and what tests hold of it
 * against the oracle: its compiled images, rules that change, its kernels on the CPU. Tests over
 * all algorithms take them from here, which takes them and their options from the registry.
 *
 * @param label algorithm and the option that is not at its default, for messages and file names
 * @param plain whether every option has its default
 */
public record Form(String label, EngineOptions options, boolean plain) {
    /** Enough for the tests' rule sets, and little enough that a build that runs away stops. */
    public static final long BUDGET = 48L << 20;

    /** The tables of DIR-24-8 alone take 64 MB. */
    private static final long ROUTES_BUDGET = 128L << 20;

    /** Options that change which answer is right; the algorithm's own tests hold them. */
    private static final Set<String> OF_OTHER_ANSWERS =
            Set.of(ExactFirstAlgorithm.EXACT_WINS.name());

    /** The engine's choice, and all algorithms of the registry. */
    public static List<AlgorithmChoice> choices() {
        List<AlgorithmChoice> all = new ArrayList<>(List.of(AlgorithmChoice.AUTO));
        Algorithm.all().forEach(algorithm -> all.add(algorithm.choice()));
        return all;
    }

    /** An algorithm as it is when nothing is said. */
    public static Form plain(AlgorithmChoice choice) {
        return new Form(
                choice.label(),
                EngineOptions.DEFAULTS
                        .withAlgorithm(choice)
                        .withBudget(choice.label().equals("routes") ? ROUTES_BUDGET : BUDGET),
                true);
    }

    /** The algorithm of a label as it is when nothing is said. */
    public static Form plain(String label) {
        return plain(Algorithm.parse(label));
    }

    /** An algorithm's plain form first, then one for every other value of its options. */
    public static List<Form> all(AlgorithmChoice choice) {
        Form plain = plain(choice);
        List<Form> all = new ArrayList<>(List.of(plain));
        for (AlgorithmOption<?> option :
                Algorithm.of(choice).map(Algorithm::options).orElse(List.of())) {
            if (!OF_OTHER_ANSWERS.contains(option.name())) {
                for (String value : values(option)) {
                    all.add(plain.with(option, value));
                }
            }
        }
        return all;
    }

    /** Values of an option that are not its default: all of few, one small and one large number. */
    private static List<String> values(AlgorithmOption<?> option) {
        Object usual = option.defaultValue();
        if (usual instanceof Boolean) {
            return List.of(String.valueOf(!(Boolean) usual));
        }
        if (usual instanceof Integer) {
            return List.of("1", "1000");
        }
        if (usual instanceof AlgorithmChoice) {
            return List.of("merged-tuple");
        }
        List<String> others = new ArrayList<>();
        for (Object constant : ((Enum<?>) usual).getDeclaringClass().getEnumConstants()) {
            if (constant != usual) {
                others.add(constant.toString().toLowerCase(Locale.ROOT).replace('_', '-'));
            }
        }
        return others;
    }

    private Form with(AlgorithmOption<?> option, String value) {
        return new Form(
                label + "-" + option.name() + "-" + value,
                options.withTuning(options.tuning().withParsed(option, value)),
                false);
    }

    /** The algorithm, or that the engine chooses. */
    public AlgorithmChoice choice() {
        return options.algorithm();
    }

    /** Whether there are rule sets that it may refuse, with a reason. */
    public boolean mayRefuse() {
        return Algorithm.of(choice()).map(a -> a.capabilities().mayRefuse()).orElse(false);
    }

    /**
     * Whether a build is worth a test's time: on random ranges, RFC's tables only run into the
     * budget.
     */
    public boolean isWorthBuilding(RandomRules.Shape shape, int size) {
        boolean tables = choice().label().endsWith("rfc");
        return size <= 40 || !tables || Served.must(choice(), shape);
    }

    /** Whether a build first measures candidates, which takes most of a test's time. */
    public boolean choosesByMeasuring() {
        return Algorithm.of(choice()).isEmpty()
                || passesOnToTheEngine(ExactFirstAlgorithm.LABEL, ExactFirstAlgorithm.INNER)
                || passesOnToTheEngine(FamiliesAlgorithm.LABEL, FamiliesAlgorithm.INNER);
    }

    private boolean passesOnToTheEngine(String label, AlgorithmOption<AlgorithmChoice> inner) {
        return choice().label().equals(label)
                && Algorithm.of(options.tuning().get(inner)).isEmpty();
    }

    /** This form with another budget. */
    public Form withBudget(long bytes) {
        return new Form(label, options.withBudget(bytes), plain);
    }

    /** A compiled rule set. */
    public Classifier compile(RuleSet rules) {
        return Engine.compile(rules, options);
    }

    /** Compiled anew for every version of the rules. */
    public Subject compiled() {
        return Subject.of(label() + "-compiled", rules -> Subject.lookUp(compile(rules)));
    }

    /** Rules that change through the engine's door, with new bases now and then. */
    public Subject changing() {
        return EngineSubject.of(label(), options.withGpu(GpuPool.Selection.OFF));
    }

    /** Its kernels, as they run on the CPU; each refuses images that it cannot read. */
    public List<Subject> kernels(HostKernels program) {
        List<Subject> all = new ArrayList<>();
        for (Kernel kernel : Algorithm.of(choice()).map(Algorithm::kernels).orElse(List.of())) {
            if (KernelCatalog.onHost(kernel.name())) {
                all.add(
                        Subject.of(
                                label() + "-" + kernel.name(),
                                rules -> program.in(compile(rules).image(), kernel)));
            }
        }
        return all;
    }

    @Override
    public String toString() {
        return label;
    }
}
