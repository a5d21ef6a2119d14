package dev.sluice.policy.convert;

import dev.sluice.policy.model.ConditionText;
import dev.sluice.policy.model.ValueSet;
import dev.sluice.policy.model.ValueSet.Range;
import dev.sluice.schemas.header.Field;
import dev.sluice.schemas.header.FieldText;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Sets of values in the words of nft. */
final class NftWords {
    private NftWords() {}

    /** A set behind its key: its values, or {@code !=} and the others where these are fewer. */
    static String set(ValueSet set, Field field) {
        ValueSet others = set.complement(field.bits());
        boolean negated =
                !others.ranges().isEmpty() && others.ranges().size() < set.ranges().size();
        return negated ? "!= " + plain(others, field) : plain(set, field);
    }

    /** One value or range, or several in braces. */
    static String plain(ValueSet set, Field field) {
        List<Range> ranges = set.ranges();
        String words =
                ranges.stream().map(range -> range(range, field)).collect(Collectors.joining(", "));
        return ranges.size() == 1 ? words : "{ " + words + " }";
    }

    private static String range(Range range, Field field) {
        String low = ConditionText.value(field, range.low());
        if (range.low().equals(range.high())) {
            return low;
        }
        String prefix =
                field.text() == FieldText.ADDRESS
                        ? Words.prefix(range, field.bits() == ConvertedRule.IPV6_BITS)
                        : null;
        return prefix != null ? prefix : low + "-" + ConditionText.value(field, range.high());
    }

    /** The numbers of a set. */
    static List<Integer> numbers(ValueSet set) {
        return set.ranges().stream()
                .flatMapToInt(
                        range ->
                                IntStream.rangeClosed(
                                        range.low().intValue(), range.high().intValue()))
                .boxed()
                .toList();
    }
}
