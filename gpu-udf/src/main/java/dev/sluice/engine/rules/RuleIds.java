package dev.sluice.engine.rules;

import java.util.HashSet;
import java.util.Set;

/**
 * Stable ids for rules read from a file: a hash of match and action, so that a rule keeps its id
 * when lines are inserted above it or its priority changes. The second of two equal rules gets
 * another id, the same one in every reading. Not thread-safe: one instance a file.
 */
public final class RuleIds {
    private final Set<Long> given = new HashSet<>();

    /** The id of the next rule of the file. */
    public long next(Match match, String action) {
        long id = first(match, action);
        while (!given.add(id)) {
            id = after(id);
        }
        return id;
    }

    /** The id of a rule, unless another one has it; the same one in every process. */
    public static long first(Match match, String action) {
        return match.hash64() * 0x9e3779b97f4a7c15L + textHash(action);
    }

    /** The id to try next for a rule whose id another rule has; the same one in every process. */
    public static long after(long id) {
        return id * 0x5851f42d4c957f2dL + 0x14057b7ef767814fL;
    }

    private static long textHash(String text) {
        long h = 0xcbf29ce484222325L; // FNV-1a
        for (int i = 0; i < text.length(); i++) {
            h = (h ^ text.charAt(i)) * 0x100000001b3L;
        }
        return h;
    }
}
