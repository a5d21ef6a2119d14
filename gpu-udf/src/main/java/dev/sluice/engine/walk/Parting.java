package dev.sluice.engine.walk;

import dev.sluice.engine.rules.Match;
import dev.sluice.engine.rules.Rule;
import dev.sluice.engine.rules.Step;
import dev.sluice.schemas.header.HeaderWord;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * Packets that two readings may find different boxes for: those that an unknown decision may hold,
 * such as later fragments, whose ports nobody knows. All others are looked up once. Boxes with
 * unknown decisions are taken together as long as all ask for some bit alike. Immutable.
 */
final class Parting {
    /** Most groups of boxes. */
    private static final int MOST = 4;

    private final List<Bits> groups = new ArrayList<>();

    /** Bits of each word that all boxes of a group ask for alike, and their values. */
    private static final class Bits {
        private final int[] mask = new int[HeaderWord.COUNT];
        private final int[] value = new int[HeaderWord.COUNT];
        private int[] words = {};

        Bits(Match match) {
            for (int word : HeaderWord.words(asked(match))) {
                mask[word] = match.mask(word);
                value[word] = match.value(word);
            }
            words = HeaderWord.words(asked(match));
        }

        private static long asked(Match match) {
            // whether a packet is in a set is known behind a look-up
            return match.usedWords() & ~HeaderWord.bit(HeaderWord.SETS);
        }

        private int shared(Match match, int word) {
            return mask[word] & match.mask(word) & ~(match.value(word) ^ value[word]);
        }

        boolean sharesSome(Match match) {
            for (int word : words) {
                if (shared(match, word) != 0) {
                    return true;
                }
            }
            return false;
        }

        void add(Match match) {
            long left = 0;
            for (int word : words) {
                mask[word] = shared(match, word);
                value[word] &= mask[word];
                left |= mask[word] == 0 ? 0 : HeaderWord.bit(word);
            }
            words = HeaderWord.words(left);
        }

        boolean holds(PacketHeaders headers, int packet) {
            for (int word : words) {
                if ((headers.word(word, packet) & mask[word]) != value[word]) {
                    return false;
                }
            }
            return true;
        }
    }

    /** The packets of boxes of both readings. */
    Parting(List<Rule> boxes) {
        for (Rule box : boxes) {
            Step step = Objects.requireNonNull(box.step());
            if (step.kind() == Step.Kind.DECIDE && step.unknown() != 0) {
                add(box.match());
            }
        }
    }

    private void add(Match match) {
        for (Bits group : groups) {
            if (group.sharesSome(match)) {
                group.add(match);
                return;
            }
        }
        if (groups.size() < MOST) {
            groups.add(new Bits(match));
        } else {
            groups.get(0).add(match); // which then asks for nothing
        }
    }

    /** Returns whether the readings of a packet may part. */
    boolean holds(PacketHeaders headers, int packet) {
        for (Bits group : groups) {
            if (group.holds(headers, packet)) {
                return true;
            }
        }
        return false;
    }
}
