package dev.sluice.policy.nft;

/**
 * Place of words in a file.
 *
 * @param file name of the file
 * @param line 1-based
 * @param column 1-based
 */
record Spot(String file, int line, int column) {
    RefusedException refused(String words, String problem) {
        return new RefusedException(file, line, column, words, problem);
    }
}
