package dev.sluice.lab.inplace;

import dev.sluice.engine.memory.LongIntMap;
import dev.sluice.engine.rules.Rule;
import dev.sluice.engine.rules.RuleDelta;
import dev.sluice.schemas.header.HeaderLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The rules as the next delta finds them, with the slots and ranks that they were given. What
 * becomes of them goes into the journal that both copies replay. Not thread-safe.
 */
final class SlotTable {
    private final HeaderLayout layout;
    private final LongIntMap slotOfId = new LongIntMap();
    private @Nullable Rule[] ruleOfSlot = new Rule[64];
    private int[] rankOfSlot = new int[64];
    private int slots;
    private int[] freeSlots = new int[64];
    private int free;
    private int live;
    private final RankAllocator ranks = new RankAllocator();
    private int spreads;

    /** What the last delta removed, in case that it is taken back. */
    private final List<Rule> removedRules = new ArrayList<>();

    private final List<Integer> removedRanks = new ArrayList<>();

    /**
     * The first rules.
     *
     * @param ordered in their total order
     * @param layout words that rules may look at, those of later rules too
     * @param journal gets their insertions
     * @throws IllegalArgumentException if two rules have the same id, or one looks at words beyond
     *     the layout
     */
    SlotTable(List<Rule> ordered, HeaderLayout layout, Journal journal) {
        this.layout = layout;
        Map<Integer, Integer> sizes = new HashMap<>();
        for (Rule rule : ordered) {
            requireLayout(rule);
            sizes.merge(rule.priority(), 1, Integer::sum);
        }
        ranks.spread(sizes);
        for (Rule rule : ordered) {
            if (slotOfId.get(rule.id()) != 0) {
                throw new IllegalArgumentException("two rules have the id " + rule.id());
            }
            add(rule, newSlot(), ranks.next(rule.priority()), journal);
        }
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

    private void add(Rule rule, int slot, int rank, Journal journal) {
        ruleOfSlot[slot] = rule;
        rankOfSlot[slot] = rank;
        slotOfId.put(rule.id(), slot + 1);
        journal.add(Journal.INSERT, slot, rank, rule.id(), rule.match());
        live++;
    }

    /**
     * Checks that a delta can be made.
     *
     * @throws IllegalArgumentException if it cannot
     */
    void check(RuleDelta delta) {
        if (delta.removes().size() + delta.inserts().size() == 1) {
            for (Long id : delta.removes()) {
                requireThere(id);
            }
            for (Rule rule : delta.inserts()) {
                requireLayout(rule);
                if (slotOfId.get(rule.id()) != 0) {
                    throw thereAlready(rule);
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
                throw thereAlready(rule);
            }
        }
    }

    private static IllegalArgumentException thereAlready(Rule rule) {
        return new IllegalArgumentException(
                "rule " + rule.id() + " is there already; remove it first");
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

    /**
     * Writes a delta's changes into the journal of two copies.
     *
     * @param delta one that {@link #check} let pass
     */
    void apply(RuleDelta delta, TwoCopies<?> copies) {
        Journal journal = copies.journal();
        int[] newRanks = newRanks(journal, delta.inserts());
        removedRules.clear();
        removedRanks.clear();
        int changes = delta.removes().size() + newRanks.length;
        for (long id : delta.removes()) {
            int slot = slotOfId.get(id) - 1;
            copies.readAhead(slot, changes);
            Rule rule = ruleOfSlot[slot];
            if (rule != null) {
                removedRules.add(rule);
                removedRanks.add(rankOfSlot[slot]);
            }
            slotOfId.remove(id);
            ruleOfSlot[slot] = null;
            journal.add(Journal.REMOVE, slot, 0, id, null);
            freeSlot(slot);
            live--;
        }
        for (int k = 0; k < newRanks.length; k++) {
            int slot = free > 0 ? freeSlots[--free] : newSlot();
            copies.readAhead(slot, changes);
            add(delta.inserts().get(k), slot, newRanks[k], journal);
        }
    }

    /** The rules as they were before a delta that was applied last. */
    List<Rule> before(RuleDelta delta) {
        Set<Long> inserted = new HashSet<>();
        for (Rule rule : delta.inserts()) {
            inserted.add(rule.id());
        }
        TreeMap<Integer, Rule> byRank = new TreeMap<>();
        for (int slot = 0; slot < slots; slot++) {
            Rule rule = ruleOfSlot[slot];
            if (rule != null && !inserted.contains(rule.id())) {
                byRank.put(rankOfSlot[slot], rule);
            }
        }
        for (int k = 0; k < removedRules.size(); k++) {
            byRank.put(removedRanks.get(k), removedRules.get(k));
        }
        return new ArrayList<>(byRank.values());
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

    /** Number of rules. */
    int size() {
        return live;
    }

    /** The rules in their total order. */
    List<Rule> rules() {
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
    int spreads() {
        return spreads;
    }
}
