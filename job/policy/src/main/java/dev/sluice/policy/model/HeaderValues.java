package dev.sluice.policy.model;

import dev.sluice.schemas.header.Field;
import dev.sluice.schemas.header.FieldBits;
import java.math.BigInteger;

/** Values of fields of any width in header words, or in the words of a mask. */
public final class HeaderValues {
    private static final int MAC_BITS = 48;

    private HeaderValues() {}

    /** The bits of a field, present or not, as an unsigned number. */
    public static BigInteger of(int[] words, Field field) {
        if (field.bits() == MAC_BITS) {
            return BigInteger.valueOf(FieldBits.mac(words, field));
        }
        return field.bits() > Integer.SIZE
                ? new BigInteger(1, FieldBits.ipv6(words, field))
                : BigInteger.valueOf(Integer.toUnsignedLong(field.extract(words[field.word()])));
    }
}
