package dev.sluice.engine.walk;

import dev.sluice.engine.rules.Match;
import dev.sluice.engine.rules.Rule;
import dev.sluice.schemas.header.HeaderBatch;
import dev.sluice.schemas.header.HeaderWord;
import java.util.ArrayList;
import java.util.List;

/**
 * First boxes of a list that look at one header word each, the state of a packet's connection among
 * them. Most packets of a stateful policy end at one of them, so that they need no look-up.
 * Immutable.
 */
public final class LeadingBoxes {
    /** Most boxes: a packet is held against one behind the other. */
    private static final int MOST = 8;

    private final List<Rule> boxes;
    private final int[] word;
    private final int[] mask;
    private final int[] value;

    private LeadingBoxes(List<Rule> boxes) {
        this.boxes = List.copyOf(boxes);
        word = boxes.stream().mapToInt(box -> word(box.match())).toArray();
        mask = new int[word.length];
        value = new int[word.length];
        for (int k = 0; k < word.length; k++) {
            mask[k] = boxes.get(k).match().mask(word[k]);
            value[k] = boxes.get(k).match().value(word[k]);
        }
    }

    /** The leading boxes of a first-match list; none where none asks for a connection's state. */
    public static LeadingBoxes of(List<Rule> list) {
        List<Rule> some = new ArrayList<>();
        int asking = 0;
        for (Rule box : list) {
            Match match = box.match();
            boolean one = Long.bitCount(match.usedWords()) == 1 && !match.hasRange();
            if (!one || word(match) == HeaderWord.SETS || some.size() == MOST) {
                break; // a set's bits are known behind a look-up
            }
            some.add(box);
            asking = word(match) == HeaderWord.CONNECTION ? some.size() : asking;
        }
        return new LeadingBoxes(some.subList(0, asking));
    }

    private static int word(Match match) {
        return Long.numberOfTrailingZeros(match.usedWords());
    }

    /** Number of boxes. */
    public int size() {
        return boxes.size();
    }

    /** The box of a number, from 0. */
    public Rule box(int number) {
        return boxes.get(number);
    }

    /**
     * Finds the first of the boxes that holds each packet.
     *
     * @param packets numbers of packets in the batch, of which the first {@code count} are asked
     * @param found takes at k the box of packet {@code packets[k]}: its number more than {@code
     *     first}
     * @param left takes the places k of the packets that none holds
     * @return how many these are
     */
    public int find(
            HeaderBatch headers, int[] packets, int count, int first, int[] found, int[] left) {
        int[] words = headers.words();
        int[] column = new int[word.length];
        for (int b = 0; b < word.length; b++) {
            column[b] = headers.layout().position(word[b]) * headers.capacity();
        }
        int rest = 0;
        for (int k = 0; k < count; k++) {
            int b = 0;
            while (b < column.length && (words[column[b] + packets[k]] & mask[b]) != value[b]) {
                b++;
            }
            found[k] = first + b;
            left[rest] = k;
            rest += b == column.length ? 1 : 0;
        }
        return rest;
    }
}
