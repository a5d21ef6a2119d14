package dev.sluice.policy.model;

import org.jspecify.annotations.Nullable;

/**
 * Place of a rule in the user's files.
 *
 * @param file the file's name as the user gave it
 * @param line 1-based
 * @param chain chain or list that holds the rule
 * @param comment the user's comment, or empty
 * @param text the rule in the user's words
 * @param counters what the device counted; null: the file does not say
 */
public record Origin(
        String file,
        int line,
        String chain,
        String comment,
        String text,
        @Nullable Counters counters) {}
