package dev.sluice.engine.versions;

/**
 * Thresholds of the accelerators of look-ups in rules that changed. An accelerator that is switched
 * off changes no verdict.
 *
 * @param allTuples tuples up to which each look-up looks into all; more are pruned ({@link
 *     TuplePruning})
 * @param halves upper halves of a prefix up to which it is in their buckets of the pruning, and not
 *     in all
 * @param entries entries that vectors number: a look-up pays for each group, and tuples are quicker
 *     from 350 to 800 on; 0 for no vectors ({@link EntryVectors})
 * @param wide entries among these that no half tells: each is compared with all headers
 * @param groupsForAll groups of vectors up to which these serve where it is not known which
 *     verdicts are touched: the tuples' best rules spare most headers a look then, which vectors do
 *     not
 * @param slots slots that are gone through for the entries that are live, some µs
 * @param compared changes of one delta that are compared with the base; more are taken to touch all
 *     verdicts ({@link TouchedVerdicts})
 * @param comparisons comparisons of two rules over all; some 10 ms
 * @param followers rules behind a removed one up to which one by one is quicker than a look-up
 *     among all of the base ({@link SecondLook}); 0 for none
 * @param gatheredEighths touched headers are gathered for the tuples where they are less of a
 *     batch's eighths ({@link Revision})
 */
record Accelerators(
        int allTuples,
        int halves,
        int entries,
        int wide,
        int groupsForAll,
        int slots,
        int compared,
        int comparisons,
        int followers,
        int gatheredEighths) {
    /** The thresholds that were measured best. */
    static final Accelerators STANDARD =
            new Accelerators(2, 64, 768, 32, 2, 1 << 13, 256, 1 << 24, 64, 6);

    /** Changes of a delta that are made while a lock is held: some milliseconds. */
    static final int MOST_CHANGES = 8192;

    /** Size of an overlay in words up to which its live entries are not copied to a new one. */
    static final int WORN_WORDS = 8 << 20;

    /**
     * Entries of one key from which on a tuple with a longer mask is opened: with 16 a look-up
     * tests a fifth more entries on ClassBench sets, with 2 it looks into more tuples.
     */
    static final int CROWDED = 6;

    /** Most rules of a base that are compared with each changed one. */
    static final int COMPARED_RULES = 1 << 16;
}
