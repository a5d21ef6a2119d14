package dev.sluice.policy.classbench;

import dev.sluice.engine.rules.Match;
import dev.sluice.policy.LineScanner;
import dev.sluice.policy.Literals;
import dev.sluice.policy.RuleActions;
import dev.sluice.policy.RuleFormat;
import dev.sluice.policy.RuleLine;
import dev.sluice.policy.RuleReading;
import dev.sluice.policy.RuleSyntaxException;
import dev.sluice.schemas.header.Field;
import java.io.IOException;
import java.util.regex.Pattern;

/**
 * ClassBench filter sets, a rule a line: {@code @source/length destination/length low : high low :
 * high protocol/mask [flags/mask] [action]}, IPv4 or IPv6. The first matching line wins, so all
 * rules have one priority. The flags column is no part of the match. A line constrains the IP
 * version of its addresses; ports of 0 to 65535 are unconstrained.
 */
public final class ClassBenchFormat implements RuleFormat {
    private static final String BLANK = " \t\r";

    private static final String NO_ACTION = "match";

    private static final Pattern FLAGS = Pattern.compile("(0x)?[0-9a-fA-F]+/(0x)?[0-9a-fA-F]+");

    @Override
    public String label() {
        return "classbench";
    }

    @Override
    public String title() {
        return "ClassBench";
    }

    @Override
    public String example() {
        return "@10.0.0.0/8 0.0.0.0/0 0 : 65535 25 : 25 0x06/0xFF";
    }

    @Override
    public String missingAction() {
        return NO_ACTION;
    }

    @Override
    public boolean claims(String begin) {
        return begin.lines()
                .map(line -> LineScanner.withoutComment(line).strip())
                .filter(line -> !line.isEmpty())
                .findFirst()
                .filter(line -> line.startsWith("@"))
                .isPresent();
    }

    @Override
    public void read(RuleReading in) throws IOException {
        in.eachLine(
                line -> {
                    String rule = LineScanner.withoutComment(line);
                    if (!rule.isBlank()) {
                        in.add(parse(rule), line.strip());
                    }
                });
    }

    private static RuleLine parse(String line) throws RuleSyntaxException {
        LineScanner in = new LineScanner(line);
        in.skip(BLANK);
        if (!in.take('@')) {
            String word = in.until(BLANK);
            throw new RuleSyntaxException(
                    in.column(),
                    word,
                    "is not the start of a ClassBench rule; write @ and the source prefix");
        }
        Match.Builder match = new Match.Builder();
        String source = word(in, "a source prefix");
        boolean v6 = source.indexOf(':') >= 0;
        match.field(Field.IP_VERSION, v6 ? Field.VERSION_6 : Field.VERSION_4);
        prefix(match, source, in.column(), v6, true);
        String destination = word(in, "a destination prefix");
        prefix(match, destination, in.column(), v6, false);
        ports(match, in, Field.SRC_PORT);
        ports(match, in, Field.DST_PORT);
        masked(match, in, word(in, "protocol/mask"), Field.IP_PROTO);
        return new RuleLine(0, match.build(), action(in));
    }

    /** The action that may follow the protocol and the flags. */
    private static String action(LineScanner in) throws RuleSyntaxException {
        in.skip(BLANK);
        String word = in.until(BLANK);
        boolean flags = FLAGS.matcher(word).matches();
        if (flags) {
            in.skip(BLANK);
            word = in.until(BLANK);
        }
        if (word.isEmpty()) {
            return NO_ACTION;
        }
        int column = in.column();
        if (!RuleActions.isAction(word)) {
            throw new RuleSyntaxException(
                    column,
                    word,
                    flags
                            ? "is no action; write one word as in drop, or end the line behind the flags"
                            : "is neither flags/mask nor an action; end the line behind the protocol");
        }
        in.skip(BLANK);
        if (!in.atEnd()) {
            String more = in.until(BLANK);
            throw new RuleSyntaxException(
                    in.column(), more, "stands behind the end of the rule; remove it");
        }
        return word;
    }

    private static String word(LineScanner in, String expected) throws RuleSyntaxException {
        in.skip(BLANK);
        String word = in.until(BLANK);
        if (word.isEmpty()) {
            throw new RuleSyntaxException(
                    in.column(), "end of line", "the rule lacks " + expected + "; add it");
        }
        return word;
    }

    private static void prefix(
            Match.Builder match, String text, int column, boolean v6, boolean source)
            throws RuleSyntaxException {
        int slash = text.indexOf('/');
        if (slash < 0) {
            throw new RuleSyntaxException(
                    column, text, "has no prefix length; write address/length");
        }
        String address = text.substring(0, slash);
        String length = text.substring(slash + 1);
        if (v6) {
            match.ipv6(
                    source ? Field.IPV6_SRC : Field.IPV6_DST,
                    Literals.ipv6(address, column),
                    Literals.mask128(Literals.prefixLength(length, column + slash + 1, 128)));
        } else {
            match.field(
                    source ? Field.IPV4_SRC : Field.IPV4_DST,
                    Literals.ipv4(address, column),
                    Literals.mask32(Literals.prefixLength(length, column + slash + 1, 32)));
        }
    }

    /** {@code low : high}, with or without blanks. */
    private static void ports(Match.Builder match, LineScanner in, Field field)
            throws RuleSyntaxException {
        in.skip(BLANK);
        int start = in.nextColumn();
        String low = in.until(BLANK + ":");
        int lowColumn = in.column();
        in.skip(BLANK);
        if (!in.take(':')) {
            throw new RuleSyntaxException(
                    lowColumn, low, "is not followed by ':'; write a port range as low : high");
        }
        in.skip(BLANK);
        String high = in.until(BLANK);
        int first = (int) Literals.number(low, lowColumn, 0xffff);
        int last = (int) Literals.number(high, in.column(), 0xffff);
        if (first > last) {
            throw new RuleSyntaxException(
                    start,
                    low + " : " + high,
                    "is an empty port range; write the lower port first");
        }
        match.ports(field, first, last);
    }

    private static void masked(Match.Builder match, LineScanner in, String text, Field field)
            throws RuleSyntaxException {
        int column = in.column();
        int slash = text.indexOf('/');
        if (slash < 0) {
            throw new RuleSyntaxException(
                    column, text, "has no mask; write protocol/mask, as in 0x06/0xFF");
        }
        int value = (int) Literals.number(text.substring(0, slash), column, 0xff);
        int mask = (int) Literals.number(text.substring(slash + 1), column + slash + 1, 0xff);
        match.field(field, value, mask);
    }
}
