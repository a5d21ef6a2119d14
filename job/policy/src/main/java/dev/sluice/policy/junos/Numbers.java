package dev.sluice.policy.junos;

import dev.sluice.policy.Literals;
import dev.sluice.policy.NearestWord;
import dev.sluice.policy.RuleSyntaxException;
import dev.sluice.policy.model.ValueSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Numbers, their ranges and their names, as match conditions have them. */
final class Numbers {
    private Numbers() {}

    /** The values of the words that follow a keyword. */
    static ValueSet of(Statement keyword, Map<String, Integer> names, int most)
            throws JunosException {
        ValueSet all = new ValueSet(List.of());
        List<Statement> values = keyword.children();
        if (values.isEmpty()) {
            throw keyword.refused("lacks its value; write one behind it");
        }
        for (Statement value : values) {
            all = all.or(range(value, names, most));
        }
        return all;
    }

    /** One value, or two with - between them. */
    static ValueSet range(Statement value, Map<String, Integer> names, int most)
            throws JunosException {
        Integer named = names.get(value.word.toLowerCase(Locale.ROOT));
        Statement spaced = value.at("-");
        if (named != null) {
            return ValueSet.of(named);
        }
        if (spaced != null && spaced.value() != null) {
            Statement high = spaced.value();
            return ValueSet.of(
                    number(value, value.word, 0, most), number(high, high.word, 0, most));
        }
        int dash = value.word.indexOf('-');
        if (dash <= 0 || !Character.isDigit(value.word.charAt(0))) {
            if (!value.word.isEmpty() && Character.isLetter(value.word.charAt(0))) {
                throw unknownName(value, names);
            }
            long one = number(value, value.word, 0, most);
            return ValueSet.of(one);
        }
        long low = number(value, value.word.substring(0, dash), 0, most);
        long high = number(value, value.word.substring(dash + 1), dash + 1, most);
        if (low > high) {
            throw value.refused("is a range whose end lies before its begin; swap them");
        }
        return ValueSet.of(low, high);
    }

    private static JunosException unknownName(Statement value, Map<String, Integer> names) {
        String hint =
                NearestWord.of(value.word, names.keySet().stream())
                        .map(word -> "; did you mean " + word + "?")
                        .orElse("; write its number");
        return value.refused("is no name that is known there" + hint);
    }

    private static long number(Statement at, String text, int from, int most)
            throws JunosException {
        try {
            return Literals.number(text, at.column + from, most);
        } catch (RuleSyntaxException e) {
            throw new JunosException(at.line, e);
        }
    }
}
