package dev.sluice.policy.flatten;

import dev.sluice.policy.model.Condition;
import dev.sluice.policy.model.ConnectionState;
import dev.sluice.policy.model.MarkState;
import dev.sluice.schemas.header.Field;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.UnaryOperator;

/** Conditions of packets with a mark, which ask for no more of it than they came with. */
final class MarkConditions {
    /** States of packets that meet the table nat. */
    private static final Condition MEETS_NAT =
            new Condition.InState(Set.of(ConnectionState.NEW, ConnectionState.RELATED));

    private static final Condition UNKNOWN = new Condition.Unknown("a mark that rules set");

    private MarkConditions() {}

    /** The condition on a mark that nobody knows. */
    static Condition open(Condition condition) {
        return told(condition, one -> UNKNOWN);
    }

    /** The condition of packets with a mark. */
    static Condition of(Condition condition, MarkState mark) {
        return mark.equals(MarkState.OLD) ? condition : told(condition, one -> asked(one, mark));
    }

    private static Condition asked(Condition condition, MarkState mark) {
        if (condition instanceof Condition.Bits bits) {
            return of(bits.value().intValue(), bits.mask().intValue(), mark);
        }
        if (condition instanceof Condition.In in && mark.known() == -1) {
            BigInteger value = BigInteger.valueOf(Integer.toUnsignedLong(mark.bits()));
            boolean holds = in.values().contains(value);
            if (mark.ofNat() != 0) {
                Condition met = Condition.all(MEETS_NAT, UNKNOWN);
                return holds ? Condition.any(Condition.not(MEETS_NAT), met) : met;
            }
            return holds ? Condition.ALWAYS : Condition.NEVER;
        }
        return UNKNOWN;
    }

    /** A condition in which others stand for those on the mark. */
    private static Condition told(Condition condition, UnaryOperator<Condition> marks) {
        if (condition instanceof Condition.Not not) {
            Condition inner = told(not.condition(), marks);
            return inner.equals(Condition.NEVER)
                    ? Condition.ALWAYS
                    : inner.equals(Condition.ALWAYS) ? Condition.NEVER : Condition.not(inner);
        }
        if (condition instanceof Condition.All all) {
            return told(all.conditions(), marks, true);
        }
        if (condition instanceof Condition.Any any) {
            return told(any.conditions(), marks, false);
        }
        boolean isOfNoMark = condition.equals(Condition.is(Field.MARK_PRESENT, 0));
        return isOfNoMark // the mark beside it says this, too
                ? Condition.NEVER
                : MarkState.isAsked(condition) ? marks.apply(condition) : condition;
    }

    private static Condition told(
            List<Condition> conditions, UnaryOperator<Condition> marks, boolean all) {
        Condition none = all ? Condition.ALWAYS : Condition.NEVER;
        Condition whole = all ? Condition.NEVER : Condition.ALWAYS;
        List<Condition> left = new ArrayList<>();
        for (Condition one : conditions) {
            Condition now = told(one, marks);
            if (now.equals(whole)) {
                return whole;
            }
            if (!now.equals(none)) {
                left.add(now);
            }
        }
        return left.size() == 1
                ? left.get(0)
                : all ? new Condition.All(left) : new Condition.Any(left);
    }

    private static Condition of(int value, int mask, MarkState mark) {
        Condition told = told(value, mask & ~mark.lost(), mark);
        int ofNat = mask & mark.ofNat();
        if (ofNat != 0) {
            told =
                    Condition.any(
                            Condition.all(told, Condition.not(MEETS_NAT)),
                            Condition.all(
                                    told(value, mask & ~mark.lost() & ~ofNat, mark),
                                    MEETS_NAT,
                                    UNKNOWN));
        }
        return (mask & mark.lost()) == 0 || told.equals(Condition.NEVER)
                ? told
                : Condition.all(told, UNKNOWN);
    }

    /** The condition on bits of which each is known, or as the packet came with it. */
    private static Condition told(int value, int mask, MarkState mark) {
        int differing = value ^ mark.bits();
        int old = mask & ~mark.known();
        if ((differing & mask & mark.known()) != 0) {
            return Condition.NEVER;
        }
        if (old == 0) {
            return Condition.ALWAYS;
        }
        Condition stated = new Condition.Bits(Field.MARK, differing & old, old);
        return (differing & old) == 0
                ? Condition.any(stated, Condition.is(Field.MARK_PRESENT, 0))
                : stated;
    }
}
