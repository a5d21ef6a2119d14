package dev.sluice.policy.model;

import dev.sluice.schemas.header.Field;

/**
 * Knowledge of a packet's mark, bit by bit.
 *
 * @param known bits that rules have set
 * @param bits values of known bits; of others, whether the bit was flipped
 * @param lost bits that nobody tells
 * @param ofNat other bits that nobody tells of packets that meet nat: first ones of connections
 */
public record MarkState(int known, int bits, int lost, int ofNat) {
    /** The mark as a packet comes with it. */
    public static final MarkState OLD = new MarkState(0, 0, 0, 0);

    /** A mark of which nobody tells anything. */
    public static final MarkState LOST = new MarkState(0, 0, -1, 0);

    /** Returns whether a condition asks for the mark. */
    public static boolean isAsked(Condition condition) {
        return Condition.has(condition, one -> Field.MARK.equals(Condition.field(one)));
    }

    /** The mark behind a rule that changes it. */
    public MarkState after(Effect.Mark change) {
        int gone = lost & ~change.mask() | change.lost();
        return new MarkState(
                (known | change.mask()) & ~gone,
                (bits & ~change.mask() ^ change.flipped()) & ~gone,
                gone,
                ofNat & ~change.mask() & ~gone);
    }

    /** The knowledge of some bits alone. */
    public MarkState only(int some) {
        return new MarkState(known & some, bits & some, lost & some, ofNat & some);
    }

    /** The knowledge of a mark of which some bits may have been set since. */
    public MarkState without(int some) {
        return new MarkState(known & ~some, bits & ~some, lost | some, ofNat & ~some);
    }

    /** The knowledge of a mark that is one of two. */
    public MarkState or(MarkState other) {
        int same = ~(bits ^ other.bits) & ~(known ^ other.known) & ~lost & ~other.lost;
        return new MarkState(known & same, bits & same, ~same, (ofNat | other.ofNat) & same);
    }

    /** The mark of packets of which some meet a table nat, behind it. */
    public MarkState behindNat(MarkState met) {
        int same = ~(bits ^ met.bits) & ~(known ^ met.known) & ~(lost ^ met.lost);
        return new MarkState(known, bits, lost, (ofNat | met.ofNat | ~same) & ~lost);
    }
}
