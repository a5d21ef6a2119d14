package dev.sluice.job;

import java.util.regex.Pattern;

/** Texts as a shell takes them, for commands that are printed to be typed. */
public final class ShellWord {
    private static final Pattern PLAIN = Pattern.compile("[\\w/.,:+@%=-]+");

    private ShellWord() {}

    /** A word: as it is, or in quotes where a shell would read it otherwise. */
    public static String of(Object value) {
        String text = value.toString();
        return PLAIN.matcher(text).matches() ? text : "'" + text.replace("'", "'\\''") + "'";
    }
}
