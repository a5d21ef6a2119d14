package dev.sluice.lab.load;

/** Says when blocks are sent. */
public interface Turns {
    /**
     * Waits until a block may be sent.
     *
     * @param end headers of the load up to the block's last one
     * @param headers of the block
     * @return false if it is not sent: the load ends before
     */
    boolean await(long end, int headers);
}
