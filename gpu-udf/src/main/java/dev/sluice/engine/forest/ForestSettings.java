package dev.sluice.engine.forest;

/**
 * How a forest is cut.
 *
 * @param grouped whether rules that name different long fields go to different trees
 * @param quota copies of an entry in one tree before its rule goes to the next
 * @param leaf entries at which cutting ends
 * @param copyCost weight of memory in the choice of a window
 * @param copiesARule copies that one tree may make, a rule
 * @param copiesAtLeast and how many besides
 */
record ForestSettings(
        boolean grouped,
        float quota,
        int leaf,
        double copyCost,
        int copiesARule,
        int copiesAtLeast) {}
