package dev.sluice.engine.forest;

/**
 * How a forest is built. To cut a node is to divide its entries among children.
 *
 * @param grouped whether entries go to different trees by which addresses they name
 * @param quota copies that an entry may make in one tree before it goes to the next
 * @param leaf entries of a list that is not cut any more
 * @param copyCost weight of copies and tables against shorter lists in the choice of a window
 * @param copiesARule copies that one tree may make for each rule of the set
 * @param copiesAtLeast copies that one tree may make besides
 */
record ForestSettings(
        boolean grouped,
        float quota,
        int leaf,
        double copyCost,
        int copiesARule,
        int copiesAtLeast) {}
