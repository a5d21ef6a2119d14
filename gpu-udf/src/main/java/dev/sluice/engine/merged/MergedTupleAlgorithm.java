package dev.sluice.engine.merged;

import dev.sluice.engine.image.Image;
import dev.sluice.engine.lookup.Algorithm;
import dev.sluice.engine.lookup.Capabilities;
import dev.sluice.engine.lookup.Claim;
import dev.sluice.engine.lookup.Classifier;
import dev.sluice.engine.lookup.CompileContext;
import dev.sluice.engine.lookup.Kernel;
import dev.sluice.engine.lookup.LaunchShape;
import dev.sluice.engine.lookup.RuleProfile;
import dev.sluice.engine.lookup.SharedMemoryLayout;
import dev.sluice.engine.memory.Arena;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.engine.tuplespace.TupleSpaceClassifier;
import dev.sluice.engine.tuplespace.TupleSpaceKernels;
import dev.sluice.engine.tuplespace.TupleSpaceLayout;
import java.util.List;

/** Tuple space search with relaxed masks. See the package text. */
public final class MergedTupleAlgorithm extends Algorithm {
    /** Its label. */
    public static final String LABEL = "merged-tuple";

    private static final int CODE = 4;

    /** Up to so many masks it may be the fastest, whatever the number of rules. */
    private static final int MASKS_UP_TO = 2_000;

    /**
     * With more masks it may be up to so many pairs of a mask and a rule, which bound what a build
     * compares: 14,000 rules with a mask each; not where rules name MAC addresses.
     */
    private static final long MASKS_TIMES_RULES_UP_TO = 200_000_000;

    /**
     * Rules that name MAC addresses with so few masks are taken without a measurement: a look-up is
     * as many probes at most.
     */
    private static final long FEW_MASKS = 4;

    /** Largest image that is taken so. */
    private static final long TAKEN_BYTES = 32L << 20;

    /** For the registry. */
    public MergedTupleAlgorithm() {
        super(
                LABEL,
                CODE,
                "few tables with relaxed masks; rules that change often, OpenFlow, IPv6",
                Capabilities.EVERYTHING,
                MergedTupleAlgorithm::image,
                MergedTupleAlgorithm::classifier,
                Kernel.withParameters(
                        "planned_tuple",
                        MergedTupleAlgorithm::launchShape,
                        MergedTupleKernelParameters::of),
                Kernel.plain(TupleSpaceKernels.TUPLE),
                TupleSpaceKernels.ofPaper("paper_tuple"));
    }

    @Override
    public List<Claim> suits(RuleProfile rules) {
        if (rules.changesOften()) {
            return List.of(
                    Claim.of(
                            Claim.Kind.FREQUENT_CHANGES,
                            "rules change often, and it is compiled quickly"));
        }
        long masks = rules.rules().countMasks();
        if (rules.namesMacs() && masks <= FEW_MASKS && !rules.rules().hasRanges()) {
            return List.of(
                    new Claim(
                            Claim.Kind.SMALL_IMAGE,
                            compiled -> "its rules have %d masks, a probe each".formatted(masks),
                            TAKEN_BYTES,
                            Long.MAX_VALUE));
        }
        boolean few =
                masks <= MASKS_UP_TO
                        || !rules.namesMacs()
                                && masks * rules.rules().size() <= MASKS_TIMES_RULES_UP_TO;
        return few ? List.of(Claim.CANDIDATE) : List.of();
    }

    /** Images without lists of keys are searched table by table. */
    private static Classifier classifier(Image image) {
        return KeyLists.has(image)
                ? new MergedTupleClassifier(image)
                : TupleSpaceClassifier.inOrder(image);
    }

    /** Header words and noted tables of each thread lie in shared memory. */
    private static LaunchShape launchShape(Image image) {
        int tables = image.words()[TupleSpaceLayout.TUPLES_AT];
        int words = image.layout().size() + MergedTupleKernelParameters.noted(tables);
        return LaunchShape.sharing(4 * words * SharedMemoryLayout.THREADS);
    }

    /** Inserts all rules into merged tuples, writes signatures and lists, and seals the image. */
    private static Image image(RuleSet rules, CompileContext context) {
        Arena arena = new Arena(context.meter(LABEL));
        MergedTupleStructure structure = new MergedTupleStructure(rules.layout(), arena);
        structure.openFirst(MergedMasks.of(rules, rules.layout()));
        structure.tables().reserve(rules.size());
        for (int position = 0; position < rules.size(); position++) {
            structure.insert(position, position, rules.rules().get(position).match());
        }
        structure.tables().sign();
        KeyLists.write(structure.tables(), rules.size());
        return Image.seal(arena.toArray(), CODE, rules.layout(), rules.size());
    }
}
