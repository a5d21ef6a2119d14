package dev.sluice.policy.toy;

import dev.sluice.engine.rules.Match;
import dev.sluice.policy.Literals;
import dev.sluice.policy.RuleFormat;
import dev.sluice.policy.RuleLine;
import dev.sluice.policy.RuleReading;
import dev.sluice.policy.RuleSyntaxException;
import dev.sluice.schemas.header.Field;
import java.io.IOException;

/**
 * Named lists of statements {@code ACTION PORT ...;}. A statement may span lines, and each of its
 * TCP ports makes a rule.
 */
public final class ToyFormat implements RuleFormat {
    @Override
    public String label() {
        return "toy";
    }

    @Override
    public String title() {
        return "Toy";
    }

    @Override
    public String example() {
        return "toy: drop 22 23;";
    }

    @Override
    public boolean claims(String begin) {
        return begin.startsWith("toy:");
    }

    @Override
    public void read(RuleReading in) throws IOException, RuleSyntaxException {
        String list = "";
        String statement = "";
        int first = 0;
        for (String line = in.next(); line != null; line = in.next()) {
            String text = line.startsWith("toy:") ? line.substring(4) : line;
            if (text.startsWith("list ")) {
                list = text.substring(5);
                continue;
            }
            first = statement.isEmpty() ? in.line() : first;
            statement = statement.isEmpty() ? text.strip() : statement + "\n" + text;
            if (statement.endsWith(";")) {
                statement(in, list, first, statement);
                statement = "";
            }
        }
        if (!statement.isEmpty()) {
            throw new RuleSyntaxException(1, statement, "is not ended; write a ;");
        }
    }

    private static void statement(RuleReading in, String list, int line, String statement) {
        if (!in.wants(list)) {
            return;
        }
        try {
            in.requireList(list, list, 1);
            String[] words = statement.substring(0, statement.length() - 1).split("\\s+");
            for (int i = 1; i < words.length; i++) {
                int port = (int) Literals.number(words[i], statement.indexOf(words[i]) + 1, 0xffff);
                Match match =
                        new Match.Builder()
                                .field(Field.IP_PROTO, 6)
                                .ports(Field.DST_PORT, port, port)
                                .build();
                in.add(line, new RuleLine(0, match, words[0]), statement);
            }
        } catch (RuleSyntaxException e) {
            in.defect(line, e);
        }
    }
}
