package dev.sluice.engine.versions;

import dev.sluice.engine.rules.LineShift;
import dev.sluice.engine.rules.Rule;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The lines of the rules of one version: what was shifted since the rules were written down, at
 * most {@link #MOST} deltas, over an array of lines that versions share. Immutable, thread-safe.
 *
 * @param lines lines of slots as of the tick {@code since}, for rules that did not change since
 * @param ticks ticks of shifts since, ascending
 * @param shifts the shifts at these ticks
 */
record Lines(int since, int[] lines, int[] ticks, List<List<LineShift>> shifts) {
    private static final int MOST = 16;

    private static final int[] NOTHING = {};

    /** No shift so far: the rules say themselves on which lines they are. */
    static final Lines NONE = new Lines(0, NOTHING, NOTHING, List.of());

    /**
     * The line of a slot's rule.
     *
     * @param rule the rule as it was last changed
     * @param changed when that was
     */
    int line(int slot, Rule rule, int changed) {
        if (ticks.length == 0 && lines.length == 0) {
            return rule.line();
        }
        boolean listed = slot < lines.length && changed <= since;
        int line = listed ? lines[slot] : rule.line();
        for (int k = 0; k < ticks.length; k++) {
            if (ticks[k] > changed) {
                line = LineShift.shifted(shifts.get(k), line);
            }
        }
        return line;
    }

    /**
     * The lines after a shift.
     *
     * @param slots the rules, see {@link SlotRules}
     * @param count number of slots
     */
    Lines shifted(int tick, List<LineShift> by, @Nullable Object[] slots, int count) {
        int[] allTicks = Arrays.copyOf(ticks, ticks.length + 1);
        allTicks[ticks.length] = tick;
        List<List<LineShift>> all = new ArrayList<>(shifts);
        all.add(by);
        Lines longer = new Lines(since, lines, allTicks, all);
        return allTicks.length < MOST ? longer : longer.writtenDown(tick, slots, count);
    }

    /** The lines of the first slots as of a tick, for versions that begin with tick 0 again. */
    Lines ofFirst(int count, @Nullable Object[] slots, int tick) {
        if (ticks.length == 0 && lines.length == 0) {
            return NONE;
        }
        int[] now = new int[count];
        for (int slot = 0; slot < count; slot++) {
            Rule rule = SlotRules.rule(slots, slot, tick);
            now[slot] = line(slot, rule, SlotRules.since(slots, slot, tick));
        }
        return new Lines(0, now, NOTHING, List.of());
    }

    private Lines writtenDown(int tick, @Nullable Object[] slots, int count) {
        int[] now = Arrays.copyOf(lines, count);
        boolean[] alone = new boolean[count];
        for (int slot = 0; slot < count; slot++) {
            int changed = SlotRules.since(slots, slot, tick);
            Rule rule = SlotRules.rule(slots, slot, tick);
            if (changed > since) {
                now[slot] = line(slot, rule, changed);
                alone[slot] = true;
            } else if (slot >= lines.length) {
                now[slot] = rule.line();
            }
        }
        for (List<LineShift> by : shifts) {
            for (int slot = 0; slot < count; slot++) {
                now[slot] = alone[slot] ? now[slot] : LineShift.shifted(by, now[slot]);
            }
        }
        return new Lines(tick, now, NOTHING, List.of());
    }
}
