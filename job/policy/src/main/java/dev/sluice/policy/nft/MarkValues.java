package dev.sluice.policy.nft;

import dev.sluice.policy.model.Effect;
import java.math.BigInteger;

/** Changes of packets' marks by {@code meta mark set}. */
final class MarkValues {
    /** The mark itself. */
    private static final Effect.Mark SAME = new Effect.Mark(0, 0);

    /** A value that nobody tells, of which operators may tell some bits. */
    private static final Effect.Mark UNKNOWN = new Effect.Mark(-1, 0, -1);

    private MarkValues() {}

    /** Returns whether an expression is the mark. */
    static boolean isMark(Node expression) {
        return expression.key().equals("meta") && expression.inner().text("key").equals("mark");
    }

    /** The change by a value: of constants and of the mark, bit by bit. */
    static Effect.Mark change(Node value) throws RefusedException {
        if (value.isText() || value.isList()) {
            return new Effect.Mark(-1, number(value));
        }
        if (isMark(value)) {
            return SAME;
        }
        if (!value.key().matches("[&|^]")) {
            return UNKNOWN;
        }
        Effect.Mark left = change(value.inner().side(0));
        Effect.Mark right = change(value.inner().side(1));
        return isConstant(right)
                ? change(left, value.key(), right.flipped())
                : isConstant(left) ? change(right, value.key(), left.flipped()) : UNKNOWN;
    }

    private static int number(Node value) throws RefusedException {
        BigInteger number = Values.one(value, DataType.MARK);
        return number.intValue();
    }

    private static boolean isConstant(Effect.Mark value) {
        return value.mask() == -1 && value.lost() == 0;
    }

    private static Effect.Mark change(Effect.Mark of, String operator, int by) {
        return switch (operator) {
            case "&" -> new Effect.Mark(of.mask() | ~by, of.flipped() & by, of.lost() & by);
            case "|" -> new Effect.Mark(of.mask() | by, of.flipped() | by, of.lost() & ~by);
            default -> new Effect.Mark(of.mask(), of.flipped() ^ by, of.lost());
        };
    }
}
