package dev.sluice.engine.walk;

import dev.sluice.engine.rules.Match;
import dev.sluice.engine.rules.Rule;
import dev.sluice.schemas.header.HeaderBatch;
import dev.sluice.schemas.header.HeaderWord;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * A few boxes of a list that packets are held against one behind the other, without a look-up.
 * Immutable.
 */
public final class LeadingBoxes {
    static final int MOST = 8;

    private final List<Rule> boxes;

    // By box: the words that it looks at, and what it asks of each.
    private final int[][] words;
    private final int[][] masks;
    private final int[][] values;

    private LeadingBoxes(List<Rule> boxes) {
        this.boxes = List.copyOf(boxes);
        words = new int[boxes.size()][];
        masks = new int[boxes.size()][];
        values = new int[boxes.size()][];
        for (int b = 0; b < words.length; b++) {
            Match match = boxes.get(b).match();
            words[b] = HeaderWord.words(match.usedWords());
            masks[b] = IntStream.of(words[b]).map(match::mask).toArray();
            values[b] = IntStream.of(words[b]).map(match::value).toArray();
        }
    }

    /**
     * The first boxes of a first-match list that look at one header word each, up to the last that
     * asks for the state of a packet's connection. Most packets of a stateful policy end at one of
     * them.
     */
    public static LeadingBoxes of(List<Rule> list) {
        int some = 0;
        int asking = 0;
        while (some < Math.min(list.size(), MOST) && isPlain(list.get(some), 1)) {
            long words = list.get(some++).match().usedWords();
            asking = words == HeaderWord.bit(HeaderWord.CONNECTION) ? some : asking;
        }
        return new LeadingBoxes(list.subList(0, asking));
    }

    /** All boxes of a list; null: it has too many, or others than words under masks. */
    static @Nullable LeadingBoxes all(List<Rule> list) {
        boolean few = list.size() <= MOST;
        return few && list.stream().allMatch(box -> isPlain(box, HeaderWord.COUNT))
                ? new LeadingBoxes(list)
                : null;
    }

    private static boolean isPlain(Rule box, int most) {
        Match match = box.match();
        long words = match.usedWords();
        boolean sets = (words & HeaderWord.bit(HeaderWord.SETS)) != 0; // known behind a look-up
        return !match.hasRange() && !sets && Long.bitCount(words) <= most;
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
     * @param found takes at k the box of packet {@code packets[k]}, its number more than {@code
     *     first}; where none holds it {@link #size} more
     * @param left takes the places k of the packets that none holds
     * @return how many these are
     */
    public int find(
            HeaderBatch headers, int[] packets, int count, int first, int[] found, int[] left) {
        int[][] columns = new int[words.length][];
        for (int b = 0; b < words.length; b++) {
            columns[b] =
                    IntStream.of(words[b])
                            .map(word -> headers.layout().position(word) * headers.capacity())
                            .toArray();
        }
        int rest = 0;
        for (int k = 0; k < count; k++) {
            int b = 0;
            while (b < words.length && !holds(b, columns[b], headers.words(), packets[k])) {
                b++;
            }
            found[k] = first + b;
            left[rest] = k;
            rest += b == words.length ? 1 : 0;
        }
        return rest;
    }

    private boolean holds(int box, int[] columns, int[] header, int packet) {
        int[] mask = masks[box];
        int[] value = values[box];
        if (columns.length == 1) { // most
            return (header[columns[0] + packet] & mask[0]) == value[0];
        }
        for (int w = 0; w < columns.length; w++) {
            if ((header[columns[w] + packet] & mask[w]) != value[w]) {
                return false;
            }
        }
        return true;
    }
}
