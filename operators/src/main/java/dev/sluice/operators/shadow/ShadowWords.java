package dev.sluice.operators.shadow;

import java.io.Serializable;

/**
 * Maker of words of what is compared, as the commands that compare policies on captures have them.
 */
public interface ShadowWords extends Serializable {
    /** Returns the outcome of a rule that stands for itself: permit, deny or another action. */
    String outcome(String action);

    /**
     * Returns a packet in words.
     *
     * @param header its header words, 0 where they are not known
     */
    String packet(int[] header);
}
