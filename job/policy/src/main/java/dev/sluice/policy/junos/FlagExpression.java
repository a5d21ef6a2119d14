package dev.sluice.policy.junos;

import dev.sluice.policy.model.Condition;
import dev.sluice.schemas.header.Field;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Expressions of TCP flags: {@code !}, {@code &} or {@code +}, {@code |} or {@code ,}, in the order
 * of how tightly they bind, with parentheses (Juniper, "Firewall Filter Match Conditions Based on
 * Bit-Field Values").
 */
final class FlagExpression {
    /** {@code tcp-established}. */
    static final Condition ESTABLISHED = Condition.any(flag(0x10), flag(0x04));

    /** {@code tcp-initial}. */
    static final Condition INITIAL = new Condition.Bits(Field.TCP_FLAGS, 0x02, 0x12);

    private static final Map<String, Integer> FLAGS =
            Map.of(
                    "fin", 0x01, "syn", 0x02, "rst", 0x04, "push", 0x08, "psh", 0x08, "ack", 0x10,
                    "urgent", 0x20, "urg", 0x20);

    private static final int MOST_NESTED = 32;
    private static final int MOST_BITS = 0x3f;

    private final Statement words;
    private final String text;
    private int at;

    private FlagExpression(Statement words) {
        this.words = words;
        StringBuilder all = new StringBuilder();
        Statement next = words;
        for (int i = 0; next != null && i < MOST_NESTED; i++) {
            all.append(next.word); // words of an expression without quotes
            next = next.value();
        }
        text = all.toString().toLowerCase(Locale.ROOT).replaceAll("\\s+", "");
    }

    /** The condition on the flags, which a packet must have. */
    static Condition of(Statement words) throws JunosException {
        FlagExpression reader = new FlagExpression(words);
        Condition condition = reader.either(0);
        if (reader.at < reader.text.length()) {
            throw reader.refused();
        }
        return condition;
    }

    private Condition either(int nested) throws JunosException {
        List<Condition> some = new ArrayList<>(List.of(both(nested)));
        while (takes("|,")) {
            some.add(both(nested));
        }
        return Condition.any(some.toArray(Condition[]::new));
    }

    private Condition both(int nested) throws JunosException {
        List<Condition> all = new ArrayList<>(List.of(one(nested)));
        while (takes("&+")) {
            all.add(one(nested));
        }
        return Condition.all(all.toArray(Condition[]::new));
    }

    private Condition one(int nested) throws JunosException {
        if (nested > MOST_NESTED) {
            throw refused();
        }
        if (takes("!")) {
            return Condition.not(one(nested + 1));
        }
        if (takes("(")) {
            Condition inner = either(nested + 1);
            if (!takes(")")) {
                throw refused();
            }
            return inner;
        }
        int from = at;
        while (at < text.length() && Character.isLetterOrDigit(text.charAt(at))) {
            at++;
        }
        String name = text.substring(from, at);
        Integer bit = FLAGS.get(name);
        if (bit == null && name.matches("0x0*[0-9a-f]{1,2}|[0-9]{1,2}")) {
            int bits = Integer.decode(name.startsWith("0x") ? name : name.replaceFirst("^0", ""));
            bit = bits > 0 && bits <= MOST_BITS ? Integer.valueOf(bits) : null; // all are set
        }
        if (bit == null) {
            throw refused();
        }
        return flag(bit);
    }

    private boolean takes(String any) {
        boolean taken = at < text.length() && any.indexOf(text.charAt(at)) >= 0;
        at += taken ? 1 : 0;
        return taken;
    }

    private JunosException refused() {
        return words.refused(
                "is no expression of TCP flags; write one of fin, syn, rst, push, ack, urgent, with !, &, | and parentheses");
    }

    private static Condition flag(int bit) {
        return new Condition.Bits(Field.TCP_FLAGS, bit, bit);
    }
}
