package dev.sluice.engine.update;

import dev.sluice.engine.image.Image;
import dev.sluice.engine.image.ImageLayout;
import dev.sluice.engine.image.MemoryBudgetException;
import dev.sluice.engine.lookup.Algorithm;
import dev.sluice.engine.lookup.BaseCompiler;
import dev.sluice.engine.lookup.Classifier;
import dev.sluice.engine.lookup.RuleStructure;
import dev.sluice.engine.lookup.UpdateForm;
import dev.sluice.engine.lookup.VerdictBatch;
import dev.sluice.engine.memory.Arena;
import dev.sluice.engine.memory.LongIntMap;
import dev.sluice.engine.memory.MutableImage;
import dev.sluice.engine.merged.MergedTupleStructure;
import dev.sluice.engine.rules.Rule;
import dev.sluice.engine.rules.RuleDelta;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.engine.tuplespace.ArenaStructure;
import dev.sluice.engine.tuplespace.RuleLog;
import dev.sluice.schemas.header.HeaderBatch;
import dev.sluice.schemas.header.HeaderLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A rule set that changes while it is looked into: verdicts name rules by their stable ids.
 *
 * <p>Algorithms that change in place keep two copies of their structure. The others keep a compiled
 * base and two copies of a small overlay; when the overlay has grown, a background thread compiles
 * a new base, and the deltas since then are applied to it before it replaces the old one.
 *
 * <p>Threads: {@link #classify} from any number, without waiting; {@link #apply} from any, one at a
 * time.
 */
public final class LiveClassifier implements Classifier, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(LiveClassifier.class);

    /** Overlay size at which a new base is compiled: a share of the rules, and at least so many. */
    private static final int OVERLAY_SHARE = 64;

    private static final int OVERLAY_AT_LEAST = 256;

    private final HeaderLayout layout;
    private final long budgetBytes;
    private final String name;
    private final String defaultAction;
    private final UpdateForm form;
    private final @Nullable Supplier<RuleStructure> structures;
    private final @Nullable BaseCompiler compiler;
    private final ExecutorService background;

    private volatile TwoCopies copies;
    private volatile long version;
    private volatile Image image;
    private volatile @Nullable RuntimeException compileFailure;

    // The rules as the next delta finds them, guarded by this.
    private LongIntMap slotOfId = new LongIntMap();
    private @Nullable Rule[] ruleOfSlot = new Rule[64];
    private int[] rankOfSlot = new int[64];
    private int slots;
    private int[] freeSlots = new int[64];
    private int free;
    private int live;
    private RankAllocator ranks = new RankAllocator();
    private int overlay;
    private long sharedBytes;
    private int spreads;
    private final List<Rule> removedRules = new ArrayList<>();
    private final List<Integer> removedRanks = new ArrayList<>();
    private boolean compiling;
    private boolean closed;
    private @Nullable List<RuleDelta> sinceSnapshot;

    /** Copies on a new base that get the deltas which came meanwhile before readers see them. */
    private @Nullable TwoCopies hidden;

    /**
     * Rules in the form that an algorithm gives them.
     *
     * @param layout words that rules may look at, those of later rules too
     * @param budgetBytes largest overlay, where the form has one
     */
    public LiveClassifier(RuleSet rules, HeaderLayout layout, long budgetBytes, UpdateForm form) {
        this.form = form;
        this.structures = form instanceof UpdateForm.InPlace inPlace ? inPlace.structures() : null;
        this.compiler = form instanceof UpdateForm.Overlaid overlaid ? overlaid.bases() : null;
        this.layout = layout;
        this.budgetBytes = budgetBytes;
        this.name = rules.name();
        this.defaultAction = rules.defaultAction();
        this.version = rules.version();
        this.background =
                Executors.newSingleThreadExecutor(
                        run -> {
                            Thread thread =
                                    new Thread(run, "background compile of " + rules.name());
                            thread.setDaemon(true);
                            return thread;
                        });
        Fresh fresh = build(rules.rules());
        this.copies = fresh.copies;
        this.image = fresh.image;
        adopt(fresh);
    }

    /** Copies made from rules in order, with the numbers that the rules were given. */
    private record Fresh(
            TwoCopies copies,
            Image image,
            LongIntMap slotOfId,
            @Nullable Rule[] ruleOfSlot,
            int[] rankOfSlot,
            RankAllocator ranks,
            long sharedBytes) {}

    private Fresh build(List<Rule> ordered) {
        int n = ordered.size();
        RankAllocator ranks = new RankAllocator();
        Map<Integer, Integer> sizes = new HashMap<>();
        for (Rule rule : ordered) {
            requireLayout(rule);
            sizes.merge(rule.priority(), 1, Integer::sum);
        }
        ranks.spread(sizes);
        int[] rank = new int[Math.max(64, n)];
        LongIntMap slotOf = new LongIntMap();
        @Nullable Rule[] inSlot = new Rule[Math.max(64, n)];
        long[] ids = new long[n];
        Journal journal = new Journal();
        for (int slot = 0; slot < n; slot++) {
            Rule rule = ordered.get(slot);
            if (slotOf.get(rule.id()) != 0) {
                throw new IllegalArgumentException("two rules have the id " + rule.id());
            }
            slotOf.put(rule.id(), slot + 1);
            inSlot[slot] = rule;
            rank[slot] = ranks.next(rule.priority());
            ids[slot] = rule.id();
            journal.add(Journal.INSERT, slot, rank[slot], rule.id(), rule.match());
        }
        if (structures != null) {
            StructureState[] states = states(structures, journal);
            Image none = Image.seal(new int[ImageLayout.BODY_AT], 0, layout, n);
            return new Fresh(
                    new TwoCopies(states[0], states[1]), none, slotOf, inSlot, rank, ranks, 0);
        }
        RuleSet set = RuleSet.inListOrder(name, version, defaultAction, ordered);
        Classifier base = requireCompiler().compile(set);
        MergedTupleStructure all =
                new MergedTupleStructure(layout, new Arena("overlay", budgetBytes));
        all.tables().reserve(n);
        for (int slot = 0; slot < n; slot++) {
            all.insert(slot, slot, ordered.get(slot).match());
        }
        OverlayState.Base shared = new OverlayState.Base(base, all, ids, Arrays.copyOf(rank, n));
        return new Fresh(
                new TwoCopies(
                        new OverlayState(shared, layout, budgetBytes),
                        new OverlayState(shared, layout, budgetBytes)),
                base.image(),
                slotOf,
                inSlot,
                rank,
                ranks,
                base.bytes() + all.bytes() + 12L * n + requireCompiler().bytes());
    }

    private static StructureState[] states(Supplier<RuleStructure> structures, Journal journal) {
        RuleStructure structure = structures.get();
        if (structure instanceof ArenaStructure shared && !shared.logs()) {
            return MirroredCopy.both(shared, journal);
        }
        StructureState[] states = {
            new StructureState(structure), new StructureState(structures.get())
        };
        for (StructureState state : states) {
            state.apply(journal, 0, journal.size());
        }
        return states;
    }

    private BaseCompiler requireCompiler() {
        BaseCompiler there = compiler;
        if (there == null) {
            throw new IllegalStateException("neither structures nor a compiler");
        }
        return there;
    }

    private void adopt(Fresh fresh) {
        adoptSlots(fresh);
        copies = fresh.copies;
        image = fresh.image;
    }

    /** What the writer knows of the rules of copies that no reader sees yet. */
    private void adoptSlots(Fresh fresh) {
        slotOfId = fresh.slotOfId;
        ruleOfSlot = fresh.ruleOfSlot;
        rankOfSlot = fresh.rankOfSlot;
        ranks = fresh.ranks;
        sharedBytes = fresh.sharedBytes;
        slots = fresh.slotOfId.size();
        live = slots;
        free = 0;
        overlay = 0;
    }

    private void requireLayout(Rule rule) {
        int beyond = rule.match().usedWords() & ~layout.wordBits();
        if (beyond != 0) {
            throw new IllegalArgumentException(
                    "rule "
                            + rule.id()
                            + " looks at header word "
                            + Integer.numberOfTrailingZeros(beyond)
                            + ", which "
                            + layout
                            + " lacks; open the rules with a wider layout");
        }
    }

    @Override
    public void classify(HeaderBatch headers, VerdictBatch verdicts) {
        check(headers, verdicts);
        copies.search(headers, verdicts.ids(), verdicts.rules());
    }

    /**
     * A version that stays as it is until this is closed: the next delta is written to the other
     * copy, and the one after that waits. Not thread-safe, but may go from thread to thread.
     */
    public static final class Lease implements AutoCloseable {
        private final TwoCopies copies;
        private final TwoCopies.Copy copy;
        private final StructureState state;
        private final ArenaStructure structure;
        private final Algorithm algorithm;
        private final MutableImage memory;

        Lease(
                TwoCopies copies,
                TwoCopies.Copy copy,
                StructureState state,
                ArenaStructure structure,
                Algorithm algorithm) {
            this.copies = copies;
            this.copy = copy;
            this.state = state;
            this.structure = structure;
            this.algorithm = algorithm;
            this.memory =
                    state instanceof MirroredCopy mirrored
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
            return state.idOf(slot);
        }

        /** Looks a batch up on the CPU. */
        public void search(HeaderBatch headers, VerdictBatch verdicts) {
            state.search(headers, verdicts.ids(), verdicts.rules());
        }

        @Override
        public void close() {
            copies.leave(copy);
        }
    }

    /**
     * Holds the version in force.
     *
     * @throws UnsupportedOperationException if the rules do not change in place, in one arena
     */
    public Lease lease() {
        TwoCopies entered = copies;
        TwoCopies.Copy copy = entered.enter();
        if (form instanceof UpdateForm.InPlace inPlace
                && copy.state instanceof StructureState state
                && state.structure() instanceof ArenaStructure structure) {
            return new Lease(entered, copy, state, structure, inPlace.algorithm());
        }
        entered.leave(copy);
        throw new UnsupportedOperationException(
                "these rules do not change in place in one memory; those of "
                        + Algorithm.all().stream()
                                .filter(a -> a.liveKernel().isPresent())
                                .map(Algorithm::label)
                                .collect(Collectors.joining(", "))
                        + " do");
    }

    @Override
    public Image image() {
        return image;
    }

    /** Rules come and go. */
    @Override
    public boolean isSealed() {
        return false;
    }

    @Override
    public HeaderLayout layout() {
        return layout;
    }

    @Override
    public synchronized long bytes() {
        return copies.bytes() + sharedBytes;
    }

    /** Version in force: that of the first rule set, and one more with each delta. */
    public long version() {
        return version;
    }

    /** Number of rules. */
    public synchronized int size() {
        return live;
    }

    @Override
    public synchronized void apply(RuleDelta delta) {
        validate(delta);
        try {
            write(delta);
        } catch (MemoryBudgetException e) {
            // The idle copy is changed in part, readers see the other: build both copies anew from
            // the rules before the delta.
            adopt(build(rulesBefore(delta)));
            throw e;
        }
        if (sinceSnapshot != null) {
            sinceSnapshot.add(delta);
        }
        version++;
        if (structures == null
                && !compiling
                && !closed
                && overlay > Math.max(OVERLAY_AT_LEAST, live / OVERLAY_SHARE)) {
            compileInBackground();
        }
    }

    private void validate(RuleDelta delta) {
        if (delta.removes().size() + delta.inserts().size() == 1) {
            for (Long id : delta.removes()) {
                requireThere(id);
            }
            for (Rule rule : delta.inserts()) {
                requireLayout(rule);
                if (slotOfId.get(rule.id()) != 0) {
                    throw new IllegalArgumentException(
                            "rule " + rule.id() + " is there already; remove it first");
                }
            }
            return;
        }
        LongIntMap removed = new LongIntMap();
        for (long id : delta.removes()) {
            requireThere(id);
            if (!added(removed, id)) {
                throw new IllegalArgumentException("the delta removes rule " + id + " twice");
            }
        }
        LongIntMap inserted = new LongIntMap();
        for (Rule rule : delta.inserts()) {
            requireLayout(rule);
            boolean there = slotOfId.get(rule.id()) != 0 && removed.get(rule.id()) == 0;
            if (there || !added(inserted, rule.id())) {
                throw new IllegalArgumentException(
                        "rule " + rule.id() + " is there already; remove it first");
            }
        }
    }

    private static boolean added(LongIntMap to, long id) {
        int before = to.size();
        to.put(id, 1);
        return to.size() > before;
    }

    private void requireThere(long id) {
        if (slotOfId.get(id) == 0) {
            throw new IllegalArgumentException("no rule has the id " + id);
        }
    }

    private void write(RuleDelta delta) {
        TwoCopies to = hidden == null ? copies : hidden;
        Journal journal = to.journal();
        int[] newRanks = newRanks(journal, delta.inserts());
        removedRules.clear();
        removedRanks.clear();
        int changes = delta.removes().size() + newRanks.length;
        for (long id : delta.removes()) {
            int slot = slotOfId.get(id) - 1;
            to.readAhead(slot, changes);
            Rule rule = ruleOfSlot[slot];
            if (rule != null) {
                removedRules.add(rule);
                removedRanks.add(rankOfSlot[slot]);
            }
            slotOfId.remove(id);
            ruleOfSlot[slot] = null;
            journal.add(Journal.REMOVE, slot, 0, id, null);
            if (structures != null || slot >= baseSize()) {
                freeSlot(slot);
            }
            live--;
        }
        for (int k = 0; k < newRanks.length; k++) {
            Rule rule = delta.inserts().get(k);
            int slot = free > 0 ? freeSlots[--free] : newSlot();
            to.readAhead(slot, changes);
            ruleOfSlot[slot] = rule;
            rankOfSlot[slot] = newRanks[k];
            slotOfId.put(rule.id(), slot + 1);
            journal.add(Journal.INSERT, slot, newRanks[k], rule.id(), rule.match());
            live++;
        }
        overlay += changes;
        to.publish();
    }

    /** The rules as they were before a delta whose slots and ranks are given out already. */
    private List<Rule> rulesBefore(RuleDelta delta) {
        Set<Long> inserted = new HashSet<>();
        for (Rule rule : delta.inserts()) {
            inserted.add(rule.id());
        }
        List<Rule> before = new ArrayList<>(rules());
        before.removeIf(rule -> inserted.contains(rule.id()));
        for (int k = removedRules.size() - 1; k >= 0; k--) {
            Rule removed = removedRules.get(k);
            int rank = removedRanks.get(k);
            int at = 0;
            while (at < before.size() && rankOfSlot[slotOfId.get(before.get(at).id()) - 1] < rank) {
                at++;
            }
            before.add(at, removed);
        }
        return before;
    }

    private int baseSize() {
        return image.rules();
    }

    private void freeSlot(int slot) {
        if (free == freeSlots.length) {
            freeSlots = Arrays.copyOf(freeSlots, 2 * free);
        }
        freeSlots[free++] = slot;
    }

    private int newSlot() {
        if (slots == ruleOfSlot.length) {
            ruleOfSlot = Arrays.copyOf(ruleOfSlot, slots * 3 / 2);
            rankOfSlot = Arrays.copyOf(rankOfSlot, slots * 3 / 2);
        }
        return slots++;
    }

    /** The rules in their total order. */
    public synchronized List<Rule> rules() {
        List<Rule> ordered = new ArrayList<>(live);
        for (int slot : slotsInOrder()) {
            Rule rule = ruleOfSlot[slot];
            if (rule != null) {
                ordered.add(rule);
            }
        }
        return ordered;
    }

    private List<Integer> slotsInOrder() {
        List<Integer> order = new ArrayList<>(live);
        for (int slot = 0; slot < slots; slot++) {
            if (ruleOfSlot[slot] != null) {
                order.add(slot);
            }
        }
        order.sort(Comparator.comparingInt(slot -> rankOfSlot[slot]));
        return order;
    }

    /** Ranks for rules about to be added; where one has run out, all rules get new ranks first. */
    private int[] newRanks(Journal journal, List<Rule> inserts) {
        int[] newRanks = new int[inserts.size()];
        for (int k = 0; k < newRanks.length; k++) {
            newRanks[k] = ranks.next(inserts.get(k).priority());
            if (newRanks[k] < 0) {
                spread(journal, inserts);
                k = -1; // ranks given before are void: begin with the first rule
            }
        }
        return newRanks;
    }

    /** Gives all rules new ranks in the same order, as the journal's next change. */
    private void spread(Journal journal, List<Rule> coming) {
        Map<Integer, Integer> sizes = new HashMap<>();
        List<Integer> order = slotsInOrder();
        for (int slot : order) {
            Rule rule = ruleOfSlot[slot];
            if (rule != null) {
                sizes.merge(rule.priority(), 1, Integer::sum);
            }
        }
        for (Rule rule : coming) {
            sizes.merge(rule.priority(), 1, Integer::sum);
        }
        ranks.spread(sizes);
        for (int slot : order) {
            Rule rule = ruleOfSlot[slot];
            if (rule != null) {
                rankOfSlot[slot] = ranks.next(rule.priority());
            }
        }
        spreads++;
        journal.rankings.add(rankOfSlot.clone());
        journal.add(Journal.RERANK, journal.rankings.size() - 1, 0, 0, null);
    }

    /** How often ranks had run out and all rules got new ones. */
    public synchronized int spreads() {
        return spreads;
    }

    private void compileInBackground() {
        compiling = true;
        sinceSnapshot = new ArrayList<>();
        List<Rule> snapshot = rules();
        background.execute(
                () -> {
                    boolean replaced = false;
                    try {
                        Fresh fresh = build(snapshot);
                        replaceBase(fresh);
                        replaced = true;
                    } catch (RuntimeException e) {
                        compileFailure = e;
                        LOG.warn(
                                "the background compile of '{}' failed; the overlay stays",
                                name,
                                e);
                    } finally {
                        if (!replaced) {
                            stopCompiling();
                        }
                    }
                });
    }

    /** Why the last background compile failed, null if it did not; the overlay stays in force. */
    public @Nullable RuntimeException compileFailure() {
        return compileFailure;
    }

    /** After a failed compile; the next one starts when the overlay has grown as much again. */
    private synchronized void stopCompiling() {
        compiling = false;
        overlay = 0;
        sinceSnapshot = null;
    }

    private synchronized void replaceBase(Fresh fresh) {
        List<RuleDelta> missed = sinceSnapshot == null ? List.of() : sinceSnapshot;
        sinceSnapshot = null;
        adoptSlots(fresh);
        // Readers see the old copies until the new ones have the deltas that came meanwhile.
        if (!missed.isEmpty()) {
            writeTo(fresh.copies, fresh.image, missed);
        }
        copies = fresh.copies;
        image = fresh.image;
        compiling = false;
        notifyAll();
    }

    /** Applies deltas to copies that no reader sees yet. */
    private void writeTo(TwoCopies to, Image imageOf, List<RuleDelta> deltas) {
        Image publishedImage = image;
        image = imageOf; // new rules get slots from the number of this base's rules on
        hidden = to;
        try {
            for (RuleDelta delta : deltas) {
                write(delta);
            }
        } finally {
            hidden = null;
            image = publishedImage;
        }
    }

    /** Waits until no background compile runs; for tests and orderly ends. */
    public synchronized void awaitCompiled() throws InterruptedException {
        while (compiling) {
            wait(100);
        }
    }

    @Override
    public void close() {
        synchronized (this) {
            closed = true;
        }
        background.shutdownNow();
    }
}
