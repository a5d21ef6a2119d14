package dev.sluice.policy.explain;

import dev.sluice.policy.model.AskedFacts;
import dev.sluice.policy.model.Condition;
import dev.sluice.policy.model.HeaderValues;
import dev.sluice.policy.model.ValueSet;
import dev.sluice.policy.questions.PacketWords;
import dev.sluice.schemas.header.Field;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** HeaderChanges of a header that meet needs. */
final class HeaderChanges {
    private HeaderChanges() {}

    /**
     * A header that meets needs, each by a value that is near the header's.
     *
     * @param asked the numbers of interfaces
     * @return null: a need is on what no header states
     */
    static int @Nullable [] applied(int[] header, List<Need> needs, AskedFacts asked) {
        List<Leaf> leaves = new ArrayList<>();
        for (Need need : needs) {
            if (need.condition() == null || !addLeaves(need.condition(), need.wanted(), leaves)) {
                return null;
            }
        }
        leaves.sort(Comparator.comparingInt(HeaderChanges::order));
        int[] changed = header.clone();
        for (Leaf leaf : leaves) {
            if (!apply(changed, leaf, asked)) {
                return null;
            }
        }
        return changed;
    }

    /** Condition on one field, which is to hold or not. */
    private record Leaf(Condition condition, boolean wanted) {}

    private static int order(Leaf leaf) {
        Field field = Needs.field(leaf.condition);
        return field == null ? Integer.MAX_VALUE : HeaderFields.order(field);
    }

    /** Adds the conditions that suffice, of several the first; false: there is none. */
    private static boolean addLeaves(Condition condition, boolean wanted, List<Leaf> leaves) {
        if (condition instanceof Condition.Not not) {
            return addLeaves(not.condition(), !wanted, leaves);
        }
        List<Condition> parts =
                condition instanceof Condition.All all
                        ? all.conditions()
                        : condition instanceof Condition.Any any ? any.conditions() : null;
        if (parts == null) {
            return leaves.add(new Leaf(condition, wanted));
        }
        boolean each = condition instanceof Condition.All == wanted;
        for (Condition part : parts) {
            boolean added = addLeaves(part, wanted, leaves);
            if (added != each) {
                return added;
            }
        }
        return each;
    }

    private static boolean apply(int[] header, Leaf leaf, AskedFacts asked) {
        if (leaf.condition instanceof Condition.In in) {
            Field field = in.field();
            ValueSet values = leaf.wanted ? in.values() : in.values().complement(field.bits());
            BigInteger nearest = nearest(values, HeaderValues.of(header, field));
            if (nearest != null) {
                HeaderFields.set(header, field, nearest);
            }
            return nearest != null;
        }
        if (leaf.condition instanceof Condition.Bits bits) {
            BigInteger now = HeaderValues.of(header, bits.field());
            BigInteger value =
                    leaf.wanted
                            ? now.andNot(bits.mask()).or(bits.value())
                            : now.flipBit(Math.max(0, bits.mask().getLowestSetBit()));
            HeaderFields.set(header, bits.field(), value);
            return bits.mask().signum() != 0;
        }
        if (leaf.condition instanceof Condition.Interface of) {
            Field field = of.incoming() ? Field.IN_INTERFACE : Field.OUT_INTERFACE;
            String name = leaf.wanted ? of.name() : PacketWords.OTHER;
            if (!asked.asksFor(of.name().replace("+", ""))
                    && !asked.interfaces().contains(of.name())) {
                return false;
            }
            field.put(header, asked.value(name, true));
            return leaf.wanted || !of.fits(name);
        }
        return false;
    }

    private static @Nullable BigInteger nearest(ValueSet values, BigInteger to) {
        BigInteger nearest = null;
        for (ValueSet.Range range : values.ranges()) {
            BigInteger one = inside(range, to);
            if (nearest == null
                    || one.subtract(to).abs().compareTo(nearest.subtract(to).abs()) < 0) {
                nearest = one;
            }
        }
        return nearest;
    }

    /** The nearest value of a range; of a prefix the one with the other's bits behind it. */
    private static BigInteger inside(ValueSet.Range range, BigInteger to) {
        BigInteger rest = range.high().subtract(range.low());
        return range.isPrefix()
                ? range.low().or(to.and(rest))
                : to.max(range.low()).min(range.high());
    }
}
