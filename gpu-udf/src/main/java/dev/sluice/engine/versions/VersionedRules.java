package dev.sluice.engine.versions;

import dev.sluice.engine.image.MemoryBudgetException;
import dev.sluice.engine.memory.ChangeSource;
import dev.sluice.engine.memory.LongIntMap;
import dev.sluice.engine.memory.ReadAhead;
import dev.sluice.engine.rules.Match;
import dev.sluice.engine.rules.Rule;
import dev.sluice.engine.rules.RuleDelta;
import dev.sluice.engine.rules.RuleSet;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A base and what changed since: all versions from one compiled rule set to the next. A change
 * takes the next tick; look-ups of all ticks share the memory ({@link VersionView}).
 *
 * <p>One thread at a time writes (the owner's lock); any number look.
 */
public final class VersionedRules {
    /** Ticks are numbers below this; long before, a new base has begun again with 0. */
    private static final int LAST_TICK = VersionedTuplesLayout.NEVER - 8;

    private final Base base;
    final Accelerators limits;
    private final int baseSize;
    private final VersionedTuples tuples;

    /** By position in the base: the tick at which the rule was removed, or NEVER. */
    private final int[] removedAt;

    /** The same for the overlay's slots; another array after it grew. */
    private int[] endedAt = new int[64];

    /** Null where the base's rules are not told apart. */
    private @Nullable EntryVectors vectors;

    /** Slots from which on vectors of the live entries are made anew where some have no place. */
    private int renewVectorsFrom;

    private final SlotRules rules;
    private final OverlayOrder order = new OverlayOrder();
    private final LongIntMap slotOfId = new LongIntMap();
    private Lines lines;
    private int tick;
    private int size;
    private int removedRules;
    private final OpenTicks open = new OpenTicks();
    private final UndoLog undo = new UndoLog();
    private final ReadAhead ahead = new ReadAhead();

    /** Base rules before each insert of the delta at hand. */
    private int[] precede = {};

    private final TouchedVerdicts touched;

    private volatile @Nullable NotedChanges noted;

    /**
     * The rules of a base, of which nothing changed so far.
     *
     * @param budgetBytes bytes that what changes may grow to
     * @throws IllegalArgumentException if two rules have the same id
     */
    public VersionedRules(Base base, long budgetBytes) {
        this(base, Lines.NONE, budgetBytes, Accelerators.STANDARD);
    }

    /** As above, with lines and thresholds of one's own. */
    VersionedRules(Base base, Lines lines, long budgetBytes, Accelerators limits) {
        this.base = base;
        this.limits = limits;
        this.lines = lines;
        this.baseSize = base.size();
        this.tuples = new VersionedTuples(base.layout(), budgetBytes, limits);
        this.removedAt = new int[baseSize];
        Arrays.fill(removedAt, VersionedTuplesLayout.NEVER);
        this.touched = new TouchedVerdicts(baseSize, limits);
        int[] halves = base.halves();
        boolean told = halves.length > 0 && limits.entries() > 0;
        this.vectors = told ? new EntryVectors(base.layout(), halves, limits) : null;
        this.rules = new SlotRules(base);
        for (int slot = 0; slot < baseSize; slot++) {
            if (slotOfId.get(base.id(slot)) != 0) {
                throw new IllegalArgumentException("two rules have the id " + base.id(slot));
            }
            slotOfId.put(base.id(slot), slot + 1);
        }
        this.size = baseSize;
    }

    /**
     * The rules of a version over its base, with an overlay that has nothing dead.
     *
     * @throws MemoryBudgetException if they do not fit the budget
     */
    public static VersionedRules of(VersionView version, long budgetBytes) {
        Base base = version.versionedRules().base();
        VersionedRules before = version.versionedRules();
        VersionedRules fresh =
                new VersionedRules(base, version.linesOfBase(), budgetBytes, before.limits);
        VersionedTuples worn = before.tuples;
        fresh.reserve(2 * worn.neededWords(), 2 * worn.live());
        RuleDelta changes = version.sinceBase();
        if (!changes.isEmpty()) {
            fresh.apply(changes);
        }
        return fresh;
    }

    /**
     * Makes room for as many changes as others took: where rules change fast, the next ones are as
     * many, and who changes rules should not wait for arrays that are copied. Nothing changed here
     * so far; the others may change meanwhile.
     */
    public void reserve(VersionedRules others) {
        reserve(others.tuples.spentWords(), others.rules.count() - others.baseSize);
    }

    private void reserve(long words, int slots) {
        tuples.reserve(words, slots);
        rules.reserve(baseSize + slots);
        order.reserve(slots);
        if (slots > endedAt.length) {
            endedAt = Arrays.copyOf(endedAt, slots);
        }
    }

    /** Returns the base, which does not change. */
    public Base base() {
        return base;
    }

    /** The overlay. */
    public VersionedTuples overlay() {
        return tuples;
    }

    /** By position in the base: the tick from which on the rule is not there. Do not change. */
    public int[] removedAt() {
        return removedAt;
    }

    /**
     * Returns the source of changes for a copy elsewhere; changes are noted from the first call on.
     * To be called by the writer, or before there is one.
     */
    public ChangeSource noteChanges() {
        NotedChanges there = noted;
        if (there == null) {
            there = new NotedChanges(base, tuples, removedAt, tick);
            noted = there;
        }
        return there;
    }

    /** Returns the result of {@link #noteChanges}; null if it was not called. */
    @Nullable ChangeSource notedChanges() {
        return noted;
    }

    /** Number of rules now. */
    public int size() {
        return size;
    }

    /** Rules that look-ups cannot find in the base alone, or must not. */
    public int overlaySize() {
        return tuples.live() + removedRules;
    }

    /** The verdicts of the base that changes may have made others. */
    TouchedVerdicts touched() {
        return touched;
    }

    /** Ticks in use. */
    OpenTicks open() {
        return open;
    }

    /** Returns whether a version is in use. */
    public boolean isInUse() {
        return open.oldest() < VersionedTuplesLayout.NEVER;
    }

    /** The rule of an id as of now, null if there is none. */
    public @Nullable Rule rule(long id) {
        int slot = slotOfId.get(id) - 1;
        return slot < 0 ? null : lined(slot);
    }

    private Rule lined(int slot) {
        Rule rule = rules.now(slot);
        return rule.onLine(lines.line(slot, rule, SlotRules.since(rules.array(), slot, tick)));
    }

    /** Why a delta needs a new base, or null if it can be applied here. */
    public @Nullable String refusal(RuleDelta delta) {
        int changes = delta.removes().size() + delta.inserts().size();
        if (changes > Accelerators.MOST_CHANGES) {
            return "it makes " + changes + " changes, more than " + Accelerators.MOST_CHANGES;
        }
        if (tick >= LAST_TICK) {
            return "ticks have run out";
        }
        if (!tuples.hasRoom(delta.inserts().size())) {
            return "the overlay has no room for it";
        }
        for (Rule rule : delta.inserts()) {
            if (beyondLayout(rule) != 0) {
                return beyond(rule);
            }
        }
        return null;
    }

    /** Returns whether the rules' layout has all header words that a delta's rules look at. */
    public boolean hasWordsOf(RuleDelta delta) {
        return delta.inserts().stream().allMatch(rule -> beyondLayout(rule) == 0);
    }

    private long beyondLayout(Rule rule) {
        return rule.match().usedWords() & ~base.layout().wordBits();
    }

    private String beyond(Rule rule) {
        return "rule %d looks at header word %d, which the rules before do not"
                .formatted(rule.id(), Long.numberOfTrailingZeros(beyondLayout(rule)));
    }

    private void requireLayout(Rule rule) {
        if (beyondLayout(rule) != 0) {
            throw new IllegalArgumentException(beyond(rule) + "; load the rules anew");
        }
    }

    /**
     * Returns whether a delta takes rules out of the base's look-up, which needs {@link Base#all}.
     */
    public boolean removes(RuleDelta delta) {
        for (long id : delta.removes()) {
            if (isInBase(id)) {
                return true;
            }
        }
        for (Rule rule : delta.inserts()) {
            if (isInBase(rule.id())) {
                return true;
            }
        }
        return false;
    }

    private boolean isInBase(long id) {
        int slot = slotOfId.get(id) - 1;
        return slot >= 0 && slot < baseSize;
    }

    /**
     * Changes the rules at the next tick.
     *
     * @throws IllegalArgumentException if the delta does not fit the rules; nothing is changed then
     * @throws MemoryBudgetException if the overlay would grow beyond its budget; nothing is changed
     *     then
     */
    public void apply(RuleDelta delta) {
        tick++;
        tuples.oldestTick(Math.min(open.oldest(), tick - 1));
        undo.clear();
        touched.begin(delta.removes().size() + delta.inserts().size());
        readAhead(delta);
        findPlaces(delta);
        boolean done = false;
        try {
            for (long id : delta.removes()) {
                int slot = slotOfId.get(id) - 1;
                if (slot < 0) {
                    throw new IllegalArgumentException(
                            "the delta removes rule " + id + ", which is not there");
                }
                remove(slot);
            }
            // Rules that move leave their places first, so that two may change places.
            int stay = 0;
            for (Rule rule : delta.inserts()) {
                stay += leave(rule) ? 0 : 1;
            }
            int k = 0;
            for (Rule rule : delta.inserts()) {
                stay -= enter(rule, precede[k++]) ? 0 : 1;
                if (stay < 0) {
                    throw twice(rule);
                }
            }
            done = true;
        } finally {
            if (!done) {
                takeBack(); // what came and went with this tick counts at none
            }
            NotedChanges known = noted;
            if (known != null) {
                known.publish(tick);
            }
        }
        if (!delta.shifts().isEmpty()) {
            lines = lines.shifted(tick, delta.shifts(), rules.array(), rules.count());
        }
    }

    /** Finds the places of all inserts in the base. */
    private void findPlaces(RuleDelta delta) {
        int inserts = delta.inserts().size();
        if (inserts > precede.length) {
            precede = new int[inserts];
        }
        for (int k = 0; k < inserts; k++) {
            precede[k] = base.precede(delta.inserts().get(k));
        }
    }

    /**
     * Reads what the delta will change: one after another, as the changes are made, these are
     * misses of the caches; here they overlap.
     */
    private void readAhead(RuleDelta delta) {
        for (long id : delta.removes()) {
            int slot = slotOfId.get(id) - 1;
            if (slot >= baseSize) {
                tuples.readAhead(slot - baseSize, ahead);
            } else if (slot >= 0) {
                ahead.see(removedAt[slot]);
            }
        }
        for (Rule rule : delta.inserts()) {
            ahead.see(slotOfId.get(rule.id()));
        }
    }

    /** Changes the rule of an id if it stays where it is, else takes it out; false if it stays. */
    private boolean leave(Rule rule) {
        int there = slotOfId.get(rule.id()) - 1;
        if (there < 0) {
            return true;
        }
        if (SlotRules.since(rules.array(), there, Integer.MAX_VALUE) == tick) {
            throw twice(rule); // what a delta changed has the delta's tick
        }
        Rule before = rules.now(there);
        if (before.priority() == rule.priority()
                && before.place().equals(rule.place())
                && before.match().equals(rule.match())) {
            undo.changed(there, rules.change(there, rule, tick, open.oldest()));
            return false;
        }
        remove(there);
        return true;
    }

    /**
     * Adds a rule unless {@link #leave} changed it.
     *
     * @param precede base rules before it
     */
    @SuppressWarnings("ReferenceEquality") // the same object, if this delta put it there
    private boolean enter(Rule rule, int precede) {
        int there = slotOfId.get(rule.id()) - 1;
        if (there < 0) {
            insert(rule, precede);
            return true;
        }
        if (rules.now(there) != rule) {
            throw twice(rule);
        }
        return false;
    }

    private static IllegalArgumentException twice(Rule rule) {
        return new IllegalArgumentException(
                "the delta inserts rule " + rule.id() + " twice; name it once");
    }

    private void insert(Rule rule, int precede) {
        if (rule.place().isNone()) {
            throw new IllegalArgumentException(
                    "rule " + rule.id() + " has no place; give it one between its neighbours'");
        }
        requireLayout(rule);
        if (!tuples.hasRoom(1)) {
            throw new MemoryBudgetException(
                    "overlay", tuples.bytes() + tuples.bytes() / 2, tuples.bytes());
        }
        touched.inserted(rule.match(), precede, base.boxes()); // before anything is changed
        boolean taken = base.isAt(precede, rule) && removedAt[precede] > tick;
        int slot = rules.count() - baseSize;
        if (taken || !order.insert(slot, rule, precede)) {
            throw new IllegalArgumentException(
                    "rule %d has priority %d and place %s, where another rule is"
                            .formatted(rule.id(), rule.priority(), rule.place()));
        }
        rules.add(rule, tick);
        if (slot >= endedAt.length) {
            endedAt = Arrays.copyOf(endedAt, endedAt.length * 3 / 2);
        }
        endedAt[slot] = VersionedTuplesLayout.NEVER;
        write(slot, rule);
        slotOfId.put(rule.id(), baseSize + slot + 1);
        size++;
        undo.inserted(baseSize + slot);
    }

    /** Writes the entry of an overlay rule that has a place in the order. */
    private void write(int slot, Rule rule) {
        if (order.label(slot) < 0) {
            for (int other : order.respread(slot)) {
                Rule neighbour = rules.now(baseSize + other);
                tuples.remove(tick, other);
                enter(other, neighbour.match());
            }
        }
        enter(slot, rule.match());
    }

    private void enter(int slot, Match match) {
        int entry = tuples.insert(tick, slot, match, order.precede(slot), order.label(slot));
        EntryVectors known = vectors;
        if (known == null) {
            return;
        }
        known.add(entry, match);
        int slots = rules.count() - baseSize;
        if (!known.hasAll()
                && tuples.live() <= limits.entries() / 2
                && slots >= renewVectorsFrom
                && slots <= limits.slots()) {
            vectors = vectorsOfLive(slots);
            renewVectorsFrom = slots + limits.entries() / 4;
        }
    }

    /** Vectors without the entries that ended; views keep those that they have. */
    private EntryVectors vectorsOfLive(int slots) {
        EntryVectors live = new EntryVectors(base.layout(), base.halves(), limits);
        for (int slot = 0; slot < slots; slot++) {
            int entry = tuples.entry(slot);
            if (entry != 0) {
                live.add(entry, rules.now(baseSize + slot).match());
            }
        }
        return live;
    }

    private void remove(int slot) {
        Rule rule = rules.now(slot);
        if (slot < baseSize) {
            touched.removed(slot, rule.match(), base.boxes());
            removedAt[slot] = tick;
            note(slot);
            removedRules++;
        } else {
            tuples.remove(tick, slot - baseSize);
            order.remove(slot - baseSize, rule);
            endedAt[slot - baseSize] = tick;
        }
        slotOfId.remove(rule.id());
        size--;
        undo.removed(slot);
    }

    /** Takes back what the delta at hand did, the last first. */
    private void takeBack() {
        undo.replay(
                new UndoLog.Target() {
                    @Override
                    public void inserted(int slot) {
                        remove(slot);
                    }

                    @Override
                    public void removed(int slot) {
                        takeBack(slot);
                    }

                    @Override
                    public void changed(int slot, @Nullable Object notes) {
                        rules.restore(slot, notes);
                    }
                });
    }

    private void takeBack(int slot) {
        Rule rule = rules.now(slot);
        if (slot < baseSize) {
            removedAt[slot] = VersionedTuplesLayout.NEVER;
            note(slot);
            removedRules--;
        } else {
            int inserted = slot - baseSize;
            order.insert(inserted, rule, base.precede(rule));
            write(inserted, rule);
            endedAt[inserted] = VersionedTuplesLayout.NEVER;
        }
        slotOfId.put(rule.id(), slot + 1);
        size++;
    }

    private void note(int position) {
        NotedChanges known = noted;
        if (known != null) {
            known.removed().written(position, 1);
        }
    }

    /** The version of now, which stays as it is until it is closed. */
    public VersionView view() {
        return new VersionView(
                this,
                tick,
                size,
                rules.count(),
                removedRules > 0,
                rules.count() > baseSize,
                tuples.words(),
                tuples.directory(),
                vectors == null || !vectors.hasAll() ? null : vectors.view(),
                rules.array(),
                endedAt,
                lines);
    }

    /** Number of slots of the base. */
    int baseSize() {
        return baseSize;
    }

    /** The rules of now in their total order. */
    public RuleSet ruleSet(long number) {
        VersionView now = view();
        try {
            return now.ruleSet(number, base.rules().name(), base.rules().defaultAction());
        } finally {
            now.close();
        }
    }

    /**
     * Returns whether so much memory was spent that the live rules had better go to a new overlay.
     */
    public boolean isWorn() {
        return tick >= LAST_TICK / 2
                || tuples.spentWords()
                        > Math.max(Accelerators.WORN_WORDS, 4 * tuples.neededWords());
    }

    /** Bytes of base and overlay. */
    public long bytes() {
        return base.bytes()
                + tuples.bytes()
                + touched.bytes()
                + (vectors == null ? 0 : vectors.bytes())
                + 4L * baseSize
                + 24L * rules.count();
    }
}
