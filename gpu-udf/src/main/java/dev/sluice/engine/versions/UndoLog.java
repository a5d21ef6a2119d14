package dev.sluice.engine.versions;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Steps of a delta so far, to be taken back if it does not fit. Not thread-safe. */
final class UndoLog {
    private static final byte INSERTED = 0;
    private static final byte REMOVED = 1;
    private static final byte CHANGED = 2;

    /** Takes back one thing that was done. */
    interface Target {
        /** A rule was put into a slot. */
        void inserted(int slot);

        /** The rule of a slot was removed. */
        void removed(int slot);

        /** Notes that the content of a slot's rule was changed from these notes. */
        void changed(int slot, @Nullable Object notes);
    }

    private byte[] kinds = new byte[64];
    private int[] slots = new int[64];
    private final List<@Nullable Object> before = new ArrayList<>();
    private int count;
    private boolean replaying;

    void clear() {
        count = 0;
        before.clear();
    }

    private void add(byte kind, int slot) {
        if (replaying) {
            return;
        }
        if (count == kinds.length) {
            kinds = Arrays.copyOf(kinds, 2 * count);
            slots = Arrays.copyOf(slots, 2 * count);
        }
        kinds[count] = kind;
        slots[count++] = slot;
    }

    void inserted(int slot) {
        add(INSERTED, slot);
    }

    void removed(int slot) {
        add(REMOVED, slot);
    }

    void changed(int slot, @Nullable Object notes) {
        add(CHANGED, slot);
        before.add(notes);
    }

    /** Names everything, the last first; what is done meanwhile is not noted. */
    void replay(Target target) {
        replaying = true;
        for (int k = count - 1; k >= 0; k--) {
            switch (kinds[k]) {
                case INSERTED -> target.inserted(slots[k]);
                case REMOVED -> target.removed(slots[k]);
                default -> target.changed(slots[k], before.remove(before.size() - 1));
            }
        }
        replaying = false;
        clear();
    }
}
