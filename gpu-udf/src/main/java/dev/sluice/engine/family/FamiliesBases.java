package dev.sluice.engine.family;

import dev.sluice.engine.image.Image;
import dev.sluice.engine.lookup.BaseCompiler;
import dev.sluice.engine.lookup.Classifier;
import dev.sluice.engine.lookup.CompileContext;
import dev.sluice.engine.rules.Rule;
import dev.sluice.engine.rules.RuleSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The bases of rules that change: a part whose rules are those of the last base keeps its image,
 * each other one is compiled as the base that follows its last one. Thread-safe.
 */
final class FamiliesBases implements BaseCompiler {
    private final CompileContext context;
    private final Map<Integer, Followed> parts = new HashMap<>();

    FamiliesBases(CompileContext context) {
        this.context = context;
    }

    @Override
    public synchronized Classifier compile(RuleSet rules) {
        return new FamiliesClassifier(
                FamiliesCompiler.compile(
                        rules,
                        context.budgetBytes(),
                        part ->
                                parts.computeIfAbsent(
                                                part.values(),
                                                values ->
                                                        new Followed(
                                                                context.bases(
                                                                        FamiliesCompiler.inner(
                                                                                context))))
                                        .image(part.rules())));
    }

    /** The rules of some IP versions. */
    private static final class Followed {
        private final BaseCompiler bases;
        private @Nullable RuleSet last;
        private @Nullable Image image;

        Followed(BaseCompiler bases) {
            this.bases = bases;
        }

        Image image(RuleSet rules) {
            Image there = image;
            if (there != null && last != null && sameMatches(last.rules(), rules.rules())) {
                return there;
            }
            Image compiled = bases.compile(rules).image();
            last = rules;
            image = compiled;
            return compiled;
        }

        /**
         * Returns whether the same is asked in the same order: all that an image knows of rules.
         */
        private static boolean sameMatches(List<Rule> before, List<Rule> now) {
            boolean same = before.size() == now.size();
            for (int r = 0; same && r < now.size(); r++) {
                same = before.get(r).match().equals(now.get(r).match());
            }
            return same;
        }
    }
}
