package dev.sluice.engine.rfc;

import dev.sluice.engine.image.Image;
import dev.sluice.engine.image.MemoryBudgetException;
import dev.sluice.engine.lookup.Algorithm;
import dev.sluice.engine.lookup.AlgorithmOption;
import dev.sluice.engine.lookup.BaseCompiler;
import dev.sluice.engine.lookup.Capabilities;
import dev.sluice.engine.lookup.CompileContext;
import dev.sluice.engine.lookup.Kernel;
import dev.sluice.engine.rules.RuleSet;
import java.util.ArrayList;
import java.util.List;

/** Base of the two algorithms of reduction trees: all but the form of their tables. */
public abstract class ReductionTreeAlgorithm extends Algorithm {

    private final transient RfcTarget target;

    ReductionTreeAlgorithm(RfcTarget target, String summary) {
        super(
                target.label(),
                target.code(),
                summary,
                new Capabilities("rules whose class tables pass the budget", 20_000),
                (rules, context) -> RfcCompiler.compile(rules, context, target),
                RfcClassifier::new,
                Kernel.plain("classify_rfc"));
        this.target = target;
    }

    @Override
    public final List<AlgorithmOption<?>> options() {
        return List.of(RfcForm.OPTION);
    }

    @Override
    public final BaseCompiler bases(CompileContext context) {
        KnownOrder known = new KnownOrder();
        return rules -> open(next(rules, context, known));
    }

    private Image next(RuleSet rules, CompileContext context, KnownOrder known) {
        boolean fromBefore = known.isThere();
        try {
            return RfcCompiler.compile(rules, context, target, known, null);
        } catch (MemoryBudgetException e) {
            known.forget();
            if (!fromBefore) {
                throw e;
            }
            return next(rules, context, known);
        }
    }

    /** A line a table. */
    @Override
    public final List<String> report(RuleSet rules, CompileContext context) {
        List<String> lines = new ArrayList<>();
        RfcCompiler.compile(rules, context, target, new KnownOrder(), lines::add);
        return lines;
    }
}
