package dev.sluice.engine.tuplespace;

import dev.sluice.engine.memory.Arena;
import dev.sluice.engine.memory.LongIntMap;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.IntSupplier;

/**
 * What happened to a structure, rule by rule, for one who repeats it in a copy elsewhere: groups of
 * removals and of inserts, in order. The rules of a group may be repeated in any order, or at once.
 * Beside them a group has single words of what came or went with its rules, such as masks: those of
 * removals are written after them, those of inserts before. Not thread-safe.
 */
public final class RuleLog implements Arena.Recorder {
    /** Words of a log at which its user had better copy what changed. */
    private static final int MOST_WORDS = 1 << 22;

    /** Removals or inserts that may be repeated at once. */
    public static final class Group {
        private final boolean removes;
        private int[] rules = new int[64];
        private int used;
        private int count;
        private int[] words = new int[16];
        private int wordCount;
        private final LongIntMap placeOf = new LongIntMap();

        Group(boolean removes) {
            this.removes = removes;
        }

        /** Whether its rules go. */
        public boolean removes() {
            return removes;
        }

        /** Number of rules. */
        public int count() {
            return count;
        }

        /** Their slots; behind each slot of an insert its row. */
        public int[] rules() {
            return rules;
        }

        /** Number of single words. */
        public int wordCount() {
            return wordCount;
        }

        /** Pairs of a place and what is written there; no place comes twice. */
        public int[] words() {
            return words;
        }
    }

    private final List<Group> groups = new ArrayList<>();
    private final byte[] counters;
    private final IntSupplier rowWords;
    private boolean repeatable = true;
    private int size;

    /**
     * An empty log.
     *
     * @param counters how many rules set each bit of the structure's filters; 255 stays
     * @param rowWords words of a row
     */
    public RuleLog(byte[] counters, IntSupplier rowWords) {
        this.counters = counters;
        this.rowWords = rowWords;
    }

    /** How many rules set each bit of the structure's filters, now. */
    public byte[] counters() {
        return counters;
    }

    /** Words of a row. */
    public int rowWords() {
        return rowWords.getAsInt();
    }

    /** Begins a removal or an insert. */
    public void begin(boolean removes) {
        if (repeatable && (groups.isEmpty() || last().removes != removes)) {
            groups.add(new Group(removes));
        }
        if (size > MOST_WORDS) {
            restructured();
        }
    }

    private Group last() {
        return groups.get(groups.size() - 1);
    }

    /** The rule of a slot went. */
    public void removed(int slot) {
        if (repeatable) {
            Group group = last();
            room(group, 1);
            group.rules[group.used++] = slot;
            group.count++;
        }
    }

    /** A rule came whose row is at a place. */
    public void inserted(int slot, int[] words, int row) {
        if (repeatable) {
            Group group = last();
            int stride = rowWords();
            room(group, 1 + stride);
            group.rules[group.used] = slot;
            System.arraycopy(words, row, group.rules, group.used + 1, stride);
            group.used += 1 + stride;
            group.count++;
        }
    }

    private void room(Group group, int more) {
        size += more;
        if (group.used + more > group.rules.length) {
            group.rules = Arrays.copyOf(group.rules, 2 * group.used + more);
        }
    }

    @Override
    public void word(int at, int value) {
        if (!repeatable) {
            return;
        }
        Group group = last();
        int there = group.placeOf.get(at);
        if (there != 0) {
            group.words[there] = value;
            return;
        }
        size += 2;
        if (2 * group.wordCount == group.words.length) {
            group.words = Arrays.copyOf(group.words, 4 * group.wordCount);
        }
        group.words[2 * group.wordCount] = at;
        group.words[2 * group.wordCount++ + 1] = value;
        group.placeOf.put(at, 2 * group.wordCount - 1);
    }

    /** What happened cannot be repeated rule by rule: the structure took another shape. */
    public void restructured() {
        repeatable = false;
        groups.clear();
    }

    /** Whether all can be repeated. */
    public boolean repeatable() {
        return repeatable;
    }

    /** What happened since the last call of {@link #clear}, in order. */
    public List<Group> groups() {
        return groups;
    }

    /** The copy elsewhere has all of it. */
    public void clear() {
        groups.clear();
        repeatable = true;
        size = 0;
    }
}
