package dev.sluice.policy.flatten;

import dev.sluice.policy.model.Assumptions;
import dev.sluice.policy.model.Condition;
import dev.sluice.policy.model.Vantage;
import java.util.List;

/**
 * Truth of conditions about single packets: as {@link Alternatives} have it, without their
 * products, so that a condition costs what it says.
 */
public final class ConditionTruth {
    private final Alternatives alternatives;
    private final Vantage vantage;

    /** Truth under assumptions, of conditions on what a stage sees of packets. */
    public ConditionTruth(Assumptions assumed, Vantage vantage) {
        this.vantage = vantage;
        alternatives = new Alternatives(assumed, vantage, PacketSets.NONE);
    }

    /** The truth of a condition about a packet with this header, as it arrives. */
    public Truth of(Condition condition, int[] header) {
        return of(vantage.of(condition), false, header);
    }

    /** The truth of a condition about the packet as it arrives. */
    Truth arriving(Condition condition, int[] header) {
        return of(condition, false, header);
    }

    private Truth of(Condition condition, boolean negated, int[] header) {
        if (condition instanceof Condition.Not not) {
            return of(not.condition(), !negated, header);
        }
        if (condition instanceof Condition.All all) {
            return negated
                    ? any(all.conditions(), true, header)
                    : all(Alternatives.withOneState(all.conditions()), false, header);
        }
        if (condition instanceof Condition.Any any) {
            return negated
                    ? all(any.conditions(), true, header)
                    : any(any.conditions(), false, header);
        }
        Truth truth = Truth.NO;
        for (Alternative one : alternatives.of(condition, negated)) {
            if (one.box().matches(header)) {
                if (!one.unknown()) {
                    return Truth.YES;
                }
                truth = Truth.MAYBE;
            }
        }
        return truth;
    }

    private Truth all(List<Condition> conditions, boolean negated, int[] header) {
        Truth truth = Truth.YES;
        for (Condition one : conditions) {
            Truth next = of(one, negated, header);
            if (next == Truth.NO) {
                return next;
            }
            truth = next == Truth.MAYBE ? next : truth;
        }
        return truth;
    }

    private Truth any(List<Condition> conditions, boolean negated, int[] header) {
        Truth truth = Truth.NO;
        for (Condition one : conditions) {
            Truth next = of(one, negated, header);
            if (next == Truth.YES) {
                return next;
            }
            truth = next == Truth.MAYBE ? next : truth;
        }
        return truth;
    }
}
