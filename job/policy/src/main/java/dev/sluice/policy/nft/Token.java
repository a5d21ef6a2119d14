package dev.sluice.policy.nft;

/**
 * Word or sign of a ruleset's text.
 *
 * @param from offset of its first character in the file
 * @param to offset behind its last one
 */
record Token(Kind kind, String text, Spot at, int from, int to) {
    /** Kinds of tokens. */
    enum Kind {
        WORD,
        QUOTED,
        SIGN,
        LINE_END,
        END
    }

    boolean is(String other) {
        return kind != Kind.QUOTED && text.equals(other);
    }

    boolean isWord() {
        return kind == Kind.WORD;
    }

    /** Returns whether it is a word or a quoted text. */
    boolean isValue() {
        return kind == Kind.WORD || kind == Kind.QUOTED;
    }

    Node node() {
        return new Node(at, text);
    }

    RefusedException refused(String problem) {
        String words =
                switch (kind) {
                    case LINE_END -> "the end of the line";
                    case END -> "the end of the file";
                    default -> text;
                };
        return at.refused(words, problem);
    }
}
