package dev.sluice.lab.load;

import org.jspecify.annotations.Nullable;

/** The blocks that one sender sends, in their order. For one thread. */
public interface BlockFeed {
    /**
     * The next block, of whose message the caller may make what it likes until it asks for the next
     * one.
     *
     * @return null behind the last
     * @throws dev.sluice.policy.io.SluiceException if what it is made from cannot be read
     * @throws InterruptedException if the thread is interrupted while it waits for it
     */
    @Nullable LoadBlock next() throws InterruptedException;

    /** Says that no further block will be asked for. */
    void leave();
}
