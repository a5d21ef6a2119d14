package dev.sluice.job;

import java.util.regex.Pattern;

/** Quoting of texts for a shell, for printed commands. */
public final class ShellWord {
    private static final Pattern PLAIN = Pattern.compile("[\\w/.,:+@%=-]+");

    private ShellWord() {}

    /** Returns a text unchanged, or in quotes where a shell would interpret it. */
    public static String of(Object value) {
        String text = value.toString();
        return PLAIN.matcher(text).matches() ? text : "'" + text.replace("'", "'\\''") + "'";
    }
}
