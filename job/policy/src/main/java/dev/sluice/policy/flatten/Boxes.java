package dev.sluice.policy.flatten;

import dev.sluice.engine.rules.Match;
import dev.sluice.policy.model.AskedFacts;
import dev.sluice.policy.model.ValueSet;
import dev.sluice.schemas.header.Field;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Boxes of headers: sets of field values as matches. */
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
}
