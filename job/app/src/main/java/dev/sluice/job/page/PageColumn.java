package dev.sluice.job.page;

import java.util.Locale;

/**
 * Column of a section.
 *
 * @param name its heading
 */
public record PageColumn(String name, Kind kind) {
    /** Kinds of values, and how the page shows them. */
    public enum Kind {
        /** {@link Long}, with separators between thousands. */
        NUMBER,
        /** {@link Long}: milliseconds since 1970 UTC; null: none. */
        TIME,
        /** {@link String}: words of few kinds, by which rows can be filtered. */
        CHOICE,
        /** {@link String}: several such words, separated by commas. */
        CHOICES,
        /** {@link String}. */
        TEXT,
        /** {@link String}: words of a rule file. */
        RULE,
        /**
         * {@link String}: lines of a rule file, from 1, separated by commas; links to the rules.
         */
        LINE;

        /** Word of the kind in the page. */
        String word() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** A column of numbers. */
    public static PageColumn number(String name) {
        return new PageColumn(name, Kind.NUMBER);
    }
}
