package dev.sluice.engine.rfc;

/** For each of some classes the rules that its values allow, in total order. */
interface ClassRules {
    /** Number of classes. */
    int count();

    /**
     * Reads a class's rules.
     *
     * @param into room for as many as there are rules
     * @return how many the class allows
     */
    int read(int row, int[] into);
}
