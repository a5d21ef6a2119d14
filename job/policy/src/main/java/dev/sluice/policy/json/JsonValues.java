package dev.sluice.policy.json;

import dev.sluice.policy.Literals;
import dev.sluice.policy.RuleSyntaxException;
import dev.sluice.policy.model.ConditionText;
import dev.sluice.policy.model.ValueSet;
import dev.sluice.policy.model.ValueSet.Range;
import dev.sluice.schemas.header.Field;
import dev.sluice.schemas.header.FieldText;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/** Sets of values of a field as words: values, prefixes, and ranges with a dash. */
final class JsonValues {
    private JsonValues() {}

    /** The words of a set. */
    static List<String> words(Field field, ValueSet set) {
        List<String> words = new ArrayList<>();
        for (Range range : set.ranges()) {
            if (field.equals(Field.IP_VERSION)) {
                IntStream.rangeClosed(range.low().intValue(), range.high().intValue())
                        .mapToObj(version -> word(field, BigInteger.valueOf(version)))
                        .forEach(words::add);
            } else if (range.low().equals(range.high())) {
                words.add(word(field, range.low()));
            } else {
                words.add(range(field, range));
            }
        }
        return words;
    }

    private static String range(Field field, Range range) {
        List<ValueSet.Prefix> prefixes =
                field.text() == FieldText.ADDRESS
                        ? new ValueSet(List.of(range)).prefixes(field.bits())
                        : List.of();
        String low = word(field, range.low());
        return prefixes.size() == 1
                ? low + "/" + prefixes.get(0).mask().bitCount()
                : low + "-" + word(field, range.high());
    }

    private static String word(Field field, BigInteger value) {
        return ConditionText.value(field, value);
    }

    /** The range of a word. */
    static Range range(Field field, String word, int column) throws RuleSyntaxException {
        int slash = word.indexOf('/');
        if (slash >= 0 && field.text() == FieldText.ADDRESS) {
            BigInteger low = value(field, word.substring(0, slash), column);
            String length = word.substring(slash + 1);
            int free = field.bits() - Literals.prefixLength(length, column, field.bits());
            BigInteger rest = ValueSet.ones(free);
            if (low.and(rest).signum() != 0) {
                throw new RuleSyntaxException(
                        column, word, "has bits behind its prefix; write them as 0");
            }
            return new Range(low, low.or(rest));
        }
        int dash = word.indexOf('-');
        if (dash < 0) {
            BigInteger one = value(field, word, column);
            return new Range(one, one);
        }
        BigInteger low = value(field, word.substring(0, dash), column);
        BigInteger high = value(field, word.substring(dash + 1), column);
        if (low.compareTo(high) > 0) {
            throw new RuleSyntaxException(
                    column, word, "is an empty range; write the lower value first");
        }
        return new Range(low, high);
    }

    private static BigInteger value(Field field, String word, int column)
            throws RuleSyntaxException {
        if (field.equals(Field.IP_VERSION)) {
            for (int version = 0; version < 1 << field.bits(); version++) {
                BigInteger value = BigInteger.valueOf(version);
                if (word(field, value).equals(word)) {
                    return value;
                }
            }
            throw new RuleSyntaxException(
                    column, word, "is no version of IP; write IPv4, IPv6 or none");
        }
        if (field.text() == FieldText.MAC) {
            return BigInteger.valueOf(Literals.mac(word, column));
        }
        if (field.text() == FieldText.ADDRESS) {
            return field.bits() == Integer.SIZE
                    ? BigInteger.valueOf(Integer.toUnsignedLong(Literals.ipv4(word, column)))
                    : new BigInteger(1, Literals.ipv6(word, column));
        }
        return BigInteger.valueOf(Literals.number(word, column, (1L << field.bits()) - 1));
    }

    /** The bits of a word, without its {@code 0x}. */
    static BigInteger bits(Field field, String word, int column) throws RuleSyntaxException {
        if (!word.matches("0x[0-9a-f]{1,32}")) {
            throw new RuleSyntaxException(
                    column, word, "is no number of bits; write it as 0x and hexadecimal digits");
        }
        BigInteger bits = new BigInteger(word.substring(2), 16);
        if (bits.bitLength() > field.bits()) {
            throw new RuleSyntaxException(
                    column,
                    word,
                    "has more than the %d bits of %s".formatted(field.bits(), field.label()));
        }
        return bits;
    }
}
