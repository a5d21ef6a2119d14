package dev.sluice.engine.versions;

import dev.sluice.engine.lookup.VerdictBatch;
import dev.sluice.engine.lookup.VersionLookUp;
import dev.sluice.engine.memory.ChangeSource;
import dev.sluice.engine.rules.Rule;
import dev.sluice.engine.rules.RuleDelta;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.schemas.header.HeaderBatch;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * One version of {@link VersionedRules}: a tick, and the arrays that serve it. What look-ups at its
 * tick read of them never changes.
 *
 * <p>Verdicts: 0 to the base's size - 1 name base rules by their positions, from there on rules of
 * the overlay by their slots; {@link VerdictBatch#MISS}.
 *
 * <p>Thread-safe. Close it when no look-up of it is under way and none will come.
 */
public final class VersionView implements VersionLookUp, AutoCloseable {
    private final TickView at;
    private final Base base;
    private final int size;
    private final int slots;
    private final @Nullable Object[] rules;
    private final int[] endedAt;
    private final Lines lines;
    private final AtomicBoolean closed = new AtomicBoolean();

    /**
     * A version that is in use.
     *
     * @param at what its look-ups read
     * @param size number of rules
     * @param slots number of slots
     * @param rules their rules, see {@link SlotRules}
     * @param endedAt by slot of the overlay: the tick from which on its rule is not there
     */
    VersionView(
            TickView at,
            int size,
            int slots,
            @Nullable Object[] rules,
            int[] endedAt,
            Lines lines) {
        this.at = at;
        this.base = at.changes().base;
        this.size = size;
        this.slots = slots;
        this.rules = rules;
        this.endedAt = endedAt;
        this.lines = lines;
        at.changes().open.add(at.tick());
    }

    /** Returns the words and arrays that its look-ups read. */
    TickView at() {
        return at;
    }

    @Override
    public boolean changed() {
        return !isPlain();
    }

    @Override
    public @Nullable ChangeSource source() {
        return at.changes().noted;
    }

    /** Its number among the versions of its base. */
    @Override
    public int tick() {
        return at.tick();
    }

    /** Number of rules. */
    public int size() {
        return size;
    }

    /** All verdicts are below this. */
    public int slots() {
        return slots;
    }

    /** Returns whether the verdicts of the base are the version's. */
    public boolean isPlain() {
        return !at.removals() && !at.inserts();
    }

    /** Offset of the tick's directory in the words. */
    @Override
    public int directory() {
        return at.directory();
    }

    /** Looks a batch up on the CPU. */
    @Override
    public void classify(HeaderBatch headers, VerdictBatch verdicts) {
        base.classifier().classify(headers, verdicts);
        revise(headers, verdicts);
    }

    /**
     * Makes verdicts of the version out of those of the base.
     *
     * @param headers a batch of the base's layout
     * @param verdicts the base's verdicts on them
     */
    public void revise(HeaderBatch headers, VerdictBatch verdicts) {
        if (!isPlain()) {
            Revision.get().revise(at, headers, verdicts.rules());
        }
    }

    /** Id of the rule of a verdict that is no miss. */
    public long ruleId(int verdict) {
        return verdict < base.size()
                ? base.id(verdict)
                : SlotRules.rule(rules, verdict, at.tick()).id();
    }

    /** As {@link #ruleId}, of many verdicts. */
    public void ruleIds(int[] verdicts, int count, long[] ids) {
        for (int i = 0; i < count; i++) {
            ids[i] = ruleId(verdicts[i]);
        }
    }

    /** The rule of a verdict as of this version, its line too. */
    public Rule rule(int verdict) {
        Rule rule = SlotRules.rule(rules, verdict, at.tick());
        return rule.onLine(lines.line(verdict, rule, SlotRules.since(rules, verdict, at.tick())));
    }

    /** Returns whether a slot's rule is there. */
    private boolean isThere(int slot) {
        int n = base.size();
        return (slot < n ? at.changes().removedAt[slot] : endedAt[slot - n]) > at.tick();
    }

    /** The rules in their total order. Takes some 100 ns a rule. */
    public List<Rule> rules() {
        int n = base.size();
        List<Rule> inserted = new ArrayList<>();
        for (int slot = n; slot < slots; slot++) {
            if (isThere(slot)) {
                inserted.add(rule(slot));
            }
        }
        inserted.sort(Rule.TOTAL_ORDER);
        List<Rule> all = new ArrayList<>(size);
        int next = 0;
        for (int position = 0; position < n; position++) {
            if (isThere(position)) {
                Rule rule = rule(position);
                while (next < inserted.size() && inserted.get(next).precedes(rule)) {
                    all.add(inserted.get(next++));
                }
                all.add(rule);
            }
        }
        all.addAll(inserted.subList(next, inserted.size()));
        return all;
    }

    /** The rules as a rule set; the base's own where nothing changed. */
    @SuppressWarnings("ReferenceEquality") // one object says that nothing was shifted
    public RuleSet ruleSet(long number, String name, String defaultAction) {
        RuleSet own = base.rules();
        boolean same = at.tick() == 0 && lines == Lines.NONE && number == own.version();
        return same ? own : RuleSet.of(name, number, defaultAction, rules());
    }

    /** Returns the delta from its base to the version, without moved lines. */
    RuleDelta sinceBase() {
        List<Long> removes = new ArrayList<>();
        List<Rule> inserts = new ArrayList<>();
        for (int slot = 0; slot < slots; slot++) {
            boolean own = slot < base.size();
            if (!isThere(slot)) {
                if (own) {
                    removes.add(base.id(slot));
                }
            } else if (!own || SlotRules.since(rules, slot, at.tick()) > 0) {
                inserts.add(rule(slot));
            }
        }
        return new RuleDelta(removes, inserts);
    }

    /** The lines of the base's rules, whether they are there or not. */
    Lines linesOfBase() {
        return lines.ofFirst(base.size(), rules, at.tick());
    }

    /** The version is in use no more. To close it again changes nothing. */
    @Override
    public void close() {
        if (closed.compareAndSet(false, true)) {
            at.changes().open.remove(at.tick());
        }
    }
}
