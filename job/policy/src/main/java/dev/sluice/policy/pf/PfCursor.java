package dev.sluice.policy.pf;

import dev.sluice.policy.RuleSyntaxException;
import java.util.List;

/** Place in the words of a text for pf. */
final class PfCursor {
    private final List<PfToken> tokens;
    private int at;

    PfCursor(List<PfToken> tokens) {
        this.tokens = tokens;
    }

    /** Reads an element of a list. */
    interface Element {
        void read() throws RuleSyntaxException;
    }

    PfToken peek() {
        return tokens.get(at);
    }

    PfToken last() {
        return tokens.get(Math.max(0, at - 1));
    }

    PfToken next() {
        PfToken token = tokens.get(at);
        at += at < tokens.size() - 1 ? 1 : 0;
        return token;
    }

    /** The next word, which no end of a statement is. */
    PfToken word(String wanted) throws RuleSyntaxException {
        PfToken token = peek();
        if (token.ends() || token.is("{")) {
            throw token.refused("stands where %s is expected; write it".formatted(wanted));
        }
        return next();
    }

    boolean take(String text) {
        boolean found = peek().is(text);
        at += found ? 1 : 0;
        return found;
    }

    boolean atEnd() {
        return at == tokens.size() - 1;
    }

    /** Reads one element, or those in braces. */
    void list(Element element) throws RuleSyntaxException {
        if (!take("{")) {
            element.read();
            return;
        }
        blanks();
        while (!take("}")) {
            if (atEnd()) {
                throw peek().refused("ends a list that is open; close it by }");
            }
            if (peek().is("{")) {
                list(element);
            } else {
                element.read();
            }
            blanks();
        }
    }

    private void blanks() {
        while (peek().is(PfToken.NEWLINE) || peek().is(",")) {
            at++;
        }
    }

    /** Skips a word, or all in parentheses or braces. */
    void skipArgument() throws RuleSyntaxException {
        PfToken first = peek();
        if (!first.is("(") && !first.is("{")) {
            word("an argument");
            return;
        }
        int depth = 0;
        do {
            PfToken token = next();
            depth += token.is("(") || token.is("{") ? 1 : token.is(")") || token.is("}") ? -1 : 0;
            if (atEnd() && depth > 0) {
                throw first.refused("is not closed; close it");
            }
        } while (depth > 0);
    }

    /** Skips the rest of a statement; all its lists, too. */
    void skipStatement() {
        int depth = 0;
        while (!atEnd() && (depth > 0 || !peek().is(PfToken.NEWLINE))) {
            PfToken token = next();
            depth += token.is("{") ? 1 : token.is("}") ? -1 : 0;
        }
    }
}
