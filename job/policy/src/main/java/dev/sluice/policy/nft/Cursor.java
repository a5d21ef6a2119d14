package dev.sluice.policy.nft;

import dev.sluice.policy.nft.Token.Kind;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Place in the tokens of a file, and the variables that are defined there. */
final class Cursor {
    /** Bytes of the longest comment. */
    private static final int MOST_COMMENT = 128;

    private final String text;
    private final List<Token> tokens;
    private Scope scope;
    private int at;

    /** Variables of a block. */
    static final class Scope {
        private final @Nullable Scope outer;
        private final Map<String, Node> values = new HashMap<>();

        Scope(@Nullable Scope outer) {
            this.outer = outer;
        }

        @Nullable Node value(String name) {
            Node own = values.get(name);
            return own != null || outer == null ? own : outer.value(name);
        }

        /** Defines a variable; returns false if the block has one of the name. */
        boolean define(String name, Node value) {
            return values.putIfAbsent(name, value) == null;
        }

        void redefine(String name, Node value) {
            values.put(name, value);
        }

        boolean remove(String name) {
            return values.remove(name) != null;
        }
    }

    Cursor(String file, String text, Scope scope) throws RefusedException {
        this.text = text;
        this.tokens = Lexer.tokens(file, text);
        this.scope = scope;
    }

    Scope scope() {
        return scope;
    }

    void open() {
        scope = new Scope(scope);
    }

    void close() {
        scope = scope.outer == null ? scope : scope.outer;
    }

    Token peek() {
        return tokens.get(at);
    }

    /** A token further on. */
    Token peek(int further) {
        return tokens.get(Math.min(at + further, tokens.size() - 1));
    }

    Token next() {
        Token token = tokens.get(at);
        at = Math.min(at + 1, tokens.size() - 1);
        return token;
    }

    /** The last token that was read. */
    Token last() {
        return tokens.get(Math.max(0, at - 1));
    }

    boolean sees(String words) {
        return peek().is(words);
    }

    boolean take(String words) {
        if (peek().is(words)) {
            next();
            return true;
        }
        return false;
    }

    Token need(String words) throws RefusedException {
        if (!peek().is(words)) {
            throw peek().refused("stands where nft wants %s; write it there".formatted(words));
        }
        return next();
    }

    Token word(String what) throws RefusedException {
        if (!peek().isWord()) {
            throw peek().refused("stands where nft wants %s; write it there".formatted(what));
        }
        return next();
    }

    /** A word or a quoted text, or the text of a variable. */
    Node value(String what) throws RefusedException {
        if (sees("$")) {
            return variable();
        }
        if (!peek().isValue()) {
            throw peek().refused("stands where nft wants %s; write it there".formatted(what));
        }
        if (peek().isWord() && Keywords.isWord(peek().text())) {
            throw peek().refused(
                            "is a word of nft where %s is wanted; write another name"
                                    .formatted(what));
        }
        return next().node();
    }

    Node quoted(String what) throws RefusedException {
        if (peek().kind() != Kind.QUOTED) {
            throw peek().refused(
                            "stands where nft wants %s in quotes; write it there".formatted(what));
        }
        return next().node();
    }

    /** A comment, which is a word or a quoted text. */
    Node comment() throws RefusedException {
        boolean keyword = peek().isWord() && Keywords.isWord(peek().text());
        if (!peek().isValue() || keyword) {
            throw peek().refused("stands where nft wants a comment; write it in quotes");
        }
        Token text = next();
        if (text.text().getBytes(StandardCharsets.UTF_8).length > MOST_COMMENT) {
            throw text.refused(
                    "is a comment of more than %d bytes; shorten it".formatted(MOST_COMMENT));
        }
        return text.node();
    }

    Node variable() throws RefusedException {
        Token sign = need("$");
        Token name = word("the name of a variable");
        Node value = scope.value(name.text());
        if (value == null) {
            throw name.refused(
                    "is a variable that nothing above defines; write define %s = ..."
                            .formatted(name.text()));
        }
        return new Node(sign.at(), value.value());
    }

    boolean atStatementEnd() {
        Kind kind = peek().kind();
        return kind == Kind.LINE_END || kind == Kind.END || sees(";") || sees("}");
    }

    boolean atEnd() {
        return peek().kind() == Kind.END;
    }

    /** Skips ends of lines, and semicolons. */
    void skipEnds() {
        while (peek().kind() == Kind.LINE_END || sees(";")) {
            next();
        }
    }

    void skipLineEnds() {
        while (peek().kind() == Kind.LINE_END) {
            next();
        }
    }

    /** Takes the end of a statement, which stands before a closing brace, too. */
    void endStatement() throws RefusedException {
        if (atEnd()) {
            return;
        }
        if (peek().kind() != Kind.LINE_END && !sees(";")) {
            throw peek().refused(
                            sees("}")
                                    ? "stands behind a statement without its end; write ; before it"
                                    : "is not understood there; write the statement as nft list ruleset prints it,"
                                            + " or add --skip-unsupported: packets that it may decide about then depend");
        }
        skipEnds();
    }

    /** Goes on behind the statement, whose braces count. */
    void skipStatement() {
        int depth = 0;
        while (!atEnd() && (depth > 0 || !atStatementEnd())) {
            Token token = next();
            depth += token.is("{") ? 1 : token.is("}") ? -1 : 0;
        }
    }

    /** The text from a token to the last one that was read. */
    String from(Token first) {
        return text.substring(first.from(), Math.max(first.from(), last().to())).strip();
    }

    int position() {
        return at;
    }

    void back(int position) {
        at = position;
    }
}
