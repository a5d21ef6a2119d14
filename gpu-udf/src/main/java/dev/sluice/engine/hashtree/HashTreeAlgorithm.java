package dev.sluice.engine.hashtree;

import dev.sluice.engine.lookup.Algorithm;
import dev.sluice.engine.lookup.AlgorithmOption;
import dev.sluice.engine.lookup.Capabilities;
import dev.sluice.engine.lookup.Claim;
import dev.sluice.engine.lookup.Kernel;
import dev.sluice.engine.lookup.RuleProfile;
import java.util.List;

/** H-HashTree: hash tables by named fields, layer by layer. See the package text. */
public final class HashTreeAlgorithm extends Algorithm {
    /** Rules of a bucket beyond which it becomes a node. */
    public static final AlgorithmOption<Integer> THRESHOLD = HashTreeCompiler.THRESHOLD;

    /** For the registry. */
    public HashTreeAlgorithm() {
        super(
                HashTreeCompiler.LABEL,
                HashTreeCompiler.CODE,
                "hash tables by named fields, layer by layer; OpenFlow rules with MAC addresses",
                new Capabilities("", 12_000),
                HashTreeCompiler::compile,
                HashTreeClassifier::new,
                Kernel.plain("classify_hash_tree"));
    }

    @Override
    public List<AlgorithmOption<?>> options() {
        return List.of(THRESHOLD);
    }

    @Override
    public List<Claim> suits(RuleProfile rules) {
        return rules.namesMacs() ? List.of(Claim.CANDIDATE) : List.of();
    }
}
