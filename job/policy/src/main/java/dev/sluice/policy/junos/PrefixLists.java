package dev.sluice.policy.junos;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Prefix lists of {@code policy-options}, by name. */
final class PrefixLists {
    private static final int MOST_WORDS = 32;

    private final Statement root;

    PrefixLists(Statement root) {
        this.root = root;
    }

    /** The entries of a list; null: the configuration has no such list. */
    @Nullable List<Prefixes.Block> of(String name) throws JunosException {
        Statement list = root.at("policy-options", "prefix-list", name);
        if (list == null) {
            return null;
        }
        List<Prefixes.Block> blocks = new ArrayList<>();
        for (Statement entry : list.children()) {
            if (!entry.word.equals("apply-path")) {
                blocks.add(Prefixes.Block.of(entry));
                continue;
            }
            for (Statement path : entry.children()) {
                String[] words = path.word.trim().split("\\s+");
                if (words.length > MOST_WORDS) {
                    throw path.refused("is a path of more than 32 words; write a shorter one");
                }
                collect(root, words, 0, blocks);
            }
        }
        return blocks;
    }

    /** Adds the addresses at the ends of the paths that fit a pattern. */
    private static void collect(Statement at, String[] words, int next, List<Prefixes.Block> blocks)
            throws JunosException {
        if (next == words.length) {
            if (at.word.matches("[0-9a-fA-F.:]+(/\\d+)?") && at.word.matches(".*[.:].*")) {
                blocks.add(Prefixes.Block.of(at));
            }
            return;
        }
        for (Statement child : at.children()) {
            if (fits(words[next], child.word)) {
                collect(child, words, next + 1, blocks);
            }
        }
    }

    /** Returns whether a word is one, or fits a pattern such as {@code <ge-*>}. */
    static boolean fits(String pattern, String word) {
        if (!pattern.startsWith("<") || !pattern.endsWith(">")) {
            return pattern.equals(word);
        }
        StringBuilder regex = new StringBuilder();
        for (char c : pattern.substring(1, pattern.length() - 1).toCharArray()) {
            regex.append(c == '*' ? ".*" : c == '?' ? "." : Pattern.quote(String.valueOf(c)));
        }
        return word.matches(regex.toString());
    }
}
