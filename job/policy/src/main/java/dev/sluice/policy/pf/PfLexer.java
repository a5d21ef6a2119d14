package dev.sluice.policy.pf;

import dev.sluice.policy.NearestWord;
import dev.sluice.policy.RuleReading;
import dev.sluice.policy.RuleSyntaxException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Cuts a text into words, with the values of macros in place of their names. */
final class PfLexer {
    private static final int MOST_DEPTH = 32;
    private static final int MOST_TOKENS = 1_000_000;
    private static final String SIGNS = "{}()<>!=,";

    private final RuleReading in;
    private final String text;
    private final Map<String, String> macros = new HashMap<>();
    private final List<PfToken> tokens = new ArrayList<>();
    private int at;
    private int line = 1;
    private int lineStart;

    private PfLexer(RuleReading in, String text) {
        this.in = in;
        this.text = text;
    }

    /** The words of a text; the last one is empty. Defects are reported. */
    static List<PfToken> tokens(RuleReading in, String text) {
        PfLexer lexer = new PfLexer(in, text);
        lexer.all();
        return lexer.tokens;
    }

    private void all() {
        List<PfToken> ofLine = new ArrayList<>();
        for (PfToken token = next(); !isEnd(token); token = next()) {
            if (!token.is(PfToken.NEWLINE)) {
                ofLine.add(token);
                continue;
            }
            take(ofLine);
            tokens.add(token);
            ofLine.clear();
        }
        take(ofLine);
        tokens.add(new PfToken("", false, line, at - lineStart + 1, at, at));
    }

    private static boolean isEnd(PfToken token) {
        return token.text().isEmpty() && !token.quoted();
    }

    /** Keeps the value of a macro, or the words of another line. */
    private void take(List<PfToken> ofLine) {
        try {
            if (ofLine.size() > 2 && ofLine.get(1).is("=") && !ofLine.get(0).quoted()) {
                StringBuilder value = new StringBuilder();
                for (PfToken part : ofLine.subList(2, ofLine.size())) {
                    value.append(value.isEmpty() ? "" : " ").append(part.text());
                }
                macros.put(ofLine.get(0).text(), value.toString());
                return;
            }
            for (PfToken token : ofLine) {
                expand(token, 0);
            }
        } catch (RuleSyntaxException e) {
            in.defect(ofLine.get(0).line(), e);
        }
    }

    private String value(PfToken at, String name) throws RuleSyntaxException {
        String value = macros.get(name);
        if (value == null) {
            String near = NearestWord.of(name, macros.keySet().stream()).orElse("");
            throw at.refused(
                    "is no macro that was defined before; "
                            + (near.isEmpty() ? "define it" : "write $" + near));
        }
        return value;
    }

    private void expand(PfToken token, int depth) throws RuleSyntaxException {
        if (token.quoted() || !token.text().startsWith("$")) {
            tokens.add(token);
            return;
        }
        int end = 1;
        while (end < token.text().length() && isOfName(token.text().charAt(end))) {
            end++;
        }
        String value = value(token, token.text().substring(1, end));
        if (depth > MOST_DEPTH || tokens.size() > MOST_TOKENS) {
            throw token.refused("leads back to itself, or to too many words; write fewer macros");
        }
        PfLexer inner = new PfLexer(in, value);
        for (PfToken each = inner.next(); !isEnd(each); each = inner.next()) {
            if (!each.is(PfToken.NEWLINE)) {
                expand(in(token, each.text(), each.quoted()), depth + 1);
            }
        }
        String rest = token.text().substring(end); // such as the length of a prefix
        if (!rest.isEmpty()) {
            String last = tokens.isEmpty() ? "" : tokens.remove(tokens.size() - 1).text();
            tokens.add(in(token, last + rest, false));
        }
    }

    private static boolean isOfName(char c) {
        return Character.isLetterOrDigit(c) || c == '_';
    }

    private static PfToken in(PfToken macro, String word, boolean quoted) {
        return new PfToken(word, quoted, macro.line(), macro.column(), macro.start(), macro.end());
    }

    private PfToken next() {
        skip();
        int start = at;
        if (at >= text.length()) {
            return token("", false, start);
        }
        char c = text.charAt(at);
        if (c == '\n') {
            at++;
            PfToken end = token(PfToken.NEWLINE, false, start);
            line++;
            lineStart = at;
            return end;
        }
        if (c == '"' || c == '\'') {
            return quoted(c);
        }
        if (SIGNS.indexOf(c) >= 0) {
            return sign(start);
        }
        while (at < text.length() && isOfWord(text.charAt(at)) && !isContinued()) {
            at++;
        }
        return token(text.substring(start, at), false, start);
    }

    private PfToken sign(int start) {
        char c = text.charAt(at);
        int close = c == '<' ? text.indexOf('>', at) : -1;
        if (close > 0 && text.substring(at + 1, close).matches("[A-Za-z_][\\w.:-]*")) {
            at = close + 1;
        } else {
            char then = at + 1 < text.length() ? text.charAt(at + 1) : ' ';
            boolean pair =
                    "<>!".indexOf(c) >= 0 && then == '='
                            || c == '<' && then == '>'
                            || c == '>' && then == '<';
            at += pair ? 2 : 1;
        }
        return token(text.substring(start, at), false, start);
    }

    private PfToken quoted(char quote) {
        int start = at++;
        int ofLine = line;
        int column = start - lineStart + 1;
        StringBuilder value = new StringBuilder();
        while (at < text.length() && text.charAt(at) != quote) {
            char c = text.charAt(at);
            if (c == '\n') {
                line++;
                lineStart = at + 1;
            } else if (!isContinued()) {
                value.append(c);
            }
            at++;
        }
        if (at >= text.length()) {
            in.defect(
                    ofLine,
                    new RuleSyntaxException(column, "" + quote, "is not closed; close the quotes"));
        }
        at = Math.min(at + 1, text.length());
        return new PfToken(value.toString(), true, ofLine, column, start, at);
    }

    private PfToken token(String word, boolean quoted, int start) {
        return new PfToken(word, quoted, line, start - lineStart + 1, start, at);
    }

    private static boolean isOfWord(char c) {
        return c > ' ' && SIGNS.indexOf(c) < 0 && c != '"' && c != '#' && c != '\'';
    }

    private boolean isContinued() {
        return text.charAt(at) == '\\' && text.startsWith("\n", at + 1)
                || text.startsWith("\\\r\n", at);
    }

    /** Skips blanks, comments, and ends of lines behind a backslash, in comments too. */
    private void skip() {
        boolean comment = false;
        while (at < text.length()) {
            char c = text.charAt(at);
            comment |= c == '#';
            if (isContinued()) {
                at = text.indexOf('\n', at) + 1;
                line++;
                lineStart = at;
            } else if ((comment || c <= ' ') && c != '\n') {
                at++;
            } else {
                return;
            }
        }
    }
}
