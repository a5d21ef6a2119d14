package dev.sluice.lab.load;

/** Headers that are loaded, and can be read from their start again and again. */
public interface HeaderSource {
    /** Takes headers one by one. */
    interface Sink {
        /**
         * Takes a header.
         *
         * @param words {@link dev.sluice.schemas.header.HeaderWord#COUNT} words, the source's again
         *     on return
         * @param frameLength of its packet on the wire in bytes
         * @return whether more are wanted
         */
        boolean header(int[] words, int frameLength);
    }

    /**
     * Reads all headers, until no more are wanted.
     *
     * @throws dev.sluice.policy.io.SluiceException if they cannot be read, or there is none
     */
    void pass(Sink sink);

    /** Returns a remark on the last pass for the user, in one line; empty for none. */
    String remark();
}
