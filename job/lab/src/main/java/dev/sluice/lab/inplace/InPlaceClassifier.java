package dev.sluice.lab.inplace;

import dev.sluice.engine.image.MemoryBudgetException;
import dev.sluice.engine.lookup.Algorithm;
import dev.sluice.engine.lookup.Classifier;
import dev.sluice.engine.lookup.CompileContext;
import dev.sluice.engine.lookup.RuleStructure;
import dev.sluice.engine.lookup.VerdictBatch;
import dev.sluice.engine.memory.MutableImage;
import dev.sluice.engine.rules.Rule;
import dev.sluice.engine.rules.RuleDelta;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.engine.tuplespace.ArenaStructure;
import dev.sluice.engine.tuplespace.RuleLog;
import dev.sluice.schemas.header.HeaderBatch;
import dev.sluice.schemas.header.HeaderLayout;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A rule set that changes in place while it is looked into, in two copies of an algorithm's
 * structure: verdicts name rules by their stable ids.
 *
 * <p>Threads: {@link #classify} from any number, without waiting; {@link #apply} from any, one at a
 * time. Who applies waits for readers of the version before the last.
 */
public final class InPlaceClassifier {
    private final HeaderLayout layout;
    private final Algorithm algorithm;
    private final Supplier<RuleStructure> structures;

    private volatile TwoCopies<StructureState> copies;

    /** The rules as the next delta finds them, guarded by this. */
    private SlotTable slots;

    /**
     * Rules in the structure of an algorithm.
     *
     * @param layout words that rules may look at, those of later rules too
     * @param context the algorithm's options, and the largest memory of a structure
     * @throws UnsupportedOperationException if the algorithm does not change such rules in place
     * @throws MemoryBudgetException if the rules need more memory than the context allows
     * @throws IllegalArgumentException if two rules have the same id, or one looks at words beyond
     *     the layout
     */
    public InPlaceClassifier(
            RuleSet rules, HeaderLayout layout, Algorithm algorithm, CompileContext context) {
        this.layout = layout;
        this.algorithm = algorithm;
        this.structures =
                algorithm
                        .inPlace(rules, layout, context)
                        .orElseThrow(
                                () ->
                                        new UnsupportedOperationException(
                                                "rules like those of '"
                                                        + rules.name()
                                                        + "' do not change in place by "
                                                        + algorithm.label()));
        Journal journal = new Journal();
        this.slots = new SlotTable(rules.rules(), layout, journal);
        this.copies = copies(journal);
    }

    private TwoCopies<StructureState> copies(Journal first) {
        RuleStructure structure = structures.get();
        if (structure instanceof ArenaStructure shared && !shared.logs()) {
            MirroredCopy[] both = MirroredCopy.both(shared, first);
            return new TwoCopies<>(both[0], both[1]);
        }
        StructureState one = new StructureState(structure);
        one.apply(first, 0, first.size());
        StructureState other = new StructureState(structures.get());
        other.apply(first, 0, first.size());
        return new TwoCopies<>(one, other);
    }

    /**
     * Finds, for every header of a batch, the best rule that matches it, all in one version.
     *
     * @param headers a batch of this layout
     * @param verdicts room for at least {@code headers.size()} verdicts; gets the rules' {@link
     *     VerdictBatch#ids}
     * @throws dev.sluice.engine.lookup.LayoutMismatchException if the batch was built for another
     *     layout
     */
    public void classify(HeaderBatch headers, VerdictBatch verdicts) {
        Classifier.check(layout, headers, verdicts);
        copies.search(headers, verdicts.ids(), verdicts.rules());
    }

    /**
     * A version that stays as it is until this is closed: the next delta is written to the other
     * copy, and the one after that waits. Not thread-safe, but may go from thread to thread.
     */
    public static final class Lease implements AutoCloseable {
        private final TwoCopies<StructureState> copies;
        private final TwoCopies.Copy<StructureState> copy;
        private final ArenaStructure structure;
        private final Algorithm algorithm;
        private final MutableImage memory;

        Lease(
                TwoCopies<StructureState> copies,
                TwoCopies.Copy<StructureState> copy,
                ArenaStructure structure,
                Algorithm algorithm) {
            this.copies = copies;
            this.copy = copy;
            this.structure = structure;
            this.algorithm = algorithm;
            this.memory =
                    copy.state instanceof MirroredCopy mirrored
                            ? mirrored.buffer()
                            : structure.arena().buffer();
        }

        /** The algorithm that looks into the memory. */
        public Algorithm algorithm() {
            return algorithm;
        }

        /** The memory that look-ups read; verdicts are slots. */
        public MutableImage memory() {
            return memory;
        }

        /**
         * The log of rules inserted and removed from the first call on; null if the structure keeps
         * none.
         */
        public @Nullable RuleLog log() {
            return structure.log();
        }

        /** Id of the rule of a slot. */
        public long idOf(int slot) {
            return copy.state.idOf(slot);
        }

        /** Looks a batch up on the CPU. */
        public void search(HeaderBatch headers, VerdictBatch verdicts) {
            copy.state.search(headers, verdicts.ids(), verdicts.rules());
        }

        @Override
        public void close() {
            copies.leave(copy);
        }
    }

    /**
     * Holds the version in force.
     *
     * @throws UnsupportedOperationException if the structure does not lie in one arena
     */
    public Lease lease() {
        TwoCopies<StructureState> entered = copies;
        TwoCopies.Copy<StructureState> copy = entered.enter();
        if (copy.state.structure() instanceof ArenaStructure structure) {
            return new Lease(entered, copy, structure, algorithm);
        }
        entered.leave(copy);
        throw new UnsupportedOperationException(
                "rules of "
                        + algorithm.label()
                        + " do not change in one memory; those of "
                        + Algorithm.all().stream()
                                .filter(a -> a.liveKernel().isPresent())
                                .map(Algorithm::label)
                                .collect(Collectors.joining(", "))
                        + " do");
    }

    /** Header words that a batch must hold. */
    public HeaderLayout layout() {
        return layout;
    }

    /** Bytes of both copies. */
    public synchronized long bytes() {
        return copies.bytes();
    }

    /** Number of rules. */
    public synchronized int size() {
        return slots.size();
    }

    /** The rules in their total order. */
    public synchronized List<Rule> rules() {
        return slots.rules();
    }

    /** How often ranks had run out and all rules got new ones. */
    synchronized int spreads() {
        return slots.spreads();
    }

    /**
     * Changes the rules. Readers never wait, and each batch sees one version.
     *
     * @throws IllegalArgumentException if the delta names an id that is not there, adds one that
     *     is, or a rule looks at words beyond the layout; nothing is changed then
     * @throws MemoryBudgetException if the rules would need more memory than the context allows;
     *     nothing is changed then
     */
    public synchronized void apply(RuleDelta delta) {
        slots.check(delta);
        slots.apply(delta, copies);
        try {
            copies.publish();
        } catch (MemoryBudgetException e) {
            // The idle copy is changed in part, readers see the other: make both copies anew of
            // the rules before the delta.
            Journal journal = new Journal();
            slots = new SlotTable(slots.before(delta), layout, journal);
            copies = copies(journal);
            throw e;
        }
    }
}
