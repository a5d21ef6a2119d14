package dev.sluice.engine.walk;

import dev.sluice.engine.rules.Match;
import dev.sluice.engine.rules.Rule;
import dev.sluice.engine.rules.Step;
import dev.sluice.schemas.header.HeaderWord;
import java.util.List;
import java.util.Objects;

/**
 * Packets that two readings may find different boxes for: those that meet what all boxes with
 * unknown decisions ask for, such as later fragments. All others are looked up once. Immutable.
 */
final class Parting {
    private final int[] word;
    private final int[] mask;
    private final int[] value;

    private Parting(int[] word, int[] mask, int[] value) {
        this.word = word;
        this.mask = mask;
        this.value = value;
    }

    /** The packets of boxes of both readings. */
    static Parting of(List<Rule> boxes) {
        List<Match> open =
                boxes.stream()
                        .filter(box -> isOpen(Objects.requireNonNull(box.step())))
                        .map(Rule::match)
                        .toList();
        int[] mask = new int[HeaderWord.COUNT];
        int[] value = new int[HeaderWord.COUNT];
        long words = ~HeaderWord.bit(HeaderWord.SETS); // their bits are known behind a look-up
        for (Match match : open) {
            words &= match.usedWords();
        }
        long asked = 0;
        for (long left = open.isEmpty() ? 0 : words; left != 0; left &= left - 1) {
            int w = Long.numberOfTrailingZeros(left);
            value[w] = open.get(0).value(w);
            mask[w] = -1;
            for (Match match : open) {
                mask[w] &= match.mask(w) & ~(match.value(w) ^ value[w]);
            }
            value[w] &= mask[w];
            asked |= mask[w] == 0 ? 0 : HeaderWord.bit(w);
        }
        int[] word = HeaderWord.words(asked);
        int[] masks = new int[word.length];
        int[] values = new int[word.length];
        for (int k = 0; k < word.length; k++) {
            masks[k] = mask[word[k]];
            values[k] = value[word[k]];
        }
        return new Parting(word, masks, values);
    }

    private static boolean isOpen(Step step) {
        return step.kind() == Step.Kind.DECIDE && step.unknown() != 0;
    }

    /** Returns whether the readings of a packet may part. */
    boolean holds(FoundBoxes found, int packet) {
        for (int k = 0; k < word.length; k++) {
            if ((found.word(word[k], packet) & mask[k]) != value[k]) {
                return false;
            }
        }
        return true;
    }
}
