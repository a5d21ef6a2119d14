package dev.sluice.engine.tuplespace;

import dev.sluice.engine.memory.Arena;
import dev.sluice.engine.memory.LongIntMap;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.IntSupplier;

/**
 * The rules that a structure took and lost, for one who makes the same changes in a copy elsewhere,
 * as kernels do on a device. The log is a sequence of groups, of insertions only or of removals
 * only; the changes within a group may be made in any order or at once. A group also has single
 * words that changed with its rules, such as masks that came or went: they are written before the
 * insertions of their group, or after its removals. Not thread-safe.
 */
public final class RuleLog implements Arena.Recorder {
    /** A log of more words is dropped: then copying the structure's memory is cheaper. */
    private static final int MOST_WORDS = 1 << 22;

    /** Insertions or removals that may be made at once. */
    public static final class Group {
        private final boolean removes;
        private int[] rules = new int[64];
        private int used;
        private int count;
        private int[] words = new int[16];
        private int wordCount;

        /** For each offset the index of its value in {@link #words}. */
        private final LongIntMap valueAt = new LongIntMap();

        Group(boolean removes) {
            this.removes = removes;
        }

        /** Returns whether its changes are removals. */
        public boolean removes() {
            return removes;
        }

        /** Number of rules. */
        public int count() {
            return count;
        }

        /** For each rule its slot, and behind the slot of an inserted rule the words of its row. */
        public int[] rules() {
            return rules;
        }

        /** Number of single words. */
        public int wordCount() {
            return wordCount;
        }

        /** Pairs (offset, value) of words to write; no offset comes twice. */
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
     * @param counters how many rules set each bit of the structure's filters; a count that reached
     *     255 stays
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

    /** Returns the size of a row in words. */
    public int rowWords() {
        return rowWords.getAsInt();
    }

    /** To be called before the structure takes or loses a rule. */
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

    /** The rule of a slot was removed. */
    public void removed(int slot) {
        if (repeatable) {
            Group group = last();
            room(group, 1);
            group.rules[group.used++] = slot;
            group.count++;
        }
    }

    /**
     * A rule was inserted.
     *
     * @param words the structure's memory
     * @param row offset of the rule's row there
     */
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
        int there = group.valueAt.get(at);
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
        group.valueAt.put(at, 2 * group.wordCount - 1);
    }

    /**
     * The structure was rearranged, by more than its rules: a copy must be made anew. Until the
     * next {@link #clear} the log stays empty.
     */
    public void restructured() {
        repeatable = false;
        groups.clear();
    }

    /** Returns whether the log has every change since the last {@link #clear}. */
    public boolean repeatable() {
        return repeatable;
    }

    /** The changes since the last {@link #clear}, in order. */
    public List<Group> groups() {
        return groups;
    }

    /** To be called when the copy elsewhere is up to date. */
    public void clear() {
        groups.clear();
        repeatable = true;
        size = 0;
    }
}
