package dev.sluice.policy.flatten;

import dev.sluice.engine.rules.Match;
import dev.sluice.policy.model.AskedFacts;
import dev.sluice.policy.model.ValueSet;
import dev.sluice.schemas.header.Field;
import dev.sluice.schemas.header.HeaderWord;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Boxes of headers: sets of field values as matches, and intersections of matches. */
final class Boxes {
    static final Match ALL = new Match.Builder().build();

    private static final int MAC_BITS = 48;

    private Boxes() {}

    /** The boxes of packets that have a field with a value of a set. */
    static List<Match> of(Field field, ValueSet values) {
        List<Match> boxes = new ArrayList<>();
        if (isPort(field)) {
            for (ValueSet.Range range : values.ranges()) {
                Match.Builder box = present(field);
                box.ports(field, range.low().intValueExact(), range.high().intValueExact());
                boxes.add(box.build());
            }
            return boxes;
        }
        for (ValueSet.Prefix prefix : values.prefixes(field.bits())) {
            boxes.add(bits(field, prefix.value(), prefix.mask()));
        }
        return boxes;
    }

    /** The box of packets that have a field with these bits. */
    static Match bits(Field field, BigInteger value, BigInteger mask) {
        Match.Builder box = present(field);
        if (field.bits() == MAC_BITS) {
            box.mac(field, value.longValue(), mask.longValue());
        } else if (field.bits() > Integer.SIZE) {
            box.ipv6(field, bytes(value), bytes(mask));
        } else {
            box.field(field, value.intValue(), mask.intValue());
        }
        return box.build();
    }

    /** The box of packets with bits that captures tell, which are 0 where they do not. */
    static Match bits(Field field, AskedFacts.Bits bits) {
        return new Match.Builder().field(field, bits.value(), bits.mask()).build();
    }

    /** The box of packets that lack a field; null: no present bit tells. */
    static @Nullable Match lacking(Field field) {
        Field bit = field.present();
        return bit == null ? null : new Match.Builder().field(bit, 0).build();
    }

    private static Match.Builder present(Field field) {
        Match.Builder box = new Match.Builder();
        Field bit = field.present();
        return bit == null ? box : box.field(bit, 1);
    }

    private static boolean isPort(Field field) {
        return field.equals(Field.SRC_PORT) || field.equals(Field.DST_PORT);
    }

    private static byte[] bytes(BigInteger value) {
        byte[] from = value.toByteArray();
        byte[] bytes = new byte[16];
        int length = Math.min(from.length, bytes.length);
        System.arraycopy(from, from.length - length, bytes, bytes.length - length, length);
        return bytes;
    }

    /** The packets of both boxes; null: none. */
    static @Nullable Match intersection(Match a, Match b) {
        if (a.equals(ALL)) {
            return b;
        }
        if (b.equals(ALL)) {
            return a;
        }
        Match.Builder both = new Match.Builder();
        long words = (a.usedWords() | b.usedWords()) & ~HeaderWord.bit(HeaderWord.PORTS);
        for (long left = words; left != 0; left &= left - 1) {
            int word = Long.numberOfTrailingZeros(left);
            if (((a.value(word) ^ b.value(word)) & a.mask(word) & b.mask(word)) != 0) {
                return null;
            }
            both.word(word, a.value(word), a.mask(word));
            both.word(word, b.value(word), b.mask(word));
        }
        boolean some =
                ports(both, Field.SRC_PORT, a, a.srcPorts(), b, b.srcPorts())
                        && ports(both, Field.DST_PORT, a, a.dstPorts(), b, b.dstPorts());
        return some ? both.build() : null;
    }

    /** Constrains a port to the range of both boxes; false: that is empty. */
    private static boolean ports(
            Match.Builder both, Field port, Match a, int aRange, Match b, int bRange) {
        int low = Math.max(low(port, a, aRange), low(port, b, bRange));
        int high = Math.min(high(port, a, aRange), high(port, b, bRange));
        if (low > high) {
            return false;
        }
        both.ports(port, low, high);
        return true;
    }

    /** Lowest port of a box, whose port masks are prefixes. */
    private static int low(Field port, Match box, int range) {
        return Math.max(range >>> Match.RANGE_LOW_SHIFT, port.extract(box.value(HeaderWord.PORTS)));
    }

    private static int high(Field port, Match box, int range) {
        int value = port.extract(box.value(HeaderWord.PORTS));
        int mask = port.extract(box.mask(HeaderWord.PORTS));
        return Math.min(range & Match.RANGE_HIGH, value | ~mask & Match.RANGE_HIGH);
    }
}
