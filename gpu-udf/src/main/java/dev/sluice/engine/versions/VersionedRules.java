package dev.sluice.engine.versions;

import dev.sluice.engine.image.MemoryBudgetException;
import dev.sluice.engine.memory.ChangeSource;
import dev.sluice.engine.memory.LongIntMap;
import dev.sluice.engine.memory.ReadAhead;
import dev.sluice.engine.rules.Rule;
import dev.sluice.engine.rules.RuleDelta;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
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
    private final BaseChanges changes;
    private final int baseSize;
    private final Overlay overlay;
    private final VersionedTuples tuples;
    private final SlotRules rules;
    private final LongIntMap slotOfId = new LongIntMap();
    private Lines lines;
    private int tick;
    private int size;
    private int removedRules;

    /** Steps that take back what the delta at hand did so far, the last first. */
    private final Deque<Runnable> undo = new ArrayDeque<>();

    private final ReadAhead ahead = new ReadAhead();

    /** Base rules before each insert of the delta at hand. */
    private int[] precede = {};

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
        this.changes = new BaseChanges(base, limits);
        this.lines = lines;
        this.baseSize = base.size();
        this.rules = new SlotRules(base);
        this.overlay = new Overlay(base, rules, budgetBytes, limits);
        this.tuples = overlay.tuples();
        for (int slot = 0; slot < baseSize; slot++) {
            if (slotOfId.get(base.id(slot)) != 0) {
                throw new IllegalArgumentException("two rules have the id " + base.id(slot));
            }
            slotOfId.put(base.id(slot), slot + 1);
        }
        this.size = baseSize;
    }

    /**
     * The rules of a version of these over their base, with an overlay that has nothing dead.
     *
     * @throws MemoryBudgetException if they do not fit the budget
     */
    public VersionedRules copy(VersionView version, long budgetBytes) {
        VersionedRules fresh =
                new VersionedRules(base, version.linesOfBase(), budgetBytes, changes.limits);
        fresh.overlay.reserve(2 * tuples.neededWords(), 2 * tuples.live());
        RuleDelta since = version.sinceBase();
        if (!since.isEmpty()) {
            fresh.apply(since);
        }
        return fresh;
    }

    /**
     * Makes room for as many changes as others took: where rules change fast, the next ones are as
     * many, and who changes rules should not wait for arrays that are copied. Nothing changed here
     * so far; the others may change meanwhile.
     */
    public void reserve(VersionedRules others) {
        overlay.reserve(others.tuples.spentWords(), others.overlay.slots());
    }

    /** Returns the base, which does not change. */
    public Base base() {
        return base;
    }

    /**
     * Returns the source of changes for a copy elsewhere; changes are noted from the first call on.
     * To be called by the writer, or before there is one.
     */
    public ChangeSource noteChanges() {
        NotedChanges there = changes.noted;
        if (there == null) {
            there = new NotedChanges(base, tuples, changes.removedAt, tick);
            changes.noted = there;
        }
        return there;
    }

    /** Number of rules now. */
    public int size() {
        return size;
    }

    /** Rules that look-ups cannot find in the base alone, or must not. */
    public int overlaySize() {
        return tuples.live() + removedRules;
    }

    /** Returns whether a version is in use. */
    public boolean isInUse() {
        return changes.open.oldest() < VersionedTuplesLayout.NEVER;
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
        return delta.removes().stream().anyMatch(this::isInBase)
                || delta.inserts().stream().anyMatch(rule -> isInBase(rule.id()));
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
        tuples.oldestTick(Math.min(changes.open.oldest(), tick - 1));
        undo.clear();
        changes.touched.begin(delta.removes().size() + delta.inserts().size());
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
            NotedChanges known = changes.noted;
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
                overlay.readAhead(slot - baseSize, ahead);
            } else if (slot >= 0) {
                ahead.see(changes.removedAt[slot]);
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
            Object notes = rules.change(there, rule, tick, changes.open.oldest());
            undo.push(() -> rules.restore(there, notes));
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
        changes.touched.inserted(rule.match(), precede, base.boxes()); // before anything is changed
        boolean taken = base.isAt(precede, rule) && changes.removedAt[precede] > tick;
        if (taken || !overlay.insert(tick, rule, precede)) {
            throw new IllegalArgumentException(
                    "rule %d has priority %d and place %s, where another rule is"
                            .formatted(rule.id(), rule.priority(), rule.place()));
        }
        int slot = rules.count() - 1;
        slotOfId.put(rule.id(), slot + 1);
        size++;
        undo.push(() -> remove(slot));
    }

    private void remove(int slot) {
        Rule rule = rules.now(slot);
        if (slot < baseSize) {
            changes.touched.removed(slot, rule.match(), base.boxes());
            changes.removed(slot, tick);
            removedRules++;
        } else {
            overlay.remove(tick, slot - baseSize, rule);
        }
        slotOfId.remove(rule.id());
        size--;
        undo.push(() -> putBack(slot));
    }

    /** Takes back what the delta at hand did, the last first. */
    private void takeBack() {
        List.copyOf(undo).forEach(Runnable::run); // a copy, since steps note what takes them back
        undo.clear();
    }

    private void putBack(int slot) {
        Rule rule = rules.now(slot);
        if (slot < baseSize) {
            changes.removed(slot, VersionedTuplesLayout.NEVER);
            removedRules--;
        } else {
            overlay.restore(tick, slot - baseSize, rule);
        }
        slotOfId.put(rule.id(), slot + 1);
        size++;
    }

    /** The version of now, which stays as it is until it is closed. */
    public VersionView view() {
        TickView at =
                new TickView(
                        changes,
                        tick,
                        removedRules > 0,
                        rules.count() > baseSize,
                        tuples.words(),
                        tuples.directory(),
                        overlay.vectors());
        return new VersionView(at, size, rules.count(), rules.array(), overlay.endedAt(), lines);
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
                + overlay.bytes()
                + changes.touched.bytes()
                + 4L * baseSize
                + 24L * rules.count();
    }
}
