package dev.sluice.engine.choice;

import dev.sluice.engine.choice.Compiled.ForDevice;
import dev.sluice.engine.gpu.GpuPool;
import dev.sluice.engine.image.Image;
import dev.sluice.engine.image.MemoryBudgetException;
import dev.sluice.engine.lookup.Algorithm;
import dev.sluice.engine.lookup.BaseCompiler;
import dev.sluice.engine.lookup.Classifier;
import dev.sluice.engine.lookup.CompileContext;
import dev.sluice.engine.lookup.UnsupportedRulesException;
import dev.sluice.engine.rules.RuleSet;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Bases of rules that change by the algorithms that {@code auto} chose for the first one, on the
 * CPU and on a device. It chooses and measures again when the rules have become half or twice as
 * many, or are what an algorithm cannot serve.
 */
final class ChosenBases implements FollowingBases {
    private static final Logger LOG = LoggerFactory.getLogger(ChosenBases.class);

    private final CompileOptions options;
    private final GpuPool.@Nullable Use device;
    private final CompileContext.Others others;
    private String explanation;

    /** Null where nothing was measured on a device. */
    private @Nullable String explanationForDevice;

    private BaseCompiler chosen;

    /** Null where a device takes the CPU's image. */
    private @Nullable BaseCompiler chosenForDevice;

    private long chosenFor;

    /**
     * The bases that follow a first one.
     *
     * @param first the choice for the first one
     * @param rules number of its rules
     * @param device for which is chosen, too; null for none
     * @param others compiles rules that an algorithm passes on
     */
    ChosenBases(
            CompileOptions options,
            Compiled first,
            int rules,
            GpuPool.@Nullable Use device,
            CompileContext.Others others) {
        this.options = options;
        this.device = device;
        this.others = others;
        this.explanation = first.explanation();
        this.explanationForDevice = reason(first);
        this.chosen = basesOf(first, first.algorithm(), 0);
        this.chosenForDevice = deviceBasesOf(first);
        this.chosenFor = rules;
    }

    /**
     * Bases by an algorithm.
     *
     * @param like looks at the same header words
     * @param takenBytes of the budget, by another image
     */
    private BaseCompiler basesOf(Compiled like, Algorithm algorithm, long takenBytes) {
        long left = Math.max(1, options.budgetBytes() - takenBytes);
        long budget = algorithm.buildBudget(left, like.classifier().layout());
        return algorithm.bases(options.withBudget(budget).context(others));
    }

    private @Nullable BaseCompiler deviceBasesOf(Compiled compiled) {
        return compiled.deviceAlgorithm().equals(compiled.algorithm())
                ? null
                : basesOf(
                        compiled,
                        compiled.deviceAlgorithm(),
                        compiled.classifier().image().bytes());
    }

    private static @Nullable String reason(Compiled compiled) {
        ForDevice forDevice = compiled.forDevice();
        return forDevice == null ? null : forDevice.explanation();
    }

    @Override
    public synchronized Compiled compile(RuleSet rules, boolean onDevice) {
        if (2L * rules.size() >= chosenFor && rules.size() <= 2 * chosenFor) {
            try {
                return asChosen(rules, onDevice);
            } catch (UnsupportedRulesException | MemoryBudgetException e) {
                LOG.info("choosing an algorithm for '{}' again: {}", rules.name(), e.getMessage());
            }
        }
        Compiled compiled = new AutoChoice(rules, options, device, others).choose();
        chosen = basesOf(compiled, compiled.algorithm(), 0);
        chosenForDevice = deviceBasesOf(compiled);
        chosenFor = rules.size();
        explanation = compiled.explanation();
        explanationForDevice = reason(compiled);
        return compiled;
    }

    private Compiled asChosen(RuleSet rules, boolean onDevice) {
        Classifier classifier = chosen.compile(rules);
        Compiled compiled = new Compiled(classifier, explanation);
        String reason = explanationForDevice;
        if (!onDevice || reason == null) {
            return compiled;
        }
        BaseCompiler other = chosenForDevice;
        if (other == null) {
            return compiled.with(new ForDevice(classifier.image(), reason));
        }
        Image image = other.compile(rules).image();
        if (classifier.image().bytes() + image.bytes() > options.budgetBytes()) {
            LOG.info(
                    "'{}' outgrew the budget for two images; the device takes the CPU's",
                    rules.name());
            return compiled;
        }
        return compiled.with(new ForDevice(image, reason));
    }
}
