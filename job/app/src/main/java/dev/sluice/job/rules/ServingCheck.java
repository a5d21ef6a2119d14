package dev.sluice.job.rules;

import dev.sluice.engine.EngineOptions;
import dev.sluice.engine.gpu.GpuPool;
import dev.sluice.engine.image.MemoryBudgetException;
import dev.sluice.engine.lookup.Algorithm;
import dev.sluice.engine.lookup.UnsupportedRulesException;
import dev.sluice.engine.rules.Rule;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.operators.rules.serving.PolicyServer;
import dev.sluice.policy.io.Amount;
import dev.sluice.policy.io.SluiceException;
import java.util.List;
import java.util.Optional;

/**
 * Check whether a job with given engine options could serve rules. Only the CPU is asked: what a
 * device cannot hold, the CPU serves.
 */
public final class ServingCheck {
    /** No structure takes less for a rule. */
    private static final long LEAST_RULE_BYTES = 16;

    private final EngineOptions options;

    /** A check for a job with these options. */
    public ServingCheck(EngineOptions options) {
        this.options = options.withGpu(GpuPool.Selection.OFF);
    }

    /**
     * Compiles rules as a job would.
     *
     * @return what stands against serving them: algorithm, reason and remedy; empty if they can be
     *     served
     */
    public Optional<String> compile(RuleSet rules) {
        try {
            require(rules, options);
            return Optional.empty();
        } catch (UnsupportedRulesException | MemoryBudgetException e) {
            return Optional.of(String.valueOf(e.getMessage()));
        }
    }

    /**
     * Compiles rules as a job with these options would, for the CPU.
     *
     * @throws UnsupportedRulesException if the algorithm cannot express them
     * @throws MemoryBudgetException if they take too much memory
     */
    public static void require(RuleSet rules, EngineOptions options) {
        try (PolicyServer server = PolicyServer.open(options.withGpu(GpuPool.Selection.OFF), 0)) {
            server.load("", rules).close();
        }
    }

    /**
     * Estimates whether a rule more can be served: compiles it alone where an algorithm is named
     * that refuses some rules, and counts bytes.
     *
     * @param rules how many there are with it
     * @throws SluiceException if it cannot be served for sure
     */
    public void estimate(Rule rule, int rules) {
        if (rules * LEAST_RULE_BYTES > options.budgetBytes()) {
            throw new SluiceException(
                    "--memory-budget, %,d bytes, is too little for %s; raise it if the job's is larger, or say --force"
                            .formatted(options.budgetBytes(), Amount.of(rules, "rule")));
        }
        if (Algorithm.of(options.algorithm()).filter(a -> a.capabilities().mayRefuse()).isEmpty()) {
            return;
        }
        compile(RuleSet.inListOrder("a rule", 0, RuleSet.DROP, List.of(rule)))
                .ifPresent(
                        reason -> {
                            throw new SluiceException(reason + "; or say --force");
                        });
    }
}
