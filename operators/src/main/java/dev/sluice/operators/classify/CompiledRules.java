package dev.sluice.operators.classify;

import dev.sluice.engine.gpu.GpuClassifier;
import dev.sluice.engine.lookup.Classifier;
import dev.sluice.engine.rules.RuleSet;
import org.jspecify.annotations.Nullable;

/**
 * A rule set in force and its compiled form. What a device holds of it goes when it is no longer in
 * force and its last batch is out. Used by the mailbox thread alone, but for {@link #classifier}.
 */
final class CompiledRules {
    private final RuleSet rules;
    private final Classifier classifier;
    private final @Nullable GpuClassifier gpu;
    private int batches;
    private boolean retired;

    CompiledRules(RuleSet rules, Classifier cpu, @Nullable GpuClassifier gpu) {
        this.rules = rules;
        this.gpu = gpu;
        this.classifier = gpu == null ? cpu : gpu;
    }

    RuleSet rules() {
        return rules;
    }

    Classifier classifier() {
        return classifier;
    }

    /** The device's classifier, null where the CPU classifies. */
    @Nullable GpuClassifier gpu() {
        return gpu;
    }

    /** A batch of these rules is handed over. */
    void started() {
        batches++;
    }

    /** A batch of these rules is out. */
    void ended() {
        batches--;
        release();
    }

    /** Other rules are in force. */
    void retire() {
        retired = true;
        release();
    }

    private void release() {
        if (retired && batches == 0 && gpu != null) {
            gpu.close();
        }
    }
}
