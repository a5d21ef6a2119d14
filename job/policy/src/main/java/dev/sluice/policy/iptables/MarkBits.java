package dev.sluice.policy.iptables;

import dev.sluice.policy.RuleSyntaxException;
import dev.sluice.policy.model.Effect;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Changes of packets' marks by targets. */
final class MarkBits {
    private static final long MOST = 0xffffffffL;

    /** A change to what no file tells. */
    static final Effect.Mark LOSS = new Effect.Mark(0, 0, -1);

    /** Targets that change marks to what no file tells. */
    private static final Set<String> UNTOLD = Set.of("HMARK", "NFQUEUE", "QUEUE");

    private MarkBits() {}

    /** The change by an option of the targets MARK and TPROXY; null: it is none of theirs. */
    private static Effect.@Nullable Mark change(String option, Word word)
            throws RuleSyntaxException {
        long[] masked = RuleWords.masked(word, MOST);
        int value = (int) masked[0];
        int mask = (int) masked[1];
        return switch (option) {
            case "--set-xmark", "--tproxy-mark" -> new Effect.Mark(mask, value);
            case "--set-mark" -> new Effect.Mark(mask | value, value);
            case "--and-mark" -> new Effect.Mark(~value, 0);
            case "--or-mark" -> new Effect.Mark(value, value);
            case "--xor-mark" -> new Effect.Mark(0, value);
            default -> null;
        };
    }

    /** Returns whether a match of a rule sets the mark, though a later one may fail. */
    static boolean isSetByMatch(List<Word> words) {
        return words.stream().anyMatch(word -> word.is("--restore-skmark"));
    }

    /** The change of the mark by a rule with a target; null: it changes none. */
    static Effect.@Nullable Mark change(String target, List<Word> words) {
        boolean marks = target.equals("MARK");
        boolean may = marks || target.equals("TPROXY");
        for (int i = 0; may && i < words.size(); i++) {
            Word word = words.get(i);
            int equals = word.text().indexOf('=');
            if (!word.text().matches("--(set|and|or|xor|tproxy)-x?mark(=.*)?")) {
                continue;
            }
            try {
                return equals > 0
                        ? change(word.text().substring(0, equals), word.from(equals + 1))
                        : i + 1 < words.size() ? change(word.text(), words.get(i + 1)) : LOSS;
            } catch (RuleSyntaxException e) {
                return LOSS; // the rule is refused, or skipped
            }
        }
        boolean restores =
                words.stream()
                        .anyMatch(word -> word.text().matches("--(restore-mark|map-mark)(=.*)?"));
        return marks || UNTOLD.contains(target) || restores ? LOSS : null;
    }
}
