package dev.sluice.policy.kubernetes;

import dev.sluice.policy.yaml.YamlException;

/** Policies that a network plugin judges by, of one or several kinds. */
interface PolicySet {
    /**
     * Reads an object.
     *
     * @return whether it is of a kind of this set
     */
    boolean read(Manifest manifest) throws YamlException;

    /** Refuses policies that have no order where they need one; called when all are read. */
    void requireOrder();

    /** Adds the rules of a direction to its stage. */
    void addTo(StageDraft stage);
}
