package dev.sluice.engine.crossproduct;

/**
 * A group's record in an image, with the names of {@link CrossproductLayout}.
 *
 * @param seeds seeds of a hashed group; map of a mapped one
 * @param places places of a hashed group; {@link CrossproductLayout#PIECES} of rows of verdicts
 */
record CellGroup(
        int cells,
        int form,
        int best,
        int width,
        int seeds,
        int bucketShift,
        int places,
        Field source,
        Field destination) {
    /** Bits of a row that hold the number of the group's prefix. */
    record Field(int word, int shift, int mask) {
        private static Field at(int[] words, int at) {
            return new Field(
                    words[at + CrossproductLayout.FIELD_WORD],
                    words[at + CrossproductLayout.FIELD_SHIFT],
                    words[at + CrossproductLayout.FIELD_MASK]);
        }

        private void read(int[][] rows, int n, int[] numbers) {
            int[] words = rows[word];
            for (int i = 0; i < n; i++) {
                numbers[i] = words[i] >>> shift & mask;
            }
        }
    }

    /** The record at an offset. */
    static CellGroup at(int[] words, int record) {
        return new CellGroup(
                words[record + CrossproductLayout.CELLS],
                words[record + CrossproductLayout.GROUP_FORM],
                words[record + CrossproductLayout.BEST],
                words[record + CrossproductLayout.WIDTH],
                words[record + CrossproductLayout.SEEDS],
                words[record + CrossproductLayout.BUCKET_SHIFT],
                words[record + CrossproductLayout.PLACES],
                Field.at(words, record + CrossproductLayout.FIELDS),
                Field.at(words, record + CrossproductLayout.FIELDS + CrossproductLayout.FIELD));
    }

    /** The numbers of both prefixes in the group, for all headers of the block. */
    void numbers(int n, CrossproductScratch scratch) {
        source.read(scratch.source, n, scratch.groupSource);
        destination.read(scratch.destination, n, scratch.groupDestination);
    }
}
