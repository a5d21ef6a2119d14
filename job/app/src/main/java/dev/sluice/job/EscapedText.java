package dev.sluice.job;

/**
 * Escapes for untrusted text on terminals and in tables. It escapes characters that are invisible,
 * or change how the text around them is displayed.
 *
 * <p>These are control characters (C0, DEL, C1), format characters (such as those that change the
 * direction of text), separators of lines and paragraphs, and unpaired surrogates. The escapes are
 * those of JSON, so that JSON stays equivalent: {@code \n}, {@code \r}, {@code \t}, or {@code
 * \}{@code u} and four hexadecimal digits.
 */
public final class EscapedText {
    private EscapedText() {}

    /** Escapes lines; line ends and tabs stay. */
    public static String lines(String text) {
        return escaped(text, "\n\t", false);
    }

    /** Escapes a text as one line; tabs stay. */
    public static String line(String text) {
        return escaped(text, "\t", false);
    }

    /**
     * Escapes a text as a cell of a table, without tabs and line ends. Backslashes are doubled, so
     * that different texts have different cells.
     */
    public static String cell(String text) {
        return escaped(text, "", true);
    }

    private static String escaped(String text, String kept, boolean doubled) {
        int plain = plain(text, 0, kept, doubled);
        if (plain == text.length()) {
            return text;
        }
        StringBuilder shown = new StringBuilder(text.length() + 16);
        int from = 0;
        while (plain < text.length()) {
            shown.append(text, from, plain);
            int character = text.codePointAt(plain);
            from = plain + Character.charCount(character);
            for (int i = plain; i < from; i++) {
                escape(shown, text.charAt(i));
            }
            plain = plain(text, from, kept, doubled);
        }
        return shown.append(text, from, plain).toString();
    }

    /** Returns the index of the next character to escape. */
    private static int plain(String text, int from, String kept, boolean doubled) {
        int at = from;
        while (at < text.length()) {
            int character = text.codePointAt(at);
            boolean escaped =
                    character == '\\'
                            ? doubled
                            : isHidden(character) && kept.indexOf(character) < 0;
            if (escaped) {
                return at;
            }
            at += Character.charCount(character);
        }
        return at;
    }

    private static boolean isHidden(int character) {
        if (character >= ' ' && character <= '~') {
            return false;
        }
        return switch (Character.getType(character)) {
            case Character.CONTROL,
                    Character.FORMAT,
                    Character.LINE_SEPARATOR,
                    Character.PARAGRAPH_SEPARATOR,
                    Character.SURROGATE ->
                    true;
            default -> false;
        };
    }

    private static void escape(StringBuilder to, char c) {
        switch (c) {
            case '\\' -> to.append("\\\\");
            case '\n' -> to.append("\\n");
            case '\r' -> to.append("\\r");
            case '\t' -> to.append("\\t");
            default -> to.append("\\u%04x".formatted((int) c));
        }
    }
}
