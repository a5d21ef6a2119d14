package dev.sluice.engine.gpu.launch;

import dev.sluice.engine.gpu.memory.DeviceChanges;
import dev.sluice.schemas.header.HeaderLayout;
import org.jspecify.annotations.Nullable;

/**
 * Changes up to a version, which a launch looks up behind its image's kernel. Belongs to one batch
 * at a time, and serves another one when that was launched.
 */
public final class Changes {
    final HeaderLayout layout;
    final int baseRules;

    private DeviceChanges.@Nullable Copy copy;
    int tick;
    int directory;

    /**
     * Nothing so far.
     *
     * @param layout of the headers
     * @param baseRules rules of the image: verdicts from there on name rules that came since
     */
    public Changes(HeaderLayout layout, int baseRules) {
        this.layout = layout;
        this.baseRules = baseRules;
    }

    /**
     * Sets the changes of a version.
     *
     * @param there where it lies; has the words of the tick
     * @param upTo tick of the version
     * @param names where the version's tables are named
     */
    public void set(DeviceChanges.Copy there, int upTo, int names) {
        copy = there;
        tick = upTo;
        directory = names;
    }

    /** Returns the copy on the device. */
    DeviceChanges.Copy copy() {
        DeviceChanges.Copy there = copy;
        if (there == null) {
            throw new IllegalStateException("no version was named");
        }
        return there;
    }
}
