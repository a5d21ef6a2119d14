package dev.sluice.policy.iptables;

import dev.sluice.policy.RuleSyntaxException;
import dev.sluice.policy.model.Effect;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Bits of a packet's mark that rules change, as the rules of a table see them.
 *
 * @param unknown bits that nobody tells there
 * @param ofNat other bits, which the table nat changes in first packets of connections alone
 * @param exact whether rules of the table ask for marks, and those that it sets are told
 */
record MarkBits(int unknown, int ofNat, boolean exact) {
    private static final long MOST = 0xffffffffL;
    private static final int ALL = -1;

    /** Targets that change marks to what no file tells. */
    private static final Set<String> UNTOLD = Set.of("HMARK", "TPROXY");

    /** The change by an option of the target MARK; null: it is none of its options. */
    private static Effect.@Nullable Mark change(String option, Word word)
            throws RuleSyntaxException {
        long[] masked = RuleWords.masked(word, MOST);
        int value = (int) masked[0];
        int mask = (int) masked[1];
        return switch (option) {
            case "--set-xmark" -> new Effect.Mark(mask, value);
            case "--set-mark" -> new Effect.Mark(mask | value, value);
            case "--and-mark" -> new Effect.Mark(~value, 0);
            case "--or-mark" -> new Effect.Mark(value, value);
            case "--xor-mark" -> new Effect.Mark(0, value);
            default -> null;
        };
    }

    /** The change of the mark by a rule; null: it changes none, or none that its words tell. */
    static Effect.@Nullable Mark change(List<Word> words) {
        if (!target(words).equals("MARK")) {
            return null;
        }
        for (int i = 0; i < words.size(); i++) {
            Word word = words.get(i);
            int equals = word.text().indexOf('=');
            if (!word.text().matches("--(set|and|or|xor)-x?mark(=.*)?")) {
                continue;
            }
            try {
                return equals > 0
                        ? change(word.text().substring(0, equals), word.from(equals + 1))
                        : i + 1 < words.size() ? change(word.text(), words.get(i + 1)) : null;
            } catch (RuleSyntaxException e) {
                return null; // the rule is refused, or skipped
            }
        }
        return null;
    }

    /** Bits that a rule may change; 0: none. */
    static int changed(List<Word> words) {
        Effect.Mark change = change(words);
        if (change != null) {
            return change.mask() | change.flipped();
        }
        String target = target(words);
        boolean restores =
                words.stream()
                        .anyMatch(word -> word.text().matches("--(restore-mark|map-mark)(=.*)?"));
        return target.equals("MARK") || UNTOLD.contains(target) || restores ? ALL : 0;
    }

    /** Returns whether a rule asks for marks. */
    static boolean asks(List<Word> words) {
        for (int i = 0; i + 1 < words.size(); i++) {
            if (words.get(i).text().matches("-m|--match") && words.get(i + 1).is("mark")) {
                return true;
            }
        }
        return false;
    }

    private static String target(List<Word> words) {
        for (int i = 0; i + 1 < words.size(); i++) {
            if (RuleParser.isJump(words.get(i))) {
                return words.get(i + 1).text();
            }
        }
        return "";
    }
}
