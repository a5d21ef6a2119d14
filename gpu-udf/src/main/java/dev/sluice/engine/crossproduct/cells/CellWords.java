package dev.sluice.engine.crossproduct.cells;

/** Takes the words of an image that are to name lists. */
public interface CellWords {
    /**
     * Takes a cell that has a list.
     *
     * @param word offset of the word that is to name the list
     * @param list number of the list
     * @param above bits that the cell's key has in the upper part of that word
     */
    void cell(int word, int list, int above);
}
