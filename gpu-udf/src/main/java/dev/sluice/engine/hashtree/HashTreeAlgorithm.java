package dev.sluice.engine.hashtree;

import dev.sluice.engine.image.Image;
import dev.sluice.engine.lookup.Algorithm;
import dev.sluice.engine.lookup.AlgorithmOption;
import dev.sluice.engine.lookup.Capabilities;
import dev.sluice.engine.lookup.Claim;
import dev.sluice.engine.lookup.Classifier;
import dev.sluice.engine.lookup.CompileContext;
import dev.sluice.engine.lookup.Kernel;
import dev.sluice.engine.lookup.RuleProfile;
import dev.sluice.engine.memory.Arena;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.engine.tuplespace.TupleSpaceClassifier;
import java.util.List;

/** H-HashTree: hash tables by named fields, layer by layer. See the package text. */
public final class HashTreeAlgorithm extends Algorithm {
    private static final String LABEL = "hash-tree";
    private static final int CODE = 9;

    /** Rules of a bucket beyond which it becomes a node. */
    public static final AlgorithmOption<Integer> THRESHOLD =
            AlgorithmOption.number(
                    "hash-tree-threshold",
                    16,
                    1,
                    "hash-tree: rules of a bucket beyond which it becomes a node");

    /** For the registry. */
    public HashTreeAlgorithm() {
        super(
                LABEL,
                CODE,
                "hash tables by named fields, layer by layer; OpenFlow rules with MAC addresses",
                new Capabilities("", 12_000),
                HashTreeAlgorithm::image,
                HashTreeAlgorithm::classifier,
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

    /** Inserts the rules one by one. */
    private static Image image(RuleSet rules, CompileContext context) {
        HashTreeStructure tree =
                new HashTreeStructure(
                        rules.layout(),
                        new Arena(context.meter(LABEL)),
                        context.get(THRESHOLD),
                        rules.size());
        for (int position = 0; position < rules.size(); position++) {
            tree.insert(position, position, rules.rules().get(position).match());
        }
        return Image.seal(tree.arena().toArray(), CODE, rules.layout(), rules.size());
    }

    /** Looks blocks up in the tree, where ranks are positions. */
    private static Classifier classifier(Image image) {
        return new TupleSpaceClassifier(
                image,
                (search, its, count) ->
                        HashTreeSearch.get().search(search, its.words(), its.layout(), count));
    }
}
